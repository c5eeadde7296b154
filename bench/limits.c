/* What this machine can do at most: fused multiply-adds and exponentials a second, in double
 * precision. Argument: THREADS. Compile for the machine at hand with -O3 -march=native -ffast-math
 * -fopenmp. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__AVX512F__)
enum { WIDTH = 8 };
#else
enum { WIDTH = 4 };
#endif
typedef double lanes __attribute__((vector_size(WIDTH * sizeof(double))));

enum { CHAINS = 12, ROUNDS = 4000000, EXP_N = 2048, EXP_ROUNDS = 20000, REPEATS = 5 };

/* CHAINS independent chains hide the latency of a multiply-add (4 cycles, 2 a cycle). */
static double multiply_adds(void)
{
    lanes a, b, x[CHAINS], sum = {0};
    for (int j = 0; j < WIDTH; j++) {
        a[j] = 0.999999 + 1e-9 * j;
        b[j] = 1e-6;
    }
    for (int c = 0; c < CHAINS; c++)
        x[c] = a * (double)c;
    for (long r = 0; r < ROUNDS; r++) {
        for (int c = 0; c < CHAINS; c++)
            x[c] = x[c] * a + b;
        __asm__ volatile("" : "+x"(a), "+x"(b)); /* the rounds may not be folded into one */
    }
    for (int c = 0; c < CHAINS; c++)
        sum += x[c];
    return sum[0];
}

static double exponentials(void)
{
    double x[EXP_N], y[EXP_N], sum = 0;
    for (int i = 0; i < EXP_N; i++)
        x[i] = -20.0 * i / EXP_N;
    for (long r = 0; r < EXP_ROUNDS; r++) {
        for (int i = 0; i < EXP_N; i++)
            y[i] = exp(x[i]);
        __asm__ volatile("" : : "r"(x), "r"(y) : "memory");
        sum += y[r % EXP_N];
    }
    return sum;
}

/* Work a second of the fastest of some repeats, all threads together. */
static double best_rate(int threads, double (*work)(void), double amount)
{
    double best = 0;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double sink = 0, begin = omp_get_wtime();
#pragma omp parallel num_threads(threads) reduction(+ : sink)
        sink += work();
        double rate = amount * threads / (omp_get_wtime() - begin);
        if (rate > best && sink > -1e300)
            best = rate;
    }
    return best;
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 1;
    best_rate(threads, exponentials, 1); /* warm up */
    double flops = best_rate(threads, multiply_adds, 2.0 * WIDTH * CHAINS * (double)ROUNDS);
    double exps = best_rate(threads, exponentials, (double)EXP_N * EXP_ROUNDS);
    printf("{\"threads\": %d, \"flops\": %.6g, \"exps\": %.6g, \"width\": %d}\n", threads, flops,
           exps, (int)WIDTH);
    return 0;
}
