/* SPDX-License-Identifier: MIT */
#include "cli/cli_reduce.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/engine.h"
#include "cli/cli_log.h"

struct analysis_options cli_shared;
static char device[8]; /* value of --device, which --devices replaces */

int cli_shared_pair(const char *s, void *dst, struct err *e)
{
    (void)dst;
    if (cli_shared.npairs == ANALYSIS_PAIRS_MAX)
        return err_bad(e, "expected at most %d pairs", ANALYSIS_PAIRS_MAX);
    cli_shared.pair[cli_shared.npairs++] = s;
    return 0;
}

int cli_shared_device(const char *s, void *dst, struct err *e)
{
    uint64_t number;
    (void)dst;
    if (cli_parse_uint(s, 0, 63, &number, e) != 0)
        return -1;
    snprintf(device, sizeof device, "%d", (int)number);
    return 0;
}

const char *cli_devices(void)
{
    return cli_shared.devices ? cli_shared.devices : *device ? device : NULL;
}

/* ---- one trajectory */

/* State of the analysis of one trajectory. */
struct job {
    const struct cli_tool *tool;
    const struct cli_common *common;
    const struct analysis *how;
    struct analysis_options shared;
    const void *choice;
    struct frame_reader *in;
    struct analysis_input input;
    struct run_base *run;
    struct meta *meta;                 /* META of the result */
    struct frame_writer *second, *out; /* NULL if absent or not begun */
    size_t warned;                     /* number of notes printed */
    double seconds;                    /* time to read and compute after the engine was ready */
};

/* Fails with the message of `e`, preceded by the name of the input. Returns the exit status. */
static int fail(const struct job *j, struct err *e)
{
    err_file(e, frame_name(j->in));
    if (j->second)
        cli_drop(j->second);
    return cli_fail(j->out, NULL, e);
}

/* Fails after a read or write error, which names the file itself. Returns the exit status. */
static int fail_io(const struct job *j, const struct frame_reader *in, const struct err *e)
{
    if (j->second)
        cli_drop(j->second);
    return cli_fail(j->out, in, e);
}

static const struct notes *tell(struct job *j)
{
    const struct notes *notes = &j->run->notes;
    for (; j->warned < notes->n; j->warned++) {
        const struct note *note = &notes->note[j->warned];
        void (*say)(const char *, ...) =
            note->kind == NOTE_WARN || note->kind == NOTE_OPTION ? cli_warn : cli_note;
        if (note->kind == NOTE_WARN || note->kind == NOTE_TELL)
            say("%s: %s", frame_name(j->in), note->text);
        else
            say("%s", note->text);
    }
    return notes;
}

/* Passes every selected step to the analysis run and writes the result. Returns the exit status. */
static int frames(struct job *j)
{
    struct traj_block b;
    struct traj_reader *traj = j->input.traj;
    struct err e = {0};
    bool fresh;
    int rc;
    traj_slice(traj, j->input.first, j->input.last);
    while ((rc = traj_next(traj, &b, &fresh)) > 0) {
        if (j->how->add(j->run, &b, fresh, &e) != 0)
            break;
        cli_progress(traj_steps(traj), traj_expected(traj), "frames");
    }
    if (rc < 0)
        return fail_io(j, j->in, traj_error(traj));
    if (rc > 0 || j->how->finish(j->run, j->meta, &e) != 0)
        return fail(j, &e);
    j->seconds += cli_seconds();
    cli_note("%llu frames in %.6f s", (unsigned long long)traj_steps(traj), j->seconds);
    cli_note("%.3f GB/s from the file to the result, once the engine was ready",
             1e-9 * (double)frame_wire_bytes(j->in) / fmax(j->seconds, 1e-9));
    if (frame_put_meta(j->out, j->meta) != 0 || j->how->put(j->run, j->out, &e) != 0)
        return fail_io(j, NULL, e.status ? &e : frame_writer_error(j->out));
    const char *bound = tell(j)->bound;
    int status = cli_close(j->second), last = cli_close(j->out);
    if (!status && !last)
        cli_summary(traj_steps(traj), frame_wire_bytes(j->in), bound);
    return last ? last : status;
}

/* Begins the second output. Returns 0, or -1 and sets e. */
static int open_second(struct job *j, const char *name, struct err *e)
{
    struct cli_common c = *j->common;
    c.output = name;
    j->second = cli_create(&c);
    struct meta *m = meta_derive(j->input.meta, j->tool->name, CLI_VERSION, c.args);
    int rc = m ? j->how->second(j->run, &j->input, j->second, m, e) : err_memory(e, "META");
    meta_free(m);
    return rc;
}

/* Opens the run and prints its first notes. Returns 0, or -1 and sets e. */
static int open_run(struct job *j, const char *also, struct err *e)
{
    j->input.traj = traj_announce(j->in, analysis_type(j->how->want), e);
    if (!j->input.traj || shard_open(&j->shared.shard, j->in, j->input.traj, e) != 0)
        return -1;
    j->input.meta = frame_meta(j->in);
    if (!(j->run = calloc(1, j->how->size)))
        return err_memory(e, "a run");
    j->run->shared = &j->shared;
    j->run->want = (size_t)j->shared.blocks;
    if (j->how->open(j->run, j->choice, &j->input, e) || (also && open_second(j, also, e)))
        return -1;
    tell(j);
    j->meta = meta_derive(j->input.meta, j->tool->name, CLI_VERSION, j->common->args);
    return j->meta ? 0 : err_memory(e, "META");
}

static int reduce(struct job *j, const char *path, const char *also)
{
    struct err e;
    j->in = cli_open(j->common, path);
    j->input.reader = j->in;
    j->input.last = UINT64_MAX;
    int status = open_run(j, also, &e) ? fail(j, &e) : CLI_OK;
    if (!status) {
        j->seconds = -cli_seconds(); /* the engine is ready */
        j->out = cli_create(j->common);
        status = frames(j);
    }
    if (j->run) {
        j->how->close(j->run);
        stats_blocks_free(&j->run->blocks);
        free(j->run);
    }
    traj_close(j->input.traj);
    frame_close_reader(j->in);
    meta_free(j->meta);
    return status;
}

/* ---- several */

/* Returns `pattern` with each % replaced by the stem of the path, and each %d by its number. If
 * `path` is NULL, `pattern` is unchanged. */
static char *name_of(const char *pattern, const char *path, int number)
{
    char *name = NULL;
    size_t n;
    const char *slash = path ? strrchr(path, '/') : NULL, *stem = slash ? slash + 1 : path,
               *dot = path ? strrchr(stem, '.') : NULL;
    int len = path ? (int)(dot && dot > stem ? dot - stem : (long)strlen(stem)) : 0;
    FILE *f = pattern ? open_memstream(&name, &n) : NULL;
    for (const char *s = pattern; f && *s; s++)
        if (path && *s == '%' && s[1] == 'd')
            fprintf(f, "%d", number), s++;
        else if (path && *s == '%')
            fprintf(f, "%.*s", len, stem);
        else
            fputc(*s, f);
    if (pattern && (!f || fclose(f) != 0 || !name)) /* fclose does not report a failed realloc */
        cli_die(CLI_MEMORY, "out of memory for the names of results");
    return name;
}

/* Refuses, before anything is read, names that are unsuitable for several inputs. */
static void check_names(const struct cli_common *c, char *const *names, int n)
{
    for (int k = 0; k < n; k++) {
        if (strcmp(c->operands[k], "-") == 0)
            cli_die(CLI_BAD, "expected files as the inputs, found - among several inputs");
        for (int j = 0; j < k; j++)
            if (strcmp(names[k], names[j]) == 0)
                cli_die(CLI_BAD,
                        "%s and %s would both be written to %s (use %%d, the number of the input, "
                        "in the name)",
                        c->operands[j], c->operands[k], names[k]);
    }
}

/* Returns the names of the results, followed by the names of the second outputs. */
static char **all_names(const struct cli_common *c, const char *also, int n)
{
    char **names = calloc(2 * (size_t)n + 1, sizeof *names);
    const char *pattern[] = {c->output, also};
    if (!names)
        cli_die(CLI_MEMORY, "out of memory for the names of results");
    for (int p = 0; p < 2; p++) {
        if (n > 1 && (p == 0 || also) && (!pattern[p] || !strchr(pattern[p], '%')))
            cli_die(CLI_BAD,
                    "%d inputs write one file each: expected a %% in the output name, to stand for "
                    "the name of the input, found %s",
                    n, pattern[p] ? pattern[p] : "no -o FILE");
        for (int k = 0; k < n; k++)
            names[p * n + k] = name_of(pattern[p], cli_input_at(c, k), k);
        if (n > 1 && pattern[p])
            check_names(c, names + p * n, n);
    }
    if (!names[0]) /* the result goes to stdout */
        names[0] = strdup("-");
    names[2 * n] = (char *)c->log;
    cli_separate((const char *const *)names, 2 * (size_t)n + 1);
    names[2 * n] = NULL;
    for (int k = 0; k < 2 * n; k++)
        if (names[k])
            cli_keep_inputs(c, names[k]);
    return names;
}

/* Checks the device, and that the list of --exclude is not an output, before anything is read. */
static void check_shared(const struct cli_common *c)
{
    struct err e;
    cli_shared.devices = cli_devices();
    cli_shared.threads = c->threads;
    cli_shared.max_mem = c->max_mem;
    if (engine_probe(cli_shared.devices, &e) < 0)
        cli_die(e.status, "%s", e.text);
    cli_keep_input(c, cli_shared.exclude, c->output);
}

int cli_reduce(const struct cli_tool *tool, const struct cli_common *c, const struct analysis *a,
               const void *choice, const char *also)
{
    int n = cli_inputs(c), bad = 0, status = CLI_OK;
    check_shared(c);
    char **names = all_names(c, also, n);
    for (int k = 0; k < n; k++) {
        const char *path = cli_input_at(c, k);
        struct cli_common one = *c;
        one.output = names[k];
        cli_log_subject(path, c->output ? one.output : NULL);
        cli_subject(n > 1 ? path : NULL);
        struct job j = {
            .tool = tool, .common = &one, .how = a, .shared = cli_shared, .choice = choice};
        int s = reduce(&j, path, names[n + k]);
        if (cli_log_line(s) != 0 && !s)
            s = CLI_MACHINE;
        bad += s != CLI_OK;
        status = s > status ? s : status;
    }
    cli_subject(NULL);
    if (bad && n > 1)
        cli_error("%d of %d inputs gave no result", bad, n);
    for (int k = 0; k < 2 * n; k++)
        free(names[k]);
    free(names);
    return status;
}
