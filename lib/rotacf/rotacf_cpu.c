/* SPDX-License-Identifier: MIT */
#include "rotacf/rotacf.h"

#include "base/engine.h"

static size_t axes(const struct motion *m)
{
    return m->t.first[3] - m->t.first[2];
}

static int open_run(struct run_base *run, const void *choice, struct analysis_input *in,
                    struct err *e)
{
    struct motion *m = (struct motion *)run;
    if (motion_open(m, LAGS_PRODUCT, choice, in, e) != 0)
        return -1;
    for (size_t k = 0; k < m->t.kinds; k++)
        m->scale[k] = 1.0 / (double)axes(m);
    return 0;
}

static int finish(struct run_base *run, struct meta *meta, struct err *e)
{
    struct motion *m = (struct motion *)run;
    if (motion_finish(m, "", meta, e) != 0)
        return -1;
    notes_add(&run->notes, NOTE_ENGINE, "%s, %d threads", engine_name(), m->threads);
    if (meta_set(meta, "data.quantity", "reorientation") | meta_set(meta, "data.unit", "1") |
        meta_set(meta, "data.drift", NULL) | meta_set(meta, "data.points", "molecules") |
        meta_setf(meta, "data.npoints", "%zu", axes(m)) |
        meta_set(meta, "data.axis.molecule", m->c.tracks.axis) |
        meta_set(meta, "data.label.of",
                 "C_1:C₁(t) C_2:C₂(t) M_1:M₁(t) M_2:M₂(t) "
                 "I_C_1:I(ω) I_C_2:I(ω) I_M_1:I(ω) I_M_2:I(ω)") |
        meta_set(meta, "data.convention",
                 "C_l(t) = <P_l(u(0).u(t))>, the mean over axes and origins; M_l(t) is the "
                 "sum over all pairs of axes per axis"))
        return err_memory(e, "META");
    return run_drift(run, meta, m->nblocks, m->lags, 1, m->nf, m->counts, m->sums, e);
}

const struct analysis rotacf_analysis = {.want = ANALYSIS_POSITIONS | ANALYSIS_SCALARS,
                                         .size = RUN_SIZE(struct motion, base),
                                         .open = open_run,
                                         .add = motion_add,
                                         .finish = finish,
                                         .put = motion_put,
                                         .close = motion_close};
