"""Answers from values: a table is found, a position looked up, its moves and throws follow.

Its modules are imported one by one, as most commands need only some.
"""
