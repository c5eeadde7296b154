/* One-sided sources, judged.
 *
 * With r_ij the classes' responsibilities, x_ic = 1 where c answers, f_cj = P(c answers | j), N_j = sum_i r_ij:
 *   error of c     1 - sum_j S_cjj / sum_ja S_cja,  of the answers it gives: silence is no error
 *   independence   U_cd = sum_ij r_ij (x_ic - f_cj) (x_id - f_dj),  V_cd = sum_j N_j f_cj (1 - f_cj) f_dj (1 - f_dj)
 * U / sqrt(V) is at most standard normal where c and d answer independently given the class: estimating takes from its
 * variance. The sum over silent rows is had from sums over answers:
 *   U_cd = sum_j B_cdj - f_dj A_cj - f_cj A_dj + f_cj f_dj N_j
 * with A_cj the expected answers and B_cdj those of both. A row of m answers costs m^2 l. */
#include "audit/rules.h"

#include <math.h>

#include "latent/problem.h"

enum { PAIRED_MOST = 600 };
static const double INFORMATION_LEAST = 4, LEVEL = 0.01, BADLY = 1e-6, LARGE = 0.1;

typedef struct gathering {
    const scant_i_mixture *mixture;
    const scant_i_posterior *posterior;
    size_t k, l, paired, head; /* the posterior's own statistics come first */
} gathering;

static size_t pair_of(size_t c, size_t d)
{
    return c * (c - 1) / 2 + d; /* c > d */
}

static size_t length_of(const gathering *g)
{
    return g->l + g->k * g->l * g->l + g->paired * (g->paired - (g->paired > 0)) / 2 * g->l;
}

/* Sums: N (l) | S (k l x l) | B (pairs x l). */
static scant_status gather(const scant_i_block *block, double *L, double *own, double *room,
                           void *payload)
{
    const gathering *g = payload;
    size_t l = g->l;
    scant_status status = scant_i_posterior_block(g->posterior, block, L, own, NULL, room);
    double *N = own + g->head, *S = N + l, *B = S + g->k * l * l;
    for (size_t i = 0; status == SCANT_OK && i < block->nrows; i++) {
        size_t n;
        const int32_t *column =
            scant_i_batch_votes(block->batch, scant_i_block_place(block, i), &n);
        const double *r = L + i * g->mixture->stride;
        for (size_t j = 0; j < l; j++)
            N[j] += r[j];
        for (size_t e = 0; e < n; e++) {
            size_t c = (size_t)column[e] / l;
            for (size_t j = 0; j < l; j++)
                S[(size_t)column[e] * l + j] += r[j];
            for (size_t f = 0; f < e && c < g->paired; f++) {
                size_t d = (size_t)column[f] / l;
                double *both = B + pair_of(c > d ? c : d, c > d ? d : c) * l;
                for (size_t j = 0; j < l && d < g->paired && c != d; j++)
                    both[j] += r[j];
            }
        }
    }
    return status;
}

double scant_i_audit_silence(const scant_i_mixture *m, size_t predictor, size_t class_index)
{
    const double *p = scant_i_audit_table(m, predictor, class_index);
    double rest = 1;
    for (size_t a = 0; a < m->nclasses; a++)
        rest -= p[a];
    return fmax(rest, 0);
}

/* --- independence --- */

typedef struct finding {
    double z, rho;
} finding;

static double answered(const double *S, size_t c, size_t j, size_t l)
{
    double sum = 0;
    for (size_t a = 0; a < l; a++)
        sum += S[(c * l + a) * l + j];
    return sum;
}

/* false: too little to tell */
static bool look(finding *out, const gathering *g, const double *sums, size_t c, size_t d)
{
    size_t l = g->l;
    const double *N = sums, *S = N + l, *B = S + g->k * l * l + pair_of(c, d) * l;
    double U = 0, V = 0, spread = 0;
    for (size_t j = 0; j < l; j++) {
        double p = 1 - scant_i_audit_silence(g->mixture, c, j),
               q = 1 - scant_i_audit_silence(g->mixture, d, j);
        U += B[j] - q * answered(S, c, j, l) - p * answered(S, d, j, l) + p * q * N[j];
        V += N[j] * p * (1 - p) * q * (1 - q);
        spread += N[j] * sqrt(p * (1 - p) * q * (1 - q));
    }
    *out = (finding){U / sqrt(V), U / spread};
    return V >= INFORMATION_LEAST;
}

static double two_sided(double z)
{
    return erfc(fabs(z) / sqrt(2));
}

static void depend(scant_dependence *out, const gathering *g, const double *sums)
{
    finding f;
    *out = (scant_dependence){
        .p = NAN, .z = NAN, .correlation = NAN, .possible = g->k * (g->k - (g->k > 0)) / 2};
    for (int round = 0; round < 2;
         round++) /* how many are tested, then which of them are rejected */
        for (size_t c = 1; c < g->paired; c++)
            for (size_t d = 0; d < c; d++) {
                if (!look(&f, g, sums, c, d))
                    continue;
                if (round == 0 && (!out->pairs++ || fabs(f.z) > fabs(out->z))) {
                    out->z = f.z;
                    out->correlation = f.rho;
                    out->first = d;
                    out->second = c;
                }
                if (round == 1 && two_sided(f.z) * (double)out->pairs < LEVEL) {
                    out->rejected++;
                    out->largest = fmax(out->largest, fabs(f.rho));
                }
            }
    out->p = out->pairs ? fmin(1, two_sided(out->z) * (double)out->pairs) : NAN;
    out->verdict = !out->pairs                               ? SCANT_VERDICT_UNTESTED
                   : !out->rejected                          ? SCANT_VERDICT_HOLDS
                   : out->p < BADLY && out->largest >= LARGE ? SCANT_VERDICT_FAILS
                                                             : SCANT_VERDICT_DOUBTFUL;
}

/* --- results --- */

static scant_estimate alone(double value)
{
    return (scant_estimate){value, NAN, NAN, NAN};
}

static void report(scant_audit *audit, size_t *told, const scant_i_question *q,
                   const scant_i_mixture *m, const double *S)
{
    size_t k = audit->npredictors, l = audit->nclasses;
    *told = 0;
    for (size_t c = 0; c < k; c++) {
        double right = 0, all = 0;
        for (size_t j = 0; j < l; j++) {
            right += S[(c * l + j) * l + j];
            all += answered(S, c, j, l);
            for (size_t a = 0; a < l; a++)
                audit->confusion[(c * l + j) * l + a] = alone(scant_i_audit_table(m, c, j)[a]);
        }
        double wrong = all > 0 ? fmax(0, 1 - right / all) : NAN;
        audit->judged[c].answers = q->answers[c];
        audit->judged[c].wrong = alone(wrong);
        audit->judged[c].error = alone(wrong);
        *told += all > 0;
    }
    for (size_t j = 0; j < l; j++) {
        double share = scant_i_audit_share(m, j), error = q->prior ? 0 : NAN;
        audit->prior[j] = q->prior ? (scant_estimate){share, error, share, share} : alone(share);
    }
}

scant_status scant_i_audit_judge_rules(scant_audit *audit, size_t *told, const scant_i_question *q,
                                       const scant_i_audit_task *task, scant_i_mixture *mixture)
{
    scant_status status = SCANT_OK;
    scant_i_problem problem = {0};
    scant_i_evidence evidence = {0};
    size_t k = audit->npredictors;
    gathering g = {.mixture = mixture,
                   .posterior = &problem.posterior,
                   .k = k,
                   .l = audit->nclasses,
                   .paired = k < PAIRED_MOST ? k : PAIRED_MOST};
    scant_i_pass_plan plan = {gather, &g, true, false};
    SCANT_I_TRY(scant_i_audit_evidence(&evidence, task->votes));
    g.head = scant_i_posterior_length(mixture, &evidence);
    SCANT_I_TRY(scant_i_problem_new(&problem, task->votes->rows, &evidence, mixture, length_of(&g),
                                    task->options->threads));
    problem.cancel = task->cancel;
    SCANT_I_TRY(scant_i_problem_run(&problem, mixture, &plan));
    const double *sums = scant_i_problem_own(&problem) + g.head;
    report(audit, told, q, mixture, sums + g.l);
    depend(&audit->summary.dependence, &g, sums);
done:
    scant_i_problem_clear(&problem);
    scant_i_evidence_clear(&evidence);
    return status;
}
