#include "votes_cases.h"

#include <stdlib.h>
#include "base/random.h"
#include "check.h"

double votes_chance(const votes_plan *plan, size_t predictor, size_t j, size_t a)
{
    size_t l = plan->nclasses;
    double right = plan->accuracy + plan->step * (double)predictor;
    double other = (1 - right) * (1 - plan->lean) / (double)(l - 1);
    return a == j ? right : other + (a == (j + 1) % l ? (1 - right) * plan->lean : 0);
}

double votes_error(const votes_plan *plan, size_t predictor)
{
    double error = 0;
    for (size_t j = 0; j < plan->nclasses; j++)
        error += plan->prior[j] * (1 - votes_chance(plan, predictor, j, j));
    return error;
}

scant_votes *votes_draw(const votes_plan *plan)
{
    size_t n = plan->nitems, k = plan->npredictors, l = plan->nclasses, count = 0;
    size_t *item = calloc(n * k, sizeof *item), *predictor = calloc(n * k, sizeof *predictor),
           *answer = calloc(n * k, sizeof *answer);
    int32_t *truth = calloc(n, sizeof *truth);
    double *chance = calloc(l, sizeof *chance);
    scant_i_random random = scant_i_random_new(plan->seed, 0);
    for (size_t i = 0; i < n; i++) {
        size_t y = scant_i_random_pick(&random, plan->prior, l);
        truth[i] = scant_i_random_uniform(&random) < plan->known ? (int32_t)y : -1;
        for (size_t c = 0; c < k; c++) {
            for (size_t a = 0; a < l; a++)
                chance[a] = votes_chance(plan, c, y, a);
            size_t a = scant_i_random_pick(&random, chance, l);
            if (scant_i_random_uniform(&random) < plan->missing)
                continue;
            item[count] = i;
            predictor[count] = c;
            answer[count++] = a;
        }
    }
    scant_votes *votes = NULL;
    assert_ok(scant_votes_new(&votes, n, k, l, count, item, predictor, answer, NULL, NULL));
    assert_ok(scant_votes_set_truth(votes, truth));
    free(item);
    free(predictor);
    free(answer);
    free(truth);
    free(chance);
    return votes;
}

scant_audit_options votes_options(const char *model, const char *prior)
{
    scant_audit_options o;
    scant_audit_options_preset(&o);
    o.model = model;
    o.prior = prior;
    o.threads = 1;
    return o;
}
