/* SPDX-License-Identifier: MIT */
/* Reads DCD trajectories. A file consists of Fortran records in either byte order, with markers of
 * 4 or 8 bytes: header, title, number of atoms, and frames. A frame holds an optional cell, x, y, z
 * and an optional fourth coordinate, as f32 in Å. Source: CHARMM documentation, "dynamc"; example
 * files. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "formats/format.h"
#include "formats/format_cell.h"
#include "formats/lammps.h"
#include "formats/numbers.h"

/* The AKMA time unit of CHARMM, NAMD, OpenMM and X-PLOR is sqrt(u Å² mol/kcal), here in ps. */
#define AKMA_PS 0.04888821

struct dcd {
    FORMAT_READER;
    bool swap;
    size_t mark; /* bytes of a record's marker */
    uint32_t head[20];
    bool charmm, has_cell, has_fourth;
    uint32_t version;
    double dt, t0; /* ps, or NaN if the title does not state the unit */
    double length; /* length unit of the file, Å */
    size_t natoms, nfree;
    uint32_t *free_atoms; /* [nfree] indices from 0, or NULL if all atoms are free */
    float *fixed;         /* [natoms][3] positions of the first frame if free_atoms is set */
    uint64_t frames;
};

enum { TITLE_MAX = 65536 }; /* largest title in bytes */
/* Fields of the header. */
enum { NSET, ISTART, NSAVC, NFIXED = 8, DELTA = 9, CELL = 10, FOURTH = 11, VERSION = 19 };

static uint64_t marker(const struct dcd *d, const unsigned char *p)
{
    return d->mark == 8 ? bytes_u64(p, d->swap) : bytes_u32(p, d->swap);
}

/* A title is a line count followed by lines of 80 bytes. In 2017, MDAnalysis wrote three lines but
 * markers for two (MDAnalysis issue 1701). If no record ends at the position that the first marker
 * states, sets *n from the line count, provided that a record ends there. Returns 1 or -1. */
static int count_title(struct dcd *d, uint64_t *n, const unsigned char **p, struct err *e)
{
    uint64_t lines = bytes_u32(*p + d->mark, d->swap), all = 4 + 80 * lines;
    if (marker(d, *p + d->mark + *n) == *n || *n < 4 || all <= *n || lines > TITLE_MAX / 80)
        return 1;
    if (bytes_peek(d->b, (size_t)all + 2 * d->mark, "the title", p, e) != 1)
        return -1;
    uint64_t behind = marker(d, *p + d->mark + all);
    *n = behind == *n || behind == all ? all : *n;
    return 1;
}

/* Takes the next record of *len bytes, or a title if *len is -1. Returns 1, 0 at the end, or -1. */
static int record(struct dcd *d, int64_t *len, const char *what, const unsigned char **p,
                  struct err *e)
{
    int got = bytes_peek(d->b, d->mark, what, p, e);
    if (got != 1)
        return got;
    uint64_t n = marker(d, *p);
    uint64_t given = n;
    if (*len < 0 && n > TITLE_MAX)
        return bytes_bad(d->b, e, "expected a title of at most %d bytes, found %llu bytes",
                         TITLE_MAX, (unsigned long long)n);
    if (*len >= 0 && n != (uint64_t)*len)
        return bytes_bad(d->b, e, "expected a record of %lld bytes (%s), found %llu bytes",
                         (long long)*len, what, (unsigned long long)n);
    if (bytes_peek(d->b, (size_t)n + 2 * d->mark, what, p, e) != 1 ||
        (*len < 0 && count_title(d, &n, p, e) != 1))
        return -1;
    uint64_t behind = marker(d, *p + d->mark + n);
    if (behind != n && behind != given)
        return bytes_bad(d->b, e,
                         "damaged record (%s): expected equal lengths in its two markers, found "
                         "%llu and %llu bytes",
                         what, (unsigned long long)n, (unsigned long long)behind);
    *p += d->mark;
    *len = (int64_t)n;
    bytes_take(d->b, (size_t)n + 2 * d->mark);
    return 1;
}

/* Takes a record. The end of the file is an error here. Returns 0 or -1. */
static int must(struct dcd *d, int64_t *len, const char *what, const unsigned char **p,
                struct err *e)
{
    int got = record(d, len, what, p, e);
    if (got == 0)
        return bytes_cut(d->b, e, "truncated: expected a record (%s), but the file ends here",
                         what);
    return got == 1 ? 0 : -1;
}

static bool says(const char *title, size_t n, const char *word)
{
    return memmem(title, n, word, strlen(word)) != NULL;
}

/* Sets the time between frames and LAMMPS' length unit. Only the title identifies the units. */
static void read_time(struct dcd *d, const unsigned char *delta, const char *title, size_t n)
{
    static const char *const akma[] = {"NAMD", "CHARMM", "OpenMM", "CREATED BY USER:"};
    double step = d->charmm ? (double)bytes_f32(delta, d->swap) : bytes_f64(delta, d->swap);
    double unit = NAN;
    for (size_t k = 0; k < sizeof akma / sizeof akma[0]; k++)
        if (says(title, n, akma[k]))
            unit = AKMA_PS;
    if (says(title, n, "LAMMPS")) {
        struct lammps l;
        lammps_begin(&l, d->o, d->info);
        d->info->uses = FORMAT_UNITS;
        unit = d->o->units ? l.time : NAN;
        d->length = d->o->units ? l.length : 1.0;
    }
    step *= unit;
    if (!(step > 0.0) || !isfinite(step) || d->head[NSAVC] == 0)
        step = NAN;
    step = format_few_digits(step, 2e-7 * step);
    d->dt = step * d->head[NSAVC];
    d->t0 = step * (int32_t)d->head[ISTART];
}

static int read_header(struct dcd *d, struct err *e)
{
    const unsigned char *p;
    unsigned char delta[8];
    int64_t len = 84;
    if (bytes_peek(d->b, 12, "a header", &p, e) != 1)
        return -1;
    d->mark = memcmp(p + 8, "CORD", 4) == 0 ? 8 : 4;
    d->swap = p[0] != 84;
    if (must(d, &len, "the header", &p, e) != 0)
        return -1;
    for (int k = 0; k < 20; k++)
        d->head[k] = bytes_u32(p + 4 + 4 * k, d->swap);
    memcpy(delta, p + 4 + 4 * DELTA, sizeof delta);
    d->version = d->head[VERSION];
    d->charmm = d->version != 0;
    d->has_cell = d->charmm && d->head[CELL];
    d->has_fourth = d->charmm && d->head[FOURTH] == 1;
    len = -1;
    if (must(d, &len, "the title", &p, e) != 0)
        return -1;
    read_time(d, delta, (const char *)p, (size_t)len);
    len = 4;
    if (must(d, &len, "the number of atoms", &p, e) != 0)
        return -1;
    d->natoms = bytes_u32(p, d->swap);
    if (d->natoms == 0 || d->natoms > INT32_MAX / 4 || d->head[NFIXED] >= d->natoms)
        return bytes_bad(
            d->b, e,
            "expected at least one atom that is not fixed, found %zu atoms, of which %u are fixed",
            d->natoms, d->head[NFIXED]);
    return 0;
}

/* Reads the record with the numbers of the free atoms, which exists if other atoms are fixed. */
static int read_free(struct dcd *d, struct err *e)
{
    const unsigned char *p;
    d->nfree = d->natoms - d->head[NFIXED];
    int64_t len = 4 * (int64_t)d->nfree;
    if (d->nfree == d->natoms)
        return 0;
    if (err_over(e, 16.0 * (double)d->natoms, d->o->max_mem, NULL, "%zu atoms", d->natoms))
        return -1;
    if (must(d, &len, "the free atoms", &p, e) != 0)
        return -1;
    d->free_atoms = malloc(d->nfree * sizeof *d->free_atoms);
    d->fixed = calloc(d->natoms, 3 * sizeof *d->fixed);
    if (!d->free_atoms || !d->fixed)
        return err_memory(e, "the free atoms");
    for (size_t k = 0; k < d->nfree; k++) {
        d->free_atoms[k] = bytes_u32(p + 4 * k, d->swap) - 1;
        if (d->free_atoms[k] >= d->natoms || (k > 0 && d->free_atoms[k] <= d->free_atoms[k - 1]))
            return bytes_bad(d->b, e,
                             "expected the indices of the free atoms in ascending order from 1 to "
                             "%zu, found other numbers",
                             d->natoms);
    }
    return 0;
}

static void close_dcd(void *self)
{
    struct dcd *d = self;
    free(d->free_atoms);
    free(d->fixed);
}

static int open_dcd(void *self, struct err *e)
{
    struct dcd *d = self;
    d->length = 1.0;
    if (read_header(d, e) != 0 || read_free(d, e) != 0)
        return -1;
    d->info->natoms = d->natoms;
    d->info->counts_steps = d->head[NSAVC] > 0;
    d->info->computed = true;
    d->info->no_time = "the title of this DCD file does not state the unit of time";
    return 0;
}

/* ---- the cell */

/* Reads the lower triangle of a symmetric matrix whose rows are the cell vectors, as in CHARMM. */
static bool by_matrix(const double u[6], double cell[9])
{
    const double h[9] = {u[0], u[1], u[3], u[1], u[2], u[4], u[3], u[4], u[5]};
    struct box box;
    static const int pbc[3] = {1, 1, 1};
    memcpy(cell, h, sizeof h);
    return u[0] > 0 && u[0] * u[2] > u[1] * u[1] && box_init(&box, cell, pbc) == 0;
}

/* Reads a cell from six numbers in one of three conventions. The numbers are a, gamma, b, beta,
 * alpha, c with angles in degrees (OpenMM, VMD) or as cosines (NAMD, LAMMPS). If they cannot be
 * angles, or if the file is from CHARMM since version 25, they are the triangle of a symmetric
 * matrix. Old programs wrote a, b, c, alpha, beta, gamma. */
static int read_cell(struct dcd *d, const unsigned char *p, struct format_frame *f, struct err *e)
{
    double u[6], edge[3], angle[3], size = 0.0;
    for (int k = 0; k < 6; k++) {
        u[k] = bytes_f64(p + 8 * k, d->swap);
        size += fabs(u[k]);
    }
    f->has_cell = size != 0.0;
    if (!f->has_cell)
        return 0;
    double raw[3] = {u[4], u[3], u[1]};
    bool cosines = true, degrees = true, zero = true;
    for (int k = 0; k < 3; k++) {
        cosines = cosines && fabs(raw[k]) < 1.0;
        degrees = degrees && raw[k] > 1.0 && raw[k] < 180.0;
        zero = zero && raw[k] == 0.0;
        angle[k] = cosines ? 90.0 - asin(raw[k]) * (180.0 / UNITS_PI) : raw[k];
    }
    edge[0] = u[0];
    edge[1] = u[2];
    edge[2] = u[5];
    bool swapped = u[3] == 90.0 && u[4] == 90.0 && u[5] == 90.0 && u[1] != 90.0;
    bool doubtful = swapped || (d->version > 24 && cosines && !zero);
    if (!doubtful && (cosines || degrees) && format_cell_edges(edge, angle, f->cell) == 0) {
        f->has_cell = edge[0] != 0.0 || edge[1] != 0.0 || edge[2] != 0.0;
        return 0;
    }
    if (!doubtful && !cosines && by_matrix(u, f->cell))
        return 0;
    const char *why = doubtful ? ", which is ambiguous" : "";
    return bytes_bad(d->b, e,
                     "expected a cell in one of the DCD conventions, found %g %g %g %g %g %g%s "
                     "(give the cell with --cell)",
                     u[0], u[1], u[2], u[3], u[4], u[5], why);
}

/* ---- frames */

static int end_of_file(struct dcd *d, struct err *e)
{
    uint32_t nset = d->head[NSET];
    if (d->frames < nset)
        return bytes_cut(
            d->b, e, "truncated: the header states %u frames, but the file ends after %llu frames",
            nset, (unsigned long long)d->frames);
    if (d->frames > nset && nset > 0)
        snprintf(d->info->note, sizeof d->info->note,
                 "the header states %u frames, but all %llu frames of the file are used", nset,
                 (unsigned long long)d->frames);
    return 0;
}

/* Converts a frame to Å. */
static void scale(const struct dcd *d, struct format_frame *f)
{
    for (int k = 0; k < 9; k++)
        f->cell[k] *= d->length;
    for (size_t k = 0; k < 3 * d->natoms && f->decode; k++)
        if (d->o->given.f64)
            ((double *)f->pos)[k] *= d->length;
        else
            ((float *)f->pos)[k] = (float)(((float *)f->pos)[k] * d->length);
    f->max = 0;
}

/* Completes the free atoms of a frame with the fixed atoms of the first frame. */
static void put_free(struct dcd *d, float *pos)
{
    for (size_t k = 0; k < d->nfree; k++)
        memcpy(d->fixed + 3 * d->free_atoms[k], pos + 3 * k, 3 * sizeof *pos);
    memcpy(pos, d->fixed, d->natoms * 3 * sizeof *pos);
}

static int next_frame(void *self, struct format_frame *f, struct err *e)
{
    struct dcd *d = self;
    const unsigned char *p;
    const void *row[3];
    bool some = d->free_atoms && d->frames > 0;
    size_t n = some ? d->nfree : d->natoms, bytes = 4 * n + 2 * d->mark;
    int64_t len = 48;
    bytes_whole(d->b, (d->has_cell ? 48 + 2 * d->mark : 0) + (d->has_fourth ? 4 : 3) * bytes);
    int got = bytes_peek(d->b, d->mark, "a frame", &p, e);
    if (got != 1)
        return got == 0 ? end_of_file(d, e) : -1;
    if (d->has_cell &&
        (must(d, &len, "a cell", &p, e) || (!d->o->given.has_cell && read_cell(d, p, f, e))))
        return -1;
    got = bytes_peek(d->b, 3 * bytes, "positions", &p, e);
    if (got == 0)
        bytes_cut(d->b, e, "truncated: expected %zu bytes of positions, but the file ends here",
                  3 * bytes);
    if (got != 1)
        return -1;
    for (int a = 0; a < 3; a++) {
        const unsigned char *r = p + (size_t)a * bytes + d->mark;
        uint64_t before = marker(d, r - d->mark), behind = marker(d, r + 4 * n);
        row[a] = r;
        if (before != 4 * n || behind != 4 * n)
            return bytes_bad(d->b, e,
                             "coordinate %c of %zu atoms: expected a record of %zu bytes, found "
                             "%llu bytes in its first marker and %llu in its last",
                             'x' + a, n, 4 * n, (unsigned long long)before,
                             (unsigned long long)behind);
    }
    if (f->decode || (d->free_atoms && d->frames == 0)) {
        float *pos = f->pos;
        uint32_t max = SIMD_PICK(numbers_rows)(row, n, d->swap, pos);
        f->max = some || d->o->given.f64 ? 0 : max;
        if (some)
            put_free(d, pos);
        else if (d->free_atoms)
            memcpy(d->fixed, pos, n * 3 * sizeof *pos);
        if (d->o->given.f64)
            format_widen(f->pos, 3 * d->natoms);
    }
    if (d->length != 1.0)
        scale(d, f);
    bytes_take(d->b, 3 * bytes);
    len = 4 * (int64_t)n;
    if (d->has_fourth && must(d, &len, "a fourth coordinate", &p, e) != 0)
        return -1;
    f->step = (int32_t)d->head[ISTART] + (int64_t)d->frames * d->head[NSAVC];
    f->time = d->t0 + (double)d->frames * d->dt;
    d->frames++;
    return 1;
}

FORMAT_MAGIC("dcd", 4, "CORD", "is a DCD trajectory");
FORMAT_MAGIC("dcd", 8, "CORD", "is a DCD trajectory");
FORMAT(dcd, "dcd", ".dcd", "DCD") = {
    .title = "a DCD trajectory",
    .size = sizeof(struct dcd),
    .open = open_dcd,
    .next = next_frame,
    .close = close_dcd,
};
