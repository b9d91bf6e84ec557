/* SPDX-License-Identifier: MIT */
/* Names of the atoms, and their order where the file has ids. */
#include <stdlib.h>
#include <string.h>

#include "xyz/xyz_reader.h"

struct id_row {
    int64_t id;
    size_t row;
};

static int by_id(const void *a, const void *b)
{
    const struct id_row *p = a, *q = b;
    return p->id < q->id ? -1 : p->id > q->id;
}

/* Names and ids of the rows of the first frame as they stand; a bad row ends it: parsing will word
 * the error. */
static void read_rows(struct xyz_reader *x, const struct xyz_layout *l)
{
    const struct xyz_batch *b = &x->batch[x->cur];
    const char *p = b->text + b->spans[0].rows;
    char err[XYZ_ERR_BYTES];
    for (size_t k = 0; k < x->natoms; k++) {
        struct xyz_row row;
        size_t column;
        const char *nl = memchr(p, '\n', (size_t)(b->text + b->len - p));
        if (!nl ||
            xyz_row(p, (size_t)(nl - p), l, x->opts.f64, &row, &column, err, sizeof err) != 0)
            return;
        if (x->names8) {
            x->names8[k] = xyz_name8(row.name, row.name_len);
            memcpy(x->names[k], row.name, row.name_len);
        }
        if (x->has_ids)
            x->ids0[k] = row.id;
        p = nl + 1;
    }
}

/* Names into the order of the ids. */
static int order_names(struct xyz_reader *x)
{
    char(*names)[XYZ_NAME_MAX + 1] = malloc(x->natoms * sizeof *names);
    if (!names)
        return -1;
    for (size_t k = 0; k < x->natoms; k++)
        memcpy(names[x->order0[k]], x->names[k], sizeof *names);
    free(x->names);
    x->names = names;
    return 0;
}

static int start_ids(struct xyz_reader *x)
{
    size_t n = x->natoms;
    struct id_row *rows = malloc(n * sizeof *rows);
    x->order0 = malloc(n * sizeof *x->order0);
    x->ids_sorted = malloc(n * sizeof *x->ids_sorted);
    x->seen = malloc(n);
    if (!rows || !x->order0 || !x->ids_sorted || !x->seen) {
        free(rows);
        return xyz_out_of_memory(x);
    }
    for (size_t k = 0; k < n; k++)
        rows[k] = (struct id_row){x->ids0[k], k};
    qsort(rows, n, sizeof *rows, by_id);
    x->identity = true;
    for (size_t k = 0; k < n; k++) {
        x->ids_sorted[k] = rows[k].id;
        x->order0[rows[k].row] = k;
        x->identity = x->identity && rows[k].row == k;
        if (k > 0 && rows[k].id == rows[k - 1].id) {
            int64_t id = rows[k].id;
            free(rows);
            return xyz_fail(x, 0, SIZE_MAX, "expected every atom id once, found id %lld twice",
                            (long long)id);
        }
    }
    free(rows);
    x->sorted = !x->identity;
    return x->names && order_names(x) != 0 ? xyz_out_of_memory(x) : 0;
}

int xyz_read_names(struct xyz_reader *x)
{
    const struct xyz_layout *l = &x->heads[0].layout;
    x->has_ids = l->id >= 0;
    if (l->name >= 0) {
        x->names8 = calloc(x->natoms, sizeof *x->names8);
        x->names = calloc(x->natoms, sizeof *x->names);
    }
    if (x->has_ids)
        x->ids0 = calloc(x->natoms, sizeof *x->ids0);
    if ((l->name >= 0 && (!x->names8 || !x->names)) || (x->has_ids && !x->ids0))
        return xyz_out_of_memory(x);
    read_rows(x, l);
    return 0;
}

/* Place of an id, or natoms when the first frame does not have it. */
static size_t place(const struct xyz_reader *x, int64_t id)
{
    size_t lo = 0, hi = x->natoms;
    uint64_t guess = (uint64_t)id - (uint64_t)x->ids_sorted[0];
    if (guess < x->natoms && x->ids_sorted[guess] == id) /* ids without gaps */
        return guess;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (x->ids_sorted[mid] < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < x->natoms && x->ids_sorted[lo] == id ? lo : x->natoms;
}

int xyz_order_rows(struct xyz_reader *x, size_t span)
{
    size_t n = x->natoms, atom = x->frame_bytes / n;
    char *pos = x->pos + span * x->frame_bytes;
    const int64_t *ids = x->ids + span * n;
    if (x->order0 == NULL && start_ids(x) != 0)
        return -1;
    bool same = memcmp(ids, x->ids0, n * sizeof *ids) == 0;
    if (same && x->identity)
        return 0;
    x->sorted = true;
    memset(x->seen, 0, n);
    for (size_t k = 0; k < n; k++) {
        size_t to = same ? x->order0[k] : place(x, ids[k]);
        if (to == n || x->seen[to])
            return xyz_fail(x, span, k,
                            to == n
                                ? "expected the atom ids of the first frame, found a new one, %lld"
                                : "expected every atom id once, found id %lld twice",
                            (long long)ids[k]);
        x->seen[to] = 1;
        memcpy(x->scratch + to * atom, pos + k * atom, atom);
    }
    memcpy(pos, x->scratch, x->frame_bytes);
    return 0;
}
