/* What `--unlabeled` and `--context-mode` mean to the engine, and which settings exclude each
 * other.
 *
 *   latent       EM1  L = sum_labelled log p(x, y) + sum_unlabelled log p(x), component-major
 *   latent-both  EM2  the same objective, class-major
 *   own-class    EM3  L + sum_unlabelled log P(unlabelled | x): a further column of the coupling
 *   drop-labels  EM0  sum log p(x); one pass over the labelled rows names the components
 * Papers: partial labels table 1; context-aware mixtures §3 (replace, weigh, fix: CA, WCA, DCA). */
#include "model/method.h"

#include <string.h>

#include "base/number.h"
#include "model/noise.h"

static const scant_i_method methods[] = {
    {.name = "latent", .number = "1", .component_major = true},
    {.name = "latent-both", .number = "2"},
    {.name = "own-class", .number = "3", .own_class = true},
    {.name = "drop-labels", .number = "0", .component_major = true, .after = true},
};
enum { NMETHODS = sizeof methods / sizeof *methods };

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
typedef struct conflict {
    bool first, second;
    const char *why;
} conflict;

scant_status scant_i_method_choose(const scant_i_method **out, scant_i_evidence_settings *evidence,
                                   const scant_fit_options *options)
{
    size_t m = 0;
    const char *word = options->em ? options->em : options->unlabeled;
    while (m < NMETHODS && strcmp(word, options->em ? methods[m].number : methods[m].name) != 0)
        m++;
    if (m == NMETHODS)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--%s: '%s' is not known",
                            options->em ? "em" : "unlabeled", word);
    const scant_i_method *method = &methods[m];
    bool replace = strcmp(options->context_mode, "replace") == 0;
    bool fix = strcmp(options->context_mode, "fix") == 0;
    bool latent = method->component_major && !method->after;
    double lambda = 0;
    scant_i_sharing sharing = scant_i_sharing_of(options->sharing, &lambda);
    bool noise_free = scant_i_noise_estimated(options);
    bool weighed = sharing != SCANT_I_BY_MASK;
    const conflict conflicts[] = {
        {options->em != NULL,
         strcmp(options->unlabeled, methods[1].name) != 0 && /* the default */
             strcmp(options->unlabeled, method->name) != 0,
         "--em and --unlabeled ask for different things"},
        {latent, options->prior != NULL,
         "--unlabeled latent has no closed form under fixed proportions (--prior); use "
         "latent-both"},
        {latent, replace,
         "--unlabeled latent cannot use rows that bring their own proportions (--context-mode "
         "replace); use "
         "latent-both"},
        {latent, fix,
         "--unlabeled latent cannot use fixed class posteriors (--context-mode fix); use "
         "latent-both"},
        {method->own_class, options->prior != NULL,
         "--unlabeled own-class estimates the share of unlabelled rows, so --prior has no meaning "
         "there"},
        {method->own_class, replace,
         "--unlabeled own-class and --context-mode replace both set the proportions of a row"},
        {method->after, options->prior != NULL,
         "--unlabeled drop-labels does not use class proportions in the fit, so --prior has no "
         "effect"},
        {method->after, replace,
         "--unlabeled drop-labels names components by rows that tell of the classes' proportions, "
         "which --context-mode replace has none of; use weigh or fix"},
        {weighed, method != &methods[1],
         "--sharing lambda=, auto: only with --unlabeled latent-both"},
        {weighed, replace || fix, "--sharing lambda=, auto: only with --context-mode weigh"},
        {sharing == SCANT_I_BY_SEARCH, strcmp(options->accelerate, "squarem") == 0,
         "--sharing auto: extrapolations (--accelerate squarem) would not carry what is learned of "
         "sharing"},
        {options->label_noise != NULL, replace || fix,
         "--label-noise is about labels that are seen, which --context-mode replace and fix have "
         "no "
         "place for"},
        {noise_free, method != &methods[1],
         "--label-noise estimate: only with --unlabeled latent-both"},
        {noise_free, weighed, "--label-noise estimate: not with --sharing lambda=, auto"},
        {noise_free, strcmp(options->accelerate, "squarem") == 0,
         "--label-noise estimate: extrapolations (--accelerate squarem) would not carry what is "
         "learned of "
         "labels"},
        {sharing == SCANT_I_BY_LAMBDA, !(lambda >= 0 && lambda <= 1),
         "--sharing lambda=: a number from 0 (separate) to 1 (common)"},
    };
    for (size_t c = 0; c < sizeof conflicts / sizeof *conflicts; c++)
        if (conflicts[c].first && conflicts[c].second)
            return scant_i_fail(SCANT_ERR_ARGUMENT, "%s", conflicts[c].why);
    *out = method;
    *evidence = (scant_i_evidence_settings){
        .probabilities = replace ? SCANT_I_PRIOR
                         : fix   ? SCANT_I_POSTERIOR
                                 : SCANT_I_LIKELIHOOD,
        .unlabelled_weight = options->unlabeled_weight,
        .own_class = method->own_class,
    };
    return SCANT_OK;
}
