/* The member "topics": multinomial logistic regression, C = 10, on latent semantic directions of the labeled texts.
 *
 *   y = V'z / |V'z|,   V the TOPICS leading right singular vectors of tf-idf z of all rows (words.h, math/singular.h)
 *   y = (V'z / |V'z|, s / sqrt(D)) where texts stand beside D standardized columns s, which weigh as much as they do
 *
 * Words that occur together share directions, so that a label informs about words that no labeled text has. V is rounded to
 * multiples of GRAIN before anything is learned on it, which files keep as whole numbers.
 * Cost: that of the directions, once; then labels x TOPICS x K an evaluation (ridge.h). */
#include "train/member.h"

#include <math.h>
#include <string.h>

#include "math/linear.h"
#include "math/singular.h"
#include "train/ridge.h"

static const double C = 10, GRAIN = 1.0 / (1 << 20);
enum { TOPICS = 100, FEWEST_ROWS = 20 };

typedef struct directions {
    size_t width, ntopics, lanes;
    size_t nbeside; /* D */
    double *V;      /* width x lanes */
    double *y;      /* of the labeled rows: nlabeled x (ntopics + nbeside) */
} directions;

typedef struct topics {
    directions *of;
    bool owns; /* the directions; else they are the prepared ones */
    size_t K;
    double *B; /* (ntopics + nbeside + 1) x K */
} topics;

static void free_directions(void *prepared)
{
    directions *s = prepared;
    if (!s)
        return;
    scant_i_free(s->V);
    scant_i_free(s->y);
    scant_i_free(s);
}

static void free_topics(void *fitted)
{
    topics *m = fitted;
    if (!m)
        return;
    if (m->owns)
        free_directions(m->of);
    scant_i_free(m->B);
    scant_i_free(m);
}

static const char *refuses(const scant_i_training *task)
{
    if (!task->rows.nwords)
        return "there are no counts of words";
    return task->rows.nrows < FEWEST_ROWS ? "there are fewer than 20 texts" : NULL;
}

static size_t size(const directions *s)
{
    return s->ntopics + s->nbeside;
}

/* y of a row; room has `lanes` numbers */
static void project(double *y, const directions *s, const scant_i_view *rows, size_t i,
                    double *room)
{
    scant_i_words_gather(room, s->V, s->lanes, &rows->tfidf, i);
    double length = sqrt(scant_i_dot(room, room, s->lanes));
    for (size_t e = 0; e < s->ntopics; e++)
        y[e] = length > 0 ? room[e] / length : 0;
    for (size_t c = 0; c < s->nbeside; c++)
        y[s->ntopics + c] =
            rows->x[SCANT_I_STANDARD][i * s->nbeside + c] / sqrt((double)s->nbeside);
}

static scant_status prepare(void **out, const scant_i_training *task)
{
    scant_status status = SCANT_OK;
    const scant_i_csr *z = &task->rows.tfidf;
    const scant_i_sparse_matrix rows = {task->rows.nrows, task->rows.nwords, z->start, z->column,
                                        z->value};
    directions *s = NULL;
    double sigma[TOPICS], *room = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&s, 1));
    s->width = task->rows.nwords;
    s->lanes = scant_i_words_lanes(TOPICS);
    s->nbeside = task->rows.beside ? task->rows.width[SCANT_I_STANDARD] : 0;
    SCANT_I_TRY(
        scant_i_singular(&s->V, sigma, &s->ntopics, &rows, TOPICS, task->seed, task->threads));
    for (size_t i = 0; i < s->width * s->lanes; i++)
        s->V[i] = nearbyint(s->V[i] / GRAIN) * GRAIN;
    SCANT_I_TRY(SCANT_I_NEW(&s->y, task->nlabeled * size(s)));
    SCANT_I_TRY(SCANT_I_NEW(&room, s->lanes));
    for (size_t i = 0; i < task->nlabeled; i++)
        project(s->y + i * size(s), s, &task->rows, i, room);
    *out = s;
    s = NULL;
done:
    scant_i_free(room);
    free_directions(s);
    return status;
}

static scant_status copy_directions(directions **out, const directions *from)
{
    scant_status status = SCANT_OK;
    directions *s = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&s, 1));
    *s = (directions){.width = from->width,
                      .ntopics = from->ntopics,
                      .lanes = from->lanes,
                      .nbeside = from->nbeside};
    SCANT_I_TRY(SCANT_I_NEW(&s->V, s->width * s->lanes));
    memcpy(s->V, from->V, s->width * s->lanes * sizeof *s->V);
    *out = s;
    s = NULL;
done:
    free_directions(s);
    return status;
}

static scant_status fit(void **out, const scant_i_training *task, const scant_i_lesson *lesson,
                        const void *prepared)
{
    scant_status status = SCANT_OK;
    directions *s = (directions *)prepared;
    topics *m = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&m, 1));
    m->K = task->nclasses;
    if (lesson->last)
        SCANT_I_TRY(copy_directions(&m->of, s));
    else
        m->of = s;
    m->owns = lesson->last;
    SCANT_I_TRY(SCANT_I_NEW(&m->B, (size(s) + 1) * m->K));
    SCANT_I_TRY(scant_i_ridge_fit(m->B, s->y, task->nlabeled, size(s), lesson->target, m->K, C));
    *out = m;
    m = NULL;
done:
    free_topics(m);
    return status;
}

static scant_status probabilities(double *p, const void *fitted, const scant_i_view *rows)
{
    scant_status status = SCANT_OK;
    const topics *m = fitted;
    double *y = NULL, *room = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&y, size(m->of)));
    SCANT_I_TRY(SCANT_I_NEW(&room, m->of->lanes));
    for (size_t i = 0; i < rows->nrows; i++) {
        project(y, m->of, rows, i, room);
        scant_i_ridge_probabilities(p + i * m->K, m->B, y, 1, size(m->of), m->K);
    }
done:
    scant_i_free(y);
    scant_i_free(room);
    return status;
}

static scant_status to_json(json_t *to, const void *fitted)
{
    scant_status status = SCANT_OK;
    const topics *m = fitted;
    const directions *s = m->of;
    json_t *grains, *row;
    SCANT_I_TRY(scant_i_put_table(to, "weights", m->B, size(s) + 1, m->K));
    SCANT_I_TRY(scant_i_put(to, "grains", grains = json_array()));
    for (size_t j = 0; j < s->width; j++) {
        if (json_array_append_new(grains, row = json_array()))
            return scant_i_fail(SCANT_ERR_MEMORY, "out of memory in a model file");
        for (size_t e = 0; e < s->ntopics; e++)
            if (json_array_append_new(row,
                                      json_integer((json_int_t)(s->V[j * s->lanes + e] / GRAIN))))
                return scant_i_fail(SCANT_ERR_MEMORY, "out of memory in a model file");
    }
done:
    return status;
}

static scant_status from_json(void **out, const scant_i_place *place, const json_t *from,
                              const scant_i_spaces *spaces, size_t nclasses)
{
    scant_status status = SCANT_OK;
    const json_t *grains, *weights;
    scant_i_place list = scant_i_place_in(place, "grains");
    topics *m = NULL;
    SCANT_I_TRY(scant_i_get_array(&grains, place, from, "grains"));
    SCANT_I_TRY(scant_i_get_array(&weights, place, from, "weights"));
    SCANT_I_TRY(SCANT_I_NEW(&m, 1));
    m->owns = true;
    m->K = nclasses;
    SCANT_I_TRY(SCANT_I_NEW(&m->of, 1));
    directions *s = m->of;
    s->width = spaces->words ? spaces->words->width : 0;
    s->nbeside = spaces->words && spaces->words->beside ? spaces->width[SCANT_I_STANDARD] : 0;
    size_t all = json_array_size(weights);
    s->ntopics = all > s->nbeside ? all - s->nbeside - 1 : 0;
    s->lanes = scant_i_words_lanes(TOPICS);
    if (s->ntopics > TOPICS || json_array_size(grains) != s->width) {
        status =
            scant_i_place_fail(&list, "is not %zu words x at most %d directions", s->width, TOPICS);
        goto done;
    }
    SCANT_I_TRY(SCANT_I_NEW(&s->V, s->width * s->lanes));
    for (size_t j = 0; j < s->width; j++) {
        scant_i_place at = scant_i_place_at(&list, j);
        double *row = s->V + j * s->lanes;
        SCANT_I_TRY(scant_i_get_numbers(row, &at, json_array_get(grains, j), &s->ntopics, 1));
        for (size_t e = 0; e < s->ntopics; e++)
            row[e] *= GRAIN;
    }
    SCANT_I_TRY(scant_i_get_table(&m->B, place, from, "weights", size(s) + 1, m->K));
    *out = m;
    m = NULL;
done:
    free_topics(m);
    return status;
}

const scant_i_member scant_i_member_topics = {
    .name = "topics",
    .summary = "logistic regression on latent directions of all texts",
    .unlabeled = true,
    .words = true,
    .refuses = refuses,
    .prepare = prepare,
    .release = free_directions,
    .fit = fit,
    .probabilities = probabilities,
    .to_json = to_json,
    .from_json = from_json,
    .free = free_topics,
};
