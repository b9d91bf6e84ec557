/* SPDX-License-Identifier: MIT */
#include "xyz/xyz_atoms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

void xyz_atoms_free(struct xyz_atoms *a)
{
    free(a->names8);
    free(a->names);
    free(a->ids0);
    order_free(&a->order);
    free(a->scratch);
}

/* ---- names and ids */

int xyz_atoms_start(struct xyz_atoms *a, size_t n, bool f64, const struct rows_layout *layout,
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

/* The order of the first frame's ids; names are put into it. */
static int start_ids(struct xyz_atoms *a, struct err *e)
{
    size_t n = a->n, row;
    const size_t *place;
    a->scratch = malloc(n * (a->f64 ? 24 : sizeof *a->names));
    if (!a->scratch)
        return err_memory(e, "the ids of the atoms");
    if (order_start(&a->order, a->ids0, n, e) != 0 ||
        order_places(&a->order, a->ids0, &place, &row, e) != 0)
        return -1;
    if (a->names)
        order_apply(&a->order, place, a->names, sizeof *a->names, a->scratch);
    return 0;
}

int xyz_atoms_order(struct xyz_atoms *a, const int64_t *ids, void *pos, size_t *row, struct err *e)
{
    const size_t *place;
    *row = SIZE_MAX;
    if (a->order.n == 0 && start_ids(a, e) != 0)
        return -1;
    if (order_places(&a->order, ids, &place, row, e) != 0)
        return -1;
    order_apply(&a->order, place, pos, a->f64 ? 24 : 12, a->scratch);
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

int xyz_atoms_put_species(const struct xyz_atoms *a, struct meta *m)
{
    enum { MAX_SPECIES = 255 };
    char species[MAX_SPECIES][ROWS_NAME_MAX + 1];
    int count = 0, rc = 0;
    unsigned char *which = malloc(a->n);
    if (!which)
        return -1;
    for (size_t i = 0; i < a->n; i++) {
        int k = i > 0 && strcmp(a->names[i], species[which[i - 1]]) == 0 ? which[i - 1] : 0;
        while (k < count && strcmp(a->names[i], species[k]) != 0)
            k++;
        if (k == count &&
            (count == MAX_SPECIES || !utf8_is_word(a->names[i], strlen(a->names[i]), "()"))) {
            free(which);
            return 0;
        }
        if (k == count)
            memcpy(species[count++], a->names[i], sizeof species[0]);
        which[i] = (unsigned char)k;
    }
    rc = meta_set_species(m, a->n, which, (const char(*)[ROWS_NAME_MAX + 1]) species);
    free(which);
    return rc;
}
