"""Encoded states read from the notation and written in it, many at once.

`ur_solver.space.base` builds the tables. Only positions as the notation writes them are
read: texts with other spaces, or with pieces in another order, are left to `parse_position`, which
also says what is wrong with a text. Whether a state is legal, its rank says.
"""

from cpython.unicode cimport PyUnicode_Check, PyUnicode_DecodeASCII
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcmp, memcpy

import numpy as np

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL
    bint PyUnicode_IS_ASCII(object text)

cdef enum:
    MAX_WIDTH = 40
    MAX_DIGITS = 7
    NO_SQUARE = -1            # of the characters of a board: a column without a square,
    NEW_ROW = -2              # and the end of a row

ctypedef fused Number:
    uint16_t
    uint32_t


cdef class StateTexts:
    """The tables of one state space; thread safe.

    Parameters
    ----------
    board : int32 array
        For each character of an empty board its cell, `NO_SQUARE` or `NEW_ROW`.
    first_content : int32 array, shape (cells + 2,)
        Where the texts of each cell's contents begin, then those of stocks at home, then the end.
    texts : list of bytes
        The contents of each cell as the notation writes them, then stocks at home.
    mirror_cell : int32, shape (cells,)
    mirror_content : uint16, shape (contents,)
    most_fines : int
        The most fines in a text; -1 without stakes.
    """

    cdef readonly int n_cells
    cdef int n_board, mask
    cdef int64_t most_fines
    cdef const int32_t[::1] board, first_content, mirror_cell, text_start
    cdef const uint16_t[::1] mirror_content
    cdef const uint8_t[::1] letters
    cdef int32_t[::1] slots      # by hash, a text's number; -1

    def __init__(self, board, first_content, texts, mirror_cell, mirror_content, most_fines):
        cdef int number, cell
        cdef uint32_t at
        self.board, self.first_content = board, first_content
        self.mirror_cell, self.mirror_content = mirror_cell, mirror_content
        self.n_board, self.n_cells = len(board), len(mirror_cell)
        self.most_fines = most_fines
        if self.n_cells + 3 > MAX_WIDTH:
            raise ValueError("a board larger than the compiled limits")
        self.letters = np.frombuffer(b"".join(texts), dtype=np.uint8)
        self.text_start = np.cumsum([0, *map(len, texts)]).astype(np.int32)
        self.mask = (1 << (2 * len(texts)).bit_length()) - 1
        self.slots = np.full(self.mask + 1, -1, dtype=np.int32)
        for cell in range(self.n_cells + 1):
            for number in range(self.first_content[cell], self.first_content[cell + 1]):
                at = self.hash(cell, &self.letters[self.text_start[number]], self.size(number))
                while self.slots[at] >= 0:
                    at = (at + 1) & self.mask
                self.slots[at] = number

    cdef inline int size(self, int number) noexcept nogil:
        return self.text_start[number + 1] - self.text_start[number]

    cdef inline uint32_t hash(self, int cell, const uint8_t* text, int size) noexcept nogil:
        # FNV-1a, of the cell and the text.
        cdef uint32_t found = 2166136261u ^ <uint32_t>cell
        cdef int k
        for k in range(size):
            found = (found * 16777619u) ^ text[k]
        return (found ^ found >> 15) & <uint32_t>self.mask

    cdef inline int find(self, int cell, const uint8_t* text, int size) noexcept nogil:
        # The content of a cell, or the stock at home, that a text stands for; -1 for none.
        cdef uint32_t at = self.hash(cell, text, size)
        cdef int number = self.slots[at]
        while number >= 0:
            if (
                self.first_content[cell] <= number < self.first_content[cell + 1]
                and self.size(number) == size
                and memcmp(&self.letters[self.text_start[number]], text, size) == 0
            ):
                return number - self.first_content[cell]
            at = (at + 1) & <uint32_t>self.mask
            number = self.slots[at]
        return -1

    cdef int read_board(self, const uint8_t* text, int size, uint16_t* row) noexcept nogil:
        # The contents of all squares; the characters that they take, -1 for another text.
        cdef int at = 0, k, cell, end, content
        for k in range(self.n_board):
            if at >= size:
                return -1
            cell = self.board[k]
            if cell < 0:
                if text[at] != (c"_" if cell == NO_SQUARE else c"/"):
                    return -1
                at += 1
                continue
            end = at + 1
            if text[at] == c"(":
                while end < size and text[end] != c")":
                    end += 1
                end += 1
            else:
                while end < size and c"0" <= text[end] <= c"9":
                    end += 1
            if end > size:
                return -1
            content = self.find(cell, text + at, end - at)
            if content < 0:
                return -1
            row[cell] = <uint16_t>content
            at = end
        return at

    cdef int read_word(self, const uint8_t* text, int size, int at, int* start) noexcept nogil:
        # The end of the word after one space at `at`; -1 where there is none.
        if at < 0 or at >= size or text[at] != c" ":
            return -1
        start[0] = at + 1
        at += 1
        while at < size and text[at] != c" ":
            at += 1
        return at if at > start[0] else -1

    cdef bint read_text(
        self, const uint8_t* text, int size, uint16_t* row, uint32_t* fines, uint8_t* is_dark
    ) noexcept nogil:
        # The row as light sees it, and the side to throw; False for another text.
        cdef int start = 0, at, k, home
        at = self.read_word(text, size, self.read_board(text, size, row), &start)
        if at != start + 1 or (text[start] != c"L" and text[start] != c"D"):
            return False
        is_dark[0] = text[start] == c"D"
        for k in range(2):
            at = self.read_word(text, size, at, &start)
            if at < 0:
                return False
            home = self.find(self.n_cells, text + start, at - start)
            if home < 0:
                return False
            row[self.n_cells + k] = <uint16_t>home
        fines[0] = 0
        if self.most_fines < 0:
            return at == size
        at = self.read_word(text, size, at, &start)
        if at != size or text[start] != c"p" or not 2 <= at - start <= MAX_DIGITS + 1:
            return False
        for k in range(start + 1, at):
            if not c"0" <= text[k] <= c"9":
                return False
            fines[0] = 10 * fines[0] + <uint32_t>(text[k] - c"0")
        return fines[0] <= self.most_fines

    cdef void write_mirror(self, const uint16_t* row, uint16_t* other) noexcept nogil:
        # The row as the other side sees it.
        cdef int cell, n = self.n_cells
        for cell in range(n):
            other[self.mirror_cell[cell]] = self.mirror_content[
                self.first_content[cell] + row[cell]]
        other[n] = row[n + 1]
        other[n + 1] = row[n]

    cdef int write_text(
        self, const uint16_t* row, int64_t fines, bint is_dark, uint8_t* text
    ) noexcept nogil:
        # Write the notation of a row as light sees it, unless `text` is NULL; its length.
        cdef int k, cell, at = 0
        for k in range(self.n_board):
            cell = self.board[k]
            if cell >= 0:
                at += self.put(self.first_content[cell] + row[cell], text, at)
                continue
            if text != NULL:
                text[at] = c"_" if cell == NO_SQUARE else c"/"
            at += 1
        if text != NULL:
            text[at], text[at + 1] = c" ", c"D" if is_dark else c"L"
        at += 2
        for k in range(2):
            if text != NULL:
                text[at] = c" "
            at += 1
            at += self.put(
                self.first_content[self.n_cells] + row[self.n_cells + k], text, at)
        return at if self.most_fines < 0 else at + write_fines(
            fines, NULL if text == NULL else text + at)

    cdef inline int put(self, int number, uint8_t* text, int at) noexcept nogil:
        cdef int size = self.size(number)
        if text != NULL:
            if size == 1:
                text[at] = self.letters[self.text_start[number]]
            else:
                memcpy(text + at, &self.letters[self.text_start[number]], size)
        return size


cdef int write_fines(int64_t fines, uint8_t* text) noexcept nogil:
    # " p" and a number; their length.
    cdef int n_digits = 1, k
    cdef int64_t left = fines
    while left > 9:
        left //= 10
        n_digits += 1
    if text != NULL:
        text[0], text[1] = c" ", c"p"
        for k in range(n_digits):
            text[1 + n_digits - k] = <uint8_t>(c"0" + fines % 10)
            fines //= 10
    return 2 + n_digits


cdef inline bint read_row(
    StateTexts tables, const Number* state, uint16_t* row
) noexcept nogil:
    # False where a number is no content of its square, or no stock.
    cdef int k, cell
    for k in range(tables.n_cells + 2):
        cell = min(k, tables.n_cells)
        if state[k] >= <uint32_t>(tables.first_content[cell + 1] - tables.first_content[cell]):
            return False
        row[k] = <uint16_t>state[k]
    return True


def read_texts(
    StateTexts tables,
    object[::1] texts,
    Number[:, ::1] states,
    uint8_t[::1] is_dark,
    uint8_t[::1] is_read,
):
    """Read positions in the notation.

    Parameters
    ----------
    tables : StateTexts
    texts : object, shape (n,)
    states : shape (n, state width), OUT
        Seen from the side about to throw.
    is_dark : uint8, shape (n,), OUT
        Whether that is dark.
    is_read : uint8, shape (n,), OUT
        0 for what is no text, or none that is written as here.
    """
    cdef uint16_t row[MAX_WIDTH]
    cdef uint16_t other[MAX_WIDTH]
    cdef const char* text
    cdef Py_ssize_t k, size = 0
    cdef uint32_t fines
    cdef int cell, n = tables.n_cells
    cdef object one
    for k in range(texts.shape[0]):
        one = texts[k]
        is_read[k] = 0
        if not PyUnicode_Check(one) or not PyUnicode_IS_ASCII(one):
            continue
        text = PyUnicode_AsUTF8AndSize(one, &size)
        if not tables.read_text(<const uint8_t*>text, <int>size, row, &fines, &is_dark[k]):
            continue
        is_read[k] = 1
        if is_dark[k]:
            tables.write_mirror(row, other)
        for cell in range(n + 2):
            states[k, cell] = other[cell] if is_dark[k] else row[cell]
        if tables.most_fines >= 0:
            states[k, n + 2] = <Number>fines


def write_texts(
    StateTexts tables,
    const Number[:, ::1] states,
    const uint8_t[::1] is_dark,
    int64_t[::1] starts,
    uint8_t[::1] letters,
):
    """Write positions in the notation, or measure them.

    Parameters
    ----------
    tables : StateTexts
    states : shape (n, state width)
        Seen from the side about to throw.
    is_dark : uint8, shape (n,)
        Whether that is dark.
    starts : int64, shape (n + 1,)
        Where each text begins. OUT if there are no `letters`: as they follow one another.
    letters : uint8, OUT
        All texts, as ASCII. If it is empty, texts are measured, not written.

    Returns
    -------
    int
        The first row that holds a number which is no content of its square; -1 if none does.
    """
    cdef uint16_t row[MAX_WIDTH]
    cdef uint16_t other[MAX_WIDTH]
    cdef const uint16_t* shown
    cdef Py_ssize_t k, fault = -1
    cdef int size
    cdef bint is_measured = letters.shape[0] == 0
    cdef int64_t fines = 0
    with nogil:
        for k in range(states.shape[0]):
            if not read_row(tables, &states[k, 0], row):
                fault = k
                break
            if tables.most_fines >= 0:
                fines = states[k, tables.n_cells + 2]
            shown = &row[0]
            if is_dark[k]:
                tables.write_mirror(row, other)
                shown = &other[0]
            size = tables.write_text(
                shown, fines, is_dark[k], NULL if is_measured else &letters[starts[k]])
            if is_measured:
                starts[k + 1] = starts[k] + size
    return fault


def as_strings(const uint8_t[::1] letters, const int64_t[::1] starts, object[::1] texts):
    """Write to `texts` each text of `letters` as a str; text k begins at `starts[k]`."""
    cdef Py_ssize_t k
    for k in range(texts.shape[0]):
        texts[k] = PyUnicode_DecodeASCII(
            <const char*>&letters[0] + starts[k], starts[k + 1] - starts[k], NULL)
