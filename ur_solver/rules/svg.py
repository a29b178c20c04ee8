"""Boards as SVG, with their style sheets, and as pictures in pixels.

PNG, and GIF for several drawings, need the extra ``pictures``.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import resources
from types import ModuleType
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from ur_solver.common.sayings import say
from ur_solver.errors import InputError, missing_extra
from ur_solver.rules.board import EYES, FOUR_FIVES, QUARTERED, ROW_NAMES, UR, WAVY_CORNERS, Board
from ur_solver.rules.contents import DARK, LIGHT, awake, is_marked, is_resting, side_of, split
from ur_solver.rules.drawing import MARKS, SIDE_NAMES, Drawn
from ur_solver.rules.family import HOME
from ur_solver.rules.settings import RuleData


@lru_cache(maxsize=2)
def style_sheet(name: str) -> Markup:
    """A style sheet: ``board``, that of all boards on a page, or ``page``, of reports and pages."""
    file = resources.files("ur_solver.rules") / f"{name}.css"
    return Markup(file.read_text(encoding="utf-8"))


def _colours(block: str) -> dict[str, str]:
    """The named colours of a block of a style sheet."""
    return dict(re.findall(r"--([\w-]+): ([^;]+);", block))


def day_colours(name: str) -> dict[str, str]:
    """The named colours of a style sheet by day, without the two hyphens."""
    return _colours(style_sheet(name).split("}", 1)[0])


@lru_cache(maxsize=1)
def picture_style() -> str:
    """The style sheet of a picture in a file: without variables, which only browsers know."""
    light, dark, rest = style_sheet("board").split("\n}\n", 2)

    def filled(block: str) -> str:
        colours = _colours(block)
        return re.sub(r"var\(--([\w-]+)\)", lambda found: colours[found[1]], rest)

    return (
        f"{filled(light)}.ur-board {{ font-family: sans-serif; }}\n"
        f"@media (prefers-color-scheme: dark) {{\n{filled(dark)}}}\n"
    )


_CELL = 40
_FRAME = 4
"""The width of the frame around the squares."""

_STRIP = 18
"""Room for the columns' numbers and the rows' letters, the frame included."""

_TRAY = 30
_GAP = _FRAME + 4
"""From the squares to what a side has at home and off, where there are no numbers between."""

_SPARE = 15
"""The height of what a side has at home and off, and the room of a piece there."""

_LABEL = 63
_BOX = re.compile(r'viewBox="(-?\d+) (-?\d+) (\d+) (\d+)"')
_BAR = f'<rect class="next" x="-9" width="5" height="{_TRAY - 2}" rx="2"/>'

# What the squares of the board from Ur are inlaid with: for each motif its parts, from below.

_ROSETTE = (
    (
        "rosette",
        "M20 20q-7-8 0-15.5q7 7.5 0 15.5q8-7 15.5 0q-7.5 7-15.5 0"
        "q7 8 0 15.5q-7-7.5 0-15.5q-8 7-15.5 0q7.5-7 15.5 0",
    ),
    (
        "petals",
        "M20 20q1-10 11-11q-1 10-11 11q10 1 11 11q-10-1-11-11"
        "q-1 10-11 11q1-10 11-11q-10-1-11-11q10 1 11 11",
    ),
    ("mark shell discs", "M20 20h0"),
    ("mark red dots", "M20 20h0"),
)
_EYE = "m-7 0q7-7.5 14 0q-7 7.5-14 0"
_FOUR = [(x, y) for y in (12, 28) for x in (12, 28)]
_ZIGZAG = "M8 8" + 3 * "l4-4 4 4" + 3 * "l4 4-4 4" + 3 * "l-4 4-4-4" + 3 * "l-4-4 4-4" + "z"
_DOTS = "M11 11h0M29 11h0M20 20h0M11 29h0M29 29h0"

_MOTIFS = (
    (
        EYES,
        (
            ("mark cut", "".join(f"M{x} {y}{_EYE}" for x, y in _FOUR)),
            ("mark lapis dots", "".join(f"M{x} {y}h0" for x, y in _FOUR)),
        ),
    ),
    (
        FOUR_FIVES,
        (
            ("mark cut", "M20 5v30M5 20h30"),
            (
                "mark lapis dots",
                "".join(f"M{x} {y}h0m-4-4h0m8 0h0m0 8h0m-8 0h0" for x, y in _FOUR),
            ),
        ),
    ),
    (
        WAVY_CORNERS,
        (
            ("mark cut", _ZIGZAG),
            ("mark lapis dots", "M14 14h0M26 14h0M20 20h0M14 26h0M26 26h0"),
        ),
    ),
    (
        QUARTERED,
        (
            ("inlay lapis", "M19 7h-12v12h4v-4h4v-4h4zM21 33h12v-12h-4v4h-4v4h-4z"),
            ("inlay red", "M21 7h12v12h-4v-4h-4v-4h-4zM19 33h-12v-12h4v4h4v4h4z"),
            ("mark cut", "M20 15l5 5-5 5-5-5z"),
        ),
    ),
)
_FIVE_DOTS = (
    ("mark cut rings", _DOTS),
    ("mark shell discs", _DOTS),
    ("mark lapis dots", _DOTS),
)
"""What is on the others, in no rule set of any meaning."""

_PIPS = "M-.45-.45h0M.45-.45h0M0 0h0M-.45.45h0M.45.45h0"
"""The five dots of a piece of radius 1."""

_TIP = "M4 0l-11-5v10z"
"""The point of an arrow to the right; a dot there would look like a piece that has turned over."""


class Arrow(NamedTuple):
    """A move to be drawn, ``best`` or ``played``, by path indices of the side to throw."""

    kind: str
    source: int
    target: int


def board_svg(
    position: Drawn,
    arrows: Sequence[Arrow] = (),
    label: str = "",
    *,
    view: str = LIGHT,
    is_named: bool = False,
) -> Markup:
    """A board with its pieces and arrows for moves of the side to throw.

    A position with faults can be drawn, too. Screen readers get `label`, by default the notation,
    or with `is_named` every square by its name, as a table, instead of one picture. `view` is the
    side whose row is on top.
    """
    rules = position.mechanics.rules
    parts = [*_frame(rules.board), *_rows(position, view, is_named)]
    parts += (_tray(position, side, view) for side in (LIGHT, DARK))
    parts += _coordinates(rules, view)
    parts += (_arrow(rules, position.side, arrow, view) for arrow in arrows)
    top = -_STRIP - _TRAY - 2
    width = len(rules.board.rows[0]) * _CELL + _STRIP + _FRAME + 2
    box = f"{-_STRIP} {top} {width} {3 * _CELL + _GAP + _TRAY - top}"
    role = "table" if is_named else "img"
    name = escape(label or position.notation)
    return Markup(
        f'<svg class="ur-board" viewBox="{box}" role="{role}" aria-label="{name}">'
        f"{''.join(parts)}</svg>"
    )


def board_picture(
    position: Drawn, arrows: Sequence[Arrow] = (), *, view: str = LIGHT, caption: str = ""
) -> str:
    """A board as an SVG file that needs nothing else, perhaps with a line of text below.

    It has its own background, and so its colours fit together on any page.
    """
    drawing = str(board_svg(position, arrows, view=view))
    head = '<svg xmlns="http://www.w3.org/2000/svg"'
    style = f"<style>{picture_style()}</style>"
    begin, end = drawing.split(">", 1)
    x, y, width, height = map(int, _BOX.findall(begin)[0])
    if caption:
        line = f'<text class="count" x="0" y="{y + height + _STRIP / 2 - 1:g}">'
        end = f"{end.removesuffix('</svg>')}{line}{escape(caption)}</text></svg>"
        height += _STRIP
        begin = _BOX.sub(f'viewBox="{x} {y} {width} {height}"', begin)
    ground = f'<rect class="ground" x="{x}" y="{y}" width="{width}" height="{height}"/>'
    return f"{head}{begin.removeprefix('<svg')}>{style}{ground}{end}\n"


def arrow_path(rules: RuleData, side: str, arrow: Arrow, view: str = LIGHT) -> str:
    """The curve of an arrow from the middle of a square to another, as SVG writes it.

    The best and the played move bend to different sides, so that both can be seen.
    """
    (x0, y0), (x1, y1) = (
        _middle(rules, side, index, view) for index in (arrow.source, arrow.target)
    )
    bend = 14 if arrow.kind == "best" else -14
    length = max(math.hypot(x1 - x0, y1 - y0), 1.0)
    middle_x = (x0 + x1) / 2 - (y1 - y0) / length * bend
    middle_y = (y0 + y1) / 2 + (x1 - x0) / length * bend
    return f"M{x0:g} {y0:g}Q{middle_x:.1f} {middle_y:.1f} {x1:g} {y1:g}"


def _arrow(rules: RuleData, side: str, arrow: Arrow, view: str) -> str:
    path = arrow_path(rules, side, arrow, view)
    from_x, from_y, x, y = map(float, re.findall(r"-?[\d.]+", path)[2:])
    angle = math.degrees(math.atan2(y - from_y, x - from_x))
    return (
        f'<path class="arrow {arrow.kind}" d="{path}"/><path class="tip {arrow.kind}" '
        f'transform="translate({x:g} {y:g}) rotate({angle:.1f})" d="{_TIP}"/>'
    )


def _middle(rules: RuleData, side: str, index: int, view: str) -> tuple[float, float]:
    """The centre of a square of a path, or of the first piece at home or off."""
    path = rules.path.squares(side)
    if 0 <= index < len(path):
        square = path[index]
        return (int(square[1:]) - 0.5) * _CELL, _row_top(square[0], view) + _CELL / 2
    x = 0 if index == HOME else len(rules.board.rows[0]) * _CELL / 2 + 2
    return x + _LABEL + _SPARE / 2, _tray_top(side, view) + _TRAY / 2 - 1


def _tray_top(side: str, view: str) -> int:
    """Where what a side has at home and off is drawn: next to its own row."""
    return -_STRIP - _TRAY if side == view else 3 * _CELL + _GAP


def _row_top(row: str, view: str) -> int:
    return (ROW_NAMES if view == LIGHT else ROW_NAMES[::-1]).index(row) * _CELL


def _coordinates(rules: RuleData, view: str) -> Iterator[str]:
    """The columns' numbers above the board, and the rows' letters to the left of it."""
    before = -(_STRIP + _FRAME) / 2
    for column in range(len(rules.board.rows[0])):
        yield _coordinate((column + 0.5) * _CELL, before, str(column + 1))
    for row in ROW_NAMES:
        yield _coordinate(before, _row_top(row, view) + _CELL / 2, row)


def _coordinate(x: float, y: float, name: str) -> str:
    return f'<text class="coordinate" x="{x:g}" y="{y:g}" aria-hidden="true">{name}</text>'


def _frame(board: Board) -> Iterator[str]:
    """Wood, and the bitumen in it that holds the plaques, in the shape of the board."""
    path = ""
    for row, kinds in enumerate(board.rows):
        for run in re.finditer(r"\.+", kinds):
            width = len(run[0]) * _CELL
            path += f"M{run.start() * _CELL} {row * _CELL}h{width}v{_CELL}h-{width}z"
    yield f'<path class="wood" d="{path}"/>'
    yield f'<path class="bitumen" d="{path}"/>'


def _rows(position: Drawn, view: str, is_named: bool) -> Iterator[str]:
    board, marks = position.mechanics.rules.board, position.mechanics.marks
    filled = dict(zip(board.squares, position.contents, strict=True))
    for name, kinds in sorted(zip(ROW_NAMES, board.rows, strict=True), reverse=view == DARK):
        squares = [f"{name}{column}" for column, kind in enumerate(kinds, 1) if kind == "."]
        cells = ""
        for square in squares:
            mark = square_mark(board, marks, square)
            words = [square, *([say(f"mark.{mark}")] if mark else [])] if is_named else []
            cells += _cell(board, square, filled[square], view, words)
        yield f'<g role="row">{cells}</g>' if is_named else cells


def square_mark(board: Board, marks: Mapping[str, str], square: str) -> str:
    """The marking of a square, as `say` names it; empty if it has none that means something.

    `marks` are those of the family (`Family.marks`).
    """
    return "rosette" if square in board.rosettes else MARKS.get(marks.get(square, ""), "")


def rosette_svg() -> str:
    """A square with a rosette, in the colours of boards, as a picture for the eye only."""
    petals = "".join(f'<path class="{css}" d="{path}"/>' for css, path in _ROSETTE)
    begin = f'<svg class="ur-board" viewBox="0 0 {_CELL} {_CELL}" aria-hidden="true">'
    return f"{begin}{_rect('square', 1)}{petals}</svg>"


def icon_svg() -> str:
    """The program's icon: a square with a rosette, as a file of its own."""
    colour = day_colours("board")
    petals = "".join(
        f'<path d="{path}" fill="{colour[name]}"/>'
        for (_, path), name in zip(_ROSETTE, ("lapis", "red"), strict=False)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_CELL} {_CELL}">'
        f'<rect width="{_CELL}" height="{_CELL}" fill="{colour["shell"]}"/>'
        f'<g transform="translate(5 5) scale(.75)">{petals}</g></svg>\n'
    )


def _cell(board: Board, square: str, content: str, view: str, words: Sequence[str]) -> str:
    """A square with its pieces; screen readers get `words` and the pieces, if there are any."""
    x, y = (int(square[1:]) - 1) * _CELL, _row_top(square[0], view)
    pieces = split(content)
    is_rosette = square in board.rosettes
    named = ""
    if words:
        named = f' role="cell" aria-label="{", ".join([*words, *pieces_words(pieces)])}"'
    parts = [_rect("square", 1)]
    parts += (f'<path class="{css}" d="{path}"/>' for css, path in _motif(board, square))
    if pieces and is_rosette:
        parts.append(_rect("ring", 3))
    # Pieces are drawn in a grid with about as many columns as rows, from the bottom up like stacks.
    n_columns = math.isqrt(len(pieces) - 1) + 1 if pieces else 1
    n_rows = math.ceil(len(pieces) / n_columns)
    size = (_CELL - 6) / n_columns
    for k, piece in enumerate(pieces):
        row_up, place = divmod(k, n_columns)
        centre_x = 3 + (place + 0.5) * size
        centre_y = _CELL / 2 + (n_rows / 2 - row_up - 0.5) * size
        parts.append(_piece("piece", piece, centre_x, centre_y, size * 0.38))
    return f'<g data-square="{square}" transform="translate({x} {y})"{named}>{"".join(parts)}</g>'


def pieces_words(pieces: Sequence[str]) -> list[str]:
    """Pieces in words, alike ones counted: ``2 light``, ``dark marked``, ``light 3``."""
    words = []
    for piece in dict.fromkeys(pieces):
        count, number = pieces.count(piece), awake(piece[1:])
        side = f"piece.{SIDE_NAMES[side_of(piece)]}"
        key = f"{side}{'.marked' * is_marked(piece)}{'.resting' * is_resting(piece)}"
        if number:
            words += [say(f"{key}.number", number=number)] * count
        else:
            words.append(say(key, count=count))
    return words


def _motif(board: Board, square: str) -> Sequence[tuple[str, str]]:
    """What a square is inlaid with: rosettes on every board, the rest on the one from Ur."""
    if square in board.rosettes:
        return _ROSETTE
    if board != UR:
        return ()
    return next((motif for squares, motif in _MOTIFS if square in squares), _FIVE_DOTS)


def _tray(position: Drawn, side: str, view: str) -> str:
    """A side's pieces that wait and those that have finished; a bar for the side about to throw."""
    family, name = position.mechanics, SIDE_NAMES[side]
    width = len(family.rules.board.rows[0]) * _CELL
    numbers = position.numbers(side) if family.is_numbered else ()
    at_home = [f"{side}{number}" for number in numbers] or [side] * position.home(side)
    off = [side] * max(0, position.n_off(side))
    is_next = position.winner is None and position.side == side
    bar = _BAR if is_next else ""
    room = width / 2 - 2
    home, gone = (
        _place("home", name, 0, room, at_home),
        _place("off", name, width / 2 + 2, room, off),
    )
    top = _tray_top(side, view)
    return f'<g class="tray" transform="translate(0 {top})">{bar}{home}{gone}</g>'


def _place(place: str, name: str, x: float, width: float, pieces: Sequence[str]) -> str:
    """The pieces of a side at home or off, next to a label for people."""
    step = min(_SPARE, (width - _LABEL - _SPARE) / max(1, len(pieces) - 1))  # many overlap
    spares = "".join(
        _piece("spare", piece, _LABEL + _SPARE / 2 + k * step, (_TRAY - 2) / 2, 0.42 * _SPARE)
        for k, piece in enumerate(pieces)
    )
    words = say(f"place.{place}", count=len(pieces))
    return (
        f'<g data-square="{place}" data-side="{name}" transform="translate({x:g} 0)">'
        f'<rect class="place" width="{width:g}" height="{_TRAY - 2}" rx="4"/>'
        f'<text class="count" x="5" y="{(_TRAY - 2) / 2:g}">{words}</text>'
        f"{spares}</g>"
    )


def _piece(kind: str, piece: str, x: float, y: float, radius: float) -> str:
    """A disc with five dots; one that has turned over shows a larger one, a numbered one that."""
    css = SIDE_NAMES[side_of(piece)]
    parts = [f'<circle class="{kind} {css}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"/>']
    number = piece[1:]
    if is_marked(piece):
        inner = (0.75 if number else 0.4) * radius
        parts.append(f'<circle class="leg {css}" cx="{x:.1f}" cy="{y:.1f}" r="{inner:.1f}"/>')
    elif not number:
        place = f"translate({x:.1f} {y:.1f}) scale({radius:.1f})"
        parts.append(f'<path class="pips {css}" transform="{place}" d="{_PIPS}"/>')
    if number:
        parts.append(
            f'<text class="number {css}" x="{x:.1f}" y="{y:.1f}" '
            f'font-size="{1.3 * radius:.1f}">{number}</text>'
        )
    return "".join(parts)


def _rect(css: str, inset: int) -> str:
    size = _CELL - 2 * inset
    return f'<rect class="{css}" x="{inset}" y="{inset}" width="{size}" height="{size}" rx="4"/>'


# For a page that puts the pieces into the drawing itself.

_SLOT = "\N{OBJECT REPLACEMENT CHARACTER}"

_SQUARE_SLOTS = re.compile(
    r'(<g data-square="([ABC]\d+)"[^>]* role="cell" aria-label=")[^"]*(">.*?)(</g>)'
)

_PLACE_SLOTS = re.compile(r'(<text class="count"[^>]*>)[^<]*(</text>)(?:<(?:circle|path)[^>]*/>)*')


def board_template(empty: Drawn, view: str) -> dict[str, Any]:
    """The drawing of a board with named squares, cut where its pieces belong.

    `empty` is a position without pieces. Between the ``texts`` belong, in this order: the
    position's notation; for each of ``squares`` its words, then its pieces; for light and for dark
    the bar of the side to throw, and for home and for off the words and the pieces. ``middles`` has
    by side the centres of the squares of its path, with home before them and off after them.
    """
    rules = empty.mechanics.rules
    text = str(board_svg(empty, label=_SLOT, view=view, is_named=True))
    squares = [found[2] for found in _SQUARE_SLOTS.finditer(text)]
    text = _SQUARE_SLOTS.sub(rf"\1{_SLOT}\3{_SLOT}\4", text)
    text = re.sub(r'(<g class="tray"[^>]*>)', rf"\1{_SLOT}", text)
    text = _PLACE_SLOTS.sub(rf"\1{_SLOT}\2{_SLOT}", text)
    return {
        "texts": text.split(_SLOT),
        "squares": squares,
        "middles": {
            name: [_middle(rules, side, index, view) for index in range(-1, len(rules.path) + 1)]
            for side, name in SIDE_NAMES.items()
        },
    }


def board_sizes(rules: RuleData) -> dict[str, Any]:
    """What the drawing of pieces needs besides the template, in its units.

    The size of a ``square`` and of the room of its pieces, ``inner``; where the pieces at home and
    off begin, ``label``, the room of one, ``spare``, and of all, ``room``, and their ``middle``;
    the texts of a ``ring`` around the pieces on ``rosettes``, and of a ``bar``.
    """
    return {
        "square": _CELL,
        "inner": _CELL - 6,
        "label": _LABEL,
        "spare": _SPARE,
        "room": len(rules.board.rows[0]) * _CELL / 2 - 2 - _LABEL,
        "middle": (_TRAY - 2) / 2,
        "ring": _rect("ring", 3),
        "rosettes": sorted(rules.board.rosettes),
        "bar": _BAR,
    }


WIDTH, MOST_WIDTH = 800, 8000
"""How many pixels wide a picture is, and the most."""

_BACKGROUND = "white"
_COLOURS = 64
"""Of an animation, as a drawing has few: more would only make its file larger."""


def png(drawing: str, width: int = WIDTH) -> bytes:
    """A drawing of `board_picture` as PNG, on white, `width` pixels wide.

    InputError if the extra ``pictures`` is not installed.
    """
    written: bytes = _cairosvg().svg2png(
        bytestring=drawing.encode(), output_width=width, background_color=_BACKGROUND
    )
    return written


def gif(drawings: Iterable[str], seconds: float, width: int = WIDTH) -> bytes:
    """Drawings of one size, one at least, as an animated GIF that plays once.

    Each is shown for some seconds, the last one three times as long. InputError if the extra
    ``pictures`` is not installed.
    """
    _cairosvg()
    try:
        from PIL import Image  # noqa: PLC0415 - the extra
    except ImportError:
        raise InputError(missing_extra(_NEED, "pictures", "pillow")) from None
    frames: list[Image.Image] = []
    for each in drawings:
        frame = Image.open(io.BytesIO(png(each, width))).convert("RGB")
        # with the first one's colours, a frame holds only what differs from the one before
        colours = frames[0] if frames else None
        frames.append(frame.quantize(_COLOURS, palette=colours, dither=Image.Dither.NONE))
    shown = round(1000 * seconds)
    out = io.BytesIO()
    frames[0].save(
        out,
        format="GIF",
        save_all=True,
        append_images=frames[1:],
        duration=[shown] * (len(frames) - 1) + [3 * shown],
    )
    return out.getvalue()


_NEED = "pictures in pixels need CairoSVG and Pillow"


def _cairosvg() -> ModuleType:
    try:
        import cairosvg  # noqa: PLC0415 - the extra
    except ImportError:
        raise InputError(missing_extra(_NEED, "pictures", "cairosvg")) from None
    except OSError as error:  # CairoSVG is there, but not the library that it draws with
        raise InputError(f"{_NEED}, and the library Cairo: {error}"[:300]) from None
    return cairosvg  # type: ignore[no-any-return]
