"""The path of a proxy under which the server appears, such as ``/ur``."""

from __future__ import annotations

from ur_solver.serve.guard import HEADERS, Application, Receive, Scope, Send


class RootPath:
    """Pass requests to an application with the root path taken off.

    Some proxies take it off themselves, so addresses without it are answered too. The root path
    without a slash at its end is redirected: relative addresses on the page need the slash.

    Parameters
    ----------
    app : ASGI application
    root : str
        As in `ur_solver.serve.front.Front`.
    """

    def __init__(self, app: Application, root: str) -> None:
        self._app, self._root = app, root

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        path = scope.get("path", "")
        if self._root and path == self._root:
            location = (b"location", f"{self._root}/".encode())
            headers = [location, (b"content-length", b"0"), *HEADERS]
            await send({"type": "http.response.start", "status": 308, "headers": headers})
            await send({"type": "http.response.body", "body": b""})
            return
        if path.startswith(f"{self._root}/"):
            raw = scope.get("raw_path", b"").removeprefix(self._root.encode())
            scope = {**scope, "path": path.removeprefix(self._root), "raw_path": raw}
        await self._app(scope, receive, send)
