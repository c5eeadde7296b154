/* What a model says of rows.
 *
 *   P(k | x)  is proportional to sum_j W[k][j] F_j(x)
 *   support   = sum_j P(j | x) min(1, L_j), L_j the weight of labelled training rows on component j
 * One pass over the rows, O(rows components columns^2) as an E-step. */
#include <math.h>
#include <string.h>

#include "latent/problem.h"
#include "latent/structure.h"
#include "model/chain.h"
#include "model/machine.h"
#include "model/predict.h"
#include "model/score.h"

typedef struct prediction {
    const scant_model *model;
    const scant_i_mixture *mixture;
    const scant_i_posterior *posterior;
    scant_i_naming naming;
    const double *seen; /* M: min(1, L_j) */
    double *classes, *components, *support, *loglik;
} prediction;

/* What components say of one row, from its responsibilities r. */
static void answer(const prediction *p, size_t row, const double *r)
{
    size_t M = p->mixture->ncomponents;
    double support = 0, rest = 0;
    for (size_t j = 0; j < M; j++) {
        support += r[j] * p->seen[j];
        rest += r[j] * (1 - p->seen[j]);
        if (p->components)
            p->components[row * M + j] = r[j];
    }
    if (p->support) /* shares may sum to a rounding more or less */
        p->support[row] = rest > 0 ? fmin(support, 1) : support > 0;
}

static scant_status visit(const scant_i_block *block, double *L, double *own, double *room,
                          void *payload)
{
    const prediction *p = payload;
    size_t stride = p->mixture->stride;
    double *loglik = scant_i_alloc(block->nrows, sizeof *loglik);
    if (!loglik)
        return SCANT_ERR_MEMORY;
    scant_status status = scant_i_structure_expect(p->posterior, block, L, own, loglik, room);
    if (status == SCANT_OK && p->classes)
        p->mixture->structure->classes(p->posterior, block, &p->naming, L, loglik, p->classes);
    for (size_t i = 0; i < block->nrows && status == SCANT_OK; i++) {
        size_t row = scant_i_block_row(block, i);
        answer(p, row, L + i * stride);
        if (p->loglik)
            p->loglik[row] = loglik[i];
    }
    scant_i_free(loglik);
    return status;
}

static scant_i_decoding decoding_of(const scant_predict_options *options)
{
    const char *word = options->decode ? options->decode : "posterior";
    return strcmp(word, "viterbi") == 0  ? SCANT_I_BEST_PATH
           : strcmp(word, "filter") == 0 ? SCANT_I_FILTERED
                                         : SCANT_I_SMOOTHED;
}

/* Class proportions of the new rows in place of the model's: W[k][j] = P'_k pi_jk. */
static void reweigh(scant_i_mixture *mixture, const double *prior)
{
    for (size_t k = 0; k < mixture->nclasses; k++) {
        double *W = mixture->coupling.W + k * mixture->stride, P = 0;
        for (size_t j = 0; j < mixture->ncomponents; j++)
            P += W[j];
        for (size_t j = 0; j < mixture->ncomponents && P > 0; j++)
            W[j] *= prior[k] / P;
    }
}

static void drop_factor(scant_i_mixture *mixture, size_t without)
{
    scant_i_factor_free(mixture->factor[without]);
    for (size_t f = without + 1; f < mixture->nfactors; f++)
        mixture->factor[f - 1] = mixture->factor[f];
    mixture->factor[--mixture->nfactors] = NULL;
}

/* share[k][j] is what a unit of responsibility of component j says for class k. */
static void make_shares(const scant_model *model, const scant_i_mixture *m, double smoothing,
                        double *share, double *seen, double *class_prior)
{
    size_t K = scant_i_max(model->nclasses, 1);
    double total = 0;
    for (size_t j = 0; j < m->ncomponents; j++) {
        double all = 0, labelled = 0;
        for (size_t k = 0; k < m->nclasses; k++)
            all += m->coupling.W[k * m->stride + j];
        for (size_t k = 0; k < K; k++) {
            share[k * m->stride + j] = scant_i_class_share(model, m, smoothing, all, j, k);
            class_prior[k] += m->coupling.W[k * m->stride + j];
            total += m->coupling.W[k * m->stride + j];
            labelled += k < model->nclasses ? scant_model_component_labeled(model, j, k) : 0;
        }
        seen[j] = fmin(1, labelled);
    }
    for (size_t k = 0; k < K; k++)
        class_prior[k] = model->own_class || !(total > 0) ? 1 / (double)K : class_prior[k] / total;
}

static scant_status check_columns(const scant_model *model, const scant_rows *rows)
{
    const scant_schema *schema = &model->schema;
    if (rows->ncolumns != schema->ncolumns)
        return scant_i_fail(SCANT_ERR_INPUT, "the rows have %zu columns, the model %zu",
                            rows->ncolumns, schema->ncolumns);
    char made[SCANT_I_MADE_NAME];
    for (size_t c = 0; c < schema->ncolumns; c++)
        if (strcmp(scant_i_column_name(rows, c, made), schema->names[c]) != 0)
            return scant_i_fail(SCANT_ERR_INPUT,
                                "column %zu of the rows is %s where the model has %s", c + 1,
                                scant_i_column_name(rows, c, made), schema->names[c]);
    return SCANT_OK;
}

static bool same_texts(char *const *a, size_t na, const char *const *b, size_t nb)
{
    if (na != nb)
        return false;
    for (size_t i = 0; i < na; i++)
        if (strcmp(a[i], b[i]) != 0)
            return false;
    return true;
}

scant_status scant_i_check_names(const scant_model *model, const scant_rows *rows, bool labels)
{
    scant_status status = check_columns(model, rows);
    if (status != SCANT_OK)
        return status;
    const scant_schema *schema = &model->schema;
    for (size_t c = 0; rows->columns && c < schema->ncolumns; c++)
        if (rows->columns[c].nlevels &&
            !same_texts(rows->columns[c].levels, rows->columns[c].nlevels,
                        schema->levels ? schema->levels[c] : NULL,
                        schema->nlevels ? schema->nlevels[c] : 0))
            return scant_i_fail(SCANT_ERR_INPUT,
                                "column %s of the rows has other levels than the model's",
                                schema->names[c]);
    if (labels && rows->labels.code && model->nclasses &&
        !same_texts(rows->labels.classes, rows->labels.nclasses, schema->classes, schema->nclasses))
        return scant_i_fail(SCANT_ERR_INPUT, "the rows have other classes than the model's");
    return SCANT_OK;
}

/* Evidence and proportions that would go unheard are refused. */
static scant_status check_evidence(const scant_model *model, const scant_rows *rows,
                                   const scant_predict_options *options)
{
    if (options->prior && scant_i_is_chain(model))
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "--prior: the transitions of a chain make the class proportions");
    if (options->replace && scant_i_is_chain(model))
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--context-mode prior: a chain takes the "
                                                "probabilities of a step as likelihoods");
    if (options->prior && model->own_class)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "a model fitted with --unlabeled em3 takes no --prior for new "
                            "rows");
    if (!options->use_labels || !rows->labels.code)
        return SCANT_OK;
    if (model->nclasses == 0)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "the model has no classes for labels or a context "
                                                "to speak of");
    if (model->own_class)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "a model fitted with --unlabeled em3 takes no labels or context "
                            "of new rows");
    if (model->score)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "a linear classifier takes no labels or context of new rows");
    return SCANT_OK;
}

scant_status scant_i_asked_new(scant_i_asked *out, const scant_model *model,
                               scant_i_mixture *mixture, const scant_rows *rows,
                               const scant_predict_options *options, size_t without)
{
    scant_status status = SCANT_OK;
    scant_i_evidence_settings settings = {
        .unlabelled_weight = 1,
        .probabilities = options->replace ? SCANT_I_PRIOR : SCANT_I_LIKELIHOOD,
        .hidden = !options->use_labels,
    };
    *out = (scant_i_asked){.mixture = mixture};
    SCANT_I_TRY(scant_i_check_names(model, rows, options->use_labels));
    SCANT_I_TRY(check_evidence(model, rows, options));
    if (model->score) {
        SCANT_I_TRY(scant_i_score_rows(&out->scores, model->score, rows));
        rows = out->scores;
    }
    SCANT_I_TRY(scant_i_rows_for(mixture, rows, &out->owned, &out->rows));
    if (without < mixture->nfactors)
        drop_factor(mixture, without);
    SCANT_I_TRY(scant_i_mixture_validate(mixture, out->rows));
    if (options->prior && model->nclasses)
        reweigh(mixture, options->prior);
    SCANT_I_TRY(scant_i_evidence_new(&out->evidence, out->rows, mixture->nclasses, &settings));
    out->evidence.weight = NULL;
    if (!options->use_labels)
        out->evidence.code = NULL;
done:
    if (status != SCANT_OK)
        scant_i_asked_clear(out);
    return status;
}

void scant_i_asked_clear(scant_i_asked *asked)
{
    scant_i_evidence_clear(&asked->evidence);
    scant_i_mixture_free(asked->mixture);
    scant_rows_free(asked->owned);
    scant_rows_free(asked->scores);
    *asked = (scant_i_asked){0};
}

scant_status scant_i_predict(const scant_model *model, const scant_rows *rows,
                             const scant_predict_options *options, const scant_i_answers *answers)
{
    scant_predict_options taken;
    scant_status status = SCANT_OK;
    scant_i_asked asked = {0};
    scant_i_mixture *mixture = NULL;
    scant_i_problem problem = {0};
    double *tables = NULL;
    SCANT_I_TRY(scant_i_predict_options_take(&taken, options, model));
    options = &taken;
    if (model->kind)
        return scant_i_machine_predict(model, rows, options, answers);
    SCANT_I_TRY(scant_i_mixture_copy(&mixture, model->mixture));
    SCANT_I_TRY(scant_i_asked_new(&asked, model, mixture, rows, options, answers->without));
    SCANT_I_TRY(
        scant_i_problem_new(&problem, asked.rows, &asked.evidence, mixture, 0, options->threads));
    size_t K = mixture->nclasses, stride = mixture->stride;
    SCANT_I_TRY(SCANT_I_NEW(&tables, K * stride + stride + K));
    make_shares(model, mixture,
                options->unlabeled_smoothing ? *options->unlabeled_smoothing
                                             : model->unlabeled_smoothing,
                tables, tables + K * stride, tables + K * stride + stride);
    prediction p = {model,
                    mixture,
                    &problem.posterior,
                    {model->nclasses, tables, tables + K * stride + stride},
                    tables + K * stride,
                    answers->classes,
                    answers->components,
                    answers->support,
                    answers->loglik};
    scant_i_pass_plan plan = {visit, &p, true, false};
    problem.cancel = answers->cancel;
    problem.posterior.decoding = decoding_of(options);
    SCANT_I_TRY(scant_i_problem_run(&problem, mixture, &plan));
    if (model->score && answers->classes)
        scant_i_score_classes(answers->classes, model->score, asked.scores->dense,
                              asked.scores->nrows, model->mixture->coupling.prior, options->prior);
done:
    scant_i_problem_clear(&problem);
    scant_i_asked_clear(&asked);
    scant_i_free(tables);
    return status;
}

scant_status scant_model_predict(const scant_model *model, const scant_rows *rows,
                                 const scant_predict_options *options, double *classes,
                                 double *components, double *support, double *loglik)
{
    scant_i_answers answers = {classes, components, support, loglik, SIZE_MAX, NULL};
    return scant_i_predict(model, rows, options, &answers);
}

/* E[y | x] = sum_j P(j | x without y) E_j[y | x] */
scant_status scant_i_predict_target(const scant_model *model, const scant_rows *rows,
                                    const scant_predict_options *options,
                                    const scant_i_cancel *cancel, double *target)
{
    scant_status status = SCANT_OK;
    const scant_i_mixture *m = model->mixture;
    size_t f = 0, M = m->ncomponents;
    double *components = NULL, *x = NULL;
    if (model->kind)
        return scant_i_machine_target(model, rows, options, target);
    while (f < m->nfactors && !m->factor[f]->family->has_target)
        f++;
    if (f == m->nfactors)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "this model has no regression to predict a target with");
    const scant_i_factor *regression = m->factor[f];
    SCANT_I_TRY(SCANT_I_NEW(&components, rows->nrows * M));
    scant_i_answers answers = {.components = components, .without = f, .cancel = cancel};
    SCANT_I_TRY(scant_i_predict(model, rows, options, &answers));
    SCANT_I_TRY(SCANT_I_NEW(&x, regression->ncolumns));
    for (size_t i = 0; i < rows->nrows; i++) {
        for (size_t c = 0; c < regression->ncolumns; c++)
            x[c] = scant_rows_value(rows, i, regression->columns[c]);
        target[i] = 0;
        for (size_t j = 0; j < M; j++)
            target[i] +=
                components[i * M + j] * regression->family->expect_target(regression, j, x);
    }
done:
    scant_i_free(components);
    scant_i_free(x);
    return status;
}

scant_status scant_model_predict_target(const scant_model *model, const scant_rows *rows,
                                        const scant_predict_options *options, double *target)
{
    return scant_i_predict_target(model, rows, options, NULL, target);
}
