"""The compiled kernels that update values, behind one interface: `kernels.kernel_of` gives it."""

import os

# Threads that share a block meet at a barrier at the end of each sweep. By default OpenMP lets
# them spin there for milliseconds, which on a busy machine delays the thread that they wait for:
# measured, a block of 0.1 s then took 3.9 s. The library reads this when it is loaded.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")
