/* SPDX-License-Identifier: MIT */
#include "select/dipole.h"

#include <math.h>
#include <string.h>

#include "stream/scalars.h"

int dipole_open(struct dipole *c, const struct meta *m, struct err *e)
{
    struct scalar s[SCALARS_MAX];
    int n = scalars_read(m, s, e), k = 0;
    if (n < 0)
        return -1;
    while (k < n && strcmp(s[k].name, "charge") != 0 && strcmp(s[k].name, "q") != 0)
        k++;
    if (k == n)
        return err_bad(e,
                       "expected the charges of the atoms (a scalar named charge or q), found none "
                       "(give --charges or --scalars to traj2bin or xyz2bin)");
    *c =
        (struct dipole){.at = (size_t)k, .each = (size_t)n, .unknown = strcmp(s[k].unit, "-") == 0};
    if (c->unknown || strcmp(s[k].unit, "e") == 0)
        return 0;
    return err_bad(e,
                   "expected the charges of the atoms in units of e, found %s (give --charges to "
                   "traj2bin or xyz2bin)",
                   s[k].unit);
}

double dipole_of(const struct dipole *c, const struct molecules *m, size_t k, const void *step,
                 const void *scalars, bool f64, const struct box *box, double d[3])
{
    double r[3] = {0.0, 0.0, 0.0}, sum = 0.0, all = 0.0;
    memset(d, 0, 3 * sizeof *d);
    for (size_t j = m->first[k]; j < m->first[k + 1]; j++) {
        size_t i = 3 * (size_t)m->atom[j], was = j > m->first[k] ? 3 * (size_t)m->atom[j - 1] : i;
        double q = dipole_charge(c, scalars, f64, m->atom[j]), b[3];
        for (size_t a = 0; a < 3; a++)
            b[a] = real_at(step, f64, i + a) - real_at(step, f64, was + a);
        box_image(box, b);
        for (size_t a = 0; a < 3; a++)
            d[a] += q * (r[a] += b[a]);
        sum += q;
        all += fabs(q);
    }
    return fabs(sum) <= DIPOLE_NEUTRAL * all ? 0.0 : sum;
}
