/* SPDX-License-Identifier: MIT */
#include "motion/axes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "motion/axes_unit.h"

/* Finds the atoms of the axis of molecule k. Returns the number of atoms found. */
static size_t find(const struct molecules *m, size_t k, const struct pair_names *names,
                   char *const *name, size_t n, uint32_t atom[3])
{
    for (size_t a = 0; a < n; a++) {
        size_t i = m->first[k], end = m->first[k + 1];
        for (; i < end; i++) {
            uint32_t at = m->atom[i];
            bool used = (a > 0 && atom[0] == at) || (a > 1 && atom[1] == at);
            if (!used && strcmp(names->name[names->species[at]], name[a]) == 0)
                break;
        }
        if (i == end)
            return a;
        atom[a] = m->atom[i];
    }
    return n;
}

int axes_open(struct axes *x, const char *axis, const struct molecules *m,
              const struct pair_names *names, const struct meta *meta, struct err *e)
{
    char hint[96], text[64], *rest = text, *name[4];
    size_t n = 0, missing = 0;
    bool dipole = strcmp(axis, "dipole") == 0;
    snprintf(text, sizeof text, "%s", axis);
    while (n < 4 && (name[n] = strsep(&rest, "-")))
        n++;
    if (!dipole && (n < 2 || n > 3 || strlen(axis) >= sizeof text))
        return err_bad(e, "--axis: expected A-B, A-B-C or dipole, found %.60s", axis);
    if (!dipole && !meta_get(meta, "sys.species"))
        return err_bad(e, "--axis %s: expected atoms with names, found none (%s)", axis,
                       meta_species_hint(names->natoms, hint));
    x->molecules = m;
    x->atoms = dipole ? 0 : n;
    if (dipole && dipole_open(&x->charge, meta, e) != 0)
        return -1;
    if (!(x->atom = calloc(m->n + 1, sizeof *x->atom)))
        return err_memory(e, "axes");
    for (size_t k = 0; k < m->n; k++) {
        size_t found = dipole ? (m->first[k + 1] - m->first[k] > 1 ? n : 0)
                              : find(m, k, names, name, n, x->atom[x->n]);
        x->atom[x->n][3] = (uint32_t)k;
        x->n += found == n;
        missing = found > missing ? found : missing;
    }
    if (x->n == 0 && dipole)
        return err_bad(e, "--axis dipole: expected molecules of at least two atoms, found none");
    if (x->n == 0)
        return err_bad(e, "--axis %s: too few atoms are named %s in each of the %zu molecules",
                       axis, name[missing], m->n);
    return 0;
}

/* Returns the minimum image of the vector from atom i to atom j. */
static inline void bond(const void *step, bool f64, const struct box *box, size_t i, size_t j,
                        double d[3])
{
    for (size_t a = 0; a < 3; a++)
        d[a] = real_at(step, f64, 3 * j + a) - real_at(step, f64, 3 * i + a);
    box_image(box, d);
}

/* Computes the vector along axis k. Returns false if a molecule is charged. */
static inline bool direction(const struct axes *x, size_t k, const void *step, const void *scalars,
                             bool f64, const struct box *box, double u[3])
{
    const uint32_t *atom = x->atom[k];
    if (x->atoms == 0)
        return dipole_of(&x->charge, x->molecules, atom[3], step, scalars, f64, box, u) == 0.0;
    bond(step, f64, box, atom[0], atom[1], u);
    if (x->atoms == 3) {
        double w[3] = {u[0], u[1], u[2]}, v[3];
        bond(step, f64, box, atom[1], atom[2], v);
        for (size_t a = 0; a < 3; a++)
            u[a] = w[(a + 1) % 3] * v[(a + 2) % 3] - w[(a + 2) % 3] * v[(a + 1) % 3];
    }
    return true;
}

/* Computes the points of axes [from, from + n), and adds their components to `sum`. Returns 0, or 1
 * plus the index of the first axis without a direction. */
static inline __attribute__((always_inline)) size_t
put_some(const struct axes *x, size_t from, size_t n, const void *step, const void *scalars,
         bool f64, const struct box *box, void *points, bool all, double sum[AXES_VALUES])
{
    double u[AXES_VALUES][AXES_SOME], length[AXES_SOME], one[3];
    size_t q = 3 * (AXES_FIRST + x->n) + AXES_RANK2 * from, k = 0;
    for (; k < n && direction(x, from + k, step, scalars, f64, box, one); k++)
        for (size_t a = 0; a < 3; a++)
            u[a][k] = one[a];
    SIMD_PICK(axes_unit)(k, f64, u, length);
    for (size_t i = 0; i < k; i++)
        if (!(length[i] > 0.0))
            return from + i + 1;
    if (k < n)
        return from + k + 1;
    for (size_t i = 0, at = 3 * (AXES_FIRST + from); i < n; i++) {
        for (size_t c = 0; c < AXES_VALUES; c++)
            sum[c] += u[c][i];
        for (size_t a = 0; a < 3; a++, at++)
            real_set(points, f64, at, u[a][i]);
        for (size_t c = 3; all && c < AXES_VALUES; c++, q++)
            real_set(points, f64, q, u[c][i]);
    }
    return 0;
}

static inline __attribute__((always_inline)) size_t put(const struct axes *x, const void *step,
                                                        const void *scalars, bool f64,
                                                        const struct box *box, void *points,
                                                        bool all)
{
    double sum[9] = {0.0};
    for (size_t k = 0, bad; k < x->n; k += AXES_SOME)
        if ((bad = put_some(x, k, x->n - k < AXES_SOME ? x->n - k : AXES_SOME, step, scalars, f64,
                            box, points, all, sum)))
            return bad;
    for (size_t q = 3 * (AXES_FIRST + x->n) + AXES_RANK2 * x->n; all && q % 3; q++)
        real_set(points, f64, q, 0.0);
    for (size_t c = 0; c < 9; c++)
        real_set(points, f64, c, sum[c]);
    return 0;
}

size_t axes_put(const struct axes *x, const void *step, const void *scalars, bool f64,
                const struct box *box, void *points, bool all)
{
    return f64 ? put(x, step, scalars, true, box, points, all)
               : put(x, step, scalars, false, box, points, all);
}

int axes_fail(const struct axes *x, size_t k, const void *step, const void *scalars, bool f64,
              const struct box *box, struct err *e)
{
    double d[3], q = 0.0;
    size_t molecule = x->atom[k][3];
    if (x->atoms == 0)
        q = dipole_of(&x->charge, x->molecules, molecule, step, scalars, f64, box, d);
    if (q == 0.0)
        return err_bad(
            e,
            "expected an axis of non-zero length, found length 0 in molecule %zu (counted from 0)",
            molecule);
    return err_bad(e,
                   "expected a neutral molecule, found a charge of %.6g in molecule %zu (counted "
                   "from 0): its dipole moment depends on the origin",
                   q, molecule);
}

void axes_close(struct axes *x)
{
    free(x->atom);
    x->atom = NULL;
}
