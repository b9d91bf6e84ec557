/* SPDX-License-Identifier: MIT */
#include "stats/uneven.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream/stride.h"

int uneven_refuse(const char *option, struct err *e)
{
    const char *remedy = strcmp(option, "--lags") == 0 ? " (use --tmax)" : "";
    return err_bad(e, "%s: expected evenly spaced frames, found frames at uneven times%s", option,
                   remedy);
}

int uneven_add(struct uneven *u, double time, struct err *e)
{
    double before = u->steps ? u->time[u->steps - 1] : -INFINITY;
    if (!(time > before))
        return err_bad(e, "frame %zu: expected a time after %.10g ps, found %.10g ps", u->steps,
                       before, time);
    if (u->steps == u->capacity) {
        size_t capacity = u->capacity + u->capacity / 2 + 64;
        double *p = realloc(u->time, capacity * sizeof *p);
        if (!p)
            return err_memory(e, "the times");
        u->time = p;
        u->capacity = capacity;
    }
    u->time[u->steps++] = time;
    return 0;
}

static int by_lag(const void *a, const void *b)
{
    const struct uneven_pair *x = a, *y = b;
    return x->lag < y->lag ? -1 : x->lag > y->lag ? 1 : x->then < y->then ? -1 : x->then > y->then;
}

int uneven_rows(struct uneven *u, double tmax, double kept, uint64_t max_mem, struct err *e)
{
    size_t n = 0, at = 0, each = 2 * sizeof *u->pair + sizeof *u->row; /* qsort makes a copy */
    double gap = INFINITY, last = isnan(tmax) ? INFINITY : tmax * (1.0 + 1e-9);
    for (size_t i = 0, j = 0; i < u->steps; n += j - i++) {
        gap = i ? fmin(gap, u->time[i] - u->time[i - 1]) : gap;
        while (j < u->steps && u->time[j] - u->time[i] <= last)
            j++;
    }
    if (err_over(e, kept + (double)n * (double)each, max_mem, UNEVEN_HELP, "%zu pairs of steps", n))
        return -1;
    u->pair = malloc((n + 1) * sizeof *u->pair);
    u->row = malloc((n + 1) * sizeof *u->row);
    if (!u->pair || !u->row)
        return err_memory(e, "pairs of steps");
    for (size_t i = 0; i < u->steps; i++)
        for (size_t j = i; j < u->steps && u->time[j] - u->time[i] <= last; j++)
            u->pair[at++] = (struct uneven_pair){u->time[j] - u->time[i], (uint32_t)i, (uint32_t)j};
    qsort(u->pair, n, sizeof *u->pair, by_lag);
    for (size_t k = 0; k < n; k++)
        if (k == 0 || u->pair[k].lag - u->pair[u->row[u->lags - 1]].lag > STRIDE_PRINTED * gap)
            u->row[u->lags++] = k;
    u->row[u->lags] = n;
    u->sum = META_SUM;
    for (size_t row = 0; row < u->lags; row++) { /* 0.02 for 0.01999999999999984 */
        double *lag = &u->pair[u->row[row]].lag;
        char text[32];
        size_t len = (size_t)snprintf(text, sizeof text, "%.12g", *lag);
        *lag = strtod(text, NULL);
        u->sum = meta_sum(u->sum, text, len + 1);
    }
    return 0;
}

double uneven_bytes(const struct uneven *u)
{
    return (double)u->row[u->lags] * (double)(sizeof *u->pair + sizeof *u->row);
}

int uneven_meta(const struct uneven *u, struct meta *m)
{
    return meta_set(m, "data.axis", "t_ps") |
           meta_setf(m, "data.lags.sum", "FNV-1a %016llx", (unsigned long long)u->sum);
}

int uneven_times(const struct uneven *u, struct meta *m)
{
    size_t most = 24 * u->steps + 1, n = 0;
    char *text = u->steps <= UNEVEN_TIMES ? malloc(most) : NULL;
    if (u->steps <= UNEVEN_TIMES && !text)
        return -1;
    for (size_t k = 0; text && k < u->steps; k++)
        n += (size_t)snprintf(text + n, most - n, "%s%.12g", k ? " " : "", u->time[k] - u->time[0]);
    int bad = meta_set(m, "data.times", text);
    free(text);
    return bad;
}

void uneven_close(struct uneven *u)
{
    free(u->time);
    free(u->pair);
    free(u->row);
    *u = (struct uneven){0};
}
