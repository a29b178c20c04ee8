/* Memory bandwidth of one thread: a[i] = b[i] + 0.5 c[i], 24 bytes an element.

       gcc -O3 -march=native scripts/triad.c -o triad && ./triad 1 && ./triad 27 && ./triad 400

   The argument is the size of the three arrays in MB. The best of five in processor
   seconds; reading a before it is written over is not counted. */

#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

int main(int argc, char **argv)
{
    const long megabytes = argc > 1 ? atol(argv[1]) : 400;
    const long n = megabytes * 1000000 / 24 / 8 * 8;
    const long turns = 4000000000 / (24 * n) + 1;
    double *a = aligned_alloc(64, 8 * n), *b = aligned_alloc(64, 8 * n);
    double *c = aligned_alloc(64, 8 * n), best = 1e9;
    if (n == 0 || !a || !b || !c)
        return 1;
    for (long i = 0; i < n; i++)
        a[i] = b[i] = c[i] = i;
    for (int k = 0; k < 5; k++) {
        const double began = seconds();
        for (long turn = 0; turn < turns; turn++) {
            for (long i = 0; i < n; i++)
                a[i] = b[i] + 0.5 * c[i];
            __asm__ volatile("" : : "r"(a) : "memory");
        }
        best = seconds() - began < best ? seconds() - began : best;
    }
    printf("%ld MB: %.1f GB/s\n", megabytes, 24e-9 * n * turns / best);
    return 0;
}
