"""The C interface for ctypes. Made by tools/make_bindings from include/scant/*.h; do not edit."""
from ctypes import CFUNCTYPE, POINTER, Structure
from ctypes import c_bool, c_char, c_double, c_int, c_int32, c_size_t, c_uint64
from ctypes import c_char_p, c_void_p


# enum scant_status
SCANT_OK = 0
SCANT_ERR_INTERNAL = -1
SCANT_ERR_ARGUMENT = -2
SCANT_ERR_INPUT = -3
SCANT_ERR_MEMORY = -4
SCANT_ERR_UNIDENTIFIED = -5
SCANT_ERR_IO = -6
SCANT_ERR_INTERRUPTED = -7

# enum scant_stop
SCANT_STOP_CONVERGED = 0
SCANT_STOP_ITERATIONS = 1
SCANT_STOP_TIME = 2
SCANT_STOP_INTERRUPTED = 3
SCANT_STOP_SEPARABLE = 4

# enum scant_spelling
SCANT_SPELL_FIELD = 0
SCANT_SPELL_COMMAND = 1

# enum scant_log_level
SCANT_LOG_WARNING = 1
SCANT_LOG_INFO = 2
SCANT_LOG_DETAIL = 3

# enum scant_option_type
SCANT_OPTION_FLAG = 0
SCANT_OPTION_COUNT = 1
SCANT_OPTION_SEED = 2
SCANT_OPTION_REAL = 3
SCANT_OPTION_TEXT = 4
SCANT_OPTION_CHOICE = 5
SCANT_OPTION_LIST = 6
SCANT_OPTION_WORD = 7

# enum scant_kind
SCANT_KIND_NUMBER = 0
SCANT_KIND_COUNT = 1
SCANT_KIND_BINARY = 2
SCANT_KIND_CATEGORY = 3
SCANT_KIND_DATE = 4
SCANT_KIND_TEXT = 5
SCANT_KIND_IDENTIFIER = 6
SCANT_KIND_CONSTANT = 7
SCANT_KIND_IGNORE = 8
SCANT_KINDS = 9

# enum scant_family_shape
SCANT_FAMILY_NUMBER = 0
SCANT_FAMILY_COLUMNS = 1
SCANT_FAMILY_SQUARE = 2

# enum scant_errors_by
SCANT_ERRORS_BY_INFORMATION = 0
SCANT_ERRORS_BY_SANDWICH = 1
SCANT_ERRORS_BY_BOOTSTRAP = 2

# enum scant_rival
SCANT_RIVAL_SUPERVISED = 0
SCANT_RIVAL_TRUSTING = 1
SCANT_RIVAL_ROWS = 2

# enum scant_verdict
SCANT_VERDICT_UNTESTED = 0
SCANT_VERDICT_HOLDS = 1
SCANT_VERDICT_DOUBTFUL = 2
SCANT_VERDICT_FAILS = 3

# enum scant_plan_method
SCANT_PLAN_BY_MODEL = 0
SCANT_PLAN_BY_CURVE = 1

# enum scant_plan_question
SCANT_PLAN_BUDGET = 0
SCANT_PLAN_TARGET = 1
SCANT_PLAN_TRADE = 2

# enum scant_loss
SCANT_LOSS_LOG = 0
SCANT_LOSS_HINGE = 1
SCANT_LOSS_EXP = 2
SCANT_LOSS_ZERO_ONE = 3

# enum without a name
SCANT_LOSSES = 4
SCANT_MARGIN_WARNINGS = 3



class scant_place(Structure):
    _fields_ = [
        ("file", c_char * 512),
        ("line", c_size_t),
        ("column", c_size_t),
        ("written", c_bool),
    ]



class scant_allocator(Structure):
    _fields_ = [
        ("resize", c_void_p),
        ("release", c_void_p),
        ("payload", c_void_p),
    ]


scant_log_sink = CFUNCTYPE(None, c_int, c_char_p, c_void_p)


class scant_progress_event(Structure):
    _fields_ = [
        ("what", c_char_p),
        ("done", c_size_t),
        ("total", c_size_t),
        ("start", c_size_t),
        ("starts", c_size_t),
        ("iteration", c_size_t),
        ("objective", c_double),
    ]


scant_progress = CFUNCTYPE(c_int, POINTER(scant_progress_event), c_void_p)


class scant_texts(Structure):
    _fields_ = [
        ("item", POINTER(c_char_p)),
        ("count", c_size_t),
    ]



class scant_option(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("letter", c_char),
        ("type", c_int),
        ("offset", c_size_t),
        ("value", c_char_p),
        ("preset", c_char_p),
        ("low", c_double),
        ("high", c_double),
        ("choices", c_char_p),
        ("help", c_char_p),
    ]



class scant_read_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("features", POINTER(c_char_p)),
        ("nfeatures", c_size_t),
        ("ignore", POINTER(c_char_p)),
        ("nignore", c_size_t),
        ("categorical", POINTER(c_char_p)),
        ("ncategorical", c_size_t),
        ("label", c_char_p),
        ("weight", c_char_p),
        ("id", c_char_p),
        ("group", c_char_p),
        ("missing_label", c_char_p),
        ("dataset", c_char_p),
        ("context", POINTER(c_char_p)),
        ("ncontext", c_size_t),
        ("context_file", c_char_p),
        ("context_prior", c_char_p),
        ("label_is_truth", c_bool),
        ("probabilities", c_bool),
        ("separator", c_char),
        ("threads", c_size_t),
        ("schema", c_void_p),
        ("label_optional", c_bool),
        ("id_optional", c_bool),
        ("keep_weightless", c_bool),
        ("guess", c_bool),
        ("numbers_stay", c_bool),
        ("types", POINTER(c_char_p)),
        ("ntypes", c_size_t),
        ("text", POINTER(c_char_p)),
        ("ntext", c_size_t),
        ("missing_values", POINTER(c_char_p)),
        ("nmissing_values", c_size_t),
        ("decimal", c_char),
        ("strict", c_bool),
        ("keep_text", c_bool),
        ("text_min_count", c_size_t),
        ("sequence", c_char_p),
        ("time", c_char_p),
    ]



class scant_schema(Structure):
    _fields_ = [
        ("ncolumns", c_size_t),
        ("names", POINTER(c_char_p)),
        ("levels", POINTER(POINTER(c_char_p))),
        ("nlevels", c_void_p),
        ("nclasses", c_size_t),
        ("classes", POINTER(c_char_p)),
        ("optional", c_char_p),
        ("types", POINTER(c_char_p)),
        ("ntypes", c_size_t),
        ("missing_values", POINTER(c_char_p)),
        ("nmissing_values", c_size_t),
        ("id", c_char_p),
        ("terms", POINTER(c_char_p)),
        ("nterms", c_size_t),
    ]



class scant_type(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("kind", c_int),
        ("sure", c_double),
        ("reason", c_char_p),
        ("as_option", c_char_p),
        ("count", c_size_t),
        ("missing", c_size_t),
        ("distinct", c_size_t),
        ("distinct_is_most", c_bool),
        ("least", c_double),
        ("most", c_double),
        ("example", c_char_p * 3),
    ]



class scant_family_array(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("shape", c_int),
    ]



class scant_family_use(Structure):
    _fields_ = [
        ("payload", c_void_p),
        ("columns", c_size_t),
        ("mean", c_void_p),
        ("deviation", c_void_p),
        ("min_variance", c_double),
    ]



class scant_family_cells(Structure):
    _fields_ = [
        ("rows", c_size_t),
        ("value", c_void_p),
        ("present", c_void_p),
    ]



class scant_family(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("parameters", POINTER(scant_family_array)),
        ("nparameters", c_size_t),
        ("takes_missing", c_bool),
        ("payload", c_void_p),
        ("statistics", c_void_p),
        ("log_density", c_void_p),
        ("accumulate", c_void_p),
        ("maximise", c_void_p),
        ("expected", c_void_p),
        ("unfit", c_void_p),
        ("degrees", c_void_p),
        ("sample", c_void_p),
    ]



class scant_summary(Structure):
    _fields_ = [
        ("rows", c_size_t),
        ("weight", c_double),
        ("labeled", c_size_t),
        ("parameters", c_size_t),
        ("loglik", c_double),
        ("objective", c_double),
        ("bic", c_double),
        ("icl", c_double),
        ("aic", c_double),
        ("iterations", c_size_t),
        ("starts", c_size_t),
        ("best_start", c_size_t),
        ("stop", c_int),
        ("seed", c_uint64),
        ("seconds", c_double),
        ("sequences", c_size_t),
    ]



class scant_parameter_view(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("ndim", c_size_t),
        ("dim", c_size_t * 3),
        ("tied", c_bool),
        ("value", c_void_p),
    ]



class scant_score(Structure):
    _fields_ = [
        ("count", c_size_t),
        ("weight", c_void_p),
        ("offset", c_double),
        ("slope", c_double),
        ("risk", c_double),
        ("error", c_double),
        ("error_low", c_double),
        ("error_high", c_double),
        ("share", c_double),
        ("likeliest", c_double),
        ("distance", c_double),
    ]



class scant_information(Structure):
    _fields_ = [
        ("parameters", c_size_t),
        ("identified", c_bool),
        ("by", c_int),
        ("draws", c_size_t),
        ("failed", c_size_t),
        ("missing", c_double),
        ("rate", c_double),
        ("digit", c_double),
    ]



class scant_predict_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("prior", c_void_p),
        ("replace", c_bool),
        ("unlabeled_smoothing", c_void_p),
        ("use_labels", c_bool),
        ("threads", c_size_t),
        ("progress", scant_progress),
        ("payload", c_void_p),
        ("decode", c_char_p),
    ]



class scant_scores(Structure):
    _fields_ = [
        ("rows", c_size_t),
        ("count", c_size_t),
        ("value", c_void_p),
        ("name", POINTER(c_char_p)),
        ("silent", c_size_t),
    ]



class scant_evaluation(Structure):
    _fields_ = [
        ("rows", c_size_t),
        ("classes", c_size_t),
        ("accuracy", c_double),
        ("balanced_accuracy", c_double),
        ("log_loss", c_double),
        ("brier", c_double),
        ("ece", c_double),
        ("mse", c_double),
        ("mean_loglik", c_double),
        ("of_the_fit", c_bool),
        ("confusion", c_void_p),
        ("segment_precision", c_double),
        ("segment_recall", c_double),
        ("segment_f1", c_double),
    ]



class scant_guess(Structure):
    _fields_ = [
        ("named", c_size_t),
        ("accuracy", c_double),
        ("difference", c_double),
        ("error", c_double),
        ("better", c_bool),
    ]



class scant_model_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("components", c_char_p),
        ("families", scant_texts),
        ("covariance", c_char_p),
        ("sharing", c_char_p),
        ("target", c_char_p),
        ("prior", c_char_p),
        ("fixed", c_char_p),
        ("min_variance", c_double),
        ("smooth", c_double),
        ("sharing_table", c_void_p),
        ("sharing_components", c_size_t),
        ("sharing_classes", c_size_t),
        ("shrinkage", c_double),
        ("transitions", c_char_p),
        ("reserved", c_size_t * 6),
    ]



class scant_evidence_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("unlabeled", c_char_p),
        ("unlabeled_weight", c_double),
        ("unlabeled_smoothing", c_double),
        ("context_mode", c_char_p),
        ("label_noise", c_char_p),
        ("label_noise_table", c_void_p),
        ("label_noise_classes", c_size_t),
        ("reserved", c_size_t * 8),
    ]



class scant_run_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("init", c_char_p),
        ("accelerate", c_char_p),
        ("anneal", c_bool),
        ("starts", c_size_t),
        ("max_iter", c_size_t),
        ("tol", c_double),
        ("time_limit", c_double),
        ("seed", c_uint64),
        ("threads", c_size_t),
        ("checkpoint", c_char_p),
        ("checkpoint_every", c_double),
        ("resume", c_bool),
        ("start", c_void_p),
        ("progress", scant_progress),
        ("payload", c_void_p),
        ("objective", c_char_p),
        ("optimizer", c_char_p),
        ("hybrid", c_double),
    ]



class scant_fit_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("model", scant_model_options),
        ("evidence", scant_evidence_options),
        ("run", scant_run_options),
    ]



class scant_cv_fold(Structure):
    _fields_ = [
        ("evaluation", scant_evaluation),
        ("stop", c_int),
        ("train_rows", c_size_t),
        ("test_rows", c_size_t),
    ]



class scant_cv(Structure):
    _fields_ = [
        ("nfolds", c_size_t),
        ("fold", POINTER(scant_cv_fold)),
        ("mean_loglik", c_double),
        ("accuracy", c_double),
        ("log_loss", c_double),
        ("mse", c_double),
    ]



class scant_comparison(Structure):
    _fields_ = [
        ("nfolds", c_size_t),
        ("why", c_char * 256),
        ("labeled", c_size_t),
        ("accuracy", c_double * 2),
        ("log_loss", c_double * 2),
        ("loglik", c_double * 2),
        ("difference", c_double),
        ("error", c_double),
        ("worse", c_bool),
    ]



class scant_measures(Structure):
    _fields_ = [
        ("loglik", c_double),
        ("conditional_loglik", c_double),
        ("accuracy", c_double),
    ]



class scant_contrast(Structure):
    _fields_ = [
        ("fit", scant_measures),
        ("likelihood", scant_measures),
        ("logistic", scant_measures),
    ]



class scant_candidate(Structure):
    _fields_ = [
        ("components", c_char * 64),
        ("covariance", c_char * 32),
        ("failed", c_bool),
        ("why", c_char * 256),
        ("healthy", c_bool),
        ("summary", scant_summary),
        ("cv_loglik", c_double),
        ("cv_error", c_double),
        ("score", c_double),
    ]



class scant_selection(Structure):
    _fields_ = [
        ("ncandidates", c_size_t),
        ("candidate", POINTER(scant_candidate)),
        ("best", c_size_t),
        ("untried", c_size_t),
        ("stop", c_int),
    ]



class scant_stream_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("window", c_size_t),
        ("prior_rows", c_double),
        ("iterations", c_size_t),
        ("budget_ms", c_double),
        ("tol", c_double),
        ("context_mode", c_char_p),
        ("threads", c_size_t),
        ("refit", c_size_t),
    ]



class scant_votes_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("is_long", c_bool),
        ("item", c_char_p),
        ("worker", c_char_p),
        ("answer", c_char_p),
        ("truth", c_char_p),
        ("missing", c_char_p),
        ("classes", POINTER(c_char_p)),
        ("nclasses", c_size_t),
        ("reserved", c_size_t * 8),
        ("read", scant_read_options),
    ]



class scant_audit_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("model", c_char_p),
        ("prior", c_char_p),
        ("separately", c_bool),
        ("smooth", c_double),
        ("ci", c_double),
        ("intervals", c_char_p),
        ("max_iter", c_size_t),
        ("tol", c_double),
        ("time_limit", c_double),
        ("seed", c_uint64),
        ("threads", c_size_t),
        ("progress", scant_progress),
        ("payload", c_void_p),
    ]



class scant_estimate(Structure):
    _fields_ = [
        ("value", c_double),
        ("error", c_double),
        ("low", c_double),
        ("high", c_double),
    ]



class scant_audit_predictor(Structure):
    _fields_ = [
        ("answers", c_size_t),
        ("error", scant_estimate),
        ("wrong", scant_estimate),
        ("confusion", POINTER(scant_estimate)),
    ]



class scant_dependence(Structure):
    _fields_ = [
        ("verdict", c_int),
        ("possible", c_size_t),
        ("pairs", c_size_t),
        ("rejected", c_size_t),
        ("first", c_size_t),
        ("second", c_size_t),
        ("z", c_double),
        ("p", c_double),
        ("correlation", c_double),
        ("largest", c_double),
    ]



class scant_misfit(Structure):
    _fields_ = [
        ("verdict", c_int),
        ("statistic", c_double),
        ("degrees", c_double),
        ("p", c_double),
    ]



class scant_audit_summary(Structure):
    _fields_ = [
        ("model", c_char_p),
        ("prior_estimated", c_bool),
        ("prior", POINTER(scant_estimate)),
        ("loglik", c_double),
        ("parameters", c_size_t),
        ("iterations", c_size_t),
        ("stop", c_int),
        ("dependence", scant_dependence),
        ("symmetry", scant_misfit),
        ("nwarnings", c_size_t),
        ("warning", POINTER(c_char_p)),
    ]



class scant_ask(Structure):
    _fields_ = [
        ("item", c_size_t),
        ("predictor", c_size_t),
        ("gain", c_double),
        ("cost", c_double),
        ("worth", c_double),
    ]



class scant_regression_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("channel", c_bool),
        ("mean", c_double),
        ("sd", c_double),
        ("noise", c_double),
        ("ci", c_double),
        ("truth", c_char_p),
        ("separately", c_bool),
        ("time_limit", c_double),
        ("threads", c_size_t),
        ("progress", scant_progress),
        ("payload", c_void_p),
    ]



class scant_regression_predictor(Structure):
    _fields_ = [
        ("answers", c_size_t),
        ("column", c_size_t),
        ("theta", scant_estimate),
        ("risk", scant_estimate),
        ("mirrored", c_double),
        ("gap", c_double),
        ("noise", c_double),
    ]



class scant_regression(Structure):
    _fields_ = [
        ("options", scant_regression_options),
        ("npredictors", c_size_t),
        ("predictor", POINTER(scant_regression_predictor)),
        ("noise", c_double),
        ("loglik", c_double),
        ("stop", c_int),
        ("dependence", scant_dependence),
        ("nwarnings", c_size_t),
        ("warning", POINTER(c_char_p)),
    ]



class scant_plan_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("cost", scant_texts),
        ("rows", c_size_t),
        ("replicates", c_size_t),
        ("repeats", c_size_t),
        ("seed", c_uint64),
        ("threads", c_size_t),
        ("progress", scant_progress),
        ("payload", c_void_p),
    ]



class scant_plan_summary(Structure):
    _fields_ = [
        ("rows", c_size_t),
        ("labeled", c_size_t),
        ("parameters", c_size_t),
        ("method", c_int),
        ("limit", c_double),
        ("limit_error", c_double),
        ("excess", c_double),
        ("drawn_excess", c_double),
        ("trace", c_double),
        ("unlabeled_worth", c_double),
        ("curve", c_bool),
        ("asymptote", c_double),
        ("factor", c_double),
        ("power", c_double),
        ("measured", c_double),
        ("by_model", c_double),
        ("by_curve", c_double),
        ("measured_error", c_double),
        ("too_small", c_bool),
        ("why", c_char * 256),
    ]



class scant_plan_point(Structure):
    _fields_ = [
        ("labels", c_size_t),
        ("rows", c_size_t),
        ("cost", c_double),
        ("error", c_double),
        ("low", c_double),
        ("high", c_double),
        ("labels_low", c_double),
        ("labels_high", c_double),
    ]



class scant_plan_choice(Structure):
    _fields_ = [
        ("count", c_size_t),
        ("chosen", c_double),
        ("random", c_double),
    ]



class scant_risk(Structure):
    _fields_ = [
        ("value", c_double),
        ("error", c_double),
        ("low", c_double),
        ("high", c_double),
    ]



class scant_margin_audit(Structure):
    _fields_ = [
        ("rows", c_size_t),
        ("weight", c_double),
        ("prior", c_double * 2),
        ("mean", c_double * 2),
        ("sd", c_double * 2),
        ("loglik", c_double),
        ("risk", scant_risk * SCANT_LOSSES),
        ("share", c_double),
        ("distance", c_double),
        ("normal", c_bool),
        ("reversed", c_bool),
        ("near_uniform", c_bool),
    ]



class scant_blind_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("prior", c_char_p),
        ("loss", c_char_p),
        ("algorithm", c_char_p),
        ("l2", c_double),
        ("l1", c_double),
        ("no_offset", c_bool),
        ("starts", c_size_t),
        ("max_iter", c_size_t),
        ("tol", c_double),
        ("time_limit", c_double),
        ("step", c_double),
        ("grid", c_size_t),
        ("reach", c_double),
        ("seed", c_uint64),
        ("threads", c_size_t),
        ("progress", scant_progress),
        ("payload", c_void_p),
    ]



class scant_train_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("members", scant_texts),
        ("folds", c_size_t),
        ("sample", c_size_t),
        ("label_noise", c_double),
        ("time_limit", c_double),
        ("seed", c_uint64),
        ("threads", c_size_t),
        ("progress", scant_progress),
        ("payload", c_void_p),
    ]



class scant_headline(Structure):
    _fields_ = [
        ("accuracy", c_double),
        ("low", c_double),
        ("high", c_double),
        ("log_loss", c_double),
        ("majority", c_double),
        ("labeled_only", c_double),
        ("logistic", c_double),
        ("gain", c_double),
        ("held_out", c_size_t),
        ("folds", c_size_t),
        ("members", c_size_t),
        ("name", POINTER(c_char_p)),
        ("weight", c_void_p),
        ("asks", c_size_t),
        ("ask", c_void_p),
    ]



class scant_med_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("task", c_char_p),
        ("target", c_char_p),
        ("kernel", c_char_p),
        ("gamma", c_double),
        ("offset", c_double),
        ("degree", c_size_t),
        ("expand", c_char_p),
        ("dna", c_bool),
        ("c", c_double),
        ("weight_variance", c_double),
        ("margin_prior", c_char_p),
        ("margin", c_double),
        ("bias_prior", c_char_p),
        ("bias_mean", c_double),
        ("bias_variance", c_double),
        ("select", c_double),
        ("path", c_bool),
        ("epsilon", c_double),
        ("multiclass", c_char_p),
        ("generative", c_char_p),
        ("prior_rows", c_double),
        ("margin_percentile", c_double),
        ("transduce", c_char_p),
        ("kappa_rule", c_double),
        ("positive", c_char_p),
        ("no_standardize", c_bool),
        ("folds", c_size_t),
        ("solver", c_char_p),
        ("order", c_char_p),
        ("tol", c_double),
        ("max_iter", c_size_t),
        ("cache_mb", c_size_t),
        ("time_limit", c_double),
        ("seed", c_uint64),
        ("threads", c_size_t),
        ("progress", scant_progress),
        ("payload", c_void_p),
    ]



class scant_med_result(Structure):
    _fields_ = [
        ("task", c_char_p),
        ("kernel", c_char_p),
        ("margin_prior", c_char_p),
        ("bias_prior", c_char_p),
        ("multiclass", c_char_p),
        ("solver", c_char_p),
        ("c", c_double),
        ("weight_variance", c_double),
        ("gamma", c_double),
        ("select", c_double),
        ("epsilon", c_double),
        ("objective", c_double),
        ("gap", c_double),
        ("problems", c_size_t),
        ("discriminants", c_size_t),
        ("bias", c_void_p),
        ("positive", c_char_p),
        ("support", c_size_t),
        ("rows", c_size_t),
        ("errors_train", c_size_t),
        ("slope", c_double),
        ("folds", c_size_t),
        ("held_out_accuracy", c_double),
        ("held_out_log_loss", c_double),
        ("held_out_mse", c_double),
        ("inputs", c_size_t),
        ("weight", c_void_p),
        ("probability", c_void_p),
        ("input", POINTER(c_char_p)),
        ("divergence_weights", c_double),
        ("divergence_bias", c_double),
        ("divergence_margins", c_double),
        ("vc_dimension", c_double),
        ("vc_bound", c_double),
        ("pac_score", c_double),
        ("share", c_double),
        ("npath", c_size_t),
        ("path", c_void_p),
        ("path_weight", c_void_p),
        ("path_probability", c_void_p),
    ]



class scant_factor_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("rank", c_char_p),
        ("solver", c_char_p),
        ("loss", c_char_p),
        ("missing", c_char_p),
        ("l2", scant_texts),
        ("l1", scant_texts),
        ("init", c_char_p),
        ("accelerate", c_char_p),
        ("starts", c_size_t),
        ("max_iter", c_size_t),
        ("tol", c_double),
        ("kkt_tol", c_double),
        ("time_limit", c_double),
        ("seed", c_uint64),
        ("threads", c_size_t),
        ("checkpoint", c_char_p),
        ("checkpoint_every", c_double),
        ("resume", c_bool),
        ("start", POINTER(c_void_p)),
        ("fixed", POINTER(c_void_p)),
        ("progress", scant_progress),
        ("payload", c_void_p),
    ]



class scant_factor_step(Structure):
    _fields_ = [
        ("rssr", c_double),
        ("loss", c_double),
        ("kkt", c_double),
        ("seconds", c_double),
    ]



class scant_factor_start(Structure):
    _fields_ = [
        ("rssr", c_double),
        ("loss", c_double),
        ("kkt", c_double),
        ("iterations", c_size_t),
        ("stop", c_int),
        ("congruence", c_double),
    ]



class scant_factor_summary(Structure):
    _fields_ = [
        ("order", c_size_t),
        ("rank", c_size_t),
        ("rssr", c_double),
        ("loss", c_double),
        ("kkt", c_double),
        ("iterations", c_size_t),
        ("stop", c_int),
        ("starts", c_size_t),
        ("best_start", c_size_t),
        ("missing", c_size_t),
        ("vanished", c_size_t),
        ("stability", c_double),
        ("core_consistency", c_double),
        ("seed", c_uint64),
        ("seconds", c_double),
    ]



class scant_factor_sweep_result(Structure):
    _fields_ = [
        ("count", c_size_t),
        ("summary", POINTER(scant_factor_summary)),
        ("best", c_size_t),
    ]


# name: (result, parameters)
FUNCTIONS = {
    "scant_message": (c_char_p, []),
    "scant_message_spell": (None, [c_int]),
    "scant_message_option": (c_char_p, []),
    "scant_shell_word": (c_char_p, [c_char_p, c_size_t, c_char_p]),
    "scant_plain": (c_char_p, [c_char_p]),
    "scant_fault": (POINTER(scant_place), []),
    "scant_stop_name": (c_char_p, [c_int]),
    "scant_version": (c_char_p, []),
    "scant_allocator_set": (None, [POINTER(scant_allocator)]),
    "scant_log_set": (None, [c_int, scant_log_sink, c_void_p]),
    "scant_interrupt": (None, []),
    "scant_interrupt_clear": (None, []),
    "scant_interrupt_heed": (c_void_p, [c_void_p]),
    "scant_options_preset": (None, [c_void_p, POINTER(scant_option), c_size_t]),
    "scant_options_check": (c_int, [c_void_p, POINTER(scant_option), c_size_t]),
    "scant_option_set": (c_int, [c_void_p, POINTER(scant_option), c_char_p]),
    "scant_option_choice": (c_char_p, [POINTER(scant_option), c_char_p]),
    "scant_option_find": (POINTER(scant_option), [POINTER(scant_option), c_size_t, c_char_p]),
    "scant_options_clear": (None, [c_void_p, POINTER(scant_option), c_size_t]),
    "scant_file_open": (c_int, [POINTER(c_void_p), c_char_p]),
    "scant_file_write": (c_int, [c_void_p, c_void_p, c_size_t]),
    "scant_file_commit": (c_int, [c_void_p]),
    "scant_file_free": (None, [c_void_p]),
    "scant_rows_new": (c_int, [POINTER(c_void_p), c_size_t, c_size_t, c_void_p, POINTER(c_char_p)]),
    "scant_rows_view": (c_int, [POINTER(c_void_p), c_size_t, c_size_t, c_void_p, POINTER(c_char_p)]),
    "scant_rows_new_sparse": (c_int, [POINTER(c_void_p), c_size_t, c_size_t, c_void_p, c_void_p, c_void_p]),
    "scant_rows_set_levels": (c_int, [c_void_p, c_size_t, POINTER(c_char_p), c_size_t]),
    "scant_rows_set_labels": (c_int, [c_void_p, POINTER(c_char_p), POINTER(c_char_p), c_size_t, c_char_p]),
    "scant_rows_set_context": (c_int, [c_void_p, c_void_p, POINTER(c_char_p), c_size_t, c_bool]),
    "scant_rows_set_probabilities": (c_int, [c_void_p, c_void_p, POINTER(c_char_p), c_size_t, c_bool]),
    "scant_rows_set_context_prior": (c_int, [c_void_p, c_char_p]),
    "scant_rows_set_weights": (c_int, [c_void_p, c_void_p]),
    "scant_rows_set_ids": (c_int, [c_void_p, POINTER(c_char_p)]),
    "scant_rows_free": (None, [c_void_p]),
    "scant_prior_read": (c_int, [c_void_p, c_char_p, POINTER(c_char_p), c_size_t]),
    "scant_prior_read_pair": (c_int, [c_double * 2, c_char_p]),
    "scant_read_option_table": (POINTER(scant_option), [c_void_p]),
    "scant_read_options_preset": (None, [POINTER(scant_read_options), c_size_t]),
    "scant_rows_read": (c_int, [POINTER(c_void_p), c_char_p, POINTER(scant_read_options)]),
    "scant_rows_write": (c_int, [c_void_p, c_char_p]),
    "scant_reader_open": (c_int, [POINTER(c_void_p), c_char_p, POINTER(scant_read_options)]),
    "scant_reader_next": (c_int, [POINTER(c_void_p), c_void_p]),
    "scant_reader_line": (c_size_t, [c_void_p]),
    "scant_reader_free": (None, [c_void_p]),
    "scant_tensor_convert": (c_int, [c_char_p, c_char_p]),
    "scant_rows_count": (c_size_t, [c_void_p]),
    "scant_rows_columns": (c_size_t, [c_void_p]),
    "scant_rows_column_name": (c_char_p, [c_void_p, c_size_t]),
    "scant_rows_column_is_category": (c_bool, [c_void_p, c_size_t]),
    "scant_rows_missing": (c_size_t, [c_void_p, c_size_t]),
    "scant_rows_is_sparse": (c_bool, [c_void_p]),
    "scant_rows_classes": (c_size_t, [c_void_p]),
    "scant_rows_class_name": (c_char_p, [c_void_p, c_size_t]),
    "scant_rows_label": (c_int32, [c_void_p, c_size_t]),
    "scant_rows_labeled": (c_size_t, [c_void_p]),
    "scant_rows_weight": (c_double, [c_void_p, c_size_t]),
    "scant_rows_id": (c_char_p, [c_void_p, c_size_t]),
    "scant_rows_value": (c_double, [c_void_p, c_size_t, c_size_t]),
    "scant_rows_values": (None, [c_void_p, c_void_p]),
    "scant_rows_subset": (c_int, [POINTER(c_void_p), c_void_p, c_void_p, c_size_t]),
    "scant_kind_name": (c_char_p, [c_int]),
    "scant_types_guess": (c_int, [POINTER(c_void_p), c_char_p, POINTER(scant_read_options)]),
    "scant_types_count": (c_size_t, [c_void_p]),
    "scant_types_at": (POINTER(scant_type), [c_void_p, c_size_t]),
    "scant_types_rows": (c_size_t, [c_void_p]),
    "scant_types_notes": (c_size_t, [c_void_p]),
    "scant_types_note": (c_char_p, [c_void_p, c_size_t]),
    "scant_types_free": (None, [c_void_p]),
    "scant_context_latent": (c_int, [POINTER(c_void_p), c_void_p, c_void_p]),
    "scant_context_observed": (c_int, [POINTER(c_void_p), c_void_p, c_void_p]),
    "scant_context_invert": (c_int, [POINTER(c_void_p), c_void_p, c_char_p]),
    "scant_negentropy": (c_double, [c_void_p, c_size_t]),
    "scant_random_uniform": (c_double, [c_void_p]),
    "scant_random_normal": (c_double, [c_void_p]),
    "scant_family_register": (c_int, [POINTER(scant_family)]),
    "scant_model_free": (None, [c_void_p]),
    "scant_model_read": (c_int, [POINTER(c_void_p), c_char_p]),
    "scant_model_write": (c_int, [c_void_p, c_char_p]),
    "scant_model_summary": (POINTER(scant_summary), [c_void_p]),
    "scant_model_components": (c_size_t, [c_void_p]),
    "scant_model_classes": (c_size_t, [c_void_p]),
    "scant_model_class_name": (c_char_p, [c_void_p, c_size_t]),
    "scant_model_columns": (c_size_t, [c_void_p]),
    "scant_model_column_name": (c_char_p, [c_void_p, c_size_t]),
    "scant_model_schema": (POINTER(scant_schema), [c_void_p]),
    "scant_model_coupling": (c_double, [c_void_p, c_size_t, c_size_t]),
    "scant_model_component_weight": (c_double, [c_void_p, c_size_t]),
    "scant_model_component_unlabeled": (c_double, [c_void_p, c_size_t]),
    "scant_model_component_class": (c_double, [c_void_p, c_size_t, c_size_t]),
    "scant_model_component_rows": (c_double, [c_void_p, c_size_t]),
    "scant_model_component_labeled": (c_double, [c_void_p, c_size_t, c_size_t]),
    "scant_model_component_composition": (c_double, [c_void_p, c_size_t, c_size_t]),
    "scant_model_component_purity": (c_double, [c_void_p, c_size_t]),
    "scant_model_label_noise": (c_double, [c_void_p, c_size_t, c_size_t]),
    "scant_model_trace": (POINTER(c_double), [c_void_p, c_void_p]),
    "scant_model_warnings": (c_size_t, [c_void_p]),
    "scant_model_warning": (c_char_p, [c_void_p, c_size_t]),
    "scant_model_setting": (c_char_p, [c_void_p, c_char_p]),
    "scant_model_setting_at": (c_bool, [c_void_p, c_size_t, POINTER(c_char_p), POINTER(c_char_p)]),
    "scant_model_prior": (POINTER(c_double), [c_void_p]),
    "scant_model_unlabeled_smoothing": (c_double, [c_void_p]),
    "scant_model_factors": (c_size_t, [c_void_p]),
    "scant_model_factor_family": (c_char_p, [c_void_p, c_size_t]),
    "scant_model_factor_covariance": (c_char_p, [c_void_p, c_size_t]),
    "scant_model_factor_columns": (c_size_t, [c_void_p, c_size_t]),
    "scant_model_factor_column": (c_size_t, [c_void_p, c_size_t, c_size_t]),
    "scant_model_parameter": (c_bool, [c_void_p, c_size_t, c_size_t, POINTER(scant_parameter_view)]),
    "scant_model_score": (POINTER(scant_score), [c_void_p]),
    "scant_errors_by_name": (c_char_p, [c_int]),
    "scant_model_inform": (c_int, [c_void_p, c_void_p, c_size_t]),
    "scant_model_information": (POINTER(scant_information), [c_void_p]),
    "scant_model_coupling_error": (c_double, [c_void_p, c_size_t, c_size_t]),
    "scant_model_parameter_errors": (POINTER(c_double), [c_void_p, c_size_t, c_size_t]),
    "scant_predict_option_table": (POINTER(scant_option), [c_void_p]),
    "scant_predict_options_preset": (None, [POINTER(scant_predict_options), c_size_t]),
    "scant_model_predict": (c_int, [c_void_p, c_void_p, POINTER(scant_predict_options), c_void_p, c_void_p, c_void_p, c_void_p]),
    "scant_model_scores": (c_int, [POINTER(scant_scores), c_void_p, c_void_p, c_void_p, POINTER(scant_predict_options)]),
    "scant_scores_clear": (None, [POINTER(scant_scores)]),
    "scant_model_predict_target": (c_int, [c_void_p, c_void_p, POINTER(scant_predict_options), c_void_p]),
    "scant_model_evaluate": (c_int, [POINTER(scant_evaluation), c_void_p, c_void_p, POINTER(scant_predict_options)]),
    "scant_evaluation_clear": (None, [POINTER(scant_evaluation)]),
    "scant_guess_by": (None, [POINTER(scant_guess), c_void_p, c_size_t]),
    "scant_model_sample": (c_int, [POINTER(c_void_p), c_void_p, c_size_t, c_uint64, c_bool]),
    "scant_rows_set_sequences": (c_int, [c_void_p, c_void_p, c_size_t]),
    "scant_rows_sequences": (c_size_t, [c_void_p]),
    "scant_rows_sequence": (c_size_t, [c_void_p, c_size_t]),
    "scant_model_states": (c_size_t, [c_void_p]),
    "scant_model_start": (c_double, [c_void_p, c_size_t]),
    "scant_model_transition": (c_double, [c_void_p, c_size_t, c_size_t]),
    "scant_model_dwell": (c_double, [c_void_p, c_size_t]),
    "scant_model_sample_sequences": (c_int, [POINTER(c_void_p), c_void_p, c_void_p, c_size_t, c_uint64, c_bool]),
    "scant_fit_option_table": (POINTER(scant_option), [c_void_p]),
    "scant_fit_options_preset": (None, [POINTER(scant_fit_options), c_size_t]),
    "scant_fit": (c_int, [POINTER(c_void_p), c_void_p, POINTER(scant_fit_options)]),
    "scant_fit_validate_inform": (c_int, [POINTER(scant_fit_options)]),
    "scant_model_bootstrap": (c_int, [c_void_p, c_void_p, POINTER(scant_fit_options), c_size_t]),
    "scant_cv_fit": (c_int, [POINTER(scant_cv), c_void_p, POINTER(scant_fit_options), c_size_t]),
    "scant_cv_clear": (None, [POINTER(scant_cv)]),
    "scant_cv_fit_supervised": (c_int, [POINTER(scant_cv), c_void_p, POINTER(scant_fit_options), c_size_t]),
    "scant_cv_model": (c_int, [POINTER(scant_cv), c_void_p, c_void_p, c_size_t, c_bool, c_double, c_size_t]),
    "scant_cv_compare": (None, [POINTER(scant_comparison), POINTER(scant_cv), POINTER(scant_cv)]),
    "scant_fit_compare": (c_int, [POINTER(scant_comparison), c_void_p, POINTER(scant_fit_options), c_int, c_size_t]),
    "scant_fit_check_chain": (c_int, [POINTER(scant_comparison), c_void_p, c_void_p, POINTER(scant_fit_options), c_size_t]),
    "scant_model_keep_baseline": (c_int, [c_void_p, POINTER(scant_comparison)]),
    "scant_model_baseline": (POINTER(scant_comparison), [c_void_p]),
    "scant_fit_checked": (c_int, [POINTER(c_void_p), POINTER(scant_comparison), c_void_p, POINTER(scant_fit_options), c_size_t]),
    "scant_fit_safe": (c_int, [POINTER(c_void_p), POINTER(scant_comparison), POINTER(scant_comparison), c_void_p, POINTER(scant_fit_options), c_bool, c_size_t]),
    "scant_fit_contrast": (c_int, [POINTER(scant_contrast), c_void_p, c_void_p, POINTER(scant_fit_options)]),
    "scant_select": (c_int, [POINTER(scant_selection), POINTER(c_void_p), c_void_p, POINTER(scant_fit_options), c_char_p, c_char_p, c_char_p, c_size_t]),
    "scant_selection_clear": (None, [POINTER(scant_selection)]),
    "scant_stream_option_table": (POINTER(scant_option), [c_void_p]),
    "scant_stream_options_preset": (None, [POINTER(scant_stream_options), c_size_t]),
    "scant_stream_new": (c_int, [POINTER(c_void_p), c_void_p, POINTER(scant_stream_options)]),
    "scant_stream_free": (None, [c_void_p]),
    "scant_stream_model": (c_void_p, [c_void_p]),
    "scant_stream_settings": (POINTER(scant_stream_options), [c_void_p]),
    "scant_stream_learned": (c_size_t, [c_void_p]),
    "scant_stream_predict": (c_int, [c_void_p, c_void_p, POINTER(scant_predict_options), c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "scant_stream_learn": (c_int, [c_void_p, c_void_p]),
    "scant_stream_write": (c_int, [c_void_p, c_char_p]),
    "scant_stream_read": (c_int, [POINTER(c_void_p), c_char_p, c_size_t]),
    "scant_votes_new": (c_int, [POINTER(c_void_p), c_size_t, c_size_t, c_size_t, c_size_t, c_void_p, c_void_p, c_void_p, POINTER(c_char_p), POINTER(c_char_p)]),
    "scant_votes_set_truth": (c_int, [c_void_p, c_void_p]),
    "scant_votes_set_weights": (c_int, [c_void_p, c_void_p]),
    "scant_votes_free": (None, [c_void_p]),
    "scant_votes_option_table": (POINTER(scant_option), [c_void_p]),
    "scant_votes_options_preset": (None, [POINTER(scant_votes_options), c_size_t]),
    "scant_votes_read": (c_int, [POINTER(c_void_p), c_char_p, POINTER(scant_votes_options)]),
    "scant_votes_items": (c_size_t, [c_void_p]),
    "scant_votes_predictors": (c_size_t, [c_void_p]),
    "scant_votes_classes": (c_size_t, [c_void_p]),
    "scant_votes_count": (c_size_t, [c_void_p]),
    "scant_votes_predictor_name": (c_char_p, [c_void_p, c_size_t]),
    "scant_votes_class_name": (c_char_p, [c_void_p, c_size_t]),
    "scant_votes_item_name": (c_char_p, [c_void_p, c_size_t]),
    "scant_votes_weight": (c_double, [c_void_p, c_size_t]),
    "scant_votes_truth": (c_int32, [c_void_p, c_size_t]),
    "scant_votes_answer": (c_int32, [c_void_p, c_size_t, c_size_t]),
    "scant_votes_tally": (None, [c_void_p, c_size_t, c_void_p]),
    "scant_audit_option_table": (POINTER(scant_option), [c_void_p]),
    "scant_audit_options_preset": (None, [POINTER(scant_audit_options), c_size_t]),
    "scant_verdict_name": (c_char_p, [c_int]),
    "scant_audit_votes": (c_int, [POINTER(c_void_p), c_void_p, POINTER(scant_audit_options)]),
    "scant_audit_free": (None, [c_void_p]),
    "scant_audit_summarise": (POINTER(scant_audit_summary), [c_void_p]),
    "scant_audit_predictor_at": (POINTER(scant_audit_predictor), [c_void_p, c_size_t]),
    "scant_audit_profile": (c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_size_t]),
    "scant_audit_combine": (c_int, [c_void_p, c_void_p, c_void_p]),
    "scant_audit_update": (c_int, [c_void_p, c_void_p]),
    "scant_audit_ask": (c_int, [POINTER(scant_ask), c_void_p, c_void_p, c_void_p, c_void_p]),
    "scant_regression_option_table": (POINTER(scant_option), [c_void_p]),
    "scant_regression_options_preset": (None, [POINTER(scant_regression_options), c_size_t]),
    "scant_audit_regression": (c_int, [POINTER(scant_regression), c_void_p, POINTER(scant_regression_options)]),
    "scant_regression_clear": (None, [POINTER(scant_regression)]),
    "scant_regression_combine": (c_int, [c_void_p, c_void_p, POINTER(scant_regression), c_void_p]),
    "scant_plan_option_table": (POINTER(scant_option), [c_void_p]),
    "scant_plan_options_preset": (None, [POINTER(scant_plan_options), c_size_t]),
    "scant_plan_new": (c_int, [POINTER(c_void_p), c_void_p, c_void_p, POINTER(scant_plan_options)]),
    "scant_plan_free": (None, [c_void_p]),
    "scant_plan_told": (POINTER(scant_plan_summary), [c_void_p]),
    "scant_plan_warning": (c_char_p, [c_void_p, c_size_t]),
    "scant_plan_forecast": (None, [POINTER(scant_plan_point), c_void_p, c_size_t, c_size_t]),
    "scant_plan_answer": (c_int, [POINTER(scant_plan_point), c_void_p, c_int, c_double]),
    "scant_plan_gains": (POINTER(c_double), [c_void_p]),
    "scant_plan_choose": (c_int, [POINTER(scant_plan_choice), c_void_p, c_size_t, c_void_p]),
    "scant_loss_name": (c_char_p, [c_int]),
    "scant_margin_audit_scores": (c_int, [POINTER(scant_margin_audit), c_void_p, c_size_t, c_double, c_double, c_uint64, c_size_t]),
    "scant_margin_audit_warnings": (c_size_t, [c_char_p * SCANT_MARGIN_WARNINGS, POINTER(scant_margin_audit)]),
    "scant_blind_option_table": (POINTER(scant_option), [c_void_p]),
    "scant_blind_options_preset": (None, [POINTER(scant_blind_options), c_size_t]),
    "scant_blind": (c_int, [POINTER(c_void_p), c_void_p, POINTER(scant_blind_options)]),
    "scant_train_option_table": (POINTER(scant_option), [c_void_p]),
    "scant_train_options_preset": (None, [POINTER(scant_train_options), c_size_t]),
    "scant_train_member": (c_bool, [c_size_t, POINTER(c_char_p), POINTER(c_char_p)]),
    "scant_train": (c_int, [POINTER(c_void_p), c_void_p, POINTER(scant_train_options)]),
    "scant_model_headline": (POINTER(scant_headline), [c_void_p]),
    "scant_med_option_table": (POINTER(scant_option), [c_void_p]),
    "scant_med_options_preset": (None, [POINTER(scant_med_options), c_size_t]),
    "scant_med": (c_int, [POINTER(c_void_p), c_void_p, POINTER(scant_med_options)]),
    "scant_model_med": (POINTER(scant_med_result), [c_void_p]),
    "scant_med_decide": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "scant_med_density": (c_int, [c_void_p, c_void_p, c_void_p]),
    "scant_med_fill": (c_int, [c_void_p, c_void_p, c_void_p]),
    "scant_med_sample": (c_int, [c_void_p, c_size_t, c_uint64, c_void_p, c_void_p]),
    "scant_tensor_read": (c_int, [POINTER(c_void_p), c_char_p]),
    "scant_tensor_new": (c_int, [POINTER(c_void_p), c_size_t, c_void_p, c_void_p]),
    "scant_tensor_new_sparse": (c_int, [POINTER(c_void_p), c_size_t, c_void_p, c_size_t, c_void_p, c_void_p]),
    "scant_tensor_free": (None, [c_void_p]),
    "scant_tensor_order": (c_size_t, [c_void_p]),
    "scant_tensor_size": (c_size_t, [c_void_p, c_size_t]),
    "scant_tensor_entries": (c_size_t, [c_void_p]),
    "scant_tensor_is_sparse": (c_bool, [c_void_p]),
    "scant_tensor_clip": (c_size_t, [c_void_p]),
    "scant_factor_option_table": (POINTER(scant_option), [c_void_p]),
    "scant_factor_options_preset": (None, [POINTER(scant_factor_options), c_size_t]),
    "scant_factor": (c_int, [POINTER(c_void_p), c_void_p, POINTER(scant_factor_options)]),
    "scant_factors_free": (None, [c_void_p]),
    "scant_factors_summary": (POINTER(scant_factor_summary), [c_void_p]),
    "scant_factors_mode": (POINTER(c_double), [c_void_p, c_size_t]),
    "scant_factors_size": (c_size_t, [c_void_p, c_size_t]),
    "scant_factors_weights": (POINTER(c_double), [c_void_p]),
    "scant_factors_trace": (POINTER(scant_factor_step), [c_void_p]),
    "scant_factors_starts": (POINTER(scant_factor_start), [c_void_p]),
    "scant_factors_stability": (POINTER(c_double), [c_void_p]),
    "scant_factor_sweep": (c_int, [POINTER(scant_factor_sweep_result), POINTER(c_void_p), c_void_p, POINTER(scant_factor_options)]),
    "scant_factor_sweep_clear": (None, [POINTER(scant_factor_sweep_result)]),
}
