# What a game for money is played for, and its positions one at a time.

from libc.stdint cimport int64_t

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.kernel._turns cimport Turns

cdef extern from "levels.h" nogil:
    enum:
        UR_MAX_LANES
        UR_CUT_LANES
    const double UR_PREFERRED
    ctypedef struct Levels:
        int reach
        int lanes
        double fine
        double* pots
        double* slope
        double* cost


cdef class LevelTurns(Turns):
    cdef Levels levels

    cdef const double* _row(self, Inputs values, int64_t position) noexcept nogil
    cdef double _worth(self, const double* row, bint pays, int lane) noexcept nogil
