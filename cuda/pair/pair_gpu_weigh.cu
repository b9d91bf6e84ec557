/* SPDX-License-Identifier: MIT */
/* Weights and selections of pairs (factors.h) on a device. */
#include "pair/pair_gpu.h"

#include <cfloat>
#include <cmath>
#include <cstring>

#define ARRAYS 13

/* An array of factors on the host, its bytes, and the place of its device address. */
struct weigh_array {
    const void *from;
    size_t bytes;
    void **to;
};

static void weigh_arrays(const struct factors *f, struct factors *view,
                         struct weigh_array a[ARRAYS])
{
    const struct pair_function *fn = &f->function;
    struct pair_function *to = &view->function;
    size_t n = f->natoms, listed = f->begin ? f->begin[n] : 0,
           values = 4 * (1 + 2 * fn->columns) * (size_t)fn->cells;
    const struct weigh_array all[ARRAYS] = {
        {f->w, n * sizeof *f->w, (void **)&view->w},
        {f->own, n * sizeof *f->own, (void **)&view->own},
        {f->begin, (n + 1) * sizeof *f->begin, (void **)&view->begin},
        {f->partner, listed * sizeof *f->partner, (void **)&view->partner},
        {f->kind, n, (void **)&view->kind},
        {f->count, f->kinds * f->kinds, (void **)&view->count},
        {f->charge, f->groups * n * sizeof *f->charge, (void **)&view->charge},
        {f->less, n * sizeof *f->less, (void **)&view->less},
        {f->group, n, (void **)&view->group},
        {fn->kind, n, (void **)&to->kind},
        {fn->start, fn->kinds * fn->kinds * sizeof *fn->start, (void **)&to->start},
        {fn->f32, values * sizeof *fn->f32, (void **)&to->f32},
        {fn->f64, values * sizeof *fn->f64, (void **)&to->f64},
    };
    memcpy(a, all, sizeof all);
}

/* Each array is aligned for float4. */
static size_t weigh_room(const struct weigh_array *a)
{
    return a->from ? (a->bytes + 15) / 16 * 16 : 0;
}

size_t weigh_bytes(const struct factors *f)
{
    struct weigh_array a[ARRAYS];
    struct factors none;
    size_t sum = sizeof none;
    weigh_arrays(f, &none, a);
    for (const struct weigh_array &x : a)
        sum += weigh_room(&x);
    return sum;
}

int weigh_copy(struct err *e, const struct factors *f, void *d, struct factors *view)
{
    struct weigh_array a[ARRAYS];
    char *to = (char *)d;
    *view = *f;
    weigh_arrays(f, view, a);
    for (const struct weigh_array &x : a) {
        *x.to = x.from ? to : NULL;
        if (x.from && TRY(e, cudaMemcpy(to, x.from, x.bytes, cudaMemcpyHostToDevice)))
            return -1;
        to += weigh_room(&x);
    }
    return TRY(e, cudaMemcpy(to, view, sizeof *view, cudaMemcpyHostToDevice));
}

const struct factors *weigh_view(const struct factors *f, const void *d)
{
    return d ? (const struct factors *)((const char *)d + weigh_bytes(f) - sizeof *f) : NULL;
}

int weigh_only_function(const struct factors *f)
{
    return f->ones && f->function.cells && 1 + 2 * f->function.columns <= BETA_FUNCTION_COLUMNS;
}

void weigh_function(const struct factors *view, const int *perm, struct beta_function *to)
{
    const struct pair_function *f = &view->function;
    float end = nextafterf((float)f->end, FLT_MAX) * (1 + 1e-6f) + 1 / (float)f->per;
    if (!weigh_only_function(view))
        return;
    *to = {(const float4 *)f->f32,
           f->kind,
           f->start,
           perm,
           f->rank,
           f->did,
           f->cells,
           (int)f->kinds,
           (int)view->natoms,
           (float)f->first,
           (float)f->per,
           (float)(f->cells - 1),
           end * end};
}
