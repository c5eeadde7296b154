/* Rows that are in memory already, labels for a few of them, and probabilities for one: fitted
 * without a copy of the numbers.
 *
 *     cc own_data.c $(pkg-config --cflags --libs scant) -lm && ./a.out */
#include <math.h>
#include <scant/scant.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 200, D = 2 };

/* Two clouds; a cell that is NAN is missing. */
static void make(double *x, const char **label)
{
    for (size_t i = 0; i < N; i++) {
        double t = (double)i, centre = i % 2 ? 3 : 0;
        x[i * D] = centre + sin(12.9898 * t);
        x[i * D + 1] = i % 10 == 9 ? NAN : centre + cos(78.233 * t);
        label[i] = i < 6 ? (i % 2 ? "high" : "low") : NULL;
    }
    label[6] = "low:0.9;high:0.1";
}

static scant_status fit(scant_model **model, const double *x, const char *const *label)
{
    static const char *const names[D] = {"width", "height"};
    scant_rows *rows = NULL;
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.model.covariance = "diag";
    scant_status status = scant_rows_view(&rows, N, D, x, names);
    if (status == SCANT_OK)
        status = scant_rows_set_labels(rows, label, NULL, 0, NULL);
    if (status == SCANT_OK)
        status = scant_fit(model, rows, &options);
    scant_rows_free(rows);
    return status;
}

/* Parameters are arrays with a name and dimensions, components first. */
static void print_means(const scant_model *model)
{
    scant_parameter_view means;
    if (!scant_model_parameter(model, 0, 0, &means))
        return;
    for (size_t j = 0; j < scant_model_components(model); j++)
        printf("%s of component %zu: %.2f %.2f\n", means.name, j + 1, means.value[j * D],
               means.value[j * D + 1]);
}

int main(void)
{
    static double x[N * D];
    static const char *label[N];
    scant_model *model = NULL;
    make(x, label);
    if (fit(&model, x, label) != SCANT_OK) {
        fprintf(stderr, "own_data: %s\n", scant_message());
        return EXIT_FAILURE;
    }
    print_means(model);
    scant_model_free(model);
    return EXIT_SUCCESS;
}
