/* SPDX-License-Identifier: MIT */
/*
 * A sum that ends well inside the cell (g4_lists.h): tiles of pairs that come in reach, instead of
 * all. The tiles are those of gram_posn, 16 x 16 atoms, so that its kernels do the rest; what is
 * here puts atoms that are near each other side by side, anew for every window of steps, and finds
 * the tiles.
 *
 * Atoms are sorted as they stand in the first step, in columns along the widest direction of the
 * cell, whose edges hold 16 atoms in a cube of theirs (Pall and Hess, Comput. Phys. Commun. 184, 2641,
 * 2013), and each 16 of a column are a group. Everything follows from the steps of the window, so that
 * a share that begins with it gives the same bits. A group's box, in fractional coordinates, holds all its atoms in
 * all steps of the window: each atom by its nearest-image difference from where it was first, which
 * is where it is but for cell vectors, however far it went. Two boxes a gap s apart along vector k are at least s
 * times the width of the cell apart; groups farther than the reach have beta 0 exactly in every
 * step. So nothing need be rebuilt and no pair is missed.
 */
#include <algorithm>
#include <cstring>

#include "g4/g4_gpu_gram.cuh"
#include "g4/g4_lists.h"

#define THREADS 128
#define PAYS                                                                                       \
    0.4 /* share of all tiles below which lists are chosen: windows are short, and all else */
#define DRIFT 2.0   /* Å that groups are supposed to grow by in a window */
#define MARGIN 1e-3 /* Å: positions are rounded to single precision */

/* Where number k of six of group g lies: the ranges of groups of all threads side by side. */
__host__ __device__ static inline size_t box_room(size_t groups)
{
    return (groups + THREADS - 1) / THREADS * THREADS;
}
__device__ __forceinline__ size_t box_at(size_t groups, size_t g, int k)
{
    size_t room = box_room(groups), share = room / THREADS;
    return (size_t)k * room + g % share * THREADS + g / share;
}

void lists_plan(const struct g4_params *p, const struct box *box, struct lists_plan *l)
{
    double reach = g4_lists_reach(&p->sum), n = (double)p->natoms, share = 1.0;
    memset(l, 0, sizeof *l);
    if (!g4_lists_may(p) || g4_gpu_lists < 0 || !box->pbc[0] || !box->pbc[1] || !box->pbc[2])
        return;
    double edge = cbrt(16.0 * box_volume(box) / n);
    for (int k = 0; k < 3; k++) {
        double of = 2.0 * (edge + DRIFT + reach) / box_width(box, k);
        share *= of < 1.0 ? of : 1.0;
    }
    if (share > PAYS && !g4_gpu_lists)
        return;
    /* the product of the two smaller widths is at most that of a cube */
    l->columns = (size_t)cbrt(n * n / 256.0) + 1;
    l->groups = p->natoms / 16 + l->columns;
    l->reach = reach;
}

int lists_open(struct err *e, struct g4_lists *l, const struct lists_plan *q)
{
    size_t g = q->groups;
    return gpu_alloc_host(e, (void **)&l->h_perm, 16 * g * sizeof(int), "order of atoms") ||
                   gpu_alloc(e, (void **)&l->d_perm, 16 * g * sizeof(int), "order of atoms") ||
                   gpu_alloc(e, (void **)&l->d_extent, 6 * box_room(g) * sizeof(double),
                             "groups of atoms") ||
                   gpu_alloc_host(e, (void **)&l->h_begin, 2 * (g + 1) * sizeof(size_t), "lists") ||
                   gpu_alloc(e, (void **)&l->d_begin, 2 * (g + 1) * sizeof(size_t), "lists")
               ? -1
               : 0;
}

void lists_close(struct g4_lists *l)
{
    cudaFreeHost(l->h_perm);
    cudaFreeHost(l->h_begin);
    cudaFree(l->d_perm);
    cudaFree(l->d_extent);
    cudaFree(l->d_begin);
    cudaFree(l->d_tile);
    cudaFree(l->d_row);
    memset(l, 0, sizeof *l);
}

struct place {
    double z;
    int column, atom;
};

static size_t along(double n, size_t most)
{
    return n < 1.0 ? 1 : n < (double)most ? (size_t)n : most;
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
            s[k] = s[k] >= 0 && s[k] < 1 ? s[k] : 0.0; /* not a number, too: blamed later */
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
    double *extent; /* box_at: 3 centres, 3 half edges; -1: no atoms */
};

/* Fractional coordinates of an atom (a row) in a column. */
template <class T>
__device__ __forceinline__ void fraction(const extent_args &a, size_t row, int col, double s[3])
{
    typename vec4<T>::type v =
        ((const typename vec4<T>::type *)a.pos)[(row / 4 * a.ld + col) * 4 + row % 4];
    const struct box *b = &a.cell[a.fixed ? 0 : col].d;
    for (int k = 0; k < 3; k++)
        s[k] = (double)v.x * b->inv[0][k] + (double)v.y * b->inv[1][k] + (double)v.z * b->inv[2][k];
}

/* Block: a group; threads take columns. */
template <class T> __global__ void lists_extent_kernel(const __grid_constant__ extent_args a)
{
    __shared__ double low[3][THREADS], high[3][THREADS];
    int me = threadIdx.x;
    size_t first = 16 * (size_t)blockIdx.x;
    double c[3], s0[3], s[3], lo[3] = {1e30, 1e30, 1e30}, hi[3] = {-1e30, -1e30, -1e30};
    fraction<T>(a, first, 0, c);
    for (int m = 0; m < 16; m++) {
        fraction<T>(a, first + m, 0, s0);
        for (int col = me; col < a.cols && s0[0] == s0[0]; col += THREADS) { /* pads are NaN */
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
    double width[3], reach2; /* least widths of the cells */
    int ortho;
    size_t
        *begin; /* [2][groups + 1]: first tile of a row, first entry of a column; counts at first */
    int2 *tile; /* NULL: count only */
    int *row;   /* of the entries of a column */
};

/* box: of the group of this block; at: where number 0 of another lies. */
__device__ __forceinline__ bool in_reach(const tiles_args &a, const double box[6], size_t at)
{
    double sum = 0.0;
    size_t room = box_room(a.groups);
    for (int k = 0; k < 3 && sum <= a.reach2; k++) { /* most are far along the first */
        double half = a.extent[at + (3 + k) * room], d = box[k] - a.extent[at + k * room];
        if (half < 0 || box[3] < 0)
            return false;
        d = fabs(d - box_nint_f64(d)) - (box[3 + k] + half);
        d = d > 0 ? d * a.width[k] : 0.0;
        sum = a.ortho ? sum + d * d : d * d > sum ? d * d : sum;
    }
    return sum <= a.reach2;
}

/*
 * Block: a group; its tiles as a row (with groups from itself on) and as a column (with those
 * before). Threads take ranges of groups, so that the entries lie in order.
 */
__global__ void lists_tiles_kernel(const __grid_constant__ tiles_args a)
{
    __shared__ int found[2][THREADS];
    size_t g = blockIdx.x, share = box_room(a.groups) / THREADS, from = threadIdx.x * share,
           to = from + share < a.groups ? from + share : a.groups;
    double box[6];
    for (int k = 0; k < 6; k++)
        box[k] = a.extent[box_at(a.groups, g, k)];
    int n[2] = {0, 0};
    for (size_t h = from; h < to; h++)
        if (in_reach(a, box, (h - from) * THREADS + threadIdx.x))
            n[h < g]++;
    found[0][threadIdx.x] = n[0];
    found[1][threadIdx.x] = n[1];
    __syncthreads();
    size_t at[2] = {0, 0};
    int end = a.tile ? (int)threadIdx.x : THREADS;
    for (int t = 0; t < end; t++) {
        at[0] += found[0][t];
        at[1] += found[1][t];
    }
    if (!a.tile) {
        if (threadIdx.x < 2)
            a.begin[threadIdx.x * (a.groups + 1) + g] = at[threadIdx.x];
        return;
    }
    int2 *tile = a.tile + a.begin[g] + at[0];
    int *row = a.row + a.begin[a.groups + 1 + g] + at[1];
    for (size_t h = from; h < to; h++)
        if (in_reach(a, box, (h - from) * THREADS + threadIdx.x)) {
            if (h < g)
                *row++ = (int)h;
            else
                *tile++ = make_int2((int)g, (int)h);
        }
}

/* Room for the tiles of this window, and some more. */
static int reserve(struct err *e, struct g4_lists *l, size_t tiles)
{
    if (tiles <= l->room)
        return 0;
    cudaFree(l->d_tile);
    cudaFree(l->d_row);
    l->d_tile = NULL;
    l->d_row = NULL;
    l->room = 0;
    if (gpu_alloc(e, (void **)&l->d_tile, (tiles + tiles / 4) * sizeof(int2), "lists") ||
        gpu_alloc(e, (void **)&l->d_row, (tiles + tiles / 4) * sizeof(int), "lists"))
        return -1;
    l->room = tiles + tiles / 4;
    return 0;
}

int lists_make(struct err *e, struct g4_lists *l, const struct lists_plan *q, struct lists_window w,
               cudaStream_t stream)
{
    size_t bytes = 2 * (q->groups + 1) * sizeof(size_t), *begin = l->h_begin;
    struct extent_args x = {w.pos, w.ld, w.cols, w.fixed, w.cell, q->groups, l->d_extent};
    struct tiles_args t = {};
    t.extent = l->d_extent;
    t.groups = q->groups;
    t.ortho = 1;
    for (int c = 0; c < w.cols; c++)
        for (int k = 0; k < 3; k++) {
            double width = box_width(w.box + c, k);
            t.width[k] = c && t.width[k] < width ? t.width[k] : width;
            t.ortho &= w.box[c].ortho;
        }
    t.reach2 = (q->reach + MARGIN) * (q->reach + MARGIN);
    t.begin = l->d_begin;
    if (w.is64)
        lists_extent_kernel<double><<<(unsigned)q->groups, THREADS, 0, stream>>>(x);
    else
        lists_extent_kernel<float><<<(unsigned)q->groups, THREADS, 0, stream>>>(x);
    if (TRY_LAUNCH(e, "lists_extent_kernel"))
        return -1;
    lists_tiles_kernel<<<(unsigned)q->groups, THREADS, 0, stream>>>(t);
    if (TRY_LAUNCH(e, "lists_tiles_kernel") ||
        TRY(e, cudaMemcpyAsync(begin, l->d_begin, bytes, cudaMemcpyDeviceToHost, stream)) ||
        TRY(e, cudaStreamSynchronize(stream)))
        return -1;
    for (int side = 0; side < 2; side++, begin += q->groups + 1) {
        size_t sum = 0;
        for (size_t g = 0; g <= q->groups; g++) {
            size_t n = g < q->groups ? begin[g] : 0;
            begin[g] = sum;
            sum += n;
        }
    }
    l->tiles = l->h_begin[q->groups];
    if (reserve(e, l, l->tiles) ||
        TRY(e, cudaMemcpyAsync(l->d_begin, l->h_begin, bytes, cudaMemcpyHostToDevice, stream)))
        return -1;
    t.tile = l->d_tile;
    t.row = l->d_row;
    lists_tiles_kernel<<<(unsigned)q->groups, THREADS, 0, stream>>>(t);
    return TRY_LAUNCH(e, "lists_tiles_kernel");
}

/*
 * Block x: a group from row0 on, 128 columns y; thread: a column. A of its 16 atoms += the sums of
 * tiles [first, last): its row first, then its column, in order.
 */
__global__ void lists_atoms_kernel(const double *asum, size_t ld, struct tile_list list, int cols,
                                   size_t first, size_t last, size_t row0, double *atoms)
{
    size_t g = row0 + blockIdx.x, col = (size_t)blockIdx.y * blockDim.x + threadIdx.x;
    const size_t *begin = list.begin, *entry = list.begin + list.groups + 1;
    size_t from = begin[g] > first ? begin[g] : first,
           to = begin[g + 1] < last ? begin[g + 1] : last;
    double sum[16] = {}, *a = atoms + 16 * g * ld + col;
    if (col >= (size_t)cols)
        return;
    int any = !first;
    for (size_t k = from; k < to; k++, any = 1)
        for (int m = 0; m < 16; m++)
            sum[m] += asum[((k - first) * GRAM_TILE_SUMS + m) * ld + col];
    for (size_t n = entry[g]; n < entry[g + 1]; n++) {
        size_t h = (size_t)list.row[n], lo = begin[h], hi = begin[h + 1];
        if (hi <= first || lo >= last)
            continue;
        while (hi - lo > 1) { /* tile (h, g) */
            size_t mid = (lo + hi) / 2;
            if ((size_t)list.tile[mid].y <= g)
                lo = mid;
            else
                hi = mid;
        }
        if (lo < first || lo >= last)
            continue;
        any = 1;
        for (int m = 0; m < 16; m++)
            sum[m] += asum[((lo - first) * GRAM_TILE_SUMS + 16 + m) * ld + col];
    }
    if (begin[g] == from && from < to) /* the diagonal is a column, too */
        for (int m = 0; m < 16; m++)
            sum[m] += asum[((from - first) * GRAM_TILE_SUMS + 16 + m) * ld + col];
    for (int m = 0; any && m < 16; m++)
        a[m * ld] = first ? a[m * ld] + sum[m] : sum[m];
}

int lists_atoms(struct err *e, const struct gram_args *a, size_t n, double *atoms,
                cudaStream_t stream)
{
    const size_t *begin = a->list.h_begin;
    size_t row0 =
        (size_t)(std::upper_bound(begin, begin + a->list.groups, a->first_tile) - begin) - 1;
    row0 = a->first_tile ? row0 : 0;
    dim3 grid((unsigned)(a->list.groups - row0), (unsigned)((a->cols + 127) / 128));
    lists_atoms_kernel<<<grid, 128, 0, stream>>>(a->asum, a->ld, a->list, a->cols, a->first_tile,
                                                 a->first_tile + n, row0, atoms);
    return TRY_LAUNCH(e, "lists_atoms_kernel");
}
