#include "plan/limit.h"

#include <math.h>

#include "learn/refit.h"
#include "learn/sample.h"
#include "plan/outlook.h"

/* Rows drawn from a mixture, and the classes it gives them. */
typedef struct sample {
    scant_rows *rows;
    double *classes; /* rows x K */
} sample;

static void sample_clear(sample *s)
{
    scant_rows_free(s->rows);
    scant_i_free(s->classes);
}

/* The same seed for all mixtures makes differences of their hopes much surer than the hopes. */
static scant_status sample_new(sample *out, const scant_model *model, scant_i_mixture *mixture,
                               const scant_rows *rows, size_t n, uint64_t seed, size_t threads)
{
    scant_status status = SCANT_OK;
    scant_model named = *model;
    named.mixture = mixture;
    *out = (sample){0};
    SCANT_I_TRY(SCANT_I_NEW(&out->classes, n * model->nclasses));
    SCANT_I_TRY(scant_i_sample_like(&out->rows, &named, rows, n, seed));
    status = scant_i_classes_under(out->classes, model, mixture, out->rows, threads);
done:
    return status;
}

/* E[1 - p_best] */
static double hope_of(const sample *s, size_t K)
{
    double hope = 0;
    for (size_t i = 0; i < s->rows->nrows; i++)
        hope += 1 - s->classes[i * K + scant_i_likeliest(s->classes + i * K, K)];
    return hope / (double)s->rows->nrows;
}

/* What a rule that goes by `said` gives away where the sample's own classes are right. */
static double excess_of(const sample *s, const double *said, size_t K)
{
    double excess = 0;
    for (size_t i = 0; i < s->rows->nrows; i++) {
        const double *p = s->classes + i * K;
        excess += p[scant_i_likeliest(p, K)] - p[scant_i_likeliest(said + i * K, K)];
    }
    return excess / (double)s->rows->nrows;
}

/* Weights, and which rows are labelled, as in the pilot. */
static scant_status dress(scant_rows *drawn, const scant_rows *rows)
{
    for (size_t i = 0; i < rows->nrows; i++)
        if (scant_rows_label(rows, i) < 0)
            drawn->labels.code[i] = -1;
    return scant_rows_set_weights(drawn, rows->weight);
}

/* One replicate: a pilot drawn from the model with a seed of its own, fitted again. */
static scant_status replicate(double *hope, double *excess, const scant_model *model,
                              const sample *of_model, const scant_rows *rows, uint64_t seed,
                              uint64_t own, size_t threads)
{
    scant_status status = SCANT_OK;
    size_t K = model->nclasses;
    scant_rows *drawn = NULL;
    scant_i_mixture *mixture = NULL;
    sample of_fit = {0};
    double *said = NULL;
    scant_i_refit_options options = {.warm = true, .seed = own, .threads = threads};
    SCANT_I_TRY(scant_i_sample_like(&drawn, model, rows, rows->nrows, own));
    SCANT_I_TRY(dress(drawn, rows));
    SCANT_I_TRY(scant_i_refit(&mixture, model, drawn, &options));
    SCANT_I_TRY(SCANT_I_NEW(&said, of_model->rows->nrows * K));
    SCANT_I_TRY(scant_i_classes_under(said, model, mixture, of_model->rows, threads));
    *excess = excess_of(of_model, said, K);
    SCANT_I_TRY(sample_new(&of_fit, model, mixture, rows, of_model->rows->nrows, seed, threads));
    *hope = hope_of(&of_fit, K);
done:
    sample_clear(&of_fit);
    scant_rows_free(drawn);
    scant_i_mixture_free(mixture);
    scant_i_free(said);
    return status;
}

scant_status scant_i_limit_find(scant_i_limit *out, const scant_model *model,
                                const scant_rows *rows, const scant_i_limit_options *options)
{
    sample of_model;
    uint64_t seed = options->seed;
    size_t threads = options->threads;
    double hope = 0, sum = 0, squares = 0, count = (double)options->replicates;
    double least = 1 / (double)options->drawn; /* what so many rows can tell from 0 */
    *out = (scant_i_limit){0};
    scant_status status =
        sample_new(&of_model, model, model->mixture, rows, options->drawn, seed, threads);
    if (status == SCANT_OK)
        hope = hope_of(&of_model, model->nclasses);
    for (size_t b = 0; b < options->replicates && status == SCANT_OK; b++) {
        double again = 0, excess = 0;
        status = replicate(&again, &excess, model, &of_model, rows, seed, seed + 1 + b, threads);
        if (status == SCANT_OK)
            status = scant_i_steps_count(options->steps);
        out->excess += excess / count;
        double pulled = log(fmax(again, least) / fmax(hope, least));
        sum += pulled;
        squares += pulled * pulled;
    }
    out->scale = exp(-sum / count);
    out->error = fmin(1, out->scale * hope);
    out->deviation = out->error * sqrt(fmax(0, squares - sum * sum / count) / (count - 1));
    sample_clear(&of_model);
    return status;
}
