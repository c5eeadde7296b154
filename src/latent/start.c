/* See start.h. k-means on a sample of rows: O(sample M ndim) a round; then one pass over all rows. */
#include "latent/start.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "latent/embedding.h"
#include "latent/sample.h"
#include "latent/structure.h"

enum { ROUNDS = 20, RESEEDS = 4 };
/* Coordinates of text are many and mostly zero; distances count as if there were this many. */
static const double SPARSE_DIMENSIONS = 20;
/* A row that evidence forbids a component counts as this much for it when centres are exchanged. */
static const double LEAST_SUPPORT = 1e-6;

typedef struct state state;
struct state {
    scant_i_mixture *mixture;
    const scant_i_evidence *evidence;
    int32_t *class_of; /* entries of the evidence: the one class that is possible, ANY or SOME */
    bool *serves;      /* M: is there a class that the component is of? */
    scant_i_posterior *posterior;
    scant_i_embedding embedding;
    scant_i_random random;
    scant_i_sample sample;   /* rows that take part */
    size_t width;            /* of a centre: ndim coordinates and its squared length */
    double *centres;         /* M x width */
    double *square;          /* M */
    double *point;           /* ndim */
    double spread;           /* mean squared distance to the own centre */
    double *size;            /* M: weight of the rows nearest to each centre */
    double smallest;         /* of `size` */
    double *direction, *cut; /* slices: ndim, and M upper ends */
    void (*weigh)(const state *s, const scant_i_batch *batch, size_t i, double *L, double *point);
};

/* --- a sampled row --- */

static size_t entry_of(const state *s, size_t t)
{
    return scant_i_batch_entry(s->evidence, &s->sample.batch, s->sample.place[t]);
}

static double weight_of(const state *s, size_t t)
{
    return scant_i_batch_weight(s->evidence, &s->sample.batch, s->sample.place[t]);
}

static bool unlabelled(const state *s, size_t t)
{
    return scant_i_batch_unknown(&s->sample.batch, s->sample.place[t]);
}

static void find_distances(const state *s, size_t t, const double *centres, size_t M)
{
    scant_i_embedding_distances(&s->embedding, &s->sample.batch, s->sample.place[t], centres, M,
                                s->square, s->point);
}

static void add_to(const state *s, size_t t, double w, double *sum, double *count)
{
    scant_i_embedding_add(&s->embedding, &s->sample.batch, s->sample.place[t], w, sum, count,
                          s->point);
}

static bool is_of(const state *s, size_t k, size_t j)
{
    size_t at = k * s->mixture->stride + j;
    return s->mixture->coupling.W[at] > 0 &&
           (!s->mixture->coupling.R || s->mixture->coupling.R[at] > 0);
}

enum { ANY = -1, SOME = -2 };

/* Most entries name a class, or none: for those `support` need not go through all classes. */
static scant_status classify_entries(state *s)
{
    scant_status status = SCANT_OK;
    size_t K = s->evidence->nclasses;
    SCANT_I_TRY(SCANT_I_NEW(&s->class_of, s->evidence->nentries));
    SCANT_I_TRY(SCANT_I_NEW(&s->serves, s->mixture->ncomponents));
    for (size_t e = 0; e < s->evidence->nentries; e++) {
        const double *v = s->evidence->v + e * K;
        size_t possible = 0, last = 0, even = 0;
        for (size_t k = 0; k < K; k++) {
            last = v[k] > 0 ? k : last;
            possible += v[k] > 0;
            even += v[k] > 0 && v[k] == v[0];
        }
        s->class_of[e] = possible == 1 ? (int32_t)last : even == K ? ANY : SOME;
    }
    for (size_t k = 0; k < K; k++)
        for (size_t j = 0; j < s->mixture->ncomponents; j++)
            s->serves[j] = s->serves[j] || is_of(s, k, j);
done:
    return status;
}

/* How far its evidence is for component j, compared with the class it is most for: 0 where the row may not go
 * there, 1 where nothing better is known. Labels, sets and unknown rows give nothing in between. */
static double support(const state *s, size_t t, size_t j)
{
    size_t K = s->evidence->nclasses, entry = entry_of(s, t);
    const double *v = s->evidence->v + entry * K;
    double own = 0, top = 0;
    if (s->class_of[entry] >= 0)
        return is_of(s, (size_t)s->class_of[entry], j);
    if (s->class_of[entry] == ANY)
        return s->serves[j];
    for (size_t k = 0; k < K; k++) {
        own = is_of(s, k, j) ? fmax(own, v[k]) : own;
        top = fmax(top, v[k]);
    }
    return own > 0 ? own / top : 0;
}

static bool allowed(const state *s, size_t t, size_t j)
{
    return support(s, t, j) > 0;
}

/* --- centres --- */

static void finish_centre(state *s, size_t j)
{
    double *centre = s->centres + j * s->width, sum = 0;
    for (size_t c = 0; c < s->embedding.ndim; c++)
        sum += centre[c] * centre[c];
    centre[s->embedding.ndim] = sum;
}

static scant_status set_centre(state *s, size_t j, size_t t)
{
    double *count = NULL;
    scant_status status = SCANT_I_NEW(&count, s->embedding.ndim);
    if (status != SCANT_OK)
        return status;
    double *centre = s->centres + j * s->width;
    memset(centre, 0, s->width * sizeof *centre);
    add_to(s, t, 1, centre, count);
    finish_centre(s, j);
    scant_i_free(count);
    return SCANT_OK;
}

/* Distance to the nearest centre so far that the row may go to; infinite where there is none yet.
 */
static void seed_distances(state *s, size_t j, double *nearest)
{
    for (size_t t = 0; t < s->sample.n; t++) {
        if (!allowed(s, t, j))
            continue;
        find_distances(s, t, s->centres + j * s->width, 1);
        nearest[t] = fmin(nearest[t], s->square[0]);
    }
}

/* Is there a sampled row that evidence tells to go to j? */
static bool any_labelled(const state *s, size_t j)
{
    for (size_t t = 0; t < s->sample.n; t++)
        if (!unlabelled(s, t) && allowed(s, t, j))
            return true;
    return false;
}

/* Chances of the sampled rows to become centre j: labelled rows alone where there are any, and those that
 * evidence is for sooner. */
static void even_chances(const state *s, size_t j, double *chance)
{
    bool labelled = any_labelled(s, j);
    for (size_t t = 0; t < s->sample.n; t++) {
        bool able = allowed(s, t, j) && !(labelled && unlabelled(s, t));
        chance[t] = able ? weight_of(s, t) * support(s, t, j) : 0;
    }
}

/* The same, and far ones sooner, once a row that may go to j has a centre. */
static void seed_chances(const state *s, size_t j, const double *nearest, double *chance)
{
    bool first = true;
    even_chances(s, j, chance);
    for (size_t t = 0; t < s->sample.n; t++)
        first = first && !(chance[t] > 0 && isfinite(nearest[t]));
    for (size_t t = 0; t < s->sample.n && !first; t++)
        chance[t] *= isfinite(nearest[t]) ? nearest[t] : 0;
}

static scant_status seed(state *s, bool spread_out)
{
    scant_status status = SCANT_OK;
    double *nearest = NULL, *chance = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&nearest, s->sample.n));
    SCANT_I_TRY(SCANT_I_NEW(&chance, s->sample.n));
    for (size_t t = 0; t < s->sample.n; t++)
        nearest[t] = INFINITY;
    for (size_t j = 0; j < s->mixture->ncomponents; j++) {
        if (spread_out)
            seed_chances(s, j, nearest, chance);
        else
            even_chances(s, j, chance);
        size_t t = scant_i_random_pick(&s->random, chance, s->sample.n);
        if (t == s->sample.n) { /* all rows sit on centres already: any that may go there */
            even_chances(s, j, chance);
            t = scant_i_random_pick(&s->random, chance, s->sample.n);
        }
        if (t == s->sample.n)
            t = scant_i_random_below(&s->random, s->sample.n);
        SCANT_I_TRY(set_centre(s, j, t));
        seed_distances(s, j, nearest);
    }
done:
    scant_i_free(nearest);
    scant_i_free(chance);
    return status;
}

typedef struct cast {
    double value;
    size_t t; /* in the sample */
} cast;

static int compare_casts(const void *a, const void *b)
{
    const cast *x = a, *y = b;
    return x->value != y->value ? (x->value < y->value ? -1 : 1) : x->t < y->t ? -1 : x->t > y->t;
}

/* Slices across a random direction, of sizes that differ a little: none is small, so that no
 * component starts on an outlier. Finds the direction and where to cut. Dense rows only. */
static scant_status slice(state *s)
{
    scant_status status = SCANT_OK;
    size_t M = s->mixture->ncomponents, ndim = s->embedding.ndim, n = s->sample.n;
    cast *casts = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&s->direction, ndim));
    SCANT_I_TRY(SCANT_I_NEW(&s->cut, M));
    SCANT_I_TRY(SCANT_I_NEW(&casts, n));
    for (size_t c = 0; c < ndim; c++)
        s->direction[c] = scant_i_random_normal(&s->random);
    for (size_t t = 0; t < n; t++)
        casts[t] = (cast){scant_i_embedding_project(&s->embedding, &s->sample.batch,
                                                    s->sample.place[t], s->direction, s->point),
                          t};
    qsort(casts, n, sizeof *casts, compare_casts);
    double total = 0;
    for (size_t j = 0; j < M; j++)
        s->cut[j] = total += scant_i_random_gamma(&s->random, 4);
    for (size_t j = 0; j < M; j++) {
        size_t last = scant_i_min((size_t)(s->cut[j] / total * (double)n), n - 1);
        s->cut[j] = j + 1 == M ? INFINITY : casts[last].value;
    }
done:
    scant_i_free(casts);
    return status;
}

/* Nearest centre the row may go to, nearer where evidence is for it; M where there is none. */
static size_t nearest_centre(state *s, size_t t, double *apart)
{
    size_t M = s->mixture->ncomponents, best = M;
    double least = INFINITY;
    find_distances(s, t, s->centres, M);
    for (size_t j = 0; j < M; j++) {
        double in_favour = support(s, t, j);
        if (in_favour > 0 && (best == M || s->square[j] / in_favour < least)) {
            best = j;
            least = s->square[j] / in_favour;
        }
    }
    *apart = best < M ? s->square[best] : 0;
    return best;
}

/* Rounds of k-means; with none, only the spread about the centres is found. */
static scant_status improve(state *s, size_t rounds)
{
    scant_status status = SCANT_OK;
    size_t M = s->mixture->ncomponents, ndim = s->embedding.ndim;
    double *sum = NULL, *count = NULL, last = INFINITY;
    SCANT_I_TRY(SCANT_I_NEW(&sum, M * s->width));
    SCANT_I_TRY(SCANT_I_NEW(&count, M * ndim));
    for (size_t round = 0; round <= rounds; round++) {
        double total = 0, weight = 0;
        memset(sum, 0, M * s->width * sizeof *sum);
        memset(count, 0, M * ndim * sizeof *count);
        memset(s->size, 0, M * sizeof *s->size);
        for (size_t t = 0; t < s->sample.n; t++) {
            double apart, w = weight_of(s, t);
            size_t j = nearest_centre(s, t, &apart);
            if (j == M)
                continue;
            total += w * apart;
            weight += w;
            s->size[j] += w;
            add_to(s, t, w, sum + j * s->width, count + j * ndim);
        }
        s->spread = weight > 0 ? total / weight : 0;
        if (round == rounds || !(s->spread < last))
            break;
        last = s->spread;
        for (size_t j = 0; j < M; j++) {
            double *centre = s->centres + j * s->width;
            for (size_t c = 0; c < ndim; c++) {
                double n = s->embedding.sparse ? count[j * ndim] : count[j * ndim + c];
                centre[c] = n > 0 ? sum[j * s->width + c] / n : centre[c];
            }
            finish_centre(s, j);
        }
    }
    s->smallest = INFINITY;
    for (size_t j = 0; j < M; j++)
        s->smallest = fmin(s->smallest, s->size[j]);
done:
    scant_i_free(sum);
    scant_i_free(count);
    return status;
}

/* Columns of sparse rows are mostly 0: they spread in fewer directions than there are columns. */
static double dimensions(const state *s)
{
    double ndim = (double)s->embedding.ndim;
    return s->embedding.sparse ? fmin(ndim, SPARSE_DIMENSIONS) : ndim;
}

/* Moves the centres that hardly any row is near to random rows, and improves again. */
static scant_status reseed(state *s)
{
    scant_status status = SCANT_OK;
    double *chance = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&chance, s->sample.n));
    for (size_t j = 0; j < s->mixture->ncomponents; j++) {
        if (s->size[j] >= dimensions(s) + 1)
            continue;
        even_chances(s, j, chance);
        size_t t = scant_i_random_pick(&s->random, chance, s->sample.n);
        if (t < s->sample.n)
            SCANT_I_TRY(set_centre(s, j, t));
    }
    SCANT_I_TRY(improve(s, ROUNDS));
done:
    scant_i_free(chance);
    return status;
}

/* agree[c M + j]: how far the sampled rows nearest to centre c are for component j, as a log. */
static void weigh_agreement(state *s, double *agree)
{
    size_t M = s->mixture->ncomponents;
    for (size_t t = 0; t < s->sample.n; t++) {
        size_t c = 0;
        double w = weight_of(s, t);
        find_distances(s, t, s->centres, M);
        for (size_t j = 1; j < M; j++)
            c = s->square[j] < s->square[c] ? j : c;
        for (size_t j = 0; j < M; j++)
            agree[c * M + j] += w * log(fmax(support(s, t, j), LEAST_SUPPORT));
    }
}

static void swap(double *a, double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

/* Which centre is whose: where evidence is of degrees, distances do not settle it, and EM seldom finds
 * back from classes exchanged. Exchanges centres while the rows about them then agree better. */
static scant_status match(state *s)
{
    size_t M = s->mixture->ncomponents;
    double *agree = NULL;
    if (!scant_i_evidence_is_graded(s->evidence))
        return SCANT_OK;
    scant_status status = SCANT_I_NEW(&agree, M * M);
    if (status != SCANT_OK)
        return status;
    weigh_agreement(s, agree);
    for (size_t sweep = 0, swaps = 1; sweep < ROUNDS && swaps > 0; sweep++) {
        swaps = 0;
        for (size_t i = 0; i < M; i++)
            for (size_t j = i + 1; j < M; j++) {
                double kept = agree[i * M + i] + agree[j * M + j];
                if (!(agree[i * M + j] + agree[j * M + i] > kept))
                    continue;
                swap(agree + i * M, agree + j * M, M);
                swap(s->centres + i * s->width, s->centres + j * s->width, s->width);
                swaps++;
            }
    }
    scant_i_free(agree);
    return SCANT_OK;
}

/* --- the start's pass: log weights from centres, slices or chance in place of densities --- */

static void weigh_by_centres(const state *s, const scant_i_batch *batch, size_t i, double *L,
                             double *point)
{
    size_t M = s->mixture->ncomponents;
    double variance = fmax(s->spread / dimensions(s), 1e-6);
    scant_i_embedding_distances(&s->embedding, batch, i, s->centres, M, L, point);
    for (size_t j = 0; j < M; j++)
        L[j] *= -0.5 / variance;
}

static void weigh_by_slice(const state *s, const scant_i_batch *batch, size_t i, double *L,
                           double *point)
{
    double value = scant_i_embedding_project(&s->embedding, batch, i, s->direction, point);
    size_t own = 0;
    while (value > s->cut[own])
        own++;
    for (size_t j = 0; j < s->mixture->ncomponents; j++)
        L[j] = j == own ? 0 : -50;
}

static void weigh_by_chance(const state *s, const scant_i_batch *batch, size_t i, double *L,
                            double *point)
{
    (void)point;
    size_t row = batch->first + i;
    /* a stream a row, so that blocks and threads do not matter */
    scant_i_random random =
        scant_i_random_new(s->random.key[0], (s->random.key[1] + 1) << 40 | row);
    for (size_t j = 0; j < s->mixture->ncomponents; j++)
        L[j] =
            log(scant_i_random_exponential(&random)); /* evenly over all shares that add up to 1 */
}

static scant_status share_out(const scant_i_block *block, double *L, double *own, double *room,
                              void *payload)
{
    const state *s = payload;
    double *point = scant_i_alloc(s->embedding.ndim, sizeof *point);
    if (!point)
        return SCANT_ERR_MEMORY;
    for (size_t i = 0; i < block->nrows; i++)
        s->weigh(s, block->batch, scant_i_block_place(block, i), L + i * s->mixture->stride, point);
    scant_i_free(point);
    const scant_i_structure *structure = s->mixture->structure;
    return (structure->share ? structure->share : structure->expect)(s->posterior, block, L, own,
                                                                     NULL, room);
}

static scant_status share_evenly(const scant_i_block *block, double *L, double *own, double *room,
                                 void *payload)
{
    const state *s = payload;
    (void)own;
    (void)room;
    for (size_t i = 0; i < block->nrows; i++)
        for (size_t j = 0; j < s->mixture->ncomponents; j++)
            L[i * s->mixture->stride + j] = scant_i_block_weight(s->evidence, block, i);
    return SCANT_OK;
}

/* Is there a component that no row went to in the last pass? */
static scant_status find_empty(bool *found, const state *s, const scant_i_problem *problem)
{
    const scant_i_mixture *m = s->mixture;
    double *N = NULL;
    scant_status status = SCANT_I_NEW(&N, SCANT_I_COUNTS * m->nclasses * m->stride);
    if (status != SCANT_OK)
        return status;
    m->structure->counts(s->posterior, scant_i_problem_own(problem), N);
    *found = false;
    for (size_t j = 0; j < m->ncomponents; j++) {
        double sum = 0;
        for (size_t k = 0; k < SCANT_I_COUNTS * m->nclasses; k++) /* the three parts */
            sum += N[k * m->stride + j];
        *found |= !(sum > DBL_MIN);
    }
    scant_i_free(N);
    return SCANT_OK;
}

/* Shares the rows out. Where a component gets none - its class has no row of weight - it has no
 * parameters yet, and keeps those of all rows together; so does a column that is missing in all of
 * its rows. */
static scant_status share_rows(state *s, scant_i_problem *problem)
{
    scant_status status = SCANT_OK;
    bool empty;
    scant_i_pass_plan own = {share_out, s, false, true}, even = {share_evenly, s, false, true};
    SCANT_I_TRY(scant_i_problem_run(problem, s->mixture, &own));
    SCANT_I_TRY(find_empty(&empty, s, problem));
    if (empty || problem->survey.missing) {
        SCANT_I_TRY(scant_i_problem_run(problem, s->mixture, &even));
        for (size_t f = 0; f < s->mixture->nfactors; f++)
            SCANT_I_TRY(s->mixture->factor[f]->family->pass->maximise(
                s->mixture->factor[f], scant_i_problem_factor(problem, f)));
        SCANT_I_TRY(scant_i_problem_run(problem, s->mixture, &own));
    }
    SCANT_I_TRY(scant_i_mixture_maximise(s->mixture, problem));
done:
    return status;
}

/* --- starts within classes --- */

/* The class to start component j in: in turn from class `first` on, the next that it may serve. */
static size_t home_of(const scant_i_mixture *m, size_t j, size_t nlabels, size_t first)
{
    size_t k = (first + j) % nlabels;
    for (size_t tried = 0; tried < nlabels && !(m->coupling.W[k * m->stride + j] > 0); tried++)
        k = (k + 1) % nlabels;
    return k;
}

static void reopen(scant_i_mixture *m, const double *open)
{
    size_t table = m->nclasses * m->stride;
    memcpy(m->coupling.W, open, table * sizeof *m->coupling.W);
    if (m->coupling.R)
        memcpy(m->coupling.R, open + table, table * sizeof *m->coupling.R);
}

/* Has every class a component? */
static bool all_served(const scant_i_mixture *m, size_t nlabels)
{
    for (size_t k = 0; k < nlabels; k++) {
        double mass = 0;
        for (size_t j = 0; j < m->ncomponents; j++)
            mass += m->coupling.W[k * m->stride + j];
        if (!(mass > 0))
            return false;
    }
    return true;
}

/* Takes from W all but one class of each component. *open is W and R as they were; NULL, and W
 * whole, where a class would be left without any. Starts differ in the classes that get the
 * remainder. */
static scant_status keep_apart(double **open, scant_i_mixture *m, size_t nlabels, size_t first)
{
    size_t stride = m->stride, table = m->nclasses * stride;
    scant_status status = SCANT_I_NEW(open, 2 * table);
    if (status != SCANT_OK)
        return status;
    memcpy(*open, m->coupling.W, table * sizeof *m->coupling.W);
    if (m->coupling.R)
        memcpy(*open + table, m->coupling.R, table * sizeof *m->coupling.R);
    for (size_t j = 0; j < m->ncomponents; j++) {
        size_t home = home_of(m, j, nlabels, first);
        for (size_t k = 0; k < nlabels; k++)
            m->coupling.W[k * stride + j] = k == home ? m->coupling.W[k * stride + j] : 0;
    }
    if (!all_served(m, nlabels)) {
        reopen(m, *open);
        scant_i_free(*open);
        *open = NULL;
    }
    return SCANT_OK;
}

/* Starts of one fit follow these in turn: what one kind never finds, another may. */
typedef struct recipe {
    bool whiten, slices, chance;
    size_t rounds; /* of k-means; 0: random rows as centres */
} recipe;
static const recipe recipes[] = {
    {.rounds = ROUNDS},
    {.whiten = true, .rounds = ROUNDS},
    {.slices = true},
    {.chance = true},
};
static const recipe random_rows = {0};
enum { NRECIPES = sizeof recipes / sizeof *recipes };

scant_status scant_i_start_make(scant_i_mixture *mixture, scant_i_problem *problem,
                                scant_i_start_kind kind, uint64_t seed_of_run, size_t index)
{
    scant_status status = SCANT_OK;
    const scant_i_evidence *evidence = problem->posterior.evidence;
    bool sparse = problem->survey.counts.sparse;
    state s = {.mixture = mixture, .evidence = evidence, .posterior = &problem->posterior};
    s.random = scant_i_random_new(seed_of_run, index);
    double *open = NULL; /* W and R, where classes are kept apart meanwhile */
    const recipe *r = kind == SCANT_I_START_RANDOM ? &random_rows : &recipes[index % NRECIPES];
    bool sliced = r->slices && !sparse, centred = !sliced && !r->chance;
    s.weigh = sliced ? weigh_by_slice : r->chance ? weigh_by_chance : weigh_by_centres;
    if (kind == SCANT_I_START_LABELS)
        SCANT_I_TRY(keep_apart(&open, mixture, evidence->nlabels, index + index / NRECIPES));
    SCANT_I_TRY(scant_i_sample_new(&s.sample, problem->rows->carrier, problem->part, evidence,
                                   &problem->survey, &s.random));
    SCANT_I_TRY(classify_entries(&s));
    SCANT_I_TRY(scant_i_embedding_new(&s.embedding, sparse, s.sample.batch.ncolumns, mixture));
    if (r->whiten)
        SCANT_I_TRY(scant_i_embedding_whiten(&s.embedding, &s.sample));
    s.width = s.embedding.ndim + 1;
    SCANT_I_TRY(SCANT_I_NEW(&s.centres, mixture->ncomponents * s.width));
    SCANT_I_TRY(SCANT_I_NEW(&s.square, mixture->ncomponents));
    SCANT_I_TRY(SCANT_I_NEW(&s.size, mixture->ncomponents));
    SCANT_I_TRY(SCANT_I_NEW(&s.point, s.embedding.ndim));
    if (sliced)
        SCANT_I_TRY(slice(&s));
    if (centred) {
        SCANT_I_TRY(seed(&s, r->rounds > 0));
        SCANT_I_TRY(improve(&s, r->rounds));
        for (size_t k = 0; k < RESEEDS && r->rounds && s.smallest < dimensions(&s) + 1; k++)
            SCANT_I_TRY(reseed(&s));
        SCANT_I_TRY(match(&s));
    }
    for (size_t f = 0; f < mixture->nfactors; f++)
        if (mixture->factor[f]->tables) /* statistics of a start are about no component's mean */
            mixture->factor[f]->family->pass->release(mixture->factor[f]);
    SCANT_I_TRY(share_rows(&s, problem));
    if (open)
        reopen(mixture, open);
done:
    scant_i_free(open);
    scant_i_embedding_clear(&s.embedding);
    scant_i_sample_clear(&s.sample);
    scant_i_free(s.centres);
    scant_i_free(s.square);
    scant_i_free(s.size);
    scant_i_free(s.direction);
    scant_i_free(s.cut);
    scant_i_free(s.point);
    scant_i_free(s.class_of);
    scant_i_free(s.serves);
    return status;
}
