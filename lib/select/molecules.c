/* SPDX-License-Identifier: MIT */
#include "select/molecules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/decimal.h"
#include "io/lines.h"

#define BLANKS " \t,"

/* State of reading the molecules. */
struct reading {
    struct molecules *m;
    const char *option;
    const struct meta *meta;
    size_t natoms, max_mem, capacity, lines; /* capacity: for atoms; lines: capacity of first */
    enum molecules_kind kind;
    size_t *seen; /* [natoms]: last line with the atom, from 1 */
};

/* Allocates memory for this number of atoms and one more molecule. Returns 0 or -1. */
static int grow(struct reading *r, size_t atoms, struct err *e)
{
    struct molecules *m = r->m;
    if (atoms > r->capacity) {
        size_t want = 2 * r->capacity > atoms ? 2 * r->capacity : atoms + 4096;
        if (err_over(e, (double)want * sizeof *m->atom, r->max_mem, NULL, "%zu atoms of %s", want,
                     r->option))
            return -1;
        void *p = realloc(m->atom, want * sizeof *m->atom);
        if (!p)
            return err_memory(e, "molecules");
        m->atom = p;
        r->capacity = want;
    }
    if (m->n + 2 > r->lines) {
        size_t want = 2 * r->lines + 1024;
        void *p = realloc(m->first, want * sizeof *m->first);
        if (!p)
            return err_memory(e, "molecules");
        m->first = p;
        r->lines = want;
        m->first[0] = 0;
    }
    return 0;
}

static int add_atom(struct reading *r, uint32_t atom, size_t line, struct err *e)
{
    struct molecules *m = r->m;
    size_t at = m->first[m->n + 1];
    if (r->seen[atom] == line)
        return err_bad(e, "expected each atom once, found atom %u twice", atom);
    if (r->seen[atom] && r->kind == MOLECULES_APART)
        return err_bad(e, "expected each atom in one molecule, found atom %u also in line %zu",
                       atom, r->seen[atom]);
    if (grow(r, at + 1, e) != 0)
        return -1;
    r->seen[atom] = line;
    m->atom[at] = atom;
    m->first[m->n + 1] = at + 1;
    return 0;
}

static int begin(struct reading *r, struct err *e)
{
    if (grow(r, r->capacity ? 0 : 1, e) != 0)
        return -1;
    r->m->first[r->m->n + 1] = r->m->first[r->m->n];
    return 0;
}

/* Returns the names of n atoms from `first` on, such as "O H H". A long list ends in "...". */
static const char *spell(const unsigned char *species, char (*names)[16], size_t first, size_t n,
                         char capacity[100])
{
    size_t used = 0;
    for (size_t k = 0; k < n && used < 80; k++)
        used += (size_t)snprintf(capacity + used, 100 - used, "%s%s", k ? " " : "",
                                 used > 60 ? "..." : names[species[first + k]]);
    return capacity;
}

/* Checks that all molecules of `size` atoms have the same names as the first molecule. An ion among
 * water molecules would shift all later molecules. Returns 0 or -1. */
static int check_names(const struct reading *r, size_t size, struct err *e)
{
    char names[256][16], one[100], other[100];
    unsigned char *s = malloc(r->natoms + 1);
    int bad = s ? 0 : err_memory(e, "molecules"), known = 0;
    if (!bad && r->meta && size > 1 &&
        (known = meta_species(r->meta, r->natoms, s, names, 256, e)) < 0)
        bad = -1;
    for (size_t k = size; known > 0 && !bad && k < r->natoms; k += size)
        if (memcmp(s, s + k, size) != 0)
            bad = err_bad(e,
                          "%s %zu: expected molecules with the same atom names, found %s in atoms "
                          "0 to %zu and %s in atoms %zu to %zu (list the atoms of each molecule in "
                          "a file: %s FILE; traj2bin --molecules writes one)",
                          r->option, size, spell(s, names, 0, size, one), size - 1,
                          spell(s, names, k, size, other), k, k + size - 1, r->option);
    free(s);
    return bad;
}

static int add_numbered(struct reading *r, size_t size, struct err *e)
{
    if (size < 1 || r->natoms % size != 0)
        return err_bad(e, "%s %zu: expected a molecule size that divides the number of atoms, %zu",
                       r->option, size, r->natoms);
    if (check_names(r, size, e) != 0)
        return -1;
    for (size_t k = 0; k < r->natoms; k++) {
        if ((k % size == 0 && begin(r, e) != 0) || add_atom(r, (uint32_t)k, k / size + 1, e) != 0)
            return -1;
        r->m->n += (k + 1) % size == 0;
    }
    return 0;
}

static int add_line(struct reading *r, size_t number, char *line, struct err *e)
{
    struct molecules *m = r->m;
    line[strcspn(line, "#")] = '\0';
    if (begin(r, e) != 0)
        return -1;
    for (char *p = line + strspn(line, BLANKS); *p; p += strspn(p, BLANKS)) {
        size_t len = strcspn(p, BLANKS);
        uint64_t v;
        if (decimal_get_u64(p, len, r->natoms - 1, &v) != 0)
            return err_bad(e, "expected atom numbers from 0 to %zu, found '%.*s'", r->natoms - 1,
                           (int)(len < 40 ? len : 40), p);
        if (add_atom(r, (uint32_t)v, number, e) != 0)
            return -1;
        p += len;
    }
    size_t n = m->first[m->n + 1] - m->first[m->n];
    if (n == 1 && r->kind == MOLECULES_SETS)
        return err_bad(e, "expected two atoms or more, found one");
    m->n += n > 0;
    return 0;
}

static int add_file(struct reading *r, const char *path, struct err *e)
{
    struct lines l;
    int got = lines_open(&l, path, path, NULL, e) == 0 ? 1 : -1;
    while (got > 0 && (got = lines_next(&l, e)) > 0)
        if (add_line(r, l.at, l.line, e) != 0)
            got = e->status == ERR_BAD ? err_in(e, ERR_BAD, path, l.at, "%s", e->text) : -1;
    if (got == 0 && r->m->n == 0)
        got = err_in(e, ERR_BAD, path, 0, "expected atoms, found none");
    if (got < 0 && e->file)
        err_set(e, e->status, "%s %s", r->option, e->text); /* without a place in a file */
    lines_close(&l);
    return got;
}

static int add_others(struct reading *r, struct err *e)
{
    for (size_t k = 0; k < r->natoms; k++)
        if (!r->seen[k]) {
            if (begin(r, e) != 0 || add_atom(r, (uint32_t)k, SIZE_MAX, e) != 0)
                return -1;
            r->m->n++;
        }
    return 0;
}

int molecules_open(struct molecules *m, const char *option, const char *text,
                   const struct meta *meta, size_t natoms, enum molecules_kind kind, size_t max_mem,
                   struct err *e)
{
    uint64_t size;
    struct reading r = {
        .m = m, .option = option, .meta = meta, .natoms = natoms, .kind = kind, .max_mem = max_mem};
    *m = (struct molecules){0};
    r.seen = calloc(natoms + 1, sizeof *r.seen);
    if (!r.seen)
        return err_memory(e, "molecules");
    int bad = decimal_get_u64(text, strlen(text), SIZE_MAX, &size) == 0
                  ? add_numbered(&r, (size_t)size, e)
                  : add_file(&r, text, e);
    if (!bad && kind == MOLECULES_APART)
        bad = add_others(&r, e);
    free(r.seen);
    return bad ? -1 : 0;
}

int molecules_meta(const struct molecules *m, struct meta *to)
{
    uint64_t sum = meta_sum(META_SUM, m->first, (m->n + 1) * sizeof *m->first);
    sum = meta_sum(sum, m->atom, m->first[m->n] * sizeof *m->atom);
    return meta_setf(to, "data.molecules", "%zu molecules, FNV-1a %016llx", m->n,
                     (unsigned long long)sum);
}

void molecules_close(struct molecules *m)
{
    free(m->first);
    free(m->atom);
    *m = (struct molecules){0};
}
