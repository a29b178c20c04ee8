"""What others see of a server: its names, its path, its log."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ur_solver.errors import InputError

_ROOT_PATH = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")


@dataclass(frozen=True)
class Front:
    """What others see of a server.

    Attributes
    ----------
    names : tuple of str
        Its host names (`ur_solver.serve.guard.Guard`).
    root_path : str
        The path of a proxy under which it appears (`ur_solver.serve.root_path.RootPath`), without
        a slash at its end; empty for the root itself.
    has_access_log : bool
        Whether each request gets a line on standard error.

    Raises
    ------
    InputError
        If the path does not begin with a slash, or holds anything but letters, digits
        and ``._~-``.
    """

    names: tuple[str, ...] = ()
    root_path: str = ""
    has_access_log: bool = False

    def __post_init__(self) -> None:
        root = self.root_path.rstrip("/")
        if _ROOT_PATH.fullmatch(root) is None:
            raise InputError(f"root path {self.root_path!r:.80}: expected a path such as /ur")
        object.__setattr__(self, "root_path", root)
