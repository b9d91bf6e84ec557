/* SPDX-License-Identifier: MIT */
/* Reads GROMACS TRR trajectories. In XDR, a frame is a header with the bytes of each part, then
 * cell, virial, pressure, positions, velocities and forces, all f32 or all f64, in nm, nm/ps and
 * ps. Source: GROMACS reference manual, "File formats"; example files. */
#include <math.h>

#include "formats/xdr.h"

enum {
    MAGIC = 1993,
    HEAD = 76
}; /* HEAD is the number of bytes up to nre, before time and lambda */

/* Parts of a frame in the order in which the file stores them and their sizes. */
enum { IR, E, BOX, VIR, PRES, TOP, SYM, X, V, F, PARTS };

struct trr {
    FORMAT_READER;
    size_t part[PARTS]; /* bytes of each part in the current frame */
    size_t natoms, real;
    int64_t step;
    double time;
};

static int check_sizes(struct trr *t, struct err *e)
{
    static const char *const names[PARTS] = {"ir",  "e",   "box", "virial", "pressure",
                                             "top", "sym", "x",   "v",      "f"};
    size_t n3 = 3 * t->natoms;
    t->real = t->part[BOX] ? t->part[BOX] / 9
              : t->part[X] ? t->part[X] / n3
              : t->part[V] ? t->part[V] / n3
                           : t->part[F] / n3;
    if (t->real != 4 && t->real != 8)
        return bytes_bad(t->b, e, "expected numbers of 4 or 8 bytes, found %zu", t->real);
    for (int k = 0; k < PARTS; k++) {
        size_t want = k == BOX || k == VIR || k == PRES ? 9 * t->real
                      : k == X || k == V || k == F      ? n3 * t->real
                                                        : 0;
        if (t->part[k] != 0 && t->part[k] != want)
            return bytes_bad(t->b, e, "expected 0 or %zu bytes of %s for %zu atoms, found %zu",
                             want, names[k], t->natoms, t->part[k]);
    }
    return 0;
}

/* Reads the header of a frame without taking it. Returns 1, 0 at the end of the file, or -1. */
static int peek_header(struct trr *t, size_t *len, struct err *e)
{
    const unsigned char *p;
    int got = bytes_peek(t->b, HEAD, "a frame's header", &p, e);
    if (got != 1)
        return got;
    if (xdr_i32(p) != MAGIC)
        return bytes_bad(t->b, e, "expected the magic number %d of a TRR frame, found %d", MAGIC,
                         xdr_i32(p));
    if (xdr_i32(p + 4) != 13 || xdr_i32(p + 8) != 12 || memcmp(p + 12, "GMX_trn_file", 12) != 0)
        return bytes_bad(t->b, e, "expected the text 'GMX_trn_file', found other bytes");
    for (int k = 0; k < PARTS; k++) {
        int32_t v = xdr_i32(p + 24 + 4 * k);
        if (v < 0)
            return bytes_bad(t->b, e,
                             "damaged header: expected a size of 0 or more, found %d bytes", v);
        t->part[k] = (size_t)v;
    }
    int32_t n = xdr_i32(p + 64);
    if (n <= 0)
        return bytes_bad(t->b, e, "expected at least 1 atom, found %d", n);
    t->natoms = (size_t)n;
    t->step = xdr_i32(p + 68);
    if (check_sizes(t, e) != 0)
        return -1;
    *len = HEAD + 2 * t->real;
    if ((got = bytes_peek(t->b, *len, "a frame's header", &p, e)) != 1)
        return got;
    t->time = t->real == 8 ? bytes_f64(p + HEAD, true) : (double)xdr_f32(p + HEAD);
    return isfinite(t->time) ? 1 : bytes_bad(t->b, e, "expected a time, found %g", t->time);
}

static int open_trr(void *self, struct err *e)
{
    struct trr *t = self;
    size_t len;
    if (peek_header(t, &len, e) != 1)
        return -1;
    t->info->natoms = t->natoms;
    t->info->counts_steps = t->info->step32 = true;
    t->info->has_velocities = true; /* decided for each frame */
    return 0;
}

static int next_frame(void *self, struct format_frame *f, struct err *e)
{
    struct trr *t = self;
    const unsigned char *p;
    size_t len = 0;
    for (;;) {
        int got = peek_header(t, &len, e);
        if (got != 1)
            return got;
        if (t->natoms != t->info->natoms)
            return bytes_bad(t->b, e, "expected %zu atoms as in the first frame, found %zu",
                             t->info->natoms, t->natoms);
        bytes_take(t->b, len);
        if (t->part[X] > 0)
            break;
        /* skip a frame with only velocities or forces (nstvout, nstfout) */
        for (int k = BOX; k < PARTS; k++)
            if (bytes_skip(t->b, t->part[k], "a frame without positions", e) != 0)
                return -1;
    }
    for (int k = BOX; k < PARTS; k++) {
        static const char *const what[PARTS] = {
            [BOX] = "the box", [VIR] = "the virial", [PRES] = "the pressure", [TOP] = "a part",
            [SYM] = "a part",  [X] = "positions",    [V] = "velocities",      [F] = "forces"};
        if (t->part[k] == 0)
            continue;
        if (bytes_get(t->b, t->part[k], what[k], &p, e) != 0)
            return -1;
        if (k == BOX)
            xdr_cell(p, t->real, f);
        if (k == X && f->decode)
            xdr_numbers(p, 3 * t->natoms, t->real, f->pos, t->o->given.f64);
        if (k == V && f->decode && f->vel) {
            xdr_numbers(p, 3 * t->natoms, t->real, f->vel, t->o->given.f64);
            f->has_vel = true;
        }
    }
    f->step = t->step;
    f->time = t->time;
    f->off = t->real == 8 ? 0.0 : format_f32_off((float)t->time);
    return 1;
}

FORMAT_MAGIC("trr", 0, "\0\0\007\311", "is a TRR trajectory");
FORMAT(trr, "trr", ".trr", "TRR") = {
    .title = "a TRR trajectory",
    .size = sizeof(struct trr),
    .open = open_trr,
    .next = next_frame,
};
