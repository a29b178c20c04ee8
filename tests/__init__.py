import os

# Before NumPy is loaded, also by the processes that tests start. Matrices are small here: a second
# thread of BLAS would but wait, at the cost of a processor. `ur` does the same.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
