"""Whether a scheduler answers, before a solve begins."""

from __future__ import annotations

import re
import socket
import time

from ur_solver.engine.cluster.choice import Cluster
from ur_solver.errors import ClusterError, InputError

PATIENCE = 15.0
"""Seconds to wait for a scheduler that does not answer yet."""

_ATTEMPT, _PAUSE = 5.0, 0.5
_ADDRESS = re.compile(r"(?:(tcp|tls)://)?(\[[0-9A-Fa-f:]+\]|[^\s/:@]+):([0-9]{1,5})/?")


def check_reachable(cluster: Cluster, patience: float = PATIENCE) -> None:
    """Check that a scheduler listens at the address of a cluster's.

    A scheduler greets whoever connects over TCP. Addresses of protocols other than TCP and TLS are
    left to Dask.

    Raises
    ------
    InputError
        If the address is malformed.
    ClusterError
        If nobody has answered within `patience` seconds.
    """
    address = cluster.scheduler
    if address is None:
        return
    found = _ADDRESS.fullmatch(address)
    if found is None or int(found[3]) > 65535:
        if "://" in address and not address.startswith(("tcp:", "tls:")):
            return
        raise InputError(
            f"{address!r:.100} is not the address of a scheduler: expected one such as tcp://host:8786"
        )
    until = time.monotonic() + patience
    while True:
        try:
            end = found[2].strip("[]"), int(found[3])
            with socket.create_connection(end, timeout=min(_ATTEMPT, patience)) as connection:
                if found[1] == "tls" or connection.recv(1):
                    return
                raise ConnectionError("what answers there is not a scheduler")
        except (OSError, UnicodeError) as error:  # a host name that cannot be encoded
            if time.monotonic() > until:
                reason = getattr(error, "strerror", None) or error
                raise ClusterError(f"no scheduler answers at {address}: {reason}") from None
            time.sleep(_PAUSE)
