/* The instruction sets that sweeps are compiled for. The build (setup.py) compiles some C files once for
   each of them and each sort of numbers, with

     UR_VECTOR_BYTES   how long vectors are
                       8    none: one double at a time
                       16   what every processor of the architecture has: SSE2, or NEON on 64-bit ARM
                       32   AVX2 with FMA
                       64   AVX-512
     UR_FLOATS         1 for floats in memory, 0 for doubles
     UR_FLOAT_SUMS     1 for arithmetic with floats, 0 with doubles

   Such a file includes this one before any other, and leaves itself empty but for UR_HAS_SET. UR_NAMED(name)
   is the name with those of the numbers and of the set: what a file hands out is named so. */

#ifndef UR_INSTRUCTION_SETS_H
#define UR_INSTRUCTION_SETS_H

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define UR_HAS_AVX2 1
#ifndef UR_WITHOUT_AVX512
#define UR_HAS_AVX512 1
#endif
#endif

#if defined(__x86_64__)
#define UR_BASE_NAME "sse2"
#elif defined(__aarch64__)
#define UR_BASE_NAME "neon"
#else
#define UR_BASE_NAME "plain"
#endif

#ifdef UR_VECTOR_BYTES
#if UR_VECTOR_BYTES == 64
#define UR_SET avx512
#define UR_HAS_SET UR_HAS_AVX512
#if UR_HAS_AVX512
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma")
#endif
#elif UR_VECTOR_BYTES == 32
#define UR_SET avx2
#define UR_HAS_SET UR_HAS_AVX2
#if UR_HAS_AVX2
#pragma GCC target("avx2,fma")
#endif
#else
#define UR_HAS_SET 1
#if UR_VECTOR_BYTES == 16
#define UR_SET base
#else
#define UR_SET scalar
#endif
#endif
#if UR_FLOAT_SUMS
#define UR_NUMBERS single
#elif UR_FLOATS
#define UR_NUMBERS mixed
#else
#define UR_NUMBERS double
#endif
#define UR_PASTE(name, numbers, set) name##_##numbers##_##set
#define UR_PASTED(name, numbers, set) UR_PASTE(name, numbers, set)
#define UR_NAMED(name) UR_PASTED(name, UR_NUMBERS, UR_SET)
#endif

/* Constants are for the compiler to work with. Where the build looks for faults (UR_DEBUG), one body serves all
   constants: inlined, a file takes up to half a minute to compile with sanitizers. */
#ifdef UR_ONE_BODY
#define UR_INLINE static __attribute__((noinline, unused))
#else
#define UR_INLINE static inline __attribute__((always_inline))
#endif

#if UR_HAS_AVX512
#define UR_IF_AVX512(...) __VA_ARGS__
#else
#define UR_IF_AVX512(...)
#endif
#if UR_HAS_AVX2
#define UR_IF_AVX2(...) __VA_ARGS__
#else
#define UR_IF_AVX2(...)
#endif

/* Declares what files compiled for each set hand out under a name, and lists it as `instruction_sets`
   are; the widest vectors, of AVX-512 or as it has AVX2's too, are named apart. */
#define UR_DECLARE_SETS(type, name)                                                            \
    extern const type name##_base UR_IF_AVX2(, name##_avx2) UR_IF_AVX512(, name##_avx512)
#define UR_LIST_SETS(name, widest)                                                             \
    {UR_IF_AVX512(&name##_##widest, ) UR_IF_AVX2(&name##_avx2, ) &name##_base}

/* Whether this processor runs a set. */

static inline int runs_base(void)
{
    return 1;
}

#if UR_HAS_AVX2
static inline int runs_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

#if UR_HAS_AVX512
static inline int runs_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

/* The fastest first. */
typedef struct {
    const char *name;
    int (*runs)(void);
} InstructionSet;
static const InstructionSet instruction_sets[] = {
    UR_IF_AVX512({"avx512", runs_avx512}, ) UR_IF_AVX2({"avx2", runs_avx2}, )
    {UR_BASE_NAME, runs_base},
};
enum { UR_SETS = sizeof(instruction_sets) / sizeof(instruction_sets[0]) };

/* The number of the best set that the processor runs, or of the one of a name; -1 if it does not. */
static inline int find_set(const char *name)
{
    for (int k = 0; k < UR_SETS; k++)
        if ((name == NULL || strcmp(instruction_sets[k].name, name) == 0) &&
            instruction_sets[k].runs())
            return k;
    return -1;
}

#endif
