/* VLFeat's diagonal EM from a given start. Arguments: FOLDER K ITERATIONS THREADS.
 *
 * It stops by itself when the log-likelihood changes by less than 1e-5 of itself, and restarts
 * modes that run empty; neither can be switched off. So the iterations are counted through its own
 * messages, the caller scales the time to the iterations asked for, and its likelihood is not that
 * of the others. */
#include "npy.h"
#include <vl/generic.h>
#include <vl/gmm.h>

static int iterations_done;

static int count_iterations(const char *format, ...)
{
    if (strstr(format, "em: iteration"))
        iterations_done++;
    return 0;
}

int main(int argc, char **argv)
{
    bench_need(argc == 5, "the arguments");
    size_t n, d, k = (size_t)atoi(argv[2]);
    double *x = bench_read_npy(argv[1], &n, &d);
    double *start = bench_read_start(argv[1], k * (1 + 2 * d));
    vl_set_num_threads((vl_size)atoi(argv[4]));
    vl_set_printf_func(count_iterations);

    VlGMM *gmm = vl_gmm_new(VL_TYPE_DOUBLE, d, k);
    vl_gmm_set_verbosity(gmm, 2);
    vl_gmm_set_initialization(gmm, VlGMMCustom);
    vl_gmm_set_max_num_iterations(gmm, (vl_size)atoi(argv[3]));
    vl_gmm_set_num_repetitions(gmm, 1);
    vl_gmm_set_priors(gmm, start);
    vl_gmm_set_means(gmm, start + k);
    vl_gmm_set_covariances(gmm, start + k + k * d);
    double begin = bench_seconds();
    double loglik = vl_gmm_cluster(gmm, x, n);
    double seconds = bench_seconds() - begin;
    /* the first message belongs to the E-step before the first M-step */
    printf("{\"seconds\": %.6f, \"iterations\": %d, \"check\": %.9f}\n", seconds,
           iterations_done > 1 ? iterations_done - 1 : 1, loglik / (double)n);
    vl_gmm_delete(gmm);
    free(start);
    free(x);
    return 0;
}
