/* The instruction sets that this build has. */

#include "instruction_sets.h"

#include <string.h>

static int runs_base(void)
{
    return 1;
}

UR_IF_AVX2(static int runs_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
})

UR_IF_AVX512(static int runs_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
})

const InstructionSet instruction_sets[] = {
    UR_IF_AVX512({"avx512", runs_avx512}, ) UR_IF_AVX2({"avx2", runs_avx2}, )
    {UR_BASE_NAME, runs_base},
};
const int n_instruction_sets = sizeof(instruction_sets) / sizeof(instruction_sets[0]);

int find_set(const char *name)
{
    for (int k = 0; k < n_instruction_sets; k++)
        if ((name == NULL || strcmp(instruction_sets[k].name, name) == 0) &&
            instruction_sets[k].runs())
            return k;
    return -1;
}
