"""Studies of rule sets: policies against each other, and statistics of many games."""

from ur_solver.players.policies import Policy, policy_of
from ur_solver.study.estimates import IntervalEstimate
from ur_solver.study.evaluate import Evaluation, evaluate
from ur_solver.study.study import study

__all__ = ["Evaluation", "IntervalEstimate", "Policy", "evaluate", "policy_of", "study"]
