"""The options of many turns compared: the best of each, one that is drawn, all by worth."""

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


def best_first(
    const double[::1] worth,
    const int64_t[::1] starts,
    int64_t[::1] order,
    double[::1] loss,
):
    """Sort the options of each turn by worth, the best first; equal ones stay in their order.

    Parameters
    ----------
    worth : float64, shape (options,)
    starts : int64, shape (turns + 1,)
    order : int64, shape (options,), OUT
        The options, those of each turn where they were.
    loss : float64, shape (options,), OUT
        In that order: the worth of the turn's best option, less that of the option.
    """
    cdef Py_ssize_t k
    cdef int64_t i, j
    with nogil:
        for k in range(starts.shape[0] - 1):
            for i in range(starts[k], starts[k + 1]):
                j = i
                while j > starts[k] and worth[order[j - 1]] < worth[i]:
                    order[j] = order[j - 1]
                    j -= 1
                order[j] = i
            for i in range(starts[k], starts[k + 1]):
                loss[i] = worth[order[starts[k]]] - worth[order[i]]
