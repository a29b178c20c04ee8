"""The first layer of a network, from encoded states without their features.

A feature is 0 or 1, and what a square holds decides its features: so what they add to the layer is
kept by content. Most squares are empty, which adds nothing.
"""

from libc.stdint cimport int32_t, uint16_t, uint32_t

ctypedef fused Number:
    uint16_t
    uint32_t


def first_layer(
    const Number[:, ::1] rows,
    const int32_t[::1] first,
    const int32_t[:, ::1] parts,
    int full,
    const float[:, ::1] added,
    const float[::1] biases,
    float[:, ::1] found,
):
    """The sums of the first layer.

    Parameters
    ----------
    rows : uint16 or uint32, shape (states, state width)
        Sound states: nothing is checked.
    first : int32, shape (columns + 2,)
        Of each column of the rows, and of mine and theirs borne off, which row of `added` has the
        number 0.
    parts : int32, shape (rows of `added`, 2)
        What a number takes of my stock and of theirs.
    full : int
        The stock of all pieces.
    added : float32, shape (numbers of all columns, outputs)
        What each adds; nothing where it is 0.
    biases : float32, shape (outputs,)
    found : float32, shape (states, outputs)
        Out.
    """
    cdef Py_ssize_t k, i, n = biases.shape[0]
    cdef int column, columns = first.shape[0] - 2, number
    cdef int32_t mine, theirs
    cdef float* out
    with nogil:
        for k in range(rows.shape[0]):
            out = &found[k, 0]
            for i in range(n):
                out[i] = biases[i]
            mine = theirs = full
            for column in range(columns):
                if rows[k, column] == 0:
                    continue
                number = first[column] + rows[k, column]
                mine -= parts[number, 0]
                theirs -= parts[number, 1]
                add(out, &added[number, 0], n)
            if mine > 0:
                add(out, &added[first[columns] + mine, 0], n)
            if theirs > 0:
                add(out, &added[first[columns + 1] + theirs, 0], n)


cdef inline void add(float* out, const float* more, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] += more[i]
