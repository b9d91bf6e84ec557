/* SPDX-License-Identifier: MIT */
/* alpha_gpu_step.cu: the host part of alpha_gpu_mesh.h. */
#include <algorithm>
#include <string.h>
#include <vector>

#include "alpha/alpha_gpu_step.h"

#define LESS_DAMPED 0.01 /* fraction of the mesh error below which damping is omitted */

struct alpha_step {
    struct alpha_params p;
    struct mesh plan;
    struct alpha_split split;
    struct alpha_mesh m;
    struct box last; /* cell of the present weights */
    struct mesh_fft fft;
    struct mesh_work work;
    std::vector<void *> once, waves; /* device memory for all steps, and of one mesh */
    int *d_place, *d_from, *d_first, *d_order;
    double *d_moment;
    size_t cells_room, short_range_room, first_room, order_room;
    std::vector<double> pos, root;
    std::vector<int> place, from, order;
};

static void drop(std::vector<void *> &held)
{
    for (void *p : held)
        cudaFree(p);
    held.clear();
}

static int hold(struct err *e, std::vector<void *> &held, void *p, size_t bytes)
{
    if (gpu_alloc(e, (void **)p, bytes, "a mesh"))
        return -1;
    held.push_back(*(void **)p);
    return 0;
}

static double error_of(const struct alpha_params *p)
{
    return p->error > 0.0 ? p->error : ALPHA_MESH_ERROR;
}

double alpha_step_reach(const struct alpha_params *p)
{
    return alpha_reach_to(p, LESS_DAMPED * error_of(p));
}

struct alpha_step *alpha_step_new(const struct alpha_params *p, struct err *e)
{
    struct alpha_step *s = new alpha_step();
    size_t n = p->nsites, w = (n + ALPHA_TILE - 1) / ALPHA_TILE * ALPHA_TILE;
    struct alpha_mesh *m = &s->m;
    s->p = *p;
    alpha_split_mesh(error_of(p), &s->split, &s->plan);
    m->split = s->split;
    m->order = s->plan.order;
    m->bits = 61.0 - ceil(log2((double)n));
    s->pos.resize(3 * n);
    s->root.resize(ALPHA_TENSOR * n);
    s->place.resize(n);
    s->order.resize(n);
    if (hold(e, s->once, &m->part, ALPHA_PARTS * ALPHA_TENSOR * sizeof(double)) ||
        hold(e, s->once, &m->self, ALPHA_TENSOR * sizeof(double)) ||
        hold(e, s->once, &m->packed, w * ALPHA_PACKED * sizeof(double)) ||
        hold(e, s->once, &m->max, sizeof(double)) ||
        hold(e, s->once, &m->max_of, ALPHA_PARTS * sizeof(double)) ||
        hold(e, s->once, &s->d_place, n * sizeof(int)) ||
        hold(e, s->once, &m->count, w * sizeof(int)) || hold(e, s->once, &m->slots, sizeof(int))) {
        alpha_step_free(s);
        return NULL;
    }
    m->place = s->d_place;
    return s;
}

void alpha_step_free(struct alpha_step *s)
{
    if (!s)
        return;
    mesh_fft_close(&s->fft);
    cudaFree(s->work.d);
    cudaFree(s->d_from);
    cudaFree(s->d_first);
    cudaFree(s->d_order);
    cudaFree(s->m.near);
    drop(s->waves);
    drop(s->once);
    delete s;
}

double alpha_step_bytes(const struct alpha_params *p)
{
    struct alpha_split split;
    struct mesh plan;
    double n = (double)p->nsites, near = 4.0 * ALPHA_MESH_SHORT_RANGE;
    alpha_split_mesh(error_of(p), &split, &plan);
    return n * (sizeof(double) * (2.0 * ALPHA_PACKED + 9.0) + 1.6 * near * sizeof(int)) +
           4.5 * sizeof(double) * n / (ALPHA_MESH_SHORT_RANGE * pow(plan.spacing, 3.0));
}

/* Chooses the radius `reach` of the mesh and the radius `list` of neighbour lists in Å. The largest
 * damped site has the size `most`. Returns 0, or -1 and sets e if the cell is too small. */
static int fits(const struct alpha_params *p, const struct box *reduced, double most, double *reach,
                double *list, struct err *e)
{
    double half = box_half_width(reduced);
    *reach = p->reach > 0.0
                 ? p->reach
                 : cbrt(ALPHA_MESH_SHORT_RANGE * box_volume(reduced) / (double)p->nsites);
    if (!(p->reach > 0.0))
        *reach = std::min(*reach, half);
    *list = std::max(*reach, alpha_step_reach(p) * most);
    if (*reach > half * (1 + 1e-12))
        return err_bad(e,
                       "the short-range cutoff of the mesh sum is %g Å, more than half the "
                       "smallest width of the cell, %g Å (use --sum ewald:pairs)",
                       *reach, half);
    if (*list > half * (1 + 1e-12))
        return err_bad(e,
                       "the damping extends to %g Å, but a sum on a mesh limits it to half the "
                       "smallest width of the cell, %g Å (use --sum ewald:pairs)",
                       *list, half);
    return 0;
}

/* Returns the largest size of a site. */
static double largest(const struct alpha_params *p, const double *root)
{
    double most = 0.0;
    for (size_t i = 0; p->thole != ALPHA_BARE && i < p->nsites; i++)
        most = std::max(most, alpha_size(root + ALPHA_TENSOR * i));
    return most;
}

/* Sets `place` to the grid cells of n positions, which are `stride` numbers apart, and `from` to
 * the number of the first site of each cell in the order of cells. */
static void count_cells(const struct alpha_mesh *m, size_t n, const double *pos, size_t stride,
                        std::vector<int> &place, std::vector<int> &from)
{
    const struct box *b = &m->box;
    place.resize(n);
    from.assign((size_t)m->grid[0] * (size_t)m->grid[1] * (size_t)m->grid[2] + 1, 0);
    for (size_t i = 0; i < n; i++, pos += stride) {
        double r[3] = {pos[0], pos[1], pos[2]};
        int at = 0;
        box_wrap(b, r);
        for (int k = 0; k < 3; k++) {
            double f = r[0] * b->inv[0][k] + r[1] * b->inv[1][k] + r[2] * b->inv[2][k];
            at = at * m->grid[k] + std::min(std::max((int)(f * m->grid[k]), 0), m->grid[k] - 1);
        }
        place[i] = at;
        from[(size_t)at + 1]++;
    }
    for (size_t c = 1; c < from.size(); c++)
        from[c] += from[c - 1];
}

/* Sets `order` to the sites in the order of cells. */
static void order_cells(const std::vector<int> &place, const std::vector<int> &from,
                        std::vector<int> &order)
{
    std::vector<int> next(from.begin(), from.end() - 1);
    order.resize(place.size());
    for (size_t i = 0; i < place.size(); i++)
        order[(size_t)next[(size_t)place[i]]++] = (int)i;
}

int alpha_step_sort(struct err *e, struct alpha_step *s, const struct box *reduced,
                    const double *pos, const double *root, const double **sorted_pos,
                    const double **sorted_root)
{
    struct alpha_mesh *m = &s->m;
    size_t n = s->p.nsites;
    if (fits(&s->p, reduced, largest(&s->p, root), &m->reach, &m->list, e))
        return -1;
    m->box = *reduced;
    for (int k = 0; k < 3; k++)
        m->grid[k] = std::max(1, (int)(box_width(reduced, k) / (m->list * (1 + 1e-9))));
    while ((double)m->grid[0] * m->grid[1] * m->grid[2] > 4.0 * (double)n + 64.0)
        for (int k = 0; k < 3; k++)
            m->grid[k] = std::max(1, m->grid[k] / 2);
    count_cells(m, n, pos, 3, s->place, s->from);
    order_cells(s->place, s->from, s->order);
    std::vector<int> place(n);
    for (size_t k = 0; k < n; k++) {
        size_t i = (size_t)s->order[k];
        memcpy(&s->pos[3 * k], pos + 3 * i, 3 * sizeof *pos);
        memcpy(&s->root[ALPHA_TENSOR * k], root + ALPHA_TENSOR * i, ALPHA_TENSOR * sizeof *root);
        place[k] = s->place[i];
    }
    s->place.swap(place);
    *sorted_pos = s->pos.data();
    *sorted_root = s->root.data();
    return 0;
}

/* Makes the mesh of m->box (points, transforms, weights) if the cell changed. */
static int make_waves(struct err *e, struct alpha_step *s, cudaStream_t stream)
{
    struct alpha_mesh *m = &s->m;
    int n[3];
    if (memcmp(&m->box, &s->last, sizeof s->last) == 0)
        return 0;
    mesh_points(&s->plan, m->reach, &m->box, n);
    if (memcmp(n, s->fft.n, sizeof n) != 0) {
        std::vector<double> moment;
        drop(s->waves);
        mesh_fft_close(&s->fft);
        memcpy(m->n, n, sizeof n);
        m->pitch = mesh_pitch(n);
        m->values = mesh_values(n);
        for (int k = 0; k < 3; k++) {
            size_t at = moment.size();
            moment.resize(at + 3 * (size_t)n[k]);
            alpha_split_axis(m->order, n[k], &moment[at]);
        }
        if (hold(e, s->waves, &m->mesh, gpu_mul(3 * sizeof(double), m->values)) ||
            hold(e, s->waves, &m->weight, gpu_mul(sizeof(double) / 2, m->values)) ||
            hold(e, s->waves, &s->d_moment, moment.size() * sizeof(double)) ||
            TRY(e, cudaMemcpy(s->d_moment, moment.data(), moment.size() * sizeof(double),
                              cudaMemcpyHostToDevice)) ||
            TRY(e, cudaStreamSynchronize(0)))
            return -1;
        m->moment = s->d_moment;
        if (mesh_fft_plan(e, &s->fft, &s->work, n, 3))
            return -1;
    }
    if (alpha_mesh_weights(e, m, stream))
        return -1;
    s->last = m->box;
    return 0;
}

int alpha_gpu_more(struct err *e, void *p, size_t *capacity, size_t bytes, const char *what)
{
    if (bytes <= *capacity)
        return 0;
    cudaFree(*(void **)p);
    *(void **)p = NULL;
    *capacity = 0;
    bytes += bytes / 8;
    if (gpu_alloc(e, (void **)p, bytes, what))
        return -1;
    *capacity = bytes;
    return 0;
}

const int *alpha_step_order(const struct alpha_step *s)
{
    return s->order.data();
}

int alpha_step_make(struct err *e, struct alpha_step *s, const struct alpha_batch *b, size_t *i,
                    size_t *j, cudaStream_t stream)
{
    struct alpha_mesh *m = &s->m;
    unsigned long long same;
    int slots;
    if (make_waves(e, s, stream) ||
        alpha_gpu_more(e, &s->d_from, &s->cells_room, s->from.size() * sizeof(int), "neighbours") ||
        TRY(e, cudaMemcpyAsync(s->d_place, s->place.data(), s->place.size() * sizeof(int),
                               cudaMemcpyHostToDevice, stream)) ||
        TRY(e, cudaMemcpyAsync(s->d_from, s->from.data(), s->from.size() * sizeof(int),
                               cudaMemcpyHostToDevice, stream)))
        return -1;
    m->from = s->d_from;
    if (alpha_mesh_count(e, b, m, stream) ||
        TRY(e, cudaMemcpyAsync(&slots, m->slots, sizeof slots, cudaMemcpyDeviceToHost, stream)) ||
        TRY(e, cudaMemcpyAsync(&same, b->same, sizeof same, cudaMemcpyDeviceToHost, stream)) ||
        TRY(e, cudaStreamSynchronize(stream)))
        return -1;
    *i = b->sites;
    if (same != ~0ull) {
        *i = (size_t)s->order[same / b->sites];
        *j = (size_t)s->order[same % b->sites];
        if (*i > *j)
            std::swap(*i, *j);
        return 0;
    }
    if (alpha_gpu_more(e, &m->near, &s->short_range_room,
                       gpu_mul(gpu_mul((size_t)slots, b->stride), sizeof(int)), "neighbours"))
        return -1;
    return alpha_mesh_short_range(e, b, m, stream);
}

int alpha_step_field(struct err *e, struct alpha_step *s, const struct alpha_batch *b,
                     cudaStream_t stream)
{
    return alpha_mesh_spread(e, b, &s->m, stream) ||
                   mesh_fft_forth(e, &s->fft, &s->work, s->m.mesh, stream) ||
                   alpha_mesh_filter(e, &s->m, stream) ||
                   mesh_fft_back(e, &s->fft, &s->work, s->m.mesh, stream) ||
                   alpha_mesh_field(e, b, &s->m, stream)
               ? -1
               : 0;
}

/* Returns a number that no weight of a mesh point exceeds. A spline and its slope are at most 1,
 * and its curvature is at most 4. */
static double most_weight(const struct alpha_mesh *m, const struct alpha_permanent *from, size_t n)
{
    double steep = 0.0, most = 0.0;
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 3; a++)
            steep += fabs(m->box.inv[a][k]) * m->n[k];
    for (size_t i = 0; i < n; i++) {
        const double *v = from[i].moment;
        double dipole = 0.0, quadrupole = 0.0;
        for (int c = 1; c < 4; c++)
            dipole = std::max(dipole, fabs(v[c]));
        for (int c = 4; c < ALPHA_MOMENTS; c++)
            quadrupole = std::max(quadrupole, fabs(v[c]));
        most = std::max(most, fabs(v[0]) + steep * (dipole + 4.0 / 3.0 * steep * quadrupole));
    }
    return most;
}

int alpha_step_sources(struct err *e, struct alpha_step *s, const struct alpha_batch *b,
                       struct alpha_sources *p, const struct alpha_permanent *from,
                       cudaStream_t stream)
{
    std::vector<int> place, first, order;
    count_cells(&s->m, p->n, from->at, sizeof *from / sizeof(double), place, first);
    order_cells(place, first, order);
    if (alpha_gpu_more(e, &s->d_first, &s->first_room, first.size() * sizeof(int), "cells") ||
        alpha_gpu_more(e, &s->d_order, &s->order_room, order.size() * sizeof(int), "cells") ||
        TRY(e, cudaMemcpyAsync(s->d_first, first.data(), first.size() * sizeof(int),
                               cudaMemcpyHostToDevice, stream)) ||
        TRY(e, cudaMemcpyAsync(s->d_order, order.data(), order.size() * sizeof(int),
                               cudaMemcpyHostToDevice, stream)) ||
        TRY(e, cudaStreamSynchronize(stream)))
        return -1;
    p->first = s->d_first;
    p->order = s->d_order;
    return alpha_mesh_moments(e, b, &s->m, p->from, p->n, most_weight(&s->m, from, p->n), stream) ||
                   mesh_fft_forth(e, &s->fft, &s->work, s->m.mesh, stream) ||
                   alpha_mesh_filter(e, &s->m, stream) ||
                   mesh_fft_back(e, &s->fft, &s->work, s->m.mesh, stream) ||
                   alpha_mesh_gather(e, b, &s->m, stream) ||
                   alpha_gpu_near_sources(e, b, p, &s->m, stream)
               ? -1
               : 0;
}
