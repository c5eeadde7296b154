/* Blind training: a linear classifier from unlabelled rows and the classes' proportions. */
#ifndef SCANT_BLIND_H
#define SCANT_BLIND_H

#include <scant/data.h>
#include <scant/model.h>
#include <scant/options.h>
#include <scant/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Preset it with scant_blind_options_preset; every field but the last two has a row in the table.
 * Texts are borrowed. */
typedef struct scant_blind_options {
    size_t size;           /* by the preset */
    const char *prior;     /* the second class's share, or "a=0.3,b=0.7"; needed */
    const char *loss;      /* log, hinge, exp */
    const char *algorithm; /* exact; descent and grid are algorithms 1 and 2 of the paper */
    double l2, l1;         /* penalties on the weights of columns in units of their spread */
    bool no_offset;        /* scores pass through the rows' mean */
    size_t starts;         /* starts in all */
    size_t max_iter;       /* of each start */
    double tol;            /* stop when an iteration lowers the objective by a smaller share of 1 */
    double time_limit;     /* seconds; 0: none */
    double step;           /* descent: length of a step along the gradient */
    size_t grid;           /* grid: points a coordinate */
    double reach;          /* grid: how far they go from where it stands */
    uint64_t seed;
    size_t threads; /* 0: OMP_NUM_THREADS, else all cores; each start is one thread's */
    scant_progress progress;
    void *payload;
} scant_blind_options;

SCANT_API const scant_option *scant_blind_option_table(size_t *count);
SCANT_API void scant_blind_options_preset(scant_blind_options *options, size_t size);
#define scant_blind_options_preset(options) (scant_blind_options_preset)(options, sizeof *(options))

/* Minimises R(w) + l2 |w|^2 / 2 + l1 |w|_1, where R is the estimate of the expected loss that
 * unlabelled scores allow (scant/margin.h): the two normals are fitted at every step, and their
 * dependence on the weights is differentiated with them. The best start wins. Labels of the rows,
 * if any, name the classes and are not looked at otherwise.
 *
 *     scant_blind_options options;
 *     scant_blind_options_preset(&options);
 *     options.prior = "0.3";
 *     scant_model *model = NULL;
 *     if (scant_blind(&model, rows, &options) == SCANT_OK)
 *         printf("about %g wrong\n", scant_model_score(model)->error);
 *
 * The model answers scant_model_predict, _evaluate and _write as others do; its warnings tell where
 * the answer should not be trusted. SCANT_ERR_UNIDENTIFIED: shares of one half, which leave the
 * classes' names open, or no start that came to anything. SCANT_ERR_INPUT: categories, missing
 * cells, or labels of other than two classes. Two classes only: with more, one score does not
 * decide, and proportions do not tell which class a cluster is where two of them are alike.
 * O(cells) an evaluation, of which a start takes about a hundred; descent takes 2 columns (rows)
 * times a few dozen an iteration. */
SCANT_API scant_status scant_blind(scant_model **out, const scant_rows *rows,
                                   const scant_blind_options *options);

#ifdef __cplusplus
}
#endif
#endif
