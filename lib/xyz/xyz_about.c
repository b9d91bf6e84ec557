/* SPDX-License-Identifier: MIT */
/* What a reader can tell about its trajectory, and the options' text forms. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "xyz/xyz_reader.h"

const char *xyz_error(const struct xyz_reader *x)
{
    return x->err;
}

int xyz_error_status(const struct xyz_reader *x)
{
    return x->status;
}

const char *xyz_warning(struct xyz_reader *x)
{
    if (x->no_cell && x->index > 0) { /* an input without a good frame has worse troubles */
        x->no_cell = false;
        snprintf(x->warning, sizeof x->warning,
                 "%s: found no cell: distances will have no periodic images (--cell gives a cell, "
                 "--pbc none says that there is none)",
                 xyz_scan_name(&x->sc, x->no_cell_file));
        return x->warning;
    }
    if (!x->sc.has_warning)
        return NULL;
    x->sc.has_warning = false;
    memcpy(x->warning, x->sc.warning, sizeof x->warning);
    return x->warning;
}

size_t xyz_natoms(const struct xyz_reader *x)
{
    return x->natoms;
}

double xyz_dt(const struct xyz_reader *x)
{
    return x->dt;
}

const struct box *xyz_box(const struct xyz_reader *x)
{
    return &x->box0;
}

enum xyz_dialect xyz_dialect_found(const struct xyz_reader *x)
{
    return x->dialect;
}

bool xyz_sorted(const struct xyz_reader *x)
{
    return x->sorted;
}

bool xyz_limited(const struct xyz_reader *x)
{
    return x->sc.limited;
}

uint64_t xyz_frames(const struct xyz_reader *x)
{
    return x->index;
}

const char *xyz_bound(const struct xyz_reader *x)
{
    return x->sc.in_gzip ? "inflating" : "parsing";
}

uint64_t xyz_text_bytes(const struct xyz_reader *x)
{
    return x->sc.text_bytes;
}

uint64_t xyz_input_done(const struct xyz_reader *x)
{
    return x->sc.in_bytes + (x->sc.in ? xyz_input_bytes(x->sc.in) : 0);
}

uint64_t xyz_input_total(const struct xyz_reader *x)
{
    return x->sc.total_bytes;
}

/* Printable ASCII without brackets: what sys.species can say. */
static int plain_name(const char *s)
{
    if (*s == '\0')
        return 0;
    for (; *s; s++)
        if (*s <= ' ' || *s > '~' || *s == '(' || *s == ')')
            return 0;
    return 1;
}

/* sys.species, where the names are few and plain: else they are labels, and left out. */
static int put_species(const struct xyz_reader *x, struct meta *m)
{
    enum { MAX_SPECIES = 255 };
    char species[MAX_SPECIES][16];
    int count = 0;
    unsigned char *which = malloc(x->natoms);
    if (!which)
        return -1;
    for (size_t i = 0; i < x->natoms; i++) {
        int k = i > 0 && strcmp(x->names[i], species[which[i - 1]]) == 0 ? which[i - 1] : 0;
        while (k < count && strcmp(x->names[i], species[k]) != 0)
            k++;
        if (k == count && (count == MAX_SPECIES || !plain_name(x->names[i]))) {
            free(which);
            return 0;
        }
        if (k == count)
            memcpy(species[count++], x->names[i], sizeof species[0]);
        which[i] = (unsigned char)k;
    }
    int rc = meta_set_species(m, x->natoms, which, (const char(*)[16])species);
    free(which);
    return rc;
}

int xyz_put_meta(const struct xyz_reader *x, struct meta *m)
{
    const struct box *b = &x->box0;
    int bad = meta_setf(m, "sys.natoms", "%zu", x->natoms);
    if (!isnan(x->dt))
        bad |= meta_set_f64(m, "sys.dt_ps", &x->dt, 1);
    if (!isnan(x->sigma))
        bad |= meta_set_f64(m, "sys.sigma", &x->sigma, 1);
    if (box_volume(b) > 0.0) {
        bad |= meta_set_f64(m, "sys.cell", &b->h[0][0], 9);
        bad |= meta_setf(m, "sys.pbc", "%c%c%c", b->pbc[0] ? 'T' : 'F', b->pbc[1] ? 'T' : 'F',
                         b->pbc[2] ? 'T' : 'F');
    }
    if (x->names)
        bad |= put_species(x, m);
    bad |= meta_set(m, "data.quantity", "positions");
    bad |= meta_set(m, "data.unit", "angstrom");
    return bad ? -1 : 0;
}

/* ---- options as text */

/* A whole number or nothing (then v stays). 0 or -1. */
static int slice_part(const char *s, size_t len, uint64_t *v)
{
    return len == 0 ? 0 : decimal_get_u64(s, len, UINT64_MAX, v);
}

int xyz_parse_select(const char *s, uint64_t *first, uint64_t *stop, uint64_t *step, char *err,
                     size_t errlen)
{
    uint64_t v[3] = {0, UINT64_MAX, 1};
    const char *p = s;
    int n = 0, bad = 0;
    for (; n < 3; n++) {
        size_t len = strcspn(p, ":");
        bad |= slice_part(p, len, &v[n]);
        p += len;
        if (*p != ':')
            break;
        p++;
    }
    if (n == 0 && *s) /* one frame */
        v[1] = v[0] + 1;
    if (*s == '\0' || *p != '\0' || n == 3 || bad || v[2] == 0) {
        snprintf(
            err, errlen,
            "expected frames as FIRST:STOP:STEP (STOP excluded, each may be left out), found '%s'",
            s);
        return -1;
    }
    if (v[1] <= v[0]) {
        snprintf(err, errlen, "expected STOP beyond FIRST, found '%s'", s);
        return -1;
    }
    *first = v[0];
    *stop = v[1];
    *step = v[2];
    return 0;
}

int xyz_parse_cell(const char *s, double cell[9], char *err, size_t errlen)
{
    double v[6] = {0, 0, 0, 90.0, 90.0, 90.0};
    const char *p = s;
    int n = 0;
    for (; n < 6; n++) {
        size_t len = strcspn(p, ",");
        if (decimal_get_f64(p, len, DECIMAL_FORTRAN, &v[n]) != 0)
            break;
        p += len;
        if (*p != ',') {
            n++;
            break;
        }
        p++;
    }
    if (n == 1)
        v[1] = v[2] = v[0];
    bool whole = *p == '\0' && p > s && p[-1] != ',';
    if ((n == 1 || n == 3 || n == 6) && whole && xyz_cell_from_edges(v, v + 3, cell) == 0)
        return 0;
    snprintf(err, errlen,
             "expected A, A,B,C or A,B,C,alpha,beta,gamma (Å, degrees) of a cell with a volume, "
             "found '%s'",
             s);
    return -1;
}

int xyz_parse_pbc(const char *s, int pbc[3], char *err, size_t errlen)
{
    int p[3] = {0, 0, 0};
    bool none = strcmp(s, "none") == 0;
    for (const char *c = none ? "" : s; *c; c++) {
        if (*c < 'x' || *c > 'z' || p[*c - 'x']++) {
            none = false;
            p[0] = 2;
            break;
        }
    }
    if (*s == '\0' || p[0] > 1) {
        snprintf(err, errlen, "expected any of x, y, z (each once), or none, found '%s'", s);
        return -1;
    }
    memcpy(pbc, p, sizeof p);
    return 0;
}
