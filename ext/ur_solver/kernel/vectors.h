/* Vectors of one, two, four and eight numbers, in the compiler's own vector types, for the set of
   UR_VECTOR_BYTES. A file that includes this one has chosen before

     UR_FLOATS       1 for floats in memory, 0 for doubles
     UR_FLOAT_SUMS   1 for arithmetic with floats, 0 with doubles

   vectors_body.h is included once a width, with X(name) for name4 and then for name8. What is longer
   than the set's registers is two of half the width. */

#ifndef UR_VECTORS_H
#define UR_VECTORS_H

#include <stdint.h>

/* REAL: a number in memory. SUM: one in arithmetic; BITS: an integer of its size. */
#if UR_FLOATS
typedef float REAL;
#else
typedef double REAL;
#endif
#if UR_FLOAT_SUMS
typedef float SUM;
typedef int32_t BITS;
#define UR_SUM_BYTES 4
#else
typedef double SUM;
typedef int64_t BITS;
#define UR_SUM_BYTES 8
#endif

/* The intrinsic of an operation for vectors of UR_VECTOR_BYTES bytes. Compilers have no operator for a
   maximum, and by their rules may not make one of a comparison. */
#if defined(__x86_64__) && UR_FLOAT_SUMS
#define UR_OF_16(op) _mm_##op##_ps
#define UR_OF_32(op) _mm256_##op##_ps
#elif defined(__x86_64__)
#define UR_OF_16(op) _mm_##op##_pd
#define UR_OF_32(op) _mm256_##op##_pd
#define UR_OF_64(op) _mm512_##op##_pd
#elif defined(__aarch64__) && UR_FLOAT_SUMS
#define UR_OF_16(op) v##op##q_f32
#elif defined(__aarch64__)
#define UR_OF_16(op) v##op##q_f64
#endif

#define UR_REPEAT_1(x) x
#define UR_REPEAT_2(x) x, x
#define UR_REPEAT_4(x) UR_REPEAT_2(x), UR_REPEAT_2(x)
#define UR_REPEAT_8(x) UR_REPEAT_4(x), UR_REPEAT_4(x)

#if UR_VECTOR_BYTES == 8
#define WIDTH 1
#define X(name) name##1
#define UR_REPEAT UR_REPEAT_1
#define UR_COUNT 0
#include "vectors_body.h"
#endif

#if UR_SUM_BYTES == 8
#define WIDTH 2
#define X(name) name##2
#define HALF(name) name##1
#define UR_REPEAT UR_REPEAT_2
#define UR_COUNT 0, 1
#define UR_SWAPPED 1, 0
#define UR_INTERLEAVED_LOW 0, 2
#define UR_INTERLEAVED_HIGH 1, 3
#include "vectors_body.h"
#endif

#define WIDTH 4
#define X(name) name##4
#define HALF(name) name##2
#define UR_REPEAT UR_REPEAT_4
#define UR_COUNT 0, 1, 2, 3
#define UR_SWAPPED 1, 0, 3, 2
#define UR_SWAPPED_PAIRS 2, 3, 0, 1
#define UR_PAIRS_LOW 0, 1, 4, 5
#define UR_PAIRS_HIGH 2, 3, 6, 7
#if UR_FLOAT_SUMS
#define UR_INTERLEAVED_LOW 0, 4, 1, 5
#define UR_INTERLEAVED_HIGH 2, 6, 3, 7
#define UR_TRANSPOSED 0, 2, 1, 3
#else
#define UR_INTERLEAVED_LOW 0, 4, 2, 6
#define UR_INTERLEAVED_HIGH 1, 5, 3, 7
#endif
#include "vectors_body.h"

#define WIDTH 8
#define X(name) name##8
#define HALF(name) name##4
#define UR_REPEAT UR_REPEAT_8
#define UR_COUNT 0, 1, 2, 3, 4, 5, 6, 7
#define UR_SWAPPED 1, 0, 3, 2, 5, 4, 7, 6
#define UR_SWAPPED_PAIRS 2, 3, 0, 1, 6, 7, 4, 5
#define UR_SWAPPED_FOURS 4, 5, 6, 7, 0, 1, 2, 3
#if UR_FLOAT_SUMS
#define UR_INTERLEAVED_LOW 0, 8, 1, 9, 4, 12, 5, 13
#define UR_INTERLEAVED_HIGH 2, 10, 3, 11, 6, 14, 7, 15
#define UR_PAIRS_LOW 0, 1, 8, 9, 4, 5, 12, 13
#define UR_PAIRS_HIGH 2, 3, 10, 11, 6, 7, 14, 15
#define UR_FOURS_LOW 0, 1, 2, 3, 8, 9, 10, 11
#define UR_FOURS_HIGH 4, 5, 6, 7, 12, 13, 14, 15
#define UR_TRANSPOSED 0, 2, 1, 3, 4, 6, 5, 7
#else
#define UR_INTERLEAVED_LOW 0, 8, 2, 10, 4, 12, 6, 14
#define UR_INTERLEAVED_HIGH 1, 9, 3, 11, 5, 13, 7, 15
#define UR_PAIRS_LOW 0, 1, 4, 5, 8, 9, 12, 13
#define UR_PAIRS_HIGH 2, 3, 6, 7, 10, 11, 14, 15
#define UR_FOURS_LOW UR_PAIRS_LOW
#define UR_FOURS_HIGH UR_PAIRS_HIGH
#endif
#include "vectors_body.h"

/* The width of the set's registers, and the names of that width. */
#define UR_WIDTH (UR_VECTOR_BYTES / UR_SUM_BYTES)
#if UR_WIDTH == 1
#define UR_OWN(name) name##1
#elif UR_WIDTH == 2
#define UR_OWN(name) name##2
#elif UR_WIDTH == 4
#define UR_OWN(name) name##4
#else
#define UR_OWN(name) name##8
#endif

#endif
