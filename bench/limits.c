/* What this machine can do at most: fused multiply-adds and exponentials a second, in double
 * precision, and bytes read from memory. Argument: THREADS. Compile for the machine at hand with -O3 -march=native -ffast-math
 * -fopenmp. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#if defined(__AVX512F__)
enum { WIDTH = 8 };
#else
enum { WIDTH = 4 };
#endif
typedef double lanes __attribute__((vector_size(WIDTH * sizeof(double))));

static const size_t READ_BYTES = (size_t)512 << 20; /* more than any cache has */
static lanes *memory;

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

/* This thread's share of `memory`. */
static double reading(void)
{
    enum { STREAMS = 8 }; /* sums that do not wait for each other */
    size_t n = READ_BYTES / sizeof(lanes) / (size_t)omp_get_num_threads() / STREAMS * STREAMS;
    const lanes *x = memory + (size_t)omp_get_thread_num() * n;
    lanes sum[STREAMS] = {{0}};
    for (size_t i = 0; i < n; i += STREAMS)
        for (int c = 0; c < STREAMS; c++)
            sum[c] += x[i + (size_t)c];
    for (int c = 1; c < STREAMS; c++)
        sum[0] += sum[c];
    return sum[0][0];
}

static lanes *ones(void)
{
    lanes *x = mmap(NULL, READ_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (x == MAP_FAILED)
        exit(1);
    (void)madvise(x, READ_BYTES, MADV_HUGEPAGE);
    for (size_t i = 0; i < READ_BYTES / sizeof *x; i++)
        x[i] = 1 - (lanes){0};
    return x;
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
    memory = ones();
    double bytes = best_rate(threads, reading, (double)READ_BYTES / threads);
    printf("{\"threads\": %d, \"flops\": %.6g, \"exps\": %.6g, \"bytes\": %.6g, \"width\": %d}\n",
           threads, flops, exps, bytes, (int)WIDTH);
    return 0;
}
