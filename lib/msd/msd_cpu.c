/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "base/engine.h"
#include "msd/msd.h"
#include "stats/series.h"

static int open_run(struct run_base *run, const void *choice, struct analysis_input *in,
                    struct err *e)
{
    return motion_open((struct motion *)run, LAGS_SQUARE, choice, in, e);
}

/* Sets data.excess, such as "alpha2:msd alpha2_O:msd_O", which lists each excess (without unit) and
 * its function. Returns 0 or -1. */
static int describe_excess(const struct motion *m, struct meta *meta)
{
    char text[SERIES_FUNCTIONS * 2 * SERIES_WORD] = "", a[SERIES_WORD], b[SERIES_WORD];
    char units[SERIES_FUNCTIONS * (SERIES_WORD + 2)] = "";
    const char *list = meta_get(meta, "data.functions");
    size_t n = 0, u = 0;
    for (size_t s = 0; s < m->sets; s++)
        if (series_word(list, motion_column(m, s, m->each - 1), a, sizeof a) == 1 &&
            series_word(list, motion_column(m, s, 0), b, sizeof b) == 1) {
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s:%s", n ? " " : "", a, b);
            u += (size_t)snprintf(units + u, sizeof units - u, "%s%s:1", u ? " " : "", a);
        }
    return meta_set(meta, "data.excess", text) | meta_set(meta, "data.unit.of", units);
}

static int finish(struct run_base *run, struct meta *meta, struct err *e)
{
    struct motion *m = (struct motion *)run;
    if (motion_finish(m, "msd", meta, e) != 0)
        return -1;
    int bad =
        meta_set(meta, "data.quantity", "mean-square-displacement") |
        meta_set(meta, "data.label.of", "msd:MSD alpha2:α₂") |
        meta_set(meta, "data.unit",
                 m->reduced                    ? "sigma^2"
                 : meta_get(meta, "sys.point") ? "e^2*A^2"
                                               : "angstrom^2") |
        meta_set(meta, "data.convention",
                 m->c.fourth ? "msd(t) = <|u(t) - u(0)|^2>, the mean over points and origins; "
                               "alpha2 = 3 <|u(t) - u(0)|^4>/(5 msd^2) - 1"
                             : "msd(t) = <|u(t) - u(0)|^2>, the mean over points and origins") |
        (m->c.fourth ? describe_excess(m, meta) : 0);
    if (m->t.breathes)
        notes_add(&run->notes, NOTE_WARN,
                  "the cell changes, but the positions were unwrapped with image flags. Atoms that "
                  "have crossed a cell face therefore move with the cell and appear to diffuse "
                  "(pipe the input through unwrap)");
    notes_add(&run->notes, NOTE_ENGINE, "%s, %d threads", engine_name(), m->threads);
    return bad ? err_memory(e, "META")
               : run_drift(run, meta, m->nblocks, m->lags, 1, m->nf, m->counts, m->sums, e);
}

const struct analysis msd_analysis = {.want = ANALYSIS_POSITIONS,
                                      .size = RUN_SIZE(struct motion, base),
                                      .open = open_run,
                                      .add = motion_add,
                                      .finish = finish,
                                      .put = motion_put,
                                      .close = motion_close};
