/* SPDX-License-Identifier: MIT */
/* The reader: batches are handed out in order. */
#include "xyz/xyz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/slips.h"
#include "xyz/xyz_batch.h"

/* What follows from the frames before: order and jumps, in the order of the frames. */
static void check_frames(struct xyz_reader *x, struct xyz_job *j)
{
    struct xyz_atoms *a = &x->atoms;
    struct err e;
    for (size_t k = 0; k < j->ready; k++) {
        char *now = j->pos + k * x->frame_bytes;
        const char *before = k ? now - x->frame_bytes : x->has_last ? x->last : NULL;
        size_t row = SIZE_MAX;
        int bad = 0;
        if (a->has_ids && j->heads[k].layout.id < 0)
            bad = err_set(&e, ERR_BAD, "expected an id column in Properties as in the first frame");
        else if (a->has_ids)
            bad = xyz_atoms_order(a, j->ids + k * x->natoms, now, &row, &e);
        if (before && !x->timed && !bad) {
            x->timed = true;
            (void)slips_dt(&j->heads[k].box, x->natoms, x->opts.said.f64, before, now, x->clock.dt,
                           x->slip[1], sizeof x->slip[1]);
        }
        if (!a->has_ids && before && !x->opts.said.unsorted_ok && !(k && j->compared))
            xyz_batch_compare(x, j, k, before);
        if (bad)
            xyz_batch_fail(x, j, k, row, &e);
    }
}

/* From the second batch on everybody begins; frames that are small, of one file, are fetched. */
static void open_all(struct xyz_reader *x)
{
    size_t most = x->opts.max_mem;
    if (x->opts.threads > 1 && x->sc.npaths < 2 && x->from->cap < XYZ_LARGE &&
        input_plain(&x->sc.in) && (!most || (size_t)x->slots * XYZ_LARGE < most)) {
        x->plain = x->sc.in.io;
        x->plain.fd = dup(x->sc.in.io.fd);
        x->fetch_from = x->sc.in.io.bytes;
        x->fetches = x->sc.fetching = x->plain.own = x->plain.fd >= 0;
    }
    conveyor_open(x->conveyor, x->fetches);
}

/* The next batch. 1: it has frames, 0: none. */
static int advance(struct xyz_reader *x)
{
    struct xyz_job *j = x->now;
    if (j && j->ready > 0) {
        memcpy(x->last, j->pos + (j->ready - 1) * x->frame_bytes, x->frame_bytes);
        x->has_last = true;
    }
    x->handed = 0;
    int slot = conveyor_next(x->conveyor);
    if (slot == CONVEYOR_END)
        return 0;
    x->now = j = &x->job[slot];
    check_frames(x, j);
    x->err = j->err;
    if (!x->going) { /* written before others begin */
        x->going = true;
        if (x->regular)
            open_all(x);
    }
    return j->ready > 0;
}

/* Does no input ever pause, nor keep who opens it waiting? */
static bool all_regular(char *const *paths, int npaths)
{
    struct stat st;
    bool all = npaths > 0 || (fstat(0, &st) == 0 && S_ISREG(st.st_mode));
    for (int k = 0; k < npaths; k++)
        all = all && (strcmp(paths[k], "-") == 0 ? fstat(0, &st) : stat(paths[k], &st)) == 0 &&
              S_ISREG(st.st_mode);
    return all;
}

struct xyz_reader *xyz_open(char *const *paths, int npaths, const struct xyz_opts *opts)
{
    struct xyz_reader *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->opts = *opts;
    x->slots = conveyor_slots(opts->threads);
    x->job = calloc((size_t)x->slots, sizeof *x->job);
    x->conveyor = conveyor_new(
        opts->threads, x->slots,
        (struct conveyor_work){
            .work = xyz_batch_work, .begin = xyz_batch_begin, .fetch = xyz_batch_fetch, .ctx = x});
    xyz_clock_init(&x->clock, &x->opts);
    xyz_scan_init(&x->sc, &x->opts, paths, npaths);
    x->regular = all_regular(paths, npaths);
    if (x->job && x->conveyor)
        return x;
    xyz_close(x);
    return NULL;
}

void xyz_close(struct xyz_reader *x)
{
    if (!x)
        return;
    conveyor_free(x->conveyor);
    xyz_scan_free(&x->sc);
    xyz_clock_free(&x->clock);
    xyz_atoms_free(&x->atoms);
    for (struct xyz_job *j = x->job; x->job && j < x->job + x->slots; j++) {
        free(j->b.mem);
        free(j->b.spans);
        free(j->b.pieces);
        free(j->heads);
        free(j->pos);
        free(j->ids);
        free(j->wide);
        free(j->bad_row);
    }
    if (x->plain.own)
        close(x->plain.fd);
    free(x->job);
    free(x->last);
    free(x);
}

/* No frame is left: the error that was waiting, or the end. */
static int finish(struct xyz_reader *x)
{
    x->ended = true;
    if (!x->err.status)
        x->err = x->sc.err;
    if (!x->err.status && x->index == 0)
        err_set(&x->err, ERR_BAD, "%s: expected frame %llu, found only %llu frames",
                xyz_scan_name(&x->sc, x->sc.npaths ? x->sc.npaths - 1 : 0),
                (unsigned long long)x->opts.said.first, (unsigned long long)x->sc.number);
    return x->err.status ? -1 : 0;
}

int xyz_next(struct xyz_reader *x, struct xyz_frame *f)
{
    if (x->ended)
        return x->err.status ? -1 : 0;
    while (!x->now || x->handed == x->now->ready) {
        if (x->err.status || (x->now && x->now->b.last) || advance(x) != 1)
            return finish(x);
    }
    const struct xyz_job *j = x->now;
    size_t k = x->handed++;
    f->index = x->index++;
    f->time = j->heads[k].time;
    f->box = &j->heads[k].box;
    f->pos = j->pos + k * x->frame_bytes;
    return 1;
}

int xyz_wait(struct xyz_reader *x, double seconds)
{
    const struct xyz_job *j = x->now;
    if (x->regular || x->ended || x->err.status || (j && (x->handed < j->ready || j->b.last)) ||
        conveyor_begun(x->conveyor))
        return 1;
    return x->sc.number < x->opts.said.stop && xyz_batch_fill(x, seconds);
}

/* ---- what it can tell */

const struct err *xyz_error(const struct xyz_reader *x)
{
    return &x->err;
}

const char *xyz_warning(struct xyz_reader *x)
{
    if (x->no_cell && x->index > 0) { /* an input without a good frame has worse troubles */
        x->no_cell = false;
        snprintf(x->warning, sizeof x->warning,
                 "%s: found no cell: distances will have no periodic images (--cell gives a cell, "
                 "--pbc none says that there is none)",
                 xyz_scan_name(&x->sc, x->first_file));
        return x->warning;
    }
    for (int k = 0; k < 2; k++)
        if (x->slip[k][0]) {
            snprintf(x->warning, sizeof x->warning, "%s: %s", xyz_scan_name(&x->sc, x->first_file),
                     x->slip[k]);
            x->slip[k][0] = '\0';
            return x->warning;
        }
    if (!x->now || !x->now->warning[0])
        return NULL;
    memcpy(x->warning, x->now->warning, sizeof x->warning);
    x->now->warning[0] = '\0';
    return x->warning;
}

struct xyz_info xyz_info(const struct xyz_reader *x)
{
    static const struct xyz_job none;
    const struct xyz_job *j = x->now ? x->now : &none;
    return (struct xyz_info){.frames = x->index,
                             .text_bytes = j->text_bytes,
                             .input_done = j->input_done,
                             .input_total = j->input_total,
                             .bound = j->in_gzip ? "inflating" : "parsing",
                             .sorted = x->atoms.order.moved,
                             .limited = j->limited,
                             .natoms = x->natoms,
                             .named = x->atoms.names != NULL,
                             .dt = x->clock.dt,
                             .box = &x->clock.box0,
                             .dialect = x->clock.dialect,
                             .dt_from = xyz_clock_dt_from(&x->clock),
                             .cell_from = xyz_clock_cell_from(&x->clock)};
}

int xyz_put_meta(const struct xyz_reader *x, struct meta *m)
{
    const struct box *b = &x->clock.box0;
    int bad = meta_setf(m, "sys.natoms", "%zu", x->natoms);
    if (!isnan(x->clock.dt))
        bad |= meta_set_f64(m, "sys.dt_ps", &x->clock.dt, 1);
    if (!isnan(x->clock.sigma))
        bad |= meta_set_f64(m, "sys.sigma", &x->clock.sigma, 1);
    if (box_volume(b) > 0.0) {
        bad |= meta_set_f64(m, "sys.cell", &b->h[0][0], 9);
        bad |= meta_setf(m, "sys.pbc", "%c%c%c", b->pbc[0] ? 'T' : 'F', b->pbc[1] ? 'T' : 'F',
                         b->pbc[2] ? 'T' : 'F');
    }
    if (x->atoms.names)
        bad |= xyz_atoms_put_species(&x->atoms, m);
    bad |= meta_set(m, "data.quantity", "positions");
    bad |= meta_set(m, "data.unit", "angstrom");
    return bad ? -1 : 0;
}
