"""Solving a rule set into a table: a request, the plan made of it, and its run.

A `request.Request` says what is wanted and is validated once. `plan.plan_of` looks at what is there
and what the machine has, and touches nothing. `execution.run` carries a plan out and reports events
as it goes. `costs` estimates memory, disk and time.
"""
