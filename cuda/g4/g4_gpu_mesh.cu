/* SPDX-License-Identifier: MIT */
/*
 * A_i from a mesh beside lists: atoms onto the mesh and off it, memory, and the way of a chunk.
 *
 * The points of atoms that lie near each other, 64 rows of the lists or 16, are a brick of the mesh
 * that a block has in shared memory: they meet there, row after row, and the brick meets others on
 * the mesh in 64-bit fixed point, in which the order makes no difference. A step is worked on as a
 * column of the window; as many of them as have room go together through each kernel and transform.
 */
#include <algorithm>
#include <climits>
#include <cstring>
#include <vector>

#include "g4/g4_gpu_gram.cuh"

#define ROWS 64     /* of a block, four groups of the lists */
#define GROUP 16    /* those of a brick where all do not fit */
#define THREADS 256 /* of it */
#define WARPS (THREADS / 32)
#define MESH_BYTES ((size_t)64 << 20) /* of the meshes of a batch */
#define FEW_COLUMNS 4                 /* of it, that share the weights of their waves, where they */
#define FEW_BYTES ((size_t)2 << 30)   /* take no more than that; or one mesh */
#define MOST_COLUMNS 64               /* of a batch */
#define POINT_BITS 47                 /* behind the point at most: a brick's point is < 2^4 */
#define BRICK_POINTS 11264            /* two blocks a multiprocessor */
#define BRICK_EDGE 96
#define LANE_PAIRS ((MESH_ORDER * MESH_ORDER + 31) / 32)

/* ---- atoms onto the mesh and off it */

/* Where the atoms of a block stand on the mesh, their weights along each axis, and a brick. */
struct stencils {
    int at[ROWS][3]; /* -1: no atom */
    double w[ROWS][3][MESH_ORDER];
    int off[ROWS][3], size[3]; /* in the brick; of the brick */
    size_t plane[BRICK_EDGE];  /* where its planes, lines and points stand */
    int line[BRICK_EDGE], point[BRICK_EDGE];
};

/* Block: 64 rows x, column y of the batch. */
template <class T>
__device__ __forceinline__ void stencils_make(const mesh_args &a, struct stencils *s)
{
    int me = threadIdx.x, atom = me / 3, k = me % 3, col = a.column[a.first + blockIdx.y];
    size_t row = (size_t)blockIdx.x * ROWS + atom;
    if (me >= 3 * ROWS)
        return;
    s->at[atom][k] = -1;
    if (row >= a.rows)
        return;
    typename vec4<T>::type v =
        ((const typename vec4<T>::type *)a.pos)[(row / 4 * a.ld + col) * 4 + row % 4];
    const struct box *b = &a.cell[a.fixed ? 0 : col].d;
    double f = ((double)v.x * b->inv[0][k] + (double)v.y * b->inv[1][k]) +
               (double)v.z * b->inv[2][k],
           past;
    if (f == f) { /* pads are NaN */
        s->at[atom][k] = mesh_place(f, a.n[k], &past);
        mesh_spline(a.plan.order, past, s->w[atom][k]);
    }
}

/* Block: the brick of count rows from `from` on. False: it has no room. */
__device__ __forceinline__ bool brick_open(const mesh_args &a, struct stencils *s, int from,
                                           int count)
{
    int k = threadIdx.x / 32, lane = threadIdx.x & 31;
    __syncthreads();
    if (k < 3) {
        int n = a.n[k], base = s->at[from][k], low = INT_MAX, high = INT_MIN;
        for (int r = from + lane; r < from + count; r += 32) {
            int d = s->at[r][k] - base;
            d += d > n / 2 ? -n : d < -(n / 2) ? n : 0;
            s->off[r][k] = d;
            low = s->at[r][k] >= 0 && d < low ? d : low;
            high = s->at[r][k] >= 0 && d > high ? d : high;
        }
        for (int m = 16; m; m /= 2) {
            int l = __shfl_xor_sync(~0u, low, m), h = __shfl_xor_sync(~0u, high, m);
            low = l < low ? l : low;
            high = h > high ? h : high;
        }
        for (int r = from + lane; r < from + count; r += 32)
            s->off[r][k] -= low;
        int size = low <= high ? high - low + a.plan.order : 0;
        for (int p = lane; p < size && p < BRICK_EDGE; p += 32) {
            int at = (base + low + p) % n;
            at += at < 0 ? n : 0;
            if (k == 0)
                s->plane[p] = (size_t)at * a.n[1] * a.pitch;
            else
                (k == 1 ? s->line : s->point)[p] = k == 1 ? at * a.pitch : at;
        }
        if (lane == 0)
            s->size[k] = size;
    }
    __syncthreads();
    return s->size[0] <= BRICK_EDGE && s->size[1] <= BRICK_EDGE && s->size[2] <= BRICK_EDGE &&
           s->size[0] * s->size[1] * s->size[2] <= BRICK_POINTS;
}

/* Pairs of points along the second and the third axis of an atom, which lanes take in turn. */
struct lane_pairs {
    int count, l[LANE_PAIRS], m[LANE_PAIRS];

    __device__ __forceinline__ explicit lane_pairs(int order)
    {
        int n = threadIdx.x & 31;
        count = 0;
#pragma unroll
        for (int k = 0; k < LANE_PAIRS; k++, n += 32) {
            l[k] = n / order;
            m[k] = n % order;
            count += n < order * order;
        }
    }
};

/* Point (k, l, m) of an atom's, of the mesh of its column. */
__device__ __forceinline__ size_t mesh_point(const mesh_args &a, const int at[3], int k, int l,
                                             int m)
{
    int x = at[0] + k, y = at[1] + l, z = at[2] + m;
    x -= x < a.n[0] ? 0 : a.n[0];
    y -= y < a.n[1] ? 0 : a.n[1];
    z -= z < a.n[2] ? 0 : a.n[2];
    return ((size_t)x * a.n[1] + y) * a.pitch + z;
}

__device__ __forceinline__ long long fixed_bits(double v)
{
    long long bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}
/* *to += v, in units of 1 / a.one: next to the base, doubles are multiples of it. */
__device__ __forceinline__ void fixed_add(const mesh_args &a, unsigned long long *to, double v)
{
    double base = 6755399441055744.0 / a.one; /* 1.5 * 2^52 */
    atomicAdd(to, (unsigned long long)(fixed_bits(v + base) - fixed_bits(base)));
}

/* A warp's planes of the brick, every eighth: its rows onto them, then they onto the mesh. */
__device__ __forceinline__ void brick_spread(const mesh_args &a, const struct stencils *s,
                                             const lane_pairs &mine, int from, int count,
                                             double *brick, unsigned long long *mesh)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x & 31, X = s->size[0], Y = s->size[1],
        Z = s->size[2], order = a.plan.order;
    for (int x = warp; x < X; x += WARPS)
        for (int n = lane; n < Y * Z; n += 32)
            brick[x * Y * Z + n] = 0.0;
    __syncwarp();
    for (int r = from; r < from + count; r++) {
        if (s->at[r][0] < 0)
            continue;
        const int *off = s->off[r];
        double *to = brick + (off[0] * Y + off[1]) * Z + off[2];
        for (int p = (warp - off[0]) & (WARPS - 1); p < order; p += WARPS) {
            double wa = s->w[r][0][p];
#pragma unroll
            for (int k = 0; k < LANE_PAIRS; k++)
                if (k < mine.count)
                    to[(p * Y + mine.l[k]) * Z + mine.m[k]] +=
                        wa * (s->w[r][1][mine.l[k]] * s->w[r][2][mine.m[k]]);
        }
        __syncwarp();
    }
    for (int x = warp; x < X; x += WARPS)
        for (int y = lane / 16; y < Y; y += 2)
            for (int z = lane % 16; z < Z; z += 16) {
                double v = brick[(x * Y + y) * Z + z];
                if (v != 0.0)
                    fixed_add(a, mesh + s->plane[x] + s->line[y] + s->point[z], v);
            }
}

template <class T> __global__ void mesh_spread_kernel(const __grid_constant__ mesh_args a)
{
    extern __shared__ double s_brick[];
    __shared__ struct stencils s;
    int order = a.plan.order, lane = threadIdx.x & 31;
    unsigned long long *mesh = (unsigned long long *)(a.mesh + blockIdx.y * a.values);
    lane_pairs mine(order);
    stencils_make<T>(a, &s);
    bool whole = brick_open(a, &s, 0, ROWS);
    for (int from = 0, count = whole ? ROWS : GROUP; from < ROWS; from += count) {
        if (whole || brick_open(a, &s, from, count)) {
            brick_spread(a, &s, mine, from, count, s_brick, mesh);
            continue;
        }
        for (int r = from + threadIdx.x / 32; r < from + count; r += WARPS)
            for (int p = 0; p < order && s.at[r][0] >= 0; p++)
                for (int n = lane; n < order * order; n += 32)
                    fixed_add(a, mesh + mesh_point(a, s.at[r], p, n / order, n % order),
                              s.w[r][0][p] * (s.w[r][1][n / order] * s.w[r][2][n % order]));
    }
}

/* Fixed point to double. */
__global__ void mesh_double_kernel(double *mesh, double unit, size_t n)
{
    for (size_t k = (size_t)blockIdx.x * THREADS + threadIdx.x; k < n;
         k += (size_t)gridDim.x * THREADS)
        mesh[k] = (double)fixed_bits(mesh[k]) * unit;
}

/* The brick's part of the mesh. */
__device__ __forceinline__ void brick_load(const struct stencils *s, double *brick,
                                           const double *mesh)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x & 31, Y = s->size[1], Z = s->size[2];
    for (int x = warp; x < s->size[0]; x += WARPS)
        for (int y = lane / 16; y < Y; y += 2)
            for (int z = lane % 16; z < Z; z += 16)
                brick[(x * Y + y) * Z + z] = mesh[s->plane[x] + s->line[y] + s->point[z]];
    __syncthreads();
}

/* This lane's part of the mesh at a row: from its brick, or (NULL) point by point. */
__device__ __forceinline__ double row_value(const mesh_args &a, const struct stencils *s,
                                            const lane_pairs &mine, int r, const double *brick,
                                            const double *mesh)
{
    const int *off = s->off[r];
    int Y = s->size[1], Z = s->size[2], order = a.plan.order;
    double sum = 0.0;
#pragma unroll
    for (int k = 0; k < LANE_PAIRS; k++) {
        double part = 0.0;
        int l = mine.l[k], m = mine.m[k], at = (off[0] * Y + off[1] + l) * Z + off[2] + m;
        if (k >= mine.count)
            break;
        for (int p = 0; p < order; p++)
            part += s->w[r][0][p] *
                    (brick ? brick[at + p * Y * Z] : mesh[mesh_point(a, s->at[r], p, l, m)]);
        sum += (s->w[r][1][l] * s->w[r][2][m]) * part;
    }
    return sum;
}

/* A of component number c. */
template <class T> __global__ void mesh_gather_kernel(const __grid_constant__ mesh_args a, int c)
{
    extern __shared__ double s_brick[];
    __shared__ struct stencils s;
    int col = a.column[a.first + blockIdx.y];
    const double *mesh = a.back + blockIdx.y * a.values;
    double self = a.self[(size_t)a.which[col] * BETA_NCOMPONENTS + a.component[c]];
    double *atoms = a.atoms + (size_t)c * (a.rows + 1) * a.ld + col;
    lane_pairs mine(a.plan.order);
    stencils_make<T>(a, &s);
    bool whole = brick_open(a, &s, 0, ROWS);
    for (int from = 0, count = whole ? ROWS : GROUP; from < ROWS; from += count) {
        bool fits = whole || brick_open(a, &s, from, count);
        if (fits)
            brick_load(&s, s_brick, mesh);
        for (int r = from + threadIdx.x / 32; r < from + count; r += WARPS) {
            size_t row = (size_t)blockIdx.x * ROWS + r;
            bool on = s.at[r][0] >= 0;
            double sum = on ? row_value(a, &s, mine, r, fits ? s_brick : NULL, mesh) : 0.0;
            for (int k = 16; k; k /= 2)
                sum += __shfl_xor_sync(~0u, sum, k);
            if ((threadIdx.x & 31) == 0 && row < a.rows)
                atoms[row * a.ld] = on ? a.coef[c] * (sum - self) : 0.0;
        }
    }
}

/* ---- memory */

static size_t values_of(const int n[3])
{
    return gpu_mul(gpu_mul((size_t)n[0], (size_t)n[1]), 2 * ((size_t)n[2] / 2 + 1));
}

/* Meshes of n points in a batch: it follows from n alone, as may the rounding of transforms. */
static size_t batch_of(const int n[3])
{
    size_t one = gpu_mul(values_of(n), sizeof(double)),
           few = std::min(gpu_mul(FEW_COLUMNS, one), FEW_BYTES),
           k = std::max(few, MESH_BYTES) / one;
    return k < 1 ? 1 : k < MOST_COLUMNS ? k : MOST_COLUMNS;
}

int mesh_plan_gpu(struct err *e, const struct g4_params *p, const struct box *box,
                  struct g4_plan *q)
{
    struct box reduced;
    struct mesh_plan *m = &q->mesh;
    int n[3];
    if (ewald_reduce(box, &reduced, e))
        return -1;
    mesh_points(&p->sum.plan, &reduced, n);
    m->batch = batch_of(n);
    m->values = gpu_mul(m->batch, values_of(n));
    m->host_bytes = gpu_mul(q->ld, 2 * sizeof(int));
    /* transforms take up to one mesh more */
    m->device_bytes = gpu_add(
        gpu_mul(m->values, (p->ncomp > 1 ? 3 : 2) * sizeof(double)),
        gpu_mul(q->ld, 2 * sizeof(int) + (WAVES_PARTS + 1) * BETA_NCOMPONENTS * sizeof(double)));
    return 0;
}

/* Room for `values` doubles of meshes. Columns that a batch has not are transformed, too. */
static int mesh_room(struct err *e, struct g4_mesh *m, int ncomp, size_t values)
{
    if (values <= m->room)
        return 0;
    if (m->d_back != m->d_mesh)
        cudaFree(m->d_back);
    cudaFree(m->d_mesh);
    m->d_mesh = m->d_back = NULL;
    m->room = 0;
    if (gpu_alloc(e, (void **)&m->d_mesh, values * sizeof(double), "mesh") ||
        (ncomp > 1 && (gpu_alloc(e, (void **)&m->d_back, values * sizeof(double), "mesh") ||
                       TRY(e, cudaMemset(m->d_back, 0, values * sizeof(double))))))
        return -1;
    m->d_back = ncomp > 1 ? m->d_back : m->d_mesh;
    m->room = values;
    return 0;
}

int mesh_open(struct err *e, struct g4_mesh *m, const struct g4_params *p, const struct g4_plan *q)
{
    size_t sums = q->ld * BETA_NCOMPONENTS * sizeof(double);
    return mesh_room(e, m, p->ncomp, q->mesh.values) ||
                   gpu_alloc(e, (void **)&m->d_self, sums, "mesh") ||
                   gpu_alloc(e, (void **)&m->d_part, WAVES_PARTS * sums, "mesh") ||
                   gpu_alloc(e, (void **)&m->d_columns, 2 * q->ld * sizeof(int), "mesh") ||
                   gpu_alloc_host(e, (void **)&m->h_columns, 2 * q->ld * sizeof(int), "mesh")
               ? -1
               : 0;
}

void mesh_close(struct g4_mesh *m)
{
    for (struct mesh_shape &s : m->shape)
        waves_close(&s);
    if (m->d_back != m->d_mesh)
        cudaFree(m->d_back);
    cudaFree(m->d_mesh);
    cudaFree(m->d_work);
    cudaFree(m->d_self);
    cudaFree(m->d_part);
    cudaFree(m->d_columns);
    gpu_free_host(m->h_columns);
    memset(m, 0, sizeof *m);
}

/* ---- a chunk */

/* A new shape of n points: its transforms, and what mesh_axis says of them. */
static int shape_make(struct err *e, struct g4_mesh *m, struct mesh_shape *s,
                      const struct g4_params *p, const int n[3])
{
    size_t all = (size_t)n[0] + (size_t)n[1] + (size_t)n[2], bytes = 2 * all * sizeof(double);
    double *axis = (double *)malloc(bytes), *to = axis;
    if (!axis)
        return err_memory(e, "a mesh");
    for (int k = 0; k < 3; to += n[k++])
        mesh_axis(&p->sum.plan, n[k], to, to + all);
    waves_close(s);
    memcpy(s->n, n, sizeof s->n);
    s->batch = (int)batch_of(n);
    int bad = gpu_alloc(e, (void **)&s->d_axis, bytes, "mesh") ||
              TRY(e, cudaMemcpy(s->d_axis, axis, bytes, cudaMemcpyHostToDevice)) ||
              waves_plan(e, m, s);
    free(axis);
    return bad ? -1 : 0;
}

/* The shape of n points, in the place of the oldest where it is new; a reads it. NULL: failed. */
static struct mesh_shape *shape_of(struct err *e, struct g4_mesh *m, const struct g4_params *p,
                                   const int n[3], struct mesh_args *a, cudaStream_t stream)
{
    struct mesh_shape *s = m->shape, *end = m->shape + MESH_SHAPES;
    while (s < end && memcmp(s->n, n, sizeof s->n) != 0)
        s++;
    if (s == end) {
        s = m->shape + m->made++ % MESH_SHAPES;
        if (TRY(e, cudaStreamSynchronize(stream)) ||
            mesh_room(e, m, p->ncomp, gpu_mul(batch_of(n), values_of(n))) ||
            shape_make(e, m, s, p, n))
            return NULL;
    }
    memcpy(a->n, n, sizeof a->n);
    a->pitch = 2 * (n[2] / 2 + 1);
    a->values = values_of(n);
    a->mesh = m->d_mesh;
    a->back = m->d_back;
    a->axis = s->d_axis;
    return s;
}

/* Kernels with a brick. */
static dim3 brick_grid(const struct mesh_args *a)
{
    return dim3((unsigned)((a->rows + ROWS - 1) / ROWS), (unsigned)a->count);
}
template <class K> static int brick_room(struct err *e, K kernel)
{
    return TRY(e, cudaFuncSetAttribute((const void *)kernel,
                                       cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       BRICK_POINTS * sizeof(double)));
}

template <class T>
static int mesh_batch(struct err *e, struct g4_slot *s, const struct mesh_shape *h,
                      const struct mesh_args *a)
{
    cudaStream_t stream = s->on.stream;
    size_t values = a->values * (size_t)h->batch, brick = BRICK_POINTS * sizeof(double),
           blocks = std::min((values + THREADS - 1) / THREADS, (size_t)8192);
    if (brick_room(e, mesh_spread_kernel<T>) || brick_room(e, mesh_gather_kernel<T>) ||
        TRY(e, cudaMemsetAsync(a->mesh, 0, values * sizeof(double), stream)) ||
        waves_self(e, a, stream))
        return -1;
    mesh_spread_kernel<T><<<brick_grid(a), THREADS, brick, stream>>>(*a);
    if (TRY_LAUNCH(e, "mesh_spread_kernel"))
        return -1;
    mesh_double_kernel<<<(unsigned)blocks, THREADS, 0, stream>>>(a->mesh, 1.0 / a->one, values);
    if (TRY_LAUNCH(e, "mesh_double_kernel") || waves_forth(e, &s->mesh, h, a, stream))
        return -1;
    for (int c = 0; c < a->ncomp; c++) {
        if (waves_filter(e, a, c, stream) || waves_back(e, &s->mesh, h, a, stream))
            return -1;
        mesh_gather_kernel<T><<<brick_grid(a), THREADS, brick, stream>>>(*a, c);
        if (TRY_LAUNCH(e, "mesh_gather_kernel"))
            return -1;
    }
    return 0;
}

/* A column and the points of its mesh. */
struct pointed {
    int n[3], column;
};

/* h_columns, and columns in the order of their shapes. */
static int mesh_columns(struct err *e, struct g4_slot *s, const struct g4_params *p, size_t ld,
                        std::vector<struct pointed> &order)
{
    const struct box *box = (const struct box *)s->h_box;
    int *which = s->mesh.h_columns;
    for (int t = 0; t < s->cols; t++) {
        bool same = t && !memcmp(box + t, box + t - 1, sizeof *box);
        struct pointed at = {};
        if (same)
            at = order.back();
        else
            mesh_points(&p->sum.plan, box + t, at.n);
        at.column = t;
        which[t] = same ? which[t - 1] : t;
        order.push_back(at);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const struct pointed &a, const struct pointed &b) {
                         return std::lexicographical_compare(a.n, a.n + 3, b.n, b.n + 3);
                     });
    for (int t = 0; t < s->cols; t++)
        which[ld + (size_t)t] = order[(size_t)t].column;
    return TRY(e, cudaMemcpyAsync(s->mesh.d_columns, which, 2 * ld * sizeof *which,
                                  cudaMemcpyHostToDevice, s->on.stream));
}

int mesh_atoms(struct err *e, struct g4_slot *s, const struct g4_params *p, const struct g4_plan *q)
{
    struct mesh_args a = {};
    std::vector<struct pointed> order;
    a.pos = s->d_pos;
    a.ld = q->ld;
    a.rows = q->rows;
    a.cell = s->cells.d;
    a.fixed = s->cells.n == 1;
    a.which = s->mesh.d_columns;
    a.column = a.which + q->ld;
    a.self = s->mesh.d_self;
    a.part = s->mesh.d_part;
    a.atoms = (double *)s->d_a;
    a.plan = p->sum.plan;
    a.ncomp = p->ncomp;
    memcpy(a.component, p->component, sizeof a.component);
    memcpy(a.coef, p->coef, sizeof a.coef);
    int bits = 0;
    while ((size_t)1 << bits < p->natoms)
        bits++;
    a.one = ldexp(1.0, std::min(POINT_BITS, 64 - bits));
    a.list = slot_list(s, q);
    cells_beta(&s->cells, p, 0, &a.beta);
    if (mesh_columns(e, s, p, q->ld, order))
        return -1;
    for (a.first = 0; a.first < s->cols; a.first += a.count) {
        const int *n = order[(size_t)a.first].n;
        const struct mesh_shape *h = shape_of(e, &s->mesh, p, n, &a, s->on.stream);
        if (!h)
            return -1;
        for (a.count = 1; a.first + a.count < s->cols && a.count < h->batch; a.count++)
            if (memcmp(n, order[(size_t)(a.first + a.count)].n, sizeof h->n) != 0)
                break;
        if ((q->is64 ? mesh_batch<double> : mesh_batch<float>)(e, s, h, &a))
            return -1;
    }
    return near_add(e, &a, q->is64, s->cells.cell, s->cols, s->on.stream);
}
