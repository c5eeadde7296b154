#include "check.h"

#include "data/prior.h"

static const char *const two[] = {"a", "b=c"};
static const char *const three[] = {"x", "y", "z"};

static void test_forms(void **state)
{
    (void)state;
    double p[3];
    assert_ok(scant_prior_read(p, "0.25", two, 2));
    assert_same(p[0], 0.75);
    assert_same(p[1], 0.25);
    assert_ok(scant_prior_read(p, "b=c=0.25,a=0.75", two, 2)); /* the last equals sign counts */
    assert_same(p[0], 0.75);
    assert_ok(scant_prior_read(p, "z=0,x=0.5,y=0.5", three, 3));
    assert_same(p[2], 0);
    assert_ok(scant_prior_read(p, "x=0.3333333,y=0.3333333,z=0.3333333", three, 3));
    assert_true(p[0] + p[1] + p[2] > 1 - 1e-15);
}

/* Names are known, so that they may have what parts pairs; of two that fit the longer is meant. */
static void test_signs_in_names(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "a,b", "a=0.5,b"};
    double p[3];
    assert_ok(scant_prior_read(p, "a,b=0.25,a=0.5,a=0.5,b=0.25", names, 3));
    assert_true(p[0] == 0.5 && p[1] == 0.25 && p[2] == 0.25);
    assert_fails(scant_prior_read(p, "a,c=0.5", names, 3), SCANT_ERR_ARGUMENT, "'a' is not of");
    assert_ok(scant_prior_read_pair(p, "ham, eggs=0.2,a=b,c=0.8"));
    assert_true(p[0] == 0.2 && p[1] == 0.8);
    char *made[2];
    assert_ok(scant_i_prior_name(made, "ham, eggs=0.2,a=b,c=0.8"));
    assert_string_equal(made[0], "ham, eggs");
    assert_string_equal(made[1], "a=b,c");
    scant_i_free(made[0]);
    scant_i_free(made[1]);
}

static void test_refused(void **state)
{
    (void)state;
    double p[3];
    assert_fails(scant_prior_read(p, "1.5", two, 2), SCANT_ERR_ARGUMENT, "'1.5' is not a share");
    assert_fails(scant_prior_read(p, "0.5", three, 3), SCANT_ERR_ARGUMENT, "class=share");
    assert_fails(scant_prior_read(p, "x=-0.5,y=1,z=0.5", three, 3), SCANT_ERR_ARGUMENT, "'-0.5'");
    assert_fails(scant_prior_read(p, "x=0x1", three, 3), SCANT_ERR_ARGUMENT, "'0x1'");
    assert_fails(scant_prior_read(p, "x=1,w=0", three, 3), SCANT_ERR_ARGUMENT, "'w'");
    assert_fails(scant_prior_read(p, "x=0.5,x=0.5", three, 3), SCANT_ERR_ARGUMENT, "twice");
    assert_fails(scant_prior_read(p, "x=0.5,y=0.5", three, 3), SCANT_ERR_ARGUMENT, "'z' has no");
    assert_fails(scant_prior_read(p, "", three, 3), SCANT_ERR_ARGUMENT, "'x' has no share");
    assert_fails(scant_prior_read(p, "x=0.5,y=0.5,z=0.1", three, 3), SCANT_ERR_ARGUMENT, "1.1");
    char *const classes[] = {(char[]){"x"}, (char[]){"y"}};
    assert_fails(scant_i_prior_read(p, "0", classes, 2, "prior"), SCANT_ERR_ARGUMENT,
                 "prior: class 'y' must have a share above 0");
}

/* Two classes that only the text names. */
static void test_pair(void **state)
{
    (void)state;
    double p[2];
    assert_ok(scant_prior_read_pair(p, "0.3"));
    assert_true(p[0] == 0.7 && p[1] == 0.3);
    assert_ok(scant_prior_read_pair(p, "spam=0.2,a=b=0.8"));
    assert_true(p[0] == 0.2 && p[1] == 0.8);
    assert_fails(scant_prior_read_pair(p, "1"), SCANT_ERR_ARGUMENT, "above 0");
    assert_fails(scant_prior_read_pair(p, "a=1"), SCANT_ERR_ARGUMENT, "has no share");
    assert_fails(scant_prior_read_pair(p, "a=0.5,a=0.5"), SCANT_ERR_ARGUMENT, "twice");
    assert_fails(scant_prior_read_pair(p, "a=0.2,b=0.3,c=0.5"), SCANT_ERR_ARGUMENT, "'c'");
    assert_fails(scant_prior_read_pair(p, ","), SCANT_ERR_ARGUMENT, "not of the form");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_signs_in_names),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
