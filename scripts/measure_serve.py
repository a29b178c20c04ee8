"""How many different positions a second `ur serve` answers on one core, and how soon.

    python scripts/measure_serve.py finkel            a table, as `ur serve` understands it

The server runs on one core, this load generator on another: eight connections on the loopback
address, each with a request under way all the time. Positions are those of games in which both
sides choose at random; each is asked for once to warm the table, and once more, in the same order,
to be timed. The server keeps the latest answers, but fewer than are asked for, so that none of
those that are timed is among them. Estimators need no warming, and take far longer: each position
is asked for once, by one connection, as a person at the board does.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from urllib.parse import quote

import numpy as np
import psutil

import ur_solver as ur

CONNECTIONS = 8


def different_positions(table: ur.Table | ur.Estimator, count: int) -> list[str]:
    """`count` different positions of random games."""
    found: dict[str, None] = {}
    for seed in range(1000):
        for game in ur.sample(table, 100, light="random", dark="random", seed=seed):
            for ply in game.plies:
                found[game.stepper.notation(ply.state, ply.side)] = None
            if len(found) >= count:
                return list(found)[:count]
    raise SystemExit(f"only {len(found)} positions found")


async def ask_all(
    port: int, paths: list[str], connections: int = CONNECTIONS
) -> tuple[float, np.ndarray]:
    """Seconds for all requests together, and of each."""
    waiting = iter(paths)
    took: list[float] = []

    async def connection() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for path in waiting:
            begin = time.perf_counter()
            writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200"), head
            length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
            await reader.readexactly(length)
            took.append(time.perf_counter() - begin)
        writer.close()

    begin = time.perf_counter()
    await asyncio.gather(*(connection() for _ in range(connections)))
    return time.perf_counter() - begin, np.array(took)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("table")
    parser.add_argument("--count", type=int, default=20_000)
    arguments = parser.parse_args()
    with ur.open_evaluator(arguments.table) as table:
        positions = different_positions(table, arguments.count)
        is_exact = table.are_exact
    cores = sorted(os.sched_getaffinity(0))
    command = [sys.executable, "-m", "ur_solver", "serve", arguments.table, "--port", "0"]
    os.sched_setaffinity(0, cores[:1])  # which the server inherits
    with (
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server,
        ExitStack() as stack,
    ):
        stack.callback(server.terminate)  # also after an error
        os.sched_setaffinity(0, cores[1:] or cores)
        assert server.stderr
        name, _, address = server.stderr.readline().partition(": http://127.0.0.1:")
        port = int(address.partition("/")[0])
        paths = [
            f"/api/v1/tables/{name}/position?position={quote(text, safe='')}" for text in positions
        ]
        asyncio.run(ask_all(port, paths if is_exact else paths[:1]))
        process = psutil.Process(server.pid)
        before = sum(process.cpu_times()[:2])
        connections = CONNECTIONS if is_exact else 1
        seconds, took = asyncio.run(ask_all(port, paths, connections))
        worked = sum(process.cpu_times()[:2]) - before
        memory = process.memory_info().rss
    print(
        f"{1000 * worked / len(paths):.2f} ms of the server's processor time each; "
        f"{memory / 1e9:.2f} GB of memory at the end"
    )
    share = float(np.mean(took <= 0.02))
    print(f"{len(paths):,} different positions of {name}: {len(paths) / seconds:,.0f} a second")
    print(
        f"half within {1000 * np.median(took):.1f} ms, 99 % within "
        f"{1000 * np.quantile(took, 0.99):.1f} ms; {100 * share:.2f} % within 20 ms"
    )


if __name__ == "__main__":
    main()
