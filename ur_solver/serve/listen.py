"""The socket, which is bound before the server starts."""

from __future__ import annotations

import socket

from ur_solver.errors import InputError

MAX_CONNECTIONS = 200
"""The most connections that wait for a request."""


def bound_socket(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 chooses a free one.

    Raises
    ------
    InputError
        If the address is not available.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        sock = socket.socket(family, kind, protocol)
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind(address)
            sock.listen(MAX_CONNECTIONS)
        except OSError:
            sock.close()
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"cannot serve at {host}, port {port}: {reason}") from None
    return sock
