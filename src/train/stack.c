/* Stacking: weights of members from labels they did not see.
 *
 *   p(k | x) = sum_m w_m q_m(k | x), q_m the member's probabilities p_m as sharp as held-out labels bear (sharpen.h)
 *   w maximises sum_i log p(y_i | x_i; folds without i) + (ALPHA - 1) sum_m log w_m
 *
 * Labels are cut into stratified folds, at most as many as the smallest class has labels, at least two. A class with one
 * label keeps it in every fit, and where fewer than two labels a class can be held out the weights are equal. The prior,
 * Dirichlet(ALPHA), keeps a few held-out labels from giving all to one member.
 * Cost: folds x members fits, and the last ones; 200 steps of EM over labels x members. */
#include "train/stack.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "math/linear.h"
#include "train/sharpen.h"

static const double ALPHA = 1.3, LEAST_WEIGHT = 0.005;
enum { EM_STEPS = 200, STREAM = 3000, CHUNK = 1024 };

/* --- the stack as an object --- */

void scant_i_stack_free(void *any)
{
    scant_i_stack *s = any;
    if (!s)
        return;
    for (size_t m = 0; s->fitted && m < s->nmembers; m++)
        if (s->fitted[m])
            s->member[m]->free(s->fitted[m]);
    scant_i_free(s->member);
    scant_i_free(s->fitted);
    scant_i_free(s->weight);
    scant_i_free(s->sharpness);
    scant_i_free(s->proportion);
    scant_i_spaces_free(s->spaces);
    scant_i_free(s->name);
    scant_i_free(s->shown);
    scant_i_free(s->ask);
    scant_i_free(s);
}

scant_status scant_i_stack_new(scant_i_stack **out, size_t nclasses, size_t nmembers)
{
    scant_status status = SCANT_OK;
    scant_i_stack *s = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&s, 1));
    s->nclasses = nclasses;
    s->nmembers = nmembers;
    SCANT_I_TRY(SCANT_I_NEW(&s->member, nmembers));
    SCANT_I_TRY(SCANT_I_NEW(&s->fitted, nmembers));
    SCANT_I_TRY(SCANT_I_NEW(&s->weight, nmembers));
    SCANT_I_TRY(SCANT_I_NEW(&s->sharpness, nmembers));
    for (size_t m = 0; m < nmembers; m++)
        s->sharpness[m] = 1;
    SCANT_I_TRY(SCANT_I_NEW(&s->proportion, nclasses));
    s->headline =
        (scant_headline){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0, 0, 0, NULL, NULL, 0, NULL};
    *out = s;
    s = NULL;
done:
    scant_i_stack_free(s);
    return status;
}

scant_status scant_i_stack_show(scant_i_stack *s)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&s->name, s->nmembers));
    for (size_t m = 0; m < s->nmembers; m++)
        s->name[m] = s->member[m]->name;
    s->headline.members = s->nmembers;
    s->headline.name = s->name;
    s->headline.weight = s->weight;
    s->headline.ask = s->ask;
done:
    return status;
}

static double entropy(const double *p, size_t K)
{
    double sum = 0;
    for (size_t k = 0; k < K; k++)
        sum -= p[k] > 0 ? p[k] * log(p[k]) : 0;
    return sum;
}

scant_status scant_i_stack_probabilities(double *p, double *worth, const scant_i_stack *s,
                                         const scant_i_view *rows)
{
    scant_status status = SCANT_OK;
    size_t n = rows->nrows, K = s->nclasses;
    double *q = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&q, n * K));
    for (size_t i = 0; i < n; i++) /* without members the proportions are all there is */
        for (size_t k = 0; k < K; k++)
            p[i * K + k] = s->nmembers ? 0 : s->proportion[k];
    if (worth)
        memset(worth, 0, n * sizeof *worth);
    for (size_t m = 0; m < s->nmembers; m++) {
        SCANT_I_TRY(s->member[m]->probabilities(q, s->fitted[m], rows));
        scant_i_sharpen(q, n, K, s->sharpness[m]);
        for (size_t i = 0; i < n * K; i++)
            p[i] += s->weight[m] * q[i];
        for (size_t i = 0; worth && i < n; i++)
            worth[i] -= s->weight[m] * entropy(q + i * K, K);
    }
    for (size_t i = 0; worth && i < n; i++)
        worth[i] += 2 * entropy(p + i * K, K);
done:
    scant_i_free(q);
    return status;
}

/* --- folds --- */

void scant_i_crossed_clear(scant_i_crossed *c)
{
    for (size_t m = 0; m < c->nmembers; m++) {
        if (c->held)
            scant_i_free(c->held[m]);
        if (c->smaller)
            scant_i_free(c->smaller[m]);
    }
    scant_i_free(c->member);
    scant_i_free(c->held);
    scant_i_free(c->smaller);
    scant_i_free(c->fold);
    scant_i_free(c->weight);
    scant_i_free(c->sharpness);
    scant_i_free(c->complete);
    *c = (scant_i_crossed){0};
}

static size_t class_of(const double *target, size_t K)
{
    size_t best = 0;
    for (size_t k = 1; k < K; k++)
        best = target[k] > target[best] ? k : best;
    return best;
}

/* Rows of a class take turns in a random order; the next class goes on where the last one ended. */
static scant_status make_folds(scant_i_crossed *c, const scant_i_training *task,
                               const scant_i_stack_plan *plan)
{
    scant_status status = SCANT_OK;
    size_t n = task->nlabeled, K = task->nclasses, *of = NULL, *count = NULL, least = SIZE_MAX;
    size_t held = 0, turn = 0;
    scant_i_random random = scant_i_random_new(task->seed, STREAM);
    SCANT_I_TRY(SCANT_I_NEW(&of, n));
    SCANT_I_TRY(SCANT_I_NEW(&count, K));
    for (size_t i = 0; i < n; i++)
        count[class_of(plan->target + i * K, K)]++;
    for (size_t k = 0; k < K; k++) {
        held += count[k] > 1 ? count[k] : 0;
        least = count[k] > 1 ? scant_i_min(least, count[k]) : least;
    }
    c->nfolds = held >= 2 * K ? scant_i_min(plan->folds, scant_i_max(2, least)) : 0;
    for (size_t i = 0; i < n; i++)
        c->fold[i] = -1;
    for (size_t k = 0; k < K && c->nfolds; k++) {
        size_t m = 0;
        for (size_t i = 0; i < n && count[k] > 1; i++)
            if (class_of(plan->target + i * K, K) == k)
                of[m++] = i;
        for (size_t i = 0; i < m; i++) {
            size_t j = i + scant_i_random_below(&random, m - i), row = of[j];
            of[j] = of[i];
            c->fold[row] = (int32_t)(turn++ % c->nfolds);
        }
    }
done:
    scant_i_free(of);
    scant_i_free(count);
    return status;
}

/* --- held-out probabilities --- */

typedef struct crossing {
    const scant_i_training *task;
    scant_i_stack_plan *plan;
    scant_i_crossed *c;
    void *const *prepared;
    scant_i_stack *stack; /* of the last fits */
    size_t done, total;
    bool *skipped; /* a task */
} crossing;

/* From the calling thread alone; the others only look at `cancelled`. */
static void report(crossing *x, size_t worker)
{
    size_t done = __atomic_add_fetch(&x->done, 1, __ATOMIC_RELAXED);
    if (worker > 0 || !x->plan->progress)
        return;
    scant_progress_event event = {
        .what = "train", .done = done, .total = x->total, .starts = 1, .objective = NAN};
    if (x->plan->progress(&event, x->plan->payload))
        __atomic_store_n(&x->plan->cancelled, true, __ATOMIC_RELAXED);
}

/* Probabilities of the labeled rows that `lesson` does not teach, of those in the fold, into held. */
static scant_status ask_held(double *held, const crossing *x, const scant_i_member *member,
                             const void *fitted, int32_t fold)
{
    scant_status status = SCANT_OK;
    size_t n = x->task->nlabeled, K = x->task->nclasses;
    double *p = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&p, CHUNK * K));
    for (size_t first = 0; first < n; first += CHUNK) {
        size_t m = scant_i_min(CHUNK, n - first);
        scant_i_view rows = scant_i_view_part(&x->task->rows, first, m);
        SCANT_I_TRY(member->probabilities(p, fitted, &rows));
        for (size_t i = 0; i < m; i++)
            if (x->c->fold[first + i] == fold)
                memcpy(held + (first + i) * K, p + i * K, K * sizeof *p);
    }
done:
    scant_i_free(p);
    return status;
}

/* The targets without those of a fold; with `half` only every other label of each class that is left, the first of a
 * class among them. */
static void leave_out(double *target, const crossing *x, int32_t fold, bool half, size_t *seen)
{
    size_t n = x->task->nlabeled, K = x->task->nclasses;
    memcpy(target, x->plan->target, n * K * sizeof *target);
    memset(seen, 0, K * sizeof *seen);
    for (size_t i = 0; i < n; i++) {
        bool out = x->c->fold[i] == fold;
        if (!out && half)
            out = seen[class_of(x->plan->target + i * K, K)]++ % 2;
        if (out)
            memset(target + i * K, 0, K * sizeof *target);
    }
}

/* Tasks: folds within members, and after them the same with half of the labels. */
static scant_status cross(size_t at, size_t worker, void *payload)
{
    crossing *x = payload;
    scant_status status = SCANT_OK;
    size_t K = x->task->nclasses, F = x->c->nfolds;
    bool half = at >= x->c->nmembers * F;
    size_t m = at / F % x->c->nmembers;
    int32_t fold = (int32_t)(at % F);
    const scant_i_member *member = x->c->member[m];
    void *fitted = NULL;
    double *target = NULL;
    size_t *seen = NULL;
    if (scant_i_halted(&x->task->halt)) {
        x->skipped[at] = true;
        return SCANT_OK;
    }
    SCANT_I_TRY(SCANT_I_NEW(&target, x->task->nlabeled * K));
    SCANT_I_TRY(SCANT_I_NEW(&seen, K));
    leave_out(target, x, fold, half, seen);
    scant_i_lesson lesson = {target, false};
    SCANT_I_TRY(member->fit(&fitted, x->task, &lesson, x->prepared[m]));
    if (scant_i_interrupted()) { /* it may have been cut short: its labels are no measure of it */
        x->skipped[at] = true;
        goto done;
    }
    SCANT_I_TRY(ask_held(half ? x->c->smaller[m] : x->c->held[m], x, member, fitted, fold));
    report(x, worker);
done:
    if (fitted)
        member->free(fitted);
    scant_i_free(target);
    scant_i_free(seen);
    return status;
}

static scant_status run_folds(crossing *x)
{
    scant_status status = SCANT_OK;
    scant_i_crossed *c = x->c;
    size_t n = x->task->nlabeled, K = x->task->nclasses, ntasks = 2 * c->nmembers * c->nfolds;
    bool smaller = true;
    SCANT_I_TRY(SCANT_I_NEW(&c->held, c->nmembers));
    SCANT_I_TRY(SCANT_I_NEW(&c->smaller, c->nmembers));
    for (size_t m = 0; m < c->nmembers; m++) {
        SCANT_I_TRY(SCANT_I_NEW(&c->held[m], n * K));
        SCANT_I_TRY(SCANT_I_NEW(&c->smaller[m], n * K));
    }
    SCANT_I_TRY(SCANT_I_NEW(&x->skipped, ntasks));
    SCANT_I_TRY(scant_i_parallel(x->plan->threads, ntasks, cross, x));
    for (size_t m = 0; m < c->nmembers; m++) {
        c->complete[m] = true;
        for (size_t f = 0; f < c->nfolds; f++) {
            c->complete[m] &= !x->skipped[m * c->nfolds + f];
            smaller &= !x->skipped[(c->nmembers + m) * c->nfolds + f];
        }
        c->stopped |= !c->complete[m];
    }
    for (size_t m = 0; m < c->nmembers && !smaller; m++)
        scant_i_free(c->smaller[m]);
    if (!smaller) {
        scant_i_free(c->smaller);
        c->smaller = NULL;
    }
done:
    return status;
}

/* Held-out probabilities as they count in the stack: a fold's rows by the sharpness that the others' labels chose. */
static scant_status sharpen(crossing *x)
{
    scant_status status = SCANT_OK;
    scant_i_crossed *c = x->c;
    size_t n = x->task->nlabeled, K = x->task->nclasses;
    double *s = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&s, c->nfolds + 1));
    for (size_t m = 0; m < c->nmembers; m++) {
        if (!c->complete[m])
            continue;
        scant_i_held held = {c->held[m], x->plan->target, c->fold, n, K, c->nfolds};
        SCANT_I_TRY(scant_i_find_sharpness(s, &held));
        c->sharpness[m] = s[c->nfolds];
        for (size_t i = 0; i < n; i++) {
            if (c->fold[i] < 0)
                continue;
            scant_i_sharpen(c->held[m] + i * K, 1, K, s[c->fold[i]]);
            if (c->smaller)
                scant_i_sharpen(c->smaller[m] + i * K, 1, K, s[c->fold[i]]);
        }
    }
done:
    scant_i_free(s);
    return status;
}

/* --- weights --- */

scant_status scant_i_stack_weigh(double *w, const scant_i_crossed *c, const double *target,
                                 size_t n, size_t K, const bool *use, int32_t without)
{
    scant_status status = SCANT_OK;
    size_t M = c->nmembers, used = 0;
    double *q = NULL, *v = NULL, *sum = NULL, total = 0;
    SCANT_I_TRY(SCANT_I_NEW(&q, n * M));
    SCANT_I_TRY(SCANT_I_NEW(&v, n));
    SCANT_I_TRY(SCANT_I_NEW(&sum, M));
    for (size_t m = 0; m < M; m++)
        used += !use || use[m];
    for (size_t i = 0; i < n; i++) {
        bool counts = c->fold[i] >= 0 && c->fold[i] != without;
        v[i] = counts ? scant_i_sum(target + i * K, K) : 0;
        total += v[i];
        for (size_t m = 0; m < M && v[i] > 0; m++)
            q[i * M + m] = scant_i_dot(target + i * K, c->held[m] + i * K, K) / v[i];
    }
    for (size_t m = 0; m < M; m++)
        w[m] = !use || use[m] ? 1 / (double)used : 0;
    for (size_t step = 0; step < EM_STEPS && !scant_i_interrupted_enough(step, NAN, NULL); step++) {
        memset(sum, 0, M * sizeof *sum);
        for (size_t i = 0; i < n; i++) {
            double all = scant_i_dot(w, q + i * M, M);
            for (size_t m = 0; m < M && all > 0; m++)
                sum[m] += v[i] * w[m] * q[i * M + m] / all;
        }
        for (size_t m = 0; m < M; m++)
            if (!use || use[m])
                w[m] = (sum[m] + ALPHA - 1) / (total + (double)used * (ALPHA - 1));
    }
done:
    scant_i_free(q);
    scant_i_free(v);
    scant_i_free(sum);
    return status;
}

/* By held-out labels; where there are none, equal weights. Members that were not done get none. */
static scant_status find_weights(scant_i_crossed *c, const scant_i_training *task,
                                 const double *target)
{
    size_t used = 0, K = task->nclasses;
    for (size_t m = 0; m < c->nmembers; m++)
        used += c->complete[m];
    if (used ==
        0) { /* nothing is known: the first member, which is quick, is better than nothing */
        c->weight[0] = 1;
        return SCANT_OK;
    }
    if (c->nfolds)
        return scant_i_stack_weigh(c->weight, c, target, task->nlabeled, K, c->complete, -1);
    for (size_t m = 0; m < c->nmembers; m++)
        c->weight[m] = c->complete[m] ? 1 / (double)used : 0;
    return SCANT_OK;
}

/* --- the last fits --- */

/* Members of the stack, heaviest first, those without weight left out. */
static scant_status choose(scant_i_stack **out, size_t *place, const scant_i_crossed *c, size_t K)
{
    size_t n = 0;
    double total = 0;
    for (size_t m = 0; m < c->nmembers; m++)
        if (c->weight[m] >= LEAST_WEIGHT) {
            size_t at = n++;
            for (; at > 0 && c->weight[place[at - 1]] < c->weight[m]; at--)
                place[at] = place[at - 1];
            place[at] = m;
            total += c->weight[m];
        }
    scant_status status = scant_i_stack_new(out, K, n);
    for (size_t m = 0; m < n && status == SCANT_OK; m++) {
        (*out)->member[m] = c->member[place[m]];
        (*out)->weight[m] = c->weight[place[m]] / total;
        (*out)->sharpness[m] = c->sharpness[place[m]];
    }
    return status;
}

typedef struct finishing {
    crossing *x;
    scant_i_stack *stack;
    const size_t *place;
} finishing;

static scant_status finish(size_t at, size_t worker, void *payload)
{
    const finishing *f = payload;
    scant_i_lesson lesson = {f->x->plan->target, true};
    scant_status status = f->stack->member[at]->fit(&f->stack->fitted[at], f->x->task, &lesson,
                                                    f->x->prepared[f->place[at]]);
    if (status == SCANT_OK)
        report(f->x, worker);
    return status;
}

static void find_proportions(scant_i_stack *s, const double *target, size_t n)
{
    size_t K = s->nclasses;
    double total = scant_i_sum(target, n * K);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < K; k++)
            s->proportion[k] += target[i * K + k] / total;
}

scant_status scant_i_stack_train(scant_i_stack **out, scant_i_crossed *c,
                                 const scant_i_training *task, scant_i_stack_plan *plan)
{
    scant_status status = SCANT_OK;
    scant_i_stack *stack = NULL;
    void **prepared = NULL;
    size_t *place = NULL, M = plan->nmembers;
    crossing x = {.task = task, .plan = plan, .c = c};
    *out = NULL;
    *c = (scant_i_crossed){.nmembers = M};
    SCANT_I_TRY(SCANT_I_NEW(&prepared, M));
    SCANT_I_TRY(SCANT_I_NEW(&place, M));
    SCANT_I_TRY(SCANT_I_NEW(&c->member, M));
    SCANT_I_TRY(SCANT_I_NEW(&c->weight, M));
    SCANT_I_TRY(SCANT_I_NEW(&c->sharpness, M));
    SCANT_I_TRY(SCANT_I_NEW(&c->complete, M));
    SCANT_I_TRY(SCANT_I_NEW(&c->fold, task->nlabeled));
    for (size_t m = 0; m < M; m++) {
        c->member[m] = plan->member[m];
        c->sharpness[m] = 1;
        c->complete[m] = true;
        if (plan->member[m]->prepare)
            SCANT_I_TRY(plan->member[m]->prepare(&prepared[m], task));
    }
    SCANT_I_TRY(make_folds(c, task, plan));
    x.total = 2 * M * c->nfolds + M;
    x.prepared = prepared;
    if (c->nfolds && M) {
        SCANT_I_TRY(run_folds(&x));
        SCANT_I_TRY(sharpen(&x));
    }
    if (M)
        SCANT_I_TRY(find_weights(c, task, plan->target));
    SCANT_I_TRY(choose(&stack, place, c, task->nclasses));
    finishing f = {&x, stack, place};
    SCANT_I_TRY(scant_i_parallel(plan->threads, stack->nmembers, finish, &f));
    find_proportions(stack, plan->target, task->nlabeled);
    stack->headline.folds = c->nfolds;
    *out = stack;
    stack = NULL;
done:
    for (size_t m = 0; prepared && m < M; m++)
        if (prepared[m])
            plan->member[m]->release(prepared[m]);
    scant_i_free(prepared);
    scant_i_free(place);
    scant_i_free(x.skipped);
    scant_i_stack_free(stack);
    return status;
}
