# The instruction sets that this build has: instruction_sets.h.

cdef extern from "instruction_sets.h" nogil:
    ctypedef struct InstructionSet:
        const char* name
        int (*runs)() noexcept nogil
    const InstructionSet* instruction_sets
    int n_instruction_sets
    int find_set(const char* name)
