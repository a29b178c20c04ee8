/* The instruction sets that sweeps are compiled for. The build (setup.py) compiles some C files once for
   each set that it wants and each sort of numbers, with

     UR_VECTOR_BYTES   how long vectors are
                       8    none: one double at a time
                       16   what every processor of the architecture has: SSE2, or NEON on 64-bit ARM
                       32   AVX2 with FMA
                       64   AVX-512
     UR_FLOATS         1 for floats in memory, 0 for doubles
     UR_FLOAT_SUMS     1 for arithmetic with floats, 0 with doubles

   Such a file includes this one before any other, leaves itself empty but for UR_HAS_SET, and ends with
   UR_END_SET. UR_NAMED(name) is the name with those of the numbers and of the set: what a file hands out
   is named so.

   Files that list the sets (instruction_sets.c and UR_LIST_SETS) are compiled with UR_WITHOUT_AVX2 or
   UR_WITHOUT_AVX512 where the build leaves a set out. */

#ifndef UR_INSTRUCTION_SETS_H
#define UR_INSTRUCTION_SETS_H

#if defined(__x86_64__)
#define UR_HAS_AVX2 1
#define UR_HAS_AVX512 1
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
#define UR_TARGET "avx512f,avx512dq,avx512vl,avx2,fma"
#elif UR_VECTOR_BYTES == 32
#define UR_SET avx2
#define UR_HAS_SET UR_HAS_AVX2
#define UR_TARGET "avx2,fma"
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

/* Intrinsics; those of AVX take as long to read as half a file takes to compile. The functions that follow
   are for the set: gcc and clang say it in other words. */
#define UR_PRAGMA(words) _Pragma(#words)
#define UR_END_SET
#if UR_HAS_SET && defined(UR_TARGET)
#if defined(__clang__)
#include <immintrin.h>
#define UR_BEGIN_SET(target_) \
    UR_PRAGMA(clang attribute push(__attribute__((target(target_))), apply_to = function))
#undef UR_END_SET
#define UR_END_SET UR_PRAGMA(clang attribute pop)
UR_BEGIN_SET(UR_TARGET)
#else
#define UR_BEGIN_SET(target_) UR_PRAGMA(GCC target(target_))
UR_BEGIN_SET(UR_TARGET)
#include <immintrin.h>
#endif
#elif defined(__x86_64__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif
#endif

/* Constants are for the compiler to work with. Where the build looks for faults (UR_DEBUG), one body serves all
   constants: inlined, a file takes up to half a minute to compile with sanitizers. */
#ifdef UR_ONE_BODY
#define UR_INLINE static __attribute__((noinline, unused))
#else
#define UR_INLINE static inline __attribute__((always_inline))
#endif

#if UR_HAS_AVX512 && !UR_WITHOUT_AVX512
#define UR_IF_AVX512(...) __VA_ARGS__
#else
#define UR_IF_AVX512(...)
#endif
#if UR_HAS_AVX2 && !UR_WITHOUT_AVX2
#define UR_IF_AVX2(...) __VA_ARGS__
#else
#define UR_IF_AVX2(...)
#endif

/* Declares what files compiled for each set hand out under a name, and lists it as `instruction_sets`
   are; the widest vectors, of AVX-512 or as it has AVX2's too, are named apart. */
#define UR_DECLARE_SETS(type, name) extern const type name##_base, name##_avx2, name##_avx512
#define UR_LIST_SETS(name, widest)                                                             \
    {UR_IF_AVX512(&name##_##widest, ) UR_IF_AVX2(&name##_avx2, ) &name##_base}

/* The sets, the fastest first: their names, and whether this processor runs them. */
typedef struct {
    const char *name;
    int (*runs)(void);
} InstructionSet;
enum { UR_MOST_SETS = 3 };
extern const InstructionSet instruction_sets[];
extern const int n_instruction_sets;

/* The number of the best set that the processor runs, or of the one of a name; -1 if it does not. */
int find_set(const char *name);

#endif
