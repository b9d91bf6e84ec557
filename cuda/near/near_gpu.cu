/* SPDX-License-Identifier: MIT */
/* near_gpu.cu: sorts atoms into grid cells and finds the k nearest neighbours. Kernels have one
 * thread per atom or cell, allow any launch shape, do not use shared memory and are
 * deterministic. */
#include "near/near_gpu.h"

#include <stdlib.h>
#include <string.h>

#include <cub/device/device_radix_sort.cuh>

#include "near/near.h"
#include "near/near_gpu.cuh"

unsigned near_gpu_blocks_max = 1u << 20; /* the tests change this value */

unsigned near_gpu_blocks(size_t atoms)
{
    size_t blocks = atoms / NEAR_GPU_THREADS + 1;
    return blocks < near_gpu_blocks_max ? (unsigned)blocks : near_gpu_blocks_max;
}

void near_gpu_free(struct near_gpu *s)
{
    cudaFree(s->memory);
}

/* Finds the cell of each atom, counted over the cells of all frames. */
static __global__ void near_cell_kernel(const __grid_constant__ struct near_gpu s, const double *r,
                                        uint32_t *cell, uint32_t *index)
{
    NEAR_GPU_LOOP(i, s.atoms)
    {
        const struct near_step *t = &s.steps[i / s.n];
        cell[i] = (uint32_t)((size_t)(t->grid.start - s.start) + near_step_cell(t, r + 3 * i));
        index[i] = (uint32_t)i;
    }
}

/* Copies the positions in sorted order, and finds the first sorted atom of each cell and the end of
 * the last cell by bisection. */
static __global__ void near_gather_kernel(const __grid_constant__ struct near_gpu s,
                                          const double *r, size_t cells)
{
    NEAR_GPU_LOOP(q, s.atoms)
    for (int a = 0; a < 3; a++)
        s.r[a][q] = r[3 * (size_t)s.order[q] + a];
    NEAR_GPU_LOOP(c, cells + 1)
    {
        size_t first = 0;
        for (size_t step = (size_t)1 << 31; step; step /= 2)
            if (first + step <= s.atoms && s.cell[first + step - 1] < c)
                first += step;
        s.start[c] = first;
    }
}

/* Lists the k nearest neighbours of each atom by distance and, at equal distances, by index. */
template <bool SAME>
static __global__ void near_nearest_kernel(const __grid_constant__ struct near_gpu s)
{
    const size_t n = s.atoms, k = s.k;
    const uint32_t *order = s.order;
    NEAR_GPU_LOOP(q, n)
    {
        struct near_step t = near_gpu_step<SAME>(s, q);
        double radius = fmin(t.cutoff, t.half), *r2 = s.r2 + q;
        uint32_t *list = s.nearest + q;
        size_t found;
        do {
            found = 0;
            near_gpu_within(s, t, q, radius, [&](size_t p, const double *, double d2) {
                size_t at = found < k ? found : k; /* later entries move by one place */
                for (found++; at > 0; at--) {
                    size_t last = (at - 1) * n;
                    if (r2[last] < d2 || (r2[last] == d2 && order[list[last]] < order[p]))
                        break;
                    if (at < k) {
                        r2[at * n] = r2[last];
                        list[at * n] = list[last];
                    }
                }
                if (at < k) {
                    r2[at * n] = d2;
                    list[at * n] = (uint32_t)p;
                }
            });
        } while (found < k && near_step_grow(&t, &t.grid, &radius));
        if (found < k) {
            list[0] = UINT32_MAX;
            atomicMin(s.failed, (unsigned long long)q << 33 | found);
        }
    }
}

/* Allocates the arrays, with `cells` grid cells in all frames, and `scratch` bytes at s->memory,
 * and sets all pointers. Sets *more to memory for 24 bytes per atom, followed by two arrays of 4
 * bytes per atom. Returns 0, or -1 and sets e. */
static int reserve(struct near_gpu *s, size_t cells, size_t scratch, void **more, struct err *e)
{
    size_t n = s->atoms,
           total = scratch + s->frames * sizeof *s->steps + 8 * (cells + 2) + (64 + 12 * s->k) * n;
    if (total > s->bytes) {
        cudaFree(s->memory);
        s->bytes = 0;
        if (gpu_alloc(e, &s->memory, total + total / 8, "neighbours"))
            return -1;
        s->bytes = total + total / 8;
    }
    s->steps = (struct near_step *)((char *)s->memory + scratch);
    double *at = (double *)(s->steps + s->frames);
    s->failed = (unsigned long long *)at++;
    s->start = (size_t *)at;
    at += cells + 1;
    for (int a = 0; a < 3; a++, at += n)
        s->r[a] = at;
    s->r2 = at;
    *more = at += s->k * n;
    s->cell = (uint32_t *)(at + 3 * n) + 2 * n;
    s->order = s->cell + n;
    s->nearest = s->cell + 2 * n;
    return 0;
}

/* Sorts s->frames frames, whose steps have been set. Returns 0, or -1 and sets e. */
static int sort(struct near_gpu *s, struct near_step *step, const double *r, struct err *e)
{
    size_t scratch = 0, room, cells = 0, n = s->atoms = s->frames * s->n;
    uint32_t *none = NULL;
    void *more;
    int bits = 1;
    if (n > INT32_MAX)
        return err_bad(e, "expected fewer than 2^31 atoms on a GPU, found %zu", n);
    for (size_t f = 0; f < s->frames; f++)
        cells += near_grid_cells(&step[f].grid);
    while (cells >> bits)
        bits++;
    if (TRY(e, cub::DeviceRadixSort::SortPairs(NULL, scratch, none, none, none, none, (int)n)))
        return -1;
    room = (scratch + 255) / 256 * 256;
    if (reserve(s, cells, room, &more, e))
        return -1;
    s->same = true;
    step->grid.start = s->start;
    for (size_t f = 1; f < s->frames; f++) {
        s->same &= memcmp(&step[f].box, &step->box, sizeof step->box) == 0 && step->box.pbc[0] &&
                   step->box.pbc[1] && step->box.pbc[2];
        step[f].grid.start = step[f - 1].grid.start + near_grid_cells(&step[f - 1].grid);
    }
    s->step = *step;
    if (TRY(e, cudaMemcpy(s->steps, step, s->frames * sizeof *step, cudaMemcpyHostToDevice)) ||
        TRY(e, cudaMemcpy(more, r, 24 * n, cudaMemcpyHostToDevice)) ||
        TRY(e, cudaMemset(s->failed, 0xff, sizeof *s->failed)))
        return -1;
    double *input = (double *)more;
    uint32_t *key = (uint32_t *)(input + 3 * n), *index = key + n;
    near_cell_kernel<<<near_gpu_blocks(n), NEAR_GPU_THREADS>>>(*s, input, key, index);
    if (TRY_LAUNCH(e, "near_cell_kernel") ||
        TRY(e, cub::DeviceRadixSort::SortPairs(s->memory, room, key, s->cell, index, s->order,
                                               (int)n, 0, bits)))
        return -1;
    near_gather_kernel<<<near_gpu_blocks(n), NEAR_GPU_THREADS>>>(*s, input, cells);
    auto nearest = s->same ? near_nearest_kernel<true> : near_nearest_kernel<false>;
    if (s->k)
        nearest<<<near_gpu_blocks(n), NEAR_GPU_THREADS>>>(*s);
    return TRY_LAUNCH(e, "near_nearest_kernel");
}

int near_gpu_sort(struct near_gpu *s, size_t frames, size_t n, const double *r, const struct box *b,
                  double cutoff, size_t k, struct err *e)
{
    struct near_step *step = (struct near_step *)calloc(frames, sizeof *step);
    int rc = step ? 0 : err_memory(e, "the cells");
    s->n = n;
    s->k = k;
    s->frames = 0;
    for (; rc == 0 && s->frames < frames; s->frames += rc == 0, b++) {
        const double *at = r + 3 * n * s->frames;
        double reach = k ? near_reach(n, at, b, k) : cutoff;
        rc = near_step_set(&step[s->frames], n, at, b, reach, NULL, e);
        if (rc == 0 && n && k >= n)
            rc = near_step_few(&step[s->frames], 0, k, 0, e);
    }
    if (s->frames && sort(s, step, r, e))
        s->frames = 0, rc = -1;
    free(step);
    return rc;
}

int near_gpu_finish(const struct near_gpu *s, size_t *frame, uint32_t *i, uint32_t *detail,
                    struct err *e)
{
    unsigned long long f;
    struct near_step step;
    *frame = 0;
    if (TRY(e, cudaMemcpy(&f, s->failed, sizeof f, cudaMemcpyDeviceToHost)))
        return -1;
    if (f == ~0ull)
        return *frame = s->frames, 0;
    *detail = (uint32_t)f;
    if (TRY(e, cudaMemcpy(i, s->order + (f >> 33), 4, cudaMemcpyDeviceToHost)) ||
        TRY(e, cudaMemcpy(&step, s->steps + *i / s->n, sizeof step, cudaMemcpyDeviceToHost)))
        return -1;
    *frame = *i / s->n;
    *i %= s->n;
    return f >> 32 & 1 ? 1 : near_step_few(&step, *i, s->k, *detail, e);
}
