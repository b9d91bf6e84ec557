/* SPDX-License-Identifier: MIT */
#include "alpha/alpha_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alpha/alpha_model.h"
#include "alpha/alpha_split.h"
#include "base/pool.h"

#define PIECE 8 /* steps that a thread prepares at a time */

struct alpha_run {
    struct alpha_choice choice;
    struct alpha_params p;
    enum frame_dtype dtype;
    size_t natoms, columns, steps; /* steps: steps per call and minimum rows of output */
    double dt;
    struct alpha_model *model;
    struct alpha *alpha;
    struct pool *pool;
    double *pos, *s, *out;             /* [steps] */
    struct alpha_permanent *permanent; /* [steps][npermanent] */
    uint32_t (*own)[2];
    double *induced; /* [steps][], induced part of M */
    uint64_t seen;
    /* the steps of a call, for the threads */
    const char *data;
    const struct box *box;
    int failed;
};

/* Prepares the permanent sites. */
static int open_dipole(struct alpha_run *r, const struct meta *m, struct err *e)
{
    r->p.npermanent = alpha_model_permanent(r->model);
    if (r->p.npermanent == 0)
        return err_bad(e,
                       "%s: --dipole: expected a charge, dipole or quadrupole in the molecules of "
                       "the trajectory, found none",
                       r->choice.model);
    if (r->p.periodic && alpha_model_neutral(r->model, meta_get(m, "data.unwrapped") != NULL, e))
        return -1;
    r->columns = 3 + (r->p.parts ? 6 + r->columns : 0);
    if (!(r->own = malloc(r->p.nsites * sizeof *r->own)))
        return err_memory(e, "the sites");
    alpha_model_owners(r->model, r->own);
    r->p.own = (const uint32_t(*)[2])r->own;
    return 0;
}

static int open_model(struct alpha_run *r, const struct traj_info *info, const struct meta *m,
                      struct err *e)
{
    const int *pbc = info->box.pbc;
    const char *images = r->choice.images;
    int axes = pbc[0] + pbc[1] + pbc[2];
    const char *cell =
        pbc[0] ? "periodic, so each site has images" : "not periodic, so there are no images";
    if (images && (strcmp(images, "ewald") == 0) != pbc[0])
        return err_bad(e, "--sum %s: the cell is %s", images, cell);
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
    r->columns = alpha_columns(&r->p);
    if (r->p.dipole && open_dipole(r, m, e))
        return -1;
    if (!(r->alpha = alpha_open(&r->p, e)))
        return -1;
    r->pool = pool_new(r->p.threads);
    r->steps = alpha_at_once(r->alpha);
    r->pos = malloc(r->steps * n * 3 * sizeof *r->pos);
    r->s = malloc(r->steps * n * ALPHA_TENSOR * sizeof *r->s);
    r->out = malloc(r->steps * r->columns * sizeof *r->out);
    if (r->p.dipole) {
        r->permanent = malloc(r->steps * r->p.npermanent * sizeof *r->permanent);
        r->induced = malloc(r->steps * alpha_columns(&r->p) * sizeof *r->induced);
    }
    return r->pos && r->s && r->out && (!r->p.dipole || (r->permanent && r->induced))
               ? 0
               : err_memory(e, "the sites");
}

static int open_run(void *run, const void *choice, const struct analysis_input *in, int threads,
                    uint64_t max_mem, struct err *e)
{
    struct alpha_run *r = run;
    const struct alpha_choice *c = choice;
    const struct traj_info *info = traj_info(in->traj);
    r->choice = *c;
    r->dtype = info->dtype;
    r->natoms = info->natoms;
    r->dt = info->dt_ps;
    r->p = (struct alpha_params){.order = c->order,
                                 .dipole = c->dipole,
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
    return open_model(r, info, in->meta, e);
}

static const char *remark(const void *run)
{
    return alpha_summary(((const struct alpha_run *)run)->alpha);
}

/* Writes the names "xx xy ...", or "mx my mz", with `part` in front of each name. */
static void columns(const struct alpha_run *r, char *to, size_t capacity)
{
    static const char *const axes[] = {"xx", "xy", "xz", "yy", "yz", "zz"}, *const vector[] = {
                                                                                "mx", "my", "mz"};
    size_t n = 0, each = r->p.dipole ? 3 : ALPHA_TENSOR;
    for (size_t k = 0; k < r->columns && n < capacity; k++) {
        size_t part = k / each, order = r->p.dipole ? part - 2 : part;
        char name[32] = "";
        if (r->p.dipole && part < 3)
            snprintf(name, sizeof name, "%s",
                     part == 0   ? ""
                     : part == 1 ? "permanent_"
                                 : "induced_");
        else if (r->p.parts && order == 0)
            snprintf(name, sizeof name, "permanent_");
        else if (r->p.parts && order == 2 && r->p.order == ALPHA_ALL)
            snprintf(name, sizeof name, "higher_");
        else if (r->p.parts)
            snprintf(name, sizeof name, "order%zu_", order);
        n += (size_t)snprintf(to + n, capacity - n, "%s%s%s", k ? " " : "", name,
                              r->p.dipole ? vector[k % 3] : axes[k % ALPHA_TENSOR]);
    }
}

static int set_meta(const void *run, struct meta *m)
{
    const struct alpha_run *r = run;
    static const char *const thole[] = {NULL, "exp", "cubic"};
    char list[ALPHA_COLUMNS * 16];
    columns(r, list, sizeof list);
    int bad =
        meta_set(m, "data.quantity", r->p.dipole ? "dipole" : "polarizability") |
        meta_set(m, "data.unit", r->p.dipole ? "e*A" : "A^3") | meta_set(m, "data.columns", list) |
        meta_set(
            m, "data.label.of",
            r->p.dipole
                ? "mx:M,~x my:M,~y mz:M,~z permanent:M,~permanent induced:M,~induced "
                  "order1:M,~order1 order2:M,~order2 higher:M,~higher"
                : "xx:α,~xx xy:α,~xy xz:α,~xz yy:α,~yy yz:α,~yz zz:α,~zz permanent:α,~permanent "
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
    return bad |
           meta_setf(m, "data.convention", "%s%s",
                     r->p.dipole ? "M = sum of q r + p + mu, mu_i = alpha_i (F_i + sum_j T_ij "
                                   "mu_j), with F of permanent q, p and quadrupoles"
                                 : "Pi = sum_i d mu_i/dE, mu_i = alpha_i (E + sum_j T_ij mu_j)",
                     r->p.periodic ? ", all images, tin foil" : "");
}

/* Adds the permanent dipoles of the steps [first, end) to the induced ones. */
static void total_task(void *run, size_t first, size_t end, int thread)
{
    const struct alpha_run *r = run;
    size_t parts = (size_t)alpha_parts(&r->p);
    (void)thread;
    for (size_t k = first; k < end; k++) {
        const double *from = r->induced + 3 * parts * k;
        double m[3] = {0}, mu[3] = {0}, *to = r->out + r->columns * k;
        for (size_t i = 0; i < r->p.npermanent; i++) {
            const struct alpha_permanent *s = &r->permanent[k * r->p.npermanent + i];
            for (int c = 0; c < 3; c++)
                m[c] += s->moment[0] * s->at[c] + s->moment[1 + c];
        }
        for (size_t i = 0; i < 3 * parts; i++)
            mu[i % 3] += from[i];
        for (int c = 0; c < 3; c++) {
            to[c] = m[c] + mu[c];
            if (r->p.parts) {
                to[3 + c] = m[c];
                to[6 + c] = mu[c];
            }
        }
        if (r->p.parts)
            memcpy(to + 9, from, 3 * parts * sizeof *to);
    }
}

/* Sets the sites of step k. Returns 0, or -1 with an error message in e. */
static int place(struct alpha_run *r, size_t k, struct err *e)
{
    size_t sites = r->p.nsites, step = 3 * r->natoms * frame_dtype_size(r->dtype);
    return alpha_model_place(r->model, r->dtype, r->data + k * step, &r->box[k], r->seen + k,
                             r->pos + 3 * sites * k, r->s + ALPHA_TENSOR * sites * k,
                             r->p.dipole ? r->permanent + k * r->p.npermanent : NULL, e);
}

static void place_task(void *run, size_t from, size_t to, int thread)
{
    struct alpha_run *r = run;
    struct err e;
    (void)thread;
    for (size_t k = from; k < to; k++)
        if (place(r, k, &e))
            __atomic_store_n(&r->failed, 1, __ATOMIC_RELAXED);
}

static int add_block(void *run, const struct traj_block *b, struct frame_writer *w, struct err *e)
{
    struct alpha_run *r = run;
    size_t step = 3 * r->natoms * frame_dtype_size(r->dtype);
    for (size_t at = 0, n; at < b->nsteps; at += n, r->seen += n) {
        n = b->nsteps - at < r->steps ? b->nsteps - at : r->steps;
        r->data = (const char *)b->data + at * step;
        r->box = b->box + at;
        pool_pieces(r->pool, place_task, r, n, PIECE);
        for (size_t k = 0; r->failed && k < n; k++) /* for the first error */
            if (place(r, k, e))
                return -1;
        struct alpha_steps s = {n, b->box + at, r->pos, r->s, r->permanent, r->seen};
        struct frame_desc d = {
            .type = FRAME_SERI, .dtype = FRAME_F64, .ndim = 2, .dims = {n, r->columns}};
        if (alpha_add(r->alpha, &s, r->p.dipole ? r->induced : r->out, e))
            return -1;
        if (r->p.dipole)
            pool_pieces(r->pool, total_task, r, n, PIECE);
        if (traj_put_block(w, d, b, at, r->dt, r->out))
            return *e = *frame_writer_error(w), -1;
    }
    return 0;
}

static void close_run(void *run)
{
    struct alpha_run *r = run;
    alpha_close(r->alpha);
    pool_free(r->pool);
    alpha_model_free(r->model);
    free(r->pos);
    free(r->s);
    free(r->out);
    free(r->permanent);
    free(r->own);
    free(r->induced);
}

const struct stepwise alpha_stepwise = {.bound = "the solver",
                                        .type = FRAME_POSN,
                                        .size = sizeof(struct alpha_run),
                                        .open = open_run,
                                        .remark = remark,
                                        .meta = set_meta,
                                        .add = add_block,
                                        .close = close_run};
