/* SPDX-License-Identifier: MIT */
/* Reads XYZ text. A frame is the number of atoms, a second line in one of many dialects
 * (xyz_header.h), and one line per atom. Every frame must have atoms with the same names in the
 * same order, or ids to sort by. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/f32_range.h"
#include "base/sort_by_id.h"
#include "formats/format.h"
#include "formats/text_scalars.h"
#include "formats/xyz_rows.h"
#include "io/decimal.h"
#include "io/final_line.h"
#include "io/magic.h"
#include "select/masses.h"

enum {
    ROW_MIN = 8, /* "H 0 0 0\n", the shortest row */
    HUGE_COUNT = 1 << 20,
    LOOK_MAX = 100,      /* rows compared with an incomplete last row */
    COUNT_MAX = 1 << 12, /* maximum bytes of a line with the number of atoms */
    LINE_LIMIT = 1 << 20 /* maximum bytes of a second line */
};

struct xyz {
    FORMAT_READER;
    struct text_rows *rows;
    bool counted; /* the number of atoms of the next frame was read */
    /* the last header line (the same text is not parsed again) */
    enum xyz_dialect dialect; /* XYZ_AUTO until it is found */
    struct xyz_header header;
    char *comment;
    size_t comment_len, comment_cap;
    int columns, min; /* columns of rows, from Properties or the first row (0 if unknown) */
    /* atoms in output order, set in the first frame */
    bool begun;
    uint64_t *names8;                 /* with ids: keys of the names in later frames */
    char (*names)[ROWS_NAME_MAX + 1]; /* NULL without names */
    int64_t *ids;                     /* NULL without ids */
    struct sort_by_id order;
    void *scratch;          /* memory for a frame */
    struct final_line look; /* appearance of the first rows of this file */
    XXH3_state_t *hash;     /* hash of the rows of a frame */
    struct text_scalars scalars;
    double numbers[FORMATS_NUMBERS]; /* numbers of opts.keys in the last header line */
    int count[SCALARS_MAX];          /* number of values per key, set in the first frame */
    struct text_scalars vel;         /* columns of vx, vy, vz and, if vel.n is 4, the mass */
    double vel_scale;                /* unit of the velocities in Å/ps */
    double *vel64;                   /* [natoms][vel.n] if the numbers are converted, or NULL */
    double *mass;                    /* [natoms] for momenta without a column of masses, or NULL */
};

/* ---- the number of atoms */

/* Checks, before any allocation, that the input is long enough for n atoms. Returns 0 or -1. */
static int plausible(const struct xyz *x, uint64_t n, struct err *e)
{
    const struct bytes *b = x->b;
    uint64_t size = b->in.packed ? 0 : b->in.io.size;
    struct err why;
    if (n == 0)
        return bytes_bad_line(b, e, "expected at least one atom, found 0");
    if (x->info->natoms && n != x->info->natoms)
        return bytes_bad_line(b, e, "expected %zu atoms as in the previous frames, found %llu",
                              x->info->natoms, (unsigned long long)n);
    if (err_over(&why, 64.0 * (double)n, x->o->max_mem ? x->o->max_mem : UINT64_MAX, NULL,
                 "%" PRIu64 " atoms", n)) {
        bytes_bad_line(b, e, "%s", why.text);
        e->status = n >> 40 ? ERR_BAD : ERR_MEMORY; /* more than any machine has */
        return -1;
    }
    if (size && n > HUGE_COUNT && n > size / (ROW_MIN - 1))
        return bytes_bad_line(b, e, "expected %llu atoms, found a file with only %llu bytes",
                              (unsigned long long)n, (unsigned long long)size);
    return 0;
}

/* Returns `got`. Adds the line number to errors of truncated input or memory. */
static int tell_cut(const struct xyz *x, int got, struct err *e)
{
    if (got < 0 && e->status == (x->b->cut ? ERR_BAD : ERR_MEMORY))
        err_line(e, x->b->line ? x->b->line : 1);
    return got;
}

/* Reports "truncated: ..." after the last complete line. Returns -1. */
static int truncated(const struct xyz *x, struct err *e, const char *what)
{
    x->b->cut = true;
    err_bad(e, "truncated: %s", what);
    return err_line(e, x->b->line - (x->b->torn ? 1 : 0));
}

/* Reads the number of atoms from line s. Returns 0 or -1. */
static int read_number(const struct xyz *x, const char *s, size_t len, const char *w, size_t wlen,
                       struct err *e)
{
    const char *more;
    size_t at = (size_t)(w + wlen - s), rest, show = len - (size_t)(w - s);
    uint64_t n;
    if (wlen == 3 && memcmp(w, "ERR", 3) == 0) /* last line of a failed bin2xyz */
        return bytes_bad_line(x->b, e, "the program that wrote this text failed:%.*s",
                              (int)(len - at < 300 ? len - at : 300), s + at);
    if (decimal_get_u64(w, wlen, UINT64_MAX, &n) == 0 && !xyz_word(s, len, &at, &more, &rest)) {
        if (plausible(x, n, e) != 0)
            return -1;
        x->info->natoms = (size_t)n;
        return 0;
    }
    show = show < 40 ? show : 40;
    while (show && (unsigned char)w[show - 1] <= ' ')
        show--;
    const char *remedy =
        x->info->natoms ? " (check whether the previous frame has more atom lines than it states)"
                        : "";
    return bytes_bad_line(x->b, e, "expected the number of atoms, found '%.*s'%s", (int)show, w,
                          remedy);
}

/* Reads the first line of a frame. Returns 1, 0 if only blanks are left, or -1. */
static int read_count(struct xyz *x, struct err *e)
{
    const char *s, *w;
    size_t len, wlen;
    uint64_t blank = 0;
    for (;;) {
        x->b->longest = COUNT_MAX;
        int got = tell_cut(x, bytes_line(x->b, &s, &len, e), e);
        x->b->longest = 0;
        if (got != 1)
            return got;
        size_t at = x->b->line == 1 && len >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        bool word = xyz_word(s, len, &at, &w, &wlen); /* after a byte-order mark */
        if (word && x->b->torn)
            return bytes_cut_line(x->b, e, "%s", final_line_torn(&x->b->in));
        if (word && blank) {
            err_bad(e, "expected the number of atoms, found an empty line inside the file");
            return err_line(e, blank);
        }
        if (word)
            return read_number(x, s, len, w, wlen, e) == 0 ? 1 : -1;
        if (!blank)
            blank = x->b->line;
    }
}

/* ---- the second line */

/* Reads the numbers of opts.keys, and in the first frame sets their names and units. Returns 0 or
 * -1. */
static int read_keys(struct xyz *x, const char *s, size_t len, struct err *e)
{
    struct format_info *in = x->info;
    size_t total = 0;
    for (int k = 0; k < x->o->nkeys; k++) {
        const char *name = x->o->keys[k].name, *ends, *end;
        char unit[SCALARS_NAME];
        double v[9];
        int n = xyz_header_values(s, len, name, v, &ends, e);
        if (n < 0)
            return -1;
        xyz_header_unit(s, len, name, unit);
        if (!x->begun) {
            x->count[k] = n;
            strcpy(in->unit[k], unit);
        }
        if (n != x->count[k])
            return err_bad(e, "expected %d numbers in %s= as in the first frame, found %d",
                           x->count[k], name, n);
        if (strcmp(unit, in->unit[k]) != 0)
            return err_bad(e, "expected %s_unit=%s as in the first frame, found '%s'", name,
                           in->unit[k], unit);
        if (total + (size_t)n > FORMATS_NUMBERS)
            return err_bad(e, "--info: expected at most %d numbers, found more", FORMATS_NUMBERS);
        memcpy(x->numbers + total, v, (size_t)n * sizeof *v);
        total += (size_t)n;
        for (; !x->begun && n > 0; n--, ends = *end ? end + 1 : end) {
            end = ends + strcspn(ends, " ");
            sprintf(in->numbers + strlen(in->numbers), "%s%s%.*s", *in->numbers ? " " : "", name,
                    (int)(end - ends), ends);
            sprintf(in->units + strlen(in->units), "%s%s", *in->units ? " " : "",
                    *unit ? unit : "-");
        }
    }
    in->nnumbers = total;
    return 0;
}

static int bad_unit(const char *unit, struct err *e)
{
    return err_bad(
        e, "expected a unit of velocity such as A/ps, A/fs, nm/ps, bohr/au or ase, found '%s'",
        unit);
}

/* Finds the columns and the unit of the velocities. Returns 0 or -1. */
static int find_velocities(struct xyz *x, const char *s, size_t len, struct err *e)
{
    static const struct scalar names[] = {{"vx", ""}, {"vy", ""}, {"vz", ""}, {"the mass", ""}};
    const struct xyz_header *h = &x->header;
    const char *given = x->o->velocity_unit, *name = h->vel_name;
    char unit[SCALARS_NAME];
    if (h->vel < 0)
        return err_bad(e, "--velocities: expected vel:R:3, velo:R:3, velocities:R:3 or momenta:R:3 "
                          "in Properties, found none");
    bool momenta = strcmp(name, "momenta") == 0;
    xyz_header_unit(s, len, name, unit);
    const char *known = momenta ? "momenta, which are in the units of ASE" : unit;
    if (given && (momenta || *unit))
        return err_bad(
            e,
            "--velocity-unit: expected velocities without a unit, found %s (omit --velocity-unit)",
            known);
    if (momenta && *unit)
        return err_bad(e, "expected momenta in the units of ASE, found momenta_unit=%s", unit);
    if (!momenta && !given && !*unit)
        return err_bad(
            e, "expected a unit of %s, such as %s_unit=A/ps, found none (give --velocity-unit)",
            name, name);
    double scale = format_speed(momenta ? "ase" : given ? given : unit);
    if (isnan(scale))
        return bad_unit(given ? given : unit, e);
    int n = momenta && h->mass >= 0 ? 4 : 3;
    if (x->begun && (scale != x->vel_scale || n != x->vel.n))
        return err_bad(e, "expected velocities with the unit and masses of the first frame, found "
                          "a different unit or no masses");
    x->vel = (struct text_scalars){names, n, {h->vel, h->vel + 1, h->vel + 2, h->mass}};
    x->vel_scale = scale;
    return 0;
}

/* Checks that a file of CP2K contains what is expected, and finds the unit of velocities. Returns 0
 * or -1. */
static int check_content(struct xyz *x, struct err *e)
{
    const char *path = x->b->path, *unit = x->o->velocity_unit;
    bool cp2k = x->dialect == XYZ_CP2K;
    if (x->o->as_velocities && !cp2k)
        return err_bad(e, "expected a CP2K velocity file, because the file name contains -vel-, "
                          "found another format (rename the file)");
    if (!x->o->as_velocities && cp2k && xyz_of_velocities(path))
        return err_bad(e, "expected positions, found a CP2K velocity file, according to its name "
                          "(traj2bin --velocities PROJECT-pos-1.xyz PROJECT-vel-1.xyz reads both)");
    if (cp2k && path && strstr(path, "-frc-"))
        return err_bad(
            e, "expected positions, found a CP2K force file, according to its name (-frc-)");
    if (x->o->velocities && cp2k)
        return err_bad(e, "expected velocities, found only a CP2K position file (add the velocity "
                          "file: traj2bin --velocities PROJECT-pos-1.xyz PROJECT-vel-1.xyz)");
    if (!x->o->as_velocities)
        return 0;
    x->header.scale = format_speed(unit ? unit : "bohr/au");
    if (!x->begun && !unit)
        snprintf(x->info->note, sizeof x->info->note,
                 "the velocities are read in bohr per atomic unit of time, the default of CP2K "
                 "(--velocity-unit states their unit)");
    return isnan(x->header.scale) ? bad_unit(unit, e) : 0;
}

/* Lists the columns and keys of extended XYZ that are not read, for the user. */
static void list_left_out(const struct xyz *x, const char *s, size_t len)
{
    const struct rows_layout *l = &x->header.layout;
    int used[SCALARS_MAX + 7] = {l->pos, l->name, l->id}, n = 3;
    for (int k = 0; k < x->vel.n; k++)
        used[n++] = x->vel.column[k];
    for (int k = 0; k < x->scalars.n; k++)
        used[n++] = x->scalars.column[k];
    xyz_header_left_out(s, len, used, n, x->info->left_out, sizeof x->info->left_out);
}

/* Parses the second line if its text is new, and keeps it. */
static int parse(struct xyz *x, const char *s, size_t len, struct err *e)
{
    struct xyz_header *h = &x->header;
    if (x->comment && len == x->comment_len && memcmp(s, x->comment, len) == 0)
        return 0;
    if ((x->dialect == XYZ_AUTO && xyz_header_detect(s, len, &x->dialect, e) != 0) ||
        xyz_header_parse(x->dialect, s, len, h, e) != 0)
        return -1;
    for (int k = 0; k < x->scalars.n; k++) {
        const char *name = x->o->scalars[k].name;
        if ((x->scalars.column[k] = xyz_header_property(s, len, name, e)) < 0)
            return -1;
        if (!x->begun)
            xyz_header_unit(s, len, name, x->info->unit[k]);
    }
    if (check_content(x, e) != 0 || read_keys(x, s, len, e) != 0 ||
        (x->o->velocities && find_velocities(x, s, len, e) != 0))
        return -1;
    if (!x->begun && x->dialect == XYZ_EXTENDED)
        list_left_out(x, s, len);
    const char *found = isnan(h->time_fs) ? "no Time=" : "a Time= with a known unit";
    if (!x->begun && !h->time_unit_unknown && !isnan(x->o->time_unit_fs))
        return err_bad(e, "--time-unit: expected Time= without a unit, found %s (omit --time-unit)",
                       found);
    if (h->time_unit_unknown && !isnan(x->o->time_unit_fs)) {
        h->time_fs *= x->o->time_unit_fs;
        h->time_unit_unknown = false;
    }
    if (!x->comment || len > x->comment_cap) {
        free(x->comment);
        x->comment_cap = len + 64;
        x->comment = malloc(x->comment_cap);
        if (!x->comment)
            return err_memory(e, "a second line");
    }
    memcpy(x->comment, s, len);
    x->comment_len = len;
    return 0;
}

static int read_head(struct xyz *x, struct format_frame *f, const char *s, size_t len,
                     struct err *e)
{
    static const char *const dialects[] = {XYZ_DIALECT_NAMES};
    const struct xyz_header *h = &x->header;
    struct err why;
    if (parse(x, s, len, &why) != 0)
        return why.status == ERR_BAD ? bytes_bad_line(x->b, e, "%s", why.text) : (*e = why, -1);
    if (!x->begun) {
        x->info->variant = dialects[x->dialect];
        x->info->printed = true;
        x->info->dt = isnan(h->dt_ps) ? 0.0 : h->dt_ps;
        x->info->sigma = isnan(h->sigma) ? 0.0 : h->sigma;
    } else if (!isnan(h->dt_ps) && isnan(x->o->given.dt_ps) && h->dt_ps != x->info->dt) {
        return bytes_bad_line(x->b, e, "expected dt %g ps as in the first frame, found %g",
                              x->info->dt, h->dt_ps);
    }
    if (x->ids && h->layout.id < 0)
        return bytes_bad_line(
            x->b, e, "expected an id column in Properties as in the first frame, found none");
    if (h->columns) {
        x->columns = h->columns;
        x->min = 0;
    }
    f->has_cell = h->has_cell;
    f->has_pbc = h->has_pbc;
    memcpy(f->cell, h->cell, sizeof f->cell);
    memcpy(f->pbc, h->pbc, sizeof f->pbc);
    f->has_step = h->has_step;
    f->step = (int64_t)h->step;
    f->time = h->time_fs / 1e3;
    f->has_energies = x->o->nkeys > 0;
    memcpy(f->energies, x->numbers, x->info->nnumbers * sizeof *x->numbers);
    return 0;
}

/* Requires a unit of times if times are used. The time 0 of a single frame needs no unit. If frames
 * are skipped, it is not known in advance whether a frame is the only frame. Returns 0 or -1. */
static int check_unit(struct xyz *x, const struct format_frame *f, struct err *e)
{
    const struct xyz_header *h = &x->header;
    const struct traj_given *o = &x->o->given;
    if (!h->time_unit_unknown || !isnan(o->dt_ps) || (h->has_step && !isnan(o->timestep_ps)) ||
        (h->time_fs == 0.0 && !x->begun &&
         (o->step > 1 || o->stop - o->first <= 1 || !bytes_more(x->b))))
        return 0;
    const char *or_timestep = h->has_step ? " or --timestep" : "";
    err_bad(e,
            "expected time_unit=fs, ps or ns for Time=%g, found none (give --time-unit or --dt%s)",
            h->time_fs, or_timestep);
    return err_line(e, f->line);
}

/* ---- rows */

/* Stores the appearance and hash of the last `taken` bytes, which are rows. */
static void look_at(struct xyz *x, const struct format_frame *f, size_t taken)
{
    const char *end = (const char *)x->b->buf + x->b->from, *s = end - taken, *nl;
    if (f->hashed)
        XXH3_64bits_update(x->hash, s, taken);
    for (; x->look.rows < LOOK_MAX && s < end; s = nl + 1) {
        if (!(nl = memchr(s, '\n', (size_t)(end - s))))
            return;
        final_line_add(&x->look, s, (size_t)(nl - s));
    }
}

/* Stores the n rows v, beginning at row k. Returns 0, or -1 if a position does not fit in f32. */
static int put_rows(struct xyz *x, struct format_frame *f, size_t k, size_t n, const void *v,
                    struct err *e)
{
    double scale = x->header.scale;
    const double *in = v;
    float *out = (float *)f->pos + 3 * k;
    if (x->o->given.f64) {
        double *out64 = (double *)f->pos + 3 * k;
        for (size_t i = 0; i < 3 * n && (scale != 1.0 || in != out64); i++)
            out64[i] = scale * in[i];
        return 0;
    }
    for (size_t i = 0; i < 3 * n && scale != 1.0; i++) /* scaled in f64, then rounded once */
        out[i] = (float)(scale * in[i]);
    if (scale == 1.0 && v != out)
        memcpy(out, v, n * 12);
    size_t far = f32_range_find(out, 3 * n);
    if (far == 3 * n)
        return 0;
    err_bad(e, F32_RANGE_ADVICE ", found %c at %g", "xyz"[far % 3], (double)out[far]);
    return err_line(e, x->b->line - n + 1 + far / 3);
}

/* Stores the scalars and velocities of n complete rows at s from row k on. Returns 0 or -1. */
static int put_scalars(struct xyz *x, struct format_frame *f, size_t k, size_t n, const char *s,
                       struct err *e)
{
    size_t good = text_scalars_rows(&x->scalars, s, n, k, x->o->given.f64, f->scal, e);
    if (good == n)
        good = text_scalars_rows(&x->vel, s, n, k, x->o->given.f64 || x->vel64,
                                 x->vel64 ? x->vel64 : f->vel, e);
    return good == n ? 0 : err_line(e, x->b->line - n + 1 + good);
}

/* Takes valid buffered rows, beginning with row k. Returns their number, or -1. */
static ssize_t take_rows(struct xyz *x, struct format_frame *f, size_t k, struct err *e)
{
    bool f64 = x->o->given.f64, scaled = x->header.scale != 1.0;
    if (x->columns == 0) /* the first row is read word by word */
        return 0;
    struct text_rows_kind kind = {.f64 = f64 || scaled,
                                  .names = x->names && x->header.layout.name >= 0,
                                  .heads = 1,
                                  .columns = x->columns,
                                  .min = x->min,
                                  .layout = x->header.layout};
    if (!x->ids)
        kind.layout.id = -1;
    bool compare = kind.names && x->begun && !x->ids; /* with ids, the order of atoms may differ */
    struct text_rows_to to = {.n = x->info->natoms - k,
                              .names8 = compare ? x->names8 + k : NULL,
                              .names = compare ? (const char(*)[16])x->names + k : NULL,
                              .names_found = kind.names && !compare ? x->names8 + k : NULL,
                              .pos = scaled ? NULL : (char *)f->pos + k * (f64 ? 24 : 12),
                              .ids = x->ids ? x->ids + k : NULL};
    uint64_t at = x->b->offset;
    size_t n = text_rows(x->rows, &kind, &to);
    for (size_t i = k; to.names_found && !x->begun && i < k + n; i++)
        memcpy(x->names[i], &x->names8[i], sizeof *x->names8);
    size_t taken = (size_t)(x->b->offset - at);
    look_at(x, f, taken);
    const char *text = (const char *)x->b->buf + x->b->from - taken;
    return put_rows(x, f, k, n, to.pos, e) == 0 && put_scalars(x, f, k, n, text, e) == 0
               ? (ssize_t)n
               : -1;
}

/* Allocates the arrays of the atoms. Returns 0 or -1. */
static int make_room(struct xyz *x, struct err *e)
{
    size_t n = x->info->natoms, row = x->o->given.f64 ? 24 : sizeof *x->names,
           wide = (size_t)(x->scalars.n > 4 ? x->scalars.n : 4) * 8;
    row = wide > row ? wide : row;
    bool ids = x->header.layout.id >= 0, names = x->header.layout.name >= 0;
    if (names &&
        (!(x->names8 = calloc(n, sizeof *x->names8)) || !(x->names = calloc(n, sizeof *x->names))))
        return err_memory(e, "the names of the atoms");
    if (ids && (!(x->ids = calloc(n, sizeof *x->ids)) || !(x->scratch = malloc(n * row))))
        return err_memory(e, "the ids of the atoms");
    if (x->vel.n && (x->vel_scale != 1.0 || strcmp(x->header.vel_name, "momenta") == 0) &&
        !(x->vel64 = malloc(n * (size_t)x->vel.n * sizeof *x->vel64)))
        return err_memory(e, "the velocities");
    return 0;
}

/* Reads row k from line s, word by word. Returns 0 or -1. */
static int take_row(struct xyz *x, struct format_frame *f, size_t k, const char *s, size_t len,
                    struct err *e)
{
    const struct rows_layout *l = &x->header.layout;
    bool f64 = x->o->given.f64 || x->header.scale != 1.0;
    struct xyz_row row;
    struct err why;
    if (xyz_row(s, len, l, f64, &row, &why) != 0)
        return bytes_bad_line(x->b, e, "%s", why.text);
    if (k == 0 && x->header.columns == 0) {
        x->columns = row.columns;
        x->min = xyz_row_min(row.columns, l);
    }
    const char *as = x->header.columns ? "Properties" : "the row of the first atom";
    if (!rows_columns(row.columns, x->columns, x->min))
        return bytes_bad_line(x->b, e, "atom %zu: expected %d columns as in %s, found %d", k,
                              x->columns, as, row.columns);
    if (x->ids)
        x->ids[k] = row.id;
    if (x->names && (!x->begun || x->ids))
        x->names8[k] = format_key(row.name, row.name_len);
    if (!x->begun && x->names) {
        memcpy(x->names[k], row.name, row.name_len);
    } else if (x->names && !x->ids && row.name_len &&
               (strlen(x->names[k]) != row.name_len ||
                memcmp(x->names[k], row.name, row.name_len) != 0)) {
        return bytes_bad_line(x->b, e,
                              "expected atom %zu to be '%s' as in the first frame, found '%.*s': "
                              "the dump may be unsorted (LAMMPS: dump_modify sort id)",
                              k, x->names[k], (int)row.name_len, row.name);
    }
    if (text_scalars_row(&x->scalars, s, len, k, x->o->given.f64, f->scal, &why) != 0 ||
        text_scalars_row(&x->vel, s, len, k, x->o->given.f64 || x->vel64,
                         x->vel64 ? x->vel64 : f->vel, &why) != 0)
        return bytes_bad_line(x->b, e, "%s", why.text);
    return put_rows(x, f, k, 1, f64 ? (void *)row.pos64 : row.pos32, e);
}

/* Reads the next line as row k, or skips the line if the row is not needed. Returns 0 or -1. */
static int read_row(struct xyz *x, struct format_frame *f, size_t k, struct err *e)
{
    struct bytes *b = x->b;
    const char *s;
    size_t len, n = x->info->natoms;
    char what[80];
    int got = tell_cut(x, bytes_line(b, &s, &len, e), e);
    if (got < 0)
        return -1;
    size_t raw = got ? (size_t)((const char *)b->buf + b->from - s) : 0;
    if (got == 0 || (b->torn && k + 1 < n)) {
        snprintf(what, sizeof what, "expected %zu atoms, but the file ends after %zu", n, k);
        return truncated(x, e, what);
    }
    if (b->torn && !final_line_whole(&x->look, s, raw))
        return bytes_cut_line(b, e, "%s", final_line_torn(&b->in));
    if (b->torn)
        snprintf(x->info->note, sizeof x->info->note, "%s", FINAL_LINE_TAKEN);
    look_at(x, f, raw);
    return f->decode ? take_row(x, f, k, s, len, e) : 0;
}

/* ---- the atoms */

/* Uses the names of the first frame as species if they are few and simple, or else as labels. */
static int name_species(struct xyz *x, struct err *e)
{
    size_t n = x->info->natoms;
    unsigned char *which = malloc(n);
    if (!which)
        return err_memory(e, "the names of the atoms");
    for (size_t i = 0; i < n; i++) {
        int k = i > 0 && strcmp(x->names[i], x->names[i - 1]) == 0
                    ? which[i - 1]
                    : format_name(x->info, x->names[i], strlen(x->names[i]));
        if (k < 0) {
            free(which);
            x->info->labels = true;
            x->info->note[0] = '\0';
            return 0;
        }
        which[i] = (unsigned char)k;
    }
    x->info->species = which;
    return 0;
}

/* Finds the masses of the elements, for momenta. Returns 0 or -1. */
static int find_masses(struct xyz *x, struct err *e)
{
    size_t n = x->info->natoms;
    if (!(x->mass = malloc(n * sizeof *x->mass)))
        return err_memory(e, "the masses");
    for (size_t i = 0; i < n; i++) {
        x->mass[i] = x->names ? masses_of(x->names[i]) : NAN;
        if (isnan(x->mass[i]))
            return err_bad(e,
                           "momenta need masses: expected masses:R:1 in Properties or an element "
                           "name for atom %zu, found '%s'",
                           i, x->names ? x->names[i] : "");
    }
    return 0;
}

/* Converts the velocities of a frame, in the order of the output, to Å/ps. Returns 0 or -1. */
static int convert_velocities(struct xyz *x, struct format_frame *f, struct err *e)
{
    size_t w = (size_t)x->vel.n;
    f->has_vel = w > 0;
    if (!x->vel64)
        return 0;
    bool momenta = strcmp(x->header.vel_name, "momenta") == 0;
    if (momenta && w == 3 && !x->mass && find_masses(x, e) != 0)
        return err_line(e, f->line);
    for (size_t i = 0; i < x->info->natoms; i++) {
        const double *v = x->vel64 + w * i;
        double scale = x->vel_scale / (w == 4 ? v[3] : momenta ? x->mass[i] : 1.0);
        for (size_t k = 0; k < 3; k++)
            format_put(f->vel, 3 * i + k, x->o->given.f64, scale * v[k]);
    }
    return 0;
}

/* Finishes a frame after its last row. Returns 0 or -1. */
static int finish_frame(struct xyz *x, struct format_frame *f, struct err *e)
{
    size_t n = x->info->natoms, row = SIZE_MAX;
    const size_t *place = NULL;
    if (x->ids && sort_by_id_places(&x->order, x->ids, n, &place, &row, e) != 0)
        return e->status != ERR_BAD ? -1 : err_line(e, f->line + (row == SIZE_MAX ? 0 : row + 1));
    if (place) {
        sort_by_id_apply(&x->order, place, f->pos, x->o->given.f64 ? 24 : 12, x->scratch);
        if (x->scalars.n)
            sort_by_id_apply(&x->order, place, f->scal,
                             (size_t)x->scalars.n * (x->o->given.f64 ? 8 : 4), x->scratch);
        if (x->vel.n)
            sort_by_id_apply(&x->order, place, x->vel64 ? (void *)x->vel64 : f->vel,
                             (size_t)x->vel.n * (x->o->given.f64 || x->vel64 ? 8 : 4), x->scratch);
        if (!x->begun && x->names)
            sort_by_id_apply(&x->order, place, x->names, sizeof *x->names, x->scratch);
    }
    if (x->begun && x->ids && x->names && x->header.layout.name >= 0 &&
        format_same_species(x->info, x->o, x->names8, place, e) != 0)
        return err_line(e, f->line);
    x->info->sorted = x->order.moved;
    x->info->jumps = !x->ids;
    f->max = 1; /* numbers in the text are finite and were range-checked */
    if (check_unit(x, f, e) != 0 || convert_velocities(x, f, e) != 0 ||
        (!x->begun && x->names && name_species(x, e) != 0))
        return -1;
    x->begun = true;
    return 0;
}

/* ---- a frame */

/* Reads the number of atoms and the second line. Returns 1, 0 at the end, or -1. */
static int begin_frame(struct xyz *x, struct format_frame *f, struct err *e)
{
    const char *s;
    size_t len;
    if (x->b->line == 0) { /* this frame begins a new file */
        text_rows_reopen(x->rows);
        x->look = (struct final_line){0};
    }
    int got = x->counted ? 1 : read_count(x, e);
    x->counted = false;
    if (got != 1)
        return got;
    x->b->longest = LINE_LIMIT;
    got = tell_cut(x, bytes_line(x->b, &s, &len, e), e);
    x->b->longest = 0;
    if (got < 0)
        return -1;
    if (got == 0 || x->b->torn) {
        char what[80];
        snprintf(what, sizeof what, "expected a second line and %zu atoms, but the file ends here",
                 x->info->natoms);
        return truncated(x, e, what);
    }
    f->line = x->b->line;
    if (f->decode && read_head(x, f, s, len, e) != 0)
        return -1;
    return f->decode && !x->begun && make_room(x, e) != 0 ? -1 : 1;
}

static int next_frame(void *self, struct format_frame *f, struct err *e)
{
    struct xyz *x = self;
    int got = begin_frame(x, f, e);
    if (got != 1)
        return got;
    if (f->hashed)
        XXH3_64bits_reset(x->hash);
    for (size_t k = 0, n = x->info->natoms; k < n;) {
        uint64_t at = x->b->offset;
        ssize_t some = 0;
        if (!f->decode) {
            some = (ssize_t)text_rows_skip(x->rows, n - k);
            look_at(x, f, (size_t)(x->b->offset - at));
        } else {
            some = take_rows(x, f, k, e);
        }
        if (some < 0 || ((k += (size_t)some) < n && read_row(x, f, k++, e) != 0))
            return -1;
    }
    if (f->hashed)
        f->hash = XXH3_64bits_digest(x->hash);
    return f->decode && finish_frame(x, f, e) != 0 ? -1 : 1;
}

static void close_xyz(void *self)
{
    struct xyz *x = self;
    text_rows_free(x->rows);
    sort_by_id_free(&x->order);
    free(x->comment);
    free(x->names8);
    free(x->names);
    free(x->ids);
    free(x->scratch);
    free(x->vel64);
    free(x->mass);
    XXH3_freeState(x->hash);
}

static int open_xyz(void *self, struct err *e)
{
    struct xyz *x = self;
    x->scalars = (struct text_scalars){x->o->scalars, x->o->nscalars, {0}};
    x->dialect = (enum xyz_dialect)x->o->dialect;
    x->info->has_velocities = true; /* decided for each frame */
    x->rows = text_rows_new(x->b, xyz_rows, x->o->given.step >= (uint64_t)x->o->threads);
    x->hash = XXH3_createState();
    int got = !x->rows || !x->hash ? err_memory(e, "the input") : read_count(x, e);
    if (got == 0)
        return err_bad(e, "expected XYZ frames, found only empty lines");
    x->counted = got == 1;
    return got == 1 ? 0 : -1;
}

FORMAT(xyz, "xyz", ".xyz .extxyz", "XYZ text") = {
    .title = "XYZ text",
    .uses = FORMAT_XYZ | FORMAT_SCALARS,
    .loose = true,
    .by = "the second lines",
    .guess = magic_is_xyz,
    .size = sizeof(struct xyz),
    .open = open_xyz,
    .next = next_frame,
    .close = close_xyz,
};
