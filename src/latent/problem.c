#include "latent/problem.h"

#include <string.h>

scant_status scant_i_problem_new(scant_i_problem *out, const scant_rows *rows,
                                 const scant_i_evidence *evidence, const scant_i_mixture *mixture,
                                 size_t more, size_t threads)
{
    return scant_i_problem_new_for(out, rows, evidence, mixture, &scant_i_objective_likelihood,
                                   more, threads);
}

scant_status scant_i_problem_new_for(scant_i_problem *out, const scant_rows *rows,
                                     const scant_i_evidence *evidence,
                                     const scant_i_mixture *mixture,
                                     const scant_i_latent_objective *objective, size_t more,
                                     size_t threads)
{
    scant_status status = SCANT_OK;
    *out = (scant_i_problem){.rows = rows};
    SCANT_I_TRY(scant_i_survey_new(&out->survey, rows, evidence, SCANT_I_NO_CELLS, threads));
    SCANT_I_TRY(scant_i_posterior_new(&out->posterior, mixture, evidence));
    SCANT_I_TRY(scant_i_aim_open(&out->aim, objective, &out->posterior));
    size_t own = scant_i_aim_nstatistics(&out->aim) + more;
    scant_i_whole whole = {.counts = out->survey.counts, .missing = out->survey.missing};
    whole.tiles = scant_i_pass_tiles(&whole, mixture, own);

    SCANT_I_TRY(scant_i_parts_new(&out->part, &out->nparts, rows, evidence->code, evidence->weight,
                                  whole.tiles.log2, mixture->structure->begins));
    SCANT_I_TRY(SCANT_I_NEW(&out->pass, out->nparts));
    for (size_t p = 0; p < out->nparts; p++)
        SCANT_I_TRY(
            scant_i_pass_new(&out->pass[p], &out->part[p], &whole, &out->aim, own, threads));
    if (rows->carrier)
        SCANT_I_TRY(scant_i_tree_new(&out->tree, scant_i_tiles_count(&whole.tiles),
                                     scant_i_pass_length(out->pass[0])));
    if (objective->anchor)
        SCANT_I_TRY(SCANT_I_NEW(&out->anchored, scant_i_pass_length(out->pass[0])));
done:
    if (status != SCANT_OK)
        scant_i_problem_clear(out);
    return status;
}

void scant_i_problem_clear(scant_i_problem *problem)
{
    for (size_t p = 0; problem->pass && p < problem->nparts; p++)
        scant_i_pass_free(problem->pass[p]);
    scant_i_free(problem->pass);
    scant_i_parts_free(problem->part, problem->nparts);
    scant_i_survey_clear(&problem->survey);
    scant_i_tree_free(problem->tree);
    scant_i_free(problem->anchored);
    scant_i_aim_close(&problem->aim);
    scant_i_posterior_clear(&problem->posterior);
    *problem = (scant_i_problem){0};
}

scant_status scant_i_problem_keep(scant_i_problem *problem, const scant_i_mixture *mixture)
{
    scant_status status = SCANT_OK;
    size_t bytes = 0;
    for (size_t p = 0; p < problem->nparts; p++)
        bytes += scant_i_pass_keep_bytes(problem->pass[p], mixture);
    for (size_t p = 0; p < problem->nparts && status == SCANT_OK; p++)
        status = scant_i_pass_keep(problem->pass[p], mixture, bytes);
    return status;
}

/* --- questions --- */

typedef struct body {
    const scant_i_problem *problem;
    const scant_i_mixture *mixture;
    const scant_i_pass_plan *plan;
} body;

static scant_status answer(const scant_i_query *question, size_t part, scant_i_take take,
                           void *taker)
{
    const body *b = question->body;
    scant_i_pass *pass = b->problem->pass[part];
    scant_status status = scant_i_pass_run(pass, b->mixture, b->plan, b->problem->cancel);
    return scant_i_answer_sums(question, part, status, scant_i_pass_tree(pass), take, taker);
}

/* sums += the aim's anchors, for the present parameters. */
static scant_status add_anchors(scant_i_problem *problem, const scant_i_mixture *mixture)
{
    scant_status status = SCANT_OK;
    double *w = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&w, mixture->stride));
    memcpy(problem->anchored, problem->sums,
           scant_i_pass_length(problem->pass[0]) * sizeof *problem->anchored);
    problem->sums = problem->anchored;

    for (size_t f = 0; f < mixture->nfactors; f++) {
        const scant_i_factor *factor = mixture->factor[f];
        if (!factor->family->pass->anchor) {
            status = scant_i_fail(SCANT_ERR_ARGUMENT, "%s takes no other objective than likelihood",
                                  factor->family->name);
            goto done;
        }
        SCANT_I_TRY(problem->aim.objective->anchor(&problem->aim, problem->sums, factor, w));
        SCANT_I_TRY(factor->family->pass->anchor(
            factor, w, problem->anchored + scant_i_pass_offset(problem->pass[0], f)));
    }
done:
    scant_i_free(w);
    return status;
}

scant_status scant_i_problem_run(scant_i_problem *problem, scant_i_mixture *mixture,
                                 const scant_i_pass_plan *plan)
{
    scant_status status = SCANT_OK;
    problem->sums = NULL;
    if (plan->density)
        SCANT_I_TRY(scant_i_mixture_prepare(mixture));
    problem->posterior.mixture = mixture;
    scant_i_posterior_prepare(&problem->posterior);
    problem->aim.posterior = &problem->posterior;
    problem->aimed = plan->visitor == scant_i_aim_visit;
    if (problem->aimed && problem->aim.objective->prepare)
        SCANT_I_TRY(problem->aim.objective->prepare(&problem->aim));
    if (problem->tree) {
        SCANT_I_TRY(scant_i_ask_sums(problem->rows->carrier, problem->tree, answer,
                                     &(body){problem, mixture, plan}));
        problem->sums = scant_i_tree_root(problem->tree);
    } else {
        SCANT_I_TRY(scant_i_pass_run(problem->pass[0], mixture, plan, problem->cancel));
        problem->sums = scant_i_pass_own(problem->pass[0]);
    }
    if (problem->aimed && problem->anchored && plan->accumulate)
        SCANT_I_TRY(add_anchors(problem, mixture));
done:
    return status;
}

scant_status scant_i_problem_expect(scant_i_problem *problem, scant_i_mixture *mixture,
                                    bool accumulate)
{
    scant_i_pass_plan plan = {scant_i_aim_visit, &problem->aim, true, accumulate};
    return scant_i_problem_run(problem, mixture, &plan);
}

double scant_i_problem_value(const scant_i_problem *problem)
{
    return problem->aim.objective->value(&problem->aim, problem->sums);
}

/* The structure's own numbers among the sums. */
static const double *own_of(const scant_i_problem *problem)
{
    const scant_i_posterior *p = &problem->posterior;
    const scant_i_structure *structure = p->mixture->structure;
    size_t own = structure->nstatistics ? structure->nstatistics(p->mixture) : 0;
    return problem->sums + scant_i_posterior_nstatistics(p) - own;
}

scant_status scant_i_mixture_maximise(scant_i_mixture *mixture, const scant_i_problem *problem)
{
    const scant_i_posterior *posterior = &problem->posterior;
    double *N = NULL;
    scant_status status = SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&N, SCANT_I_COUNTS * mixture->nclasses * mixture->stride));
    if (problem->aimed)
        SCANT_I_TRY(problem->aim.objective->counts(&problem->aim, problem->sums, N));
    else
        mixture->structure->counts(posterior, problem->sums, N);
    scant_i_coupling_maximise(mixture, N);
    if (mixture->structure->maximise)
        mixture->structure->maximise(mixture, own_of(problem));
    if (mixture->coupling.noise && mixture->coupling.noise_free)
        scant_i_noise_maximise(mixture, posterior, problem->sums, N);
    for (size_t f = 0; f < mixture->nfactors; f++) {
        scant_i_factor *factor = mixture->factor[f];
        const double *statistics = scant_i_problem_factor(problem, f);
        if (problem->aimed && problem->aim.objective->maximise)
            SCANT_I_TRY(
                problem->aim.objective->maximise(&problem->aim, problem->sums, factor, statistics));
        else
            SCANT_I_TRY(factor->family->pass->maximise(factor, statistics));
    }
done:
    scant_i_free(N);
    return status;
}

const double *scant_i_problem_own(const scant_i_problem *problem)
{
    return problem->sums;
}

const double *scant_i_problem_factor(const scant_i_problem *problem, size_t factor)
{
    return problem->sums + scant_i_pass_offset(problem->pass[0], factor);
}
