"""Sweeps over the turns of one rule set, written out: the equations of two policies.

`ur_solver.study.exact_play` writes them out and says what they mean.
"""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t


def sweep_means(
    const int64_t[::1] ranks,
    const int64_t[::1] starts,
    const int64_t[::1] reached,
    const double[::1] weights,
    const double[::1] added,
    double[::1] own,
    const double[::1] other,
):
    """Update the means of one side under its policy in place; the largest relative change.

    They are of light's result, or of what is counted until the end of the game.

    Parameters
    ----------
    ranks : int64, shape (states,)
        Updated from the last to the first.
    starts : int64, shape (states + 1,)
        The options of state k are `starts[k]` to `starts[k + 1]`.
    reached : int64, shape (options,)
        Their ranks, complemented where the other side throws there.
    weights : float64, shape (options,)
        The chances that they come up and are taken.
    added : float64
        By rank, what the state adds to the mean of those that it leads to.
    own, other : float64
        By rank: the mean where this side throws, and where the other does. Behind the last one
        that after this side has won, and after the other.
    """
    cdef Py_ssize_t k
    cdef int64_t i, rank
    cdef double value, delta = 0.0
    with nogil:
        for k in range(ranks.shape[0] - 1, -1, -1):
            value = added[ranks[k]]
            for i in range(starts[k], starts[k + 1]):
                if weights[i] == 0.0:
                    continue
                rank = reached[i]
                value += weights[i] * (own[rank] if rank >= 0 else other[~rank])
            delta = max(delta, fabs(value - own[ranks[k]]) / (1.0 + fabs(value)))
            own[ranks[k]] = value
    return delta


def sweep_reply(
    const int64_t[::1] ranks,
    const int64_t[::1] option_starts,
    const int64_t[::1] reached,
    const int32_t[::1] choice_starts,
    const double[::1] chances,
    double[::1] own,
    const double[::1] other,
    double sign,
):
    """Update light's chances where a side throws that plays its best, in place; the largest change.

    Parameters
    ----------
    ranks, reached, own, other
        As for `sweep_means`.
    option_starts : int64, shape (states * outcomes + 1,)
        The options by state and outcome.
    choice_starts : int32, shape (choices + 1,)
        The outcomes of choice s are `choice_starts[s]` to `choice_starts[s + 1]`.
    chances : float64, shape (outcomes,)
    sign : float
        1 for light, -1 for dark.
    """
    cdef Py_ssize_t k
    cdef int64_t i, at, rank
    cdef int s, o, n_outcomes = <int>chances.shape[0]
    cdef double value, best, most, delta = 0.0
    with nogil:
        for k in range(ranks.shape[0] - 1, -1, -1):
            most = -2.0
            for s in range(choice_starts.shape[0] - 1):
                value = 0.0
                for o in range(choice_starts[s], choice_starts[s + 1]):
                    at = k * n_outcomes + o
                    best = -2.0
                    for i in range(option_starts[at], option_starts[at + 1]):
                        rank = reached[i]
                        best = max(best, sign * (own[rank] if rank >= 0 else other[~rank]))
                    value += chances[o] * best
                most = max(most, value)
            delta = max(delta, fabs(sign * most - own[ranks[k]]))
            own[ranks[k]] = sign * most
    return delta
