"""Solving: blocks and their graph, runners, stores and proofs. `solve.solve` solves a space."""
