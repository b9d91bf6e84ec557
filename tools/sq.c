/* SPDX-License-Identifier: MIT */
/* sq-cpu, sq-gpu: structure factor of a trajectory, summed over the wave vectors of its cell. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli_reduce.h"
#include "formats/columns.h"
#include "sq/sq_run.h"
#include "stats/weights.h"

static struct sq_choice choice = {.qmax = 4.0, .qstep = 0.05, .most = 10000};
static struct sq_factors factors;
static const char *form_factor;

/* A table of one row. */
static int parse_weights(const char *s, void *dst, struct err *e)
{
    static struct weights w;
    static double q;
    int rc = weights_parse(s, &w, e);
    *(struct sq_factors *)dst =
        (struct sq_factors){.rows = 1, .n = w.n, .name = w.name, .q = &q, .f = w.w};
    return rc;
}

static const char *const conventions[] = {"ashcroft-langreth", "faber-ziman", NULL};
static const struct cli_opt opts[] = {
    CLI_OPT("qmax", "Q", REAL, &choice.qmax, "end of the last shell, 1/A (4)", .min = 1e-6,
            .max = 1e6),
    CLI_OPT("qstep", "Q", REAL, &choice.qstep, "width of a shell, 1/A (0.05)", .min = 1e-6,
            .max = 1e6),
    CLI_OPT("vectors", "N", UINT, &choice.most,
            "wave vectors a step at most; beyond, the same choice from every shell (10000)",
            .min = 1, .max = 1e8),
    CLI_PAIR("the partial factor of these two species, too; repeatable; all: every pair of species "
             "(S)"),
    CLI_OPT("weights", "A=W,...", CUSTOM, &factors, "weight of each species in S (1)",
            .parse = parse_weights),
    CLI_OPT("form-factor", "FILE", STRING, &form_factor,
            "weights that depend on q: columns q and one a species, with their names"),
    CLI_OPT("convention", "WHICH", CHOICE, &choice.faber_ziman,
            "ashcroft-langreth or faber-ziman (ashcroft-langreth)", .choices = conventions),
    CLI_BLOCKS_OF_STEPS,
    CLI_SHARD("steps"),
#ifdef ENGINE_GPU
    CLI_OPT("device", NULL, STRING, &cli_shared.devices, "which of the visible GPUs (0)"),
#endif
    {0}};

static const struct cli_tool tool = {
    .name = "sq-" ENGINE,
    .operands = "[FILE...]",
    .opts = opts,
    .max_operands = -1,
    .writes_frames = true,
    .reads_steps = true,
    .summary = "positions (POSN) in, structure factor S(q) from wave vectors (CORR) out; bin2txt "
               "shows q, vectors, S",
    .examples = "  xyz2bin argon.xyz.gz | sq-" ENGINE " --qmax 6 | bin2txt >sq.txt\n"
                "  sq-" ENGINE " --pair all --weights O=5.8,H=-3.74 water.mbf -o water.sq\n",
    .engine = sq_engine_name};

/* The table of --form-factor. */
static void read_factors(const char *path)
{
    struct err e;
    struct columns *c = columns_open(path, &e);
    if (!c)
        cli_die(e.status, "%s", e.text);
    size_t n = columns_count(c), room = 0, want[COLUMNS_MAX];
    double v[COLUMNS_MAX];
    long q = columns_find(c, "q", &e);
    if (q < 0)
        cli_die(e.status, "--form-factor: %s", e.text);
    struct sq_factors *t = &factors;
    *t = (struct sq_factors){.n = n - 1, .name = calloc(n, sizeof *t->name)};
    want[0] = (size_t)q;
    for (size_t k = 0, to = 1; t->name && k < n; k++)
        if (k != (size_t)q) {
            snprintf(t->name[to - 1], sizeof *t->name, "%s", columns_name(c, k));
            want[to++] = k;
        }
    int got;
    while ((got = columns_next(c, want, n, v, &e)) > 0) {
        if (t->rows == room) {
            room = 2 * room + 64;
            t->q = realloc(t->q, room * sizeof *t->q);
            t->f = realloc(t->f, room * n * sizeof *t->f);
        }
        if (!t->name || !t->q || !t->f)
            cli_die(CLI_MEMORY, "out of memory for %s", path);
        if (t->rows && v[0] <= t->q[t->rows - 1])
            cli_die(CLI_BAD, "%s: line %llu: q that ascend expected, found %g after %g", path,
                    (unsigned long long)columns_line(c), v[0], t->q[t->rows - 1]);
        t->q[t->rows] = v[0];
        memcpy(t->f + t->rows++ * t->n, v + 1, t->n * sizeof *v);
    }
    if (got < 0)
        cli_die(e.status, "%s", e.text);
    if (t->rows < 2 || t->n == 0)
        cli_die(CLI_BAD, "%s: at least two rows of q and a species expected", path);
    if (columns_doubt(c))
        cli_warn("%s: %s", path, columns_doubt(c));
    columns_close(c);
}

int main(int argc, char **argv)
{
    struct cli_common common;
    cli_parse(&tool, argc, argv, &common);
    if (choice.qstep > choice.qmax || choice.qmax / choice.qstep > 1e6)
        cli_die(CLI_BAD, "1 to 1000000 shells expected, found --qstep %g, --qmax %g", choice.qstep,
                choice.qmax);
    if (form_factor && factors.rows)
        cli_die(CLI_BAD, "--weights or --form-factor, not both");
    if (form_factor)
        read_factors(form_factor);
    choice.factors = factors.rows ? &factors : NULL;
    return cli_reduce(&tool, &common, &sq_analysis, &choice, NULL);
}
