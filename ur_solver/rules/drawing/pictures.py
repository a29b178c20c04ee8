"""Pictures of drawings in pixels: PNG, and GIF for several of them, by the extra ``pictures``."""

from __future__ import annotations

import io
from collections.abc import Iterable
from types import ModuleType

from ur_solver.errors import InputError, missing_extra

WIDTH, MOST_WIDTH = 800, 8000
"""How many pixels wide a picture is, and the most."""

_BACKGROUND = "white"
_COLOURS = 64
"""Of an animation, as a drawing has few: more would only make its file larger."""


def png(drawing: str, width: int = WIDTH) -> bytes:
    """A drawing as PNG, on white.

    Parameters
    ----------
    drawing : str
        SVG that needs nothing else, as `svg.board_picture` gives it.
    width : int
        In pixels.

    Raises
    ------
    InputError
        If the extra ``pictures`` is not installed.
    """
    written: bytes = _cairosvg().svg2png(
        bytestring=drawing.encode(), output_width=width, background_color=_BACKGROUND
    )
    return written


def gif(drawings: Iterable[str], seconds: float, width: int = WIDTH) -> bytes:
    """Drawings of one size as an animated GIF that plays once.

    Parameters
    ----------
    drawings : iterable of str
        As `png` takes them; one at least.
    seconds : float
        How long each is shown; the last one three times as long.
    width : int
        In pixels.

    Raises
    ------
    InputError
        If the extra ``pictures`` is not installed.
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
