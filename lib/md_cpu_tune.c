/* SPDX-License-Identifier: MIT */
/*
 * The cheapest way, found by trying: forces are the same bits by every method, list and skin, so that the clock may choose
 * without changing a result.
 */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "md_cpu.h"

#define MD_TRY_ATOMS 4096 /* above it lists always win */
#define MD_TRY_STEPS 40

static double md_default_skin(const struct md *m)
{
    return 0.3 * m->p.sigma;
}

int md_tune(struct md *m)
{
    double skin = isnan(m->p.skin) ? md_default_skin(m) : m->p.skin;
    enum md_neighbours method = m->p.neighbours;
    if (method == MD_AUTO)
        method = m->n <= 512 ? MD_ALL_PAIRS : MD_VERLET;
    return md_use(m, method, skin);
}
