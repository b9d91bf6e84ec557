/* SPDX-License-Identifier: MIT */
#include "waves/waves.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define MAX_INDICES 1e10 /* number of indices that takes seconds (more suggest a wrong unit) */

struct search {
    const struct box *b;
    size_t shells;
    double step;
    int32_t end[3]; /* largest |h|, |k| and |l| within the last shell */
};

/* The vectors with the same h and k, in the order of |l|. */
struct rod {
    int32_t h, k;
    uint64_t rank;
    size_t first, n; /* the chosen vectors */
};

/* Computes |q| and its shell. Returns false if q is outside all shells. */
static bool shell_of(const struct search *s, const int32_t hkl[3], double *q, size_t *shell)
{
    const double(*inv)[3] = s->b->inv;
    double g[3];
    for (int a = 0; a < 3; a++)
        g[a] = (double)hkl[0] * inv[a][0] + (double)hkl[1] * inv[a][1] + (double)hkl[2] * inv[a][2];
    *q = 2.0 * UNITS_PI * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    *shell = (size_t)(*q / s->step);
    return *q / s->step < (double)s->shells;
}

/* Returns the index after l on a rod, in the order 1, -1, 2, -2, ..., for a vector in the half
 * space. */
static int32_t next_l(const struct rod *r, int32_t l)
{
    return l > 0 && (r->h || r->k) ? -l : (l < 0 ? -l : l) + 1;
}

static int32_t first_l(const struct rod *r)
{
    return r->h || r->k ? 0 : 1;
}

/* Counts the vectors of every shell. */
static void count(const struct search *s, const struct rod *rod, size_t rods, uint64_t *n)
{
    for (size_t k = 0; k < rods; k++)
        for (int32_t l = first_l(&rod[k]); l <= s->end[2]; l = next_l(&rod[k], l)) {
            double q;
            size_t shell;
            if (shell_of(s, (int32_t[3]){rod[k].h, rod[k].k, l}, &q, &shell))
                n[shell]++;
        }
}

/* Keeps keep[shells] vectors of each shell, rod by rod, and reduces keep[] to 0. */
static void keep_some(const struct search *s, struct rod *rod, size_t rods, uint64_t *keep,
                      uint64_t left, struct waves *w)
{
    for (size_t k = 0; k < rods; k++) {
        rod[k].first = w->n;
        for (int32_t l = first_l(&rod[k]); left && l <= s->end[2]; l = next_l(&rod[k], l)) {
            int32_t hkl[3] = {rod[k].h, rod[k].k, l};
            size_t shell;
            if (!shell_of(s, hkl, &w->q[w->n], &shell) || !keep[shell])
                continue;
            keep[shell]--;
            left--;
            memcpy(w->hkl[w->n], hkl, sizeof hkl);
            w->shell[w->n++] = (uint32_t)shell;
            for (int a = 0; a < 3; a++)
                if (abs(hkl[a]) > w->highest[a])
                    w->highest[a] = abs(hkl[a]);
        }
        rod[k].n = w->n - rod[k].first;
    }
}

static int by_rank(const void *a, const void *b)
{
    const struct rod *x = a, *y = b;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static int by_index(const void *a, const void *b)
{
    const struct rod *x = a, *y = b;
    return x->h != y->h ? (x->h < y->h ? -1 : 1) : x->k < y->k ? -1 : x->k > y->k;
}

/* Makes all rods of the half space, and returns their number. */
static size_t make_rods(const struct search *s, struct rod *rod)
{
    size_t n = 0;
    for (int32_t h = 0; h <= s->end[0]; h++)
        for (int32_t k = h ? -s->end[1] : 0; k <= s->end[1]; k++)
            rod[n++] = (struct rod){.h = h,
                                    .k = k,
                                    .rank = (uint64_t)h * 0xc13fa9a902a6328fu +
                                            (uint64_t)k * 0x91e10da5c79e7b1du};
    return n;
}

/* Sets keep[shells] from n[shells] to the same number for every shell, or to all vectors of a
 * smaller shell. Returns the sum. */
static uint64_t share_out(const uint64_t *n, size_t shells, uint64_t max, uint64_t *keep)
{
    uint64_t low = 1, high = max > 1 ? max : 1, sum;
    for (;;) {
        uint64_t c = low + (high - low + 1) / 2;
        sum = 0;
        for (size_t k = 0; k < shells; k++)
            sum += keep[k] = n[k] < c ? n[k] : c;
        if (low == high)
            return sum;
        if (sum <= max)
            low = c;
        else
            high = c - 1;
    }
}

/* Makes room for n vectors. Returns 0 or -1. */
static int make_room(struct waves *w, uint64_t n)
{
    w->hkl = malloc((n + 1) * sizeof *w->hkl);
    w->shell = malloc((n + 1) * sizeof *w->shell);
    w->q = malloc((n + 1) * sizeof *w->q);
    return w->hkl && w->shell && w->q ? 0 : -1;
}

/* Sorts w by h and k. The sorted rods contain the positions of their vectors. Returns 0 or -1. */
static int put_in_order(struct waves *w, const struct rod *rod, size_t rods)
{
    struct waves to = *w;
    int rc = make_room(&to, w->n);
    to.n = 0;
    for (size_t k = 0; rc == 0 && k < rods; to.n += rod[k++].n) {
        memcpy(to.hkl + to.n, w->hkl + rod[k].first, rod[k].n * sizeof *w->hkl);
        memcpy(to.shell + to.n, w->shell + rod[k].first, rod[k].n * sizeof *w->shell);
        memcpy(to.q + to.n, w->q + rod[k].first, rod[k].n * sizeof *w->q);
    }
    waves_free(w);
    *w = to;
    return rc;
}

/* Computes the largest index along each axis, because q times the cell vector is 2 pi times the
 * index. Returns 0 or -1. */
static int find_ends(struct search *s, struct err *e)
{
    double indices = 1.0;
    for (int k = 0; k < 3; k++) {
        const double *v = s->b->h[k];
        double edge = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        double end = floor((double)s->shells * s->step * edge / (2.0 * UNITS_PI) * (1.0 + 1e-12));
        indices *= (k ? 2.0 : 1.0) * end + 1.0;
        s->end[k] = end < MAX_INDICES / 10 ? (int32_t)end : 0;
    }
    if (indices < MAX_INDICES)
        return 0;
    return err_bad(e, "%.3g wave vectors with q up to %g 1/A are too many (reduce --qmax)", indices,
                   (double)s->shells * s->step);
}

/* Chooses the wave vectors of the cell s->b for w, which is empty. */
static int choose(const struct search *s, struct rod *rod, uint64_t *n, uint64_t *keep, size_t max,
                  uint64_t max_mem, struct waves *w, struct err *e)
{
    size_t rods = make_rods(s, rod);
    count(s, rod, rods, n);
    for (size_t k = 0; k < s->shells; k++)
        w->all += n[k];
    uint64_t wanted = share_out(n, s->shells, max, keep);
    double need = 2.0 * (double)wanted * (double)(sizeof *w->hkl + sizeof *w->shell + sizeof *w->q);
    if (err_over(e, need, max_mem, "a smaller --qmax", "%llu wave vectors",
                 (unsigned long long)wanted))
        return -1;
    if (make_room(w, wanted) != 0)
        return err_memory(e, "wave vectors");
    qsort(rod, rods, sizeof *rod, by_rank);
    keep_some(s, rod, rods, keep, wanted, w);
    qsort(rod, rods, sizeof *rod, by_index);
    return put_in_order(w, rod, rods) == 0 ? 0 : err_memory(e, "wave vectors");
}

int waves_choose(struct waves *w, const struct box *b, size_t shells, double step, size_t max,
                 uint64_t max_mem, struct err *e)
{
    struct search s = {.b = b, .shells = shells, .step = step};
    waves_free(w);
    if (find_ends(&s, e) != 0)
        return -1;
    size_t rods = ((size_t)s.end[0] + 1) * (2 * (size_t)s.end[1] + 1);
    double need = (double)rods * (double)sizeof(struct rod);
    if (err_over(e, need, max_mem, "a smaller --qmax", "choosing wave vectors"))
        return -1;
    uint64_t *n = calloc(shells, sizeof *n), *keep = calloc(shells, sizeof *keep);
    struct rod *rod = malloc(rods * sizeof *rod);
    int rc =
        n && keep && rod ? choose(&s, rod, n, keep, max, max_mem, w, e) : err_memory(e, "shells");
    free(n);
    free(keep);
    free(rod);
    return rc;
}

static int32_t common_divisor(int32_t a, int32_t b)
{
    return b ? common_divisor(b, a % b) : a < 0 ? -a : a;
}

int waves_line(struct waves *w, const struct box *b, const int32_t hkl[3], double qmax,
               struct err *e)
{
    struct search s = {.b = b, .shells = 1, .step = qmax};
    int32_t all = common_divisor(common_divisor(hkl[0], hkl[1]), hkl[2]), one[3];
    int32_t first = hkl[0] ? hkl[0] : hkl[1] ? hkl[1] : hkl[2];
    double q = 0.0;
    size_t shell;
    waves_free(w);
    for (int a = 0; a < 3; a++)
        one[a] = hkl[a] / (first < 0 ? -all : all);
    (void)shell_of(&s, one, &q, &shell);
    double n = floor(qmax / q * (1.0 + 1e-12));
    if (n < 1.0)
        return err_bad(e,
                       "expected a wave vector below q = %g 1/A along this direction, but the "
                       "shortest one has q = %.4g 1/A (raise --qmax)",
                       qmax, q);
    if (n > MAX_INDICES / 1e4)
        return err_bad(e, "%.3g wave vectors with q up to %g 1/A are too many (reduce --qmax)", n,
                       qmax);
    if (make_room(w, (uint64_t)n) != 0)
        return err_memory(e, "wave vectors");
    for (w->n = 0; w->n < (size_t)n; w->n++) {
        for (int a = 0; a < 3; a++)
            w->hkl[w->n][a] = one[a] * (int32_t)(w->n + 1);
        w->shell[w->n] = (uint32_t)w->n;
        w->q[w->n] = q * (double)(w->n + 1);
    }
    for (int a = 0; a < 3; a++)
        w->highest[a] = abs(w->hkl[w->n - 1][a]);
    w->all = w->n;
    return 0;
}

size_t waves_close_up(struct waves *w)
{
    uint32_t last = 0, to = 0;
    for (size_t v = 0; v < w->n; v++)
        last = w->shell[v] > last ? w->shell[v] : last;
    for (uint32_t s = 0; w->n && s <= last; s++) {
        bool any = false;
        for (size_t v = 0; v < w->n; v++)
            if (w->shell[v] == s) {
                w->shell[v] = to;
                any = true;
            }
        to += any;
    }
    return to;
}

void waves_free(struct waves *w)
{
    free(w->hkl);
    free(w->shell);
    free(w->q);
    memset(w, 0, sizeof *w);
}
