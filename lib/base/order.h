/* SPDX-License-Identifier: MIT */
/*
 * order.h: rows that come in any order, each with the id of its atom, put in the order of the ids.
 *
 * The first frame says which ids there are; every later one must have the same, each once.
 */
#ifndef MBF_ORDER_H
#define MBF_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

struct order {
    size_t n;
    bool moved; /* the rows of some frame were not in order */

    /* own */
    bool identity;           /* those of the first were */
    int64_t *first, *sorted; /* [n] ids as they came first, and sorted */
    size_t *place, *place0;  /* [n] of each row: now, and in the first frame */
    unsigned char *seen;
};

/* ids[n] of the first frame. 0, or -1: memory, or an id stands twice. */
int order_start(struct order *o, const int64_t *ids, size_t n, struct err *e)
    __attribute__((warn_unused_result));
void order_free(struct order *o); /* all zero is allowed */

/*
 * Where each row of a frame with ids[n] belongs: *place[n], or NULL where they are in order as they
 * are. 0, or -1: an id is new or stands twice; *row says where.
 */
int order_places(struct order *o, const int64_t *ids, const size_t **place, size_t *row,
                 struct err *e) __attribute__((warn_unused_result));

/* Put rows[n] of `bytes` each in that order; scratch: as large. */
void order_apply(const struct order *o, const size_t *place, void *rows, size_t bytes,
                 void *scratch);

#ifdef __cplusplus
}
#endif
#endif
