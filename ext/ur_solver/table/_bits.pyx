"""Bits of numbers regrouped as the Bitshuffle filter does it, and HDF5's Fletcher-32.

Of a block of n numbers with s bytes each, n a multiple of 8, Bitshuffle stores 8 s rows of
n / 8 bytes. Row 8 j + k has the k-th lowest bit of every number's byte j; the first number's is the
lowest bit of the row's first byte. What numbers have in common, such as their exponents, becomes
rows of equal bytes.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t


cdef inline uint64_t transposed(uint64_t x) noexcept nogil:
    # A matrix of 8 x 8 bits, a row a byte; Hacker's Delight, 7-3. Its own inverse.
    cdef uint64_t t
    t = (x ^ (x >> 7)) & <uint64_t>0x00AA00AA00AA00AA
    x = x ^ t ^ (t << 7)
    t = (x ^ (x >> 14)) & <uint64_t>0x0000CCCC0000CCCC
    x = x ^ t ^ (t << 14)
    t = (x ^ (x >> 28)) & <uint64_t>0x00000000F0F0F0F0
    return x ^ t ^ (t << 28)


cdef void regroup(
    const uint8_t* source, uint8_t* target, Py_ssize_t n, Py_ssize_t itemsize, bint is_rows
) noexcept nogil:
    # A block of numbers as rows of bits, or with `is_rows` the rows as numbers.
    cdef Py_ssize_t width = n // 8, group, j, m
    cdef Py_ssize_t step = width if is_rows else itemsize, written = itemsize if is_rows else width
    cdef Py_ssize_t number, row, first, place
    cdef uint64_t x
    for group in range(width):
        for j in range(itemsize):
            number = 8 * group * itemsize + j
            row = 8 * j * width + group
            first = row if is_rows else number
            place = number if is_rows else row
            x = 0
            for m in range(8):
                x |= <uint64_t>source[first + m * step] << (8 * m)
            x = transposed(x)
            for m in range(8):
                target[place + m * written] = <uint8_t>(x >> (8 * m))


cdef void regroup_blocks(
    const uint8_t[::1] source, uint8_t[::1] target, Py_ssize_t itemsize, Py_ssize_t block,
    bint is_rows
):
    cdef Py_ssize_t n = source.shape[0] // itemsize, at = 0
    with nogil:
        while at < n:
            regroup(
                &source[at * itemsize], &target[at * itemsize], min(block, n - at), itemsize,
                is_rows)
            at += block


def shuffle(const uint8_t[::1] numbers, uint8_t[::1] rows, Py_ssize_t itemsize, Py_ssize_t block):
    """Regroup the bits of numbers, block by block; the last block may be smaller.

    Parameters
    ----------
    numbers : uint8, shape (n itemsize,), n a multiple of 8
        In: the numbers' bytes, the lowest first.
    rows : uint8, shape of `numbers`
        Out.
    itemsize : int
        Bytes of a number.
    block : int
        Numbers in a block, a multiple of 8.
    """
    regroup_blocks(numbers, rows, itemsize, block, False)


def restore(const uint8_t[::1] rows, uint8_t[::1] numbers, Py_ssize_t itemsize, Py_ssize_t block):
    """The inverse of `shuffle`: in `rows`, out `numbers`."""
    regroup_blocks(rows, numbers, itemsize, block, True)


def fletcher32(const uint8_t[::1] content):
    """The checksum that HDF5's Fletcher-32 filter stores after `content`, as an int."""
    cdef Py_ssize_t size = content.shape[0], at
    cdef uint64_t low = 0, high = 0
    with nogil:
        for at in range(0, size - 1, 2):
            low += (<uint32_t>content[at] << 8) | content[at + 1]
            high += low
            if at % 512 == 510:  # the sums are kept small
                low %= 65535
                high %= 65535
        if size % 2:
            low += <uint32_t>content[size - 1] << 8
            high += low
    # HDF5 folds its sums, so that one that is 0 modulo 65535 is 65535 unless nothing was added
    if size:
        low, high = low % 65535 or 65535, high % 65535 or 65535
    return <uint32_t>(high << 16 | low)
