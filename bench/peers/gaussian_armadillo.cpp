// Armadillo's gmm_full and gmm_diag from a given start. Arguments: FOLDER full|diag K ITERATIONS.
#include <armadillo>
#include "npy.h"

static const double VARIANCE_FLOOR = 1e-10; // its default

template <class Model>
static void run(Model &model, const arma::mat &x, arma::uword k, arma::uword iterations)
{
    double begin = bench_seconds();
    bool learned = model.learn(x, k, arma::maha_dist, arma::keep_existing, 0, iterations,
                               VARIANCE_FLOOR, false);
    double seconds = bench_seconds() - begin;
    bench_need(learned, "a model that could be learned");
    printf("{\"seconds\": %.6f, \"iterations\": %d, \"check\": %.9f}\n", seconds, int(iterations),
           model.avg_log_p(x));
}

int main(int argc, char **argv)
{
    bench_need(argc == 5, "the arguments");
    size_t n, d;
    double *values = bench_read_npy(argv[1], &n, &d);
    arma::mat x(values, d, n, false, true); // one column a row of the data
    bool full = strcmp(argv[2], "full") == 0;
    arma::uword k = arma::uword(atoi(argv[3])), iterations = arma::uword(atoi(argv[4]));
    size_t spread = full ? d * d : d;
    double *start = bench_read_start(argv[1], k * (1 + d + spread));
    arma::rowvec weights(start, k);
    arma::mat means(start + k, d, k);
    if (full) {
        arma::gmm_full model;
        model.set_params(means, arma::cube(start + k + k * d, d, d, k), weights);
        run(model, x, k, iterations);
    } else {
        arma::gmm_diag model;
        model.set_params(means, arma::mat(start + k + k * d, d, k), weights);
        run(model, x, k, iterations);
    }
    free(start);
    free(values);
    return 0;
}
