/* A program may have set a locale whose decimal point is a comma: presets, options and models are
 * the same there. The locale is made here; without Debian's `locales` the test is skipped. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scant/scant.h>
#include "check.h"
#include "scratch.h"

enum { SKIPPED = 77 };

static bool set_comma(void)
{
    char command[512];
    const char *folder = scratch_path("locales");
    (void)snprintf(command, sizeof command,
                   "mkdir '%s' && localedef -i de_DE -f UTF-8 '%s/comma' 2>&1", folder, folder);
    return system(command) == 0 && setenv("LOCPATH", folder, 1) == 0 &&
           setlocale(LC_ALL, "comma") && strcmp(localeconv()->decimal_point, ",") == 0;
}

static void forget_comma(void)
{
    char command[512];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", scratch_path("locales"));
    if (system(command) != 0)
        (void)printf("the locale could not be removed\n");
    scratch_clear();
}

static void presets_are_numbers(void **state)
{
    (void)state;
    scant_fit_options fit;
    scant_fit_options_preset(&fit);
    assert_same(fit.evidence.unlabeled_smoothing, 0.02);
    scant_audit_options audit;
    scant_audit_options_preset(&audit);
    assert_same(audit.ci, 0.95);
}

static const scant_option *fit_option(const char *name)
{
    size_t count;
    const scant_option *table = scant_fit_option_table(&count);
    return scant_option_find(table, count, name);
}

static void options_have_points(void **state)
{
    (void)state;
    scant_fit_options fit;
    scant_fit_options_preset(&fit);
    assert_ok(scant_option_set(&fit, fit_option("tol"), "0.5"));
    assert_same(fit.run.tol, 0.5);
    assert_ok(scant_option_set(&fit, fit_option("max-iter"), "1.5e3"));
    assert_int_equal(fit.run.max_iter, 1500);
    assert_int_equal(scant_option_set(&fit, fit_option("tol"), "0,5"), SCANT_ERR_ARGUMENT);
}

static void models_have_points(void **state)
{
    (void)state;
    const scant_read_options read = {.size = sizeof read, .label = "y"};
    scant_rows *rows = NULL;
    const char *data = scratch_text("d.csv", "a,y\n0.5,p\n1.5,p\n2.5,p\n0.25,q\n7.5,q\n8.5,\n");
    assert_ok(scant_rows_read(&rows, data, &read));
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.model.components = "2";
    options.model.sharing = "lambda=0.3";
    options.evidence.label_noise = "0.1";
    options.evidence.unlabeled_weight = 0.25;
    scant_model *model = NULL;
    assert_ok(scant_fit(&model, rows, &options));
    assert_string_equal(scant_model_setting(model, "unlabeled-weight"), "0.25");
    const char *path = scratch_path("m.json");
    assert_ok(scant_model_write(model, path));
    char *text = scratch_load(path);
    assert_non_null(strstr(text, "\"unlabeled-weight\": \"0.25\""));
    free(text);
    scant_model_free(model);
    scant_rows_free(rows);
}

int main(void)
{
    if (!set_comma()) {
        forget_comma();
        (void)printf("no locale with a comma could be made\n");
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(presets_are_numbers),
                                       cmocka_unit_test(options_have_points),
                                       cmocka_unit_test(models_have_points)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    forget_comma();
    return failed;
}
