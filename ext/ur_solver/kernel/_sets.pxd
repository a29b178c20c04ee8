# The instruction sets that sweeps are compiled for: instruction_sets.h.

cdef extern from "instruction_sets.h" nogil:
    enum:
        UR_SETS
    ctypedef struct InstructionSet:
        const char* name
        int (*runs)() noexcept nogil
    const InstructionSet* instruction_sets
    int find_set(const char* name)
