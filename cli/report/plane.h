/* A plane through a Gaussian model: u = a (x - centre) with a of 2 x d. It is two columns, or the
 * principal axes of the rows in columns made alike in spread. All other columns are integrated out,
 * which for Gaussians is exact: component j is N(a (mu_j - centre), a Sigma_j a') there, and
 * P(class | u) follows as for rows. */
#ifndef SCANT_CLI_PLANE_H
#define SCANT_CLI_PLANE_H

#include "report/report.h"

/* A component on the plane. */
typedef struct cli_lump {
    double mean[2], var[2], cov;
    double log_weight; /* what exp(-distance^2 / 2) is multiplied by */
} cli_lump;

typedef struct cli_plane {
    size_t factor, d;
    double *a, *centre;   /* 2 x d, d */
    double *row;          /* nrows x 2: rows without missing cells, thinned evenly */
    size_t *index, nrows; /* which they are */
    cli_lump *lump;       /* M */
    double low[2], high[2];
    char label[2][256];
} cli_plane;

/* Within this squared distance lie 95 % of a normal on a plane. */
extern const double cli_plane_95;
/* Why there is none, or NULL. */
const char *cli_plane_lacks(const cli_subject *subject);
bool cli_plane_is_principal(const cli_subject *subject);
/* false: out of memory. O(rows columns) for axes of columns, some 600 times that for principal
 * ones, of 3000 rows at most. */
bool cli_plane_new(cli_plane *out, const cli_subject *subject);
void cli_plane_free(cli_plane *plane);
/* P(class | u, v), or of components where there are no classes, into share[0 .. max(K, M) - 1];
 * `room` has a number for each component. */
void cli_plane_answer(double *share, double *room, const cli_plane *plane, const scant_model *model,
                      double u, double v);

#endif
