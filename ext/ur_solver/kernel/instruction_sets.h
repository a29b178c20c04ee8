/* The instruction sets that sweeps are compiled for. A C file is compiled for one of them: it defines
   UR_VECTOR_BYTES, how long its vectors are, and includes this file before any other.

     8    none: one double at a time
     16   what every processor of the architecture has: SSE2, or NEON on 64-bit ARM
     32   AVX2 with FMA
     64   AVX-512

   UR_NAMED(name) is the name with that of the set: what a file hands out is named so. */

#ifndef UR_INSTRUCTION_SETS_H
#define UR_INSTRUCTION_SETS_H

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
#if UR_HAS_AVX512
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma")
#endif
#elif UR_VECTOR_BYTES == 32
#define UR_SET avx2
#if UR_HAS_AVX2
#pragma GCC target("avx2,fma")
#endif
#elif UR_VECTOR_BYTES == 16
#define UR_SET base
#else
#define UR_SET scalar
#endif
#define UR_PASTE(name, set) name##_##set
#define UR_PASTED(name, set) UR_PASTE(name, set)
#define UR_NAMED(name) UR_PASTED(name, UR_SET)
#endif

#define UR_INLINE static inline __attribute__((always_inline))

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

#endif
