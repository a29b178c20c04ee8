"""What users of the library call: tables, solving, games.

Everything here is offered by ``import ur_solver``, which imports it when it is asked for.
"""
