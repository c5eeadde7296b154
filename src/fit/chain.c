#include "fit/chain.h"

#include <string.h>

#include "data/sequence.h"
#include "latent/chain.h"
#include "model/noise.h"
#include "model/options.h"

/* What is 1 may be above 0. */
typedef struct openings {
    double *start, *transitions; /* M and M x M; `start` NULL: all */
} openings;

static scant_status left_to_right(openings *out, size_t M)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&out->start, M));
    SCANT_I_TRY(SCANT_I_NEW(&out->transitions, M * M));
    out->start[0] = 1;
    for (size_t i = 0; i < M; i++)
        for (size_t j = i; j < M; j++)
            out->transitions[i * M + j] = 1;
done:
    return status;
}

/* M lines of M numbers, 0 where a state cannot follow; one more line before them is of the start. */
static scant_status read_table(openings *out, size_t M, const char *path)
{
    scant_status status = SCANT_OK;
    scant_rows *table = NULL;
    scant_read_options reading = {.size = sizeof reading, .threads = 1};
    SCANT_I_TRY(scant_rows_read(&table, path, &reading));
    if (table->ncolumns != M || (table->nrows != M && table->nrows != M + 1)) {
        status = scant_i_fail_in(SCANT_ERR_INPUT, path,
                                 "a table of %zu x %zu for %zu states: there must be a column for "
                                 "each, and a line for each, with or without one for the start "
                                 "before them",
                                 table->nrows, table->ncolumns, M);
        goto done;
    }
    size_t before = table->nrows - M;
    if (before)
        SCANT_I_TRY(SCANT_I_NEW(&out->start, M));
    SCANT_I_TRY(SCANT_I_NEW(&out->transitions, M * M));
    for (size_t line = 0; line < table->nrows; line++) {
        double most = 0;
        for (size_t j = 0; j < M; j++) {
            double x = scant_rows_value(table, line, j);
            if (!(x >= 0)) {
                status = scant_i_fail_cell(table, line, j, "expected 0 or more, not %g", x);
                goto done;
            }
            most = x > most ? x : most;
            *(line < before ? &out->start[j] : &out->transitions[(line - before) * M + j]) = x;
        }
        if (!(most > 0)) {
            status = scant_i_fail_cell(table, line, 0, "no state can be next: all are 0");
            goto done;
        }
    }
done:
    scant_rows_free(table);
    return status;
}

/* One table for what cannot go together: where both columns hold, the last says why. */
typedef struct conflict {
    bool first, second;
    const char *why;
} conflict;

scant_status scant_i_chain_check(const scant_rows *rows, const scant_fit_options *options,
                                 const scant_i_method *method)
{
    double lambda;
    bool chain = rows->sequential;
    bool prior = strcmp(options->evidence.context_mode, "prior") == 0;
    bool posterior = strcmp(options->evidence.context_mode, "posterior") == 0;
    bool given = strcmp(options->model.transitions, "any") != 0;
    const conflict conflicts[] = {
        {!chain, given, "--transitions: these rows have no sequences (--sequence)"},
        {chain, method->own_class || method->after,
         "--sequence: of --unlabeled em1 and em2 alone; steps without a label are of any state"},
        {chain, options->model.prior != NULL,
         "--sequence: the transitions of a chain make the class proportions, so --prior has no "
         "place"},
        {chain, prior || posterior,
         "--sequence: only with --context-mode likelihood, which weighs the states of a step"},
        {chain, scant_i_sharing_of(options->model.sharing, &lambda) != SCANT_I_BY_MASK,
         "--sequence: not with --sharing lambda=, auto"},
        {chain, scant_i_noise_estimated(options), "--sequence: not with --label-noise estimate"},
    };
    for (size_t c = 0; c < sizeof conflicts / sizeof *conflicts; c++)
        if (conflicts[c].first && conflicts[c].second)
            return scant_i_fail_words(SCANT_ERR_ARGUMENT, conflicts[c].why);
    return SCANT_OK;
}

/* There must be something to learn transitions from. */
static scant_status check_lengths(const scant_rows *rows)
{
    for (size_t i = 0; i < rows->nrows; i++)
        if (!scant_i_begins_sequence(rows, i))
            return SCANT_OK;
    return scant_i_fail(SCANT_ERR_INPUT,
                        "column %s: each sequence has a single step, so there are no transitions; "
                        "leave --sequence out, or name the column that rows of a sequence share",
                        rows->group_name ? rows->group_name : "sequence");
}

scant_status scant_i_chain_make(scant_i_mixture *mixture, const scant_rows *rows,
                                const scant_fit_options *options, const scant_i_mixture *start)
{
    scant_status status = SCANT_OK;
    size_t M = mixture->ncomponents;
    const char *word = options->model.transitions;
    openings open = {0};
    SCANT_I_TRY(check_lengths(rows));
    SCANT_I_TRY(scant_i_rows_check_sequences(rows));
    if (strcmp(word, "left-to-right") == 0)
        SCANT_I_TRY(left_to_right(&open, M));
    else if (strcmp(word, "any") != 0)
        SCANT_I_TRY(read_table(&open, M, word));
    SCANT_I_TRY(scant_i_chain_lay(mixture, open.start, open.transitions));
    if (start && start->structure == &scant_i_structure_chain)
        memcpy(mixture->ties, start->ties, mixture->nties * sizeof *mixture->ties);
done:
    scant_i_free(open.start);
    scant_i_free(open.transitions);
    return status;
}
