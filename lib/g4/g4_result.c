/* SPDX-License-Identifier: MIT */
#include "g4/g4_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pair/pairs.h"

void g4_blocks_init(struct stats_blocks *b, const struct g4_params *p, size_t lags)
{
    size_t row = 0;
    if (__builtin_mul_overflow(lags, (size_t)p->ncomp * G4_NFUNCTIONS, &row))
        row = SIZE_MAX / sizeof(double);
    if (p->blocks)
        stats_blocks_init(b, stats_blocks_max(p->blocks), row, 0);
    else
        stats_blocks_init_levels(b,
                                 lags >= G4_BLOCK_LAGS     ? lags
                                 : lags > 2 * G4_BLOCK_MIN ? (lags + 1) / 2
                                                           : G4_BLOCK_MIN,
                                 row, 0);
}

size_t g4_blocks_want(const struct stats_blocks *b, const struct g4_params *p, uint64_t origins)
{
    return p->blocks ? p->blocks : stats_blocks_taken(b, origins);
}

static int result_check(const struct g4_params *p, size_t lags, uint64_t steps, uint64_t origins,
                        struct err *e)
{
    unsigned long long t = steps, k = p->origins;
    if (steps == 0)
        return err_bad(e, "expected at least one step, found none");
    if (lags > steps)
        return err_bad(e, "%zu lags need at least %zu steps, found %llu", lags, lags, t);
    if (p->origins && (steps < lags - 1 || steps - (lags - 1) < p->origins))
        return err_bad(e, "%llu time origins with %zu lags need at least %llu steps, found %llu", k,
                       lags, k + lags - 1, t);
    if (p->blocks > origins)
        return err_bad(
            e, "expected at least one time origin for each of %zu blocks, found %llu time origins",
            p->blocks, (unsigned long long)origins);
    return 0;
}

int g4_result_make(struct stats_blocks *b, const struct g4_params *p, size_t lags, uint64_t steps,
                   struct g4_result *r, struct err *e)
{
    uint64_t origins = p->origins ? p->origins : steps;
    memset(r, 0, sizeof *r);
    if (result_check(p, lags, steps, origins, e))
        return -1;
    struct stats_share share = p->share;
    if (!share.total)
        stats_blocks_share(b, origins, p->blocks, 1, 1, &share);
    size_t want = share.to - share.from;
    r->counts = calloc(want * lags + 1, sizeof *r->counts);
    if (!r->counts || stats_blocks_take(b, &share)) {
        g4_result_free(r);
        return err_set(e, ERR_MEMORY, "out of memory for %zu blocks of %zu lags", want, lags);
    }
    r->blocks = want;
    r->lags = lags;
    r->ncomp = p->ncomp;
    r->steps = steps;
    r->sums = b->v;
    b->v = NULL;
    for (size_t k = 0; k < want; k++) {
        uint64_t first = stats_blocks_bound(b, origins, share.want, share.from + k),
                 last = stats_blocks_bound(b, origins, share.want, share.from + k + 1);
        for (size_t l = 0; l < lags; l++) {
            uint64_t all = p->origins ? origins : steps - l, end = all < last ? all : last;
            r->counts[k * lags + l] = end > first ? end - first : 0;
        }
    }
    for (size_t k = 0; p->method != G4_DIRECT && k < want * lags * (size_t)p->ncomp; k++)
        identity_apply(r->sums + k * G4_NFUNCTIONS);
    return 0;
}

void g4_result_free(struct g4_result *r)
{
    free(r->counts);
    free(r->sums);
    memset(r, 0, sizeof *r);
}

int g4_finite(const double *v, size_t n)
{
    size_t k = 0;
    while (k < n && isfinite(v[k]))
        k++;
    return k == n;
}

int g4_result_finite(const struct g4_result *r)
{
    return g4_finite(r->sums, r->blocks * r->lags * (size_t)r->ncomp * G4_NFUNCTIONS);
}

void g4_pairs(const struct g4_params *p, struct pairs *q)
{
    *q = (struct pairs){.natoms = p->natoms,
                        .source = p->dtype,
                        .dtype = p->dtype,
                        .ncomp = p->ncomp,
                        .sum = p->sum,
                        .factors = p->factors};
    if (p->factors)
        q->function = p->factors->function;
    memcpy(q->component, p->component, sizeof q->component);
    memcpy(q->coef, p->coef, sizeof q->coef);
}

int g4_report_nonfinite(const struct g4_params *p, uint64_t frame, size_t n, const void *data,
                        const struct box *box, struct err *e)
{
    if (p->input != FRAME_POSN || n == 0)
        return err_bad(e,
                       "the sums are not finite, because the numbers in the input are too large");
    struct pairs q;
    g4_pairs(p, &q);
    struct pairs_steps steps = {n, box, data, frame};
    struct pairs_team *team = pairs_team_new(&q, PAIRS_SUMS, p->threads > 0 ? p->threads : 1);
    double *sums = calloc(n, (size_t)p->ncomp * sizeof *sums);
    int found = team && sums && pairs_team_sums(team, &steps, sums, e);
    if (!team || !sums)
        err_set(e, ERR_MEMORY, "out of memory");
    else if (!found)
        g4_report_nonfinite(p, 0, 0, NULL, NULL, e);
    pairs_team_free(team);
    free(sums);
    return -1;
}
