/* SPDX-License-Identifier: MIT */
#include "base/sort_by_id.h"

#include <stdlib.h>
#include <string.h>

struct id_row {
    int64_t id;
    size_t row;
};

static int by_id(const void *a, const void *b)
{
    const struct id_row *p = a, *q = b;
    return p->id < q->id ? -1 : p->id > q->id;
}

void sort_by_id_free(struct sort_by_id *o)
{
    free(o->first);
    free(o->sorted);
    free(o->place);
    free(o->place0);
    free(o->seen);
    *o = (struct sort_by_id){0};
}

/* Stores the ids of the first frame. Returns 0 or -1. */
static int start(struct sort_by_id *o, const int64_t *ids, size_t n, struct err *e)
{
    struct id_row *rows = malloc(n * sizeof *rows);
    *o = (struct sort_by_id){.n = n, .identity = true};
    o->first = malloc(n * sizeof *o->first);
    o->sorted = malloc(n * sizeof *o->sorted);
    o->place = malloc(n * sizeof *o->place);
    o->place0 = malloc(n * sizeof *o->place0);
    o->seen = malloc(n);
    if (!rows || !o->first || !o->sorted || !o->place || !o->place0 || !o->seen) {
        free(rows);
        return err_memory(e, "the ids of the atoms");
    }
    for (size_t k = 0; k < n; k++) {
        rows[k] = (struct id_row){ids[k], k};
        o->identity = o->identity && (k == 0 || ids[k] > ids[k - 1]);
    }
    if (!o->identity)
        qsort(rows, n, sizeof *rows, by_id);
    size_t twice = n;
    for (size_t k = 0; k < n; k++) {
        o->sorted[k] = rows[k].id;
        o->place0[rows[k].row] = k;
        if (twice == n && k > 0 && rows[k].id == rows[k - 1].id)
            twice = k;
    }
    memcpy(o->first, ids, n * sizeof *ids);
    free(rows);
    if (twice < n)
        return err_bad(e, "expected every atom id once, found id %lld twice",
                       (long long)o->sorted[twice]);
    return 0;
}

/* Returns the place of an id, or n if the first frame does not have this id. */
static size_t find(const struct sort_by_id *o, int64_t id)
{
    size_t lo = 0, hi = o->n;
    uint64_t guess = (uint64_t)id - (uint64_t)o->sorted[0];
    if (guess < o->n && o->sorted[guess] == id) /* ids without gaps */
        return guess;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (o->sorted[mid] < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < o->n && o->sorted[lo] == id ? lo : o->n;
}

int sort_by_id_places(struct sort_by_id *o, const int64_t *ids, size_t n, const size_t **place,
                      size_t *row, struct err *e)
{
    if (o->n == 0 && start(o, ids, n, e) != 0)
        return -1;
    if (memcmp(ids, o->first, n * sizeof *ids) == 0) {
        *place = o->identity ? NULL : o->place0;
        o->moved |= !o->identity;
        return 0;
    }
    o->moved = true;
    memset(o->seen, 0, n);
    for (size_t k = 0; k < n; k++) {
        size_t to = find(o, ids[k]);
        if (to == n || o->seen[to]) {
            *row = k;
            long long id = ids[k];
            if (to < n)
                return err_bad(e, "expected every atom id once, found id %lld twice", id);
            return err_bad(e, "expected the atom ids of the first frame, found the new id %lld",
                           id);
        }
        o->seen[to] = 1;
        o->place[k] = to;
    }
    *place = o->place;
    return 0;
}

void sort_by_id_apply(const struct sort_by_id *o, const size_t *place, void *rows, size_t bytes,
                      void *scratch)
{
    const char *from = rows;
    char *to = scratch;
    if (!place)
        return;
    for (size_t k = 0; k < o->n; k++)
        memcpy(to + place[k] * bytes, from + k * bytes, bytes);
    memcpy(rows, scratch, o->n * bytes);
}
