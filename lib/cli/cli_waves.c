/* SPDX-License-Identifier: MIT */
#include "cli/cli_waves.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/columns.h"
#include "select/weights.h"

static struct waves_factors factors;
static const char *form_factor;

/* Parses --weights into a table of one row. */
int cli_waves_weights(const char *s, void *dst, struct err *e)
{
    static struct weights w;
    static double q;
    (void)dst;
    int rc = weights_parse(s, &w, e);
    factors = (struct waves_factors){.rows = 1, .n = w.n, .name = w.name, .q = &q, .f = w.w};
    return rc;
}

int cli_waves_form(const char *s, void *dst, struct err *e)
{
    (void)dst;
    (void)e;
    form_factor = s;
    return 0;
}

/* Reads the table of --form-factor. */
static void read_factors(const char *path)
{
    struct err e;
    struct columns *c = columns_open(path, &(struct columns_choice){0}, &e);
    if (!c)
        cli_die(e.status, "%s", e.text);
    size_t n = columns_count(c), capacity = 0, want[COLUMNS_MAX];
    double v[COLUMNS_MAX];
    long q = columns_find(c, "q", &e);
    if (q < 0)
        cli_die(e.status, "--form-factor: %s", e.text);
    struct waves_factors *t = &factors;
    *t = (struct waves_factors){.n = n - 1, .name = calloc(n, sizeof *t->name)};
    want[0] = (size_t)q;
    for (size_t k = 0, to = 1; t->name && k < n; k++)
        if (k != (size_t)q) {
            snprintf(t->name[to - 1], sizeof *t->name, "%s", columns_name(c, k));
            want[to++] = k;
        }
    int got;
    while ((got = columns_next(c, want, n, v, &e)) > 0) {
        if (t->rows == capacity) {
            capacity = 2 * capacity + 64;
            t->q = realloc(t->q, capacity * sizeof *t->q);
            t->f = realloc(t->f, capacity * n * sizeof *t->f);
        }
        if (!t->name || !t->q || !t->f)
            cli_die(CLI_MEMORY, "out of memory for %s", path);
        if (t->rows && v[0] <= t->q[t->rows - 1])
            cli_die(CLI_BAD, "%s: line %llu: expected ascending q, found %g after %g", path,
                    (unsigned long long)columns_line(c), v[0], t->q[t->rows - 1]);
        t->q[t->rows] = v[0];
        memcpy(t->f + t->rows++ * t->n, v + 1, t->n * sizeof *v);
    }
    if (got < 0)
        cli_die(e.status, "%s", e.text);
    if (t->rows < 2 || t->n == 0)
        cli_die(CLI_BAD, "%s: expected at least two rows of q and one species, found fewer", path);
    if (columns_doubt(c))
        cli_warn("%s: %s", path, columns_doubt(c));
    columns_close(c);
}

void cli_waves_take(struct waves_choice *c)
{
    if (c->qstep > c->qmax || c->qmax / c->qstep > 1e6)
        cli_die(CLI_BAD, "expected 1 to 1000000 shells, found --qstep %g and --qmax %g", c->qstep,
                c->qmax);
    if (form_factor && factors.rows)
        cli_die(CLI_BAD, "expected --weights or --form-factor, found both");
    if (form_factor)
        read_factors(form_factor);
    c->factors = factors.rows ? &factors : NULL;
}
