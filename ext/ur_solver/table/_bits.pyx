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


cdef void shuffle_block(
    const uint8_t* numbers, uint8_t* rows, Py_ssize_t n, Py_ssize_t itemsize
) noexcept nogil:
    cdef Py_ssize_t width = n // 8, group, j, m
    cdef const uint8_t* source
    cdef uint8_t* target
    cdef uint64_t x
    for group in range(width):
        for j in range(itemsize):
            source = numbers + 8 * group * itemsize + j
            target = rows + 8 * j * width + group
            x = 0
            for m in range(8):
                x |= <uint64_t>source[m * itemsize] << (8 * m)
            x = transposed(x)
            for m in range(8):
                target[m * width] = <uint8_t>(x >> (8 * m))


cdef void restore_block(
    const uint8_t* rows, uint8_t* numbers, Py_ssize_t n, Py_ssize_t itemsize
) noexcept nogil:
    cdef Py_ssize_t width = n // 8, group, j, m
    cdef const uint8_t* source
    cdef uint8_t* target
    cdef uint64_t x
    for group in range(width):
        for j in range(itemsize):
            source = rows + 8 * j * width + group
            target = numbers + 8 * group * itemsize + j
            x = 0
            for m in range(8):
                x |= <uint64_t>source[m * width] << (8 * m)
            x = transposed(x)
            for m in range(8):
                target[m * itemsize] = <uint8_t>(x >> (8 * m))


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
    cdef Py_ssize_t n = numbers.shape[0] // itemsize, at = 0
    with nogil:
        while at < n:
            shuffle_block(
                &numbers[at * itemsize], &rows[at * itemsize], min(block, n - at), itemsize)
            at += block


def restore(const uint8_t[::1] rows, uint8_t[::1] numbers, Py_ssize_t itemsize, Py_ssize_t block):
    """The inverse of `shuffle`: in `rows`, out `numbers`."""
    cdef Py_ssize_t n = numbers.shape[0] // itemsize, at = 0
    with nogil:
        while at < n:
            restore_block(
                &rows[at * itemsize], &numbers[at * itemsize], min(block, n - at), itemsize)
            at += block


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
