/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alpha/alpha_cell.h"
#include "alpha/alpha_moments.h"
#include "alpha/alpha_permanent.h"
#include "alpha/alpha_solve.h"
#include "base/pool.h"
#include "mesh/mesh_grid.h"

#define STEPS 64 /* number of steps per call if there are few sites */
#define STEPS_MIN 8
#define DAMPED_SIZE 1.3  /* Å, size of a site for an estimate, from 2.2 Å³ */
#define TABLE_ERROR 1e-8 /* 1/Å³, error of the polynomial of a table in single precision */

/* Workspace of a thread. */
struct place {
    struct alpha_job job;
    struct alpha_permanent_field *permanent;
    void *wrapped; /* positions and a table of pairs.h */
};

struct alpha {
    struct alpha_params p;
    struct alpha_split split, permanent; /* splits for the dipoles and for permanent sites */
    struct mesh mesh;
    struct mesh_plans plans;
    struct alpha_means means;
    struct pairs pairs;
    struct sum_memory memory;
    struct pool *pool;
    struct place *place; /* [threads] */
    int places;
    size_t stride;
    bool table;
    double damped; /* distance up to which damping is applied, in units of the size of a pair */
    char given[200];
    /* current steps */
    const struct alpha_steps *in;
    double *out;
    struct box last; /* box of the latest cell */
    struct alpha_cell *cell, made;
    struct sum_cell *sums; /* [n] for a table */
    size_t cells;
    struct err *error; /* [n] */
};

/* Limits the total number of sites of all steps, but allows several steps per thread. */
size_t alpha_at_once(const struct alpha *a)
{
    size_t n = STEPS * ALPHA_PAIRS_MAX / a->p.nsites;
    return n > STEPS ? STEPS : n < STEPS_MIN ? STEPS_MIN : n;
}

#define PERMANENT_SPLIT(a)                                                                         \
    ((a)->means.plans ? &(a)->split : (a)->p.periodic ? &(a)->permanent : NULL)
#define TABLED(a) ((a)->table ? "; gradients from a table of pairs" : "")

/* ---- memory */

static size_t table_floats(const struct alpha *a)
{
    return a->p.nsites * (a->p.nsites - 1) / 2 * BETA_NCOMPONENTS + PAIRS_SLACK;
}

static size_t wrapped_floats(const struct alpha *a)
{
    return 3 * (a->p.nsites + PAIRS_SLACK);
}

/* Returns the bytes of memory per thread. */
static double place_bytes(const struct alpha *a)
{
    double n = (double)a->p.nsites, vectors = 9.0 * (double)a->stride;
    double bytes = alpha_field_bytes(a->p.nsites, a->stride, &a->means, &a->made.box) +
                   ALPHA_JOB_VECTORS * vectors * sizeof(double);
    if (a->p.thole == ALPHA_EXP) {
        double r = DAMPED_SIZE * a->damped, volume = box_volume(&a->p.box);
        double near = volume > 0.0 ? 0.5 * n * 4.19 * r * r * r * n / volume : HUGE_VAL;
        bytes += fmin(0.5 * n * (n + 1.0), near) * sizeof(struct alpha_damped);
    }
    if (a->p.dipole)
        bytes += alpha_permanent_bytes(&a->p, PERMANENT_SPLIT(a), &a->made.box) +
                 6.0 * (double)a->stride * sizeof(double);
    if (a->table)
        bytes += ((double)(table_floats(a) + wrapped_floats(a)) + 2.0 * vectors) * sizeof(float);
    return bytes;
}

static void place_free(struct place *p)
{
    alpha_field_free(p->job.field);
    alpha_permanent_free(p->permanent);
    free(p->job.field0);
    free(p->job.mem);
    free(p->job.damped);
    free(p->job.size);
    near_grid_free(&p->job.cells);
    free(p->job.table.mu);
    free(p->wrapped);
}

static int place_make(const struct alpha *a, struct place *p)
{
    size_t vectors = 9 * a->stride;
    struct alpha_job *j = &p->job;
    j->p = &a->p;
    j->n = a->p.nsites;
    j->stride = a->stride;
    j->set = 3 * a->stride;
    j->mem = alpha_doubles(ALPHA_JOB_VECTORS * vectors);
    j->field = alpha_field_new(j->n, j->stride, &a->means);
    if (!j->mem || !j->field)
        return -1;
    if (a->p.dipole) {
        p->permanent = alpha_permanent_new(&a->p, PERMANENT_SPLIT(a));
        j->field0 = alpha_doubles(6 * a->stride);
        if (!p->permanent || !j->field0)
            return -1;
        j->c = j->field0 + j->set;
    }
    if (!a->table)
        return 0;
    p->wrapped = malloc((wrapped_floats(a) + table_floats(a)) * sizeof(float));
    j->table.mu = (float *)alpha_doubles(vectors);
    j->table.y = j->table.mu ? j->table.mu + vectors : NULL;
    return p->wrapped && j->table.mu ? 0 : -1;
}

static int open_places(struct alpha *a, struct err *e)
{
    const struct alpha_params *p = &a->p;
    double input =
        (double)alpha_at_once(a) * (9.0 * (double)p->nsites * sizeof(double) +
                                    (double)p->npermanent * sizeof(struct alpha_permanent));
    if (err_over(e, place_bytes(a) * p->threads + input, p->max_mem, "fewer --threads",
                 "the %s of %zu sites", a->table ? "pairs" : "dipoles", p->nsites))
        return -1;
    a->pool = pool_new(p->threads);
    a->places = pool_threads(a->pool);
    a->place = calloc((size_t)a->places, sizeof *a->place);
    if (!a->pool || !a->place)
        return err_memory(e, "the sites");
    for (int k = 0; k < a->places; k++)
        if (place_make(a, &a->place[k]))
            return err_memory(e, "the pairs of the sites");
    return 0;
}

/* Chooses between waves and a mesh, and whether to use a table. */
static int choose(struct alpha *a, struct err *e)
{
    const struct alpha_params *p = &a->p;
    double reach;
    bool mesh = p->periodic &&
                (p->sum == ALPHA_MESH || (p->sum == ALPHA_MAY && p->nsites > ALPHA_PAIRS_MAX));
    a->table = !mesh && p->order == ALPHA_ALL && p->nsites <= ALPHA_PAIRS_MAX;
    a->means.split = p->periodic ? &a->split : NULL;
    a->damped = alpha_reach(p);
    if (!p->periodic) {
        snprintf(a->given, sizeof a->given, "all pairs, no images%s", TABLED(a));
        return 0;
    }
    if (mesh) {
        double error = p->error > 0.0 ? p->error : ALPHA_MESH_ERROR;
        alpha_split_mesh(error, &a->split, &a->mesh);
        a->means.mesh = &a->mesh;
        a->damped = alpha_reach_to(p, 0.01 * error);
        a->means.reach = p->reach;
        a->p.tolerance = fmax(p->tolerance, (p->dipole ? 10.0 : 0.1) * error);
        a->means.plans = &a->plans;
    } else {
        alpha_split_waves(ALPHA_SPLIT_EXACT, p->nsites, &a->split);
    }
    if (p->dipole)
        alpha_permanent_split(p, &a->permanent);
    a->last = p->box;
    if (alpha_cell_make(p, &p->box, &a->made, e) ||
        alpha_field_reach(&a->means, p->nsites, &a->made.box, &reach, e))
        return -1;
    if (mesh) {
        snprintf(a->given, sizeof a->given,
                 "the Ewald sum includes pairs up to %.4g Å and splines of order %d on a mesh of "
                 "spacing %.3g Å; each thread needs %.3g MB",
                 reach, a->mesh.order, a->mesh.spacing * reach, place_bytes(a) / 1e6);
    } else {
        snprintf(a->given, sizeof a->given,
                 "the Ewald sum includes pairs up to %.4g Å and wave vectors up to %.4g/Å%s", reach,
                 a->split.cut / reach, TABLED(a));
    }
    return 0;
}

struct alpha *alpha_open(const struct alpha_params *p, struct err *e)
{
    struct alpha *a = calloc(1, sizeof *a);
    if (!a) {
        err_memory(e, "the sites");
        return NULL;
    }
    a->p = *p;
    a->stride = (p->nsites + 2 * ALPHA_LANES - 1) / ALPHA_LANES * ALPHA_LANES;
    if (choose(a, e)) {
        alpha_close(a);
        return NULL;
    }
    if (alpha_pairs(p, &a->pairs, e) == 0) {
        a->pairs.dtype = FRAME_F32;
        a->pairs.sum.tolerance = TABLE_ERROR;
        if (open_places(a, e) == 0)
            return a;
    }
    alpha_close(a);
    return NULL;
}

/* ---- steps */

static void solve(void *ctx, size_t s, int thread)
{
    struct alpha *a = ctx;
    const struct alpha_steps *in = a->in;
    struct place *p = &a->place[thread];
    struct alpha_job *j = &p->job;
    size_t n = a->p.nsites;
    struct err *e = &a->error[s];
    j->s = in->s + s * ALPHA_TENSOR * n;
    j->pos = in->pos + 3 * n * s;
    j->box = &in->box[s];
    j->cell = &a->cell[s].box;
    j->table.from = NULL;
    if (alpha_field_place(j->field, &a->cell[s], j->pos, e))
        return;
    if (a->p.dipole && alpha_permanent_add(p->permanent, j->field, j->cell, j->box, j->pos, j->s,
                                           in->permanent + s * a->p.npermanent, j->field0, e)) {
        (void)err_frame(e, in->frame + s);
        return;
    }
    if (alpha_damp_pairs(j, a->damped)) {
        err_memory(e, "damped pairs");
        return;
    }
    if (a->table && (!a->p.periodic || a->sums[s].fit)) {
        float *table = (float *)p->wrapped + wrapped_floats(a);
        SIMD_PICK(pairs_wrap)(&a->pairs, &a->sums[s].d, j->pos, p->wrapped);
        if (SIMD_PICK(pairs_tables)(&a->pairs, &a->sums[s], p->wrapped, table) == n)
            j->table.from = table;
        memset(table + table_floats(a) - PAIRS_SLACK, 0, PAIRS_SLACK * sizeof *table);
        j->table.trace = (float)a->cell[s].trace;
        for (int c = 0; c < ALPHA_TENSOR; c++)
            j->table.own[c] = (float)a->cell[s].own[c];
    }
    int rc = alpha_solve(j, a->out + s * alpha_columns(&a->p));
    if (rc)
        (void)alpha_catastrophe(n, j->pos, j->box, in->frame + s, rc == -1, e);
}

/* Prepares the cells of all steps. No table is used for a cell that is too long or too flat. */
static int make_cells(struct alpha *a, const struct alpha_steps *s, struct err *e)
{
    if (s->n > a->cells) {
        free(a->cell);
        free(a->error);
        free(a->sums);
        a->cell = malloc(s->n * sizeof *a->cell);
        a->error = malloc(s->n * sizeof *a->error);
        a->sums = malloc(s->n * sizeof *a->sums);
        a->cells = a->cell && a->error && a->sums ? s->n : 0;
        if (!a->cells)
            return err_memory(e, "cells");
    }
    memset(a->sums, 0, s->n * sizeof *a->sums);
    for (size_t k = 0; k < s->n; k++) {
        a->error[k].status = 0;
        if (memcmp(&s->box[k], &a->last, sizeof a->last) != 0 &&
            alpha_cell_make(&a->p, &s->box[k], &a->made, e))
            return err_frame(e, s->frame + k);
        a->last = s->box[k];
        a->cell[k] = a->made;
        if (a->means.plans) {
            double reach;
            int points[3];
            if (alpha_field_reach(&a->means, a->p.nsites, &a->made.box, &reach, e))
                return err_frame(e, s->frame + k);
            mesh_points(&a->mesh, reach, &a->made.box, points);
            if (mesh_plans_add(&a->plans, points))
                return err_memory(e, "a mesh");
        }
        if (a->table &&
            sum_cell_make(&a->pairs.sum, 0, &a->memory, &s->box[k], s->frame + k, &a->sums[k], e)) {
            if (e->status != ERR_BAD)
                return -1;
            memset(&a->sums[k], 0, sizeof a->sums[k]);
        }
    }
    return 0;
}

int alpha_add(struct alpha *a, const struct alpha_steps *s, double *out, struct err *e)
{
    int rc = make_cells(a, s, e);
    a->in = s;
    a->out = out;
    if (rc == 0)
        pool_run(a->pool, solve, a, s->n);
    for (size_t k = 0; k < s->n && k < a->cells; k++)
        sum_cell_free(&a->sums[k]);
    for (size_t k = 0; rc == 0 && k < s->n; k++)
        if (a->error[k].status) {
            *e = a->error[k];
            rc = -1;
        }
    return rc;
}

const char *alpha_summary(const struct alpha *a)
{
    return a->given;
}

void alpha_close(struct alpha *a)
{
    if (!a)
        return;
    for (int k = 0; a->place && k < a->places; k++)
        place_free(&a->place[k]);
    free(a->place);
    pool_free(a->pool);
    mesh_plans_free(&a->plans);
    sum_memory_free(&a->memory);
    free(a->cell);
    free(a->sums);
    free(a->error);
    free(a);
}
