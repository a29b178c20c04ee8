"""Answers from values: a table is found, a position looked up, its moves and throws follow.

Its modules are imported one by one, as most commands need only some: `locate` finds and opens
tables, `inventory` lists them, `positions` reads positions as callers give them, `lookup` gives
their values, `query` what follows from values (`values` says what gives them), `reach` solves what
a position leads to, `verify` recomputes a table's claims.
"""
