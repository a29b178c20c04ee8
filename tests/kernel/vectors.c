/* The vectors of vectors.h against loops over single numbers, for the instruction set and numbers that
   the compiler's options name; prints what is wrong, and returns whether anything is. */

#include "instruction_sets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "vectors.h"

static int n_wrong;

static void expect(const char *what, int i, double found, double expected)
{
    if (found == expected)
        return;
    printf("%s, number %d: %g, not %g\n", what, i, found, expected);
    n_wrong++;
}

/* A multiple of 1/8 below 128: products and sums of three are exact in floats. */
static REAL some(void)
{
    return (REAL)(rand() % 1024) / 8;
}

#define EXPECT_ALL(width, vector, expected)                                                    \
    do {                                                                                       \
        store##width(found, vector);                                                           \
        for (int i = 0; i < width; i++)                                                        \
            expect(#vector, i, found[i], expected);                                            \
    } while (0)

#define TRY(width)                                                                             \
    static void try##width(void)                                                               \
    {                                                                                          \
        REAL a[width], b[width], c[width], found[width], f[width * 11], g[width * 13];         \
        for (int i = 0; i < width; i++)                                                        \
            a[i] = some(), b[i] = some(), c[i] = some();                                       \
        const int n = rand() % (width + 3) - 1;                                                \
        const vec##width x = load##width(a), y = load##width(b), z = load##width(c);           \
        EXPECT_ALL(width, max##width(x, y), fmax(a[i], b[i]));                                 \
        EXPECT_ALL(width, min##width(x, y), fmin(a[i], b[i]));                                 \
        EXPECT_ALL(width, mul##width(x, y), (double)a[i] * b[i]);                              \
        EXPECT_ALL(width, fma##width(x, y, z), (double)a[i] * b[i] + c[i]);                    \
        EXPECT_ALL(width, set##width(a[0]), a[0]);                                             \
        EXPECT_ALL(width, select##width(below##width(n), x, y), i < n ? a[i] : b[i]);          \
        EXPECT_ALL(                                                                            \
            width, distance##width(x, y, below##width(n)), i < n ? fabs(a[i] - b[i]) : 0);     \
        double most = 0;                                                                       \
        for (int i = 0; i < width; i++)                                                        \
            most = a[i] > most ? a[i] : most;                                                  \
        expect("largest", 0, largest##width(x), most);                                         \
        const int rows = rand() % width + 1, columns = rand() % width + 1;                     \
        for (int k = 0; k < width * 11; k++)                                                   \
            f[k] = some();                                                                     \
        for (int k = 0; k < width * 13; k++)                                                   \
            g[k] = -7;                                                                         \
        transpose##width(f, 11, g, 13, rows, columns, 1);                                      \
        for (int column = 0; column < width; column++)                                         \
            for (int row = 0; row < 13; row++)                                                 \
                if (column >= columns || row >= width)                                         \
                    expect("beside a transposed one", row, g[column * 13 + row], -7);          \
                else if (row < rows)                                                           \
                    expect("transposed", row, g[column * 13 + row], 1 - f[row * 11 + column]); \
    }

TRY(4)
TRY(8)

int main(void)
{
    for (int k = 0; k < 2000 && n_wrong < 10; k++) {
        try4();
        try8();
    }
    return n_wrong > 0;
}

UR_END_SET
