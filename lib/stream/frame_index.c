/* SPDX-License-Identifier: MIT */
/* frame_index.c: the table of steps and bytes. */
#include "stream/frame_index.h"

#include <stdlib.h>

int frame_index_note(struct frame_index *x, const struct frame_desc *d, uint64_t at, struct err *e)
{
    if (!x->begun)
        x->begins = (double)at;
    x->begun = !frame_counts_steps(d);
    if (x->begun || d->dims[0] == 0)
        return 0;
    if (x->n == x->capacity) {
        const size_t row = sizeof *x->entry;
        size_t capacity = 2 * x->capacity + 1024;
        if (x->max && capacity > x->max / row)
            capacity = x->max / row > x->n ? (size_t)(x->max / row) : x->n + 1;
        if (err_over(e, (double)(capacity * row), x->max, NULL, "an index of %zu blocks", capacity))
            return -1;
        double(*p)[2] = realloc(x->entry, capacity * row);
        if (!p)
            return err_memory(e, "an index");
        x->entry = p;
        x->capacity = capacity;
    }
    if (x->n == 0)
        x->from = d->index;
    x->uneven |= d->index - x->from != (uint64_t)x->steps;
    x->entry[x->n][0] = x->steps;
    x->entry[x->n++][1] = x->begins;
    x->steps += (double)d->dims[0];
    return 0;
}

size_t frame_index_find(const struct frame_index *x, uint64_t step)
{
    size_t low = 0, high = x->n;
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (x->entry[mid][0] <= (double)step)
            low = mid;
        else
            high = mid;
    }
    return x->n ? low : x->n;
}

void frame_index_free(struct frame_index *x)
{
    free(x->entry);
    *x = (struct frame_index){0};
}
