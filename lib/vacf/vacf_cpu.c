/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/engine.h"
#include "base/units.h"
#include "vacf/vacf.h"

struct vacf_run {
    struct motion m;
    struct vacf_choice c;
    double weight[WEIGHTS_MAX]; /* weight of each kind of atom */
};

/* Finds the weight of a kind by name. Returns 0 or -1. */
static int weight_of(const struct weights *w, const char *name, double *to, struct err *e)
{
    for (size_t k = 0; k < w->n; k++)
        if (strcmp(w->name[k], name) == 0) {
            *to = w->w[k];
            return 0;
        }
    if (!*name)
        name = "atoms without names (name them with traj2bin --species or --topology)";
    return err_bad(e, "--vacf-weights: expected a weight for every species, found none for %s",
                   name);
}

static int weigh(struct vacf_run *r, struct err *e)
{
    struct motion *m = &r->m;
    const struct weights *w = &r->c.weights;
    for (size_t k = 0; k < m->t.kinds; k++) {
        double by = 1.0;
        if (w->n && weight_of(w, m->t.name[k], &by, e) != 0)
            return -1;
        m->scale[k] *= by;
        r->weight[k] = by;
        if (r->c.motion.tracks.weigh) {
            m->scale[k] = m->t.mass[m->t.first[k]] * (r->m.reduced ? 1.0 : UNITS_U_A2_PS2_MEV);
            m->part[k] = 1.0;
        }
    }
    const char *kind = r->c.motion.tracks.molecules ? "molecule" : "species";
    for (size_t i = 0; i < w->n; i++) {
        size_t k = 0;
        while (k < m->t.kinds && strcmp(w->name[i], m->t.name[k]) != 0)
            k++;
        if (k == m->t.kinds)
            return err_bad(e, "--vacf-weights: the input contains no %s named %s", kind,
                           w->name[i]);
    }
    return 0;
}

static int open_run(struct run_base *run, const void *choice, struct analysis_input *in,
                    struct err *e)
{
    struct vacf_run *r = (struct vacf_run *)run;
    r->c = *(const struct vacf_choice *)choice;
    r->c.motion.tracks.velocities = true;
    return motion_open(&r->m, LAGS_PRODUCT, &r->c.motion, in, e) || weigh(r, e) ? -1 : 0;
}

static int finish(struct run_base *run, struct meta *meta, struct err *e)
{
    struct vacf_run *r = (struct vacf_run *)run;
    const struct weights *w = &r->c.weights;
    bool mass = r->c.motion.tracks.weigh;
    const char *energy = r->m.reduced ? "mvv_3NkT" : "mvv_3NkT_meV";
    if (motion_finish(&r->m, mass ? energy : w->n ? "wvv" : "vacf", meta, e) != 0)
        return -1;
    int bad =
        meta_set(meta, "data.quantity", "velocity-correlation") |
        meta_set(meta, "data.label.of",
                 "vacf:⟨v(0)·v(t)⟩ wvv:⟨w~v(0)·v(t)⟩ mvv_3NkT:Σm⟨v(0)·v(t)⟩ "
                 "mvv_3NkT_meV:Σm⟨v(0)·v(t)⟩ I_vacf:I(ω) I_wvv:I(ω) "
                 "I_mvv_3NkT:density~of~states I_mvv_3NkT_meV:density~of~states") |
        meta_set(meta, "data.unit",
                 mass           ? r->m.reduced ? "epsilon" : "meV"
                 : r->m.reduced ? "epsilon/m"
                                : "angstrom^2/ps^2") |
        (w->n ? weights_meta(meta, "data.weights", r->m.t.name, r->m.t.kinds, r->weight, NULL)
              : meta_set(meta, "data.weights", mass ? "mass" : NULL)) |
        meta_set(meta, "data.integral", r->c.integral ? "trapezoid" : NULL) |
        meta_set(meta, "data.convention",
                 mass ? "mvv(t) = sum over points of m v(0).v(t), the mean over origins: lag 0, "
                        "and the integral of its spectrum over both signs, is 3 N kT, kT a degree "
                        "of freedom"
                 : w->n
                     ? "wvv(t) = <w v(0).v(t)>, the mean over points and origins"
                     : "vacf(t) = <v(0).v(t)>, the mean over points and origins: lag 0 is 3 kT/m");
    notes_add(&run->notes, NOTE_ENGINE, "%s, %d threads", engine_name(), r->m.threads);
    return bad ? err_memory(e, "META")
               : run_drift(run, meta, r->m.nblocks, r->m.lags, 1, r->m.nf, r->m.counts, r->m.sums,
                           e);
}

const struct analysis vacf_analysis = {.want = ANALYSIS_POSITIONS | ANALYSIS_VELOCITIES,
                                       .size = RUN_SIZE(struct vacf_run, m.base),
                                       .open = open_run,
                                       .add = motion_add,
                                       .finish = finish,
                                       .put = motion_put,
                                       .close = motion_close};
