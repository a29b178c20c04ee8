/* The sweep, once for each instruction set: included with VEC(name) defined. */

static inline void VEC(update_rows)(
    const Program *program, const Tile *tile, double *buffer, const double *externals,
    int column, int wide, int store, VEC(v8) * delta)
{
    /* Rows of one tile, over 8 or (wide) 16 columns from `column` on. */
    const int64_t stride = (int64_t)tile->vectors * LANES;
    double *f = buffer + tile->f * LANES + column;
    double *g = f + tile->n_rows * stride;
    const double *e = externals + tile->external * LANES + column;
    const int half = tile->half, n_throws = program->n_throws;
    const uint8_t *order = program->row_order[half];
    const uint8_t *pieces = program->row_pieces[half];
    const int max_rows = program->max_rows[half];
    const RowMoves *lists =
        program->row_moves[half] + (int64_t)tile->pattern * 2 * max_rows * n_throws;
    const VEC(v8) valid0 = VEC(lanes_below)(tile->n_columns - column);
    const VEC(v8) valid1 = VEC(lanes_below)(tile->n_columns - column - LANES);
    MatrixRef own[2] = {
        ((uint64_t)(tile->f + (int64_t)tile->n_rows * tile->vectors) << 8) | tile->vectors,
        ((uint64_t)tile->f << 8) | tile->vectors,
    };
    const MatrixRef *slots = program->slots + tile->first_slot;
    for (int k = 0; k < max_rows; k++) {
        const int r = order[k];
        if (r >= tile->n_rows)
            continue;
        const int home_empty = pieces[r] == tile->pieces;
        const RowMoves *list = lists + ((int64_t)home_empty * max_rows + r) * n_throws;
        const int pass = program->pass_bits[tile->first_row + r];
        const VEC(v8) pass_chance = VEC(set)(program->pass_chance[pass]);
        VEC(v8) sum0 = VEC(mul)(pass_chance, VEC(load)(g + r * stride)), sum1 = sum0;
        if (wide)
            sum1 = VEC(mul)(pass_chance, VEC(load)(g + r * stride + LANES));
        const MatrixRef *move = program->moves + tile->first_move;
        const double *row_e = e + r * stride;
        for (int n = 0; n < n_throws; n++, list++) {
            const MatrixRef *end = move + tile->n_moves[n];
            VEC(v8) best0 = VEC(set)(-1.0), best1 = best0;
            if (tile->externals >> n & 1) {
                best0 = VEC(load)(row_e);
                if (wide)
                    best1 = VEC(load)(row_e + LANES);
                row_e += tile->n_rows * stride;
            }
            if (pass >> n & 1)
                continue;
            for (; move < end; move++) {
                const double *to = buffer + (int64_t)(*move >> 8) * LANES +
                                   (int64_t)(*move & 255) * LANES * r + column;
                best0 = VEC(max)(best0, VEC(load)(to));
                if (wide)
                    best1 = VEC(max)(best1, VEC(load)(to + LANES));
            }
            for (int i = 0; i < list->n; i++) {
                const int s = list->slot[i];
                const MatrixRef ref = s < 2 ? own[s] : slots[s - 2];
                const double *to = buffer + (int64_t)(ref >> 8) * LANES +
                                   (int64_t)(ref & 255) * LANES * list->row[i] + column;
                best0 = VEC(max)(best0, VEC(load)(to));
                if (wide)
                    best1 = VEC(max)(best1, VEC(load)(to + LANES));
            }
            const VEC(v8) chance = VEC(set)(program->chance[n]);
            sum0 = VEC(fma)(chance, best0, sum0);
            if (wide)
                sum1 = VEC(fma)(chance, best1, sum1);
        }
        double *row_f = f + r * stride;
        *delta = VEC(max)(*delta, VEC(distance)(sum0, VEC(load)(row_f), valid0));
        if (wide)
            *delta = VEC(max)(*delta, VEC(distance)(sum1, VEC(load)(row_f + LANES), valid1));
        if (store) {
            VEC(store)(row_f, sum0);
            if (wide)
                VEC(store)(row_f + LANES, sum1);
        }
    }
}

static double VEC(update_tile)(
    const Program *program, const Tile *tile, double *buffer, const double *externals, int store)
{
    VEC(v8) delta = VEC(set)(0.0);
    const int columns = tile->vectors * LANES;
    int column = 0;
    for (; column + 2 * LANES <= columns; column += 2 * LANES)
        VEC(update_rows)(program, tile, buffer, externals, column, 1, store, &delta);
    if (column < columns)
        VEC(update_rows)(program, tile, buffer, externals, column, 0, store, &delta);
    return VEC(largest)(delta);
}

static void VEC(show_opponent)(const Tile *tile, const Tile *mirror, double *buffer)
{
    /* G of the mirrored tile from F of this one. */
    const int64_t stride = (int64_t)tile->vectors * LANES;
    const int64_t to_stride = (int64_t)mirror->vectors * LANES;
    const double *f = buffer + tile->f * LANES;
    double *g = buffer + mirror->f * LANES + mirror->n_rows * to_stride;
    for (int r = 0; r < tile->n_rows; r += LANES)
        for (int c = 0; c < tile->n_columns; c += LANES)
            VEC(transpose)(
                f + r * stride + c, stride, g + c * to_stride + r, to_stride,
                tile->n_rows - r, tile->n_columns - c);
}

static double VEC(sweep)(
    const Program *program, double *buffer, const double *externals, const int32_t *order,
    int64_t first, int64_t last, int rounds)
{
    double delta = 0.0;
    for (int64_t k = first; k < last; k++) {
        const Tile *tile = program->tiles + order[k];
        const Tile *mirror = program->tiles + tile->mirror;
        for (int round = 0; round < rounds; round++) {
            double change = VEC(update_tile)(program, tile, buffer, externals, 1);
            VEC(show_opponent)(tile, mirror, buffer);
            if (mirror != tile) {
                const double other = VEC(update_tile)(program, mirror, buffer, externals, 1);
                VEC(show_opponent)(mirror, tile, buffer);
                change = other > change ? other : change;
            }
            if (round == 0 && change > delta)
                delta = change;
        }
    }
    return delta;
}

static double VEC(residual)(
    const Program *program, double *buffer, const double *externals, int64_t first, int64_t last)
{
    double residual = 0.0;
    for (int64_t k = first; k < last; k++) {
        const double change =
            VEC(update_tile)(program, program->tiles + k, buffer, externals, 0);
        residual = change > residual ? change : residual;
    }
    return residual;
}
