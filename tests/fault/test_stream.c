/* A stream - made, asked, taught, kept and read back - with each of its allocations failing once.
 */
#include "check.h"

#include <scant/scant.h>
#include "failing.h"
#include "scratch.h"
#include "small_rows.h"

static const small_kind mixed[] = {SMALL_NUMBERS, SMALL_CATEGORIES, SMALL_NUMBERS};

typedef struct job {
    const scant_model *model;
    const scant_rows *rows;
} job;

static scant_status live(void *payload)
{
    const job *j = payload;
    scant_stream *stream = NULL, *again = NULL;
    scant_stream_options options;
    double p[2 * 30];
    scant_stream_options_preset(&options);
    options.window = 4;
    options.iterations = 1;
    options.threads = 1;
    scant_predict_options how = {.size = sizeof how, .threads = 1};
    scant_status status = scant_stream_new(&stream, j->model, &options);
    if (status == SCANT_OK)
        status = scant_stream_predict(stream, j->rows, &how, p, NULL, NULL, NULL, NULL);
    if (status == SCANT_OK)
        status = scant_stream_learn(stream, j->rows);
    if (status == SCANT_OK)
        status = scant_stream_write(stream, scratch_path("stream.json"));
    if (status == SCANT_OK)
        status = scant_stream_read(&again, scratch_path("stream.json"), 1);
    scant_stream_free(stream);
    scant_stream_free(again);
    return status;
}

static void test_stream(void **state)
{
    (void)state;
    scant_rows *rows = small_rows(&(small_plan){30, mixed, 3, .labels = true, .missing = true});
    scant_fit_options options;
    scant_model *model = NULL;
    scant_fit_options_preset(&options);
    options.run.max_iter = 2;
    assert_ok(scant_fit(&model, rows, &options));
    job j = {model, rows};
    (void)failing_sweep_strictly(live, &j);
    scant_model_free(model);
    scant_rows_free(rows);
    scratch_clear();
}

static scant_status read_rows(void *payload)
{
    (void)payload;
    scant_read_options options = {.size = sizeof options, .label = "y", .id = "i"};
    scant_reader *reader = NULL;
    scant_rows *row = NULL;
    scant_status status = scant_reader_open(&reader, scratch_path("t.csv"), &options);
    for (size_t i = 0; i < 2 && status == SCANT_OK; i++) {
        status = scant_reader_next(&row, reader);
        scant_rows_free(row);
    }
    scant_reader_free(reader);
    return status;
}

static void test_reader(void **state)
{
    (void)state;
    (void)scratch_text("t.csv", "x,y,i\n1,a,p\n2,a:0.5;b:0.5,q\n");
    (void)failing_sweep_strictly(read_rows, NULL);
    scratch_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stream),
        cmocka_unit_test(test_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
