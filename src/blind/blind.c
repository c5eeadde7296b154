/* Blind training: a linear classifier without labels (learning-without-labels §3.4).
 *
 * Objective  J(theta) = R(phi(theta)) + l2 |theta|^2 / 2 + l1 |theta|_1     phi: audit/margin.h
 *            f_i = sum_c theta_c z_ic + theta_d, z in standard units, theta_d without penalty
 *            phi(theta) = argmax l(phi; f), the maximum next to that of the step before
 * Gradient   dR/dtheta = sum_i c_i z_i with c = dR/df through phi: implicit differentiation of
 *            dl/dphi = 0 gives dphi/df = (-H)^-1 d2l/dphi df, H the curvature of l; so c takes one
 *            4 x 4 solve and one pass over the scores (scant_i_margin_pull).
 * Cost       two products with the rows and a few passes over the scores an evaluation, where the
 *            published algorithms fit the two normals 2 d times for a gradient.
 *
 * R alone does not know the classes' names: exchanged, they make another minimum nearly as low. The
 * likelihood knows, as far as the shares differ. So a run keeps its order of the classes, which
 * makes R smooth, and is judged in the end by whether that order is the likelier one; among runs
 * that pass, and whose answers have the known shares, the lowest objective decides. */
#include "blind/blind.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/option_rows.h"
#include "base/options.h"
#include "data/multiply.h"
#include "data/prior.h"
#include "model/model.h"

#define AT(field) offsetof(scant_blind_options, field)
static const scant_option table[] = {
    {"prior", 0, SCANT_OPTION_TEXT, AT(prior), "P", NULL, 0, 0, NULL,
     "classes' proportions: the second class's share, or a=0.3,b=0.7, which also names them"},
    {"loss", 0, SCANT_OPTION_CHOICE, AT(loss), "L", "log", 0, 0, "log|hinge|exp",
     "what the classifier is to keep low"},
    {"algorithm", 0, SCANT_OPTION_CHOICE, AT(algorithm), "A", "exact", 0, 0, "exact|descent|grid",
     "exact gradient and L-BFGS, or the paper's algorithms 1 (finite differences) and 2 (grid)"},
    {"l2", 0, SCANT_OPTION_REAL, AT(l2), "A", "0.01", 0, 1e6, NULL,
     "penalty A/2 on the squared weights of columns in standard units"},
    {"l1", 0, SCANT_OPTION_REAL, AT(l1), "A", "0", 0, 1e6, NULL,
     "penalty on their absolute values: some become 0"},
    {"no-offset", 0, SCANT_OPTION_FLAG, AT(no_offset), NULL, NULL, 0, 0, NULL,
     "no offset: the mean row has score 0, as published"},
    {"starts", 0, SCANT_OPTION_COUNT, AT(starts), "N", "20", 1, 1e6, NULL, "starts in all"},
    {"max-iter", 0, SCANT_OPTION_COUNT, AT(max_iter), "N", "500", 1, 1e9, NULL,
     "iterations of a start at most"},
    {"tol", 0, SCANT_OPTION_REAL, AT(tol), "T", "1e-8", 0, 1, NULL,
     "stop when an iteration lowers the objective by less"},
    SCANT_I_ROW_TIME_LIMIT(AT(time_limit)),
    {"step", 0, SCANT_OPTION_REAL, AT(step), "A", "1", 1e-9, 1e9, NULL,
     "descent: step along the gradient"},
    {"grid", 0, SCANT_OPTION_COUNT, AT(grid), "N", "9", 2, 1e6, NULL,
     "grid: points for each weight"},
    {"reach", 0, SCANT_OPTION_REAL, AT(reach), "R", "4", 1e-9, 1e9, NULL,
     "grid: how far the points go to either side"},
    SCANT_I_ROW_SEED(AT(seed)),
    SCANT_I_ROW_THREADS(AT(threads)),
};
enum { NOPTIONS = sizeof table / sizeof *table };
static const scant_i_options_kind kind = {"scant_blind_options_preset", sizeof(scant_blind_options),
                                          table, NOPTIONS};

const scant_option *scant_blind_option_table(size_t *count)
{
    *count = NOPTIONS;
    return table;
}

void(scant_blind_options_preset)(scant_blind_options *options, size_t size)
{
    scant_i_options_preset(options, size, &kind);
}

static scant_status check_rows(const scant_rows *rows)
{
    double weight = 0;
    for (size_t c = 0; c < rows->ncolumns; c++)
        if (scant_rows_column_is_category(rows, c))
            return scant_i_fail_header(rows, c, "a score is made of numbers, not of categories");
    for (size_t i = 0; i < rows->nrows; i++) {
        weight += scant_rows_weight(rows, i);
        for (size_t c = 0; rows->dense && c < rows->ncolumns; c++)
            if (isnan(rows->dense[i * rows->ncolumns + c]))
                return scant_i_fail_cell(rows, i, c, "missing: a score needs every column");
    }
    if (!(weight > 0))
        return scant_i_fail(SCANT_ERR_INPUT, "no row has a positive weight");
    if (rows->labels.code && rows->labels.nclasses != 2)
        return scant_i_fail(SCANT_ERR_INPUT, "the labels are of %zu classes; a score tells two",
                            rows->labels.nclasses);
    return SCANT_OK;
}

/* square[c] = sum_i w_i (x_ic - centre_c)^2, where cells that a sparse row lacks are 0. */
static void add_squares(double *square, const scant_i_blind *b, const double *w, double total)
{
    const scant_rows *rows = b->rows;
    const scant_i_csr *x = &rows->sparse;
    for (size_t i = 0; rows->dense && i < rows->nrows; i++)
        for (size_t c = 0; c < b->d; c++) {
            double off = rows->dense[i * b->d + c] - b->centre[c];
            square[c] += w[i] * off * off;
        }
    if (rows->dense)
        return;
    for (size_t c = 0; c < b->d; c++)
        square[c] = total * b->centre[c] * b->centre[c];
    for (size_t i = 0; i < rows->nrows; i++)
        for (size_t e = x->start[i]; e < x->start[i + 1]; e++)
            square[x->column[e]] +=
                w[i] * x->value[e] * (x->value[e] - 2 * b->centre[x->column[e]]);
}

/* Weighted means, and 1 / standard deviation of each column; 0 where rounding is all of it. */
static scant_status standardise(scant_i_blind *b)
{
    scant_status status = SCANT_OK;
    double *w = NULL, total = 0;
    SCANT_I_TRY(SCANT_I_NEW(&b->centre, b->d));
    SCANT_I_TRY(SCANT_I_NEW(&b->factor, b->d));
    SCANT_I_TRY(SCANT_I_NEW(&w, b->rows->nrows));
    for (size_t i = 0; i < b->rows->nrows; i++)
        total += w[i] = scant_rows_weight(b->rows, i);
    scant_i_rows_times_transposed(b->centre, b->rows, w, 1);
    for (size_t c = 0; c < b->d; c++)
        b->centre[c] /= total;
    add_squares(b->factor, b, w, total);
    for (size_t c = 0; c < b->d; c++) {
        double sd = sqrt(fmax(b->factor[c] / total, 0));
        b->factor[c] = sd > sqrt(DBL_EPSILON) * fabs(b->centre[c]) ? 1 / sd : 0;
    }
done:
    scant_i_free(w);
    return status;
}

static void blind_clear(scant_i_blind *b)
{
    scant_i_free(b->centre);
    scant_i_free(b->factor);
    scant_i_free(b->basis);
}

static scant_status blind_new(scant_i_blind *b, const scant_model *model)
{
    scant_status status = SCANT_OK;
    b->began = scant_i_seconds();
    b->d = b->rows->ncolumns;
    b->loss = scant_i_loss_find(b->options->loss);
    SCANT_I_TRY(scant_i_prior_read(b->prior, b->options->prior, model->classes, 2, "prior"));
    if (b->prior[0] == b->prior[1])
        return scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                            "with two shares of one half the classes could be exchanged: nothing "
                            "in the rows names them");
    SCANT_I_TRY(standardise(b));
    if (strcmp(b->options->algorithm, "grid") != 0)
        SCANT_I_TRY(scant_i_blind_basis(b));
done:
    return status;
}

static scant_status name_classes(scant_model *model, const char *prior)
{
    scant_status status = SCANT_OK;
    if (model->nclasses)
        return SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&model->classes, 2));
    model->nclasses = 2;
    SCANT_I_TRY(scant_i_prior_name(model->classes, prior));
    scant_i_model_make_schema(model);
done:
    return status;
}

scant_status scant_blind(scant_model **out, const scant_rows *rows,
                         const scant_blind_options *options)
{
    scant_status status = SCANT_OK;
    scant_blind_options taken;
    scant_i_blind b = {.options = &taken, .rows = rows};
    scant_i_blind_run *runs = NULL;
    scant_model *model = NULL;
    *out = NULL;
    status = scant_i_options_take(&taken, options, &kind);
    if (status != SCANT_OK)
        return status;
    options = &taken;
    if (!options->prior)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "blind training needs the classes' proportions");
    SCANT_I_TRY(check_rows(rows));
    SCANT_I_TRY(scant_i_model_new(&model, rows));
    SCANT_I_TRY(name_classes(model, options->prior));
    SCANT_I_TRY(blind_new(&b, model));
    SCANT_I_TRY(SCANT_I_NEW(&runs, options->starts));
    for (size_t r = 0; r < options->starts; r++)
        runs[r].blind = &b;
    SCANT_I_TRY(scant_i_parallel(options->threads, options->starts, scant_i_blind_run_make, runs));
    const scant_i_blind_run *best = scant_i_blind_best(runs, options->starts);
    if (!best) {
        status = scant_i_fail(
            scant_i_interrupted() ? SCANT_ERR_INTERRUPTED : SCANT_ERR_UNIDENTIFIED,
            "none of %zu starts led to two classes that scores tell apart", options->starts);
        goto done;
    }
    SCANT_I_TRY(scant_i_blind_result(model, best, runs));
    model->summary.seconds = scant_i_seconds() - b.began;
    *out = model;
    model = NULL;
done:
    for (size_t r = 0; runs && r < options->starts; r++) {
        scant_i_blind_run_clear(&runs[r]);
        scant_i_free(runs[r].theta);
    }
    scant_i_free(runs);
    blind_clear(&b);
    scant_model_free(model);
    return status;
}
