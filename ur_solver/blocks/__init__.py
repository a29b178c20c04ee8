"""Files of finished blocks: a solve keeps them, resumes from them, and may leave them as its table.

`ur_solver.blocks.block_files` specifies them. No kernel is needed to read them.
"""
