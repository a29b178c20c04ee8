"""`python -m ur_solver` is `ur`."""

from ur_solver.cli import main

main()
