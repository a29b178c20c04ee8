"""Boards drawn: as text for terminals, as SVG for pages and notebooks."""

from ur_solver.rules.drawing.text import ROSETTE, SIDE_NAMES, board_text, position_text

__all__ = ["ROSETTE", "SIDE_NAMES", "board_text", "position_text"]
