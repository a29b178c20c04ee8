"""A scheduler that does not answer is found out before anything is written."""

from __future__ import annotations

import socket
import threading

import pytest
from click.testing import CliRunner

from ur_solver.cli import cli
from ur_solver.engine.runners import Cluster, check_reachable
from ur_solver.errors import ClusterError, InputError


def reach(address: str) -> None:
    check_reachable(Cluster(address), patience=0.05)


@pytest.fixture
def listener():
    """A port, and the connections that are made to it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


@pytest.mark.parametrize("address", ["nonsense", "tcp://host", "host:99999", "tcp://a b:1", ""])
def test_malformed_addresses_are_refused(address):
    with pytest.raises(InputError, match="expected one such as tcp://host:8786"):
        reach(address)


def test_a_closed_port_is_no_scheduler(listener):
    port = listener.getsockname()[1]
    listener.close()
    with pytest.raises(ClusterError, match=f"no scheduler answers at tcp://127.0.0.1:{port}: "):
        reach(f"tcp://127.0.0.1:{port}")


def test_somebody_who_does_not_greet_is_no_scheduler(listener):
    with pytest.raises(ClusterError, match="no scheduler answers"):
        reach(f"127.0.0.1:{listener.getsockname()[1]}")


def test_somebody_who_greets_may_be_one(listener):
    def greet() -> None:
        with listener.accept()[0] as connection:
            connection.sendall(b"x")

    thread = threading.Thread(target=greet)
    thread.start()
    check_reachable(Cluster(f"tcp://127.0.0.1:{listener.getsockname()[1]}"), patience=20)
    thread.join()


@pytest.mark.parametrize("address", ["ucx://host:1", "inproc://10.0.0.1/1", None])
def test_other_protocols_are_left_to_dask(address):
    check_reachable(Cluster(address), patience=0.0)


@pytest.mark.parametrize("output", ["folder", "table.h5"])
def test_a_solve_that_cannot_begin_leaves_nothing(tmp_path, output):
    arguments = ["solve", "finkel:1", "--scheduler", "nonsense", "-o", str(tmp_path / output)]
    done = CliRunner().invoke(cli, arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
