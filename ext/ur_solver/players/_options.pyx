"""One option of each of many turns: the best, or one that is drawn."""

from libc.stdint cimport int64_t


def first_best(const double[::1] scores, const int64_t[::1] starts, int64_t[::1] chosen):
    """Write to `chosen` the first option with the highest score of each turn."""
    cdef Py_ssize_t k
    cdef int64_t i, best
    with nogil:
        for k in range(starts.shape[0] - 1):
            best = starts[k]
            for i in range(best + 1, starts[k + 1]):
                if scores[i] > scores[best]:
                    best = i
            chosen[k] = best


def drawn(
    const double[::1] weights,
    const int64_t[::1] starts,
    const double[::1] chances,
    int64_t[::1] chosen,
):
    """Write to `chosen` the option that a number in [0, 1) draws from each turn's weights."""
    cdef Py_ssize_t k
    cdef int64_t i
    cdef double left
    with nogil:
        for k in range(starts.shape[0] - 1):
            left = chances[k]
            chosen[k] = starts[k]
            for i in range(starts[k], starts[k + 1]):
                if weights[i] > 0.0:
                    chosen[k] = i
                    left -= weights[i]
                    if left < 0.0:
                        break
