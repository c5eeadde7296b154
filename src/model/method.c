/* What `--unlabeled` and `--context-mode` mean to the engine, and which settings exclude each
 * other.
 *
 *   em1  component-major  L = sum_labeled log p(x, y) + sum_unlabeled log p(x)
 *   em2  class-major      the same objective
 *   em3  own-class        L + sum_unlabeled log P(unlabeled | x): a further column of the coupling
 *   em0  ignore-labels    sum log p(x); one pass over the labeled rows names the components
 *
 * Papers: partial labels table 1; context-aware mixtures §3 (prior: CA, likelihood: WCA,
 * posterior: DCA). */
#include "model/method.h"

#include "model/options.h"

#include <string.h>

#include "base/number.h"
#include "model/noise.h"

static const scant_i_method methods[] = {
    {.name = "em1", .alias = "component-major", .component_major = true},
    {.name = "em2", .alias = "class-major"},
    {.name = "em3", .alias = "own-class", .own_class = true},
    {.name = "em0", .alias = "ignore-labels", .component_major = true, .after = true},
};
enum { NMETHODS = sizeof methods / sizeof *methods };

static const scant_i_method *find(const char *word)
{
    for (size_t m = 0; m < NMETHODS; m++)
        if (strcmp(word, methods[m].name) == 0 || strcmp(word, methods[m].alias) == 0)
            return &methods[m];
    return NULL;
}

scant_i_sharing scant_i_sharing_of(const char *text, double *lambda)
{
    if (strcmp(text, "auto") == 0)
        return SCANT_I_BY_SEARCH;
    if (strncmp(text, "lambda=", 7) != 0)
        return SCANT_I_BY_MASK;
    return scant_i_number_parse(lambda, text + 7, strlen(text + 7)) ? SCANT_I_BY_LAMBDA
                                                                    : SCANT_I_BY_MASK;
}

/* One table for what cannot go together: where both columns hold, the last says why. */
bool scant_i_sharing_is_separate(const scant_model_options *options)
{
    return !options->sharing_table && strcmp(options->sharing, "separate") == 0;
}

typedef struct conflict {
    bool first, second;
    const char *why;
} conflict;

scant_status scant_i_method_choose(const scant_i_method **out, scant_i_evidence_settings *evidence,
                                   const scant_fit_options *options)
{
    const scant_i_method *method = find(options->evidence.unlabeled);
    if (!method)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--unlabeled: '%s' is not known",
                            options->evidence.unlabeled);

    bool class_major = !method->component_major && !method->own_class;
    bool prior = strcmp(options->evidence.context_mode, "prior") == 0;
    bool posterior = strcmp(options->evidence.context_mode, "posterior") == 0;
    bool latent = method->component_major && !method->after;
    double lambda = 0;
    scant_i_sharing sharing = scant_i_sharing_of(options->model.sharing, &lambda);
    bool noise_free = scant_i_noise_estimated(options);
    bool weighed = sharing != SCANT_I_BY_MASK;
    bool conditional = scant_i_is_conditional(options);
    bool climbs = strcmp(options->run.optimizer, "lbfgs") == 0;
    const conflict conflicts[] = {
        {latent, options->model.prior != NULL,
         "--unlabeled em1 has no closed form under fixed proportions (--prior); use em2"},
        {latent, prior,
         "--unlabeled em1 cannot use rows that bring their own proportions (--context-mode "
         "prior); use em2"},
        {latent, posterior,
         "--unlabeled em1 cannot use fixed class posteriors (--context-mode posterior); use "
         "em2"},
        {method->own_class, options->model.prior != NULL,
         "--unlabeled em3 estimates the share of unlabelled rows, so --prior has no meaning "
         "there"},
        {method->own_class, prior,
         "--unlabeled em3 and --context-mode prior both set the proportions of a row"},
        {method->after, options->model.prior != NULL,
         "--unlabeled em0 does not use class proportions in the fit, so --prior has no "
         "effect"},
        {method->after, prior,
         "--unlabeled em0 names components by what rows report of their classes; with "
         "--context-mode prior probabilities are proportions instead; use likelihood or posterior"},
        {weighed, !class_major, "--sharing lambda=, auto: only with --unlabeled em2"},
        {weighed, prior || posterior,
         "--sharing lambda=, auto: only with --context-mode likelihood"},
        {sharing == SCANT_I_BY_SEARCH, strcmp(options->run.accelerate, "squarem") == 0,
         "--sharing auto: extrapolations (--accelerate squarem) would not carry what is learned of "
         "sharing"},
        {options->model.sharing_table != NULL, strcmp(options->model.sharing, "separate") != 0,
         "--sharing: a table and words for it exclude each other"},
        {options->evidence.label_noise_table != NULL, options->evidence.label_noise != NULL,
         "--label-noise: a table and words for it exclude each other"},
        {scant_i_noise_given(options), prior || posterior,
         "--label-noise is about labels that are seen, which --context-mode prior and "
         "posterior have no place for"},
        {noise_free, !class_major, "--label-noise estimate: only with --unlabeled em2"},
        {noise_free, weighed, "--label-noise estimate: not with --sharing lambda=, auto"},
        {noise_free, strcmp(options->run.accelerate, "squarem") == 0,
         "--label-noise estimate: extrapolations (--accelerate squarem) would not carry what is "
         "learned of "
         "labels"},
        {conditional, !class_major, "--objective conditional: only with --unlabeled em2"},
        {conditional, prior || posterior,
         "--objective conditional: only with --context-mode likelihood"},
        {conditional, weighed, "--objective conditional: not with --sharing lambda=, auto"},
        {conditional, noise_free, "--objective conditional: not with --label-noise estimate"},
        {conditional, options->run.checkpoint != NULL,
         "--objective conditional: it has two parts, and --checkpoint keeps none"},
        {!conditional, options->run.hybrid != 0, "--hybrid: only with --objective conditional"},
        {!conditional, strcmp(options->run.optimizer, "auto") != 0,
         "--optimizer: only with --objective conditional"},
        {climbs, strcmp(options->run.accelerate, "squarem") == 0,
         "--optimizer lbfgs makes no steps that --accelerate squarem could extrapolate"},
        {climbs, options->run.anneal, "--optimizer lbfgs makes no steps to --anneal"},
        {sharing == SCANT_I_BY_LAMBDA, !(lambda >= 0 && lambda <= 1),
         "--sharing lambda=: a number from 0 (separate) to 1 (common)"},
    };
    for (size_t c = 0; c < sizeof conflicts / sizeof *conflicts; c++)
        if (conflicts[c].first && conflicts[c].second)
            return scant_i_fail_words(SCANT_ERR_ARGUMENT, conflicts[c].why);
    *out = method;
    *evidence = (scant_i_evidence_settings){
        .probabilities = prior       ? SCANT_I_PRIOR
                         : posterior ? SCANT_I_POSTERIOR
                                     : SCANT_I_LIKELIHOOD,
        .unlabelled_weight = scant_i_unlabeled_weight(options),
        .own_class = method->own_class,
    };
    return SCANT_OK;
}
