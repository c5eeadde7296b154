/* Many audits of votes drawn from a known model, for coverage and for figures.
 *
 * A line of standard input is an experiment:
 *   name model wald|profile together|separately prior|estimate n missing runs seed share k accuracy...
 * `share` is the first class's true share, `prior` the share the audit is told; the accuracies are two
 * a predictor, one for each class. A line of output is a predictor of a run:
 *   name run predictor status error low high right0 low high right1 low high counted
 * where `counted` is the error rate that labels would have told. Refused runs have NaN. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <scant/scant.h>

enum { CLASSES = 2, PREDICTORS_MOST = 64 };

typedef struct experiment {
    char name[64], model[32], intervals[32], how[32], prior[32];
    size_t n, runs, k;
    double missing, share;
    uint64_t seed;
    double accuracy[PREDICTORS_MOST][CLASSES];
} experiment;

/* splitmix64 (Steele, Lea and Flood 2014) */
static uint64_t state;
static double uniform(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static int read_experiment(experiment *e)
{
    if (scanf("%63s %31s %31s %31s %31s %zu %lf %zu %lu %lf %zu", e->name, e->model, e->intervals,
              e->how, e->prior, &e->n, &e->missing, &e->runs, &e->seed, &e->share, &e->k) != 11)
        return 0;
    for (size_t c = 0; c < e->k && c < PREDICTORS_MOST; c++)
        if (scanf("%lf %lf", &e->accuracy[c][0], &e->accuracy[c][1]) != CLASSES)
            return 0;
    return e->k <= PREDICTORS_MOST;
}

typedef struct draw {
    size_t count, *item, *predictor, *answer;
    double wrong[PREDICTORS_MOST], answers[PREDICTORS_MOST];
} draw;

static void make(draw *d, const experiment *e, size_t run)
{
    state = e->seed * 0x2545f4914f6cdd1du + run;
    d->count = 0;
    memset(d->wrong, 0, sizeof d->wrong);
    memset(d->answers, 0, sizeof d->answers);
    for (size_t i = 0; i < e->n; i++) {
        size_t y = uniform() < e->share ? 0 : 1;
        for (size_t c = 0; c < e->k; c++) {
            int right = uniform() < e->accuracy[c][y];
            if (uniform() < e->missing)
                continue;
            d->item[d->count] = i;
            d->predictor[d->count] = c;
            d->answer[d->count++] = right ? y : 1 - y;
            d->answers[c]++;
            d->wrong[c] += !right;
        }
    }
}

static void print_estimate(const scant_estimate *e)
{
    printf(" %.17g %.17g %.17g", e ? e->value : NAN, e ? e->low : NAN, e ? e->high : NAN);
}

static int run_one(const experiment *e, size_t run, draw *d)
{
    scant_votes *votes = NULL;
    scant_audit *audit = NULL;
    scant_audit_options o;
    char prior[80];
    make(d, e, run);
    scant_audit_options_preset(&o);
    double told = atof(e->prior);
    snprintf(prior, sizeof prior, "%.17g,%.17g", told, 1 - told);
    o.model = e->model;
    o.intervals = e->intervals;
    o.prior = strcmp(e->prior, "estimate") == 0 ? e->prior : prior;
    o.separately = strcmp(e->how, "separately") == 0;
    o.threads = 1;
    scant_status status = scant_votes_new(&votes, e->n, e->k, CLASSES, d->count, d->item,
                                          d->predictor, d->answer, NULL, NULL);
    if (status == SCANT_OK)
        status = scant_audit_votes(&audit, votes, &o);
    if (status != SCANT_OK && status != SCANT_ERR_UNIDENTIFIED) {
        fprintf(stderr, "%s: %s\n", e->name, scant_message());
        return 0;
    }
    for (size_t c = 0; c < e->k; c++) {
        const scant_audit_predictor *p = audit ? scant_audit_predictor_at(audit, c) : NULL;
        printf("%s %zu %zu %d", e->name, run, c, (int)status);
        print_estimate(p ? &p->error : NULL);
        print_estimate(p ? &p->confusion[0] : NULL);
        print_estimate(p ? &p->confusion[3] : NULL);
        printf(" %.17g\n", d->wrong[c] / d->answers[c]);
    }
    scant_audit_free(audit);
    scant_votes_free(votes);
    return 1;
}

int main(void)
{
    experiment e;
    while (read_experiment(&e)) {
        size_t room = e.n * e.k;
        draw d = {.item = calloc(room, sizeof(size_t)),
                  .predictor = calloc(room, sizeof(size_t)),
                  .answer = calloc(room, sizeof(size_t))};
        int ok = d.item && d.predictor && d.answer;
        for (size_t run = 0; ok && run < e.runs; run++)
            ok = run_one(&e, run, &d);
        free(d.item);
        free(d.predictor);
        free(d.answer);
        if (!ok)
            return 1;
    }
    return 0;
}
