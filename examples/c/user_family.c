/* A family of one's own: von Mises, the normal distribution of the circle. Directions of the wind
 * have no natural zero; 3.1 and -3.1 are neighbours, which no family of numbers on a line knows.
 *
 *     f(x) = exp(k cos(x - m)) / (2 pi I0(k))       direction m, concentration k, x in radians
 *     T(x) = (cos x, sin x)                         m = their mean's angle, A(k) = its length
 *
 * The program draws 600 directions from two winds, tells the wind of 10 of them, fits, and prints
 * what it found.
 *
 *     cc user_family.c $(pkg-config --cflags --libs scant) -lm && ./a.out */
#include <math.h>
#include <scant/scant.h>
#include <stdio.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
static const double K_MOST = 500; /* a component of nearly equal directions stops there */

/* *level = log I0(k), and A(k) = I1(k) / I0(k): means over the circle. Equal steps are exact to
 * rounding for what is periodic and as smooth as this. */
static double bessel_ratio(double k, double *level)
{
    enum { STEPS = 256 };
    double even = 0, odd = 0;
    for (int s = 0; s < STEPS; s++) {
        double c = cos(2 * PI * s / STEPS), e = exp(k * (c - 1));
        even += e;
        odd += c * e;
    }
    *level = k + log(even / STEPS);
    return odd / even;
}

/* The k with A(k) = length: A rises, so halve the interval. */
static double concentration(double length)
{
    double low = 0, high = K_MOST, level;
    for (int s = 0; s < 60; s++) {
        double middle = (low + high) / 2;
        *(bessel_ratio(middle, &level) < length ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

static size_t statistics(size_t columns)
{
    return 2 * columns;
}

/* Parameters: the directions of the columns, then their concentrations. */
static const char *log_density(const scant_family_use *use, const double *parameters,
                               const scant_family_cells *cells, double *out)
{
    size_t d = use->columns;
    for (size_t i = 0; i < cells->rows; i++)
        out[i] = 0;
    for (size_t c = 0; c < d; c++) {
        double m = parameters[c], k = parameters[d + c], level;
        (void)bessel_ratio(k, &level);
        for (size_t i = 0; i < cells->rows; i++)
            out[i] += k * cos(cells->value[i * d + c] - m) - log(2 * PI) - level;
    }
    return NULL;
}

static const char *accumulate(const scant_family_use *use, const double *parameters,
                              const scant_family_cells *cells, const double *weight, double *sums)
{
    size_t d = use->columns;
    (void)parameters;
    for (size_t c = 0; c < d; c++)
        for (size_t i = 0; i < cells->rows; i++) {
            sums[2 * c] += weight[i] * cos(cells->value[i * d + c]);
            sums[2 * c + 1] += weight[i] * sin(cells->value[i * d + c]);
        }
    return NULL;
}

static const char *maximise(const scant_family_use *use, double weight, const double *sums,
                            double *parameters, bool *bounded)
{
    size_t d = use->columns;
    for (size_t c = 0; c < d; c++) {
        double k = concentration(hypot(sums[2 * c], sums[2 * c + 1]) / weight);
        parameters[c] = atan2(sums[2 * c + 1], sums[2 * c]);
        parameters[d + c] = k;
        *bounded |= k > 0.999 * K_MOST;
    }
    return NULL;
}

static const char *expected(const scant_family_use *use, size_t column, double cell)
{
    (void)use;
    (void)column;
    return fabs(cell) <= 2 * PI ? NULL : "expected an angle in radians";
}

static const char *unfit(const scant_family_use *use, const double *parameters)
{
    for (size_t c = 0; c < use->columns; c++)
        if (!(parameters[use->columns + c] >= 0 && parameters[use->columns + c] <= K_MOST))
            return "a concentration is not within 0 and 500";
    return NULL;
}

static const scant_family von_mises = {
    .name = "von-mises",
    .parameters = (const scant_family_array[]){{"directions", SCANT_FAMILY_COLUMNS},
                                               {"concentrations", SCANT_FAMILY_COLUMNS}},
    .nparameters = 2,
    .statistics = statistics,
    .log_density = log_density,
    .accumulate = accumulate,
    .maximise = maximise,
    .expected = expected,
    .unfit = unfit,
};

/* --- data, and a fit like any other --- */

enum { N = 600 };

static double uniform(void)
{
    static unsigned long long state = 20260101;
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(state >> 11) / 9007199254740992.0;
}

/* By rejection: an even direction, kept as often as the density there compares with its peak. */
static double draw(double m, double k)
{
    double x;
    do
        x = PI * (2 * uniform() - 1);
    while (uniform() > exp(k * (cos(x - m) - 1)));
    return x;
}

static scant_status fit(scant_model **model, const double *x, const char *const *label)
{
    static const char *const names[] = {"wind"};
    const char *families[] = {"von-mises"};
    scant_rows *rows = NULL;
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.model.families = (scant_texts){families, 1};
    scant_status status = scant_rows_view(&rows, N, 1, x, names);
    if (status == SCANT_OK)
        status = scant_rows_set_labels(rows, label, NULL, 0, NULL);
    if (status == SCANT_OK)
        status = scant_fit(model, rows, &options);
    scant_rows_free(rows);
    return status;
}

static void print(const scant_model *model)
{
    scant_parameter_view direction, concentration_of;
    if (!scant_model_parameter(model, 0, 0, &direction) ||
        !scant_model_parameter(model, 0, 1, &concentration_of))
        return;
    for (size_t j = 0; j < scant_model_components(model); j++)
        printf("%s: direction %.2f, concentration %.1f, share %.2f\n",
               scant_model_class_name(model, j), direction.value[j], concentration_of.value[j],
               scant_model_coupling(model, j, j));
}

int main(void)
{
    static double x[N];
    static const char *label[N];
    scant_model *model = NULL;
    for (size_t i = 0; i < N; i++) {
        bool land = i % 3 == 0; /* one in three from the land, which blows across the cut at pi */
        x[i] = land ? draw(3, 8) : draw(0.5, 2);
        label[i] = i >= 10 ? NULL : land ? "land" : "sea";
    }
    if (scant_family_register(&von_mises) != SCANT_OK || fit(&model, x, label) != SCANT_OK) {
        fprintf(stderr, "user_family: %s\n", scant_message());
        return EXIT_FAILURE;
    }
    print(model);
    scant_model_free(model);
    return EXIT_SUCCESS;
}
