"""Serving from the first moment: the page at once, and the rest when it is loaded.

NumPy, HDF5 and the tables take a quarter of a second to load. A browser needs as long to load the
page and compile its scripts, so the two are done at the same time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from ur_solver.serve.guard import HEADERS, Application, Receive, Scope, Send

_FAILED = b"the server could not be started; its terminal says why\n"


class Opening:
    """An ASGI application that another one replaces when it is loaded.

    Parameters
    ----------
    page : ASGI application
        Answers requests for `paths` until the application is loaded.
    paths : collection of str
    app : future of an ASGI application
        Other requests wait for it, and get an error if it fails.
    """

    def __init__(
        self, page: Application, paths: Collection[str], app: asyncio.Future[Application]
    ) -> None:
        self._page, self._paths, self._app = page, paths, app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if not self._app.done() and scope["path"] in self._paths:
            await self._page(scope, receive, send)
            return
        await asyncio.wait([self._app])
        if self._app.exception() is None:
            await self._app.result()(scope, receive, send)
            return
        headers = [(b"content-type", b"text/plain; charset=utf-8"), *HEADERS]
        await send({"type": "http.response.start", "status": 503, "headers": headers})
        await send({"type": "http.response.body", "body": _FAILED})
