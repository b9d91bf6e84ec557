/* SPDX-License-Identifier: MIT */
/*
 * g4_blame.c: beta overflows where two atoms are nearer than 1e-6 Å. To find the first such step
 * without looking at all pairs of all steps, the atoms of a step go into cells, about one in each,
 * and meet only those that are in the same cell, or just across its face.
 */
#include "g4/g4_blame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELL_EDGE 0.1 /* Å at least: the margin is then 0.005 Å, far beyond what overflows */
#define MARGIN 0.05   /* of a cell, around its faces */
#define COEF_MAX 1e20 /* beyond it, and beyond these positions, farther pairs may overflow: */
#define POS_MAX 1e9   /* every pair is looked at */

static double value(const struct g4_params *p, const void *v, size_t k)
{
    return p->dtype == FRAME_F64 ? ((const double *)v)[k] : (double)((const float *)v)[k];
}

/* beta of one pair, with the operations of the engines; bf: box in single precision. */
static double beta_of(const struct g4_params *p, int comp, const struct box *b,
                      const struct box_f32 *bf, const double x[3], const double y[3])
{
    if (p->dtype == FRAME_F64) {
        double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
        box_image(b, d);
        return beta_f64(p->component[comp], p->coef[comp], d[0], d[1], d[2], p->rc2);
    }
    float d[3], coef = (float)p->coef[comp];
    for (int k = 0; k < 3; k++)
        d[k] = (float)x[k] - (float)y[k];
    if (b->ortho)
        for (int k = 0; k < 3; k++)
            d[k] = box_image_f32(d[k], bf->h[k][k], bf->inv[k][k]);
    else
        box_image_tri_f32(bf, d, d + 1, d + 2);
    return (double)beta_f32(p->component[comp], coef, d[0], d[1], d[2], (float)p->rc2);
}

static void atom_of(const struct g4_params *p, const void *step, size_t i, double x[3])
{
    for (size_t k = 0; k < 3; k++)
        x[k] = value(p, step, 3 * i + k);
}

int g4_bad_pair(const struct g4_params *p, const void *step, const struct box *box,
                struct g4_bad *at)
{
    struct box_f32 bf;
    int posn = p->input == FRAME_POSN;
    size_t row = 0;
    if (posn)
        box_round_f32(box, &bf);
    for (int c = 0; c < p->ncomp; c++)
        for (size_t i = 0; i < p->natoms; i++) {
            double x[3], y[3];
            if (posn)
                atom_of(p, step, i, x);
            for (size_t j = i + 1; j < p->natoms; j++) {
                double beta;
                if (posn) {
                    atom_of(p, step, j, y);
                    beta = beta_of(p, c, box, &bf, x, y);
                } else
                    beta = value(p, step, row++);
                if (!isfinite(beta)) {
                    *at = (struct g4_bad){.step = at->step, .comp = c, .i = i, .j = j};
                    return 1;
                }
            }
        }
    return 0;
}

/* ---- which step ---- */

struct cells {
    const struct g4_params *p;
    const struct box *box;
    struct box_f32 f;
    void *step;          /* [natoms][3] wrapped positions, as in g4_bad_pair */
    double *s[3];        /* [natoms] place along each axis, in cells */
    size_t side, m[3];   /* cells along each axis: at most, in this step */
    size_t *head, *next; /* last atom that came into a cell + 1, 0: none; [natoms] the one before */
};

static int cells_open(struct cells *c, const struct g4_params *p)
{
    size_t n = p->natoms, es = p->dtype == FRAME_F64 ? sizeof(double) : sizeof(float);
    memset(c, 0, sizeof *c);
    c->p = p;
    for (c->side = 1; c->side * c->side * c->side < n;)
        c->side++;
    c->step = malloc(3 * n * es);
    c->s[0] = malloc(3 * n * sizeof(double));
    c->head = malloc(c->side * c->side * c->side * sizeof *c->head);
    c->next = malloc(n * sizeof *c->next);
    if (!c->step || !c->s[0] || !c->head || !c->next)
        return -1;
    c->s[1] = c->s[0] + n;
    c->s[2] = c->s[1] + n;
    return 0;
}

static void cells_close(struct cells *c)
{
    free(c->step);
    free(c->s[0]);
    free(c->head);
    free(c->next);
}

/* Wrap and round a step as the engines do. 0: a position beyond the bounds of the search. */
static int cells_wrap(struct cells *c, const void *src)
{
    int fine = 1;
    for (size_t i = 0; i < c->p->natoms; i++) {
        double x[3];
        atom_of(c->p, src, i, x);
        box_wrap(c->box, x);
        for (size_t k = 0; k < 3; k++) {
            if (c->p->dtype == FRAME_F64)
                ((double *)c->step)[3 * i + k] = x[k];
            else
                ((float *)c->step)[3 * i + k] = (float)x[k];
            fine &= fabs(x[k]) < POS_MAX;
        }
    }
    return fine;
}

/* Places along axis k: in fractions of the cell, or of the range of the atoms; then in cells. */
static void cells_axis(struct cells *c, size_t k)
{
    const struct box *b = c->box;
    double lo = HUGE_VAL, hi = -HUGE_VAL, width = box_width(b, (int)k), *s = c->s[k];
    for (size_t i = 0; i < c->p->natoms; i++) {
        double x[3];
        atom_of(c->p, c->step, i, x);
        s[i] = width > 0 ? x[0] * b->inv[0][k] + x[1] * b->inv[1][k] + x[2] * b->inv[2][k] : x[k];
        s[i] -= b->pbc[k] ? floor(s[i]) : 0;
        lo = s[i] < lo ? s[i] : lo;
        hi = s[i] > hi ? s[i] : hi;
    }
    if (b->pbc[k]) {
        lo = 0;
        hi = 1;
    }
    double m = floor((hi - lo) * (width > 0 ? width : 1) / CELL_EDGE);
    c->m[k] = m < 1 ? 1 : m < (double)c->side ? (size_t)m : c->side;
    for (size_t i = 0; i < c->p->natoms; i++)
        s[i] = hi > lo ? (s[i] - lo) / (hi - lo) * (double)c->m[k] : 0;
}

/* Number of the cell at place v along axis k, across its faces too. */
static size_t cells_at(const struct cells *c, size_t k, double v)
{
    double m = (double)c->m[k];
    v = c->box->pbc[k] && v < 0 ? v + m : c->box->pbc[k] && v >= m ? v - m : v;
    return v < 0 ? 0 : v < m ? (size_t)v : c->m[k] - 1;
}

/* Does atom i meet one that came before it into this cell? */
static int cells_meet(const struct cells *c, size_t i, size_t cell)
{
    double x[3], y[3];
    atom_of(c->p, c->step, i, x);
    for (size_t j = c->head[cell]; j; j = c->next[j - 1]) {
        atom_of(c->p, c->step, j - 1, y);
        for (int k = 0; k < c->p->ncomp; k++)
            if (!isfinite(beta_of(c->p, k, c->box, &c->f, x, y)))
                return 1;
    }
    return 0;
}

/* Does any pair of the wrapped step overflow? */
static int cells_search(struct cells *c)
{
    memset(c->head, 0, c->side * c->side * c->side * sizeof *c->head);
    box_round_f32(c->box, &c->f);
    for (size_t k = 0; k < 3; k++)
        cells_axis(c, k);
    for (size_t i = 0; i < c->p->natoms; i++) {
        size_t q[3][2], n[3], own[3];
        for (size_t k = 0; k < 3; k++) {
            q[k][0] = cells_at(c, k, c->s[k][i] - MARGIN);
            q[k][1] = cells_at(c, k, c->s[k][i] + MARGIN);
            n[k] = q[k][0] == q[k][1] ? 1 : 2;
            own[k] = cells_at(c, k, c->s[k][i]);
        }
        for (size_t e = 0; e < n[0] * n[1] * n[2]; e++) {
            size_t x = q[0][e % n[0]], y = q[1][e / n[0] % n[1]], z = q[2][e / n[0] / n[1]];
            if (cells_meet(c, i, (z * c->m[1] + y) * c->m[0] + x))
                return 1;
        }
        size_t *head = c->head + (own[2] * c->m[1] + own[1]) * c->m[0] + own[0];
        c->next[i] = *head;
        *head = i + 1;
    }
    return 0;
}

static int find_posn(const struct g4_params *p, size_t nsteps, const void *data,
                     const struct box *box, struct g4_bad *at)
{
    struct cells c;
    size_t bytes = 3 * p->natoms * (p->dtype == FRAME_F64 ? sizeof(double) : sizeof(float));
    int found = cells_open(&c, p) ? -1 : 0, fine = 1;
    for (int k = 0; k < p->ncomp; k++)
        fine &= fabs(p->coef[k]) < COEF_MAX;
    for (size_t t = 0; t < nsteps && !found; t++) {
        c.box = box + t;
        int near = cells_wrap(&c, (const char *)data + t * bytes) && fine;
        at->step = t;
        if (!near || cells_search(&c))
            found = g4_bad_pair(p, c.step, c.box, at);
    }
    cells_close(&c);
    return found;
}

int g4_bad_find(const struct g4_params *p, size_t nsteps, const void *data, const struct box *box,
                struct g4_bad *at)
{
    size_t values = p->natoms * (p->natoms - 1) / 2 * (size_t)p->ncomp;
    if (p->input == FRAME_POSN)
        return find_posn(p, nsteps, data, box, at);
    for (size_t t = 0; t < nsteps; t++) {
        at->step = t;
        const char *step = (const char *)data +
                           t * values * (p->dtype == FRAME_F64 ? sizeof(double) : sizeof(float));
        if (g4_bad_pair(p, step, NULL, at))
            return 1;
    }
    return 0;
}

void g4_bad_text(const struct g4_params *p, uint64_t frame, const struct g4_bad *at, char *err,
                 size_t errlen)
{
    if (at)
        snprintf(err, errlen, "frame %llu: atoms %zu and %zu (from 0) %s",
                 (unsigned long long)frame, at->i, at->j,
                 p->input == FRAME_POSN ? "are at the same place"
                                        : "have a pair value that is not finite");
    else
        snprintf(err, errlen, "the sums are not finite: numbers too large");
}

int g4_bad_none(const double *v, size_t n)
{
    size_t k = 0;
    while (k < n && isfinite(v[k]))
        k++;
    return k == n;
}
