/* SPDX-License-Identifier: MIT */
#include "motion/axes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int axes_open(struct axes *x, const char *axis, const struct molecules *m,
              const struct pair_names *names, struct err *e)
{
    char text[64], *rest = text, *name[4];
    size_t n = 0;
    snprintf(text, sizeof text, "%s", axis);
    while (n < 4 && (name[n] = strsep(&rest, "-")))
        n++;
    if (n < 2 || n > 3 || strlen(axis) >= sizeof text)
        return err_set(e, ERR_BAD, "--axis: expected A-B or A-B-C, found %.60s", axis);
    if (!(x->atom = calloc(3 * m->n + 1, sizeof *x->atom)))
        return err_memory(e, "axes");
    x->n = m->n;
    x->atoms = n;
    for (size_t k = 0; k < m->n; k++)
        for (size_t a = 0; a < n; a++) {
            uint32_t *atom = x->atom + 3 * k;
            size_t i = m->first[k], end = m->first[k + 1];
            for (; i < end; i++) {
                uint32_t at = m->atom[i];
                bool used = (a > 0 && atom[0] == at) || (a > 1 && atom[1] == at);
                if (!used && strcmp(names->name[names->species[at]], name[a]) == 0)
                    break;
            }
            if (i == end)
                return err_set(
                    e, ERR_BAD,
                    "--axis %s: expected a separate atom for each name in every molecule, found no "
                    "further atom %s in molecule %zu (counted from 0)",
                    axis, name[a], k);
            atom[a] = m->atom[i];
        }
    return 0;
}

/* Minimum image of the vector from atom i to atom j. */
static void bond(const void *step, bool f64, const struct box *box, size_t i, size_t j, double d[3])
{
    const double *r = step;
    const float *s = step;
    for (size_t a = 0; a < 3; a++)
        d[a] = f64 ? r[3 * j + a] - r[3 * i + a] : (double)s[3 * j + a] - (double)s[3 * i + a];
    box_image(box, d);
}

size_t axes_put(const struct axes *x, const void *step, bool f64, const struct box *box,
                double *points)
{
    for (size_t k = 0; k < x->n; k++) {
        const uint32_t *atom = x->atom + 3 * k;
        double u[3], v[3], *one = points + 3 * k, *two = points + 3 * x->n + 6 * k;
        bond(step, f64, box, atom[0], atom[1], u);
        if (x->atoms == 3) {
            double w[3] = {u[0], u[1], u[2]};
            bond(step, f64, box, atom[1], atom[2], v);
            for (size_t a = 0; a < 3; a++)
                u[a] = w[(a + 1) % 3] * v[(a + 2) % 3] - w[(a + 2) % 3] * v[(a + 1) % 3];
        }
        double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        if (!(length > 0.0))
            return k + 1;
        for (size_t a = 0; a < 3; a++)
            one[a] = u[a] = u[a] / length;
        for (size_t a = 0; a < 3; a++)
            two[a] = sqrt(3.0) * u[a] * u[(a + 1) % 3];
        two[3] = sqrt(0.75) * (u[0] * u[0] - u[1] * u[1]);
        two[4] = 1.5 * u[2] * u[2] - 0.5;
        two[5] = 0.0;
    }
    return 0;
}

void axes_close(struct axes *x)
{
    free(x->atom);
    x->atom = NULL;
}
