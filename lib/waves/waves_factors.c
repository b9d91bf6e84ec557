/* SPDX-License-Identifier: MIT */
#include "waves/waves_factors.h"

#include <stdlib.h>

#include "select/weights.h"

size_t waves_shells(const struct waves_choice *c)
{
    return (size_t)(c->qmax / c->qstep * (1.0 + 1e-12));
}

int waves_species(const struct waves_factors *t, const struct meta *m, size_t natoms,
                  const char *const *pair, size_t npairs, struct pair_names *names, int **column,
                  struct err *e)
{
    static const char *const every[] = {"all"};
    if (natoms == 0)
        return err_bad(e, "expected at least one atom, found none");
    if (pair_names_open(names, m, natoms, npairs ? pair : every, npairs ? npairs : t != NULL, e))
        return -1;
    if (!(*column = calloc((size_t)names->nspecies, sizeof **column)))
        return err_memory(e, "species");
    return t ? weights_match((const char(*)[WEIGHTS_NAME])t->name, t->n, t->rows == 1, "weight",
                             names, *column, e)
             : 0;
}

/* Computes f of a column at q. Returns 0, or -1 if the table does not cover q. */
static int factor(const struct waves_factors *t, size_t col, double q, double *f)
{
    size_t k = 1;
    if (t->rows == 1) {
        *f = t->f[col];
        return 0;
    }
    if (!(q >= t->q[0] && q <= t->q[t->rows - 1]))
        return -1;
    while (t->q[k] < q)
        k++;
    double low = t->f[(k - 1) * t->n + col], high = t->f[k * t->n + col];
    *f = low + (high - low) * ((q - t->q[k - 1]) / (t->q[k] - t->q[k - 1]));
    return 0;
}

int waves_factors_weigh(const struct waves_factors *t, const struct pair_names *names,
                        const int *column, const struct waves *w, double *f, double *mean,
                        struct err *e)
{
    size_t ns = (size_t)names->nspecies;
    for (size_t v = 0; v < w->n; v++) {
        double sum = 0.0, square = 0.0, *at = f + v * ns;
        for (size_t a = 0; a < ns; a++) {
            double x = (double)names->atoms[a] / (double)names->natoms;
            at[a] = 1.0;
            if (t && factor(t, (size_t)column[a], w->q[v], &at[a]) != 0)
                return err_bad(e,
                               "--form-factor: the table covers q from %g to %g 1/A, but a wave "
                               "vector has q = %g",
                               t->q[0], t->q[t->rows - 1], w->q[v]);
            sum += x * at[a];
            square += x * at[a] * at[a];
        }
        mean[2 * v] = sum;
        mean[2 * v + 1] = square;
    }
    return 0;
}

int waves_factors_describe(const struct waves_factors *t, const struct pair_names *names,
                           const int *column, struct meta *m)
{
    size_t ns = (size_t)names->nspecies;
    if (t->rows == 1)
        return weights_meta(m, "data.weights", names->name, ns, t->f, column);
    uint64_t sum =
        meta_sum(META_SUM, t->q, t->rows * sizeof *t->q); /* another checksum prevents a merge */
    for (size_t k = 0; k < t->rows; k++)
        for (size_t a = 0; a < ns; a++)
            sum = meta_sum(sum, &t->f[k * t->n + (size_t)column[a]], sizeof *t->f);
    return meta_setf(m, "data.form_factor", "%zu rows, FNV-1a %016llx", t->rows,
                     (unsigned long long)sum);
}

int waves_check_box(const struct box *b, unsigned long long frame, const char *what, struct err *e)
{
    if (box_volume(b) > 0.0 && b->pbc[0] && b->pbc[1] && b->pbc[2])
        return 0;
    return err_bad(
        e, "frame %llu: expected a cell that is periodic along all three vectors, found %s; %s",
        frame, box_volume(b) > 0.0 ? "a cell that is not" : "no cell", what);
}
