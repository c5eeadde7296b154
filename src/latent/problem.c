#include "latent/problem.h"

#include <stdatomic.h>
#include <string.h>

/* Questions have numbers that differ in a process, so that a late answer is known as one, also when the
 * problem it was about is gone. */
static atomic_size_t questions;

/* --- parts --- */

/* Where part p begins: a tile that a cut goes through is its first row's owner's. */
static size_t begin_of(const scant_i_problem *problem, const scant_i_tiles *tiles, size_t p)
{
    const scant_i_carrier *carrier = problem->rows->carrier;
    size_t n = problem->rows->nrows, size = (size_t)1 << tiles->log2;
    if (p == 0 || p >= problem->nparts)
        return p ? n : 0;
    size_t row = scant_i_min(n, (size_t)(carrier->cut[p - 1] * (double)n));
    return scant_i_min(n, scant_i_round_up(row, size));
}

static scant_status deal_out(scant_i_problem *problem, const scant_i_evidence *evidence,
                             const scant_i_tiles *tiles)
{
    scant_status status = SCANT_OK;
    const scant_rows *rows = problem->rows;
    SCANT_I_TRY(SCANT_I_NEW(&problem->part, problem->nparts));
    if (!rows->carrier) {
        problem->part[0] = scant_i_part_of_all(rows, evidence->code, evidence->weight);
        return SCANT_OK;
    }
    for (size_t p = 0; p < problem->nparts; p++)
        SCANT_I_TRY(scant_i_part_new(&problem->part[p], rows, evidence->code, evidence->weight,
                                     begin_of(problem, tiles, p), begin_of(problem, tiles, p + 1)));
done:
    return status;
}

scant_status scant_i_problem_new(scant_i_problem *out, const scant_rows *rows,
                                 const scant_i_evidence *evidence, const scant_i_mixture *mixture,
                                 size_t more, size_t threads)
{
    scant_status status = SCANT_OK;
    *out = (scant_i_problem){.rows = rows, .nparts = rows->carrier ? rows->carrier->nparts : 1};
    SCANT_I_TRY(scant_i_posterior_new(&out->posterior, mixture, evidence));
    size_t own = scant_i_posterior_nstatistics(&out->posterior) + more;
    scant_i_whole whole = {.counts = scant_i_counts_of(rows),
                           .missing = !scant_i_rows_are_complete(rows, threads)};
    out->missing = whole.missing;
    whole.tiles = scant_i_pass_tiles(&whole, mixture, own);

    SCANT_I_TRY(deal_out(out, evidence, &whole.tiles));
    SCANT_I_TRY(SCANT_I_NEW(&out->pass, out->nparts));
    for (size_t p = 0; p < out->nparts; p++)
        SCANT_I_TRY(scant_i_pass_new(&out->pass[p], &out->part[p], &whole, mixture, own, threads));
    if (rows->carrier)
        SCANT_I_TRY(scant_i_tree_new(&out->tree, scant_i_tiles_count(&whole.tiles),
                                     scant_i_pass_length(out->pass[0])));
done:
    if (status != SCANT_OK)
        scant_i_problem_clear(out);
    return status;
}

void scant_i_problem_clear(scant_i_problem *problem)
{
    for (size_t p = 0; problem->pass && p < problem->nparts; p++)
        scant_i_pass_free(problem->pass[p]);
    for (size_t p = 0; problem->part && p < problem->nparts; p++)
        scant_i_part_clear(&problem->part[p]);
    scant_i_free(problem->pass);
    scant_i_free(problem->part);
    scant_i_tree_free(problem->tree);
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
    scant_i_node *node = NULL;
    scant_i_answer out = {
        .question = question->number, .part = part, .length = scant_i_pass_length(pass)};
    out.status = scant_i_pass_run(pass, b->mixture, b->plan, b->problem->whole);
    scant_status status = SCANT_OK;
    if (out.status == SCANT_OK) {
        out.nnodes = scant_i_pass_nodes(pass, NULL, 0);
        SCANT_I_TRY(SCANT_I_NEW(&node, out.nnodes));
        (void)scant_i_pass_nodes(pass, node, out.nnodes);
        out.node = node;
    } else {
        out.text = scant_message();
        out.place = *scant_fault();
    }
    status = take(&out, taker);
done:
    scant_i_free(node);
    return status;
}

/* What the driver has of a question so far. */
typedef struct driver {
    scant_i_tree *tree;
    size_t question;
    size_t failed; /* the first part that has, SIZE_MAX: none */
    scant_status status;
    char text[1024];
    scant_place place;
} driver;

static scant_status take(const scant_i_answer *answer, void *payload)
{
    driver *d = payload;
    scant_status status = SCANT_OK;
    if (answer->question != d->question)
        return SCANT_OK; /* late: of an earlier question */
    if (answer->status != SCANT_OK && answer->part < d->failed) {
        d->failed = answer->part;
        d->status = answer->status;
        strncpy(d->text, answer->text ? answer->text : "", sizeof d->text - 1);
        d->place = answer->place;
    }
    for (size_t k = 0; k < answer->nnodes && status == SCANT_OK; k++)
        status = scant_i_tree_put(d->tree, &answer->node[k]);
    return status;
}

static scant_status ask_parts(scant_i_problem *problem, const body *b)
{
    const scant_i_carrier *carrier = problem->rows->carrier;
    size_t number = atomic_fetch_add(&questions, 1);
    driver d = {.tree = problem->tree, .question = number, .failed = SIZE_MAX};
    scant_i_query question = {number, problem->nparts, answer, b};
    scant_i_tree_restart(problem->tree);
    scant_status status = carrier->ask(carrier, &question, take, &d);
    if (status != SCANT_OK)
        return status;
    if (d.failed != SIZE_MAX)
        return scant_i_fail_again(d.status, d.text, &d.place);
    problem->sums = scant_i_tree_root(problem->tree);
    return problem->sums ? SCANT_OK
                         : scant_i_fail(SCANT_ERR_INTERNAL, "a part has not answered for its rows");
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
    if (problem->tree) {
        SCANT_I_TRY(ask_parts(problem, &(body){problem, mixture, plan}));
    } else {
        SCANT_I_TRY(scant_i_pass_run(problem->pass[0], mixture, plan, problem->whole));
        problem->sums = scant_i_pass_own(problem->pass[0]);
    }
done:
    return status;
}

scant_status scant_i_problem_expect(scant_i_problem *problem, scant_i_mixture *mixture,
                                    bool accumulate)
{
    scant_i_pass_plan plan = {scant_i_posterior_visit, &problem->posterior, true, accumulate};
    return scant_i_problem_run(problem, mixture, &plan);
}

const double *scant_i_problem_own(const scant_i_problem *problem)
{
    return problem->sums;
}

const double *scant_i_problem_factor(const scant_i_problem *problem, size_t factor)
{
    return problem->sums + scant_i_pass_offset(problem->pass[0], factor);
}
