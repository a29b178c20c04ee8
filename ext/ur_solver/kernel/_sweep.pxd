# The compiled sweeps: sweep.h.

from libc.stdint cimport int32_t, int64_t

from ur_solver.kernel._program cimport Program


cdef extern from "sweep.h" nogil:
    enum:
        MAX_SWEEPERS
        UR_DOUBLE
        UR_SINGLE
        UR_MIXED
    ctypedef struct Sweeps:
        double (*sweep)(
            const Program*, void*, const int32_t*, const int64_t*, int64_t, int, int
        ) noexcept nogil
        void (*remember)(const Program*, const void*, void*, int64_t, int) noexcept nogil
        void (*extrapolate)(
            const Program*, void*, const void*, int64_t, double, int
        ) noexcept nogil
        void (*eliminate)(
            const Program*, const void*, const int32_t*, int64_t, double, const Program*, int
        ) noexcept nogil
        double (*residual)(const Program*, const void*, int64_t, int) noexcept nogil
        void (*write_g)(const Program*, void*, int64_t, int) noexcept nogil
        void (*narrow)(
            const Program*, const Program*, void*, const int32_t*, const int64_t*, int64_t, int,
            int
        ) noexcept nogil
        void (*widen)(void*, void*, int64_t, double) noexcept nogil
        void (*write_g_of_bounds)(const Program*, const Program*, void*, int64_t) noexcept nogil
    ctypedef struct Sweeper:
        const char* name
        const Sweeps* sweeps[3]
    int find_sweepers(const Sweeper**)
    void to_single(const double*, float*, int64_t, int)
    void to_double(const float*, double*, int64_t, int)
