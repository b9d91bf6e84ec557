/* SPDX-License-Identifier: MIT */
/* Lists for a sum that ends well inside the cell (g4_lists.h). They contain only tiles with pairs
 * that come within reach. A tile has 16 x 16 atoms as in gram_posn, whose kernels process the
 * lists. For each window of steps, this file sorts atoms so that neighbours are adjacent, and finds
 * the tiles.
 *
 * Atoms are sorted by their positions in the first step, in columns along the widest direction of
 * the cell. The edge of a column is that of a cube with 16 atoms (Pall and Hess, Comput. Phys.
 * Commun. 184, 2641, 2013), and each 16 atoms of a column form a group. The groups depend only on
 * the steps of the window, so a part of a run that begins with this window gives the same bits. The
 * box of a group, in fractional coordinates, contains all its atoms in all steps of the window.
 * Each atom is placed at the minimum image relative to its first position. However far it moves,
 * this differs from its position only by cell vectors. Two boxes with a gap s along vector k are at
 * least s times the width of the cell apart. The boxes exclude most tiles. Of the other tiles,
 * those with a pair within reach in some step are used (6 of 10 in a liquid). In all excluded
 * tiles, beta is exactly 0 in every step, so nothing is rebuilt and no pair is missed. */
#include <algorithm>
#include <cstring>

#include "g4/g4_gpu_gram.cuh"
#include "g4/g4_lists.h"

#define THREADS 128
#define PAYS 0.8      /* fraction of all tiles below which lists pay (H200: equal at 0.96) */
#define DRIFT 2.0     /* assumed growth of groups in a window, Å */
#define MARGIN 1e-3   /* Å, because positions are rounded to single precision */
#define ROUNDING 2e-6 /* rounding error of fractional coordinates */

/* Returns the place of number k of the six numbers of group g, where the ranges of groups of all
 * threads are interleaved. */
__host__ __device__ static inline size_t box_room(size_t groups)
{
    return (groups + THREADS - 1) / THREADS * THREADS;
}
__device__ __forceinline__ size_t box_at(size_t groups, size_t g, int k)
{
    size_t capacity = box_room(groups), share = capacity / THREADS;
    return (size_t)k * capacity + g % share * THREADS + g / share;
}

void lists_plan(const struct g4_params *p, const struct box *box, struct lists_plan *l)
{
    double reach = sum_reach(&p->sum), n = (double)p->natoms, share = 1.0;
    memset(l, 0, sizeof *l);
    if (!g4_lists_may(p) || g4_gpu_lists < 0 || !box->pbc[0] || !box->pbc[1] || !box->pbc[2])
        return;
    double edge = cbrt(16.0 * box_volume(box) / n);
    for (int k = 0; k < 3; k++) {
        double of = 2.0 * (edge + DRIFT + reach) / box_width(box, k);
        share *= of < 1.0 ? of : 1.0;
    }
    if (share > PAYS && !g4_gpu_lists && p->sum.mesh != SUM_MESH)
        return;
    /* the product of the two smaller widths is at most the product in a cube */
    l->columns = (size_t)cbrt(n * n / 256.0) + 1;
    l->groups = p->natoms / 16 + l->columns;
    l->reach = reach;
}

int lists_open(struct err *e, struct g4_lists *l, const struct lists_plan *q)
{
    size_t g = q->groups;
    return gpu_alloc_host(e, &l->h_perm, 16 * g * sizeof(int), "order of atoms") ||
                   gpu_alloc(e, &l->d_perm, 16 * g * sizeof(int), "order of atoms") ||
                   gpu_alloc(e, &l->d_extent, 6 * box_room(g) * sizeof(double),
                             "groups of atoms") ||
                   gpu_alloc_host(e, &l->h_begin, 2 * (g + 1) * sizeof(size_t), "lists") ||
                   gpu_alloc(e, &l->d_short_range_begin, (g + 1) * sizeof(size_t), "lists") ||
                   gpu_alloc(e, &l->d_begin, 2 * (g + 1) * sizeof(size_t), "lists")
               ? -1
               : 0;
}

void lists_close(struct g4_lists *l)
{
    gpu_free_host(l->h_perm);
    gpu_free_host(l->h_begin);
    cudaFree(l->d_perm);
    cudaFree(l->d_extent);
    cudaFree(l->d_short_range_begin);
    cudaFree(l->d_short_range);
    cudaFree(l->d_begin);
    cudaFree(l->d_tile);
    cudaFree(l->d_entry);
    memset(l, 0, sizeof *l);
}

struct place {
    double z;
    int column, atom;
};

static size_t along(double n, size_t max)
{
    return n < 1.0 ? 1 : n < (double)max ? (size_t)n : max;
}

int lists_sort(struct err *e, struct g4_lists *l, const struct lists_plan *q, size_t natoms,
               const void *pos, int is64, const struct box *box)
{
    struct place *at = (struct place *)malloc(natoms * sizeof *at);
    if (!at)
        return err_memory(e, "the order of atoms");
    int z = 0;
    for (int k = 1; k < 3; k++)
        z = box_width(box, k) > box_width(box, z) ? k : z;
    int x = (z + 1) % 3, y = (z + 2) % 3;
    double edge = cbrt(16.0 * box_volume(box) / (double)natoms);
    size_t nx = along(box_width(box, x) / edge, q->columns),
           ny = along(box_width(box, y) / edge, q->columns / nx);
    for (size_t i = 0; i < natoms; i++) {
        double r[3], s[3];
        for (int k = 0; k < 3; k++)
            r[k] = is64 ? ((const double *)pos)[3 * i + k] : ((const float *)pos)[3 * i + k];
        for (int k = 0; k < 3; k++) {
            s[k] = r[0] * box->inv[0][k] + r[1] * box->inv[1][k] + r[2] * box->inv[2][k];
            s[k] -= floor(s[k]);
            s[k] = s[k] >= 0 && s[k] < 1 ? s[k] : 0.0; /* also for NaN, which is reported later */
        }
        size_t ix = (size_t)(s[x] * (double)nx), iy = (size_t)(s[y] * (double)ny);
        at[i] = {s[z], (int)(ix * ny + (ix % 2 ? ny - 1 - iy : iy)), (int)i};
    }
    std::sort(at, at + natoms, [](const struct place &a, const struct place &b) {
        return a.column != b.column ? a.column < b.column
               : a.z != b.z         ? a.z < b.z
                                    : a.atom < b.atom;
    });
    size_t row = 0;
    for (size_t i = 0; i < natoms; i++, row++) {
        for (; i && at[i].column != at[i - 1].column && row % 16; row++)
            l->h_perm[row] = -1;
        l->h_perm[row] = at[i].atom;
    }
    for (; row < 16 * q->groups; row++)
        l->h_perm[row] = -1;
    free(at);
    return 0;
}

/* ---- boxes of groups */

struct extent_args {
    const void *pos;
    size_t ld;
    int cols, fixed;
    const struct sum_cell *cell;
    size_t groups;
    double *extent; /* box_at: 3 centres, 3 half edges (-1 without atoms) */
};

/* Returns the fractional coordinates of an atom (row) in a column. */
template <class T>
__device__ __forceinline__ void fraction(const extent_args &a, size_t row, int col, double s[3])
{
    typename vec4<T>::type v =
        ((const typename vec4<T>::type *)a.pos)[(row / 4 * a.ld + col) * 4 + row % 4];
    const struct box *b = &a.cell[a.fixed ? 0 : col].d;
    for (int k = 0; k < 3; k++)
        s[k] = (double)v.x * b->inv[0][k] + (double)v.y * b->inv[1][k] + (double)v.z * b->inv[2][k];
}

/* Uses one block per group, whose threads take columns. */
template <class T> __global__ void lists_extent_kernel(const __grid_constant__ extent_args a)
{
    __shared__ double low[3][THREADS], high[3][THREADS];
    int me = threadIdx.x;
    size_t first = 16 * (size_t)blockIdx.x;
    double c[3], s0[3], s[3], lo[3] = {1e30, 1e30, 1e30}, hi[3] = {-1e30, -1e30, -1e30};
    fraction<T>(a, first, 0, c);
    for (int m = 0; m < 16; m++) {
        fraction<T>(a, first + m, 0, s0);
        for (int col = me; col < a.cols && s0[0] == s0[0]; col += THREADS) { /* padding is NaN */
            fraction<T>(a, first + m, col, s);
            for (int k = 0; k < 3; k++) {
                double u = s0[k] - c[k], d = s[k] - s0[k];
                u = (u - box_nint_f64(u)) + (d - box_nint_f64(d));
                lo[k] = u < lo[k] ? u : lo[k];
                hi[k] = u > hi[k] ? u : hi[k];
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        low[k][me] = lo[k];
        high[k][me] = hi[k];
    }
    __syncthreads();
    if (me < 3) {
        for (int t = 0; t < THREADS; t++) {
            lo[me] = low[me][t] < lo[me] ? low[me][t] : lo[me];
            hi[me] = high[me][t] > hi[me] ? high[me][t] : hi[me];
        }
        a.extent[box_at(a.groups, blockIdx.x, me)] = c[me] + 0.5 * (lo[me] + hi[me]);
        a.extent[box_at(a.groups, blockIdx.x, 3 + me)] =
            lo[me] <= hi[me] ? 0.5 * (hi[me] - lo[me]) : -1.0;
    }
}

/* ---- tiles */

struct tiles_args {
    const double *extent;
    size_t groups;
    double width[3], reach2; /* smallest widths of the cells */
    int ortho;
    /* [groups + 1]: first tile of a row that the boxes allow; first used for counts */
    size_t *short_range_begin;
    int2 *near;    /* NULL to count only (y is -1 if not in reach) */
    size_t *begin; /* [2][groups + 1]: tiles in reach of a row; rows of a column */
    int2 *tile;
    int *entry;
};

/* box: box of the group of this block. at: place of number 0 of another group. */
__device__ __forceinline__ bool in_reach(const tiles_args &a, const double box[6], size_t at)
{
    double sum = 0.0;
    size_t capacity = box_room(a.groups);
    for (int k = 0; k < 3 && sum <= a.reach2; k++) { /* most groups are far apart along k = 0 */
        double half = a.extent[at + (3 + k) * capacity], d = box[k] - a.extent[at + k * capacity];
        if (half < 0 || box[3] < 0)
            return false;
        d = fabs(d - box_nint_f64(d)) - (box[3 + k] + half);
        d = d > 0 ? d * a.width[k] : 0.0;
        sum = a.ortho ? sum + d * d : d * d > sum ? d * d : sum;
    }
    return sum <= a.reach2;
}

/* One block per group finds the tiles with this group and later groups. Threads process ranges of
 * groups, in order. */
__global__ void lists_near_kernel(const __grid_constant__ tiles_args a)
{
    __shared__ int found[THREADS];
    size_t g = blockIdx.x, share = box_room(a.groups) / THREADS, from = threadIdx.x * share,
           to = from + share < a.groups ? from + share : a.groups, at = 0;
    double box[6];
    int n = 0;
    for (int k = 0; k < 6; k++)
        box[k] = a.extent[box_at(a.groups, g, k)];
    for (size_t h = from > g ? from : g; h < to; h++)
        n += in_reach(a, box, (h - from) * THREADS + threadIdx.x);
    found[threadIdx.x] = n;
    __syncthreads();
    int end = a.near ? (int)threadIdx.x : THREADS;
    for (int t = 0; t < end; t++)
        at += found[t];
    if (!a.near) {
        if (threadIdx.x == 0)
            a.short_range_begin[g] = at;
        return;
    }
    int2 *near = a.near + a.short_range_begin[g] + at;
    for (size_t h = from > g ? from : g; h < to && n; h++)
        if (in_reach(a, box, (h - from) * THREADS + threadIdx.x)) {
            *near++ = make_int2((int)g, (int)h);
            n--;
        }
}

/* Computes squared lengths from fractional coordinates. */
struct metric {
    float xx, yy, zz, xy, xz, yz;
    __device__ __forceinline__ explicit metric(const struct box *b)
    {
        const double(*h)[3] = b->h;
        xx = dot(h[0], h[0]), yy = dot(h[1], h[1]), zz = dot(h[2], h[2]);
        xy = 2.0f * dot(h[0], h[1]), xz = 2.0f * dot(h[0], h[2]), yz = 2.0f * dot(h[1], h[2]);
    }
    static __device__ __forceinline__ float dot(const double u[3], const double v[3])
    {
        return (float)(u[0] * v[0] + u[1] * v[1] + u[2] * v[2]);
    }
    __device__ __forceinline__ float operator()(float x, float y, float z) const
    {
        return (x * xx + y * xy + z * xz) * x + (y * yy + z * yz) * y + z * zz * z;
    }
};

/* Finds whether any step has a pair within reach, with one warp per tile and one lane per step. */
template <class T>
__global__ void lists_prune_kernel(const __grid_constant__ extent_args a,
                                   const __grid_constant__ tiles_args t, size_t n)
{
    size_t k = (size_t)blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
    int lane = threadIdx.x & 31, hit = 0;
    if (k >= n)
        return;
    int2 at = t.near[k];
    for (int col0 = 0; col0 < a.cols && !hit; col0 += 32) {
        int col = col0 + lane < a.cols ? col0 + lane : a.cols - 1;
        float s[16][3];
        double v[3];
        metric length2(&a.cell[a.fixed ? 0 : col].d);
#pragma unroll
        for (int i = 0; i < 16; i++) {
            fraction<T>(a, 16 * (size_t)at.x + i, col, v);
            s[i][0] = (float)v[0], s[i][1] = (float)v[1], s[i][2] = (float)v[2];
        }
        for (int j = 0; j < 16 && !hit; j++) {
            fraction<T>(a, 16 * (size_t)at.y + j, col, v);
            float x = (float)v[0], y = (float)v[1], z = (float)v[2];
#pragma unroll
            for (int i = 0; i < 16; i++) { /* padding is NaN */
                float dx = s[i][0] - x, dy = s[i][1] - y, dz = s[i][2] - z;
                hit |= length2(dx - box_nint_f32(dx), dy - box_nint_f32(dy),
                               dz - box_nint_f32(dz)) <= (float)t.reach2;
            }
            hit = __any_sync(~0u, hit);
        }
    }
    if (lane == 0 && hit) {
        atomicAdd((unsigned long long *)(t.begin + at.x), 1ull);
        if (at.x != at.y)
            atomicAdd((unsigned long long *)(t.begin + t.groups + 1 + at.y), 1ull);
    } else if (lane == 0) {
        t.near[k].y = -1;
    }
}

/* Stores the remaining tiles of each group, and the entries of their columns, in any order. Uses
 * one thread per group. */
__global__ void lists_pack_kernel(const __grid_constant__ tiles_args a)
{
    size_t g = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (g >= a.groups)
        return;
    size_t to = a.begin[g], *column = a.begin + a.groups + 2; /* advances from begin to end */
    for (size_t k = a.short_range_begin[g]; k < a.short_range_begin[g + 1]; k++) {
        int2 at = a.near[k];
        if (at.y < 0)
            continue;
        if (at.y != at.x)
            a.entry[atomicAdd((unsigned long long *)(column + at.y), 1ull)] = (int)to;
        a.tile[to++] = at;
    }
}

/* Sorts the entries of columns, with one thread per column. */
__global__ void lists_order_kernel(const __grid_constant__ tiles_args a)
{
    size_t g = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const size_t *begin = a.begin + a.groups + 1;
    if (g >= a.groups)
        return;
    for (size_t n = begin[g] + 1; n < begin[g + 1]; n++) {
        int v = a.entry[n];
        size_t m = n;
        for (; m > begin[g] && a.entry[m - 1] > v; m--)
            a.entry[m] = a.entry[m - 1];
        a.entry[m] = v;
    }
}

/* Reserves memory for `tiles` tiles and some more. */
static int reserve(struct err *e, void **list, size_t *capacity, size_t tiles, size_t bytes)
{
    if (tiles <= *capacity)
        return 0;
    cudaFree(*list);
    *list = NULL;
    *capacity = 0;
    if (gpu_alloc(e, list, (tiles + tiles / 4) * bytes, "lists"))
        return -1;
    *capacity = tiles + tiles / 4;
    return 0;
}

/* Converts counts of groups on the device to the start of each group, and waits for them. The array
 * host is [groups + 1]. */
static int begins(struct err *e, size_t *device, size_t *host, size_t groups, int behind,
                  cudaStream_t stream)
{
    size_t sum = 0, bytes = groups * sizeof *host;
    if (TRY(e, cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream)) ||
        TRY(e, cudaStreamSynchronize(stream)))
        return -1;
    for (size_t g = 0; g <= groups; g++) {
        size_t n = g < groups ? host[g] : 0;
        host[g] = sum;
        sum += n;
    }
    if (behind) /* shifted by one place (lists_pack_kernel) */
        memmove(host + 1, host, groups * sizeof *host);
    bytes += sizeof *host;
    return TRY(e, cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
}

static int prune(struct err *e, struct g4_lists *l, const struct extent_args &x,
                 const struct tiles_args &t, int is64, cudaStream_t stream)
{
    size_t n = l->h_begin[t.groups], groups = t.groups;
    unsigned blocks = (unsigned)((n + THREADS / 32 - 1) / (THREADS / 32));
    if (TRY(e, cudaMemsetAsync(l->d_begin, 0, 2 * (groups + 1) * sizeof(size_t), stream)))
        return -1;
    if (is64)
        lists_prune_kernel<double><<<blocks, THREADS, 0, stream>>>(x, t, n);
    else
        lists_prune_kernel<float><<<blocks, THREADS, 0, stream>>>(x, t, n);
    return TRY_LAUNCH(e, "lists_prune_kernel") ||
                   begins(e, l->d_begin, l->h_begin, groups, 0, stream) ||
                   begins(e, l->d_begin + groups + 1, l->h_begin + groups + 1, groups, 1, stream)
               ? -1
               : 0;
}

int lists_make(struct err *e, struct g4_lists *l, const struct lists_plan *q, struct lists_window w,
               cudaStream_t stream)
{
    struct extent_args x = {w.pos, w.ld, w.cols, w.fixed, w.cell, q->groups, l->d_extent};
    struct tiles_args t = {};
    double margin = MARGIN;
    unsigned groups = (unsigned)q->groups, blocks = (groups + THREADS - 1) / THREADS;
    t.extent = l->d_extent;
    t.groups = q->groups;
    t.ortho = 1;
    for (int c = 0; c < w.cols; c++)
        for (int k = 0; k < 3; k++) {
            double width = box_width(w.box + c, k);
            t.width[k] = c && t.width[k] < width ? t.width[k] : width;
            t.ortho &= w.box[c].ortho;
            for (int m = 0; m < 3; m++)
                margin = fmax(margin, MARGIN + ROUNDING * fabs(w.box[c].h[k][m]));
        }
    t.reach2 = (q->reach + margin) * (q->reach + margin);
    t.short_range_begin = l->d_short_range_begin;
    t.begin = l->d_begin;
    if (w.is64)
        lists_extent_kernel<double><<<groups, THREADS, 0, stream>>>(x);
    else
        lists_extent_kernel<float><<<groups, THREADS, 0, stream>>>(x);
    if (TRY_LAUNCH(e, "lists_extent_kernel"))
        return -1;
    lists_near_kernel<<<groups, THREADS, 0, stream>>>(t);
    if (TRY_LAUNCH(e, "lists_near_kernel") ||
        begins(e, l->d_short_range_begin, l->h_begin, q->groups, 0, stream) ||
        reserve(e, (void **)&l->d_short_range, &l->short_range_room, l->h_begin[q->groups],
                sizeof(int2)))
        return -1;
    t.near = l->d_short_range;
    lists_near_kernel<<<groups, THREADS, 0, stream>>>(t);
    if (TRY_LAUNCH(e, "lists_near_kernel") || prune(e, l, x, t, w.is64, stream))
        return -1;
    l->tiles = l->h_begin[q->groups];
    if (reserve(e, (void **)&l->d_tile, &l->capacity, l->tiles, sizeof(int2)) ||
        reserve(e, (void **)&l->d_entry, &l->entry_room, l->tiles, sizeof(int)))
        return -1;
    t.tile = l->d_tile;
    t.entry = l->d_entry;
    lists_pack_kernel<<<blocks, THREADS, 0, stream>>>(t);
    if (TRY_LAUNCH(e, "lists_pack_kernel"))
        return -1;
    lists_order_kernel<<<blocks, THREADS, 0, stream>>>(t);
    return TRY_LAUNCH(e, "lists_order_kernel");
}

/* Adds the sums of tiles [first, last) to A of the 16 atoms of a group, first from its row and then
 * from its column, in order. Uses one block per group from row0 on, and one thread per column. */
__global__ void lists_atoms_kernel(const double *asum, size_t ld, struct tile_list list, int cols,
                                   size_t first, size_t last, size_t row0, double *atoms)
{
    size_t g = row0 + blockIdx.x;
    const size_t *begin = list.begin, *column = list.begin + list.groups + 1;
    size_t from = begin[g] > first ? begin[g] : first,
           to = begin[g + 1] < last ? begin[g + 1] : last;
    size_t lo = column[g], end = column[g + 1], hi = end;
    while (lo < hi) { /* first entry of the column in this range */
        size_t mid = (lo + hi) / 2;
        if ((size_t)list.entry[mid] < first)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (first && from >= to && (lo == end || (size_t)list.entry[lo] >= last))
        return;
    for (size_t col = threadIdx.x; col < (size_t)cols; col += blockDim.x) {
        double sum[16] = {}, *a = atoms + 16 * g * ld + col;
        for (size_t k = from; k < to; k++)
            for (int m = 0; m < 16; m++)
                sum[m] += asum[((k - first) * GRAM_TILE_SUMS + m) * ld + col];
        for (size_t n = lo; n < end && (size_t)list.entry[n] < last; n++)
            for (int m = 0; m < 16; m++)
                sum[m] += asum[((list.entry[n] - first) * GRAM_TILE_SUMS + 16 + m) * ld + col];
        if (begin[g] == from && from < to) /* the diagonal is also used as a column */
            for (int m = 0; m < 16; m++)
                sum[m] += asum[((from - first) * GRAM_TILE_SUMS + 16 + m) * ld + col];
        for (int m = 0; m < 16; m++)
            a[m * ld] = first ? a[m * ld] + sum[m] : sum[m];
    }
}

int lists_atoms(struct err *e, const struct gram_args *a, size_t n, double *atoms,
                cudaStream_t stream)
{
    const size_t *begin = a->list.h_begin;
    size_t row0 =
        (size_t)(std::upper_bound(begin, begin + a->list.groups, a->first_tile) - begin) - 1;
    row0 = a->first_tile ? row0 : 0;
    lists_atoms_kernel<<<(unsigned)(a->list.groups - row0), THREADS, 0, stream>>>(
        a->asum, a->ld, a->list, a->cols, a->first_tile, a->first_tile + n, row0, atoms);
    return TRY_LAUNCH(e, "lists_atoms_kernel");
}
