/* SPDX-License-Identifier: MIT */
#include "xyz/xyz_atoms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void xyz_atoms_free(struct xyz_atoms *a)
{
    free(a->names8);
    free(a->names);
    free(a->ids0);
    free(a->order0);
    free(a->ids_sorted);
    free(a->seen);
    free(a->scratch);
}

/* ---- names and ids */

int xyz_atoms_start(struct xyz_atoms *a, size_t n, bool f64, const struct xyz_layout *layout,
                    const char *text, const char *end, struct err *e)
{
    *a = (struct xyz_atoms){.n = n, .f64 = f64, .has_ids = layout->id >= 0};
    if (layout->name >= 0) {
        a->names8 = calloc(n, sizeof *a->names8);
        a->names = calloc(n, sizeof *a->names);
    }
    if (a->has_ids)
        a->ids0 = calloc(n, sizeof *a->ids0);
    if ((layout->name >= 0 && (!a->names8 || !a->names)) || (a->has_ids && !a->ids0))
        return err_memory(e, "the names of the atoms");
    const char *nl;
    for (size_t k = 0; k < n && (nl = memchr(text, '\n', (size_t)(end - text))); k++) {
        struct xyz_row row;
        if (xyz_row(text, (size_t)(nl - text), layout, f64, &row, NULL) != 0)
            break;
        if (a->names8) {
            a->names8[k] = xyz_name8(row.name, row.name_len);
            memcpy(a->names[k], row.name, row.name_len);
        }
        if (a->has_ids)
            a->ids0[k] = row.id;
        text = nl + 1;
    }
    return 0;
}

struct id_row {
    int64_t id;
    size_t row;
};

static int by_id(const void *a, const void *b)
{
    const struct id_row *p = a, *q = b;
    return p->id < q->id ? -1 : p->id > q->id;
}

/* The order of the first frame's ids; names are put into it. */
static int start_ids(struct xyz_atoms *a, struct err *e)
{
    size_t n = a->n, twice = n;
    struct id_row *rows = malloc(n * sizeof *rows);
    char(*names)[XYZ_NAME_MAX + 1] = malloc(n * sizeof *names);
    a->order0 = malloc(n * sizeof *a->order0);
    a->ids_sorted = malloc(n * sizeof *a->ids_sorted);
    a->seen = malloc(n);
    a->scratch = malloc(n * (a->f64 ? 24 : 12));
    if (!rows || !names || !a->order0 || !a->ids_sorted || !a->seen || !a->scratch) {
        free(rows);
        free(names);
        return err_memory(e, "the ids of the atoms");
    }
    for (size_t k = 0; k < n; k++)
        rows[k] = (struct id_row){a->ids0[k], k};
    qsort(rows, n, sizeof *rows, by_id);
    a->identity = true;
    for (size_t k = 0; k < n; k++) {
        a->ids_sorted[k] = rows[k].id;
        a->order0[rows[k].row] = k;
        a->identity = a->identity && rows[k].row == k;
        if (twice == n && k > 0 && rows[k].id == rows[k - 1].id)
            twice = k;
    }
    a->sorted = !a->identity;
    for (size_t k = 0; k < n && a->names; k++)
        memcpy(names[a->order0[k]], a->names[k], sizeof *names);
    if (a->names)
        memcpy(a->names, names, n * sizeof *names);
    free(rows);
    free(names);
    if (twice < n)
        return err_set(e, ERR_BAD, "expected every atom id once, found id %lld twice",
                       (long long)a->ids_sorted[twice]);
    return 0;
}

/* Place of an id, or n when the first frame does not have it. */
static size_t place(const struct xyz_atoms *a, int64_t id)
{
    size_t lo = 0, hi = a->n;
    uint64_t guess = (uint64_t)id - (uint64_t)a->ids_sorted[0];
    if (guess < a->n && a->ids_sorted[guess] == id) /* ids without gaps */
        return guess;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (a->ids_sorted[mid] < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < a->n && a->ids_sorted[lo] == id ? lo : a->n;
}

int xyz_atoms_order(struct xyz_atoms *a, const int64_t *ids, void *pos, size_t *row, struct err *e)
{
    size_t n = a->n, atom = a->f64 ? 24 : 12;
    *row = SIZE_MAX;
    if (a->order0 == NULL && start_ids(a, e) != 0)
        return -1;
    bool same = memcmp(ids, a->ids0, n * sizeof *ids) == 0;
    if (same && a->identity)
        return 0;
    a->sorted = true;
    memset(a->seen, 0, n);
    for (size_t k = 0; k < n; k++) {
        size_t to = same ? a->order0[k] : place(a, ids[k]);
        if (to == n || a->seen[to]) {
            *row = k;
            return err_set(e, ERR_BAD,
                           to == n
                               ? "expected the atom ids of the first frame, found a new one, %lld"
                               : "expected every atom id once, found id %lld twice",
                           (long long)ids[k]);
        }
        a->seen[to] = 1;
        memcpy((char *)a->scratch + to * atom, (const char *)pos + k * atom, atom);
    }
    memcpy(pos, a->scratch, n * atom);
    return 0;
}

/* ---- atoms that changed places
 * An unsorted dump is still a valid XYZ file, and G and g(r) do not notice; but G2, G3 and G4
 * follow each atom, so they would be silently wrong. In a sorted trajectory no atom moves by a
 * quarter of the cell between frames; after a shuffle seven in eight do. */

#define JUMP 0.25 /* of the cell's edge (of the extent where there is no cell), along any axis */
#define MANY_IN_CELL 16  /* one atom in so many has jumped: not motion */
#define MANY_IN_EXTENT 4 /* the same without a cell, where a wrapped atom may look like a jump */
enum { FEW = 2 };        /* fewer atoms than this never count */

static inline double coordinate(const void *pos, bool f64, size_t k)
{
    return f64 ? ((const double *)pos)[k] : (double)((const float *)pos)[k];
}

static void find_extent(struct xyz_atoms *a, const void *pos)
{
    for (int axis = 0; axis < 3; axis++) {
        double lo = HUGE_VAL, hi = -HUGE_VAL;
        for (size_t k = (size_t)axis; k < 3 * a->n; k += 3) {
            double v = coordinate(pos, a->f64, k);
            lo = v < lo ? v : lo;
            hi = v > hi ? v : hi;
        }
        a->extent[axis] = hi - lo;
    }
    a->has_extent = true;
}

/* inv as in struct box; wrap: 1 where the axis is periodic. */
static inline __attribute__((always_inline)) size_t count_jumps(const void *before, const void *now,
                                                                size_t natoms, bool f64,
                                                                const double inv[3][3],
                                                                const double wrap[3])
{
    size_t jumps = 0;
    for (size_t i = 0; i < natoms; i++) {
        double d[3], far = 0.0;
        for (size_t a = 0; a < 3; a++)
            d[a] = coordinate(now, f64, 3 * i + a) - coordinate(before, f64, 3 * i + a);
        for (int k = 0; k < 3; k++) {
            double s = d[0] * inv[0][k] + d[1] * inv[1][k] + d[2] * inv[2][k];
            s = fabs(s - wrap[k] * box_nint_f64(s));
            far = s > far ? s : far;
        }
        jumps += far > JUMP;
    }
    return jumps;
}

int xyz_atoms_check(struct xyz_atoms *a, const struct box *box, const void *before, const void *now,
                    uint64_t every, struct err *e)
{
    bool cell = box_volume(box) > 0.0;
    double inv[3][3] = {{0}}, wrap[3];
    if (!cell && !a->has_extent)
        find_extent(a, before);
    for (int k = 0; k < 3; k++) {
        for (int axis = 0; axis < 3 && cell; axis++)
            inv[axis][k] = box->inv[axis][k];
        if (!cell && a->extent[k] > 0.0)
            inv[k][k] = 1.0 / a->extent[k];
        wrap[k] = !cell || box->pbc[k];
    }
    size_t n = a->n, many = n / (cell ? MANY_IN_CELL : MANY_IN_EXTENT);
    size_t jumps = a->f64 ? count_jumps(before, now, n, true, inv, wrap)
                          : count_jumps(before, now, n, false, inv, wrap);
    if (jumps < FEW || jumps <= many)
        return 0;
    return err_set(e, ERR_BAD,
                   "%zu of %zu atoms moved by more than a quarter of %s since the frame before: is "
                   "this dump unsorted (LAMMPS: dump_modify sort id)? That would make G2, G3 and "
                   "G4 silently wrong. --unsorted-ok takes it as it is, e.g. when the frames "
                   "really are that far apart%s",
                   jumps, n, cell ? "the cell" : "the extent of all atoms",
                   every > 1 ? " (--select widens the step)" : "");
}

/* ---- META */

/* Printable ASCII without brackets: what sys.species can say. */
static bool plain_name(const char *s)
{
    if (*s == '\0')
        return false;
    for (; *s; s++)
        if (*s <= ' ' || *s > '~' || *s == '(' || *s == ')')
            return false;
    return true;
}

int xyz_atoms_put_species(const struct xyz_atoms *a, struct meta *m)
{
    enum { MAX_SPECIES = 255 };
    char species[MAX_SPECIES][XYZ_NAME_MAX + 1];
    int count = 0, rc = 0;
    unsigned char *which = malloc(a->n);
    if (!which)
        return -1;
    for (size_t i = 0; i < a->n; i++) {
        int k = i > 0 && strcmp(a->names[i], species[which[i - 1]]) == 0 ? which[i - 1] : 0;
        while (k < count && strcmp(a->names[i], species[k]) != 0)
            k++;
        if (k == count && (count == MAX_SPECIES || !plain_name(a->names[i]))) {
            free(which);
            return 0;
        }
        if (k == count)
            memcpy(species[count++], a->names[i], sizeof species[0]);
        which[i] = (unsigned char)k;
    }
    rc = meta_set_species(m, a->n, which, (const char(*)[XYZ_NAME_MAX + 1]) species);
    free(which);
    return rc;
}
