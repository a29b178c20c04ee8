/* The row kernel in double precision. */

typedef double Real;
#define NO_MOVE UR_NO_MOVE
#define UR_ABS fabs
#define UR_NEXT nextafter
#include "row_pairs.h"
#include "row_policy.h"

/* Plain C: vectors of two, which compilers have on every machine. */
typedef double Two __attribute__((vector_size(16)));
typedef double TwoAnywhere __attribute__((vector_size(16), aligned(8), may_alias));
typedef int64_t TwoMask __attribute__((vector_size(16)));
#define UR_SWEEPS 1
#define UR_CHECKS 1
#define UR_CHOOSES 1
#define UR_SET plain
#define UR_SUM double
#define UR_V Two
#define UR_N 2
#define UR_MASK TwoMask
#define UR_LOAD(at) (*(const TwoAnywhere *)(at))
#define UR_STORE(at, v) (*(TwoAnywhere *)(at) = (v))
#define UR_ALL(x) ((Two){(x), (x)})
#define UR_ABOVE(a, b) ((a) > (b))
#define UR_SELECT(mask, yes, no) ((Two)(((mask) & (TwoMask)(yes)) | (~(mask) & (TwoMask)(no))))
#define UR_MAX(a, b) UR_SELECT(UR_ABOVE(a, b), a, b)
#define UR_GATHER(row, map) ((Two){mapped(row, (map)[0]), mapped(row, (map)[1])})
#define UR_FOLLOWED(at, next) ((Two){followed_one(at, (next)[0]), followed_one(at, (next)[1])})
#define UR_EQUAL(next, to) ((TwoMask){-((next)[0] == (to)), -((next)[1] == (to))})
#define UR_TELL(at, moves) tell_two(at, moves)
UR_INLINE void tell_two(uint8_t *at, Two moves)
{
    for (int i = 0; i < 2; i++)
        at[i] = (uint8_t)(moves[i] < MOST_TOLD ? moves[i] : MOST_TOLD);
}
UR_INLINE double followed_one(const double *at, uint32_t next)
{
    const double value = at[next & ~UR_TURNED];
    return next & UR_TURNED ? -value : value;
}
#include "row_sweep_body.h"

#ifdef UR_X86
#pragma GCC push_options
#pragma GCC target("avx2")
#define UR_SWEEPS 1
#define UR_CHECKS 1
#define UR_CHOOSES 1
#define UR_SET avx2
#define UR_SUM double
#define UR_V __m256d
#define UR_N 4
#define UR_MASK __m256d
#define UR_LOAD(at) _mm256_loadu_pd(at)
#define UR_STORE(at, v) _mm256_storeu_pd(at, v)
#define UR_ALL(x) _mm256_set1_pd(x)
#define UR_ABOVE(a, b) _mm256_cmp_pd(a, b, _CMP_GT_OQ)
#define UR_SELECT(mask, yes, no) _mm256_blendv_pd(no, yes, mask)
#define UR_MAX(a, b) _mm256_max_pd(a, b)
#define UR_GATHER(row, map) gather_four(row, map)
/* Single loads take less time than AVX2's gather on some processors. Where there is no move the
   first of the row is read. */
UR_INLINE __m256d gather_four(const double *row, const int32_t *map)
{
    const __m128i places = _mm_loadu_si128((const __m128i *)map);
    const __m128i at = _mm_max_epi32(places, _mm_setzero_si128());
    const __m256d values = _mm256_setr_pd(
        row[_mm_extract_epi32(at, 0)], row[_mm_extract_epi32(at, 1)],
        row[_mm_extract_epi32(at, 2)], row[_mm_extract_epi32(at, 3)]);
    const __m256d none = _mm256_castsi256_pd(_mm256_cvtepi32_epi64(places));
    return _mm256_blendv_pd(values, _mm256_set1_pd(NO_MOVE), none);
}
#define UR_FOLLOWED(at, next) follow_four(at, next)
UR_INLINE __m256d follow_four(const double *at, const uint32_t *next)
{
    const __m128i numbers = _mm_loadu_si128((const __m128i *)next);
    const __m128i turned = _mm_set1_epi32(INT32_MIN);
    const __m256d values = _mm256_setr_pd(
        at[next[0] & ~UR_TURNED], at[next[1] & ~UR_TURNED], at[next[2] & ~UR_TURNED],
        at[next[3] & ~UR_TURNED]);
    const __m256i signs =
        _mm256_slli_epi64(_mm256_cvtepu32_epi64(_mm_and_si128(numbers, turned)), 32);
    return _mm256_xor_pd(values, _mm256_castsi256_pd(signs));
}
#define UR_TELL(at, moves) tell_four(at, moves)
UR_INLINE void tell_four(uint8_t *at, __m256d moves)
{
    const __m128i numbers = _mm256_cvttpd_epi32(_mm256_min_pd(moves, _mm256_set1_pd(MOST_TOLD)));
    const __m128i halves = _mm_packs_epi32(numbers, numbers);
    const int bytes = _mm_cvtsi128_si32(_mm_packus_epi16(halves, halves));
    memcpy(at, &bytes, sizeof(bytes));
}
#define UR_EQUAL(next, to) equal_four(next, to)
UR_INLINE __m256d equal_four(const uint32_t *next, uint32_t to)
{
    const __m128i numbers = _mm_loadu_si128((const __m128i *)next);
    return _mm256_castsi256_pd(
        _mm256_cvtepi32_epi64(_mm_cmpeq_epi32(numbers, _mm_set1_epi32((int32_t)to))));
}
#include "row_sweep_body.h"
#pragma GCC pop_options

#ifndef UR_WITHOUT_AVX512
#pragma GCC push_options
#pragma GCC target("avx512f")
#define UR_SWEEPS 1
#define UR_CHECKS 1
#define UR_CHOOSES 1
#define UR_SET avx512
#define UR_SUM double
#define UR_V __m512d
#define UR_N 8
#define UR_MASK __mmask8
#define UR_LOAD(at) _mm512_loadu_pd(at)
#define UR_STORE(at, v) _mm512_storeu_pd(at, v)
#define UR_ALL(x) _mm512_set1_pd(x)
#define UR_ABOVE(a, b) _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ)
#define UR_SELECT(mask, yes, no) _mm512_mask_blend_pd(mask, no, yes)
#define UR_MAX(a, b) _mm512_max_pd(a, b)
#define UR_GATHER(row, map) gather_eight(row, map)
UR_INLINE __m512d gather_eight(const double *row, const int32_t *map)
{
    const __m256i places = _mm256_loadu_si256((const __m256i *)map);
    const __mmask8 is_move = (__mmask8)~_mm256_movemask_ps(_mm256_castsi256_ps(places));
    return _mm512_mask_i32gather_pd(
        _mm512_set1_pd(NO_MOVE), is_move, places, row, 8);
}
#define UR_FOLLOWED(at, next) follow_eight(at, next)
UR_INLINE __m512d follow_eight(const double *at, const uint32_t *next)
{
    const __m256i numbers = _mm256_loadu_si256((const __m256i *)next);
    const __m256i turned = _mm256_set1_epi32(INT32_MIN);
    const __m512d values = _mm512_i32gather_pd(_mm256_andnot_si256(turned, numbers), at, 8);
    const __m512i signs =
        _mm512_slli_epi64(_mm512_cvtepu32_epi64(_mm256_and_si256(numbers, turned)), 32);
    return _mm512_castsi512_pd(_mm512_xor_si512(_mm512_castpd_si512(values), signs));
}
#define UR_TELL(at, moves) tell_eight(at, moves)
UR_INLINE void tell_eight(uint8_t *at, __m512d moves)
{
    const __m256i numbers = _mm512_cvttpd_epi32(_mm512_min_pd(moves, _mm512_set1_pd(MOST_TOLD)));
    _mm_storel_epi64(
        (__m128i *)at, _mm512_cvtepi32_epi8(_mm512_castsi256_si512(numbers)));
}
#define UR_EQUAL(next, to) equal_eight(next, to)
UR_INLINE __mmask8 equal_eight(const uint32_t *next, uint32_t to)
{
    const __m256i numbers = _mm256_loadu_si256((const __m256i *)next);
    return _mm512_cmpeq_epi64_mask(_mm512_cvtepu32_epi64(numbers), _mm512_set1_epi64(to));
}
#include "row_sweep_body.h"
#pragma GCC pop_options
#endif
#endif

/* The fastest first. */
static const InstructionSet instruction_sets[] = {
#ifdef UR_X86
#ifndef UR_WITHOUT_AVX512
    {"avx512", runs_avx512, sweep_avx512, residual_avx512, read_bound_avx512},
#endif
    {"avx2", runs_avx2, sweep_avx2, residual_avx2, read_bound_avx2},
#endif
    {"plain", runs_everywhere, sweep_plain, residual_plain, read_bound_plain},
};

#define UR_SWEEPER row_double
#include "row_block.h"

static const struct {
    int64_t (*choose)(
        const RowBlock *, const RowChunk *, const void *, const RowPolicy *, void *);
    double (*follow)(const RowPolicy *, int64_t, int64_t);
} policy_sets[] = {
#ifdef UR_X86
#ifndef UR_WITHOUT_AVX512
    {choose_avx512, follow_avx512},
#endif
    {choose_avx2, follow_avx2},
#endif
    {choose_plain, follow_plain},
};

static int64_t choose(
    const RowBlock *block, const RowChunk *chunk, const void *values, const RowPolicy *policy,
    void *scratch)
{
    return policy_sets[block->instruction_set].choose(block, chunk, values, policy, scratch);
}

static double follow(const RowBlock *block, const RowPolicy *policy, int64_t from, int64_t to)
{
    return policy_sets[block->instruction_set].follow(policy, from, to);
}

const PolicySweeper row_policy = {
    .count = count_pairs,
    .number = number_pairs,
    .choose = choose,
    .load = load_followed,
    .store = store_followed,
    .follow = follow,
};
