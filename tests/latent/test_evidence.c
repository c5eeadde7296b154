/* Evidence of every kind of label cell, as a vector over the classes. */
#include <math.h>

#include <scant/scant.h>
#include "check.h"
#include "latent/survey.h"

enum { N = 6, K = 3 };
static const char *const classes[K] = {"a", "b", "c"};
static const char *const cells[N] = {"b", NULL, "a|c", "a:0.2;b:0.5;c:0.3", "a|c", "c"};
static const double says[N][K] = {{0, 1, 0},       {1, 1, 1}, {1, 0, 1},
                                  {0.2, 0.5, 0.3}, {1, 0, 1}, {0, 0, 1}};
static const double w[N] = {1, 2, 0.5, 3, 1, 0};

static scant_rows *make_rows(void)
{
    double x[N] = {0};
    scant_rows *rows = NULL;
    assert_ok(scant_rows_new(&rows, N, 1, x, NULL));
    assert_ok(scant_rows_set_labels(rows, cells, classes, K, NULL));
    assert_ok(scant_rows_set_weights(rows, w));
    return rows;
}

static void vectors_say_what_cells_say(void **state)
{
    (void)state;
    scant_rows *rows = make_rows();
    for (int own = 0; own < 2; own++) { /* the unlabelled as a further class */
        scant_i_evidence e;
        scant_i_survey survey;
        scant_i_evidence_settings settings = {
            .probabilities = SCANT_I_POSTERIOR, .unlabelled_weight = 0.25, .own_class = own};
        size_t all = K + (size_t)own;
        double total = 0;
        assert_ok(scant_i_evidence_new(&e, rows, all, &settings));
        for (size_t i = 0; i < N; i++) {
            bool unknown = cells[i] == NULL;
            size_t entry = scant_i_evidence_entry(&e, i);
            const double *v = e.v + entry * all;
            for (size_t k = 0; k < K; k++)
                assert_true(v[k] == (own && unknown ? 0 : says[i][k]));
            if (own)
                assert_true(v[K] == (unknown ? 1 : 0));
            assert_int_equal(scant_i_evidence_unknown(&e, i), unknown);
            assert_int_equal(e.kind[entry], i == 3 ? SCANT_I_POSTERIOR : SCANT_I_LIKELIHOOD);
            assert_int_equal(scant_i_evidence_is_label(&e, entry), i != 3);
            assert_int_equal(scant_i_evidence_informs(&e, entry), !unknown || own);
            assert_same(scant_i_evidence_weight(&e, i), w[i] * (unknown ? 0.25 : 1));
            total += w[i] * (unknown ? 0.25 : 1);
        }
        assert_ok(scant_i_survey_new(&survey, rows, &e, SCANT_I_NO_CELLS, 1));
        assert_same(scant_i_survey_total_weight(&survey), total);
        assert_int_equal(survey.nentries, e.nentries);
        scant_i_survey_clear(&survey);
        scant_i_evidence_clear(&e);
    }
    scant_rows_free(rows);
}

static void labels_of_other_classes_are_refused(void **state)
{
    (void)state;
    scant_rows *rows = make_rows();
    scant_i_evidence e;
    scant_i_evidence_settings settings = {.unlabelled_weight = 1};
    assert_fails(scant_i_evidence_new(&e, rows, K + 1, &settings), SCANT_ERR_INPUT,
                 "3 classes where the model has 4");
    settings.own_class = true; /* the fourth is the unlabelled rows' */
    assert_ok(scant_i_evidence_new(&e, rows, K + 1, &settings));
    scant_i_evidence_clear(&e);
    assert_fails(scant_i_evidence_new(&e, rows, K, &settings), SCANT_ERR_INPUT,
                 "3 classes where the model has 2");
    settings.own_class = false;
    for (size_t all = 1; all <= K + 1; all += K) { /* nothing to tell apart; not to be read */
        settings.hidden = all > 1;
        assert_ok(scant_i_evidence_new(&e, rows, all, &settings));
        assert_null(e.code);
        scant_i_evidence_clear(&e);
    }
    scant_rows_free(rows);
}

/* A row's weight goes to the classes it is most for, in equal parts. */
static void fallback_is_the_share_of_the_likeliest(void **state)
{
    (void)state;
    scant_rows *rows = make_rows();
    scant_i_evidence e;
    scant_i_survey survey;
    scant_i_evidence_settings settings = {
        .probabilities = SCANT_I_LIKELIHOOD, .unlabelled_weight = 1, .own_class = false};
    double share[K], expected[K] = {0}, total = 0;
    for (size_t i = 0; i < N; i++) {
        double top = fmax(says[i][0], fmax(says[i][1], says[i][2])), ties = 0;
        for (size_t k = 0; k < K; k++)
            ties += says[i][k] == top;
        for (size_t k = 0; k < K; k++)
            expected[k] += says[i][k] == top ? w[i] / ties : 0;
        total += w[i];
    }
    assert_ok(scant_i_evidence_new(&e, rows, K, &settings));
    assert_ok(scant_i_survey_new(&survey, rows, &e, SCANT_I_NO_CELLS, 1));
    scant_i_evidence_fallback(&e, survey.weight, share);
    for (size_t k = 0; k < K; k++)
        assert_true(fabs(share[k] - expected[k] / total) < 1e-15);
    memset(survey.weight, 0, survey.nentries * sizeof *survey.weight);
    scant_i_evidence_fallback(&e, survey.weight, share);
    scant_i_survey_clear(&survey);
    for (size_t k = 0; k < K; k++)
        assert_same(share[k], 1. / K);
    scant_i_evidence_clear(&e);
    scant_rows_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_say_what_cells_say),
        cmocka_unit_test(labels_of_other_classes_are_refused),
        cmocka_unit_test(fallback_is_the_share_of_the_likeliest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
