/* SPDX-License-Identifier: MIT */
/* sq-cpu, sq-gpu: structure factor of a trajectory, summed over the wave vectors of its cell. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_reduce.h"
#include "formats/columns.h"
#include "sq/sq_run.h"

static double qmax = 4.0, qstep = 0.05;
static uint64_t most = 10000, blocks;
static const char *form_factor, *pair[256], *device;
static size_t npairs;
static int convention;
static struct sq_factors factors;
static struct shard shard;
static struct cli_common common;

static int parse_pair(const char *s, void *dst, struct err *e)
{
    (void)dst;
    if (npairs == sizeof pair / sizeof *pair)
        return err_set(e, ERR_BAD, "at most %zu pairs", npairs);
    pair[npairs++] = s;
    return 0;
}

/* A=1.9,B=0.3: a table of one row. */
static int parse_weights(const char *s, void *dst, struct err *e)
{
    struct sq_factors *t = dst;
    static char name[256][40];
    static double q, f[256];
    *t = (struct sq_factors){.rows = 1, .name = name, .q = &q, .f = f};
    for (const char *end; *s; s = *end ? end + 1 : end) {
        char number[64];
        end = s + strcspn(s, ",");
        const char *is = memchr(s, '=', (size_t)(end - s));
        if (!is || is == s || is - s >= 40 || end - is > 60 || t->n == 256)
            return err_set(e, ERR_BAD, "SPECIES=NUMBER,... expected, found %.60s", s);
        snprintf(number, sizeof number, "%.*s", (int)(end - is - 1), is + 1);
        if (cli_parse_real(number, -1e6, 1e6, &f[t->n], e) != 0)
            return -1;
        snprintf(name[t->n], sizeof *name, "%.*s", (int)(is - s), s);
        for (size_t k = 0; k < t->n; k++)
            if (strcmp(name[k], name[t->n]) == 0)
                return err_set(e, ERR_BAD, "%s is there twice", name[k]);
        t->n++;
    }
    return t->n ? 0 : err_set(e, ERR_BAD, "SPECIES=NUMBER,... expected, found nothing");
}

static const char *const conventions[] = {"ashcroft-langreth", "faber-ziman", NULL};
static const struct cli_opt opts[] = {
    {0, "qmax", "Q", CLI_REAL, &qmax, 1e-6, 1e6, NULL, NULL, "end of the last shell, 1/A (4)"},
    {0, "qstep", "Q", CLI_REAL, &qstep, 1e-6, 1e6, NULL, NULL, "width of a shell, 1/A (0.05)"},
    {0, "vectors", "N", CLI_UINT, &most, 1, 1e8, NULL, NULL,
     "wave vectors a step at most; beyond, the same choice from every shell (10000)"},
    {0, "pair", "A-B", CLI_CUSTOM, NULL, 0, 0, NULL, parse_pair,
     "the partial factor of these two species, too; repeatable; all: every pair of species (S)"},
    {0, "weights", "A=W,...", CLI_CUSTOM, &factors, 0, 0, NULL, parse_weights,
     "weight of each species in S (1)"},
    {0, "form-factor", "FILE", CLI_STRING, &form_factor, 0, 0, NULL, NULL,
     "weights that depend on q: columns q and one a species, with their names"},
    {0, "convention", "WHICH", CLI_CHOICE, &convention, 0, 0, conventions, NULL,
     "ashcroft-langreth or faber-ziman (ashcroft-langreth)"},
    {0, "blocks", "B", CLI_UINT, &blocks, 0, 65536, NULL, NULL,
     "errors from so many blocks of steps; 1: none (up to 128, and what they remember)"},
    {0, "shard", "K/N", CLI_CUSTOM, &shard, 0, 0, NULL, shard_parse,
     "the K-th of N shares of a file's steps; frame-merge makes the whole of all N (all)"},
#ifdef ENGINE_GPU
    {0, "device", "N", CLI_STRING, &device, 0, 0, NULL, NULL, "which of the visible GPUs (0)"},
#endif
    {0}};

static const char *build_facts(void)
{
    static char text[128];
    snprintf(text, sizeof text, "engine: %s", sq_engine_name());
    return text;
}

static const struct cli_tool tool = {
    .name = "sq-" ENGINE,
    .operands = "[FILE...]",
    .opts = opts,
    .max_operands = -1,
    .writes_frames = true,
    .summary = "positions (POSN) in, structure factor S(q) from wave vectors (CORR) out; bin2txt "
               "shows q, vectors, S",
    .examples = "  xyz2bin argon.xyz.gz | sq-" ENGINE " --qmax 6 | bin2txt >sq.txt\n"
                "  sq-" ENGINE " --pair all --weights O=5.8,H=-3.74 water.mbf -o water.sq\n",
    .build_facts = build_facts};

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

static void *begin(struct cli_result *r, struct err *e)
{
    if (shard_open(&shard, r->in, e) != 0)
        return NULL;
    struct sq_choice choice = {
        .engine = {.threads = common.threads, .max_mem = common.max_mem, .devices = device},
        .qmax = qmax,
        .qstep = qstep,
        .most = most,
        .names = pair,
        .nnames = npairs,
        .factors = factors.rows ? &factors : NULL,
        .blocks = blocks,
        .shard = shard,
        .faber_ziman = convention == 1};
    struct sq_run *run = sq_run_open(&choice, traj_info(r->traj), frame_meta(r->in), e);
    if (run && shard.n) {
        r->first = sq_run_share(run)->first;
        r->last = sq_run_share(run)->last;
    }
    return run;
}

static int add(void *run, const struct traj_block *b, bool fresh, struct err *e)
{
    (void)fresh;
    return sq_run_add(run, b) == 0 ? 0 : (*e = *sq_run_error(run), -1);
}

static int finish(void *run, struct meta *m, struct err *e)
{
    return sq_run_finish(run, m) == 0 ? 0 : (*e = *sq_run_error(run), -1);
}

static int put(void *run, struct frame_writer *w, struct err *e)
{
    return sq_run_put(run, w) == 0 ? 0 : (*e = *frame_writer_error(w), -1);
}

static const char *say(void *run, const struct cli_result *r)
{
    if (sq_run_drift(run))
        cli_warn("%s: %s", frame_name(r->in), sq_run_drift(run));
    const struct waves *w = sq_run_waves(run);
    cli_note("%s, %zu of %llu wave vectors", sq_engine_name(), w->n, (unsigned long long)w->all);
    return NULL;
}

static void end(void *run)
{
    sq_run_close(run);
}

int main(int argc, char **argv)
{
    struct err e;
    cli_parse(&tool, argc, argv, &common);
    if (qstep > qmax || qmax / qstep > 1e6)
        cli_die(CLI_BAD, "1 to 1000000 shells expected, found --qstep %g, --qmax %g", qstep, qmax);
    if (form_factor && factors.rows)
        cli_die(CLI_BAD, "--weights or --form-factor, not both");
    if (form_factor)
        read_factors(form_factor);
    if (sq_probe(device, &e) != 0)
        cli_die(e.status, "%s", e.text);
    const struct cli_reducer how = {FRAME_POSN, NULL, begin, add, finish, put, say, end};
    return cli_reduce(&tool, &common, &how);
}
