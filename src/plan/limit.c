#include "plan/limit.h"

#include <math.h>

#include "learn/refit.h"
#include "learn/sample.h"
#include "plan/outlook.h"

/* Of one replicate, per unit weight. */
typedef struct replicate {
    double hoped;  /* the error that the new fit expects of itself */
    double due;    /* that the model does */
    double excess; /* what the new fit's rule costs under the model */
} replicate;

static void compare(replicate *out, const scant_rows *rows, const double *model, const double *fit,
                    size_t K)
{
    double total = 0;
    *out = (replicate){0};
    for (size_t i = 0; i < rows->nrows; i++) {
        double w = scant_rows_weight(rows, i);
        const double *p = model + i * K, *q = fit + i * K;
        size_t best = scant_i_likeliest(p, K, NULL), said = scant_i_likeliest(q, K, NULL);
        out->hoped += w * (1 - q[said]);
        out->due += w * (1 - p[best]);
        out->excess += w * (p[best] - p[said]);
        total += w;
    }
    out->hoped /= total;
    out->due /= total;
    out->excess /= total;
}

/* Weights, and which rows are labelled, as in the pilot. */
static scant_status dress(scant_rows *drawn, const scant_rows *rows)
{
    for (size_t i = 0; i < rows->nrows; i++)
        if (scant_rows_label(rows, i) < 0)
            drawn->labels.code[i] = -1;
    return scant_rows_set_weights(drawn, rows->weight);
}

static scant_status draw(replicate *out, const scant_model *model, const scant_rows *rows,
                         uint64_t seed, size_t threads)
{
    scant_status status = SCANT_OK;
    size_t K = model->nclasses;
    scant_rows *drawn = NULL;
    scant_i_mixture *mixture = NULL;
    double *classes[2] = {NULL, NULL};
    scant_i_refit_options options = {.warm = true, .seed = seed, .threads = threads};
    SCANT_I_TRY(scant_i_sample_like(&drawn, model, rows, rows->nrows, seed));
    SCANT_I_TRY(dress(drawn, rows));
    SCANT_I_TRY(scant_i_refit(&mixture, model, drawn, &options));
    SCANT_I_TRY(SCANT_I_NEW(&classes[0], rows->nrows * K));
    SCANT_I_TRY(SCANT_I_NEW(&classes[1], rows->nrows * K));
    SCANT_I_TRY(scant_i_classes_under(classes[0], model, model->mixture, drawn, threads));
    SCANT_I_TRY(scant_i_classes_under(classes[1], model, mixture, drawn, threads));
    compare(out, drawn, classes[0], classes[1], K);
done:
    scant_rows_free(drawn);
    scant_i_mixture_free(mixture);
    scant_i_free(classes[0]);
    scant_i_free(classes[1]);
    return status;
}

scant_status scant_i_limit_find(scant_i_limit *out, const scant_model *model,
                                const scant_rows *rows, double plugin, size_t replicates,
                                uint64_t seed, size_t threads)
{
    double bias = 0, sum = 0, squares = 0, count = (double)replicates;
    *out = (scant_i_limit){0};
    for (size_t b = 0; b < replicates; b++) {
        replicate r = {0};
        scant_status status = draw(&r, model, rows, seed + b, threads);
        if (status == SCANT_OK && scant_i_interrupted())
            status = scant_i_fail(SCANT_ERR_INTERRUPTED, "interrupted while planning");
        if (status != SCANT_OK)
            return status;
        bias += (r.hoped - r.due) / count;
        out->excess += r.excess / count;
        sum += r.hoped;
        squares += r.hoped * r.hoped;
    }
    out->error = fmax(0, plugin - bias);
    out->deviation = sqrt(fmax(0, squares - sum * sum / count) / (count - 1));
    return SCANT_OK;
}
