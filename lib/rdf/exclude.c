/* SPDX-License-Identifier: MIT */
#include "rdf/exclude.h"

#include <stdlib.h>
#include <string.h>

#include "base/real.h"

static int kind(const struct exclude *x, size_t atom)
{
    return x->p.species ? x->p.species[atom] : 0;
}

static int set_of(const struct exclude *x, size_t k)
{
    return x->set[kind(x, x->list.pair[k][0]) * x->p.nspecies + kind(x, x->list.pair[k][1])];
}

static int add_sets(struct exclude *x, struct err *e)
{
    size_t n = (size_t)x->p.nspecies;
    x->set = malloc(n * n * sizeof *x->set);
    x->of_set = calloc(x->p.npairs, sizeof *x->of_set);
    x->place = malloc(3 * x->p.natoms * sizeof(double));
    if (!x->set || !x->of_set || !x->place)
        return err_memory(e, "--exclude");
    for (size_t k = 0; k < n * n; k++)
        x->set[k] = x->p.pairs[0].a == SPECIES_EVERY ? 0 : -1;
    for (size_t q = 0; q < x->p.npairs; q++) {
        struct species_pair v = x->p.pairs[q];
        if (v.a >= 0)
            x->set[(size_t)v.a * n + (size_t)v.b] = x->set[(size_t)v.b * n + (size_t)v.a] = (int)q;
    }
    for (size_t k = 0; k < x->list.n; k++)
        if (set_of(x, k) >= 0)
            x->of_set[set_of(x, k)]++;
    return 0;
}

int exclude_open(struct exclude *x, const char *text, const struct meta *meta,
                 const struct rdf_params *p, struct err *e)
{
    *x = (struct exclude){.p = *p};
    if (text && pair_list_open(&x->list, "--exclude", text, meta, p->natoms, p->max_mem, e) != 0)
        return -1;
    return add_sets(x, e);
}

void exclude_close(struct exclude *x)
{
    pair_list_close(&x->list);
    free(x->set);
    free(x->of_set);
    free(x->place);
    *x = (struct exclude){0};
}

/* ---- a step */

static double distance_f32(const struct hist_frame *f, const float *a, const float *b)
{
    float d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    if (!f->ortho)
        hist_triclinic_f32(f, &d[0], &d[1], &d[2]);
    for (int k = 0; f->ortho && k < 3; k++)
        d[k] = hist_image_f32(d[k], f->lenf[k]);
    return (double)sqrtf(hist_r2_f32(d[0], d[1], d[2], f->quarter));
}

static double distance_f64(const struct hist_frame *f, const double *a, const double *b)
{
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    if (!f->ortho)
        hist_triclinic_f64(f, &d[0], &d[1], &d[2]);
    for (int k = 0; f->ortho && k < 3; k++)
        d[k] = box_image_f64(d[k], f->len[k], f->inv[k]);
    return sqrt(hist_r2_f64(d[0], d[1], d[2]));
}

void exclude_step(struct exclude *x, const struct box *box, const void *pos, uint64_t *counts)
{
    struct hist_frame f;
    int f32 = x->p.dtype == FRAME_F32;
    size_t bins = x->p.bins;
    float *rf = x->place;
    double *rd = x->place;
    hist_frame_init(&f, box, (int)bins, x->p.rmax, f32, x->p.natoms, pos, NULL);
    for (size_t i = 0; i < x->p.natoms; i++)
        if (f32)
            hist_place_f32(&f, (const float *)pos + 3 * i, rf + 3 * i);
        else
            hist_place_f64(&f, (const double *)pos + 3 * i, rd + 3 * i);
    for (size_t k = 0; k < x->list.n; k++) {
        size_t i = 3 * (size_t)x->list.pair[k][0], j = 3 * (size_t)x->list.pair[k][1];
        int q = set_of(x, k);
        double t = f32 ? distance_f32(&f, rf + i, rf + j) : distance_f64(&f, rd + i, rd + j);
        if (q >= 0 && (f.closed || t < (double)bins))
            counts[(size_t)q * bins + (t < (double)bins ? (size_t)t : bins - 1)]--;
    }
}

/* Subtracts the pair of atom i at the earlier time and atom j at the later time from set q. */
static void subtract(const struct exclude *x, const struct hist_frame *f, const void *early,
                     size_t i, const void *late, size_t j, int q, uint64_t *counts)
{
    size_t bins = x->p.bins;
    float a[3], b[3];
    double c[3], d[3], t;
    if (x->p.dtype == FRAME_F32) {
        hist_place_f32(f, (const float *)early + 3 * i, a);
        hist_place_f32(f, (const float *)late + 3 * j, b);
        t = distance_f32(f, a, b);
    } else {
        hist_place_f64(f, (const double *)early + 3 * i, c);
        hist_place_f64(f, (const double *)late + 3 * j, d);
        t = distance_f64(f, c, d);
    }
    if (q >= 0 && (f->closed || t < (double)bins))
        counts[(size_t)q * bins + (t < (double)bins ? (size_t)t : bins - 1)]--;
}

void exclude_between(const struct exclude *x, const int *self, const struct box *box,
                     const void *early, const void *late, uint64_t *counts)
{
    struct hist_frame f;
    size_t bins = x->p.bins;
    bool f64 = x->p.dtype == FRAME_F64;
    hist_frame_init(&f, box, (int)bins, x->p.rmax, !f64, x->p.natoms, early, late);
    for (size_t i = 0; i < x->p.natoms; i++) {
        int q = x->set[kind(x, i) * (x->p.nspecies + 1)];
        double a[3], b[3];
        if (q < 0)
            continue;
        real_vector(early, f64, i, a);
        real_vector(late, f64, i, b);
        double t = f.scale * sqrt(hist_r2_f64(b[0] - a[0], b[1] - a[1], b[2] - a[2]));
        if (t < (double)bins)
            counts[(size_t)self[q] * bins + (size_t)t]++;
        if (late != early)
            subtract(x, &f, early, i, late, i, q, counts);
    }
    for (size_t k = 0; late != early && k < x->list.n; k++) {
        uint32_t i = x->list.pair[k][0], j = x->list.pair[k][1];
        subtract(x, &f, early, i, late, j, set_of(x, k), counts);
        subtract(x, &f, early, j, late, i, set_of(x, k), counts);
    }
}
