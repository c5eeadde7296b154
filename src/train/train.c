/* Training a stack: from rows with some labels to a model.
 *
 * Working rows are those with a label (at most MOST_LABELED) and as many of the others as the sample has, both by even
 * steps; rows of weight 0 are not there. Labels become targets, rows of K numbers: a class, an even part of each class of a
 * set, probabilities; each times the row's weight. */
#include <scant/train.h>

#include <math.h>
#include <string.h>

#include "base/option_rows.h"
#include "base/options.h"
#include "math/linear.h"
#include "train/machine.h"
#include "train/stack.h"

enum { MOST_LABELED = 50000, MOST_CELLS = 8000000, FEWEST_SAMPLED = 2000 };

#define AT(field) offsetof(scant_train_options, field)
static const scant_option table[] = {
    {"members", 0, SCANT_OPTION_LIST, AT(members), "NAMES", NULL, 0, 0, NULL,
     "members of the stack: logistic, gaussian, gaussian-em, clusters, trees; sparse rows: "
     "tfidf, bayes, bayes-em, bayes-em-weak, topics [all]"},
    {"folds", 0, SCANT_OPTION_COUNT, AT(folds), "N", "5", 2, 1000, NULL,
     "folds of the labeled rows that weigh the members, at most"},
    {"sample", 0, SCANT_OPTION_COUNT, AT(sample), "N", "20000", 0, 1e9, NULL,
     "unlabeled rows to learn from, at most"},
    {"label-noise", 0, SCANT_OPTION_REAL, AT(label_noise), "R", "0", 0, 0.99, NULL,
     "share of labels that are wrong, any other class for each; labels are then weighed against "
     "what the others say of the row"},
    SCANT_I_ROW_TIME_LIMIT(AT(time_limit)),
    SCANT_I_ROW_SEED(AT(seed)),
    SCANT_I_ROW_THREADS(AT(threads)),
};
enum { NOPTIONS = sizeof table / sizeof *table };

const scant_option *scant_train_option_table(size_t *count)
{
    *count = NOPTIONS;
    return table;
}

static const scant_i_options_kind kind = {"scant_train_options_preset", sizeof(scant_train_options),
                                          table, NOPTIONS};

void(scant_train_options_preset)(scant_train_options *options, size_t size)
{
    scant_i_options_preset(options, size, &kind);
}

bool scant_train_member(size_t index, const char **name, const char **summary)
{
    for (size_t m = 0; m <= index; m++)
        if (!scant_i_members[m])
            return false;
    *name = scant_i_members[index]->name;
    *summary = scant_i_members[index]->summary;
    return true;
}

/* --- labels --- */

/* The row's evidence as K numbers that sum to 1; false: it says nothing. */
static bool target_of(double *target, const scant_i_labels *labels, size_t row)
{
    size_t K = labels->nclasses;
    int32_t code = labels->code[row];
    if (code < 0)
        return false;
    memset(target, 0, K * sizeof *target);
    if ((size_t)code < K) {
        target[code] = 1;
        return true;
    }
    const double *soft = labels->soft + ((size_t)code - K) * K;
    double total = scant_i_sum(soft, K), least = INFINITY, most = 0;
    for (size_t k = 0; k < K; k++) {
        target[k] = soft[k] / total;
        least = fmin(least, target[k]);
        most = fmax(most, target[k]);
    }
    return most - least > 1e-12;
}

/* Rows of the table that are worked on: `labeled` of them, then the others. */
typedef struct working {
    size_t *row, nlabeled, n;
    double *target, *weight; /* nlabeled x K, n */
    double *stated;          /* nlabeled x K: the labels as they stand, where they may be wrong */
    size_t seen, left_out;   /* rows with a label, and how many of them are not used */
} working;

static void working_clear(working *w)
{
    scant_i_free(w->row);
    scant_i_free(w->target);
    scant_i_free(w->stated);
    scant_i_free(w->weight);
}

/* Of `all` things at most `most` are taken, by even steps: is it the turn of thing i? */
static bool is_turn(size_t i, size_t all, size_t most)
{
    double part = (double)most / (double)all;
    return all <= most || floor((double)(i + 1) * part) > floor((double)i * part);
}

static size_t sample_size(const scant_rows *rows, const scant_train_options *options)
{
    size_t width = rows->ncolumns;
    if (scant_rows_is_sparse(rows) && width > SCANT_I_MOST_SPARSE) /* entries of a row, about */
        width = rows->sparse.start[rows->nrows] / scant_i_max(rows->nrows, 1);
    if (rows->text.start)
        width += rows->text.start[rows->nrows] / scant_i_max(rows->nrows, 1);
    size_t most = MOST_CELLS / scant_i_max(width, 1);
    return scant_i_min(options->sample, scant_i_max(most, FEWEST_SAMPLED));
}

static scant_status choose_rows(working *w, const scant_rows *rows,
                                const scant_train_options *options)
{
    scant_status status = SCANT_OK;
    size_t K = rows->labels.nclasses, unlabeled = 0, sample = sample_size(rows, options);
    double *t = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&t, K));
    for (size_t i = 0; i < rows->nrows; i++)
        if (scant_rows_weight(rows, i) > 0) {
            bool labeled = target_of(t, &rows->labels, i);
            w->seen += labeled;
            unlabeled += !labeled;
        }
    w->nlabeled = scant_i_min(w->seen, MOST_LABELED);
    w->left_out = w->seen - w->nlabeled;
    size_t room = w->nlabeled + scant_i_min(unlabeled, sample) + 2; /* even steps may round up */
    SCANT_I_TRY(SCANT_I_NEW(&w->row, room));
    SCANT_I_TRY(SCANT_I_NEW(&w->weight, room));
    SCANT_I_TRY(SCANT_I_NEW(&w->target, (w->nlabeled + 1) * K));
    size_t l = 0, u = 0, a = 0, b = w->nlabeled;
    for (size_t i = 0; i < rows->nrows; i++) {
        double weight = scant_rows_weight(rows, i);
        if (!(weight > 0))
            continue;
        if (target_of(t, &rows->labels, i)) {
            if (is_turn(l++, w->seen, w->nlabeled) && a < w->nlabeled) {
                for (size_t k = 0; k < K; k++)
                    w->target[a * K + k] = weight * t[k];
                w->weight[a] = weight;
                w->row[a++] = i;
            }
        } else if (is_turn(u++, unlabeled, sample) && b < room) {
            w->weight[b] = weight;
            w->row[b++] = i;
        }
    }
    w->n = b;
done:
    scant_i_free(t);
    return status;
}

static scant_status check_noise(const scant_rows *rows, double rate)
{
    double K = (double)rows->labels.nclasses;
    return rate > 0 && !(rate < 1 - 1 / K)
               ? scant_i_fail(SCANT_ERR_ARGUMENT,
                              "--label-noise: with %g of the labels of %g classes wrong, labels "
                              "say nothing; it has to be below %.3g",
                              rate, K, 1 - 1 / K)
               : SCANT_OK;
}

static scant_status check_labels(const scant_rows *rows, const working *w)
{
    size_t K = rows->labels.nclasses, known = 0, only = 0;
    for (size_t k = 0; k < K; k++) {
        double mass = 0;
        for (size_t i = 0; i < w->nlabeled; i++)
            mass += w->target[i * K + k];
        known += mass > 0;
        only = mass > 0 ? k : only;
    }
    if (w->n == 0)
        return scant_i_fail(SCANT_ERR_INPUT, "there are no rows of positive weight");
    if (known == 0)
        return scant_i_fail(SCANT_ERR_INPUT, "no row has a label: training needs at least two "
                                             "classes with a label each");
    if (known == 1)
        return scant_i_fail(SCANT_ERR_INPUT,
                            "all labels are of one class, '%s': training needs at least two "
                            "classes with a label each",
                            rows->labels.classes[only]);
    return SCANT_OK;
}

/* --- members --- */

static scant_status choose_members(const scant_i_member **out, size_t *count,
                                   const scant_i_training *task, const scant_train_options *options,
                                   scant_model *model)
{
    scant_status status = SCANT_OK;
    for (size_t i = 0; i < options->members.count; i++)
        if (!scant_i_member_find(options->members.item[i]))
            return scant_i_fail(SCANT_ERR_ARGUMENT, "--members: there is no member '%s'",
                                options->members.item[i]);
    *count = 0;
    for (size_t m = 0; scant_i_members[m]; m++) {
        const scant_i_member *member = scant_i_members[m];
        bool wanted = options->members.count == 0;
        for (size_t i = 0; i < options->members.count; i++)
            wanted |= strcmp(options->members.item[i], member->name) == 0;
        const char *reason = wanted ? member->refuses(task) : NULL;
        /* what the rows have nothing for is not worth a word, unless it was asked for */
        bool concerned = member->words ? task->rows.nwords : task->rows.width[SCANT_I_STANDARD];
        if (reason && (concerned || options->members.count))
            SCANT_I_TRY(scant_i_model_add_warning(model, "the member %s was left out: %s",
                                                  member->name, reason));
        if (wanted && !reason)
            out[(*count)++] = member;
    }
done:
    return status;
}

/* Columns that do not vary leave no member, but a model all the same; sparse rows are refused. */
static scant_status check_members(scant_model *model, const scant_rows *rows,
                                  const scant_i_spaces *spaces, size_t nmembers)
{
    size_t ncolumns;
    bool counts = scant_i_words_source(rows, &ncolumns) != NULL;
    if (nmembers > 0 && counts && !spaces->words)
        return scant_i_model_add_warning(model, "members of words were left out: the rows have "
                                                "negative or missing numbers, which are no counts");
    if (nmembers > 0 || !scant_rows_is_sparse(rows))
        return SCANT_OK;
    return scant_i_fail(SCANT_ERR_INPUT,
                        "no member learns from these sparse rows: %s, and only rows of at most %d "
                        "columns serve as a table",
                        spaces->words ? "few columns have a count in more than one of them"
                                      : "negative or missing numbers are no counts",
                        SCANT_I_MOST_SPARSE);
}

/* --- labels that may be wrong --- */

/* Exact labels become what they and the stack of the other folds say together:
 *     t_ik  in proportion to  p_k(x_i; folds without i) N[k][y_i],   N = 1 - R on the diagonal, R / (K - 1) elsewhere:
 * one step of EM in which no label vouches for itself. */
static scant_status doubt_labels(working *w, const scant_i_crossed *c, size_t K, double rate)
{
    scant_status status = SCANT_OK;
    double *p = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&p, K));
    SCANT_I_TRY(SCANT_I_NEW(&w->stated, w->nlabeled * K));
    memcpy(w->stated, w->target, w->nlabeled * K * sizeof *w->stated);
    for (size_t i = 0; i < w->nlabeled; i++) {
        double *t = w->target + i * K, total = scant_i_sum(t, K), sum = 0;
        bool exact = false;
        for (size_t k = 0; k < K; k++)
            exact |= t[k] == total;
        if (!exact)
            continue;
        for (size_t k = 0; k < K; k++) {
            p[k] = c->fold[i] < 0;
            for (size_t m = 0; m < c->nmembers && c->fold[i] >= 0; m++)
                p[k] += c->weight[m] > 0 ? c->weight[m] * c->held[m][i * K + k] : 0;
            p[k] *= t[k] > 0 ? 1 - rate : rate / (double)(K - 1);
            sum += p[k];
        }
        for (size_t k = 0; k < K && sum > 0; k++)
            t[k] = total * p[k] / sum;
    }
done:
    scant_i_free(p);
    return status;
}

/* Held-out labels are hit by a right answer with probability 1 - R, by a wrong one with r = R / (K - 1):
 *     hits = A (1 - R) + (1 - A) r. */
static double through_noise(double hits, double rate, size_t K)
{
    double r = rate / (double)(K - 1);
    return fmin(fmax((hits - r) / (1 - rate - r), 0), 1);
}

static void see_through(scant_headline *h, double rate, size_t K)
{
    double *const share[] = {&h->accuracy, &h->low, &h->high, &h->labeled_only, &h->logistic};
    for (size_t i = 0; i < sizeof share / sizeof *share; i++)
        *share[i] = isnan(*share[i]) ? NAN : through_noise(*share[i], rate, K);
    h->gain /= 1 - rate - rate / (double)(K - 1);
}

/* --- the model --- */

static scant_status warn_of_labels(scant_model *model, const scant_i_stack *stack,
                                   const double *target, size_t n)
{
    scant_status status = SCANT_OK;
    size_t K = model->nclasses;
    const scant_headline *h = &stack->headline;
    for (size_t k = 0; k < K; k++) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++)
            count += target[i * K + k] > 0;
        if (count <= 1)
            SCANT_I_TRY(scant_i_model_add_warning(
                model,
                count
                    ? "class %s has one label, which could not be held out: label more of its rows"
                    : "class %s has no label and is never predicted: label some of its rows",
                model->classes[k]));
    }
    if (h->folds == 0 && stack->nmembers)
        SCANT_I_TRY(scant_i_model_add_warning(
            model, "too few labels to hold any out: the members have equal weights, and the "
                   "accuracy is unknown. Two labels in each class are the least"));
    if (h->folds == 0 && stack->nmembers && scant_i_setting_number(model, "label-noise", 0) > 0)
        SCANT_I_TRY(scant_i_model_add_warning(
            model, "--label-noise has no effect: a label is weighed by what the others say of its "
                   "row, and none could be held out"));
    if (h->folds && h->accuracy <= h->majority)
        SCANT_I_TRY(scant_i_model_add_warning(
            model, "held-out labels are predicted no better than by always naming the most "
                   "frequent class: check the labels, or label more rows"));
done:
    return status;
}

static scant_status warn_of_rows(scant_model *model, const scant_rows *rows, const working *w,
                                 const scant_i_stack *stack)
{
    scant_status status = SCANT_OK;
    size_t missing = 0;
    for (size_t i = 0; i < w->n && rows->dense; i++)
        for (size_t c = 0; c < rows->ncolumns; c++)
            missing += isnan(rows->dense[w->row[i] * rows->ncolumns + c]) ? 1 : 0;
    if (stack->spaces->width[SCANT_I_STANDARD] == 0 && stack->nmembers == 0)
        SCANT_I_TRY(scant_i_model_add_warning(
            model, "no column varies: the model can only name the labels' class proportions"));
    if (missing)
        SCANT_I_TRY(scant_i_model_add_warning(
            model, "%zu missing cells were taken for the column's mean or most frequent category",
            missing));
    if (w->left_out)
        SCANT_I_TRY(scant_i_model_add_warning(model, "%zu of %zu labeled rows were left out",
                                              w->left_out, w->seen));
done:
    return status;
}

/* As a setting, where not all were asked for. */
static scant_status keep_members(scant_model *model, const scant_texts *members)
{
    scant_status status = SCANT_OK;
    size_t room = 1;
    char *names = NULL;
    if (members->count == 0)
        return SCANT_OK;
    for (size_t i = 0; i < members->count; i++)
        room += strlen(members->item[i]) + 1;
    SCANT_I_TRY(SCANT_I_NEW(&names, room));
    for (size_t i = 0; i < members->count; i++) {
        strcat(names, i ? "," : "");
        strcat(names, members->item[i]);
    }
    SCANT_I_TRY(scant_i_model_add_setting(model, "members", "%s", names));
done:
    scant_i_free(names);
    return status;
}

static scant_status describe(scant_model *model, const scant_rows *rows, const working *w,
                             const scant_train_options *options)
{
    scant_status status = SCANT_OK;
    scant_summary *s = &model->summary;
    *s = (scant_summary){.rows = rows->nrows,
                         .labeled = w->seen,
                         .starts = 1,
                         .seed = options->seed,
                         .loglik = NAN,
                         .objective = NAN,
                         .bic = NAN,
                         .icl = NAN,
                         .aic = NAN};
    for (size_t i = 0; i < rows->nrows; i++)
        s->weight += scant_rows_weight(rows, i);
    SCANT_I_TRY(scant_i_model_add_number(model, "folds", (double)options->folds));
    SCANT_I_TRY(scant_i_model_add_number(model, "sample", (double)options->sample));
    if (options->label_noise > 0)
        SCANT_I_TRY(scant_i_model_add_number(model, "label-noise", options->label_noise));
    SCANT_I_TRY(keep_members(model, &options->members));
done:
    return status;
}

/* Spaces and working rows in them. */
static scant_status map_rows(scant_i_spaces **spaces, double **cells, scant_i_word_rows *words,
                             scant_i_training *task, const scant_rows *rows, const working *w)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(scant_i_spaces_new(spaces, rows, w->row, w->n));
    SCANT_I_TRY(SCANT_I_NEW(cells, w->n * scant_i_spaces_row(*spaces)));
    SCANT_I_TRY(scant_i_spaces_map(&task->rows, *cells, *spaces, rows, w->row, 0, w->n));
    SCANT_I_TRY(scant_i_spaces_map_words(&task->rows, words, *spaces, rows, w->row, 0, w->n));
    task->nlabeled = w->nlabeled;
    task->nclasses = rows->labels.nclasses;
    task->weight = w->weight;
done:
    return status;
}

static void set_stop(scant_model *model, const scant_i_crossed *crossed,
                     const scant_i_stack_plan *plan, const scant_i_halt *halt)
{
    if (crossed->stopped || scant_i_halted(halt))
        model->summary.stop =
            plan->cancelled || scant_i_interrupted() ? SCANT_STOP_INTERRUPTED : SCANT_STOP_TIME;
}

static scant_status train(scant_model **out, const scant_rows *rows,
                          const scant_train_options *options)
{
    scant_status status = SCANT_OK;
    double began = scant_i_seconds(), *cells = NULL;
    scant_model *model = NULL;
    scant_i_spaces *spaces = NULL;
    scant_i_word_rows words = {0};
    scant_i_stack *stack = NULL;
    scant_i_crossed crossed = {0};
    working w = {0};
    const scant_i_member *member[64]; /* more than the table has */
    scant_i_stack_plan plan = {.member = member,
                               .folds = options->folds,
                               .threads = options->threads,
                               .progress = options->progress,
                               .payload = options->payload};
    scant_i_training task = {.seed = options->seed,
                             .threads = options->threads,
                             .halt = {options->time_limit, began, &plan.cancelled}};
    if (!rows->labels.code)
        return scant_i_fail(SCANT_ERR_INPUT,
                            "the rows have no labels: training needs a label column");
    SCANT_I_TRY(choose_rows(&w, rows, options));
    SCANT_I_TRY(check_labels(rows, &w));
    SCANT_I_TRY(check_noise(rows, options->label_noise));
    SCANT_I_TRY(scant_i_model_new(&model, rows));
    SCANT_I_TRY(map_rows(&spaces, &cells, &words, &task, rows, &w));
    SCANT_I_TRY(choose_members(member, &plan.nmembers, &task, options, model));
    SCANT_I_TRY(check_members(model, rows, spaces, plan.nmembers));
    plan.target = w.target;
    SCANT_I_TRY(scant_i_stack_train(&stack, &crossed, &task, &plan));
    if (options->label_noise > 0 && crossed.nfolds && !crossed.stopped) {
        SCANT_I_TRY(doubt_labels(&w, &crossed, task.nclasses, options->label_noise));
        scant_i_crossed_clear(&crossed);
        scant_i_stack_free(stack);
        stack = NULL;
        SCANT_I_TRY(scant_i_stack_train(&stack, &crossed, &task, &plan));
    }
    stack->spaces = spaces;
    spaces = NULL;
    SCANT_I_TRY(scant_i_headline(stack, &crossed, &task, w.stated ? w.stated : w.target, w.row));
    if (w.stated)
        see_through(&stack->headline, options->label_noise, task.nclasses);
    SCANT_I_TRY(describe(model, rows, &w, options));
    set_stop(model, &crossed, &plan, &task.halt);
    SCANT_I_TRY(warn_of_labels(model, stack, w.target, w.nlabeled));
    SCANT_I_TRY(warn_of_rows(model, rows, &w, stack));
    scant_i_stack *taken = stack;
    stack = NULL;
    SCANT_I_TRY(scant_i_model_take_machine(model, &scant_i_machine_stack, taken));
    model->summary.seconds = scant_i_seconds() - began;
    *out = model;
    model = NULL;
done:
    scant_model_free(model);
    scant_i_stack_free(stack);
    scant_i_spaces_free(spaces);
    scant_i_crossed_clear(&crossed);
    working_clear(&w);
    scant_i_word_rows_clear(&words);
    scant_i_free(cells);
    return status;
}

scant_status scant_train(scant_model **out, const scant_rows *rows,
                         const scant_train_options *options)
{
    scant_train_options taken;
    *out = NULL;
    scant_status status = scant_i_options_take(&taken, options, &kind);
    return status == SCANT_OK ? train(out, rows, &taken) : status;
}

scant_status scant_i_train_again(scant_model **out, const scant_model *model,
                                 const scant_rows *rows, const scant_i_machine_run *run)
{
    scant_status status = SCANT_OK;
    scant_train_options options;
    const char *members = scant_model_setting(model, "members");
    scant_train_options_preset(&options);
    options.folds = (size_t)scant_i_setting_number(model, "folds", (double)options.folds);
    options.sample = (size_t)scant_i_setting_number(model, "sample", (double)options.sample);
    options.label_noise = scant_i_setting_number(model, "label-noise", 0);
    options.seed = model->summary.seed;
    options.time_limit = run->time_limit;
    options.threads = run->threads;
    if (members)
        SCANT_I_TRY(scant_option_set(&options, table, members)); /* its first row */
    status = scant_train(out, rows, &options);
done:
    scant_options_clear(&options, table, NOPTIONS);
    return status;
}
