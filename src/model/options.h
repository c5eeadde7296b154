/* The door that the options of a fit come in by. */
#ifndef SCANT_I_MODEL_OPTIONS_H
#define SCANT_I_MODEL_OPTIONS_H

#include <string.h>

#include <scant/fit.h>

/* The caller's options, checked, become `taken`, and `*options` points there. */
scant_status scant_i_fit_options_take(scant_fit_options *taken, const scant_fit_options **options);
/* A table with a column a class of the rows: `value` (nrows x ncolumns), which is borrowed; where
 * that is NULL, from a file. `option` is the one that it belongs to. */
scant_status scant_i_class_table(scant_rows **out, const scant_rows *rows, const char *option,
                                 const char *path, const double *value, size_t nrows,
                                 size_t ncolumns);

/* Of what was left to be found out, and was not. */
static inline double scant_i_unlabeled_weight(const scant_fit_options *options)
{
    double w = options->evidence.unlabeled_weight;
    return w == SCANT_AUTO ? 1 : w;
}
static inline double scant_i_shrinkage(const scant_fit_options *options)
{
    double s = options->model.shrinkage;
    return s == SCANT_AUTO ? 0 : s;
}

/* Of --objective conditional. */
static inline double scant_i_hybrid(const scant_fit_options *options)
{
    double s = options->run.hybrid;
    return s == SCANT_AUTO ? 1 : s;
}
static inline bool scant_i_is_conditional(const scant_fit_options *options)
{
    return strcmp(options->run.objective, "conditional") == 0;
}

#endif
