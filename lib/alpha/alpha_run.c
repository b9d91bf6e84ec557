/* SPDX-License-Identifier: MIT */
#include "alpha/alpha_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alpha/alpha_model.h"
#include "alpha/alpha_split.h"

struct alpha_run {
    struct alpha_choice choice;
    struct alpha_params p;
    enum frame_dtype dtype;
    size_t natoms, columns, steps; /* steps: number per call, and minimum rows of an output array */
    double dt;
    struct alpha_model *model;
    struct alpha *alpha;
    double *pos, *s, *out; /* [steps] */
    uint64_t seen;
};

static int run_open(struct alpha_run *r, const struct traj_info *info, const struct meta *m,
                    struct err *e)
{
    const int *pbc = info->box.pbc;
    int axes = pbc[0] + pbc[1] + pbc[2];
    if (axes % 3)
        return err_bad(e,
                       "expected a cell that is periodic along all three axes or along none, found "
                       "%d periodic axes",
                       axes);
    r->p.periodic = axes == 3;
    r->p.box = info->box;
    r->model = alpha_model_open(&r->choice.atoms, r->choice.model, m, info->natoms, e);
    if (!r->model)
        return -1;
    size_t n = r->p.nsites = alpha_model_sites(r->model);
    r->columns = (size_t)alpha_parts(&r->p) * ALPHA_TENSOR;
    if (!(r->alpha = alpha_open(&r->p, e)))
        return -1;
    r->steps = alpha_at_once(r->alpha);
    r->pos = malloc(r->steps * n * 3 * sizeof *r->pos);
    r->s = malloc(r->steps * n * ALPHA_TENSOR * sizeof *r->s);
    r->out = malloc(r->steps * r->columns * sizeof *r->out);
    return r->pos && r->s && r->out ? 0 : err_memory(e, "the sites");
}

struct alpha_run *alpha_run_open(const struct alpha_choice *c, const struct traj_info *info,
                                 const struct meta *m, int threads, size_t max_mem, struct err *e)
{
    struct alpha_run *r = calloc(1, sizeof *r);
    if (!r) {
        err_memory(e, "the sites");
        return NULL;
    }
    r->choice = *c;
    r->dtype = info->dtype;
    r->natoms = info->natoms;
    r->dt = info->dt_ps;
    r->p = (struct alpha_params){.order = c->order,
                                 .parts = c->parts,
                                 .thole = c->thole,
                                 .a = c->a,
                                 .tolerance = c->tolerance,
                                 .sum = c->sum,
                                 .reach = c->reach,
                                 .error = c->error,
                                 .threads = threads,
                                 .max_mem = max_mem,
                                 .devices = c->devices};
    if (run_open(r, info, m, e) == 0)
        return r;
    alpha_run_close(r);
    return NULL;
}

const char *alpha_run_summary(const struct alpha_run *r)
{
    return alpha_summary(r->alpha);
}

/* Writes "xx xy ...", or with the part in front of each. */
static void columns(const struct alpha_run *r, char *to, size_t capacity)
{
    static const char *const axes[ALPHA_TENSOR] = {"xx", "xy", "xz", "yy", "yz", "zz"};
    size_t n = 0;
    for (size_t k = 0; k < r->columns && n < capacity; k++) {
        size_t part = k / ALPHA_TENSOR;
        char name[32] = "";
        if (r->p.parts && part == 0)
            snprintf(name, sizeof name, "permanent_");
        else if (r->p.parts && part == 2 && r->p.order == ALPHA_ALL)
            snprintf(name, sizeof name, "higher_");
        else if (r->p.parts)
            snprintf(name, sizeof name, "order%zu_", part);
        n += (size_t)snprintf(to + n, capacity - n, "%s%s%s", k ? " " : "", name,
                              axes[k % ALPHA_TENSOR]);
    }
}

int alpha_run_meta(const struct alpha_run *r, struct meta *m)
{
    static const char *const thole[] = {NULL, "exp", "cubic"};
    char list[ALPHA_COLUMNS * 16];
    columns(r, list, sizeof list);
    int bad =
        meta_set(m, "data.quantity", "polarizability") | meta_set(m, "data.unit", "A^3") |
        meta_set(m, "data.columns", list) |
        meta_set(m, "data.label.of",
                 "xx:α,~xx xy:α,~xy xz:α,~xz yy:α,~yy yz:α,~yz zz:α,~zz permanent:α,~permanent "
                 "order1:α,~order1 order2:α,~order2 higher:α,~higher") |
        meta_set(m, "data.polarizability", alpha_model_words(r->model)) |
        meta_set(m, "data.sum", r->p.periodic ? "ewald" : "none") |
        (r->p.order == ALPHA_ALL ? meta_set(m, "data.order", "all")
                                 : meta_setf(m, "data.order", "%d", r->p.order));
    if (r->p.order == ALPHA_ALL)
        bad |= meta_set_f64(m, "data.tolerance", &r->p.tolerance, 1);
    if (r->p.periodic && r->p.sum == ALPHA_MESH)
        bad |= meta_setf(m, "data.mesh", "%g %g", r->p.reach,
                         r->p.error > 0.0 ? r->p.error : ALPHA_MESH_ERROR);
    if (r->p.thole != ALPHA_BARE)
        bad |= meta_setf(m, "data.thole", "%s %.17g", thole[r->p.thole], r->p.a);
    return bad | meta_setf(m, "data.convention",
                           "Pi = sum_i d mu_i/dE, mu_i = alpha_i (E + sum_j T_ij mu_j)%s",
                           r->p.periodic ? ", all images, tin foil" : "");
}

int alpha_run_add(struct alpha_run *r, const struct traj_block *b, struct frame_writer *w,
                  struct err *e)
{
    size_t sites = r->p.nsites, step = 3 * r->natoms * frame_dtype_size(r->dtype);
    for (size_t at = 0, n; at < b->nsteps; at += n, r->seen += n) {
        n = b->nsteps - at < r->steps ? b->nsteps - at : r->steps;
        for (size_t k = 0; k < n; k++)
            if (alpha_model_place(r->model, r->dtype, (const char *)b->data + (at + k) * step,
                                  &b->box[at + k], r->seen + k, r->pos + 3 * sites * k,
                                  r->s + ALPHA_TENSOR * sites * k, e))
                return -1;
        struct alpha_steps s = {n, b->box + at, r->pos, r->s, r->seen};
        struct frame_desc d = {
            .type = FRAME_SERI, .dtype = FRAME_F64, .ndim = 2, .dims = {n, r->columns}};
        if (alpha_add(r->alpha, &s, r->out, e))
            return -1;
        if (traj_put_block(w, d, b, at, r->dt, r->out))
            return *e = *frame_writer_error(w), -1;
    }
    return 0;
}

void alpha_run_close(struct alpha_run *r)
{
    if (!r)
        return;
    alpha_close(r->alpha);
    alpha_model_free(r->model);
    free(r->pos);
    free(r->s);
    free(r->out);
    free(r);
}
