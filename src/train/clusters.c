/* The member "clusters": logistic regression on memberships in many clusterings of all rows, labeled or not.
 *
 *   For each of RUNS runs: a space (standard, ranks, white in turn), a random part of its columns, a number of clusters k
 *   that is log-uniform between max(2, K) and max(K + 2, min(2 sqrt(n), 8 K, n / 3)), and STEPS steps of k-means from
 *   random rows. Its features of a row are
 *       softmax_j(-D_j^2 sqrt(c) / (2 v)) / sqrt(RUNS)
 *   D_j the distance to center j in the c columns, v the mean over rows of the least D^2.
 *   Then the ridge logistic regression of ridge.h on all of them: with the cluster kernel, since it works in the span of
 *   the labeled rows.
 *
 * Rows that often share a cluster get the same class; where classes are no clusters the stack gives this no weight.
 * Cost: 4 n c k STEPS flop a run, once for all folds. */
#include "train/member.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "math/linear.h"
#include "train/ridge.h"

enum { RUNS = 24, STEPS = 8, LANES = 8, TILE = 256, STREAM = 1000 };
static const double C = 30, PART = 0.7;

typedef struct clustering {
    size_t space, width; /* of the space */
    size_t c, *column;   /* the columns of it that are looked at */
    size_t k, lanes;     /* clusters, and that rounded up to the vector length */
    double *center;      /* k x c */
    double *spread;      /* 1: v */
    double *table;       /* c x lanes: 2 center', and then lanes numbers |center|^2 */
} clustering;

typedef struct clusters {
    size_t runs, K, nfeatures;
    clustering *run; /* runs */
    bool borrowed;   /* `run` belongs to what was prepared */
    double *feature; /* prepared: nlabeled x nfeatures */
    double *B;       /* fitted: (nfeatures + 1) x K */
} clusters;

static void free_run(clustering *r)
{
    scant_i_free(r->column);
    scant_i_free(r->center);
    scant_i_free(r->spread);
    scant_i_free(r->table);
}

static void free_clusters(void *any)
{
    clusters *m = any;
    if (!m)
        return;
    for (size_t r = 0; m->run && !m->borrowed && r < m->runs; r++)
        free_run(&m->run[r]);
    if (!m->borrowed)
        scant_i_free(m->run);
    scant_i_free(m->feature);
    scant_i_free(m->B);
    scant_i_free(m);
}

static const char *refuses(const scant_i_training *task)
{
    if (task->rows.width[SCANT_I_STANDARD] == 0)
        return "there is no table of columns";
    return task->rows.nrows < 2 * task->nclasses + 2 ? "there are too few rows" : NULL;
}

/* --- one clustering --- */

static scant_status room_for(clustering *r)
{
    scant_status status = SCANT_OK;
    r->lanes = scant_i_round_up(r->k, LANES);
    SCANT_I_TRY(SCANT_I_NEW(&r->center, r->k * r->c));
    SCANT_I_TRY(SCANT_I_NEW(&r->spread, 1));
    SCANT_I_TRY(SCANT_I_NEW(&r->table, (r->c + 1) * r->lanes));
done:
    return status;
}

/* The tables of the distances: D^2 = |x|^2 - 2 x m + |m|^2. */
static void make_table(clustering *r)
{
    double *square = r->table + r->c * r->lanes;
    for (size_t j = 0; j < r->k; j++) {
        const double *m = r->center + j * r->c;
        for (size_t b = 0; b < r->c; b++)
            r->table[b * r->lanes + j] = -2 * m[b];
        square[j] = scant_i_dot(m, m, r->c);
    }
}

/* D^2 of n <= TILE rows into distance (n x lanes); tile is room for c x TILE numbers. */
static void distances(double *distance, double *tile, const clustering *r, const double *x,
                      size_t n)
{
    const double *square = r->table + r->c * r->lanes;
    for (size_t i = 0; i < n; i++) {
        const double *row = x + i * r->width;
        double own = 0;
        for (size_t b = 0; b < r->c; b++) {
            double cell = tile[b * TILE + i] = row[r->column[b]];
            own += cell * cell;
        }
        for (size_t j = 0; j < r->lanes; j++)
            distance[i * r->lanes + j] = own + square[j];
    }
    scant_i_product(distance, tile, TILE, r->table, n, r->c, r->lanes);
}

static size_t nearest(const double *distance, size_t k)
{
    size_t best = 0;
    for (size_t j = 1; j < k; j++)
        best = distance[j] < distance[best] ? j : best;
    return best;
}

/* A step of k-means, unless it is the last: then only the spread is measured. */
static void step(clustering *r, const double *x, size_t n, double *tile, double *distance,
                 double *count, double *sum, bool is_last)
{
    double least = 0;
    memset(count, 0, r->k * sizeof *count);
    memset(sum, 0, r->k * r->c * sizeof *sum);
    for (size_t first = 0; first < n; first += TILE) {
        size_t m = scant_i_min(TILE, n - first);
        distances(distance, tile, r, x + first * r->width, m);
        for (size_t i = 0; i < m; i++) {
            size_t j = nearest(distance + i * r->lanes, r->k);
            least += fmax(distance[i * r->lanes + j], 0);
            count[j]++;
            for (size_t b = 0; b < r->c; b++)
                sum[j * r->c + b] += tile[b * TILE + i];
        }
    }
    *r->spread = least / (double)n;
    for (size_t j = 0; j < r->k && !is_last; j++)
        for (size_t b = 0; b < r->c && count[j] > 0; b++) /* an empty cluster stays where it is */
            r->center[j * r->c + b] = sum[j * r->c + b] / count[j];
    make_table(r);
}

/* The first m places of a random order of 0 .. n - 1. */
static void draw_some(size_t *out, size_t m, size_t *order, size_t n, scant_i_random *random)
{
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t i = 0; i < m; i++) {
        size_t j = i + scant_i_random_below(random, n - i), other = order[j];
        order[j] = order[i];
        out[i] = order[i] = other;
    }
}

static size_t draw_k(size_t n, size_t K, scant_i_random *random)
{
    double low = (double)scant_i_max(2, K), rows = (double)n;
    double most = fmin(fmin(2 * sqrt(rows), 8 * (double)K), rows / 3);
    double high = fmax((double)K + 2, most);
    double k = exp(log(low) + (log(high + 1) - log(low)) * scant_i_random_uniform(random));
    return scant_i_min((size_t)k, n);
}

static scant_status cluster(clustering *r, const scant_i_training *task, size_t run)
{
    static const size_t spaces[] = {SCANT_I_STANDARD, SCANT_I_RANKS, SCANT_I_WHITE};
    scant_status status = SCANT_OK;
    scant_i_random random = scant_i_random_new(task->seed, STREAM + run);
    size_t n = task->rows.nrows, *order = NULL, *start = NULL;
    double *tile = NULL, *distance = NULL, *count = NULL, *sum = NULL;
    r->space = spaces[run % 3];
    r->width = task->rows.width[r->space];
    const double *x = task->rows.x[r->space];
    size_t part = (size_t)(PART * (double)r->width + 0.5);
    r->c = scant_i_min(r->width, scant_i_max(part, 2));
    r->k = draw_k(n, task->nclasses, &random);
    SCANT_I_TRY(SCANT_I_NEW(&order, scant_i_max(n, r->width)));
    SCANT_I_TRY(SCANT_I_NEW(&start, r->k));
    SCANT_I_TRY(SCANT_I_NEW(&r->column, r->c));
    SCANT_I_TRY(room_for(r));
    SCANT_I_TRY(SCANT_I_NEW(&tile, r->c * TILE));
    SCANT_I_TRY(SCANT_I_NEW(&distance, TILE * r->lanes));
    SCANT_I_TRY(SCANT_I_NEW(&count, r->k));
    SCANT_I_TRY(SCANT_I_NEW(&sum, r->k * r->c));

    draw_some(r->column, r->c, order, r->width, &random);
    draw_some(start, r->k, order, n, &random);
    for (size_t j = 0; j < r->k; j++)
        for (size_t b = 0; b < r->c; b++)
            r->center[j * r->c + b] = x[start[j] * r->width + r->column[b]];
    make_table(r);
    for (size_t s = 0; s <= STEPS; s++) {
        bool is_last = s == STEPS || scant_i_halted(&task->halt);
        step(r, x, n, tile, distance, count, sum, is_last);
        if (is_last)
            break;
    }
done:
    scant_i_free(order);
    scant_i_free(start);
    scant_i_free(tile);
    scant_i_free(distance);
    scant_i_free(count);
    scant_i_free(sum);
    return status;
}

/* --- features --- */

/* n x nfeatures */
static scant_status make_features(double *feature, const clusters *m, const scant_i_view *rows)
{
    scant_status status = SCANT_OK;
    size_t c = 1, lanes = LANES, at = 0;
    double *tile = NULL, *distance = NULL;
    for (size_t r = 0; r < m->runs; r++) {
        c = scant_i_max(c, m->run[r].c);
        lanes = scant_i_max(lanes, m->run[r].lanes);
    }
    SCANT_I_TRY(SCANT_I_NEW(&tile, c * TILE));
    SCANT_I_TRY(SCANT_I_NEW(&distance, TILE * lanes));
    for (size_t s = 0; s < m->runs; at += m->run[s++].k) {
        const clustering *r = &m->run[s];
        double rate = *r->spread > 0 ? sqrt((double)r->c) / (2 * *r->spread) : 0;
        double scale = 1 / sqrt((double)m->runs);
        for (size_t first = 0; first < rows->nrows; first += TILE) {
            size_t n = scant_i_min(TILE, rows->nrows - first);
            distances(distance, tile, r, rows->x[r->space] + first * r->width, n);
            for (size_t i = 0; i < n; i++) {
                double *f = feature + (first + i) * m->nfeatures + at;
                for (size_t j = 0; j < r->k; j++)
                    f[j] = -distance[i * r->lanes + j] * rate;
                (void)scant_i_softmax(f, r->k);
                for (size_t j = 0; j < r->k; j++)
                    f[j] *= scale;
            }
        }
    }
done:
    scant_i_free(tile);
    scant_i_free(distance);
    return status;
}

/* --- the member --- */

typedef struct preparing {
    const scant_i_training *task;
    clusters *m;
} preparing;

static scant_status prepare_run(size_t run, size_t worker, void *payload)
{
    const preparing *p = payload;
    (void)worker;
    return cluster(&p->m->run[run], p->task, run);
}

static scant_status prepare(void **out, const scant_i_training *task)
{
    scant_status status = SCANT_OK;
    clusters *m = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&m, 1));
    m->K = task->nclasses;
    SCANT_I_TRY(SCANT_I_NEW(&m->run, RUNS));
    m->runs = RUNS;
    preparing p = {task, m};
    SCANT_I_TRY(scant_i_parallel(task->threads, RUNS, prepare_run, &p));
    for (size_t r = 0; r < RUNS; r++)
        m->nfeatures += m->run[r].k;
    scant_i_view labeled = task->rows;
    labeled.nrows = task->nlabeled;
    SCANT_I_TRY(SCANT_I_NEW(&m->feature, task->nlabeled * m->nfeatures));
    SCANT_I_TRY(make_features(m->feature, m, &labeled));
    *out = m;
    m = NULL;
done:
    free_clusters(m);
    return status;
}

static scant_status copy_run(clustering *to, const clustering *from)
{
    scant_status status = SCANT_OK;
    *to = (clustering){.space = from->space, .width = from->width, .c = from->c, .k = from->k};
    SCANT_I_TRY(SCANT_I_NEW(&to->column, to->c));
    SCANT_I_TRY(room_for(to));
    memcpy(to->column, from->column, to->c * sizeof *to->column);
    memcpy(to->center, from->center, to->k * to->c * sizeof *to->center);
    *to->spread = *from->spread;
    make_table(to);
done:
    return status;
}

static scant_status fit(void **out, const scant_i_training *task, const scant_i_lesson *lesson,
                        const void *prepared)
{
    scant_status status = SCANT_OK;
    const clusters *all = prepared;
    clusters *m = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&m, 1));
    m->K = all->K;
    m->runs = all->runs;
    m->nfeatures = all->nfeatures;
    m->borrowed = !lesson->last;
    if (m->borrowed)
        m->run = all->run;
    else
        SCANT_I_TRY(SCANT_I_NEW(&m->run, m->runs));
    for (size_t r = 0; !m->borrowed && r < m->runs; r++)
        SCANT_I_TRY(copy_run(&m->run[r], &all->run[r]));
    SCANT_I_TRY(SCANT_I_NEW(&m->B, (m->nfeatures + 1) * m->K));
    SCANT_I_TRY(scant_i_ridge_fit(m->B, all->feature, task->nlabeled, m->nfeatures, lesson->target,
                                  m->K, C));
    *out = m;
    m = NULL;
done:
    free_clusters(m);
    return status;
}

static scant_status probabilities(double *p, const void *fitted, const scant_i_view *rows)
{
    const clusters *m = fitted;
    double *feature = NULL;
    scant_status status = SCANT_I_NEW(&feature, rows->nrows * m->nfeatures);
    if (status == SCANT_OK)
        status = make_features(feature, m, rows);
    if (status == SCANT_OK)
        scant_i_ridge_probabilities(p, m->B, feature, rows->nrows, m->nfeatures, m->K);
    scant_i_free(feature);
    return status;
}

/* --- documents --- */

static scant_status to_json(json_t *to, const void *fitted)
{
    scant_status status = SCANT_OK;
    const clusters *m = fitted;
    json_t *runs, *run, *columns;
    SCANT_I_TRY(scant_i_put(to, "runs", runs = json_array()));
    for (size_t s = 0; s < m->runs; s++) {
        const clustering *r = &m->run[s];
        if (json_array_append_new(runs, run = json_object()))
            return scant_i_fail(SCANT_ERR_MEMORY, "out of memory in a model file");
        SCANT_I_TRY(scant_i_put(run, "space", json_integer((json_int_t)r->space)));
        SCANT_I_TRY(scant_i_put(run, "columns", columns = json_array()));
        for (size_t b = 0; b < r->c; b++)
            if (json_array_append_new(columns, json_integer((json_int_t)r->column[b])))
                return scant_i_fail(SCANT_ERR_MEMORY, "out of memory in a model file");
        SCANT_I_TRY(scant_i_put_table(run, "centers", r->center, r->k, r->c));
        SCANT_I_TRY(scant_i_put(run, "spread", json_real(*r->spread)));
    }
    SCANT_I_TRY(scant_i_put_table(to, "weights", m->B, m->nfeatures + 1, m->K));
done:
    return status;
}

static scant_status read_run(clustering *r, const scant_i_place *place, const json_t *from,
                             const scant_i_spaces *spaces)
{
    scant_status status = SCANT_OK;
    const json_t *columns, *centers;
    scant_i_place at = scant_i_place_in(place, "columns");
    double *center = NULL;
    SCANT_I_TRY(scant_i_get_count(&r->space, place, from, "space"));
    if (r->space >= SCANT_I_SPACES)
        return scant_i_place_fail(place, "names no space");
    r->width = spaces->width[r->space];
    SCANT_I_TRY(scant_i_get_array(&columns, place, from, "columns"));
    SCANT_I_TRY(scant_i_get_array(&centers, place, from, "centers"));
    r->c = json_array_size(columns);
    r->k = json_array_size(centers);
    if (r->c == 0 || r->k == 0)
        return scant_i_place_fail(&at, "is empty");
    SCANT_I_TRY(scant_i_get_table(&center, place, from, "centers", r->k, r->c));
    SCANT_I_TRY(SCANT_I_NEW(&r->column, r->c));
    SCANT_I_TRY(room_for(r));
    for (size_t b = 0; b < r->c; b++) {
        scant_i_place here = scant_i_place_at(&at, b);
        SCANT_I_TRY(scant_i_get_index(&r->column[b], &here, json_array_get(columns, b), r->width));
    }
    memcpy(r->center, center, r->k * r->c * sizeof *center);
    SCANT_I_TRY(scant_i_get_real(r->spread, place, from, "spread"));
    make_table(r);
done:
    scant_i_free(center);
    return status;
}

static scant_status from_json(void **out, const scant_i_place *place, const json_t *from,
                              const scant_i_spaces *spaces, size_t nclasses)
{
    scant_status status = SCANT_OK;
    clusters *m = NULL;
    const json_t *runs;
    scant_i_place list = scant_i_place_in(place, "runs");
    SCANT_I_TRY(scant_i_get_array(&runs, place, from, "runs"));
    SCANT_I_TRY(SCANT_I_NEW(&m, 1));
    m->K = nclasses;
    SCANT_I_TRY(SCANT_I_NEW(&m->run, json_array_size(runs)));
    m->runs = json_array_size(runs);
    for (size_t s = 0; s < m->runs; s++) {
        scant_i_place at = scant_i_place_at(&list, s);
        SCANT_I_TRY(read_run(&m->run[s], &at, json_array_get(runs, s), spaces));
        m->nfeatures += m->run[s].k;
    }
    SCANT_I_TRY(scant_i_get_table(&m->B, place, from, "weights", m->nfeatures + 1, m->K));
    *out = m;
    m = NULL;
done:
    free_clusters(m);
    return status;
}

const scant_i_member scant_i_member_clusters = {
    .name = "clusters",
    .summary = "ridge logistic regression on clusters of all rows",
    .unlabeled = true,
    .refuses = refuses,
    .prepare = prepare,
    .release = free_clusters,
    .fit = fit,
    .probabilities = probabilities,
    .to_json = to_json,
    .from_json = from_json,
    .free = free_clusters,
};
