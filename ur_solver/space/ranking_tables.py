"""The counting tables of a state space as plain arrays, for its compiled rank and unrank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ur_solver.space.placements import NO_PART

if TYPE_CHECKING:
    from ur_solver.space.tiles import TileSpace


def ranking_tables(space: TileSpace, below: Sequence[npt.NDArray[np.int64]]) -> dict[str, Any]:
    """The tables of `_tile_ranking.TileRanking`, whose declaration describes each array.

    Parameters
    ----------
    space : TileSpace
    below : sequence of int64 arrays, shape (my reserves, their reserves, shapes)
        For each shared square how many positions have smaller shapes there.
    """
    sizes = [len(contents) for contents in space.contents]
    n_shapes = [square.n_shapes for square in space.shaped]
    counts = [each.ravel() for each in below]
    return {
        "take": space.reserves.take,
        "n_stocks": space.stock.size,
        "n_contents": np.array(sizes, dtype=np.int32),
        "first_content": _starts(sizes).astype(np.int32),
        "parts": np.concatenate(space.parts).astype(np.int16),
        "uses": np.concatenate(space.uses).astype(np.int16),
        "codes": _codes(space),
        "is_numbered": space.stock.is_numbered,
        "mirror_cell": space.mirror_cells,
        "mirror_content": np.concatenate(space.mirrored),
        "shared": np.array(space.shared, dtype=np.int32),
        "private": np.array(space.private, dtype=np.int32),
        "radix": space.placements.radix,
        "n_placements": space.placements.n.astype(np.int32),
        "placement_of": space.placements.number_of,
        "code_of": space.placements.code_of,
        "n_shapes": np.array(n_shapes, dtype=np.int32),
        "first_shape": _starts(n_shapes).astype(np.int32),
        "n_details": np.concatenate([each.n_details for each in space.shaped]).astype(np.int32),
        "shape_of": np.concatenate([each.shape for each in space.shaped]).astype(np.uint16),
        "detail_of": np.concatenate([each.details for each in space.shaped]).astype(np.uint16),
        "n_digits": space.digits.n_digits,
        "rest": space.digits.rest,
        "digit_of": space.digits.digit_of,
        "detail_at": space.digits.detail_at,
        "first_entry": space.digits.first_entry,
        "below": np.concatenate(counts) if counts else np.zeros(0, dtype=np.int64),
        "below_start": _starts([*map(len, counts)]),
        **_config_tables(space),
        **_half_tables(space),
    }


def _starts(sizes: Sequence[int]) -> npt.NDArray[np.int64]:
    """Where each of some runs begins that follow each other."""
    return np.cumsum([0, *sizes[:-1]], dtype=np.int64)


def _codes(space: TileSpace) -> npt.NDArray[np.int32]:
    """The contribution of contents to the code of a placement and of frozen squares.

    Returns
    -------
    int32, shape (contents, 2, 2)
        By content, counted over all cells, and side: to the one, to the other.
    """
    found = [np.zeros((len(contents), 2, 2), dtype=np.int32) for contents in space.contents]
    for cell, radix in zip(space.private, space.placements.radix.tolist(), strict=True):
        across = int(space.mirror_cells[cell])
        placed = np.flatnonzero(space.parts_placed(cell) != NO_PART)
        found[cell][placed, 0, 0] = placed * radix
        # none of the other side's pieces rests
        placed = placed[space.uses[cell][placed, 0] < space.reserves.rest]
        found[across][space.mirrored[cell][placed], 1, 0] = placed * radix
    for square in space.frozen:
        for side, (cell, numbers) in enumerate(zip(square.cells, square.contents, strict=True)):
            found[cell][list(numbers), side, 1] = np.arange(len(numbers)) * square.radix
    return np.concatenate(found)


def _config_tables(space: TileSpace) -> dict[str, npt.NDArray[Any]]:
    """The contents of side configs, and the config of pieces off and frozen squares."""
    n, n_frozen = len(space.configs), len(space.frozen)
    content = np.zeros((2, n_frozen, space.stock.size), dtype=np.uint16)
    for k, square in enumerate(space.frozen):
        for side in range(2):
            content[side, k, list(square.parts)] = square.contents[side]
    n_codes = space.frozen[0].radix * len(space.frozen[0].parts) if n_frozen else 1
    config_of = np.full((space.stock.size, n_codes), -1, dtype=np.int32)
    for number, config in enumerate(space.configs):
        held = zip(space.frozen, config.frozen, strict=True)
        code = sum(square.parts.index(part) * square.radix for square, part in held)
        config_of[config.off, code] = number
    cells = [[square.cells[side] for square in space.frozen] for side in range(2)]
    frozen = [config.frozen for config in space.configs]
    return {
        "frozen": np.array(cells, dtype=np.int32).reshape(2, n_frozen),
        "is_closing": np.array([square.is_closing for square in space.frozen], dtype=np.uint8),
        "frozen_content": content,
        "config_of": config_of,
        "config_free": np.array(space.config_reserves, dtype=np.int32),
        "config_own": np.array(space.own_reserves, dtype=np.int32),
        "config_frozen": np.array(frozen, dtype=np.int32).reshape(n, n_frozen),
    }


def _half_tables(space: TileSpace) -> dict[str, npt.NDArray[Any]]:
    """Where halves begin, by their configs and in order."""
    halves = [half for block in space.blocks for half in block.halves]
    offset = np.full((space.n_configs, space.n_configs), -1, dtype=np.int64)
    for half in halves:
        offset[half.mine, half.theirs] = half.offset
    return {
        "half_offset": offset,
        "half_start": np.array([half.offset for half in halves], dtype=np.int64),
        "half_configs": np.array([(half.mine, half.theirs) for half in halves], dtype=np.int32),
    }
