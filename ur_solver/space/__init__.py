"""The state space: ranks, blocks and how a state is encoded."""

from ur_solver.space.space import Block, Half, Space, space_of

__all__ = ["Block", "Half", "Space", "space_of"]
