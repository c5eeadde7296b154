/* The table of options, and the numbers that a fit makes of them. */
#include "med/options.h"

#include <math.h>
#include <string.h>

#include "base/option_rows.h"
#include "base/options.h"
#include "med/order.h"
#include "model/model.h"

#define AT(field) offsetof(scant_med_options, field)
static const scant_option table[] = {
    {"task", 0, SCANT_OPTION_CHOICE, AT(task), "T", "classify", 0, 0, "classify|regress",
     "what is learned: classes of --label, or the number in --target"},
    {"target", 0, SCANT_OPTION_TEXT, AT(target), "COL", NULL, 0, 0, NULL,
     "column to predict by regression"},
    {"kernel", 0, SCANT_OPTION_CHOICE, AT(kernel), "K", "linear", 0, 0,
     "linear|poly|rbf|precomputed", "kernel; precomputed: the columns are the kernel matrix"},
    {"gamma", 0, SCANT_OPTION_REAL, AT(gamma), "G", "0", 0, 1e300, NULL,
     "width of rbf, exp(-G |x - z|^2), and factor of poly (0: 1 / columns with --c, else chosen)"},
    {"offset", 0, SCANT_OPTION_REAL, AT(offset), "B", "1", 0, 1e300, NULL,
     "offset of poly, (G x'z + B)^degree"},
    {"degree", 0, SCANT_OPTION_COUNT, AT(degree), "N", "3", 1, 100, NULL,
     "degree of poly and of --expand powers"},
    {"expand", 0, SCANT_OPTION_CHOICE, AT(expand), "E", "none", 0, 0, "none|powers|products",
     "add columns: powers of each up to --degree, or squares and products of two"},
    {"dna", 0, SCANT_OPTION_FLAG, AT(dna), NULL, NULL, 0, 0, NULL,
     "letters of DNA become four numbers, ambiguous ones fractions of the bases they stand for"},
    {"c", 0, SCANT_OPTION_REAL, AT(c), "C", "0", 0, 1e300, NULL,
     "scale of the margin prior: the larger, the fewer errors are allowed (0: chosen by "
     "cross-validation)"},
    {"weight-variance", 0, SCANT_OPTION_REAL, AT(weight_variance), "V", "0", 0, 1e300, NULL,
     "variance of the weights' prior (0: 1 with --c, else chosen by cross-validation)"},
    {"margin-prior", 0, SCANT_OPTION_CHOICE, AT(margin_prior), "P", "exponential", 0, 0,
     "exponential|laplace|gaussian|fixed", "prior of the margins; fixed: no errors at all"},
    {"margin", 0, SCANT_OPTION_REAL, AT(margin), "M", "1", 1e-300, 1e300, NULL,
     "margin that is wanted of every row"},
    {"bias-prior", 0, SCANT_OPTION_CHOICE, AT(bias_prior), "B", "flat", 0, 0, "flat|gaussian|error",
     "prior of the bias; error: flat, then the bias with fewest training errors"},
    {"bias-mean", 0, SCANT_OPTION_REAL, AT(bias_mean), "M", "0", -1e300, 1e300, NULL,
     "mean of a gaussian bias prior"},
    {"bias-variance", 0, SCANT_OPTION_REAL, AT(bias_variance), "V", "1", 0, 1e300, NULL,
     "variance of a gaussian bias prior, and of the joint problem's"},
    {"select", 0, SCANT_OPTION_REAL, AT(select), "RHO", "1", 1e-300, 1, NULL,
     "prior probability that a column is used: below 1 columns are selected (linear only)"},
    {"path", 0, SCANT_OPTION_FLAG, AT(path), NULL, NULL, 0, 0, NULL,
     "fits for a range of --select, too, whose coefficients report and plot show"},
    {"eps", 0, SCANT_OPTION_REAL, AT(epsilon), "E", "0.2", 0, 1e300, NULL,
     "half width of the tube around the target, in its standard deviations"},
    {"multiclass", 0, SCANT_OPTION_CHOICE, AT(multiclass), "M", "rest", 0, 0, "rest|joint|codes",
     "more than two classes: each against the rest, all in one problem, or error-correcting codes"},
    {"generative", 0, SCANT_OPTION_CHOICE, AT(generative), "F", "none", 0, 0,
     "none|gaussian|multinomial|poisson|bernoulli|exponential",
     "log ratio of two densities of this family, in place of weights"},
    {"prior-rows", 0, SCANT_OPTION_REAL, AT(prior_rows), "N", "1", 0, 1e300, NULL,
     "rows that the prior of a --generative family is worth, besides each class's own (0: none)"},
    {"margin-percentile", 0, SCANT_OPTION_REAL, AT(margin_percentile), "A", "-1", -1, 100, NULL,
     "of --generative: the margin is this percentile of the family's own margins (-1: --margin)"},
    {"transduce", 0, SCANT_OPTION_WORD, AT(transduce), "T", "none", 0, 0,
     "none|gaussian|mean-field",
     "learn from rows without a label or target, too; mean-field: and from sets and probabilities "
     "of classes; without a value mean-field, of a target gaussian"},
    {"kappa-rule", 0, SCANT_OPTION_REAL, AT(kappa_rule), "R", "0.7", 1e-300, 1e300, NULL,
     "of --transduce gaussian: the spread of labels; works from .3 to 1.1, large is labeled only"},
    {"positive", 0, SCANT_OPTION_TEXT, AT(positive), "CLASS", NULL, 0, 0, NULL,
     "of two classes, the one called +1 (default: the second)"},
    {"no-standardize", 0, SCANT_OPTION_FLAG, AT(no_standardize), NULL, NULL, 0, 0, NULL,
     "take columns and target in their own units (sparse rows always are)"},
    {"folds", 0, SCANT_OPTION_COUNT, AT(folds), "N", "5", 0, 1000, NULL,
     "folds of the labeled rows that choose settings and probabilities (0: none)"},
    {"solver", 0, SCANT_OPTION_CHOICE, AT(solver), "S", "auto", 0, 0,
     "auto|newton|pairs|axis|gradient",
     "newton (linear), pairs (flat bias), axis (linear, or gaussian bias), gradient (that of the "
     "thesis, slow)"},
    {"order", 0, SCANT_OPTION_CHOICE, AT(order), "O", "auto", 0, 0,
     "auto|random|cyclic|shuffled|skip-idle|greedy|learned",
     "of --solver axis and linear discriminants: which multiplier is next"},
    {"tol", 0, SCANT_OPTION_REAL, AT(tol), "X", "1e-6", 0, 1, NULL,
     "stop when the primal is above the dual J by less than X max(1, |J|)"},
    {"max-iter", 0, SCANT_OPTION_COUNT, AT(max_iter), "N", "0", 0, 1e15, NULL,
     "passes over the rows, or steps of Newton (0: no limit)"},
    {"cache-mb", 0, SCANT_OPTION_COUNT, AT(cache_mb), "MB", "256", 1, 1e6, NULL,
     "memory for columns of the kernel matrix"},
    SCANT_I_ROW_TIME_LIMIT(AT(time_limit)),
    SCANT_I_ROW_SEED(AT(seed)),
    SCANT_I_ROW_THREADS(AT(threads)),
};
enum { NOPTIONS = sizeof table / sizeof *table };

const scant_option *scant_med_option_table(size_t *count)
{
    *count = NOPTIONS;
    return table;
}

static const scant_i_options_kind kind = {"scant_med_options_preset", sizeof(scant_med_options),
                                          table, NOPTIONS};

void(scant_med_options_preset)(scant_med_options *options, size_t size)
{
    scant_i_options_preset(options, size, &kind);
}

scant_status scant_i_med_options_take(scant_med_options *out, const scant_med_options *given)
{
    scant_status status = scant_i_options_take(out, given, &kind);
    if (status == SCANT_OK && !*out->transduce)
        out->transduce = strcmp(out->task, "regress") == 0 ? "gaussian" : "mean-field";
    return status;
}

/* --- in a model --- */

enum { VALUE_SIZE = 512 };
/* What a run has, and what `finish` says of every model: c as it was used, which says nothing of whether it was searched. */
static const char *const not_kept[] = {"task",    "kernel", "c",          "folds", "tol",
                                       "threads", "seed",   "time-limit", "path",  "cache-mb"};
static const char SEARCHED[] = "c-searched";

static bool is_kept(const char *name)
{
    for (size_t i = 0; i < sizeof not_kept / sizeof *not_kept; i++)
        if (strcmp(not_kept[i], name) == 0)
            return false;
    return true;
}

scant_status scant_i_med_options_keep(scant_model *model, const scant_med_options *options)
{
    scant_status status = SCANT_OK;
    char now[VALUE_SIZE], before[VALUE_SIZE];
    scant_med_options presets;
    scant_med_options_preset(&presets);
    for (size_t i = 0; i < NOPTIONS; i++)
        if (is_kept(table[i].name) && scant_i_option_tell(now, sizeof now, options, &table[i]) &&
            !(scant_i_option_tell(before, sizeof before, &presets, &table[i]) &&
              strcmp(now, before) == 0))
            SCANT_I_TRY(scant_i_model_add_setting(model, table[i].name, "%s", now));
    if (options->c == 0)
        SCANT_I_TRY(scant_i_model_add_setting(model, SEARCHED, "true"));
done:
    return status;
}

scant_status scant_i_med_options_recall(scant_med_options *out, const scant_model *model)
{
    scant_status status = SCANT_OK;
    bool searched = scant_model_setting(model, SEARCHED) != NULL;
    scant_med_options_preset(out);
    for (size_t i = 0; i < NOPTIONS; i++) {
        const char *value = scant_model_setting(model, table[i].name);
        if (value && !(searched && strcmp(table[i].name, "c") == 0))
            SCANT_I_TRY(scant_option_set(out, &table[i], value));
    }
done:
    return status;
}

/* --- numbers --- */

static bool is(const char *word, const char *what)
{
    return strcmp(word, what) == 0;
}

/* What densities and transduction do not go with. */
static scant_status check_apart(const scant_med_options *o)
{
    bool family = !is(o->generative, "none"), open = !is(o->transduce, "none");
    bool regress = is(o->task, "regress");
    const char *which = family ? "generative" : "transduce";
    bool plain = (regress || is(o->margin_prior, "exponential")) && o->select >= 1 &&
                 !is(o->multiclass, "joint");
    if ((family || open) && !plain)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "--%s goes without --select, with the exponential margin prior, and "
                            "not with --multiclass joint",
                            which);
    if (family && regress)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--generative is for classes, not for a target");
    if (regress && is(o->transduce, "mean-field"))
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "--transduce mean-field is for classes; a target wants gaussian");
    if (family && (open || !is(o->kernel, "linear")))
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "--generative has densities, not kernels, and does not learn from rows "
                            "without a label");
    if (open && (o->margin != 1 || o->bias_mean != 0 || is(o->bias_prior, "error")))
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "--transduce wants a margin of 1 and a bias with a gaussian prior of "
                            "mean 0");
    return SCANT_OK;
}

static scant_status check(const scant_med_options *o)
{
    bool regress = is(o->task, "regress"), kernel = !is(o->kernel, "linear");
    if (regress != (o->target != NULL))
        return scant_i_fail(SCANT_ERR_ARGUMENT, regress ? "--task regress wants --target COL"
                                                        : "--target wants --task regress");
    if (o->select < 1 && kernel)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "--select wants linear discriminants (--kernel linear): a switch needs "
                            "a column of its own");
    if (!is(o->expand, "none") && (is(o->kernel, "precomputed") || !is(o->generative, "none")))
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--expand adds columns, which a precomputed kernel "
                                                "and --generative do not take");
    if (o->path && (kernel || !is(o->generative, "none") || !is(o->transduce, "none") ||
                    is(o->multiclass, "joint")))
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "--path wants linear discriminants, and goes without --generative, "
                            "--transduce and --multiclass joint");
    if (regress && is(o->bias_prior, "error"))
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "--bias-prior error is of classes, not of a target");
    if (is(o->margin_prior, "fixed") && o->c == 0 && o->weight_variance == 0 && !regress)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--margin-prior fixed has no scale to choose: give "
                                                "--c any value");
    return check_apart(o);
}

scant_i_med_expand scant_i_med_expand_of(const char *word)
{
    return is(word, "powers")     ? SCANT_I_MED_POWERS
           : is(word, "products") ? SCANT_I_MED_PRODUCTS
                                  : SCANT_I_MED_AS_IS;
}

static scant_i_med_kernel kernel_of(const scant_med_options *o, size_t d)
{
    static const char *const names[] = {"linear", "poly", "rbf", "precomputed"};
    scant_i_med_kernel kernel = {SCANT_I_MED_LINEAR, o->gamma, o->offset, o->degree};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is(o->kernel, names[i]))
            kernel.type = (scant_i_med_kernel_type)i;
    if (kernel.gamma == 0)
        kernel.gamma = 1 / (double)scant_i_max(d, 1);
    return kernel;
}

scant_status scant_i_med_settings_of(scant_i_med_settings *out, scant_i_med_search *search,
                                     const scant_med_options *o, size_t d, double began)
{
    scant_status status = check(o);
    if (status != SCANT_OK)
        return status;
    bool regress = is(o->task, "regress");
    const scant_i_med_margin *margin =
        regress ? &scant_i_med_tube : scant_i_med_margin_find(o->margin_prior);
    bool searching = o->c == 0 && o->folds > 1 && !margin->fixed;
    *out = (scant_i_med_settings){.regress = regress,
                                  .has_kernel = !is(o->kernel, "linear"),
                                  .kernel = kernel_of(o, d),
                                  .margin = margin,
                                  .scale = {o->c > 0 ? o->c : 10, o->epsilon},
                                  .level = o->margin,
                                  .variance = o->weight_variance > 0 ? o->weight_variance : 1,
                                  .rho = o->select,
                                  .bias = is(o->bias_prior, "gaussian") ? SCANT_I_MED_NORMAL
                                          : is(o->bias_prior, "error")  ? SCANT_I_MED_ERRORS
                                                                        : SCANT_I_MED_FLAT,
                                  .bias_mean = o->bias_mean,
                                  .bias_variance = o->bias_variance,
                                  .classes = is(o->multiclass, "joint")   ? SCANT_I_MED_JOINT
                                             : is(o->multiclass, "codes") ? SCANT_I_MED_CODES
                                                                          : SCANT_I_MED_REST,
                                  .family = scant_i_med_family_find(o->generative),
                                  .prior_rows = o->prior_rows,
                                  .percentile = o->margin_percentile,
                                  .transduce =
                                      is(o->transduce, "gaussian")     ? SCANT_I_MED_GAUSSIAN_LABELS
                                      : is(o->transduce, "mean-field") ? SCANT_I_MED_MEAN_FIELD
                                                                       : SCANT_I_MED_LABELED_ONLY,
                                  .kappa_rule = o->kappa_rule,
                                  .solver = is(o->solver, "auto") ? NULL : o->solver,
                                  .cache = o->cache_mb << 20,
                                  .control = {.tol = o->tol,
                                              .max_iter = o->max_iter,
                                              .time_limit = o->time_limit,
                                              .began = began,
                                              .order = scant_i_med_order_find(o->order),
                                              .seed = o->seed}};
    *search = (scant_i_med_search){searching, searching && o->weight_variance == 0 && !out->family,
                                   searching && o->gamma == 0 &&
                                       (is(o->kernel, "rbf") || is(o->kernel, "poly"))};
    return SCANT_OK;
}
