"""Memory for one block at a time, kept for the next: fresh pages are cleared when touched."""

from libc.stdint cimport int64_t, uint64_t

cdef extern from "memory.h" nogil:
    void* grow_large(void* memory, int64_t old_size, int64_t size)
    void free_large(void* memory, int64_t size)


cdef extern from "tiles.h" nogil:
    enum:
        LANES
        LINE


cdef extern from *:
    """
    #ifdef _OPENMP
    #define UR_HAS_OPENMP 1
    #else
    #define UR_HAS_OPENMP 0
    #endif
    """
    enum:
        UR_HAS_OPENMP

# Whether threads share a block: without OpenMP one thread does all of it.
HAS_OPENMP = bool(UR_HAS_OPENMP)


cdef class Region:
    """Memory that grows and is reused: fresh pages cost more than a sweep over them."""

    def __cinit__(self):
        self.memory = NULL
        self.size = 0

    def __dealloc__(self):
        free_large(self.memory, self.size)

    cdef void* take(self, int64_t size) except NULL:
        # At least `size` bytes; the contents are lost.
        if size > self.size or self.memory == NULL:
            self.memory = grow_large(self.memory, self.size, size)
            self.size = size if self.memory else 0
            if self.memory == NULL:
                raise MemoryError(f"no memory for a workspace of {size} bytes")
        return self.memory

    cdef double* vectors(self, int64_t count) except NULL:
        # `count` vectors, from the beginning of a cache line on.
        cdef uint64_t first = <uint64_t>self.take(count * LANES * sizeof(double) + LINE)
        return <double*>((first + LINE - 1) // LINE * LINE)


cdef class Workspace:
    """The memory that one block at a time is laid out in."""

    def __init__(self):
        self.release()

    cpdef release(self):
        """Free all memory; the block in it must be finished."""
        self.tiles, self.moves, self.slots = Region(), Region(), Region()
        self.pass_bits, self.buffer, self.memory = Region(), Region(), Region()
        self.kept_tiles, self.kept_moves, self.kept_slots = Region(), Region(), Region()
        self.frames = Region()
