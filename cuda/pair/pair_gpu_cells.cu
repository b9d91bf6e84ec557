/* SPDX-License-Identifier: MIT */
/* Device data of the cells of the columns of a window. */
#include <cfloat>
#include <cstdlib>
#include <cstring>

#include "pair/pair_gpu.h"

/* Keeps a reference to the fit of column t, unless its neighbour has the same fit. */
static int keep_fit(struct err *e, struct g4_cells *c, struct ewald_fit *f)
{
    if (!f || (c->nfits && c->fit[c->nfits - 1] == f)) {
        ewald_unref(f);
        return 0;
    }
    if (c->nfits == c->fits_room) {
        size_t capacity = c->fits_room ? 2 * c->fits_room : 4;
        void *p = realloc(c->fit, capacity * sizeof *c->fit);
        if (!p) {
            ewald_unref(f);
            return err_memory(e, "the sums of changing cells");
        }
        c->fit = (struct ewald_fit **)p;
        c->fits_room = capacity;
    }
    c->fit[c->nfits++] = f;
    return 0;
}

static void drop_fits(struct g4_cells *c)
{
    while (c->nfits)
        ewald_unref(c->fit[--c->nfits]);
}

/* Copies the polynomials of all fits to the device and sets the pointers of the records. */
static int copy_fits(struct err *e, struct g4_cells *c, int is64)
{
    size_t bytes = 0, real = is64 ? 8 : 4, at = 0;
    for (size_t k = 0; k < c->nfits; k++)
        bytes += BETA_NCOMPONENTS * (size_t)c->fit[k]->nterms * real;
    if (bytes > c->poly_room) {
        cudaFree(c->d_poly);
        c->d_poly = NULL;
        c->poly_room = 0;
        if (gpu_alloc(e, &c->d_poly, bytes, "polynomials of cells"))
            return -1;
        c->poly_room = bytes;
    }
    for (size_t k = 0, t = 0; k < c->nfits; k++) {
        const struct ewald_fit *f = c->fit[k];
        size_t size = BETA_NCOMPONENTS * (size_t)f->nterms * real;
        char *to = (char *)c->d_poly + at;
        if (TRY(e, cudaMemcpy(to, is64 ? (const void *)f->poly : f->poly_f32, size,
                              cudaMemcpyHostToDevice)))
            return -1;
        for (; t < c->n && c->h[t].fit == f; t++) {
            c->h[t].ewald_f32.poly = (const float *)to;
            c->h[t].ewald_f64.poly = (const double *)to;
        }
        at += size;
    }
    return 0;
}

static int how(const struct g4_cells *c, int fixed)
{
    if (c->weighed)
        return G4_WEIGHED;
    enum sum_form form = sum_pair_form(&c->p.sum);
    return G4_CELL(form, fixed && form != SUM_IMAGES);
}

int cells_make(struct err *e, struct g4_cells *c, const struct box *box, uint64_t first, size_t n,
               size_t capacity, int each)
{
    const struct pairs *p = &c->p;
    int is64 = p->dtype == FRAME_F64, fixed = box->ortho && !is64;
    drop_fits(c);
    for (size_t t = 1; t < n && fixed; t++)
        fixed = !memcmp(&box[t], &box[0], sizeof *box);
    c->cell = how(c, fixed);
    c->n = G4_IS_FIXED(c->cell) && !each ? 1 : capacity;
    for (size_t t = 0; t < c->n; t++) {
        if (t && (t >= n || !memcmp(&box[t], &box[t - 1], sizeof *box)))
            c->h[t] = c->h[t - 1];
        else if (sum_cell_make(&p->sum, is64, &c->memory, &box[t], first + t, &c->h[t], e) ||
                 keep_fit(e, c, c->h[t].fit))
            return -1;
    }
    return copy_fits(e, c, is64 || p->sum.pairs);
}

void cells_free(struct g4_cells *c)
{
    drop_fits(c);
    free(c->fit);
    cudaFree(c->d_poly);
    sum_memory_free(&c->memory);
    memset(c, 0, sizeof *c);
}

/* Returns the largest d >= 0 with box_nint_f32(d * inv) == 0. Any larger value is shifted by an
 * edge. */
static float image_half(float inv)
{
    if (!(inv > 0.0f))
        return FLT_MAX;
    float d = 0.5f / inv;
    while (box_nint_f32(d * inv) != 0.0f)
        d = nextafterf(d, 0.0f);
    while (box_nint_f32(nextafterf(d, FLT_MAX) * inv) == 0.0f)
        d = nextafterf(d, FLT_MAX);
    return d;
}

/* Returns the squared cutoff. Without a cutoff, this is a finite number, because padding is NaN
 * (pair_gpu_beta.cuh). */
static void cells_cutoff(const struct pairs *p, double *rc2, float *rc2_f)
{
    double v = sum_pair_form(&p->sum) == SUM_NEAREST ? p->sum.rc2 : DBL_MAX;
    *rc2 = v < DBL_MAX ? v : DBL_MAX;
    *rc2_f = v < FLT_MAX ? (float)v : FLT_MAX;
}

void cells_beta(const struct g4_cells *c, int comp, struct beta_args *b)
{
    const struct pairs *p = &c->p;
    const struct sum_cell *first = &c->h[0];
    memset(b, 0, sizeof *b);
    b->component = p->component[comp];
    b->form = sum_pair_form(&p->sum);
    b->factors = c->factors;
    b->coef = p->coef[comp];
    b->coef_f = (float)p->coef[comp];
    cells_cutoff(p, &b->rc2, &b->rc2_f);
    if (G4_IS_FIXED(c->cell)) {
        b->slope = first->taper_f32.slope;
        b->shift = first->taper_f32.shift;
        b->rc2_f = fminf(first->taper_f32.rc2, FLT_MAX);
    }
    for (int k = 0; k < 3; k++) {
        b->len[k] = first->f.h[k][k];
        b->half[k] = image_half(first->f.inv[k][k]);
    }
    b->cell = (const struct sum_cell *)c->d;
}

void cells_table(const struct g4_cells *c, struct table_args *t)
{
    const struct pairs *p = &c->p;
    const struct ewald_f32 *e = &c->h[0].ewald_f32;
    t->form = sum_pair_form(&p->sum);
    cells_cutoff(p, &t->rc2, &t->rc2_f);
    t->ncomp = p->ncomp;
    t->corners = p->dtype == FRAME_F32 && c->nfits == 1 && ewald_is_corners_f32(e);
    memcpy(t->degree, e->degree, sizeof t->degree);
    t->cell = (const struct sum_cell *)c->d;
    for (int k = 0; k < p->ncomp; k++) {
        t->component[k] = p->component[k];
        t->coef[k] = p->coef[k];
        t->coef_f[k] = (float)p->coef[k];
        if (t->corners)
            memcpy(t->poly[k], c->fit[0]->poly_f32 + p->component[k] * e->nterms,
                   (size_t)e->nterms * sizeof(float));
    }
}
