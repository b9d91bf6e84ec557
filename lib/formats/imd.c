/* SPDX-License-Identifier: MIT */
/* Reads IMDv3, the stream that an engine sends to observers of a run, live (imd2bin) or recorded.
 * It consists of a handshake (type 4, version 3 in the engine's byte order), a session packet (type
 * 10, which lists the packets of a frame), and frames. A packet has a big-endian header (type,
 * length) and a body in the engine's byte order: time 12 (dt, t, step), energies 1, cell 13,
 * positions 2, velocities 14, forces 15. The protocol does not mark the end of a run. An engine
 * that finished and one that was killed send the same bytes. The user must therefore state the last
 * step (last_step) or accept any end (allow_partial). Source: IMDv3 protocol in the documentation
 * of imdclient. LAMMPS' fix imd sends its own units. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/format.h"
#include "formats/lammps.h"
#include "formats/numbers.h"

/* longest plausible time step in ps (coarse-grained models use up to 0.04 ps) */
#define LONGEST_STEP_PS 0.05

enum imd_packet { TIME, ENERGIES, CELL, POSITIONS, VELOCITIES, FORCES, PACKETS };
/* Packets in the order of a frame. A body of 0 means 12 bytes per atom. */
static const struct {
    const char *what;
    uint32_t type, body;
} packets[PACKETS] = {
    [TIME] = {"the time", 12, 24},        [ENERGIES] = {"energies", 1, 40},
    [CELL] = {"the cell", 13, 36},        [POSITIONS] = {"positions", 2, 0},
    [VELOCITIES] = {"velocities", 14, 0}, [FORCES] = {"forces", 15, 0},
};
enum {
    HEADER = 8,
    HANDSHAKE = 4,
    SESSION = 10,
    SESSION_BYTES = 7,
    ATOMS_MAX = INT32_MAX / 12,
    STRAIGHT_BYTES = 1 << 18 /* bytes of rows above which a copy is avoided */
};

struct imd {
    FORMAT_READER;
    bool swap, has[PACKETS];
    double length, time, speed; /* units of the engine in Å, ps and Å/ps */
    uint64_t frames;
    int64_t step, stride; /* MD step of the last frame, and steps between frames */
};

static uint32_t big(const unsigned char *p)
{
    return bytes_u32(p, true);
}

/* ---- the head */

static int read_handshake(struct imd *d, struct err *e)
{
    const unsigned char *p;
    if (bytes_get(d->b, HEADER, "a handshake", &p, e) != 0)
        return -1;
    uint32_t version = bytes_u32(p + 4, false);
    d->swap = version > 0xffff;
    version = bytes_u32(p + 4, d->swap);
    if (big(p) != HANDSHAKE)
        return err_bad(
            e,
            "expected the first packet of the IMD protocol (handshake), found a packet of type %u",
            big(p));
    if (version != 3)
        return err_bad(e, "expected version 3 of the IMD protocol, found version %u%s", version,
                       version > 3 ? ""
                                   : " (its frames contain neither times nor cells; in LAMMPS add "
                                     "version 3 to the fix imd)");
    if (bytes_get(d->b, HEADER + SESSION_BYTES, "the session", &p, e) != 0)
        return -1;
    if (big(p) != SESSION || big(p + 4) != SESSION_BYTES)
        return err_bad(e,
                       "expected the packet that describes the session (type %d, length %d), found "
                       "type %u, length %u",
                       SESSION, SESSION_BYTES, big(p), big(p + 4));
    static const int at[PACKETS] = {0, 1, 2, 3, 5, 6};
    for (int k = 0; k < PACKETS; k++)
        d->has[k] = p[HEADER + at[k]] != 0;
    for (int k = 0; k < SESSION_BYTES; k++)
        if (p[HEADER + k] > 1)
            return err_bad(e, "expected session flags of 0 or 1, found %u", p[HEADER + k]);
    for (int k = TIME; k <= POSITIONS; k += POSITIONS) {
        const char *why = k == TIME ? ": steps cannot be counted" : "";
        if (!d->has[k])
            return err_bad(e, "expected %s in each frame of the session, found none%s",
                           packets[k].what, why);
    }
    return 0;
}

/* Checks the header, at p, of packet k. The first frame's positions determine the number of atoms.
 * Returns 0 or -1. */
static int check_header(struct imd *d, const unsigned char *p, int k, struct err *e)
{
    size_t atoms = d->info->natoms;
    uint32_t type = big(p), n = big(p + 4);
    if (type != packets[k].type)
        return err_bad(e,
                       "expected a packet of %s (type %u), found type %u, length %u: packets were "
                       "lost or are out of order",
                       packets[k].what, packets[k].type, type, n);
    if (packets[k].body && n != 1)
        return err_bad(e, "expected one packet of %s, found a packet of length %u", packets[k].what,
                       n);
    if (!packets[k].body && atoms && n != atoms)
        return err_bad(e, "expected %s of %zu atoms, found %u", packets[k].what, atoms, n);
    if (!packets[k].body && (n == 0 || n > ATOMS_MAX))
        return err_bad(e, "expected 1 to %d atoms, found %d", ATOMS_MAX, (int)n);
    return 0;
}

/* Finds the bodies of the packets of the next frame up to packet `upto`, without the body of that
 * packet if `head` is set. Returns 1, 0 if the session ends before the frame, or -1. */
static int peek_frame(struct imd *d, int upto, bool head, const unsigned char *bodies[PACKETS],
                      struct err *e)
{
    const unsigned char *p;
    size_t at = 0, begins[PACKETS] = {0};
    for (int k = 0; k <= upto; k++) {
        if (!d->has[k])
            continue;
        int got = bytes_peek(d->b, at + HEADER, "a frame", &p, e);
        if (got != 1)
            return got;
        if (check_header(d, p + at, k, e) != 0)
            return -1;
        begins[k] = at + HEADER;
        at = begins[k] + (packets[k].body ? packets[k].body : 12 * d->info->natoms);
    }
    if (head) {
        d->info->natoms = big(p + begins[upto] - 4);
        at = begins[upto];
    }
    int got = bytes_peek(d->b, at, "a frame", &p, e);
    for (int k = 0; k < PACKETS && got == 1; k++)
        bodies[k] = p + begins[k];
    return got;
}

/* Returns the number of bytes of a frame in front of packet `upto`. */
static size_t frame_bytes(const struct imd *d, int upto)
{
    size_t n = 0;
    for (int k = 0; k < upto; k++)
        n += !d->has[k] ? 0 : HEADER + (packets[k].body ? packets[k].body : 12 * d->info->natoms);
    return n;
}

/* ---- the end */

/* Handles the end of the session. Returns 0 if an incomplete session is allowed, or -1. */
static int session_ends(struct imd *d, struct err *e)
{
    const struct formats_source *s = d->o->source;
    const char *why = s && s->why ? s->why(s->io.from) : NULL;
    char after[64] = "before its first frame", because[ERR_BYTES / 2 + 2] = "";
    if (d->frames)
        snprintf(after, sizeof after, "after step %" PRId64, d->step);
    if (why)
        snprintf(because, sizeof because, ": %s", why);
    d->b->cut = true;
    d->info->limited = d->o->given.allow_partial && d->frames > 0;
    if (d->info->limited) {
        snprintf(d->info->note, sizeof d->info->note, "the session ended %s%.100s", after, because);
        return 0;
    }
    if (d->o->last_step >= 0)
        return err_bad(
            e, "truncated: expected frames up to step %lld (--steps), but the session ended %s%s",
            (long long)d->o->last_step, after, because);
    if (d->o->given.allow_partial)
        return err_bad(e, "truncated: expected at least one frame, but the session ended %s%s",
                       after, because);
    return err_bad(e,
                   "truncated: the session ended %s%s; an engine that finished cannot be "
                   "distinguished from one that was killed (%s accepts the frames received)",
                   after, because, s ? "--open-end" : "--allow-partial");
}

/* Returns whether the last frame up to the promised step has been read. */
static bool is_over(const struct imd *d)
{
    const int64_t last = d->o->last_step;
    return last >= 0 && d->frames > 0 &&
           (d->step >= last ||
            (d->stride > 0 && (uint64_t)last - (uint64_t)d->step < (uint64_t)d->stride));
}

/* ---- frames */

/* Checks that steps continue at one stride. Returns 0 or -1. */
static int count_step(struct imd *d, int64_t step, struct err *e)
{
    int64_t gone;
    bool far = __builtin_sub_overflow(step, d->step, &gone);
    if (d->o->last_step >= 0 && step > d->o->last_step)
        return err_bad(
            e, "expected no step after %lld, the last step given by --steps, found step %lld",
            (long long)d->o->last_step, (long long)step);
    const char *why = far || gone <= 0 ? "the run was restarted, or frames were sent twice"
                                       : "frames were lost, or the engine's output rate changed";
    const char *later = d->stride ? "" : " or a later step";
    if (d->frames > 0 && (far || gone <= 0 || (d->stride && gone != d->stride)))
        return err_bad(e, "expected step %lld%s, found step %lld: %s",
                       (long long)((uint64_t)d->step + (uint64_t)(d->stride ? d->stride : 1)),
                       later, (long long)step, why);
    d->stride = d->frames ? gone : 0;
    d->step = step;
    d->frames++;
    return 0;
}

static int read_time(struct imd *d, const unsigned char *p, struct format_frame *f, struct err *e)
{
    double dt = bytes_f64(p, d->swap);
    if (d->o->units == LAMMPS_AS_GIVEN && isnan(d->o->given.dt_ps) && fabs(dt) > LONGEST_STEP_PS)
        return err_bad(e,
                       "expected a time step in ps, found %g, which is too long for ps (name the "
                       "unit style of LAMMPS with --units STYLE: real, metal, lj, ...)",
                       dt);
    f->time = bytes_f64(p + 8, d->swap) * d->time;
    f->step = (int64_t)bytes_u64(p + 16, d->swap);
    return count_step(d, f->step, e);
}

static void read_cell(const struct imd *d, const unsigned char *p, struct format_frame *f)
{
    for (int k = 0; k < 9; k++) {
        f->cell[k] = format_f32_decimal(bytes_f32(p + 4 * k, d->swap)) * d->length;
        f->has_cell |= f->cell[k] != 0.0;
    }
}

/* Reads everything except the rows. Returns 0 or -1. */
static int read_head(struct imd *d, const unsigned char *body[PACKETS], struct format_frame *f,
                     struct err *e)
{
    if (read_time(d, body[TIME], f, e) != 0)
        return -1;
    if (d->has[CELL])
        read_cell(d, body[CELL], f);
    f->has_energies = d->has[ENERGIES];
    for (int k = 0; k < FORMATS_ENERGIES && f->has_energies; k++)
        f->energies[k] = format_f32_decimal(bytes_f32(body[ENERGIES] + 4 + 4 * k, d->swap));
    f->has_vel = d->has[VELOCITIES] && f->vel;
    return 0;
}

/* Returns whether many rows of a live session can be read directly into the buffer of the caller,
 * without conversion. If so, the next read is limited to the bytes in front of the rows. */
static bool goes_straight(struct imd *d, const struct format_frame *f)
{
    return f->decode && !d->swap && !d->o->given.f64 && d->length == 1.0 && d->speed == 1.0 &&
           12 * d->info->natoms >= STRAIGHT_BYTES &&
           bytes_alone(d->b, frame_bytes(d, POSITIONS) + HEADER);
}

/* Reads the rows of positions and later packets into place. Returns 0 or -1. */
static int take_rows(struct imd *d, struct format_frame *f, struct err *e)
{
    void *to[PACKETS] = {[POSITIONS] = f->pos, [VELOCITIES] = f->has_vel ? f->vel : NULL};
    const size_t n = 12 * d->info->natoms;
    const unsigned char *p;
    for (int k = POSITIONS; k < PACKETS; k++) {
        if (!d->has[k])
            continue;
        if (k > POSITIONS &&
            (!bytes_alone(d->b, HEADER) || bytes_get(d->b, HEADER, packets[k].what, &p, e) != 0 ||
             check_header(d, p, k, e) != 0))
            return -1;
        if (!to[k])
            bytes_whole(d->b, n);
        if (to[k] ? bytes_into(d->b, to[k], n, packets[k].what, e) != 0
                  : bytes_skip(d->b, n, packets[k].what, e) != 0)
            return -1;
    }
    return 0;
}

static int next_frame(void *self, struct format_frame *f, struct err *e)
{
    struct imd *d = self;
    const unsigned char *body[PACKETS];
    if (is_over(d))
        return 0;
    const struct imd before = *d;
    bool straight = goes_straight(d, f);
    if (!straight)
        bytes_whole(d->b, frame_bytes(d, PACKETS));
    int got = peek_frame(d, straight ? POSITIONS : PACKETS - 1, straight, body, e);
    if (got == 1)
        got = read_head(d, body, f, e) == 0 ? 1 : -1;
    if (straight && got == 1) {
        bytes_take(d->b, frame_bytes(d, POSITIONS) + HEADER);
        got = take_rows(d, f, e) == 0 ? 1 : -1;
    }
    if (got == 0 || (got < 0 && d->b->cut)) {
        *d = before; /* the last complete frame */
        return session_ends(d, e);
    }
    if (got < 0)
        return -1;
    if (straight)
        return 1;
    size_t n = 3 * d->info->natoms;
    bool f64 = d->o->given.f64;
    if (f->decode)
        f->max =
            SIMD_PICK(numbers_scale)(body[POSITIONS], n, false, d->swap, d->length, f64, f->pos);
    if (f->decode && f->has_vel)
        SIMD_PICK(numbers_scale)(body[VELOCITIES], n, false, d->swap, d->speed, f64, f->vel);
    bytes_take(d->b, frame_bytes(d, PACKETS));
    return 1;
}

static int open_imd(void *self, struct err *e)
{
    struct imd *d = self;
    struct lammps l;
    int got = -1;
    const unsigned char *bodies[PACKETS];
    lammps_begin(&l, d->o, d->info);
    bool given = d->o->units != LAMMPS_AS_GIVEN;
    d->length = given ? l.length : 1.0;
    d->time = given ? l.time : 1.0;
    d->speed = given ? l.speed : 1.0;
    size_t atoms = d->info->natoms; /* of previous files */
    d->info->natoms = 0;
    if (read_handshake(d, e) == 0 && (got = peek_frame(d, POSITIONS, true, bodies, e)) != 1 &&
        (got == 0 || d->b->cut))
        session_ends(d, e);
    if (got != 1) {
        d->info->natoms = atoms;
        return -1;
    }
    d->info->counts_steps = true;
    d->info->has_velocities = d->has[VELOCITIES];
    return 0;
}

FORMAT_MAGIC("imd", 0, "\0\0\0\4\3\0\0\0", "is a recorded IMD session");
FORMAT_MAGIC("imd", 0, "\0\0\0\4\0\0\0\3", "is a recorded IMD session");
FORMAT(imd, "imd", ".imd", "IMD") = {
    .title = "an IMD session",
    .uses = FORMAT_UNITS,
    .by = "the engine",
    .size = sizeof(struct imd),
    .open = open_imd,
    .next = next_frame,
};
