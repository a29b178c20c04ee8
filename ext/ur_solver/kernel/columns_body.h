/* Operations on as many columns of a tile as a vector has elements; columns do not depend on each
   other. columns.h includes this file for both widths, with X(name) for name4 and then for
   name8: X(copy) defines copy4 and copy8. */

UR_INLINE void X(copy)(const REAL *from, REAL *to)
{
    X(store)(to, X(load)(from));
}

UR_INLINE void X(best_of_two)(
    const REAL *a, const REAL *b, REAL *to)
{
    X(store)(to, X(max)(X(load)(a), X(load)(b)));
}

UR_INLINE void X(best_of_three)(
    const REAL *a, const REAL *b, const REAL *c, REAL *to)
{
    X(store)(to, X(max)(X(max)(X(load)(a), X(load)(b)), X(load)(c)));
}

/* The best of a throw's moves to other tiles, those from entry squares and home among them. */
UR_INLINE void X(prepare_columns)(
    const REAL *best, const REAL *const *to, REAL *frame, const int n, const int rows,
    const int stride, const int column)
{
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++) {
        X(vec) row = X(load)(best + r * stride + column);
#pragma GCC unroll 5
        for (int source = LANE_SQUARES - n; source <= LANE_SQUARES; source++) {
            const int after = lane_row_without(r, source);
            if (after >= 0)
                row = X(max)(row, X(load)(to[source] + after * stride + column));
        }
        X(store)(frame + r * stride + column, row);
    }
}

/* Of a turned tile: the best of some rows. */
UR_INLINE void X(find_least)(
    const REAL *buffer, const MatrixRef *move, int n_moves, REAL *to, const int column)
{
    X(vec) best = X(load)(matrix_at(buffer, move[0]) + column);
    for (int k = 1; k < n_moves; k += 2) {
        const X(vec) b = X(load)(matrix_at(buffer, move[k]) + column);
        const X(vec) c = X(load)(matrix_at(buffer, move[k + 1]) + column);
        best = X(min)(best, X(min)(b, c));
    }
    X(store)(to + column, best);
}

/* The matrix that a throw's moves to an entry square lead to. */
UR_INLINE void X(find_own)(
    const Program *program, const REAL *f, const REAL *g, const int n, const REAL **own)
{
#pragma GCC unroll 4
    for (int target = n; target < LANE_SQUARES; target++)
        own[target] = program->again[n] >> target & 1 ? f : g;
}

/* A row's best move by a throw, from the best of those that leave the tile. */
UR_INLINE X(vec) X(best_with_own)(
    X(vec) best, const REAL *const *own, const int n, const int r, const int pieces,
    const int stride)
{
#pragma GCC unroll 5
    for (int source = 0; source + n < LANE_SQUARES; source++) {
        const int after = lane_row_after(r, n, source, pieces);
        if (after >= 0)
            best = X(max)(best, X(load)(own[source + n] + after * stride));
    }
    return best;
}

/* All rows; the largest change. A throw that the dice do not have has no chance. */
UR_INLINE double X(update_columns)(
    const Program *program, const Tile *tile, const REAL *buffer,
    const LaneFrame * frame, REAL *to, const int pieces, const int rows, const int stride,
    const int column)
{
    const REAL *f = buffer + tile->f * LANES + column;
    const REAL *g = f + (int64_t)rows * stride;
    const uint8_t *pass_bits = program->pass_bits + tile->first_row;
    const REAL *own[LANE_SQUARES][LANE_SQUARES];
#pragma GCC unroll 4
    for (int n = 0; n < LANE_SQUARES; n++)
        X(find_own)(program, f, g, n, own[n]);
    const X(mask) valid = X(below)(tile->n_columns - column);
    X(vec) delta = X(set)(0.0);
#pragma GCC unroll 16
    for (int k = 0; k < LANE_ROWS; k++) {
        const int r = LANE_ORDER[k];
        if (r >= rows)
            continue;
        const int offset = r * stride;
        const int bits = pass_bits[r];
        const SUM *chance = chances_of(program, bits);
        X(vec) sum = X(mul)(X(set)(pass_chance_of(program, bits)), X(load)(g + offset));
#pragma GCC unroll 4
        for (int n = 0; n < LANE_SQUARES; n++) {
            const X(vec) best = X(best_with_own)(
                X(load)(frame->best[n] + offset + column), own[n], n, r, pieces, stride);
            sum = X(fma)(X(set)(chance[n]), best, sum);
        }
        const X(vec) before = X(load)(f + offset);
        delta = X(max)(delta, X(distance)(sum, before, valid));
        /* a strip's corner is kept */
        X(store)(to + offset + column, rows == 1 ? X(select)(valid, sum, before) : sum);
    }
    return X(largest)(delta);
}

/* Each row's best move by a throw less the margin, from the best of those that leave the
   tile. */
UR_INLINE void X(set_bars)(
    const Program *program, const Tile *tile, const REAL *buffer, REAL *bars, const REAL margin,
    const int n, const int pieces, const int rows, const int stride, const int column)
{
    const REAL *f = buffer + tile->f * LANES + column;
    const REAL *own[LANE_SQUARES];
    X(find_own)(program, f, f + (int64_t)rows * stride, n, own);
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++) {
        REAL *bar = bars + r * stride + column;
        const X(vec) best = X(best_with_own)(X(load)(bar), own, n, r, pieces, stride);
        X(store)(bar, X(fma)(X(set)(1.0), best, X(set)(-margin)));
    }
}

/* The most that a move is above the bars. `source`: its entry square, counted from 1, or 0
   for a move on shared squares, which all rows have. */
UR_INLINE X(vec) X(most_above)(
    X(vec) above, const REAL *matrix, const int matrix_stride, const REAL *bars, const int source,
    const int rows, const int stride, const int column)
{
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++) {
        const int after = source ? lane_row_without(r, source) : r;
        if (after < 0)
            continue;
        const X(vec) bar = X(load)(bars + r * stride + column);
        const X(vec) value = X(load)(matrix + after * matrix_stride + column);
        above = X(max)(above, X(fma)(X(set)(-1.0), bar, value));
    }
    return above;
}
