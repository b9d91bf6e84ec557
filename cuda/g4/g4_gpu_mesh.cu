/* SPDX-License-Identifier: MIT */
/* Computes A_i from a mesh in addition to lists. This file spreads atoms onto the mesh, gathers the
 * field, and manages memory and the processing of a chunk.
 *
 * Atoms are added on the mesh in 64-bit fixed point, where the order makes no difference. A step is
 * a column of the window. Each kernel and transform processes as many columns as fit into memory
 * together.
 */
#include <algorithm>
#include <cstring>
#include <vector>

#include "g4/g4_gpu_gram.cuh"
#include "mesh/mesh_gpu.cuh"

#define GROUP 16    /* number of rows per block */
#define THREADS 128 /* threads per block */
#define WARPS (THREADS / 32)
#define MESH_BYTES ((size_t)64 << 20) /* bytes for the meshes of a batch */
#define FEW_COLUMNS 4                 /* columns that share the weights of their waves */
#define FEW_BYTES ((size_t)2 << 30)   /* memory limit of FEW_COLUMNS, unless one mesh needs more */
#define MAX_COLUMNS 64                /* largest batch */
#define POINT_BITS 50                 /* largest number of fraction bits, as weights are < 1 */
#define LANE_PAIRS ((MESH_ORDER * MESH_ORDER + 31) / 32)

/* ---- atoms to and from the mesh */

/* Block (x, y) processes group x of rows and column y of the batch. Computes the stencils of its
 * atoms and synchronises. */
template <class T>
__device__ __forceinline__ void stencils_make(const mesh_args &a, struct mesh_stencil *s)
{
    int me = threadIdx.x, atom = me / 3, k = me % 3, col = a.column[a.first + blockIdx.y];
    if (me < 3 * GROUP) {
        size_t row = (size_t)blockIdx.x * GROUP + atom;
        typename vec4<T>::type v =
            ((const typename vec4<T>::type *)a.pos)[(row / 4 * a.ld + col) * 4 + row % 4];
        const struct box *b = &a.cell[a.fixed ? 0 : col].d;
        double f = ((double)v.x * b->inv[0][k] + (double)v.y * b->inv[1][k]) +
                   (double)v.z * b->inv[2][k]; /* padding is NaN */
        mesh_stencil_axis(&s[atom], k, f, a.n, a.pitch, a.plan.mesh.order);
    }
    __syncthreads();
}

/* Loops over the points of an atom in planes along the first axis. Lanes process the pairs of
 * points along the other two axes in turn, in memory order. */
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
    /* Returns the index of pair k in a plane. */
    __device__ __forceinline__ size_t row(const mesh_args &a, const struct mesh_stencil *s,
                                          int k) const
    {
        return mesh_stencil_row(s, l[k], m[k], a.n, a.pitch);
    }
};

/* Returns the atom of a row, as in factors.h. Padding is recognised by its stencil. */
__device__ __forceinline__ size_t atom_of(const mesh_args &a, int atom)
{
    return (size_t)a.perm[(size_t)blockIdx.x * GROUP + atom];
}

/* Returns a double whose sum with a number is rounded to a multiple of 1 / one. */
__device__ __forceinline__ double fixed_base(double one)
{
    return 6755399441055744.0 / one; /* 1.5 * 2^52 */
}

template <class T> __global__ void mesh_spread_kernel(const __grid_constant__ mesh_args a)
{
    __shared__ struct mesh_stencil s[GROUP];
    int order = a.plan.mesh.order;
    unsigned long long *mesh = (unsigned long long *)(a.mesh + blockIdx.y * a.values);
    double base = fixed_base(a.one);
    lane_pairs mine(order);
    stencils_make<T>(a, s);
    for (int atom = threadIdx.x / 32; atom < GROUP; atom += WARPS) {
        if (s[atom].at[0] < 0)
            continue;
        double charge = 1.0;
        if (a.factors.natoms)
            charge = a.factors.charge[a.group * a.factors.natoms + atom_of(a, atom)];
        if (charge == 0.0)
            continue;
#pragma unroll
        for (int k = 0; k < LANE_PAIRS; k++) {
            if (k >= mine.count)
                break;
            unsigned long long *to = mesh + mine.row(a, &s[atom], k);
            double w = charge * s[atom].w[1][mine.l[k]] * s[atom].w[2][mine.m[k]];
            for (int p = 0; p < order; p++)
                atomicAdd(to + s[atom].plane[p],
                          (unsigned long long)(mesh_bits(fma(s[atom].w[0][p], w, base)) -
                                               mesh_bits(base)));
        }
    }
}

/* Converts fixed point to double. */
__global__ void mesh_double_kernel(double *mesh, double unit, size_t n)
{
    mesh_to_double(mesh, n, unit);
}

/* Sets A of component number c for atoms of the group. Group 0 also sets A of others to 0. */
template <class T> __global__ void mesh_gather_kernel(const __grid_constant__ mesh_args a, int c)
{
    __shared__ struct mesh_stencil s[GROUP];
    int order = a.plan.mesh.order, col = a.column[a.first + blockIdx.y];
    const double *mesh = a.back + blockIdx.y * a.values;
    size_t of = (size_t)a.which[col] * BETA_NCOMPONENTS + a.component[c];
    const struct factors *f = &a.factors;
    lane_pairs mine(order);
    stencils_make<T>(a, s);
    for (int atom = threadIdx.x / 32; atom < GROUP; atom += WARPS) {
        double sum = 0.0, w = 1.0, self = a.self[of];
        bool on = s[atom].at[0] >= 0;
        if (f->natoms && on) {
            size_t i = atom_of(a, atom);
            on = f->group[i] == a.group;
            w = f->w[i];
            self = w * f->charge[a.group * f->natoms + i] * self + f->less[i] * a.images[of];
        }
#pragma unroll
        for (int k = 0; k < LANE_PAIRS; k++) {
            if (!on || k >= mine.count)
                break;
            const double *from = mesh + mine.row(a, &s[atom], k);
            double part = 0.0;
            for (int p = 0; p < order; p++)
                part += s[atom].w[0][p] * from[s[atom].plane[p]];
            sum += s[atom].w[1][mine.l[k]] * s[atom].w[2][mine.m[k]] * part;
        }
        for (int k = 16; k; k /= 2)
            sum += __shfl_xor_sync(~0u, sum, k);
        if ((threadIdx.x & 31) == 0 && (on || a.group == 0))
            a.atoms[((size_t)c * (a.rows + 1) + (size_t)blockIdx.x * GROUP + atom) * a.ld + col] =
                on ? a.coef[c] * (w * sum - self) : 0.0;
    }
}

/* ---- memory */

/* Returns the number of meshes of n points per batch. It depends only on n, because the rounding of
 * transforms may depend on it. */
static size_t batch_of(const int n[3])
{
    size_t one = gpu_mul(mesh_values(n), sizeof(double)),
           few = std::min(gpu_mul(FEW_COLUMNS, one), FEW_BYTES),
           k = std::max(few, MESH_BYTES) / one;
    return k < 1 ? 1 : k < MAX_COLUMNS ? k : MAX_COLUMNS;
}

int mesh_plan_gpu(struct err *e, const struct g4_params *p, const struct box *box,
                  struct g4_plan *q)
{
    struct box reduced;
    struct mesh_plan *m = &q->mesh;
    int n[3];
    if (ewald_reduce(box, &reduced, e))
        return -1;
    mesh_points(&p->sum.plan.mesh, p->sum.plan.reach, &reduced, n);
    m->batch = batch_of(n);
    m->values = gpu_mul(m->batch, mesh_values(n));
    m->host_bytes = gpu_mul(q->ld, 2 * sizeof(int) + BETA_NCOMPONENTS * sizeof(double));
    /* transforms need up to one more mesh */
    m->device_bytes = gpu_add(
        gpu_mul(m->values, (p->ncomp > 1 ? 3 : 2) * sizeof(double)),
        gpu_mul(q->ld, 2 * sizeof(int) + (WAVES_PARTS + 2) * BETA_NCOMPONENTS * sizeof(double)));
    return 0;
}

/* Reserves `values` doubles for meshes. Unused columns of a batch are transformed as well. */
static int mesh_room(struct err *e, struct g4_mesh *m, int ncomp, size_t values)
{
    if (values <= m->capacity)
        return 0;
    if (m->d_back != m->d_mesh)
        cudaFree(m->d_back);
    cudaFree(m->d_mesh);
    m->d_mesh = m->d_back = NULL;
    m->capacity = 0;
    if (gpu_alloc(e, &m->d_mesh, values * sizeof(double), "mesh") ||
        (ncomp > 1 && (gpu_alloc(e, &m->d_back, values * sizeof(double), "mesh") ||
                       TRY(e, cudaMemset(m->d_back, 0, values * sizeof(double))))))
        return -1;
    m->d_back = ncomp > 1 ? m->d_back : m->d_mesh;
    m->capacity = values;
    return 0;
}

int mesh_open(struct err *e, struct g4_mesh *m, const struct g4_params *p, const struct g4_plan *q)
{
    size_t sums = q->ld * BETA_NCOMPONENTS * sizeof(double);
    return mesh_room(e, m, p->ncomp, q->mesh.values) || gpu_alloc(e, &m->d_self, sums, "mesh") ||
                   gpu_alloc(e, &m->d_part, WAVES_PARTS * sums, "mesh") ||
                   gpu_alloc(e, &m->d_images, sums, "mesh") ||
                   gpu_alloc_host(e, &m->h_images, sums, "mesh") ||
                   gpu_alloc(e, &m->d_columns, 2 * q->ld * sizeof(int), "mesh") ||
                   gpu_alloc_host(e, &m->h_columns, 2 * q->ld * sizeof(int), "mesh")
               ? -1
               : 0;
}

void mesh_close(struct g4_mesh *m)
{
    for (struct mesh_shape &s : m->shape) {
        mesh_fft_close(&s.fft);
        cudaFree(s.d_axis);
    }
    if (m->d_back != m->d_mesh)
        cudaFree(m->d_back);
    cudaFree(m->d_mesh);
    cudaFree(m->work.d);
    cudaFree(m->d_self);
    cudaFree(m->d_part);
    cudaFree(m->d_images);
    cudaFree(m->d_columns);
    gpu_free_host(m->h_images);
    gpu_free_host(m->h_columns);
    memset(m, 0, sizeof *m);
}

/* ---- a chunk */

/* Makes a new shape of n points: its transforms and the data of mesh_axis. */
static int shape_make(struct err *e, struct g4_mesh *m, struct mesh_shape *s,
                      const struct g4_params *p, const int n[3])
{
    size_t all = (size_t)n[0] + (size_t)n[1] + (size_t)n[2], bytes = 2 * all * sizeof(double);
    double *axis = (double *)malloc(bytes), *to = axis;
    if (!axis)
        return err_memory(e, "a mesh");
    for (int k = 0; k < 3; to += n[k++])
        mesh_axis(p->sum.plan.mesh.order, n[k], to, to + all);
    cudaFree(s->d_axis);
    s->d_axis = NULL;
    int bad = gpu_alloc(e, &s->d_axis, bytes, "mesh") ||
              TRY(e, cudaMemcpy(s->d_axis, axis, bytes, cudaMemcpyHostToDevice)) ||
              TRY(e, cudaStreamSynchronize(0)) || /* complete before non-blocking streams use it */
              mesh_fft_plan(e, &s->fft, &m->work, n, (int)batch_of(n));
    free(axis);
    return bad ? -1 : 0;
}

/* Returns the shape of n points, and makes a read it. A new shape replaces the oldest shape.
 * Returns NULL on failure. */
static struct mesh_shape *shape_of(struct err *e, struct g4_mesh *m, const struct g4_params *p,
                                   const int n[3], struct mesh_args *a, cudaStream_t stream)
{
    struct mesh_shape *s = m->shape, *end = m->shape + MESH_SHAPES;
    while (s < end && memcmp(s->fft.n, n, sizeof s->fft.n) != 0)
        s++;
    if (s == end) {
        s = m->shape + m->made++ % MESH_SHAPES;
        if (TRY(e, cudaStreamSynchronize(stream)) ||
            mesh_room(e, m, p->ncomp, gpu_mul(batch_of(n), mesh_values(n))) ||
            shape_make(e, m, s, p, n))
            return NULL;
    }
    memcpy(a->n, n, sizeof a->n);
    a->pitch = mesh_pitch(n);
    a->values = mesh_values(n);
    a->mesh = m->d_mesh;
    a->back = m->d_back;
    a->axis = s->d_axis;
    return s;
}

template <class T>
static int mesh_group(struct err *e, struct g4_slot *s, const struct mesh_shape *h,
                      const struct mesh_args *a)
{
    cudaStream_t stream = s->on.stream;
    dim3 grid((unsigned)(a->rows / GROUP), (unsigned)a->count);
    size_t values = a->values * (size_t)h->fft.batch,
           blocks = std::min((values + THREADS - 1) / THREADS, (size_t)8192);
    if (TRY(e, cudaMemsetAsync(a->mesh, 0, values * sizeof(double), stream)))
        return -1;
    mesh_spread_kernel<T><<<grid, THREADS, 0, stream>>>(*a);
    if (TRY_LAUNCH(e, "mesh_spread_kernel"))
        return -1;
    mesh_double_kernel<<<(unsigned)blocks, THREADS, 0, stream>>>(a->mesh, 1.0 / a->one, values);
    if (TRY_LAUNCH(e, "mesh_double_kernel") ||
        mesh_fft_forth(e, &h->fft, &s->mesh.work, a->mesh, stream))
        return -1;
    for (int c = 0; c < a->ncomp; c++) {
        if (waves_filter(e, a, c, stream) ||
            mesh_fft_back(e, &h->fft, &s->mesh.work, a->back, stream))
            return -1;
        mesh_gather_kernel<T><<<grid, THREADS, 0, stream>>>(*a, c);
        if (TRY_LAUNCH(e, "mesh_gather_kernel"))
            return -1;
    }
    return 0;
}

static int mesh_batch(struct err *e, struct g4_slot *s, int is64, const struct mesh_shape *h,
                      struct mesh_args *a)
{
    size_t groups = a->factors.natoms ? a->factors.groups : 1;
    if (waves_self(e, a, s->on.stream))
        return -1;
    for (a->group = 0; a->group < groups; a->group++)
        if ((is64 ? mesh_group<double> : mesh_group<float>)(e, s, h, a))
            return -1;
    return 0;
}

/* A column and the number of points of its mesh. */
struct pointed {
    int n[3], column;
};

/* Makes h_columns, h_images, and the columns sorted by shape. */
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
        else {
            mesh_points(&p->sum.plan.mesh, p->sum.plan.reach, box + t, at.n);
            ewald_self(box[t].h, s->mesh.h_images + BETA_NCOMPONENTS * (size_t)t);
        }
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
                                  cudaMemcpyHostToDevice, s->on.stream)) ||
           TRY(e, cudaMemcpyAsync(s->mesh.d_images, s->mesh.h_images,
                                  (size_t)s->cols * BETA_NCOMPONENTS * sizeof(double),
                                  cudaMemcpyHostToDevice, s->on.stream));
}

/* Returns the number of units for a weight of 1, so that the sum over all atoms, times their
 * largest weight, does not overflow. */
static double mesh_one(const struct g4_params *p)
{
    int bits = 0, above = 0;
    double most = 0.0;
    while ((size_t)1 << bits < p->natoms)
        bits++;
    for (size_t i = 0; p->factors && i < p->natoms; i++)
        most = std::max(most, fabs(p->factors->w[i]));
    if (most > 0.0 && frexp(most, &above) == 0.5)
        above--; /* so that 2^above >= max */
    return ldexp(1.0, std::min(POINT_BITS, 64 - bits) - above);
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
    a.images = s->mesh.d_images;
    a.atoms = (double *)s->d_a;
    a.plan = p->sum.plan;
    a.ncomp = p->ncomp;
    memcpy(a.component, p->component, sizeof a.component);
    memcpy(a.coef, p->coef, sizeof a.coef);
    a.one = mesh_one(p);
    a.raw = s->d_raw;
    a.step = q->step_values;
    a.perm = s->lists.d_perm;
    if (p->factors)
        a.factors = s->weigh.factors;
    a.list = slot_list(s, q);
    cells_beta(&s->cells, 0, &a.beta);
    if (p->factors)
        weigh_function(&a.factors, a.perm, &a.beta.function);
    if (mesh_columns(e, s, p, q->ld, order))
        return -1;
    for (a.first = 0; a.first < s->cols; a.first += a.count) {
        const int *n = order[(size_t)a.first].n;
        const struct mesh_shape *h = shape_of(e, &s->mesh, p, n, &a, s->on.stream);
        if (!h)
            return -1;
        for (a.count = 1; a.first + a.count < s->cols && a.count < h->fft.batch; a.count++)
            if (memcmp(n, order[(size_t)(a.first + a.count)].n, sizeof h->fft.n) != 0)
                break;
        if (mesh_batch(e, s, q->is64, h, &a))
            return -1;
    }
    if (near_add(e, &a, q->is64, s->cells.cell, s->cols, s->on.stream))
        return -1;
    return p->sum.pairs ? short_range_listed(e, &a, q->is64, s->cols, s->on.stream) : 0;
}
