/* SPDX-License-Identifier: MIT */
#include "md/md_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/decimal.h"
#include "io/lines.h"

#define DATA_WORDS 10
#define DATA_KCAL_MEV (4184.0 / 6.02214076e23 / 1.602176634e-22) /* 1 kcal/mol in meV */
#define DATA_RMIN 1.122462048309372981433533049679               /* 2^(1/6) = rm / sigma */

struct data {
    struct lines l;
    /* The words of the last line (one word more if there are too many), and the text after #. */
    const char *word[DATA_WORDS], *note;
    size_t size[DATA_WORDS], note_size;
    int words;
    double lo[3], hi[3];
    double energy, speed; /* file units in internal units */
    uint64_t natoms, types;
    unsigned char *seen; /* [natoms] bits: 1 for a position, 2 for a velocity */
    bool moving;
};

/* Reads the next non-empty line and splits it into words. Returns 1, 0 at the end, or -1. */
static int data_line(struct data *d, struct err *e)
{
    do {
        int got = lines_next(&d->l, e);
        if (got != 1)
            return got;
        const char *p = d->l.line, *end = p + d->l.len;
        d->words = 0;
        d->note = memchr(p, '#', d->l.len);
        d->note_size = d->note ? (size_t)(end - d->note) : 0;
        for (const char *stop = d->note ? d->note : end; p < stop; p++) {
            const char *from = p;
            while (p < stop && strchr(" \t", *p) == NULL)
                p++;
            if (p > from && d->words < DATA_WORDS) {
                d->word[d->words] = from;
                d->size[d->words] = (size_t)(p - from);
            }
            d->words += p > from && d->words <= DATA_WORDS;
        }
    } while (d->words == 0);
    return 1;
}

static bool data_is(const struct data *d, int k, const char *word)
{
    return k < d->words && d->size[k] == strlen(word) && memcmp(d->word[k], word, d->size[k]) == 0;
}

static int data_bad(const struct data *d, struct err *e, const char *expected)
{
    size_t n = d->words ? (size_t)(d->word[d->words > DATA_WORDS ? DATA_WORDS - 1 : d->words - 1] -
                                   d->word[0]) +
                              d->size[d->words > DATA_WORDS ? DATA_WORDS - 1 : d->words - 1]
                        : 0;
    return err_bad(e, "line %zu: %s, found '%.*s'", d->l.at, expected, (int)(n < 60 ? n : 60),
                   n ? d->word[0] : "");
}

static int data_f64(const struct data *d, int k, double *v)
{
    return k < d->words && k < DATA_WORDS
               ? decimal_get_f64(d->word[k], d->size[k], DECIMAL_FORTRAN, v)
               : -1;
}

static int data_u64(const struct data *d, int k, uint64_t max, uint64_t *v)
{
    return k < d->words && k < DATA_WORDS ? decimal_get_u64(d->word[k], d->size[k], max, v) : -1;
}

/* Sets the units of the file and of the run from its first line. */
static int data_units(struct data *d, struct md_setup *s, struct err *e)
{
    char name[16] = "";
    int got = lines_next(&d->l, e);
    const char *at = got == 1 ? strstr(d->l.line, "units = ") : NULL;
    if (got < 0)
        return -1;
    if (at)
        (void)sscanf(at + 8, "%15[a-z]", name);
    bool lj = name[0] ? strcmp(name, "lj") == 0 : s->units == MD_LJ,
         real = strcmp(name, "real") == 0;
    if (name[0] && !lj && !real && strcmp(name, "metal") != 0)
        return err_bad(e, "line 1: expected units metal, real or lj, found %s", name);
    if (s->units >= 0 && (s->units == MD_LJ) != lj)
        return err_bad(e, "--units %s contradicts the units of the file, %s",
                       md_units_names[s->units], name);
    s->units = lj ? MD_LJ : MD_METAL;
    d->energy = lj ? 1.0 : real ? DATA_KCAL_MEV : 1000.0;
    d->speed = real ? 1000.0 : 1.0;
    return 0;
}

/* Reads a line before the first section. Returns 0, 1 if it is the name of a section, or -1. */
static int data_header(struct data *d, struct err *e)
{
    static const char *const edges[3][2] = {{"xlo", "xhi"}, {"ylo", "yhi"}, {"zlo", "zhi"}};
    uint64_t n;
    double tilt[3];
    for (int k = 0; k < 3; k++)
        if (data_is(d, 2, edges[k][0]) && data_is(d, 3, edges[k][1])) {
            if (data_f64(d, 0, &d->lo[k]) || data_f64(d, 1, &d->hi[k]) || !(d->hi[k] > d->lo[k]))
                return data_bad(d, e, "expected a lower and an upper bound of the box");
            return 0;
        }
    if (data_is(d, 3, "xy")) {
        for (int k = 0; k < 3; k++)
            if (data_f64(d, k, &tilt[k]) || tilt[k] != 0.0)
                return data_bad(d, e, "expected a cell with right angles");
        return 0;
    }
    if (data_u64(d, 0, UINT64_MAX, &n) != 0)
        return 1;
    if (data_is(d, 1, "atoms") && d->words == 2)
        d->natoms = n;
    else if (data_is(d, 1, "atom") && data_is(d, 2, "types"))
        d->types = n;
    else if (n != 0 && !(d->words == 3 && data_is(d, 2, "types")))
        return data_bad(d, e, "expected only atoms, without bonds or angles");
    return 0;
}

/* An atom style, with its name after "Atoms" and the columns of type and x. */
struct data_style {
    const char *name;
    int type, x;
};

/* Reads a row of section Atoms. */
static int data_atom(struct data *d, const struct data_style *style, double *r, struct err *e)
{
    int first = style->x;
    uint64_t id, type;
    double x, image = 0.0;
    if (data_u64(d, 0, d->natoms, &id) || id < 1 || data_u64(d, style->type, 1, &type) ||
        type != 1 || (d->words != first + 3 && d->words != first + 6))
        return data_bad(d, e,
                        "expected an atom row with id, type 1, x, y, z and optional image flags");
    if (d->seen[id - 1] & 1)
        return data_bad(d, e, "expected each atom id once");
    for (int k = 0; k < 3; k++) {
        if (data_f64(d, first + k, &x) ||
            (d->words > first + 3 && data_f64(d, first + 3 + k, &image)))
            return data_bad(d, e, "expected coordinates");
        r[3 * (id - 1) + (size_t)k] = x - d->lo[k] + image * (d->hi[k] - d->lo[k]);
    }
    d->seen[id - 1] |= 1;
    return 0;
}

static int data_velocity(struct data *d, double *v, struct err *e)
{
    uint64_t id;
    if (data_u64(d, 0, d->natoms, &id) || id < 1 || d->words != 4 || d->seen[id - 1] & 2)
        return data_bad(d, e, "expected an atom id, each id only once, and three velocities");
    for (int k = 0; k < 3; k++) {
        double *to = &v[3 * (id - 1) + (size_t)k];
        if (data_f64(d, 1 + k, to))
            return data_bad(d, e, "expected three velocities");
        *to *= d->speed;
    }
    d->seen[id - 1] |= 2;
    return 0;
}

/* Returns the style named after "Atoms", or NULL. */
static const struct data_style *data_style(const struct data *d)
{
    static const struct data_style styles[] = {{"", 1, 2},
                                               {"# atomic", 1, 2},
                                               {"# charge", 1, 3},
                                               {"# molecular", 2, 3},
                                               {"# full", 2, 4}};
    size_t n = d->note_size;
    while (n > 0 && strchr(" \t", d->note[n - 1]))
        n--;
    for (size_t k = 0; k < sizeof styles / sizeof *styles; k++)
        if (n == strlen(styles[k].name) && (n == 0 || memcmp(d->note, styles[k].name, n) == 0))
            return &styles[k];
    return NULL;
}

/* Reads the section that the present line names. Returns 0 or -1. */
static int data_section(struct data *d, struct md_setup *s, struct md_start_state *b, struct err *e)
{
    bool masses = data_is(d, 0, "Masses"), atoms = data_is(d, 0, "Atoms"),
         moving = data_is(d, 0, "Velocities"),
         pair = data_is(d, 0, "Pair") && data_is(d, 1, "Coeffs");
    const struct data_style *style = atoms ? data_style(d) : NULL;
    double x, y;
    if (!masses && !atoms && !moving && !pair)
        return data_bad(d, e,
                        "expected one of the sections Masses, Pair Coeffs, Atoms and Velocities");
    if (atoms && style == NULL)
        return err_bad(e, "line %zu: expected atoms of style atomic, charge, molecular or full",
                       d->l.at);
    d->moving = d->moving || moving;
    for (uint64_t k = 0; k < (atoms || moving ? d->natoms : 1); k++) {
        int got = data_line(d, e);
        if (got != 1)
            return got < 0 ? -1
                           : err_bad(e, "the file ends after line %zu, in the middle of a section",
                                     d->l.at);
        if (atoms ? data_atom(d, style, b->r, e) : moving ? data_velocity(d, b->v, e) : 0)
            return -1;
        if (masses && (!data_is(d, 0, "1") || data_f64(d, 1, &x) || !(x > 0)))
            return data_bad(d, e, "expected a row with type 1 and its mass");
        if (pair && (!data_is(d, 0, "1") || data_f64(d, 1, &x) || data_f64(d, 2, &y)))
            return data_bad(d, e, "expected a row with type 1, epsilon and sigma");
        if (masses && isnan(s->mass))
            s->mass = x;
        if (pair && isnan(s->eps))
            s->eps = x * d->energy;
        if (pair && isnan(s->sigma))
            s->sigma = y * (s->form == LJ_RMIN ? DATA_RMIN : 1.0);
    }
    return 0;
}

/* Checks the header and allocates the atoms. */
static int data_begin(struct data *d, struct md_setup *s, struct md_params *p,
                      struct md_start_state *b, struct err *e)
{
    if (d->natoms < 1 || d->natoms > UINT32_MAX)
        return err_bad(e,
                       "expected a header line 'N atoms' with N from 1 to 4294967295, found none");
    if (d->types != 1)
        return err_bad(e, "expected one atom type, found %llu", (unsigned long long)d->types);
    for (int k = 0; k < 3; k++) {
        if (!(d->hi[k] > d->lo[k]))
            return err_bad(e,
                           "expected the header lines xlo xhi, ylo yhi and zlo zhi, found fewer");
        s->cell[k] = d->hi[k] - d->lo[k];
    }
    s->atoms = p->natoms = d->natoms;
    p->replicas = 1;
    d->seen = calloc(d->natoms, 1);
    return d->seen == NULL ? err_memory(e, "a data file") : md_start_room(p, b, e);
}

static int data_parse(struct data *d, struct md_setup *s, struct md_params *p,
                      struct md_start_state *b, struct err *e)
{
    int bad = 0, got;
    if (data_units(d, s, e) != 0)
        return -1;
    while ((got = data_line(d, e)) == 1 && (bad = data_header(d, e)) == 0)
        ;
    if (got < 0 || bad < 0 || data_begin(d, s, p, b, e) != 0)
        return -1;
    for (; got == 1; got = data_line(d, e))
        if (data_section(d, s, b, e) != 0)
            return -1;
    if (got < 0)
        return -1;
    static const char *const what[] = {"the position", "the velocity"};
    for (size_t i = 0; i < d->natoms; i++)
        if (d->seen[i] != (d->moving ? 3 : 1))
            return err_bad(e, "expected %s of atom id %zu, found none", what[d->seen[i] & 1],
                           i + 1);
    if (md_setup_params(s, p, e) != 0)
        return -1;
    if (!d->moving)
        md_init_velocities(p, s->seed, b->v, NULL);
    return 0;
}

int md_data_read(const char *path, struct md_setup *s, struct md_params *p,
                 struct md_start_state *b, struct err *e)
{
    struct data d = {.words = 0};
    const char *name = path && strcmp(path, "-") != 0 ? path : "stdin";
    if (s->atoms || !isnan(s->density) || !isnan(s->cell[0]) || s->start >= 0 || s->replicas > 1)
        return err_bad(e, "--atoms, --density, --cell, --start and --replicas apply only to a new "
                          "system, not to a system read from a file");
    int bad = lines_open(&d.l, path, name, NULL, e) || data_parse(&d, s, p, b, e);
    if (bad)
        err_file(e, name);
    lines_close(&d.l);
    free(d.seen);
    return bad ? -1 : 0;
}

/* ---- writing */

/* Writes a row of atom i, with its place inside the box and image flags or with its velocity. */
static void data_row(const struct md_params *p, size_t i, const double *x, bool place, char *line)
{
    int image[3] = {0, 0, 0};
    char *at = line + decimal_put_u64(line, i + 1);
    if (place)
        at = strcpy(at, " 1") + 2;
    for (int k = 0; k < 3; k++) {
        double w = x[3 * i + (size_t)k], l = p->box[k];
        if (place && p->boundary == MD_PERIODIC) {
            image[k] = (int)floor(w / l);
            w -= image[k] * l;
            image[k] += w >= l;
            w = w >= l ? 0.0 : w < 0.0 ? 0.0 : w;
        }
        at = md_print(at, w);
    }
    *at = '\0';
    if (place)
        sprintf(at, " %d %d %d", image[0], image[1], image[2]);
}

int md_data_write(struct md *m, const struct md_setup *s, const struct md_params *p,
                  const char *made_by, void (*put)(void *to, const char *line), void *to,
                  struct err *e)
{
    struct md_start_state b = {0};
    char line[8 * DECIMAL_TEXT + 128];
    int bad = md_start_room(p, &b, e);
    if (!bad && (bad = md_state(m, b.r, b.v)) != 0)
        *e = md_info(m)->err;
    if (!bad) {
        snprintf(
            line, sizeof line,
            "LAMMPS data file via %s, timestep = %llu, units = %s\n\n%zu atoms\n1 atom types\n",
            made_by, (unsigned long long)md_info(m)->step, md_units_names[s->units], p->natoms);
        put(to, line);
        for (int k = 0; k < 3; k++) {
            sprintf(md_print(strcpy(line, "0") + 1, p->box[k]), " %clo %chi", "xyz"[k], "xyz"[k]);
            put(to, line);
        }
        *md_print(strcpy(line, "\nMasses\n\n1") + 10, p->mass) = '\0';
        put(to, line);
        double sigma = p->form == LJ_RMIN ? p->sigma / DATA_RMIN : p->sigma,
               eps = s->units == MD_LJ ? p->eps : 1e-3 * p->eps;
        *md_print(md_print(strcpy(line, "\nPair Coeffs # lj/cut\n\n1") + 24, eps), sigma) = '\0';
        put(to, line);
    }
    for (int what = 0; !bad && what < 2; what++) {
        put(to, what ? "\nVelocities\n" : "\nAtoms # atomic\n");
        for (size_t i = 0; i < p->natoms; i++) {
            data_row(p, i, what ? b.v : b.r, what == 0, line);
            put(to, line);
        }
    }
    md_start_free(&b);
    return bad;
}
