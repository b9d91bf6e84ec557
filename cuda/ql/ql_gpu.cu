/* SPDX-License-Identifier: MIT */
/* ql_gpu.cu: the engine of ql.h on a CUDA device. */
#include "ql/ql.h"

#include <stdlib.h>

#include "near/near_gpu.cuh"

/* Limits of a batch of several steps: number, positions, and all memory without --max-mem */
#define BATCH_STEPS 4096
#define BATCH_BYTES ((size_t)4 << 20)
#define BATCH_MEMORY ((size_t)512 << 20)

struct ql {
    struct ql_choice c;
    size_t natoms, columns, batch;
    struct near_gpu near;
    struct ql_tables *t; /* tables on the device */
    double *mean;        /* [values][atoms] mean U_lm of sorted atoms, only with --averaged */
    double *d_value;     /* values on the device */
    double *r;           /* memory of ql_room(), pinned */
};

/* Computes the mean U_lm over the bonds of each atom or, in the second pass, over the atom and its
 * neighbours. In the last pass, computes the values of the atom. Uses one thread per atom, with any
 * number of blocks. The order of each sum is that of ql_cpu.c. */
template <bool SAME>
static __global__ void __launch_bounds__(NEAR_GPU_THREADS, 6) /* blocks per multiprocessor */
    ql_atom_kernel(const __grid_constant__ struct near_gpu s, const struct ql_tables *t, bool w,
                   bool second, bool last, double *all, double *value)
{
    const size_t atoms = s.atoms, values = t->values;
    NEAR_GPU_LOOP(q, atoms)
    {
        double mean[QL_VALUES];
        size_t i = s.order[q], neighbours = 0;
        bool same = false;
        for (size_t u = 0; u < values; u++)
            mean[u] = second ? all[u * atoms + q] : 0.0;
        near_gpu_each<SAME>(s, q, [&](size_t p, const double *r, double r2) {
            neighbours++;
            if (r2 == 0.0 && !same)
                near_gpu_refuse(s, q, (uint32_t)(s.order[p] % s.n));
            same |= r2 == 0.0;
            if (!second)
                ql_bond(t, r, mean);
            for (size_t u = 0; second && u < values; u++)
                mean[u] += all[u * atoms + p];
        });
        for (size_t u = 0; neighbours + second && u < values; u++)
            mean[u] /= (double)(neighbours + second);
        for (size_t u = 0; !last && u < values; u++)
            all[u * atoms + q] = mean[u];
        double *to = value + i * (1 + t->n * (1 + w));
        to[0] = (double)neighbours;
        if (last)
            ql_invariants(t, mean, to + 1, w ? to + 1 + t->n : NULL);
    }
}

struct ql *ql_open(const struct ql_choice *c, const struct ql_tables *t, size_t natoms,
                   const struct analysis_options *shared, struct err *e)
{
    int id[GPU_MAX_DEVICES];
    struct ql *s = (struct ql *)calloc(1, sizeof *s);
    if (!s)
        return err_memory(e, "the atoms"), (struct ql *)NULL;
    s->c = *c;
    s->natoms = natoms;
    s->columns = 1 + c->n * (1 + c->w);
    size_t value = natoms * s->columns * sizeof(double),
           mean = c->averaged ? natoms * t->values * sizeof(double) : 0,
           need = 2 * value + mean + natoms * (104 + 12 * c->nearest); /* for one step */
    size_t most = shared->max_mem ? shared->max_mem : BATCH_MEMORY;
    for (s->batch = BATCH_STEPS;
         s->batch > 1 && (s->batch * 24 * natoms > BATCH_BYTES || s->batch * need > most);)
        s->batch--;
    if (err_over(e, (double)s->batch * (double)need, shared->max_mem, NULL, "%zu atoms", natoms) ==
            0 &&
        gpu_probe(shared->devices, id, e) >= 0 && TRY(e, cudaSetDevice(id[0])) == 0 &&
        gpu_alloc(e, &s->t, sizeof *t, "tables") == 0 &&
        gpu_alloc(e, &s->mean, s->batch * mean, "harmonics") == 0 &&
        gpu_alloc(e, &s->d_value, s->batch * value, "values") == 0 &&
        gpu_alloc_host(e, &s->r, s->batch * (24 * natoms + value), "values") == 0 &&
        TRY(e, cudaMemcpy(s->t, t, sizeof *t, cudaMemcpyHostToDevice)) == 0)
        return s;
    ql_close(s);
    return NULL;
}

void ql_close(struct ql *s)
{
    if (!s)
        return;
    near_gpu_free(&s->near);
    cudaFree(s->t);
    cudaFree(s->mean);
    cudaFree(s->d_value);
    gpu_free_host(s->r);
    free(s);
}

size_t ql_room(struct ql *s, double **r, double **value)
{
    *r = s->r;
    *value = s->r + 3 * s->batch * s->natoms;
    return s->batch;
}

size_t ql_sort(struct ql *s, size_t n, const struct box *b, struct err *e)
{
    if (near_gpu_sort(&s->near, n, s->natoms, s->r, b, s->c.rmax, s->c.nearest, e) &&
        s->near.frames == 0)
        return 0;
    auto kernel = s->near.same ? ql_atom_kernel<true> : ql_atom_kernel<false>;
    for (int pass = 0; pass <= s->c.averaged; pass++)
        kernel<<<near_gpu_blocks(s->near.atoms), NEAR_GPU_THREADS>>>(
            s->near, s->t, s->c.w, pass > 0, pass == s->c.averaged, s->mean, s->d_value);
    return TRY_LAUNCH(e, "ql_atom_kernel") ? 0 : s->near.frames;
}

size_t ql_values(struct ql *s, struct err *e)
{
    size_t steps;
    uint32_t i, j;
    if (near_gpu_finish(&s->near, &steps, &i, &j, e) > 0)
        ql_same_position(i, j, e);
    int bad = TRY(e, cudaMemcpy(s->r + 3 * s->batch * s->natoms, s->d_value,
                                8 * s->columns * s->natoms * steps, cudaMemcpyDeviceToHost));
    return bad ? 0 : steps;
}
