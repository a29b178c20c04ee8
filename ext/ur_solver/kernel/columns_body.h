/* Operations on as many columns of a tile as a vector has elements; columns do not depend on each
   other. columns.h includes this file for both widths, with X(name) for name4 and then for
   name8: X(copy) defines copy4 and copy8. */

static inline __attribute__((always_inline)) void X(copy)(const REAL *from, REAL *to)
{
    X(store)(to, X(load)(from));
}

static inline __attribute__((always_inline)) void X(best_of_two)(
    const REAL *a, const REAL *b, REAL *to)
{
    X(store)(to, X(max)(X(load)(a), X(load)(b)));
}

static inline __attribute__((always_inline)) void X(best_of_three)(
    const REAL *a, const REAL *b, const REAL *c, REAL *to)
{
    X(store)(to, X(max)(X(max)(X(load)(a), X(load)(b)), X(load)(c)));
}

static inline __attribute__((always_inline)) void X(improve)(
    REAL *best, const REAL *from, const int column, const int captured)
{
    /* Columns of a row by those of another, from whose numbers a bit is missing if
       `captured` is not NO_BIT. */
    const X(vec) row = captured == NO_BIT ? X(load)(from + column)
                     : captured >= 3    ? X(load)(from + without_bit(column, captured))
                                        : X(spread)(from + column / 2, captured);
    X(store)(best + column, X(max)(X(load)(best + column), row));
}

#if UR_LANE
static inline __attribute__((always_inline)) void X(prepare_columns)(
    const REAL *best, const REAL *const *to, REAL *frame, const int n, const int rows,
    const int stride, const int column)
{
    /* Of a lane: the best of a throw's moves to other tiles, those from entry squares and
       home among them. */
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

static inline __attribute__((always_inline)) void X(find_least)(
    const REAL *buffer, const MatrixRef *move, int n_moves, REAL *to, const int column)
{
    /* Of a turned tile: the best of some rows. */
    X(vec) best = X(load)(matrix_at(buffer, move[0]) + column);
    for (int k = 1; k < n_moves; k += 2) {
        const X(vec) b = X(load)(matrix_at(buffer, move[k]) + column);
        const X(vec) c = X(load)(matrix_at(buffer, move[k + 1]) + column);
        best = X(min)(best, X(min)(b, c));
    }
    X(store)(to + column, best);
}

static inline __attribute__((always_inline)) void X(find_own)(
    const Program *program, const REAL *f, const REAL *g, const int n, const REAL **own)
{
    /* Of a lane, by target: the matrix that a throw's moves to an entry square lead to. */
#pragma GCC unroll 4
    for (int target = n; target < LANE_SQUARES; target++)
        own[target] = program->lane_again[n] >> target & 1 ? f : g;
}

static inline __attribute__((always_inline)) X(vec) X(best_with_own)(
    X(vec) best, const REAL *const *own, const int n, const int r, const int pieces,
    const int stride)
{
    /* Of a lane: a row's best move by a throw, from the best of those that leave the tile. */
#pragma GCC unroll 5
    for (int source = 0; source + n < LANE_SQUARES; source++) {
        const int after = lane_row_after(r, n, source, pieces);
        if (after >= 0)
            best = X(max)(best, X(load)(own[source + n] + after * stride));
    }
    return best;
}

static inline __attribute__((always_inline)) double X(update_columns)(
    const Program *program, const Tile *tile, const REAL *buffer,
    const LaneFrame * frame, REAL *to, const int pieces, const int rows, const int stride,
    const int column)
{
    /* Of a lane: all rows; the largest change. A throw that the dice do not have has no
       chance. */
    const REAL *f = buffer + tile->f * LANES + column;
    const REAL *g = f + (int64_t)rows * stride;
    const uint8_t *pass_bits = program->pass_bits + tile->first_row;
    const REAL *own[LANE_SQUARES][LANE_SQUARES];
#pragma GCC unroll 4
    for (int n = 0; n < LANE_SQUARES; n++)
        X(find_own)(program, f, g, n, own[n]);
    const X(vec) valid = X(mask_below)(tile->n_columns - column);
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

static inline __attribute__((always_inline)) void X(set_bars)(
    const Program *program, const Tile *tile, const REAL *buffer, REAL *bars, const REAL margin,
    const int n, const int pieces, const int rows, const int stride, const int column)
{
    /* Of a lane: each row's best move by a throw less the margin, from the best of those that
       leave the tile. */
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

static inline __attribute__((always_inline)) X(vec) X(most_above)(
    X(vec) above, const REAL *matrix, const int matrix_stride, const REAL *bars, const int source,
    const int rows, const int stride, const int column)
{
    /* Of a lane: the most that a move is above the bars. `source`: its entry square, counted
       from 1, or 0 for a move on shared squares, which all rows have. */
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
#endif

static inline X(vec) X(update_row)(
    const Program *program, const Tile *tile, const REAL *buffer, const REAL *frame, REAL *to,
    const EntryMoves *lists, int legs, int row, int64_t column)
{
    /* Of one row, whose moves within the tile are `lists`; the changes. */
    const int64_t stride = (int64_t)tile->vectors * LANES;
    const int64_t at = row * stride + column;
    const int pass = program->pass_bits[tile->first_row + row];
    const REAL *f = buffer + tile->f * LANES;
    const REAL *g = f + tile->n_rows * stride;
    X(vec) sum = X(mul)(X(set)(pass_chance_of(program, pass)), X(load)(g + at));
    for (int n = 0; n < program->n_throws; n++) {
        const EntryMoves *list = lists + n;
        X(vec) best = X(load)(frame + n * program->frame_step + at);
        for (int k = 0; k < list->n; k++) {
            const int64_t after = list->mask[k] << tile->forks | legs;
            best = X(max)(best, X(load)((list->again[k] ? f : g) + after * stride + column));
        }
        sum = X(fma)(X(set)(chances_of(program, pass)[n]), best, sum);
    }
    const X(vec) valid = X(mask_below)((int)(tile->n_columns - column));
    const X(vec) change = X(distance)(sum, X(load)(f + at), valid);
    X(store)(to + at, sum);
    return change;
}
