"""`python -m ur_solver` is `ur`."""

from ur_solver.cli import main

if __name__ == "__main__":
    main()
