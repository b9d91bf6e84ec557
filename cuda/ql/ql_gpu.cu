/* SPDX-License-Identifier: MIT */
/* ql_gpu.cu: the engine of ql.h on a CUDA device. */
#include "ql/ql.h"

#include <stdlib.h>

#include "near/near_gpu.cuh"

struct ql {
    struct ql_choice c;
    size_t natoms, columns;
    struct near_gpu near;
    struct ql_tables *t; /* tables on the device */
    double *mean;        /* [values][natoms] mean U_lm of sorted atoms, only with --averaged */
    double *value;       /* as in ql_values() */
};

/* Computes the mean U_lm over the bonds of each atom or, in the second pass, over the atom and its
 * neighbours. In the last pass, computes the values of the atom. Uses one thread per atom, with any
 * launch shape. The order of each sum is that of ql_cpu.c. */
static __global__ void ql_atom_kernel(const __grid_constant__ struct near_gpu s,
                                      const struct ql_tables *t, bool w, bool second, bool last,
                                      double *all, double *value)
{
    const size_t atoms = s.step.n, values = t->values;
    NEAR_GPU_LOOP(q, atoms)
    {
        double mean[QL_VALUES];
        size_t i = s.step.grid.order[q], neighbours = 0;
        bool same = false;
        for (size_t u = 0; u < values; u++)
            mean[u] = second ? all[u * atoms + q] : 0.0;
        near_gpu_each(s, q, [&](size_t p, const double *r, double r2) {
            neighbours++;
            if (r2 == 0.0 && !same)
                near_gpu_refuse(s, q, s.step.grid.order[p]);
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
                   double bytes, const struct analysis_options *shared, struct err *e)
{
    int id[GPU_MAX_DEVICES];
    struct ql *s = (struct ql *)calloc(1, sizeof *s);
    if (!s)
        return err_memory(e, "the atoms"), (struct ql *)NULL;
    s->c = *c;
    s->natoms = natoms;
    s->columns = 1 + c->n * (1 + c->w);
    size_t value = natoms * s->columns * sizeof(double),
           mean = c->averaged ? natoms * t->values * sizeof(double) : 0;
    double need = bytes + (double)(value + mean + natoms * (80 + 12 * c->nearest));
    if (err_over(e, need, shared->max_mem, NULL, "%zu atoms", natoms) == 0 &&
        gpu_probe(shared->devices, id, e) >= 0 && TRY(e, cudaSetDevice(id[0])) == 0 &&
        gpu_alloc(e, &s->t, sizeof *t, "tables") == 0 &&
        gpu_alloc(e, &s->mean, mean, "harmonics") == 0 &&
        gpu_alloc(e, &s->value, value, "values") == 0 &&
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
    cudaFree(s->value);
    free(s);
}

int ql_sort(struct ql *s, const double *r, const struct box *b, double cutoff, struct err *e)
{
    return near_gpu_sort(&s->near, s->natoms, r, b, cutoff, s->c.nearest, e);
}

int ql_values(struct ql *s, double *value, struct err *e)
{
    uint32_t i, j;
    for (int pass = 0; pass <= s->c.averaged; pass++)
        ql_atom_kernel<<<near_gpu_blocks(s->natoms), NEAR_GPU_THREADS>>>(
            s->near, s->t, s->c.w, pass > 0, pass == s->c.averaged, s->mean, s->value);
    if (TRY_LAUNCH(e, "ql_atom_kernel"))
        return -1;
    int rc = near_gpu_finish(&s->near, &i, &j, e);
    if (rc)
        return rc < 0 ? -1 : ql_same_position(i, j, e);
    return TRY(e, cudaMemcpy(value, s->value, s->natoms * s->columns * sizeof(double),
                             cudaMemcpyDeviceToHost));
}
