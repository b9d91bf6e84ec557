/* SPDX-License-Identifier: MIT */
/* What goes on between steps: samples, state, and the choice of method. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "md/md_cpu.h"

/* Wrapped into [0, box); a value that rounds up to the edge is the edge's other side, 0. */
static double md_wrapped(double r, double box, bool periodic)
{
    if (!periodic)
        return r;
    r -= box * floor(r / box);
    return r < box && r >= 0.0 ? r : 0.0;
}

static void md_frame(struct md *m, unsigned want)
{
    bool periodic = m->p.boundary == MD_PERIODIC;
    float *f32 = m->frame;
    double *f64 = m->frame;
    for (size_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < 3; k++) {
            double box = m->p.box[k], w = md_wrapped(m->r[k][i], box, periodic);
            size_t at = 3 * (size_t)m->id[i] + k;
            if (want & MD_WANT_F64)
                f64[at] = w;
            else
                f32[at] = periodic && (float)w >= (float)box ? 0.0f : (float)w;
        }
}

int md_measure(struct md *m, unsigned want, md_sink sink, void *ctx)
{
    struct md_thermo t;
    struct md_sample s = {.step = m->step};
    if (want & (MD_WANT_F32 | MD_WANT_F64)) {
        md_frame(m, want);
        s.pos = m->frame;
    }
    if (want & MD_WANT_THERMO) {
        md_totals(m, &t);
        s.thermo = &t;
    }
    return sink(ctx, &s) != 0;
}

int md_run(struct md *m, uint64_t nsteps, uint64_t every, unsigned want, md_sink sink, void *ctx)
{
    bool sampled = every > 0 && want != 0;
    for (uint64_t done = 0; done < nsteps;) {
        uint64_t n = sampled && every < nsteps - done ? every : nsteps - done;
        if (md_advance(m, n) != 0)
            return -1;
        done += n;
        int stop = sampled && done % every == 0 ? md_measure(m, want, sink, ctx) : 0;
        if (stop)
            return stop;
    }
    return 0;
}

int md_state(struct md *m, double *r, double *v)
{
    for (size_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < 3; k++) {
            size_t at = 3 * (size_t)m->id[i] + k;
            if (r)
                r[at] = m->r[k][i];
            if (v)
                v[at] = m->v[k][i];
        }
    return 0;
}

const void *md_aux(struct md *m, size_t *bytes)
{
    (void)m;
    *bytes = 0;
    return NULL;
}

int md_forces(struct md *m, double *f)
{
    bool wide = m->p.precision == MD_DOUBLE;
    double unit = wide ? 1.0 / m->rows.fscale : m->rows.fixed.force_unit;
    for (size_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < 3; k++) {
            size_t at = md_at(i, (int)k);
            f[3 * (size_t)m->id[i] + k] =
                (wide ? (double)m->total_wide[at] : (double)m->total[at]) * unit;
        }
    return 0;
}

uint64_t md_step(const struct md *m)
{
    return m->step;
}

void md_set_step(struct md *m, uint64_t step)
{
    m->step = step;
}

enum md_neighbours md_method(const struct md *m)
{
    return m->method;
}

uint64_t md_list_builds(const struct md *m)
{
    return m->builds;
}

double md_skin(const struct md *m)
{
    return m->skin;
}

const char *md_error(const struct md *m)
{
    return m->error;
}

int md_error_status(const struct md *m)
{
    return m->status;
}
