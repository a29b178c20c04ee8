from typing import final

from ur_solver.kernel._turns import Turns

@final
class RowRules:
    turns: Turns
    def __init__(self, turns: Turns, is_numbered: bool, blur: float) -> None: ...
