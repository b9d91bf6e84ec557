/* SPDX-License-Identifier: MIT */
/* Second lines of a batch: dialect, cell, time, columns; what the user says goes first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "xyz/xyz_reader.h"

#define STRIDE_TOLERANCE                                                                           \
    0.1 /* of a stride: times are printed with few digits, but a missing frame is a whole stride   \
         */

/* Which dialect has batch b's first frame? 0, or -1 with the reason. */
static int find_dialect(struct xyz_reader *x, const struct xyz_batch *b, char *err, size_t errlen)
{
    const struct xyz_span *s = &b->spans[0];
    if (x->dialect != XYZ_AUTO)
        return 0;
    return xyz_header_detect(b->text + s->comment, s->comment_len, &x->dialect, err, errlen);
}

bool xyz_needs_two(struct xyz_reader *x, const struct xyz_batch *b)
{
    char err[XYZ_ERR_BYTES];
    struct xyz_header h;
    enum xyz_dialect given = x->dialect;
    const struct xyz_span *s = &b->spans[0];
    bool two = find_dialect(x, b, err, sizeof err) == 0 &&
               xyz_header_parse(x->dialect, b->text + s->comment, s->comment_len, &h, err,
                                sizeof err) == 0 &&
               isnan(x->opts.dt_ps) &&
               (!isnan(h.time_fs) || (h.has_step && !isnan(x->opts.timestep_ps)));
    x->dialect = given;
    return two;
}

static int read_box(struct xyz_reader *x, size_t k, struct box *box)
{
    const struct xyz_header *h = &x->header;
    bool has = x->opts.has_cell || h->has_cell;
    static const double none[9];
    const double *cell = x->opts.has_cell ? x->opts.cell : has ? h->cell : none;
    int all[3] = {has, has, has};
    const int *pbc = x->opts.has_pbc ? x->opts.pbc : h->has_pbc ? h->pbc : all;
    if (!has && (pbc[0] || pbc[1] || pbc[2]))
        return xyz_fail(
            x, k, SIZE_MAX,
            "expected a cell, as it is periodic, found none: give --cell, or --pbc none");
    if (box_init(box, cell, pbc) != 0)
        return xyz_fail(x, k, SIZE_MAX,
                        "expected a cell with a volume and right-handed vectors, found %g %g %g  "
                        "%g %g %g  %g %g %g",
                        cell[0], cell[1], cell[2], cell[3], cell[4], cell[5], cell[6], cell[7],
                        cell[8]);
    if (!x->has_box) {
        x->box0 = *box;
        x->has_box = true;
        x->no_cell = !has && !x->opts.has_pbc && !h->has_pbc;
        x->no_cell_file = x->batch[x->cur].spans[k].file;
        return 0;
    }
    if (memcmp(box->pbc, x->box0.pbc, sizeof box->pbc) != 0)
        return xyz_fail(
            x, k, SIZE_MAX,
            "expected the same periodic axes as in the first frame (--pbc overrides both)");
    if ((box_volume(box) > 0.0) != (box_volume(&x->box0) > 0.0))
        return xyz_fail(x, k, SIZE_MAX,
                        "expected a cell in every frame or in none (--cell overrides)");
    return 0;
}

/* The first frame decides how times are known; second: the header after it, or NULL. */
static int start_clock(struct xyz_reader *x, const struct xyz_header *second)
{
    const struct xyz_header *h = &x->header;
    double step = (double)x->opts.step;
    x->dt = NAN;
    x->t0 = NAN;
    if (!isnan(x->opts.dt_ps) || !isnan(h->dt_ps)) {
        x->clock = XYZ_STRIDE;
        x->dt = (isnan(x->opts.dt_ps) ? h->dt_ps : x->opts.dt_ps);
        x->t0 = (double)x->opts.first * x->dt;
        x->dt *= step;
    } else if (h->has_step && !isnan(x->opts.timestep_ps)) {
        x->clock = XYZ_STEPS;
        x->t0 = (double)h->step * x->opts.timestep_ps;
        if (second && second->has_step && second->step > h->step)
            x->dt = (double)(second->step - h->step) * x->opts.timestep_ps;
    } else if (h->time_unit_unknown) {
        return xyz_fail(x, 0, SIZE_MAX,
                        "Time= next to Timestep= is in the unit of the program that wrote it: give "
                        "--dt or --timestep");
    } else if (!isnan(h->time_fs)) {
        x->clock = XYZ_TIMES;
        x->t0 = h->time_fs / 1e3;
        if (second && second->time_fs > h->time_fs) {
            x->stride_fs = second->time_fs - h->time_fs;
            x->dt = x->stride_fs / 1e3;
        }
    } else {
        x->clock = XYZ_NO_TIME;
    }
    return 0;
}

/* Frames must be one stride apart, as far as the headers tell. */
static int check_clock(struct xyz_reader *x, size_t k)
{
    const struct xyz_header *h = &x->header;
    static const char way_out[] =
        "a frame is missing or comes twice (--dt PS takes the frames as evenly spaced)";
    uint64_t n = x->nheads++;
    if (n > 0 && !isnan(h->dt_ps) && isnan(x->opts.dt_ps) &&
        h->dt_ps * (double)x->opts.step != x->dt)
        return xyz_fail(x, k, SIZE_MAX, "expected dt %g ps as in the first frame, found %g",
                        x->dt / (double)x->opts.step, h->dt_ps);
    if (x->clock == XYZ_TIMES && n > 0) {
        double d = h->time_fs - x->prev_fs;
        if (!(fabs(d - x->stride_fs) <= STRIDE_TOLERANCE * x->stride_fs))
            return xyz_fail(x, k, SIZE_MAX, "expected time %g fs, found %g: %s",
                            x->prev_fs + x->stride_fs, h->time_fs, way_out);
    }
    if (h->has_step && (x->clock == XYZ_STEPS || x->clock == XYZ_NO_TIME) && n > 0) {
        if (n == 1)
            x->stride_steps = h->step - x->prev_step;
        if (h->step <= x->prev_step || h->step - x->prev_step != x->stride_steps)
            return xyz_fail(x, k, SIZE_MAX, "expected step %llu, found %llu: %s",
                            (unsigned long long)(x->prev_step + (n == 1 ? 1 : x->stride_steps)),
                            (unsigned long long)h->step, way_out);
    }
    x->prev_fs = h->time_fs;
    x->prev_step = h->step;
    return 0;
}

/* Header of span k into x->header, parsed only when its text is new. */
static int read_header(struct xyz_reader *x, const struct xyz_batch *b, size_t k)
{
    const struct xyz_span *s = &b->spans[k];
    const char *text = b->text + s->comment;
    char err[XYZ_ERR_BYTES];
    if (x->comment && s->comment_len == x->comment_len &&
        memcmp(text, x->comment, s->comment_len) == 0)
        return 0;
    if (xyz_header_parse(x->dialect, text, s->comment_len, &x->header, err, sizeof err) != 0)
        return xyz_fail(x, k, SIZE_MAX, "%s", err);
    if (!x->comment || s->comment_len > x->comment_cap) {
        free(x->comment);
        x->comment_cap = s->comment_len + 64;
        x->comment = malloc(x->comment_cap);
        if (!x->comment)
            return xyz_out_of_memory(x);
    }
    memcpy(x->comment, text, s->comment_len);
    x->comment_len = s->comment_len;
    return 0;
}

static int start_heads(struct xyz_reader *x, const struct xyz_batch *b)
{
    char err[XYZ_ERR_BYTES];
    struct xyz_header second;
    const struct xyz_span *s = b->spans;
    if (find_dialect(x, b, err, sizeof err) != 0)
        return xyz_fail(x, 0, SIZE_MAX, "%s", err);
    if (read_header(x, b, 0) != 0)
        return -1;
    bool two = b->nspans > 1 && xyz_header_parse(x->dialect, b->text + s[1].comment,
                                                 s[1].comment_len, &second, err, sizeof err) == 0;
    x->sigma = isnan(x->opts.sigma) ? x->header.sigma : x->opts.sigma;
    return start_clock(x, two ? &second : NULL);
}

void xyz_read_heads(struct xyz_reader *x)
{
    const struct xyz_batch *b = &x->batch[x->cur];
    if (x->nheads == 0 && start_heads(x, b) != 0)
        return;
    for (size_t k = 0; k < x->ready; k++) {
        struct xyz_head *h = &x->heads[k];
        if (read_header(x, b, k) != 0 || read_box(x, k, &h->box) != 0 || check_clock(x, k) != 0)
            return;
        h->layout = x->header.layout;
        h->time = x->nheads == 1 ? x->t0 : x->t0 + (double)(x->nheads - 1) * x->dt;
    }
}
