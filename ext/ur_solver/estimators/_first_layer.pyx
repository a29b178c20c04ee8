"""The first layer of a network, from encoded states, by what is there and not by what is not.

A feature is 0 or 1. What a square holds, what a side has borne off, and what two squares near each
other have on top, are *facts*, each with features of its own. Most squares are empty, which is no
fact: nothing is multiplied by zeros.
"""

from libc.stdint cimport int32_t, uint16_t, uint32_t
from libc.stdlib cimport free, malloc

cdef extern from *:
    """
    /* Sums of 32 outputs stay in registers while facts are added, each in the same order. */
    typedef float Lane __attribute__((vector_size(16), aligned(4), may_alias));
    enum { LANES = 8, BLOCK = 4 * LANES };

    static inline void sum_rows(float* out, const float* biases, const float* added,
                                const int32_t* facts, Py_ssize_t n_facts, Py_ssize_t n) {
        Py_ssize_t first = 0;
        for (; first + BLOCK <= n; first += BLOCK) {
            const float* at = biases + first;
            Lane sums[LANES];
            for (int k = 0; k < LANES; k++) sums[k] = *(const Lane*)(at + 4 * k);
            for (Py_ssize_t i = 0; i < n_facts; i++) {
                at = added + facts[i] * n + first;
                for (int k = 0; k < LANES; k++) sums[k] += *(const Lane*)(at + 4 * k);
            }
            for (int k = 0; k < LANES; k++) *(Lane*)(out + first + 4 * k) = sums[k];
        }
        for (; first < n; first++) {
            float sum = biases[first];
            for (Py_ssize_t i = 0; i < n_facts; i++) sum += added[facts[i] * n + first];
            out[first] = sum;
        }
    }

    static inline void add(float* out, const float* more, Py_ssize_t n) {
        Py_ssize_t i = 0;
        for (; i + 4 <= n; i += 4) *(Lane*)(out + i) += *(const Lane*)(more + i);
        for (; i < n; i++) out[i] += more[i];
    }
    """
    void add(float* out, const float* more, Py_ssize_t n) noexcept nogil
    void sum_rows(
        float* out, const float* biases, const float* added, const int32_t* facts,
        Py_ssize_t n_facts, Py_ssize_t n,
    ) noexcept nogil


ctypedef fused Number:
    uint16_t
    uint32_t


cdef class Facts:
    """The facts of states, and the features of facts; thread safe.

    Facts are numbered: of each column of a row, and of mine and theirs borne off, the numbers that
    it can be; then pairs of squares.

    Parameters
    ----------
    first : int32, shape (columns + 2,)
        Of each column of the rows, and of mine and theirs borne off, the fact of the number 0.
    parts : int32, shape (facts without pairs, 2)
        What a number takes of my stock and of theirs.
    full : int
        The stock of all pieces.
    kinds : int32, shape (facts without pairs,)
        What kind of piece is on top, from 0, where squares have pairs.
    pairs : int32, shape (squares, squares)
        Of an earlier and a later square the fact that both have a kind 0 on top; -1 if they have
        no facts in common. Of no squares if there are no pairs.
    n_kinds : int32, shape (squares,)
        How many kinds a square can have: the later square's kinds have consecutive facts.
    starts : int32, shape (facts + 1,)
        Where the features of each fact begin in `features`, and where the last one's end.
    features : int32
        The features of all facts, one after the other.
    """

    cdef const int32_t[::1] first, kinds, n_kinds, starts, features
    cdef const int32_t[:, ::1] parts, pairs
    cdef int full
    cdef Py_ssize_t most
    cdef readonly Py_ssize_t most_features

    def __init__(self, first, parts, int full, kinds, pairs, n_kinds, starts, features):
        cdef Py_ssize_t i, j, end, columns = first.shape[0]
        cdef int32_t largest
        self.first, self.parts, self.full, self.kinds = first, parts, full, kinds
        self.pairs, self.n_kinds, self.starts, self.features = pairs, n_kinds, starts, features
        self.most_features = 0
        for i in range(pairs.shape[0]):
            for j in range(i + 1, pairs.shape[0]):
                self.most_features += pairs[i, j] >= 0
        self.most = columns + self.most_features
        for i in range(columns):
            end = first[i + 1] if i + 1 < columns else parts.shape[0]
            largest = 0
            for j in range(first[i], end):
                largest = max(largest, starts[j + 1] - starts[j])
            self.most_features += largest

    cdef Py_ssize_t of(self, const Number* row, int32_t* squares, int32_t* facts) noexcept nogil:
        """The facts of a state, and how many; `squares` is room for those that hold pieces."""
        cdef Py_ssize_t n = 0, held = 0, i, j
        cdef int columns = self.first.shape[0] - 2, column
        cdef int32_t mine = self.full, theirs = self.full, number, pair
        cdef int n_squares = self.pairs.shape[0]
        for column in range(columns):
            if row[column] == 0:
                continue
            number = self.first[column] + row[column]
            mine -= self.parts[number, 0]
            theirs -= self.parts[number, 1]
            facts[n] = number
            n += 1
            if column < n_squares:
                squares[held] = column
                held += 1
        if mine > 0:
            facts[n] = self.first[columns] + mine
            n += 1
        if theirs > 0:
            facts[n] = self.first[columns + 1] + theirs
            n += 1
        # the squares' facts come first, in their order
        for i in range(held):
            for j in range(i + 1, held):
                pair = self.pairs[squares[i], squares[j]]
                if pair >= 0:
                    facts[n] = (
                        pair
                        + self.kinds[facts[i]] * self.n_kinds[squares[j]]
                        + self.kinds[facts[j]]
                    )
                    n += 1
        return n

    def first_layer(
        self,
        const Number[:, ::1] rows,
        const float[:, ::1] added,
        const float[::1] biases,
        float[:, ::1] found,
    ):
        """The sums of the first layer.

        Parameters
        ----------
        rows : uint16 or uint32, shape (states, state width)
            Sound states: nothing is checked.
        added : float32, shape (facts, outputs)
            What each fact adds.
        biases : float32, shape (outputs,)
        found : float32, shape (states, outputs)
            Out.
        """
        cdef Py_ssize_t k, m, n = biases.shape[0]
        cdef int32_t* facts = <int32_t*> malloc(2 * self.most * sizeof(int32_t))
        if not facts:
            raise MemoryError
        with nogil:
            for k in range(rows.shape[0]):
                m = self.of(&rows[k, 0], facts + self.most, facts)
                sum_rows(&found[k, 0], &biases[0], &added[0, 0], facts, m, n)
            free(facts)

    def active(self, const Number[:, ::1] rows, int32_t[::1] ends, int32_t[::1] found):
        """The features that are 1 of states.

        Parameters
        ----------
        rows
            As above.
        ends : int32, shape (states,)
            Out: where each state's features end in `found`.
        found : int32, shape (states * most_features,)
            Out.
        """
        cdef Py_ssize_t k, i, m, end = 0
        cdef int32_t each
        cdef int32_t* facts = <int32_t*> malloc(2 * self.most * sizeof(int32_t))
        if not facts:
            raise MemoryError
        with nogil:
            for k in range(rows.shape[0]):
                m = self.of(&rows[k, 0], facts + self.most, facts)
                for i in range(m):
                    for each in range(self.starts[facts[i]], self.starts[facts[i] + 1]):
                        found[end] = self.features[each]
                        end += 1
                ends[k] = end
            free(facts)


def gather(
    const int32_t[::1] ends, const int32_t[::1] active, const float[:, ::1] matrix,
    float[:, ::1] found,
):
    """Add to each row of `found` the rows of a matrix that are active there, as `Facts.active`."""
    cdef Py_ssize_t k, at = 0, n = matrix.shape[1]
    with nogil:
        for k in range(ends.shape[0]):
            while at < ends[k]:
                add(&found[k, 0], &matrix[active[at], 0], n)
                at += 1


def scatter(
    const int32_t[::1] ends, const int32_t[::1] active, const float[:, ::1] change,
    float[:, ::1] found,
):
    """Add each row of `change` to the rows of `found` that are active there: the gradient."""
    cdef Py_ssize_t k, at = 0, n = change.shape[1]
    with nogil:
        for k in range(ends.shape[0]):
            while at < ends[k]:
                add(&found[active[at], 0], &change[k, 0], n)
                at += 1
