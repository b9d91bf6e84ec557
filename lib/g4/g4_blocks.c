/* SPDX-License-Identifier: MIT */
#include "g4/g4_blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int g4_blocks_result(struct stats_blocks *b, const struct g4_params *p, size_t lags, uint64_t steps,
                     struct g4_result *r, int *status, char *err, size_t errlen)
{
    uint64_t origins = p->origins ? p->origins : steps;
    size_t want = p->blocks > 1 ? p->blocks : 1;
    memset(r, 0, sizeof *r);
    *status = 2;
    if (g4_blocks_refuse(p, lags, steps, origins, err, errlen))
        return -1;
    r->counts = calloc(want * lags, sizeof *r->counts);
    if (!r->counts || stats_blocks_group(b, origins, want)) {
        g4_result_free(r);
        snprintf(err, errlen, "out of memory for %zu blocks of %zu lags", want, lags);
        *status = 3;
        return -1;
    }
    r->blocks = want;
    r->lags = lags;
    r->ncomp = p->ncomp;
    r->steps = steps;
    r->sums = b->v;
    b->v = NULL;
    for (size_t k = 0; k < want; k++) {
        uint64_t first = stats_blocks_bound(b, origins, want, k),
                 last = stats_blocks_bound(b, origins, want, k + 1);
        for (size_t l = 0; l < lags; l++) {
            uint64_t all = p->origins ? origins : steps - l, end = all < last ? all : last;
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
