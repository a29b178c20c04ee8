"""Boards drawn: as text for terminals, as SVG for pages and notebooks."""

from ur_solver.rules.drawing.characters import (
    FROM,
    ROSETTE,
    SIDE_NAMES,
    TO,
    board_text,
    position_text,
)

__all__ = ["FROM", "ROSETTE", "SIDE_NAMES", "TO", "board_text", "position_text"]
