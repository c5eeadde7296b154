/* Chains against sums over all paths, in every combination of family, evidence, missing cells and known
 * zeros; long sequences; and the same bytes for any number of threads and parts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <scant/scant.h>
#include "check.h"
#include "family_cases.h"
#include "latent/chain.h"
#include "latent/chain_steps.h"
#include "latent/engine.h"
#include "parts/loopback.h"
#include "tables.h"

enum { M = 3, K = 2, MOST = 7, SEQUENCES = 12, PATHS = 2187 };

typedef enum classes_of { OWN, SHARED } classes_of; /* states: one class each, or both */
typedef enum known_zeros {
    NO_ZEROS,
    LEFT_TO_RIGHT
} known_zeros; /* that are known of the transitions */

typedef struct world {
    const family_case *family;
    scant_i_mixture *mixture;
    scant_rows *rows;
    scant_i_evidence evidence;
    double *x, *w;
    size_t n, nsequences;
    size_t first[64]; /* of each sequence, and the end of the last */
} world;

static const char *label_of(scant_i_random *random)
{
    static const char *const cells[] = {"a", "b", "a|b", "a:0.3;b:0.7", "", "", "", ""};
    return cells[scant_i_random_below(random, sizeof cells / sizeof *cells)];
}

static void set_labels(world *t, scant_i_random *random)
{
    static const char *const classes[] = {"a", "b"};
    const char **cells = calloc(t->n, sizeof *cells);
    assert_non_null(cells);
    for (size_t i = 0; i < t->n; i++)
        cells[i] = label_of(random);
    assert_ok(scant_rows_set_labels(t->rows, cells, classes, K, NULL));
    free(cells);
}

static void set_sequences(world *t)
{
    t->rows->group = scant_i_alloc(t->n, sizeof *t->rows->group);
    assert_non_null(t->rows->group);
    for (size_t s = 0; s < t->nsequences; s++)
        for (size_t i = t->first[s]; i < t->first[s + 1]; i++)
            t->rows->group[i] = (int32_t)s;
    t->rows->ngroups = t->nsequences;
    t->rows->sequential = true;
}

static void set_chain(world *t, classes_of coupling, known_zeros zeros, scant_i_random *random)
{
    static const double forward_only[M * M] = {1, 1, 0, 0, 1, 1, 0, 0, 1};
    scant_i_mixture *m = t->mixture;
    for (size_t j = 0; j < M; j++)
        for (size_t k = 0; k < K; k++)
            if (coupling == SHARED || j % K == k)
                scant_i_mixture_couple(m, j, k, (1 + scant_i_random_uniform(random)) / 10);
    assert_ok(scant_i_chain_lay(m, NULL, zeros == LEFT_TO_RIGHT ? forward_only : NULL));
    for (size_t line = 0; line <= M; line++) {
        double *x = m->ties + line * m->stride, sum = 0;
        for (size_t j = 0; j < M; j++)
            sum += x[j] *= 0.1 + scant_i_random_uniform(random);
        for (size_t j = 0; j < M; j++)
            x[j] /= sum;
    }
}

/* Sequences of the given lengths. */
static void world_new(world *t, const family_case *family, const size_t *length, size_t nsequences,
                      classes_of coupling, known_zeros zeros, bool missing, uint64_t seed)
{
    scant_i_random random = scant_i_random_new(seed, 3);
    *t = (world){.family = family, .nsequences = nsequences};
    for (size_t s = 0; s < nsequences; s++)
        t->first[s + 1] = t->first[s] + length[s];
    t->n = t->first[nsequences];
    assert_ok(scant_i_mixture_new(&t->mixture, M, K, 1));
    scant_i_factor *factor = case_factor(family, M, NULL, &random);
    t->mixture->factor[0] = factor;
    t->x = case_rows(family, factor, t->n, &random);
    case_standardise(factor, t->x, t->n);
    set_chain(t, coupling, zeros, &random);
    for (size_t c = 0; c < t->n * factor->ncolumns && missing; c++)
        if (scant_i_random_uniform(&random) < 0.2)
            t->x[c] = NAN;
    assert_ok(scant_rows_new(&t->rows, t->n, factor->ncolumns, t->x, NULL));
    set_sequences(t);
    t->w = calloc(t->n, sizeof *t->w);
    assert_non_null(t->w);
    for (size_t s = 0; s < nsequences; s++)
        for (size_t i = t->first[s]; i < t->first[s + 1]; i++)
            t->w[i] = 0.5 * (double)(1 + s % 3);
    assert_ok(scant_rows_set_weights(t->rows, t->w));
    for (size_t c = 0; c < factor->ncolumns && family->nlevels; c++) {
        static const char *const names[] = {"0", "1", "2", "3", "4", "5", "6", "7"};
        assert_ok(scant_rows_set_levels(t->rows, c, names, family->nlevels[c]));
    }
    set_labels(t, &random);
    scant_i_evidence_settings settings = {.unlabelled_weight = 1};
    assert_ok(scant_i_evidence_new(&t->evidence, t->rows, K, &settings));
}

static void world_clear(world *t)
{
    scant_i_evidence_clear(&t->evidence);
    scant_rows_free(t->rows);
    scant_i_mixture_free(t->mixture);
    free(t->w);
    scant_i_free(t->x);
}

/* --- the oracle: all paths --- */

static double B(const world *t, size_t j, size_t k)
{
    const double *W = t->mixture->coupling.W;
    size_t stride = t->mixture->stride;
    return W[k * stride + j] / (W[j] + W[stride + j]);
}

/* log of F and of what evidence says of state j */
static double log_step(const world *t, size_t i, size_t j)
{
    const scant_i_factor *factor = t->mixture->factor[0];
    uint8_t present[8];
    const double *x = t->x + i * factor->ncolumns;
    const double *v = t->evidence.v + scant_i_evidence_entry(&t->evidence, i) * K;
    for (size_t c = 0; c < factor->ncolumns; c++)
        present[c] = (uint8_t)(isfinite(x[c]) != 0);
    return t->family->log_density(factor, j, x, present) +
           log(B(t, j, 0) * v[0] + B(t, j, 1) * v[1]);
}

typedef struct answer {
    double log_sum, entropy;
    double r[MOST][M], filtered[MOST][M], start[M], xi[M * M];
    size_t best[MOST];
    double best_score;
} answer;

static double score_of(const world *t, const double (*L)[M], const size_t *path, size_t n)
{
    const double *start = scant_i_chain_start(t->mixture);
    const double *A = scant_i_chain_transitions(t->mixture);
    double sum = log(start[path[0]]) + L[0][path[0]];
    for (size_t i = 1; i < n; i++)
        sum += log(A[path[i - 1] * t->mixture->stride + path[i]]) + L[i][path[i]];
    return sum;
}

/* P(last state | steps 0 to n - 1) and, with `out`, everything. Returns log p. */
static double enumerate(const world *t, size_t first, size_t n, answer *out, double *last)
{
    double L[MOST][M], score[PATHS], top = -INFINITY, sum = 0;
    size_t npaths = 1, path[MOST];
    for (size_t i = 0; i < n; i++, npaths *= M)
        for (size_t j = 0; j < M; j++)
            L[i][j] = log_step(t, first + i, j);
    for (size_t p = 0; p < npaths; p++) {
        for (size_t i = 0, rest = p; i < n; i++, rest /= M)
            path[i] = rest % M;
        score[p] = score_of(t, (const double(*)[M])L, path, n);
        if (score[p] > top && out) {
            memcpy(out->best, path, sizeof path);
            out->best_score = score[p];
        }
        top = fmax(top, score[p]);
    }
    for (size_t p = 0; p < npaths && top > -INFINITY; p++)
        sum += exp(score[p] - top);
    double log_sum = top > -INFINITY ? top + log(sum) : top;
    for (size_t p = 0; p < npaths && top > -INFINITY; p++) {
        double share = exp(score[p] - log_sum);
        for (size_t i = 0, rest = p; i < n; i++, rest /= M)
            path[i] = rest % M;
        last[path[n - 1]] += share;
        if (!out)
            continue;
        out->entropy -= share > 0 ? share * log(share) : 0;
        out->start[path[0]] += share;
        for (size_t i = 0; i < n; i++)
            out->r[i][path[i]] += share;
        for (size_t i = 1; i < n; i++)
            out->xi[path[i - 1] * M + path[i]] += share;
    }
    if (out)
        out->log_sum = log_sum;
    return log_sum;
}

static answer answer_of(const world *t, size_t s)
{
    answer out = {0};
    double last[M] = {0};
    size_t first = t->first[s], n = t->first[s + 1] - first;
    (void)enumerate(t, first, n, &out, last);
    for (size_t i = 1; i <= n; i++)
        (void)enumerate(t, first, i, NULL, out.filtered[i - 1]);
    return out;
}

static void near(double a, double b, const char *what, const world *t)
{
    if (!(fabs(a - b) <= 1e-9 * fmax(1, fabs(b))) && !(a == b))
        fail_msg("%s of %s: %.17g is not %.17g", what, t->family->family->name, a, b);
}

/* --- the library's answers --- */

typedef struct reading {
    const scant_i_posterior *posterior;
    size_t stride;
    double *r, *loglik; /* n x M, n */
} reading;

static scant_status read_block(const scant_i_block *block, double *L, double *own, double *room,
                               void *payload)
{
    const reading *to = payload;
    double *loglik = calloc(block->nrows, sizeof *loglik);
    scant_status status = scant_i_structure_expect(to->posterior, block, L, own, loglik, room);
    for (size_t i = 0; i < block->nrows; i++) {
        size_t row = scant_i_block_row(block, i);
        to->loglik[row] = loglik[i];
        for (size_t j = 0; j < M; j++)
            to->r[row * M + j] = L[i * to->stride + j];
    }
    free(loglik);
    return status;
}

static void read_all(world *t, scant_i_problem *problem, scant_i_decoding decoding, double *r,
                     double *loglik)
{
    reading to = {&problem->posterior, t->mixture->stride, r, loglik};
    scant_i_pass_plan plan = {read_block, &to, true, false};
    problem->posterior.decoding = decoding;
    assert_ok(scant_i_problem_run(problem, t->mixture, &plan));
    problem->posterior.decoding = SCANT_I_SMOOTHED;
}

static void check_sums(world *t, const scant_i_problem *problem, const answer *answers)
{
    size_t stride = t->mixture->stride;
    double loglik = 0, weight = 0, entropy = 0, start[M] = {0}, xi[M * M] = {0}, N[K * M] = {0};
    for (size_t s = 0; s < t->nsequences; s++) {
        const answer *a = &answers[s];
        double w = t->w[t->first[s]];
        loglik += w * a->log_sum;
        entropy += w * a->entropy;
        for (size_t j = 0; j < M; j++)
            start[j] += w * a->start[j];
        for (size_t c = 0; c < M * M; c++)
            xi[c] += w * a->xi[c];
        for (size_t i = t->first[s]; i < t->first[s + 1]; i++) {
            const double *v = t->evidence.v + scant_i_evidence_entry(&t->evidence, i) * K;
            weight += w;
            for (size_t j = 0; j < M; j++)
                for (size_t k = 0; k < K; k++)
                    N[k * M + j] += w * a->r[i - t->first[s]][j] * B(t, j, k) * v[k] /
                                    fmax(B(t, j, 0) * v[0] + B(t, j, 1) * v[1], 1e-300);
        }
    }
    const double *sums = scant_i_problem_own(problem);
    scant_i_posterior_head head = scant_i_posterior_read(sums);
    near(head.objective, loglik, "log-likelihood", t);
    near(head.weight, weight, "weight", t);
    near(head.entropy, entropy, "entropy", t);
    const double *own =
        sums + scant_i_posterior_nstatistics(&problem->posterior) - (1 + M) * stride;
    for (size_t j = 0; j < M; j++)
        near(own[j], start[j], "starts", t);
    for (size_t c = 0; c < M * M; c++)
        near(own[stride + c / M * stride + c % M], xi[c], "transitions", t);
    double *counts = calloc(SCANT_I_COUNTS * K * stride, sizeof *counts);
    t->mixture->structure->counts(&problem->posterior, sums, counts);
    for (size_t c = 0; c < K * M; c++) {
        double sum = 0;
        for (size_t part = 0; part < SCANT_I_COUNTS; part++)
            sum += counts[part * K * stride + c / M * stride + c % M];
        near(sum, N[c], "counts", t);
    }
    free(counts);
}

static void check_steps(world *t, scant_i_problem *problem, const answer *answers)
{
    double *r = calloc(t->n * (M + 1), sizeof *r), *loglik = r + t->n * M;
    read_all(t, problem, SCANT_I_SMOOTHED, r, loglik);
    for (size_t s = 0; s < t->nsequences; s++) {
        double sum = 0;
        for (size_t i = t->first[s]; i < t->first[s + 1]; i++, sum += loglik[i - 1])
            for (size_t j = 0; j < M; j++)
                near(r[i * M + j], answers[s].r[i - t->first[s]][j], "posterior", t);
        near(sum, answers[s].log_sum, "log-likelihood of a sequence", t);
    }
    read_all(t, problem, SCANT_I_FILTERED, r, loglik);
    for (size_t s = 0; s < t->nsequences; s++)
        for (size_t i = t->first[s]; i < t->first[s + 1] && answers[s].log_sum > -INFINITY; i++)
            for (size_t j = 0; j < M; j++)
                near(r[i * M + j], answers[s].filtered[i - t->first[s]][j], "filter", t);
    read_all(t, problem, SCANT_I_BEST_PATH, r, loglik);
    for (size_t s = 0; s < t->nsequences; s++) {
        double sum = 0;
        for (size_t i = t->first[s]; i < t->first[s + 1]; sum += loglik[i], i++)
            for (size_t j = 0; j < M && answers[s].log_sum > -INFINITY; j++)
                near(r[i * M + j], j == answers[s].best[i - t->first[s]], "best path", t);
        near(sum, answers[s].log_sum > -INFINITY ? answers[s].best_score : -INFINITY,
             "score of the best path", t);
    }
    free(r);
}

/* Sequences that no path makes, which the evidence may come to, weigh nothing. */
static void drop_impossible(world *t, const answer *answers)
{
    for (size_t s = 0; s < t->nsequences; s++)
        for (size_t i = t->first[s]; i < t->first[s + 1] && answers[s].log_sum == -INFINITY; i++)
            t->w[i] = 0;
    assert_ok(scant_rows_set_weights(t->rows, t->w));
    t->evidence.weight = t->rows->weight;
}

static void paths_are_enumerated(void **state)
{
    (void)state;
    static const size_t length[SEQUENCES] = {1, 2, 3, 7, 5, 1, 6, 7, 4, 3, 2, 7};
    size_t possible = 0, impossible = 0;
    for (size_t f = 0; f < FAMILY_CASES; f++)
        for (size_t set = 0; set < 8; set++) {
            const family_case *family = &family_cases[f];
            bool missing = set & 4;
            if (missing && family->family->needs_all_cells)
                continue;
            world t;
            scant_i_problem problem = {0};
            answer answers[SEQUENCES];
            world_new(&t, family, length, SEQUENCES, set & 1 ? SHARED : OWN,
                      set & 2 ? LEFT_TO_RIGHT : NO_ZEROS, missing, 10 * f + set);
            for (size_t s = 0; s < SEQUENCES; s++) {
                answers[s] = answer_of(&t, s);
                *(answers[s].log_sum > -INFINITY ? &possible : &impossible) += 1;
            }
            drop_impossible(&t, answers);
            for (size_t s = 0; s < SEQUENCES; s++)
                answers[s].log_sum = t.w[t.first[s]] > 0 ? answers[s].log_sum : 0;
            assert_ok(scant_i_problem_new(&problem, t.rows, &t.evidence, t.mixture, 0, 1));
            assert_ok(scant_i_problem_expect(&problem, t.mixture, true));
            check_sums(&t, &problem, answers);
            for (size_t s = 0; s < SEQUENCES; s++)
                answers[s].log_sum = t.w[t.first[s]] > 0 ? answers[s].log_sum : -INFINITY;
            check_steps(&t, &problem, answers);
            scant_i_problem_clear(&problem);
            world_clear(&t);
        }
    if (possible < 1000 || impossible < 4)
        fail_msg("%zu sequences have a path, %zu have none", possible, impossible);
}

/* --- extremes --- */

static const family_case *gaussian(void)
{
    return family_case_of(&scant_i_gaussian);
}

/* What one step gives to states is so much that nothing of the others is left, in numbers, but later steps take it
 * back: e to the 200 at a time, ten times over. */
static void what_underflows_is_done_in_logs(void **state)
{
    (void)state;
    enum { N = 40 };
    size_t length = N;
    world t;
    world_new(&t, gaussian(), &length, 1, OWN, LEFT_TO_RIGHT, false, 5);
    scant_i_free(t.rows->labels.code);
    t.rows->labels.code = NULL;
    scant_i_evidence_clear(&t.evidence);
    scant_i_evidence_settings settings = {.unlabelled_weight = 1, .hidden = true};
    assert_ok(scant_i_evidence_new(&t.evidence, t.rows, K, &settings));
    t.evidence.code = NULL;
    scant_i_posterior posterior;
    assert_ok(scant_i_posterior_new(&posterior, t.mixture, &t.evidence));
    scant_i_posterior_prepare(&posterior);
    scant_i_batch batch = scant_i_batch_all(t.rows);
    batch.code = NULL;
    scant_i_block block = {.batch = &batch, .nrows = N};
    size_t stride = t.mixture->stride, nroom = t.mixture->structure->room(N, stride);
    size_t nstatistics = scant_i_posterior_nstatistics(&posterior);
    double *L = scant_i_alloc(N * stride, sizeof *L), *room = scant_i_alloc(nroom, sizeof *room);
    double *statistics = scant_i_alloc(nstatistics, sizeof *statistics), loglik[N], total = 0;
    double *naive = scant_i_alloc(N * M, sizeof *naive);
    for (size_t i = 0; i < N; i++) /* state 0 first, then state 2: there is no way back */
        for (size_t j = 0; j < stride; j++)
            L[i * stride + j] = j >= M    ? 0
                                : i == 10 ? (j == 2 ? 0 : -1500.0)
                                : i < 20  ? (j == 0 ? 0 : -200.0)
                                          : (j == 2 ? 0 : -250.0);
    const double *start = scant_i_chain_start(t.mixture);
    const double *A = scant_i_chain_transitions(t.mixture);
    double after = -INFINITY;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < M; j++) {
            double sum = i == 0 ? log(start[j]) : -INFINITY;
            for (size_t k = 0; k < M && i > 0; k++) {
                double x = naive[(i - 1) * M + k] + log(A[k * stride + j]), top = fmax(sum, x);
                sum = top > -INFINITY ? top + log(exp(sum - top) + exp(x - top)) : top;
            }
            naive[i * M + j] = sum + L[i * stride + j];
        }
    for (size_t j = 0; j < M; j++) {
        double x = naive[(N - 1) * M + j], top = fmax(after, x);
        after = top + log(exp(after - top) + exp(x - top));
    }
    assert_ok(scant_i_structure_expect(&posterior, &block, L, statistics, loglik, room));
    for (size_t i = 0; i < N; i++) {
        double sum = 0;
        total += loglik[i];
        for (size_t j = 0; j < M; j++)
            sum += L[i * stride + j];
        near(sum, 1, "sum of responsibilities", &t);
    }
    near(total, after, "log-likelihood", &t);
    scant_i_free(L);
    scant_i_free(room);
    scant_i_free(statistics);
    scant_i_free(naive);
    scant_i_posterior_clear(&posterior);
    world_clear(&t);
}

/* 10^5 steps: responsibilities add up to one to the last, and to the log-likelihood of the steps in two halves where a
 * label ties the state in the middle. */
static void long_sequences_do_not_underflow(void **state)
{
    (void)state;
    enum { N = 100000 };
    size_t length = N;
    world t;
    world_new(&t, gaussian(), &length, 1, SHARED, NO_ZEROS, true, 6);
    scant_i_problem problem = {0};
    double *r = calloc(N * (M + 1), sizeof *r), *loglik = r + N * M, sum = 0;
    assert_ok(scant_i_problem_new(&problem, t.rows, &t.evidence, t.mixture, 0, 1));
    read_all(&t, &problem, SCANT_I_SMOOTHED, r, loglik);
    for (size_t i = 0; i < N; i++) {
        near(r[i * M] + r[i * M + 1] + r[i * M + 2], 1, "sum of responsibilities", &t);
        sum += loglik[i];
    }
    assert_ok(scant_i_problem_expect(&problem, t.mixture, true));
    near(scant_i_problem_value(&problem), t.w[0] * sum, "log-likelihood", &t);
    const double *own = scant_i_problem_own(&problem) +
                        scant_i_posterior_nstatistics(&problem.posterior) - M * t.mixture->stride;
    double transitions = 0;
    for (size_t c = 0; c < M * M; c++)
        transitions += own[c / M * t.mixture->stride + c % M];
    near(transitions, t.w[0] * (N - 1), "transitions", &t);
    scant_i_problem_clear(&problem);
    free(r);
    world_clear(&t);
}

static void what_no_path_makes_is_named(void **state)
{
    (void)state;
    static const char *const classes[] = {"a", "b"};
    static const char *const cells[] = {"", "a", "b", "a", "a"}; /* b is state 1; then comes 2 */
    static const size_t length[] = {2, 3};
    world t;
    world_new(&t, gaussian(), length, 2, OWN, LEFT_TO_RIGHT, false, 7);
    scant_i_evidence_clear(&t.evidence);
    assert_ok(scant_rows_set_labels(t.rows, cells, classes, K, NULL));
    scant_i_evidence_settings settings = {.unlabelled_weight = 1};
    assert_ok(scant_i_evidence_new(&t.evidence, t.rows, K, &settings));
    double *A = scant_i_chain_transitions(t.mixture);
    A[t.mixture->stride + 2] = 0; /* b is the end */
    A[t.mixture->stride + 1] = 1;
    scant_i_problem problem = {0};
    assert_ok(scant_i_problem_new(&problem, t.rows, &t.evidence, t.mixture, 0, 1));
    assert_fails(scant_i_problem_expect(&problem, t.mixture, true), SCANT_ERR_INPUT,
                 "row 4, column label: no path of states");
    double r[5 * M], loglik[5];
    read_all(&t, &problem, SCANT_I_SMOOTHED, r, loglik);
    assert_true(isfinite(loglik[1]) && loglik[2] == -INFINITY && loglik[4] == -INFINITY);
    assert_true(r[4 * M] == 0 && r[M] + r[M + 1] + r[M + 2] > 0.99);
    scant_i_problem_clear(&problem);
    world_clear(&t);
}

/* Steps without any evidence weigh what unlabeled rows do in a sequence without any, more where others have some, and
 * steps with evidence weigh 1: by their chain and by themselves. */
static void unlabeled_steps_weigh_less(void **state)
{
    (void)state;
    static const char *const classes[] = {"a", "b"};
    static const char *const cells[] = {"", "a", "", "", "", "a|b", "b"};
    static const size_t length[] = {2, 3, 2};
    static const double share[] = {0.25 + 0.75 / 2, 0.25, 1};
    world t;
    world_new(&t, gaussian(), length, 3, SHARED, NO_ZEROS, false, 8);
    scant_i_evidence_clear(&t.evidence);
    assert_ok(scant_rows_set_labels(t.rows, cells, classes, K, NULL));
    scant_i_evidence_settings settings = {.unlabelled_weight = 0.25};
    assert_ok(scant_i_evidence_new(&t.evidence, t.rows, K, &settings));
    double expected = 0, weight = 0, own = 0;
    for (size_t s = 0; s < 3; s++) {
        expected += t.w[t.first[s]] * share[s] * answer_of(&t, s).log_sum;
        weight += t.w[t.first[s]] * share[s] * (double)length[s];
    }
    for (size_t j = 0; j < M; j++)
        own += exp(log_step(&t, 1, j));
    expected += t.w[0] * (1 - share[0]) * log(own);
    weight += t.w[0] * (1 - share[0]);
    scant_i_problem problem = {0};
    assert_ok(scant_i_problem_new(&problem, t.rows, &t.evidence, t.mixture, 0, 1));
    assert_ok(scant_i_problem_expect(&problem, t.mixture, true));
    near(scant_i_problem_value(&problem), expected, "log-likelihood", &t);
    near(scant_i_posterior_read(scant_i_problem_own(&problem)).weight, weight, "weight", &t);
    scant_i_problem_clear(&problem);
    world_clear(&t);
}

/* --- fits --- */

static scant_i_run *fit(const world *t, size_t threads, bool squarem, bool anneal, bool given)
{
    scant_i_run *run;
    scant_i_engine_options options = {.starts = given ? 1 : 2,
                                      .max_iter = given ? 12 : 3,
                                      .squarem = squarem,
                                      .anneal = anneal,
                                      .given = given,
                                      .kind = SCANT_I_START_KMEANS,
                                      .seed = 3,
                                      .threads = threads};
    assert_ok(scant_i_engine_fit(&run, t->mixture, t->rows, &t->evidence, &options));
    return run;
}

static void same_run(const scant_i_run *a, const scant_i_run *b, const char *what)
{
    size_t n = scant_i_mixture_size(a->mixture);
    double *x = calloc(2 * n, sizeof *x);
    scant_i_mixture_flatten(a->mixture, x);
    scant_i_mixture_flatten(b->mixture, x + n);
    if (memcmp(x, x + n, n * sizeof *x) != 0 || a->ntrace != b->ntrace ||
        memcmp(a->trace, b->trace, a->ntrace * sizeof *a->trace) != 0)
        fail_msg("%s: another fit", what);
    free(x);
}

static void fits_rise(void **state)
{
    (void)state;
    static const size_t length[] = {1, 50, 3, 17, 120, 2, 64, 30};
    for (size_t f = 0; f < FAMILY_CASES; f++)
        for (size_t set = 0; set < 8; set++) {
            world t;
            world_new(&t, &family_cases[f], length, 8, SHARED, set & 1 ? LEFT_TO_RIGHT : NO_ZEROS,
                      false, f);
            t.evidence.unlabelled_weight = set & 4 ? 0.1 : 1;
            scant_i_run *run = fit(&t, 1, set & 2, false, true);
            for (size_t k = 1; k < run->ntrace; k++)
                if (!(run->trace[k] >= run->trace[k - 1] - 1e-12 * fabs(run->trace[k])))
                    fail_msg("%s, set %zu: %.17g after %.17g", family_cases[f].family->name, set,
                             run->trace[k], run->trace[k - 1]);
            const double *A = scant_i_chain_transitions(run->mixture);
            assert_true((A[2] == 0) == ((set & 1) != 0)); /* known zeros stay, others do not come */
            for (size_t i = 0; i < M; i++)
                near(A[i * 8] + A[i * 8 + 1] + A[i * 8 + 2], 1, "a line of transitions", &t);
            scant_i_run_free(run);
            world_clear(&t);
        }
}

static void threads_and_parts_leave_no_trace(void **state)
{
    (void)state;
    static const size_t length[] = {1, 700, 3, 17, 1300, 2, 64, 2600, 5, 90};
    static const size_t threads[] = {1, 2, 7};
    static const double cut[] = {0.13, 0.3, 0.31, 0.31, 0.5, 0.77, 0.9999};
    for (int set = 0; set < 4; set++) {
        world t;
        world_new(&t, gaussian(), length, 10, OWN, NO_ZEROS, set & 1, 21);
        scant_i_run *one = fit(&t, 1, false, set & 2, set & 1), *other;
        for (size_t k = 1; k < 3; k++) {
            other = fit(&t, threads[k], false, set & 2, set & 1);
            same_run(one, other, "threads");
            scant_i_run_free(other);
        }
        for (size_t nparts = 2; nparts <= 8; nparts += nparts < 3 ? 1 : 5) {
            scant_i_loopback loopback;
            scant_i_loopback_open(&loopback, nparts, cut, nparts);
            t.rows->carrier = &loopback.carrier;
            other = fit(&t, threads[nparts % 3], false, set & 2, set & 1);
            t.rows->carrier = NULL;
            scant_i_loopback_close(&loopback);
            same_run(one, other, "parts");
            scant_i_run_free(other);
        }
        scant_i_run_free(one);
        world_clear(&t);
    }
}

int main(void)
{
    const struct CMUnitTest steps[] = {
        cmocka_unit_test(paths_are_enumerated),
        cmocka_unit_test(what_underflows_is_done_in_logs),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_sequences_do_not_underflow),
        cmocka_unit_test(what_no_path_makes_is_named),
        cmocka_unit_test(unlabeled_steps_weigh_less),
        cmocka_unit_test(fits_rise),
        cmocka_unit_test(threads_and_parts_leave_no_trace),
    };
    int failed = RUN_WITH_EACH_TABLE(steps);
    failed += scant_i_kernels_use(NULL) != SCANT_OK;
    return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
