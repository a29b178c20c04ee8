"""Files of finished blocks: a solve keeps them, resumes from them, and may leave them as its table.

`ur_solver.blocks.folder` specifies them. No kernel is needed to read them.
"""
