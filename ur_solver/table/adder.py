"""Writing finished blocks to a table while others are solved."""

from __future__ import annotations

from functools import partial

from ur_solver.blocks.block_record import BlockRecord
from ur_solver.common.files import Closing
from ur_solver.engine import Backlog, FileStore
from ur_solver.table.folder_writer import FolderWriter
from ur_solver.table.writer import TableWriter


class Adder(Closing):
    """A thread that writes finished blocks to the table.

    Solving waits for it only if many values are unwritten. A write error is raised at the next
    block or at the end.

    Parameters
    ----------
    writer : TableWriter or FolderWriter
    store : FileStore
        Has the blocks' values.
    most : int
        Bytes of values that may wait to be written.

    Attributes
    ----------
    position_sweeps : int
        The sums of sweeps over all positions of the blocks.
    """

    def __init__(self, writer: TableWriter | FolderWriter, store: FileStore, *, most: int) -> None:
        self._writer = writer
        self._store = store
        self._backlog = Backlog("table", most)
        self._added: set[int] = set()
        self.position_sweeps = 0

    def close(self) -> None:
        """Wait until all is added, ignoring errors, and end the thread that adds."""
        self._backlog.close()

    def add(self, record: BlockRecord) -> bool:
        """Write a block of the store to the table; False if it was added before."""
        self._backlog.settle()
        if record.index in self._added:
            return False
        values = self._store.values_of(record.index)
        assert values is not None
        self._added.add(record.index)
        self._backlog.submit(values.nbytes, partial(self._writer.add, record.with_values(values)))
        self.position_sweeps += record.sweeps * len(values)
        return True

    def wait(self) -> None:
        """Wait until all blocks are in the table."""
        self._backlog.wait()
