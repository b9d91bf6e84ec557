/* SPDX-License-Identifier: MIT */
#include "cli/cli_reduce.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli_log.h"

/* ---- one trajectory */

/* It failed: e with the input's name before it. Returns the exit status. */
static int fail(const struct cli_result *r, struct frame_writer *out, struct err *e)
{
    const char *name = frame_name(r->in);
    if (strncmp(e->text, name, strlen(name)) != 0)
        err_set(e, e->status, "%s: %s", name, e->text);
    if (r->second)
        cli_drop(r->second);
    return cli_fail(out, NULL, e);
}

/* Every wanted step into run, and the result to out. Returns the exit status. */
static int frames(const struct cli_reducer *how, void *run, struct cli_result *r, struct meta *m,
                  struct frame_writer *out)
{
    struct traj_block b;
    struct err e = {0};
    bool fresh;
    int rc;
    traj_slice(r->traj, r->first, r->last);
    while ((rc = traj_next(r->traj, &b, &fresh)) > 0) {
        if (how->add(run, &b, fresh, &e) != 0)
            break;
        cli_progress(traj_steps(r->traj), traj_expected(r->traj), "frames");
    }
    if (rc < 0) {
        if (r->second)
            cli_drop(r->second);
        return cli_fail(out, r->in, traj_error(r->traj));
    }
    if (rc > 0 || how->finish(run, m, &e) != 0)
        return fail(r, out, &e);
    r->seconds += cli_seconds();
    cli_note("%llu frames in %.6f s", (unsigned long long)traj_steps(r->traj), r->seconds);
    cli_note("%.3f GB/s from the file to the result, once the engine was ready",
             1e-9 * (double)frame_wire_bytes(r->in) / fmax(r->seconds, 1e-9));
    if (frame_put_meta(out, m) != 0 || how->put(run, out, &e) != 0) {
        if (r->second)
            cli_drop(r->second);
        return cli_fail(out, NULL, e.status ? &e : frame_writer_error(out));
    }
    const char *bound = how->say(run, r);
    int status = cli_close(r->second), last = cli_close(out);
    if (!status && !last)
        cli_summary(traj_steps(r->traj), frame_wire_bytes(r->in), bound);
    return last ? last : status;
}

static int reduce(const struct cli_tool *tool, const struct cli_common *c, const char *path,
                  const char *also, const struct cli_reducer *how)
{
    struct err e;
    struct cli_result r = {.in = cli_open(c, path), .also = also, .last = UINT64_MAX};
    r.traj = traj_announce(r.in, how->want, &e);
    void *run = r.traj ? how->open(&r, &e) : NULL;
    struct meta *m = run ? meta_derive(frame_meta(r.in), tool->name, CLI_VERSION, c->args) : NULL;
    if (run && !m)
        err_memory(&e, "META");
    r.seconds = -cli_seconds(); /* the engine is ready */
    int status = m ? frames(how, run, &r, m, cli_create(c)) : fail(&r, NULL, &e);
    if (run)
        how->close(run);
    traj_close(r.traj);
    frame_close_reader(r.in);
    meta_free(m);
    return status;
}

/* ---- several */

/* pattern with the stem of path or its number in the place of each % (NULL: neither). */
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
    if (pattern && (!f || fclose(f) != 0 || !name)) /* fclose gives no word of a last realloc */
        cli_die(CLI_MEMORY, "out of memory for the names of results");
    return name;
}

/* Refuses what several inputs cannot go with, before anything is read. */
static void check_names(const struct cli_common *c, char *const *names, int n)
{
    for (int k = 0; k < n; k++) {
        if (strcmp(c->operands[k], "-") == 0)
            cli_die(CLI_BAD, "several inputs are files: expected no - among them");
        for (int j = 0; j < k; j++)
            if (strcmp(names[k], names[j]) == 0)
                cli_die(CLI_BAD, "%s and %s: the result of both would be %s (%%d is the number)",
                        c->operands[j], c->operands[k], names[k]);
    }
}

/* The results' names, and those of the second outputs behind them. */
static char **all_names(const struct cli_common *c, const char *also, int n)
{
    char **names = calloc(2 * (size_t)n + 1, sizeof *names);
    const char *pattern[] = {c->output, also};
    if (!names)
        cli_die(CLI_MEMORY, "out of memory for the names of results");
    for (int p = 0; p < 2; p++) {
        if (n > 1 && (p == 0 || also) && (!pattern[p] || !strchr(pattern[p], '%')))
            cli_die(CLI_BAD,
                    "%d inputs write a file each: expected a %% in its name, for that of "
                    "the input, found %s",
                    n, pattern[p] ? pattern[p] : "no -o FILE");
        for (int k = 0; k < n; k++)
            names[p * n + k] = name_of(
                pattern[p], c->noperands && strcmp(c->operands[k], "-") ? c->operands[k] : NULL, k);
        if (n > 1 && pattern[p])
            check_names(c, names + p * n, n);
    }
    if (!names[0]) /* stdout */
        names[0] = strdup("-");
    names[2 * n] = (char *)c->log;
    cli_apart((const char *const *)names, 2 * (size_t)n + 1);
    names[2 * n] = NULL;
    for (int k = 0; k < 2 * n; k++)
        if (names[k])
            cli_keep_inputs(c, names[k]);
    return names;
}

int cli_reduce(const struct cli_tool *tool, const struct cli_common *c,
               const struct cli_reducer *how)
{
    int n = c->noperands ? c->noperands : 1, bad = 0, status = CLI_OK;
    char **names = all_names(c, how->also, n);
    for (int k = 0; k < n; k++) {
        const char *path = c->noperands && strcmp(c->operands[k], "-") ? c->operands[k] : NULL;
        struct cli_common one = *c;
        one.output = names[k];
        cli_log_subject(path, c->output ? one.output : NULL);
        cli_subject(n > 1 ? path : NULL);
        int s = reduce(tool, &one, path, names[n + k], how);
        if (cli_log_line(s) != 0 && !s)
            s = CLI_MACHINE;
        bad += s != CLI_OK;
        status = s > status ? s : status;
    }
    cli_subject(NULL);
    if (bad && n > 1)
        cli_error("%d of %d inputs have no result", bad, n);
    for (int k = 0; k < 2 * n; k++)
        free(names[k]);
    free(names);
    return status;
}
