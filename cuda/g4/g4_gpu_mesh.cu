/* SPDX-License-Identifier: MIT */
/*
 * A_i from a mesh beside lists: atoms onto the mesh and off it, the near part over the tiles of the
 * lists, and the memory of both.
 *
 * Atoms meet on the mesh in fixed point, in which the order of sums makes no difference: 64 bits
 * hold all atoms at one point. A step is worked on as a column of the window; as many of them as
 * have room go together through each kernel and transform.
 */
#include <algorithm>
#include <cstring>

#include "g4/g4_gpu_gram.cuh"

#define GROUP 16    /* atoms of a block */
#define THREADS 128 /* of it */
#define WARPS (THREADS / 32)
#define MESH_BYTES ((size_t)64 << 20) /* of the meshes of a batch, or one mesh */
#define MOST_COLUMNS 64               /* of a batch */
#define POINT_BITS 50                 /* behind the point at most: a spline's weight is < 1 */
#define LANE_PAIRS ((MESH_ORDER * MESH_ORDER + 31) / 32)
#define NEAR_ATOMS 8 /* of a thread of the near part */

/* ---- atoms onto the mesh and off it */

/* Where the atoms of a group stand on the mesh, and their weights along each axis. */
struct stencils {
    int at[GROUP][3]; /* -1: no atom */
    double w[GROUP][3][MESH_ORDER];
    size_t plane[GROUP][MESH_ORDER]; /* where the points along the first axis begin */
};

/* Block: group x of rows, column y of the batch. */
template <class T>
__device__ __forceinline__ void stencils_make(const mesh_args &a, struct stencils *s)
{
    int me = threadIdx.x, atom = me / 3, k = me % 3, col = a.first + blockIdx.y;
    if (me < 3 * GROUP) {
        size_t row = (size_t)blockIdx.x * GROUP + atom;
        typename vec4<T>::type v =
            ((const typename vec4<T>::type *)a.pos)[(row / 4 * a.ld + col) * 4 + row % 4];
        const struct box *b = &a.cell[a.fixed ? 0 : col].d;
        double f = ((double)v.x * b->inv[0][k] + (double)v.y * b->inv[1][k]) +
                   (double)v.z * b->inv[2][k],
               past = 0.0;
        int at = f == f ? mesh_place(f, a.n[k], &past) : -1; /* pads are NaN */
        s->at[atom][k] = at;
        mesh_spline(a.plan.order, past, s->w[atom][k]);
        for (int l = 0; k == 0 && l < a.plan.order; l++)
            s->plane[atom][l] =
                (size_t)(at + l < a.n[0] ? at + l : at + l - a.n[0]) * a.n[1] * a.pitch;
    }
    __syncthreads();
}

/*
 * An atom's points in planes along the first axis: lanes take pairs of the other two axes in turn,
 * in the order of memory.
 */
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
    /* Where pair k stands in a plane. */
    __device__ __forceinline__ size_t row(const mesh_args &a, const int at[3], int k) const
    {
        int y = at[1] + l[k], z = at[2] + m[k];
        y -= y < a.n[1] ? 0 : a.n[1];
        z -= z < a.n[2] ? 0 : a.n[2];
        return (size_t)y * a.pitch + z;
    }
};

/* A double next to which others are rounded to multiples of 1 / one. */
__device__ __forceinline__ double fixed_base(double one)
{
    return 6755399441055744.0 / one; /* 1.5 * 2^52 */
}
__device__ __forceinline__ long long fixed_bits(double v)
{
    long long bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

template <class T> __global__ void mesh_spread_kernel(const __grid_constant__ mesh_args a)
{
    __shared__ struct stencils s;
    int order = a.plan.order;
    unsigned long long *mesh = (unsigned long long *)(a.mesh + blockIdx.y * a.values);
    double base = fixed_base(a.one);
    lane_pairs mine(order);
    stencils_make<T>(a, &s);
    for (int atom = threadIdx.x / 32; atom < GROUP; atom += WARPS) {
        if (s.at[atom][0] < 0)
            continue;
#pragma unroll
        for (int k = 0; k < LANE_PAIRS; k++) {
            if (k >= mine.count)
                break;
            unsigned long long *to = mesh + mine.row(a, s.at[atom], k);
            double w = s.w[atom][1][mine.l[k]] * s.w[atom][2][mine.m[k]];
            for (int p = 0; p < order; p++)
                atomicAdd(to + s.plane[atom][p],
                          (unsigned long long)(fixed_bits(fma(s.w[atom][0][p], w, base)) -
                                               fixed_bits(base)));
        }
    }
}

/* Fixed point to double. */
__global__ void mesh_double_kernel(double *mesh, double unit, size_t n)
{
    for (size_t k = (size_t)blockIdx.x * THREADS + threadIdx.x; k < n;
         k += (size_t)gridDim.x * THREADS)
        mesh[k] = (double)fixed_bits(mesh[k]) * unit;
}

/* A of component number c. */
template <class T> __global__ void mesh_gather_kernel(const __grid_constant__ mesh_args a, int c)
{
    __shared__ struct stencils s;
    int order = a.plan.order, col = a.first + blockIdx.y;
    const double *mesh = a.back + blockIdx.y * a.values;
    double self = a.self[(size_t)a.which[col] * BETA_NCOMPONENTS + a.component[c]];
    lane_pairs mine(order);
    stencils_make<T>(a, &s);
    for (int atom = threadIdx.x / 32; atom < GROUP; atom += WARPS) {
        double sum = 0.0;
        bool on = s.at[atom][0] >= 0;
#pragma unroll
        for (int k = 0; k < LANE_PAIRS; k++) {
            if (!on || k >= mine.count)
                break;
            const double *from = mesh + mine.row(a, s.at[atom], k);
            double part = 0.0;
            for (int p = 0; p < order; p++)
                part += s.w[atom][0][p] * from[s.plane[atom][p]];
            sum += s.w[atom][1][mine.l[k]] * s.w[atom][2][mine.m[k]] * part;
        }
        for (int k = 16; k; k /= 2)
            sum += __shfl_xor_sync(~0u, sum, k);
        if ((threadIdx.x & 31) == 0)
            a.atoms[((size_t)c * (a.rows + 1) + (size_t)blockIdx.x * GROUP + atom) * a.ld + col] =
                on ? a.coef[c] * (sum - self) : 0.0;
    }
}

/* ---- near part */

template <int CELL>
__device__ __forceinline__ float near_of(const mesh_args &a, int c, float4 p, float4 q, size_t col)
{
    float x = p.x - q.x, y = p.y - q.y, z = p.z - q.z;
    beta_image<CELL>(a.beta, x, y, z, col);
    float rc2 = G4_IS_FIXED(CELL) ? a.beta.rc2_f : a.cell[a.fixed ? 0 : col].taper_f32.rc2;
    if (!(beta_r2_f32(x, y, z) <= rc2))
        return 0.0f;
    return mesh_beta_f32(&a.plan, a.component[c], (float)a.coef[c], x, y, z,
                         (float)(2.0 / a.plan.reach), rc2);
}
template <int CELL>
__device__ __forceinline__ double near_of(const mesh_args &a, int c, double4_16 p, double4_16 q,
                                          size_t col)
{
    double d[3] = {p.x - q.x, p.y - q.y, p.z - q.z}, rc2 = a.cell[a.fixed ? 0 : col].taper_f64.rc2;
    box_image(&a.cell[a.fixed ? 0 : col].d, d);
    if (!(beta_r2_f64(d[0], d[1], d[2]) <= rc2))
        return 0.0;
    return mesh_beta_f64(&a.plan, a.component[c], a.coef[c], d[0], d[1], d[2], 2.0 / a.plan.reach,
                         rc2);
}

/* Atoms i += near parts of the atoms of group h. */
template <class T, int CELL>
__device__ __forceinline__ void near_tile(const mesh_args &a, int c, size_t first, size_t h,
                                          size_t col, const typename vec4<T>::type *i, double *sum)
{
    typedef typename vec4<T>::type V;
    const V *p = (const V *)a.pos;
    for (int m = 0; m < 16; m++) {
        size_t j = 16 * h + m;
        V q = p[(j / 4 * a.ld + col) * 4 + j % 4];
#pragma unroll
        for (int k = 0; k < NEAR_ATOMS; k++)
            if (first + k != j)
                sum[k] += (double)near_of<CELL>(a, c, i[k], q, col);
    }
}

/* Block: half a group, threads take columns, component z. Its row of tiles first, then its column. */
template <class T, int CELL>
__global__ void mesh_near_kernel(const __grid_constant__ mesh_args a, int cols)
{
    typedef typename vec4<T>::type V;
    size_t first = (size_t)blockIdx.x * NEAR_ATOMS, g = first / 16;
    size_t col = (size_t)blockIdx.y * THREADS + threadIdx.x;
    const size_t *begin = a.list.begin, *column = a.list.begin + a.list.groups + 1;
    const V *p = (const V *)a.pos;
    int c = blockIdx.z;
    V i[NEAR_ATOMS];
    double sum[NEAR_ATOMS] = {};
    if (col >= (size_t)cols)
        return;
#pragma unroll
    for (int k = 0; k < NEAR_ATOMS; k++)
        i[k] = p[((first + k) / 4 * a.ld + col) * 4 + (first + k) % 4];
    for (size_t k = begin[g]; k < begin[g + 1]; k++)
        near_tile<T, CELL>(a, c, first, (size_t)a.list.tile[k].y, col, i, sum);
    for (size_t k = column[g]; k < column[g + 1]; k++)
        near_tile<T, CELL>(a, c, first, (size_t)a.list.tile[a.list.entry[k]].x, col, i, sum);
#pragma unroll
    for (int k = 0; k < NEAR_ATOMS; k++)
        a.atoms[((size_t)c * (a.rows + 1) + first + k) * a.ld + col] += sum[k];
}

static int near_part(struct err *e, const struct mesh_args *a, int is64, int cell, int cols,
                     cudaStream_t stream)
{
    dim3 grid((unsigned)(a->rows / NEAR_ATOMS), (unsigned)((cols + THREADS - 1) / THREADS),
              (unsigned)a->ncomp);
    if (is64)
        mesh_near_kernel<double, G4_TAPER_ANY><<<grid, THREADS, 0, stream>>>(*a, cols);
    else if (cell == G4_TAPER_FIXED)
        mesh_near_kernel<float, G4_TAPER_FIXED><<<grid, THREADS, 0, stream>>>(*a, cols);
    else
        mesh_near_kernel<float, G4_TAPER_ANY><<<grid, THREADS, 0, stream>>>(*a, cols);
    return TRY_LAUNCH(e, "mesh_near_kernel");
}

/* ---- memory */

static size_t values_of(const int n[3])
{
    return gpu_mul(gpu_mul((size_t)n[0], (size_t)n[1]), 2 * ((size_t)n[2] / 2 + 1));
}

static size_t batch_of(const int n[3], size_t room)
{
    size_t k = room / values_of(n);
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
    m->batch = batch_of(n, MESH_BYTES / sizeof(double));
    m->values = gpu_mul(m->batch, values_of(n));
    m->host_bytes = gpu_mul(q->ld, sizeof(int));
    /* transforms take up to one mesh more */
    m->device_bytes = gpu_add(
        gpu_mul(m->values, (p->ncomp > 1 ? 3 : 2) * sizeof(double)),
        gpu_mul(q->ld, sizeof(int) + (WAVES_PARTS + 1) * BETA_NCOMPONENTS * sizeof(double)));
    return 0;
}

/* Room for meshes of n points. */
static int mesh_room(struct err *e, struct g4_mesh *m, int ncomp, const int n[3])
{
    size_t values = values_of(n), axis = 2 * ((size_t)n[0] + (size_t)n[1] + (size_t)n[2]);
    if (values > m->room) {
        cudaFree(m->d_mesh);
        if (m->d_back != m->d_mesh)
            cudaFree(m->d_back);
        m->d_mesh = m->d_back = NULL;
        m->room = 0;
        if (gpu_alloc(e, (void **)&m->d_mesh, values * sizeof(double), "mesh") ||
            (ncomp > 1 && gpu_alloc(e, (void **)&m->d_back, values * sizeof(double), "mesh")))
            return -1;
        m->d_back = ncomp > 1 ? m->d_back : m->d_mesh;
        m->room = values;
    }
    if (axis > m->axis_room) {
        cudaFree(m->d_axis);
        m->d_axis = NULL;
        m->axis_room = 0;
        if (gpu_alloc(e, (void **)&m->d_axis, axis * sizeof(double), "mesh"))
            return -1;
        m->axis_room = axis;
    }
    return 0;
}

int mesh_open(struct err *e, struct g4_mesh *m, const struct g4_params *p, const struct g4_plan *q)
{
    m->room = 0;
    if (gpu_alloc(e, (void **)&m->d_mesh, q->mesh.values * sizeof(double), "mesh") ||
        (p->ncomp > 1 &&
         gpu_alloc(e, (void **)&m->d_back, q->mesh.values * sizeof(double), "mesh")) ||
        gpu_alloc(e, (void **)&m->d_self, q->ld * BETA_NCOMPONENTS * sizeof(double), "mesh") ||
        gpu_alloc(e, (void **)&m->d_part, q->ld * WAVES_PARTS * BETA_NCOMPONENTS * sizeof(double),
                  "mesh") ||
        gpu_alloc(e, (void **)&m->d_which, q->ld * sizeof(int), "mesh") ||
        gpu_alloc_host(e, (void **)&m->h_which, q->ld * sizeof(int), "mesh"))
        return -1;
    m->d_back = p->ncomp > 1 ? m->d_back : m->d_mesh;
    m->room = q->mesh.values;
    return 0;
}

void mesh_close(struct g4_mesh *m)
{
    waves_close(&m->waves);
    if (m->d_back != m->d_mesh)
        cudaFree(m->d_back);
    cudaFree(m->d_mesh);
    cudaFree(m->d_axis);
    cudaFree(m->d_self);
    cudaFree(m->d_part);
    cudaFree(m->d_which);
    gpu_free_host(m->h_which);
    memset(m, 0, sizeof *m);
}

/* ---- a chunk */

/* Mesh and transforms of n points. */
static int mesh_shape(struct err *e, struct g4_mesh *m, const struct g4_params *p, const int n[3],
                      struct mesh_args *a, cudaStream_t stream)
{
    if (memcmp(m->waves.n, n, sizeof m->waves.n) != 0) {
        size_t all = (size_t)n[0] + (size_t)n[1] + (size_t)n[2];
        double *axis = (double *)malloc(2 * all * sizeof *axis), *to = axis;
        if (!axis)
            return err_memory(e, "a mesh");
        for (int k = 0; k < 3; to += n[k++])
            mesh_axis(&p->sum.plan, n[k], to, to + all);
        int bad =
            TRY(e, cudaStreamSynchronize(stream)) || mesh_room(e, m, p->ncomp, n) ||
            TRY(e, cudaMemcpy(m->d_axis, axis, 2 * all * sizeof *axis, cudaMemcpyHostToDevice)) ||
            waves_plan(e, &m->waves, n, (int)batch_of(n, m->room));
        free(axis);
        if (bad)
            return -1;
    }
    memcpy(a->n, n, sizeof a->n);
    a->pitch = 2 * (n[2] / 2 + 1);
    a->values = values_of(n);
    a->mesh = m->d_mesh;
    a->back = m->d_back;
    a->axis = m->d_axis;
    return 0;
}

/* All columns from a->first on that have its mesh and room in a batch. */
static int mesh_batch(struct err *e, struct g4_slot *s, struct mesh_args *a, int is64)
{
    cudaStream_t stream = s->on.stream;
    dim3 grid((unsigned)(a->rows / GROUP), (unsigned)a->count);
    size_t values = a->values * (size_t)s->mesh.waves.batch;
    if (TRY(e, cudaMemsetAsync(a->mesh, 0, values * sizeof(double), stream)) ||
        waves_self(e, a, stream))
        return -1;
    if (is64)
        mesh_spread_kernel<double><<<grid, THREADS, 0, stream>>>(*a);
    else
        mesh_spread_kernel<float><<<grid, THREADS, 0, stream>>>(*a);
    if (TRY_LAUNCH(e, "mesh_spread_kernel"))
        return -1;
    size_t blocks = std::min((values + THREADS - 1) / THREADS, (size_t)8192);
    mesh_double_kernel<<<(unsigned)blocks, THREADS, 0, stream>>>(a->mesh, 1.0 / a->one, values);
    if (TRY_LAUNCH(e, "mesh_double_kernel") || waves_forth(e, &s->mesh.waves, a, stream))
        return -1;
    for (int c = 0; c < a->ncomp; c++) {
        if (waves_filter(e, a, c, stream) || waves_back(e, &s->mesh.waves, a, stream))
            return -1;
        if (is64)
            mesh_gather_kernel<double><<<grid, THREADS, 0, stream>>>(*a, c);
        else
            mesh_gather_kernel<float><<<grid, THREADS, 0, stream>>>(*a, c);
        if (TRY_LAUNCH(e, "mesh_gather_kernel"))
            return -1;
    }
    return 0;
}

/* Steps of a cell that follow one another are told by the first of them. */
static int mesh_cells(struct err *e, struct g4_slot *s)
{
    const struct box *box = (const struct box *)s->h_box;
    int *which = s->mesh.h_which;
    for (int t = 0; t < s->cols; t++)
        which[t] = t && !memcmp(box + t, box + t - 1, sizeof *box) ? which[t - 1] : t;
    return TRY(e, cudaMemcpyAsync(s->mesh.d_which, which, (size_t)s->cols * sizeof *which,
                                  cudaMemcpyHostToDevice, s->on.stream));
}

int mesh_atoms(struct err *e, struct g4_slot *s, const struct g4_params *p, const struct g4_plan *q)
{
    const struct box *box = (const struct box *)s->h_box;
    struct mesh_args a = {};
    a.pos = s->d_pos;
    a.ld = q->ld;
    a.rows = q->rows;
    a.cell = s->cells.d;
    a.fixed = s->cells.n == 1;
    a.which = s->mesh.d_which;
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
    if (mesh_cells(e, s))
        return -1;
    for (a.first = 0; a.first < s->cols; a.first += a.count) {
        int n[3], more[3];
        mesh_points(&p->sum.plan, &box[a.first], n);
        if (mesh_shape(e, &s->mesh, p, n, &a, s->on.stream))
            return -1;
        for (a.count = 1; a.first + a.count < s->cols && a.count < s->mesh.waves.batch; a.count++) {
            mesh_points(&p->sum.plan, &box[a.first + a.count], more);
            if (memcmp(n, more, sizeof n) != 0)
                break;
        }
        if (mesh_batch(e, s, &a, q->is64))
            return -1;
    }
    return near_part(e, &a, q->is64, s->cells.cell, s->cols, s->on.stream);
}
