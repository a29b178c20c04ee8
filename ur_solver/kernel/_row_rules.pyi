from ur_solver.kernel._turns import Turns

class RowRules:
    turns: Turns
    def __init__(self, turns: Turns, is_numbered: bool, blur: float) -> None: ...
