/* The options of a fit: their table, and their door. */
#include "model/options.h"

#include "base/base.h"
#include "base/option_rows.h"
#include "base/options.h"
#include "data/rows.h"

#define AT(field) offsetof(scant_fit_options, field)
static const scant_option table[] = {
    {"components", 'k', SCANT_OPTION_TEXT, AT(model.components), "N", NULL, 0, 0, NULL,
     "components in all, or N/class, or class=N,class=N (default: 1, or 1/class)"},
    {"family", 0, SCANT_OPTION_LIST, AT(model.families), "F[:COLS]", NULL, 0, 0, NULL,
     "gaussian, multinomial, bernoulli, categorical, poisson, exponential, gamma, maxwell or "
     "regression; with "
     "columns, for those only (default: by the columns' types)"},
    {"covariance", 0, SCANT_OPTION_CHOICE, AT(model.covariance), "C", "auto", 0, 0,
     "auto|full|diag|spherical|tied|tied-diag|tied-spherical",
     "shape of Gaussian components; auto: full where each has more rows than columns, else tied "
     "where there are twice as many, else diag"},
    {"shrinkage", 0, SCANT_OPTION_REAL, AT(model.shrinkage), "S", "auto", 0, 1e6, "auto",
     "rows that a prior of Gaussian covariances is worth, which shrinks them to a tied one and to "
     "uncorrelated columns (0: maximum likelihood; auto: the number of columns where few labels "
     "lead the fit, else 0)"},
    {"sharing", 0, SCANT_OPTION_TEXT, AT(model.sharing), "S", "separate", 0, 0, NULL,
     "whether classes share components: separate, common, lambda=0.3 (in between), auto (learned), "
     "or "
     "a file with a 0/1 table of components by classes"},
    {"transitions", 0, SCANT_OPTION_TEXT, AT(model.transitions), "T", "any", 0, 0, NULL,
     "with sequences: which state may follow which: any, left-to-right (from the first on), or a "
     "file with a table of states by states, 0 where one cannot follow"},
    {"unlabeled", 0, SCANT_OPTION_CHOICE, AT(evidence.unlabeled), "U", "em2", 0, 0,
     "em1|em2|em3|em0|component-major|class-major|own-class|ignore-labels",
     "use of unlabeled rows: EM1 or EM2 (classes unknown), EM3 (a class of their own), EM0 (labels "
     "only name the components); or the long names in this order"},
    {"unlabeled-weight", 0, SCANT_OPTION_REAL, AT(evidence.unlabeled_weight), "W", "auto", 0, 1e6,
     "auto",
     "weight of a row without a label (1: the likelihood of all rows; auto: chosen on held-out "
     "labels, 0 where the labeled rows alone do better)"},
    SCANT_I_ROW_CONTEXT_MODE(AT(evidence.context_mode)),
    {"unlabeled-smoothing", 0, SCANT_OPTION_REAL, AT(evidence.unlabeled_smoothing), "W", "0.02", 0,
     1, NULL, "em3: weight of unlabeled mass, as evenly labeled, in predictions"},
    {"label-noise", 0, SCANT_OPTION_TEXT, AT(evidence.label_noise), "R", NULL, 0, 0, NULL,
     "labels may be wrong: a share, a file with a row a class and a column a label seen, or "
     "estimate (default: they are right)"},
    {"target", 0, SCANT_OPTION_TEXT, AT(model.target), "COL", NULL, 0, 0, NULL,
     "regression: the column to explain"},
    {"prior", 0, SCANT_OPTION_TEXT, AT(model.prior), "P", NULL, 0, 0, NULL,
     "fixed class proportions a=0.3,b=0.7; one number is the second class's"},
    {"init", 0, SCANT_OPTION_TEXT, AT(run.init), "I", "kmeans", 0, 0, NULL,
     "kmeans, random, labels (k-means within classes), or a model file to start from"},
    {"accelerate", 0, SCANT_OPTION_CHOICE, AT(run.accelerate), "A", "none", 0, 0, "none|squarem",
     "extrapolations between EM steps"},
    {"anneal", 0, SCANT_OPTION_FLAG, AT(run.anneal), NULL, NULL, 0, 0, NULL,
     "deterministic annealing before EM"},
    {"objective", 0, SCANT_OPTION_CHOICE, AT(run.objective), "O", "likelihood", 0, 0,
     "likelihood|conditional",
     "what is maximised: the likelihood of rows and labels, or that of labels given the rows, "
     "which tells classes "
     "apart (CEM)"},
    {"optimizer", 0, SCANT_OPTION_CHOICE, AT(run.optimizer), "M", "auto", 0, 0, "auto|cem|lbfgs",
     "--objective conditional: steps by bounds (CEM) or by the gradient (L-BFGS on Cholesky "
     "factors); auto: cem, but "
     "lbfgs for full and tied covariances, whose bounds are loose, and for families without a "
     "bound"},
    {"hybrid", 0, SCANT_OPTION_REAL, AT(run.hybrid), "S", "0", 0, 1e6, "auto",
     "--objective conditional: weight of the likelihood of all rows in addition, a prior about the "
     "likelihood's fit "
     "(0: conditional alone; large: likelihood; auto: chosen on held-out labels)"},
    {"fixed", 0, SCANT_OPTION_CHOICE, AT(model.fixed), "P", "none", 0, 0, "none|covariances",
     "what stays as the start has it: Gaussian covariances that are known, say"},
    {"min-variance", 0, SCANT_OPTION_REAL, AT(model.min_variance), "V", "1e-6", 1e-10, 1, NULL,
     "floor of variances, as a share of each column's variance"},
    {"smooth", 0, SCANT_OPTION_REAL, AT(model.smooth), "A", "1", 0, 1e6, NULL,
     "pseudo-count for counts and categories"},
    {"starts", 0, SCANT_OPTION_COUNT, AT(run.starts), "N", "0", 0, 1e6, NULL,
     "starts in all (0: 10 for small problems, fewer for large ones)"},
    {"max-iter", 0, SCANT_OPTION_COUNT, AT(run.max_iter), "N", "2000", 0, 1e9, NULL,
     "iterations of a start at most"},
    {"tol", 0, SCANT_OPTION_REAL, AT(run.tol), "T", "1e-8", 0, 1e6, NULL,
     "stop when the objective rises by less than this per unit weight (0: never)"},
    {"time-limit", 0, SCANT_OPTION_REAL, AT(run.time_limit), "S", "0", 0, 1e12, NULL,
     "seconds after which to stop, for all fits of a command together (0: none)"},
    SCANT_I_ROW_SEED(AT(run.seed)),
    SCANT_I_ROW_THREADS(AT(run.threads)),
    SCANT_I_ROWS_CHECKPOINT(AT(run.checkpoint), AT(run.checkpoint_every), AT(run.resume)),
};
enum { NOPTIONS = sizeof table / sizeof *table };

static const scant_i_options_kind kind = {"scant_fit_options_preset", sizeof(scant_fit_options),
                                          table, NOPTIONS};

const scant_option *scant_fit_option_table(size_t *count)
{
    *count = NOPTIONS;
    return table;
}

/* The first two parts have room to grow in, so that the third begins where it always did. */
enum {
    MODEL_AT = offsetof(scant_fit_options, model),
    EVIDENCE_AT = offsetof(scant_fit_options, evidence),
    RUN_AT = offsetof(scant_fit_options, run)
};

void(scant_fit_options_preset)(scant_fit_options *options, size_t size)
{
    scant_i_options_preset(options, size, &kind);
    if (size > RUN_AT) {
        options->model.size = EVIDENCE_AT - MODEL_AT;
        options->evidence.size = RUN_AT - EVIDENCE_AT;
        options->run.size = size - RUN_AT;
    }
}

static scant_status check_parts(const scant_fit_options *given)
{
    scant_status status = scant_i_options_check_size(given ? given->size : 0, &kind);
    if (status == SCANT_OK &&
        (given->size <= RUN_AT || given->model.size != EVIDENCE_AT - MODEL_AT ||
         given->evidence.size != RUN_AT - EVIDENCE_AT || given->run.size != given->size - RUN_AT))
        status = scant_i_fail(SCANT_ERR_ARGUMENT,
                              "a part of the options was not set; call %s() first", kind.preset);
    return status;
}

scant_status scant_i_fit_options_take(scant_fit_options *taken, const scant_fit_options **options)
{
    scant_status status = check_parts(*options);
    if (status == SCANT_OK)
        status = scant_i_options_take(taken, *options, &kind);
    if (status == SCANT_OK)
        taken->run.size = sizeof taken->run;
    *options = taken;
    return status;
}

scant_status scant_i_class_table(scant_rows **out, const scant_rows *rows, const char *option,
                                 const char *path, const double *value, size_t nrows,
                                 size_t ncolumns)
{
    size_t K = rows->labels.nclasses;
    const char *const *names = (const char *const *)rows->labels.classes;
    scant_schema schema = {.ncolumns = K, .names = names};
    scant_read_options reading = {.size = sizeof reading, .threads = 1, .schema = &schema};
    if (!value)
        return scant_rows_read(out, path, &reading);
    if (nrows == 0 || ncolumns != K)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--%s: a table of %zu x %zu for %zu classes",
                            option, nrows, ncolumns, K);
    return scant_rows_view(out, nrows, K, value, names);
}
