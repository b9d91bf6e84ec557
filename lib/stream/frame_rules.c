/* SPDX-License-Identifier: MIT */
#include "stream/frame_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stream/frame_prefetch.h"
#include "stream/scalars.h"
#include "stream/traj.h"

int frame_rules_meta(struct frame_rules *s, const struct meta *m, struct err *e)
{
    static const char *const positive[] = {"sys.dt_ps", "sys.sigma"};
    unsigned long long n = 0;
    struct box box;
    double v;
    *s = (struct frame_rules){.meta = m};
    const char *natoms = meta_get(m, "sys.natoms");
    if (natoms && (meta_get_u64(m, "sys.natoms", &n) != 1 || n < 1))
        return err_bad(e, "expected sys.natoms of 1 or more, found %s", natoms);
    for (size_t k = 0; k < 2; k++)
        if (meta_get(m, positive[k]) &&
            (meta_get_f64(m, positive[k], &v, 1) != 1 || !(v > 0.0) || isinf(v)))
            return err_bad(e, "expected a positive number in %s, found %s", positive[k],
                           meta_get(m, positive[k]));
    if (traj_box(m, &box, e) != 0 || (s->nscalars = scalars_read(m, NULL, e)) < 0)
        return -1;
    s->natoms = n;
    memcpy(s->pbc, box.pbc, sizeof s->pbc);
    return 0;
}

/* Rule for arrays of a type. The dtype FRAME_UTF8 means f32 or f64. */
struct rule {
    enum frame_type type;
    int nth; /* number of the array in a segment of sums, from 1, or 0 for any */
    enum frame_dtype dtype;
    int ndim;
    const char *shape;
    bool undefined; /* NaN is allowed and means not known */
};
static const struct rule RULES[] = {
    {FRAME_POSN, 0, FRAME_UTF8, 3, "POSN [F,N,3] of f32 or f64", false},
    {FRAME_VELO, 0, FRAME_UTF8, 3, "VELO [F,N,3] of f32 or f64", false},
    {FRAME_SCAL, 0, FRAME_UTF8, 3, "SCAL [F,N,C] of f32 or f64", true},
    {FRAME_PAIR, 0, FRAME_UTF8, 3, "PAIR [F,C,N(N-1)/2] of f32 or f64", false},
    {FRAME_SERI, 0, FRAME_F64, 2, "SERI [F,C] of f64", false},
    {FRAME_CELL, 0, FRAME_F64, 2, "CELL [F,9] of f64", false},
    {FRAME_TIME, 0, FRAME_F64, 1, "TIME [F] of f64", false},
    {FRAME_CORR, 1, FRAME_U64, 2, "CORR counts [B,L] of u64", false},
    {FRAME_CORR, 2, FRAME_F64, 4, "CORR sums [B,L,C,F] of f64", false},
    {FRAME_HIST, 1, FRAME_U64, 3, "HIST counts [B,Q,bins] of u64", false},
    {FRAME_HIST, 2, FRAME_F64, 3, "HIST expectations [B,Q,bins] of f64", true},
    {FRAME_HIST, 3, FRAME_F64, 1, "HIST steps [B] of f64", false},
    {FRAME_HIST, -3, FRAME_F64, 2, "HIST steps [B,lags] of f64", false}, /* with data.lags */
    {FRAME_SPEC, 1, FRAME_F64, 2, "SPEC [rows,columns] of f64", true},
};

static bool is_sums(enum frame_type t)
{
    return t == FRAME_CORR || t == FRAME_HIST || t == FRAME_SPEC;
}

/* Returns whether META lists n names under the key, or no names at all. */
static bool named(const struct frame_rules *s, const char *key, uint64_t n)
{
    const char *list = meta_get(s->meta, key);
    uint64_t words = 0;
    while (list && *(list += strspn(list, " "))) {
        list += strcspn(list, " ");
        words++;
    }
    return list == NULL || words == n;
}

/* Returns whether META describes the axis of a histogram. */
static bool has_bins(const struct frame_rules *s, uint64_t n)
{
    unsigned long long bins;
    double rmax;
    return meta_get_u64(s->meta, "data.bins", &bins) == 1 && bins == n &&
           meta_get_f64(s->meta, "data.rmax", &rmax, 1) == 1 && rmax > 0.0 && !isinf(rmax);
}

/* Returns whether the sizes match META and the preceding array. */
static bool fits(const struct frame_rules *s, const struct frame_desc *d)
{
    const uint64_t *n = d->dims, *first = s->sums.dims, N = s->natoms;
    switch (d->type) {
    case FRAME_POSN:
    case FRAME_VELO: return n[1] == N && n[2] == 3;
    case FRAME_SCAL: return n[1] == N && n[2] > 0 && n[2] == (uint64_t)s->nscalars;
    case FRAME_PAIR: return n[1] > 0 && N > 0 && N <= UINT32_MAX && n[2] == N * (N - 1) / 2;
    case FRAME_SERI:
    case FRAME_SPEC: return n[1] > 0 && named(s, "data.columns", n[1]);
    case FRAME_CELL: return n[1] == 9;
    case FRAME_CORR:
        return s->narrays == 0
                   ? n[1] > 0
                   : n[0] == first[0] && n[1] == first[1] && n[2] > 0 && n[3] > 0 &&
                         named(s, "data.functions", n[3]) && named(s, "data.component", n[2]);
    case FRAME_HIST:
        return s->narrays == 0 ? n[1] > 0 && n[2] > 0 && has_bins(s, n[2])
               : s->narrays == 1
                   ? n[0] == first[0] && n[1] == first[1] && n[2] == first[2]
                   : n[0] == first[0] && (d->ndim == 1 || (n[1] > 0 && first[1] % n[1] == 0 &&
                                                           named(s, "data.lags", n[1])));
    default: return true;
    }
}

static const struct rule *rule_of(const struct frame_rules *s, const struct frame_desc *d)
{
    int nth = is_sums(d->type) ? s->narrays + 1 : 0;
    if (d->type == FRAME_HIST && nth == 3 && meta_get(s->meta, "data.lags"))
        nth = -3;
    for (size_t k = 0; k < sizeof RULES / sizeof *RULES; k++)
        if (RULES[k].type == d->type && RULES[k].nth == nth)
            return &RULES[k];
    return NULL;
}

/* Returns whether a block of steps is like the first one of its segment, except for the number of
 * steps. */
static bool like_before(struct frame_rules *s, const struct frame_desc *d)
{
    const struct frame_desc *f = &s->steps;
    if (!frame_counts_steps(d))
        return true;
    if (!frame_counts_steps(f))
        s->steps = *d;
    return f->type == d->type && f->dtype == d->dtype && f->dims[1] == d->dims[1];
}

/* If data.scalars names scalars, checks that SCAL comes once before each POSN block with steps. */
static int check_scalars(struct frame_rules *s, const struct frame_desc *d, struct err *e)
{
    struct frame_desc scal = s->scal;
    bool needed = d->type == FRAME_POSN && s->nscalars > 0 && d->dims[0] > 0,
         same = d->type == FRAME_POSN && scal.dims[0] == d->dims[0] && scal.index == d->index &&
                scal.dtype == d->dtype;
    s->scal.ndim = 0;
    if (d->type == FRAME_SCAL)
        s->scal = *d;
    if (d->type == FRAME_SCAL ? !scal.ndim : scal.ndim ? same : !needed)
        return 0;
    const char *found = scal.ndim ? "another SCAL" : "none";
    return err_bad(e,
                   "step %llu: expected one SCAL array with the steps and data type of its POSN "
                   "array, found %s",
                   (unsigned long long)d->index, found);
}

/* Checks that TIME, CELL and SCAL match the steps of the next block. */
static int check_steps(struct frame_rules *s, const struct frame *f, struct err *e)
{
    const struct frame_desc *d = &f->desc;
    if (d->type == FRAME_TIME)
        s->times = d->dims[0];
    if (d->type == FRAME_CELL)
        s->cells = d->dims[0];
    for (uint64_t k = 0; d->type == FRAME_CELL && k < d->dims[0]; k++) {
        struct box b;
        if (box_init(&b, (const double *)f->data + 9 * k, s->pbc))
            return err_bad(e,
                           "step %llu: expected a right-handed cell with a positive volume in "
                           "CELL, found an invalid cell",
                           (unsigned long long)(d->index + k));
    }
    if ((d->type == FRAME_SCAL || frame_counts_steps(d)) && check_scalars(s, d, e) != 0)
        return -1;
    if (!frame_counts_steps(d))
        return 0;
    uint64_t times = s->times, cells = s->cells, n = d->dims[0];
    s->times = s->cells = 0;
    if ((!times || times == n) && (!cells || cells == n))
        return 0;
    bool in_times = times && times != n;
    const char *code = in_times ? "time" : "cell";
    return err_bad(e, "step %llu: expected a %s for each of %llu steps, found %llu",
                   (unsigned long long)d->index, code, (unsigned long long)n,
                   (unsigned long long)(in_times ? times : cells));
}

/* Returns the index of the first number that is infinite, or that is NaN in the axis column of a
 * SPEC array, or n if all are valid. */
static size_t first_wrong(const struct frame_desc *d, const void *data, size_t n)
{
    size_t bad = frame_infinite(data, d->dtype, n);
    for (size_t k = 0; d->type == FRAME_SPEC && k < bad; k += d->dims[1])
        if (isnan(((const double *)data)[k]))
            return k;
    return bad;
}

/* Checks that sys.species names each atom. Returns 0, or -1 and sets e. */
static int check_species(struct frame_rules *s, struct err *e)
{
    char names[256][16];
    unsigned char *species = s->species ? NULL : malloc(s->natoms);
    int bad = s->species ? 0
              : species  ? meta_species(s->meta, s->natoms, species, names, 256, e)
                         : err_memory(e, "the species");
    free(species);
    s->species = true;
    return bad < 0 ? -1 : 0;
}

int frame_rules_array(struct frame_rules *s, const struct frame *f, struct err *e)
{
    const struct frame_desc *d = &f->desc;
    if (d->type == FRAME_OTHER)
        return 0;
    const struct rule *r = rule_of(s, d);
    if (r == NULL || (is_sums(d->type) && s->narrays && d->type != s->sums.type))
        return err_bad(
            e, "expected only one set of results in the segment, found a further array (%s)",
            d->code);
    bool real = d->dtype == FRAME_F32 || d->dtype == FRAME_F64;
    if (d->ndim != r->ndim || (r->dtype == FRAME_UTF8 ? !real : d->dtype != r->dtype) ||
        !fits(s, d))
        return err_bad(
            e, "expected %s as stated in META, found an array of dimensions [%llu,%llu,%llu,%llu]",
            r->shape, (unsigned long long)d->dims[0], (unsigned long long)d->dims[1],
            (unsigned long long)d->dims[2], (unsigned long long)d->dims[3]);
    if (!like_before(s, d))
        return err_bad(e,
                       "step %llu: expected only %s blocks of the same data type and width in the "
                       "segment, found a different block (%s)",
                       (unsigned long long)d->index, s->steps.code, d->code);
    size_t n = real ? f->bytes / frame_dtype_size(d->dtype) : 0, bad = n;
    if (isinf(d->time))
        return err_bad(e, "step %llu: expected a finite time, found infinity",
                       (unsigned long long)d->index);
    if (real)
        bad = r->undefined ? first_wrong(d, f->data, n)
              : f->finite  ? n
                           : frame_not_finite(f->data, d->dtype, n);
    if (bad < n)
        return err_bad(
            e, "step %llu: expected finite numbers in %s, found a non-finite value as number %zu",
            (unsigned long long)d->index, d->code, bad);
    if (is_sums(d->type) && s->narrays++ == 0)
        s->sums = *d;
    if (d->type == FRAME_POSN && check_species(s, e) != 0)
        return -1;
    return check_steps(s, f, e);
}

int frame_rules_end(struct frame_rules *s, struct err *e)
{
    int want = s->sums.type == FRAME_CORR ? 2 : s->sums.type == FRAME_HIST ? 3 : s->narrays;
    const char *last = s->times ? "TIME" : s->cells ? "CELL" : "SCAL";
    if (s->times || s->cells || s->scal.ndim)
        return err_bad(e, "expected a block after %s, found the end of the segment", last);
    return s->narrays == want
               ? 0
               : err_bad(e, "expected %d arrays of results, found %d", want, s->narrays);
}
