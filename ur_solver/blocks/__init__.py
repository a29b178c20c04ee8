"""Files of finished blocks: a solve keeps them, resumes from them, and may leave them as its table.

`ur_solver.blocks.block_files` specifies them. No kernel is needed to read them.
"""

from ur_solver.blocks.block_files import BlockFiles
from ur_solver.blocks.block_record import RECORD, BlockRecord
from ur_solver.blocks.chunks import CHUNK_LENGTH, checksum, chunk_length_for, chunks_in
from ur_solver.blocks.folder import (
    HEAD,
    MANIFEST,
    BlockFolder,
    checkpoint_folder,
    files_of,
    is_being_written,
    join,
    remove_blocks,
)
from ur_solver.blocks.job import Job, described
from ur_solver.blocks.lock import is_held, is_unsupported, lock_open_file
from ur_solver.blocks.value_types import UINT16_SCALE, VALUE_TYPES, ValueType

__all__ = [
    "CHUNK_LENGTH",
    "HEAD",
    "MANIFEST",
    "RECORD",
    "UINT16_SCALE",
    "VALUE_TYPES",
    "BlockFiles",
    "BlockFolder",
    "BlockRecord",
    "Job",
    "ValueType",
    "checkpoint_folder",
    "checksum",
    "chunk_length_for",
    "chunks_in",
    "described",
    "files_of",
    "is_being_written",
    "is_held",
    "is_unsupported",
    "join",
    "lock_open_file",
    "remove_blocks",
]
