/* SPDX-License-Identifier: MIT */
#include "sq/waves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define MOST_INDICES 1e10 /* seconds to look at; a mistake in a unit gives more */

struct search {
    const struct box *b;
    size_t shells;
    double step;
    int32_t end[3];           /* largest |h|, |k|, |l| that can lie within the last shell */
    uint64_t *seen;           /* [shells] vectors met so far */
    const uint64_t *n, *keep; /* [shells] vectors there are and are wanted; NULL: count only */
    struct waves *w;
};

/* One vector: count it, and keep it where it is wanted. */
static void meet(struct search *s, int32_t h, int32_t k, int32_t l)
{
    const double(*inv)[3] = s->b->inv;
    double g[3];
    for (int a = 0; a < 3; a++)
        g[a] = (double)h * inv[a][0] + (double)k * inv[a][1] + (double)l * inv[a][2];
    double q = 2.0 * UNITS_PI * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), place = q / s->step;
    if (!(place < (double)s->shells))
        return;
    size_t shell = (size_t)place;
    uint64_t i = s->seen[shell]++;
    if (!s->keep)
        return;
    __uint128_t c = s->keep[shell];
    if ((i + 1) * c / s->n[shell] == i * c / s->n[shell])
        return;
    struct waves *w = s->w;
    int32_t index[3] = {h, k, l};
    memcpy(w->hkl[w->n], index, sizeof index);
    w->shell[w->n] = (uint32_t)shell;
    w->q[w->n++] = q;
    for (int a = 0; a < 3; a++)
        if (abs(index[a]) > w->highest[a])
            w->highest[a] = abs(index[a]);
}

/* Every vector of the half space once, in the order of waves.h. */
static void meet_all(struct search *s)
{
    memset(s->seen, 0, s->shells * sizeof *s->seen);
    for (int32_t h = 0; h <= s->end[0]; h++)
        for (int32_t k = h ? -s->end[1] : 0; k <= s->end[1]; k++)
            for (int32_t l = 0; l <= s->end[2]; l++) {
                if (h || k || l)
                    meet(s, h, k, l);
                if (l && (h || k))
                    meet(s, h, k, -l);
            }
}

/* keep[shells] from n[shells]: the same number of every shell, or all of it; returns their sum. */
static uint64_t share_out(const uint64_t *n, size_t shells, uint64_t most, uint64_t *keep)
{
    uint64_t low = 1, high = most > 1 ? most : 1, sum;
    for (;;) {
        uint64_t c = low + (high - low + 1) / 2;
        sum = 0;
        for (size_t k = 0; k < shells; k++)
            sum += keep[k] = n[k] < c ? n[k] : c;
        if (low == high)
            return sum;
        if (sum <= most)
            low = c;
        else
            high = c - 1;
    }
}

static int make_room(struct waves *w, uint64_t n, uint64_t max_mem, struct err *e)
{
    double need = (double)n * (double)(sizeof *w->hkl + sizeof *w->shell + sizeof *w->q);
    if (max_mem && need > (double)max_mem)
        return err_set(e, ERR_MEMORY, "%.1f MiB needed for %llu wave vectors, %.1f MiB allowed",
                       need / 1048576, (unsigned long long)n, (double)max_mem / 1048576);
    w->hkl = malloc((n + 1) * sizeof *w->hkl);
    w->shell = malloc((n + 1) * sizeof *w->shell);
    w->q = malloc((n + 1) * sizeof *w->q);
    return w->hkl && w->shell && w->q ? 0 : err_memory(e, "wave vectors");
}

int waves_choose(struct waves *w, const struct box *b, size_t shells, double step, size_t most,
                 uint64_t max_mem, struct err *e)
{
    struct search s = {.b = b, .shells = shells, .step = step, .w = w};
    double indices = 1.0;
    for (int k = 0; k < 3; k++) {
        /* q times the cell vector is 2 pi times its index */
        double edge =
            sqrt(b->h[k][0] * b->h[k][0] + b->h[k][1] * b->h[k][1] + b->h[k][2] * b->h[k][2]);
        double end = floor((double)shells * step * edge / (2.0 * UNITS_PI) * (1.0 + 1e-12));
        indices *= (k ? 2.0 : 1.0) * end + 1.0;
        s.end[k] = end < MOST_INDICES / 10 ? (int32_t)end : 0;
    }
    if (!(indices < MOST_INDICES))
        return err_set(e, ERR_BAD, "%.3g wave vectors of the cell up to q = %g 1/A: lower --qmax",
                       indices, (double)shells * step);
    waves_free(w);
    uint64_t *n = calloc(shells, sizeof *n), *keep = calloc(shells, sizeof *keep);
    s.seen = calloc(shells, sizeof *s.seen);
    int rc = n && keep && s.seen ? 0 : err_memory(e, "shells");
    if (rc == 0) {
        meet_all(&s);
        for (size_t k = 0; k < shells; k++)
            w->all += n[k] = s.seen[k];
        rc = make_room(w, share_out(n, shells, most, keep), max_mem, e);
    }
    if (rc == 0) {
        s.n = n;
        s.keep = keep;
        meet_all(&s);
    }
    free(n);
    free(keep);
    free(s.seen);
    return rc;
}

void waves_free(struct waves *w)
{
    free(w->hkl);
    free(w->shell);
    free(w->q);
    memset(w, 0, sizeof *w);
}
