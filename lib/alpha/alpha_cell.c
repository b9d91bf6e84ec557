/* SPDX-License-Identifier: MIT */
#include "alpha/alpha_cell.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "pair/ewald.h"

#define EWALD_ERROR 3e-11 /* error of the polynomial, 1/Å³ */
#define ASPECT_MAX 1000.0 /* ratio of longest vector to smallest width, which limits the waves */

int alpha_parts(const struct alpha_params *p)
{
    if (p->dipole)
        return p->order == ALPHA_ALL ? 2 : p->order;
    return !p->parts ? 1 : p->order == ALPHA_ALL ? 3 : p->order + 1;
}

int alpha_pairs(const struct alpha_params *p, struct pairs *to, struct err *e)
{
    static const double coef[BETA_NCOMPONENTS] = {
        [BETA_XZ] = 3.0, [BETA_XY] = 3.0, [BETA_YZ] = 3.0, [BETA_XX_YY] = 1.5, [BETA_ZZ] = 1.0};
    *to = (struct pairs){.natoms = p->nsites,
                         .source = FRAME_F64,
                         .dtype = FRAME_F64,
                         .ncomp = BETA_NCOMPONENTS,
                         .they = "sites"};
    for (int c = 0; c < BETA_NCOMPONENTS; c++) {
        to->component[c] = c;
        to->coef[c] = coef[c];
    }
    if (sum_choose(&to->sum, p->periodic ? "ewald:pairs" : "mic", NAN, 1.0, &(struct box){0}, 1, e))
        return -1;
    to->sum.tolerance = EWALD_ERROR;
    return 0;
}

int alpha_cell_make(const struct alpha_params *p, const struct box *b, struct alpha_cell *c,
                    struct err *e)
{
    double q[BETA_NCOMPONENTS], edge = 0.0;
    *c = (struct alpha_cell){0};
    if (!p->periodic)
        return b->pbc[0] || b->pbc[1] || b->pbc[2]
                   ? err_bad(e, "expected a non-periodic cell, found a periodic one")
                   : 0;
    if (ewald_reduce(b, &c->box, e))
        return -1;
    double width = 2.0 * box_half_width(&c->box);
    for (int k = 0; k < 3; k++)
        edge = fmax(edge, alpha_edge(&c->box, k));
    if (!(edge <= ASPECT_MAX * width))
        return err_bad(e,
                       "expected a cell at most %g times as long as it is wide, found a cell "
                       "vector of %.4g Å and a width of %.4g Å",
                       ASPECT_MAX, edge, width);
    ewald_self(c->box.h, q);
    c->trace = 4.0 * UNITS_PI / (3.0 * box_volume(&c->box));
    double zz = q[BETA_ZZ], d = 1.5 * q[BETA_XX_YY];
    memcpy(c->own,
           (double[]){d - 0.5 * zz + c->trace, 3.0 * q[BETA_XY], 3.0 * q[BETA_XZ],
                      -d - 0.5 * zz + c->trace, 3.0 * q[BETA_YZ], zz + c->trace},
           sizeof c->own);
    return 0;
}

double alpha_reach_to(const struct alpha_params *p, double error)
{
    double u = 0.25, l3, l5;
    if (p->thole == ALPHA_BARE)
        return 0.0;
    do {
        u += 0.25;
        alpha_undamped(p->thole, p->a, u, &l3, &l5);
    } while (l5 > error);
    return u;
}

int alpha_catastrophe(size_t n, const double *pos, const struct box *box, uint64_t frame,
                      bool found, struct err *e)
{
    double min = HUGE_VAL;
    size_t a = 0, b = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++) {
            const double *p = pos + 3 * i, *q = pos + 3 * k;
            double d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
            box_image(box, d);
            double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            if (r2 < min) {
                min = r2;
                a = i;
                b = k;
            }
        }
    if (!(min > 1e-100))
        return err_bad(e, "frame %llu: sites %zu and %zu (counted from 0) are at the same place",
                       (unsigned long long)frame, a, b);
    return err_bad(e,
                   "frame %llu: %s; the closest sites, %zu and %zu (counted from 0), are %.4g Å "
                   "apart (use --thole to damp short-range induction, or --order 1)",
                   (unsigned long long)frame,
                   found ? "polarization catastrophe: the induced dipoles grow without limit"
                         : "the induced dipoles did not converge",
                   a, b, sqrt(min));
}
