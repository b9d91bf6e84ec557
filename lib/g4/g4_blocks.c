/* SPDX-License-Identifier: MIT */
#include "g4/g4_blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define G4_WHOLE ((uint64_t)1 << 62) /* one sub-block holds everything */

void g4_blocks_init(struct g4_blocks *b, size_t want, size_t row)
{
    memset(b, 0, sizeof *b);
    b->want = want > 1 ? want : 1;
    b->row = row;
    b->s = b->want > 1 ? 1 : G4_WHOLE;
}

void g4_blocks_free(struct g4_blocks *b)
{
    free(b->v);
    memset(b, 0, sizeof *b);
}

size_t g4_blocks_bytes(size_t want, size_t row)
{
    size_t n = want > 1 ? want : 1, bytes;
    if (want > 1 && __builtin_mul_overflow(n, (size_t)G4_SUBBLOCKS, &n))
        return SIZE_MAX;
    if (__builtin_mul_overflow(n, row, &bytes) ||
        __builtin_mul_overflow(bytes, sizeof(double), &bytes))
        return SIZE_MAX;
    return bytes;
}

/* Neighbours become one sub-block of twice the origins. */
static void g4_blocks_merge(struct g4_blocks *b)
{
    b->s *= 2;
    for (size_t k = 0; k < b->n; k++) {
        double *to = b->v + (k / 2) * b->row, *from = b->v + k * b->row;
        if (k % 2 == 0)
            memmove(to, from, b->row * sizeof *to);
        else
            for (size_t i = 0; i < b->row; i++)
                to[i] += from[i];
    }
    size_t kept = (b->n + 1) / 2;
    memset(b->v + kept * b->row, 0, (b->n - kept) * b->row * sizeof *b->v);
    b->n = kept;
}

int g4_blocks_merges(const struct g4_blocks *b, uint64_t origins)
{
    return b->want > 1 && (origins + b->s - 1) / b->s > (uint64_t)b->want * G4_SUBBLOCKS;
}

int g4_blocks_reach(struct g4_blocks *b, uint64_t origins)
{
    while (g4_blocks_merges(b, origins)) {
        if (b->n)
            g4_blocks_merge(b);
        else
            b->s *= 2;
    }
    size_t n = (size_t)((origins + b->s - 1) / b->s);
    if (n > b->room) {
        size_t room = b->room ? 2 * b->room : 1, bytes;
        while (room < n)
            room *= 2;
        if (room > b->want * G4_SUBBLOCKS && b->want > 1)
            room = b->want * G4_SUBBLOCKS;
        double *v = NULL;
        if (!__builtin_mul_overflow(room, b->row * sizeof *v, &bytes))
            v = realloc(b->v, bytes);
        if (!v)
            return -1;
        memset(v + b->room * b->row, 0, (room - b->room) * b->row * sizeof *v);
        b->v = v;
        b->room = room;
    }
    if (n > b->n)
        b->n = n;
    return 0;
}

uint64_t g4_blocks_begin(const struct g4_blocks *b, uint64_t origin)
{
    return origin / b->s * b->s;
}

uint64_t g4_blocks_end(const struct g4_blocks *b, uint64_t origin)
{
    return (origin / b->s + 1) * b->s;
}

double *g4_blocks_at(struct g4_blocks *b, uint64_t origin)
{
    return b->v + (size_t)(origin / b->s) * b->row;
}

static int g4_blocks_refuse(const struct g4_params *p, size_t lags, uint64_t steps,
                            uint64_t origins, char *err, size_t errlen)
{
    unsigned long long t = steps, k = p->origins;
    if (steps == 0)
        snprintf(err, errlen, "expected at least one step, found none");
    else if (lags > steps)
        snprintf(err, errlen, "%zu lags need at least %zu steps, found %llu", lags, lags, t);
    else if (p->origins && (steps < lags - 1 || steps - (lags - 1) < p->origins))
        snprintf(err, errlen, "%llu origins with %zu lags need %llu steps, found %llu", k, lags,
                 k + lags - 1, t);
    else if (p->blocks > origins)
        snprintf(err, errlen, "%zu blocks, but only %llu origins", p->blocks,
                 (unsigned long long)origins);
    else
        return 0;
    return -1;
}

int g4_blocks_result(const struct g4_blocks *b, const struct g4_params *p, size_t lags,
                     uint64_t steps, struct g4_result *r, int *status, char *err, size_t errlen)
{
    uint64_t origins = p->origins ? p->origins : steps;
    memset(r, 0, sizeof *r);
    *status = 2;
    if (g4_blocks_refuse(p, lags, steps, origins, err, errlen))
        return -1;
    r->blocks = b->want;
    r->lags = lags;
    r->ncomp = p->ncomp;
    r->steps = steps;
    r->counts = calloc(b->want * lags, sizeof *r->counts);
    r->sums = calloc(b->want, b->row * sizeof *r->sums);
    if (!r->counts || !r->sums) {
        g4_result_free(r);
        snprintf(err, errlen, "out of memory for %zu blocks of %zu lags", b->want, lags);
        *status = 3;
        return -1;
    }
    size_t nsub = b->want > 1 ? (size_t)((origins + b->s - 1) / b->s) : 1;
    for (size_t k = 0; k < b->want; k++) {
        size_t from = (2 * k * nsub + b->want) / (2 * b->want),
               to = (2 * (k + 1) * nsub + b->want) / (2 * b->want);
        for (size_t sub = from; sub < to && sub < b->n; sub++)
            for (size_t i = 0; i < b->row; i++)
                r->sums[k * b->row + i] += b->v[sub * b->row + i];
        uint64_t first = b->want > 1 ? from * b->s : 0, last = b->want > 1 ? to * b->s : origins;
        for (size_t l = 0; l < lags; l++) {
            uint64_t end = p->origins ? origins : steps - l;
            end = end < last ? end : last;
            r->counts[k * lags + l] = end > first ? end - first : 0;
        }
    }
    *status = 0;
    return 0;
}

void g4_identity(struct g4_result *r)
{
    for (size_t k = 0; k < r->blocks * r->lags * (size_t)r->ncomp; k++) {
        double *v = r->sums + k * G4_NFUNCTIONS, g2 = v[G4_G2], aa = v[2];
        v[G4_G3] = aa - 2.0 * g2;
        v[G4_G4] = (v[G4_G] - aa) + g2;
    }
}

void g4_result_free(struct g4_result *r)
{
    free(r->counts);
    free(r->sums);
    memset(r, 0, sizeof *r);
}
