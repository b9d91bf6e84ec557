/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/portable.h"
#include "cli/cli_log.h"
#include "cli/cli_print.h"
#include "io/utf8.h"
#include "stream/frame_index.h"
#include "stream/frame_output.h"

/* ---- outputs. If an input has several outputs, they appear when the last output is closed */

static int outputs; /* outputs that are begun but not closed */
static bool lost;   /* an output failed */

void cli_subject(const char *input)
{
    cli_about(input);
    lost = false;
}

static void begin_output(void)
{
    if (++outputs > 1)
        output_together();
}

/* Ends an output, successful or not. Returns 0, or -1 and sets e if this output was good but the
 * outputs could not be published. */
static int end_output(bool good, struct err *e)
{
    outputs--;
    lost |= !good;
    return outputs > 0 && !lost ? 0 : output_publish(!lost, e);
}

/* ---- frame streams */

int cli_inputs(const struct cli_common *c)
{
    return c->noperands ? c->noperands : 1;
}

const char *cli_input_at(const struct cli_common *c, int k)
{
    return k < c->noperands && strcmp(c->operands[k], "-") != 0 ? c->operands[k] : NULL;
}

const char *cli_input(const struct cli_common *c)
{
    return cli_input_at(c, 0);
}

void cli_left_out(const char *name, const char *code)
{
    cli_warn("%s: arrays of unknown type %s are skipped", name, code);
}

struct frame_reader *cli_open(const struct cli_common *c, const char *path)
{
    bool windowed = !isnan(c->window.from) || !isnan(c->window.to);
    struct frame_reader_opts o = {.max_mem = c->max_mem,
                                  .threads = c->threads,
                                  .allow_partial = c->allow_partial,
                                  .left_out = cli_left_out,
                                  .window = windowed ? &c->window : NULL};
    if (!path && isatty(0))
        cli_die(CLI_BAD, "stdin is a terminal: expected a frame stream (see %s --help)", cli_shown);
    struct frame_reader *r = frame_open(path, &o);
    if (!r)
        cli_die(CLI_MEMORY, "out of memory");
    return r;
}

void cli_one_sigma(const struct frame_reader *in)
{
    enum { MAX = 255 };
    static char names[MAX][16];
    char list[300] = "";
    const struct meta *m = frame_meta(in);
    unsigned long long natoms = 0;
    const char *what = meta_get(m, "data.quantity");
    if (!what || strcmp(what, "positions") != 0 || meta_get_u64(m, "sys.natoms", &natoms) != 1)
        return;
    unsigned char *species = natoms < SIZE_MAX ? malloc(natoms) : NULL;
    int n = species ? meta_species(m, natoms, species, names, MAX, NULL) : 0;
    for (int k = 0; k < n; k++) {
        size_t at = strlen(list);
        unsigned long long of = 0;
        for (size_t i = 0; i < natoms; i++)
            of += species[i] == k;
        snprintf(list + at, sizeof list - at, "%s%.15s", k ? ", " : "", k < 8 ? names[k] : "...");
        if (k == 8)
            break;
        at = strlen(list);
        snprintf(list + at, sizeof list - at, " %llu", of);
    }
    free(species);
    if (n > 1)
        cli_warn(
            "%s: the input has %d species (%s), but beta treats all species as equally "
            "polarizable (give polarizabilities with --beta-weights, such as "
            "Ar=1.64,Kr=2.48, or use --pair, or select one species with frame-cut --species %.15s)",
            frame_name(in), n, list, names[0]);
}

static struct frame_writer_opts writer_opts(const struct cli_common *c)
{
    return (struct frame_writer_opts){.tool = cli_name,
                                      .compress = c->compress,
                                      .threads = c->threads,
                                      .force = c->force,
                                      .index = c->index,
                                      .last = c->last,
                                      .max_mem = c->max_mem};
}

struct frame_writer *cli_resume(const struct cli_common *c, const struct frame_mark *m,
                                const struct meta *like, enum frame_found *found, struct err *e)
{
    struct frame_writer_opts o = writer_opts(c);
    cli_keep_inputs(c, c->output);
    struct frame_writer *w = frame_resume(c->output, &o, m, like, found, e);
    if (w)
        begin_output();
    return w;
}

void cli_no_part(const char *name, bool known)
{
    char *part = name ? output_part(name) : NULL;
    bool there = part && access(part, F_OK) == 0;
    if (there && known)
        cli_die(CLI_BAD,
                "%s: found frames or lines of a stopped run (--from-restart continues the run; "
                "remove the file to start anew)",
                part);
    if (there && output_remove_part(part) != 0)
        cli_die(CLI_MACHINE, "%s: cannot be removed: %s", part, strerror(errno));
    if (there)
        cli_warn("%s: removed this file of a run that was killed before its first checkpoint; the "
                 "run starts anew",
                 part);
    free(part);
}

struct frame_writer *cli_create(const struct cli_common *c)
{
    struct err e;
    struct frame_writer_opts o = writer_opts(c);
    cli_keep_inputs(c, c->output);
    if (c->index && !c->output)
        cli_die(CLI_BAD,
                "--index: expected -o FILE, found none (--index writes its file next to FILE)");
    struct frame_writer *w = frame_create(c->output, &o, &e);
    if (!w)
        cli_die(e.status, "%s", e.text);
    if (c->index && frame_is_live(w))
        cli_die(CLI_BAD, "--index: %s is not a regular file", c->output);
    begin_output();
    return w;
}

void cli_drop(struct frame_writer *w)
{
    (void)frame_close_writer(w, NULL);
    outputs += !w;
    (void)end_output(false, NULL);
}

int cli_fail(struct frame_writer *w, const struct frame_reader *in, const struct err *e)
{
    struct err none = {.status = ERR_MEMORY,
                       .text = "out of memory"}; /* default error of a NULL result */
    e = e->status ? e : &none;
    int status = e->status; /* `e` may be the error of `w` */
    cli_error("%s", e->text);
    if (w)
        (void)frame_fail(w, e, in ? frame_received(in) : NULL);
    cli_drop(w);
    return cli_log_status(status);
}

/* Closes the writer `w`, and writes its index if it recorded one. */
static int close_indexed(struct frame_writer *w, struct err *e)
{
    struct frame_totals t = {0};
    struct frame_index index = {0}, *own = frame_writer_index(w);
    char *name = own ? strdup(frame_writer_name(w)) : NULL;
    uint64_t bytes = frame_written(w);
    frame_writer_totals(w, &t);
    if (own) {
        index = *own;
        *own = (struct frame_index){0};
        output_together();
    }
    int rc = frame_close_writer(w, e);
    if (rc == 0)
        cli_log_output(&t);
    if (rc == 0 && own)
        rc = name ? frame_index_write(&index, name, bytes, &t, e) : err_memory(e, "an index");
    frame_index_free(&index);
    free(name);
    return rc;
}

int cli_settle(struct frame_writer *w, struct err *e)
{
    cli_clear_line();
    if (!w)
        return 0;
    int rc = close_indexed(w, e);
    return end_output(rc == 0, rc ? NULL : e) || rc ? -1 : 0;
}

int cli_close(struct frame_writer *w)
{
    struct err e;
    if (cli_settle(w, &e) == 0)
        return CLI_OK;
    cli_error("%s", e.text);
    return cli_log_status(e.status);
}

/* ---- text output */

/* TEXT_PAGE is PIPE_BUF of POSIX. A write of at most this length to a pipe is never divided. */
enum { TEXT_BUFFER = 1 << 18, TEXT_PAGE = 4096 };

struct cli_text {
    struct output out;
    const char *name;
    char *buffer;
    size_t used;
    int error; /* errno of the first failure */
    bool tty;  /* output to a terminal, where control characters are replaced */
};

static struct cli_text *new_text(const struct cli_common *c)
{
    cli_keep_inputs(c, c->output);
    struct cli_text *t = calloc(1, sizeof *t);
    if (t)
        t->buffer = malloc(TEXT_BUFFER);
    if (!t || !t->buffer)
        cli_die(CLI_MEMORY, "out of memory");
    t->name = c->output && strcmp(c->output, "-") != 0 ? c->output : "stdout";
    return t;
}

struct cli_text *cli_text_resume(const struct cli_common *c, uint64_t bytes, struct err *e)
{
    bool is_part;
    struct cli_text *t = new_text(c);
    int fd = output_find(c->output, bytes, &is_part);
    if (fd < 0)
        err_bad(e, "%s.part: file not found", c->output);
    else if (output_resume(&t->out, c->output, fd, is_part, bytes, e) == 0) {
        begin_output();
        return t;
    }
    free(t->buffer);
    free(t);
    return NULL;
}

struct cli_text *cli_text_open(const struct cli_common *c)
{
    struct err e;
    struct cli_text *t = new_text(c);
    if (output_open(&t->out, c->output, true, &e) != 0)
        cli_die(e.status, "%s", e.text);
    t->tty = isatty(t->out.fd);
    begin_output();
    return t;
}

/* Writes bytes `from` to `to` of the buffer, and then `more`. */
static void text_put(struct cli_text *t, const char *more, size_t from, size_t to)
{
    size_t in = from >= t->used ? 0 : to < t->used ? to - from : t->used - from;
    struct iovec iov[2] = {{t->buffer + (in ? from : 0), in}, {NULL, to - from - in}};
    if (iov[1].iov_len)
        iov[1].iov_base = (void *)(more + (from + in - t->used));
    if (!t->error && output_writev(&t->out, iov, 2) != 0)
        t->error = errno ? errno : EIO;
}

/* Writes everything to a terminal, with control characters replaced. */
static void text_show(struct cli_text *t, const char *more, size_t n)
{
    char *tamed = n ? malloc(n) : NULL;
    utf8_tame(t->buffer, t->used, "\t\n");
    if (tamed)
        utf8_tame(memcpy(tamed, more, n), n, "\t\n");
    else if (n)
        t->error = ENOMEM;
    text_put(t, tamed, 0, t->used + n);
    free(tamed);
    t->used = 0;
}

/* Writes the complete pages of the buffer and `more`, and keeps the rest. If a writer is killed,
 * its text in a pipe ends where a page ends. Therefore no page ends where a line ends. A reader
 * then finds a truncated line and does not accept the text as complete. */
static void text_flush(struct cli_text *t, const char *more, size_t n)
{
    size_t total = t->used + n, done = 0, end = TEXT_PAGE;
    if (t->tty) {
        text_show(t, more, n);
        return;
    }
    for (; end <= total; end += TEXT_PAGE)
        if ((end <= t->used ? t->buffer[end - 1] : more[end - 1 - t->used]) == '\n') {
            text_put(t, more, done, --end);
            done = end;
        }
    end -= TEXT_PAGE;
    if (end > done)
        text_put(t, more, done, end);
    size_t in = end < t->used ? t->used - end : 0;
    if (in)
        memmove(t->buffer, t->buffer + end, in);
    t->used = total - end;
    if (t->used > in)
        memcpy(t->buffer + in, more + n - (t->used - in), t->used - in);
}

void cli_text_write(struct cli_text *t, const void *bytes, size_t n)
{
    if (n > TEXT_BUFFER - t->used) {
        text_flush(t, bytes, n);
        return;
    }
    memcpy(t->buffer + t->used, bytes, n);
    t->used += n;
}

int cli_text_keep(struct cli_text *t, uint64_t *bytes, struct err *e)
{
    if (!t->out.target)
        return 1;
    text_put(t, NULL, 0, t->used);
    t->used = 0;
    *bytes = t->out.written;
    if (t->error)
        return err_in(e, err_errno(t->error), t->name, 0, "cannot write: %s", strerror(t->error));
    return output_keep(&t->out, e);
}

void cli_text_printf(struct cli_text *t, const char *fmt, ...)
{
    va_list ap;
    char *line = NULL;
    va_start(ap, fmt);
    int n = vasprintf(&line, fmt, ap);
    va_end(ap);
    if (n < 0) {
        t->error = ENOMEM;
        return;
    }
    cli_text_write(t, line, (size_t)n);
    free(line);
}

int cli_text_close(struct cli_text *t, int status)
{
    cli_clear_line();
    struct err e;
    bool good = status == CLI_OK || status == CLI_NO;
    int capacity = portable_pipe_bytes(t->out.fd); /* -1: not a pipe */
    if (t->tty || t->out.written > 0 || (capacity >= 0 && (size_t)capacity < t->used))
        text_flush(t, NULL, 0);
    /* text that fits is written at once, so that `head`, which exits after a line, does not break
     * the pipe */
    text_put(t, NULL, 0, t->used);
    if (t->error && !t->out.target) { /* a reader must not accept the earlier text as complete */
        struct iovec end = {(void *)(uintptr_t) "\nERR cannot write\n", 18};
        (void)!output_writev(&t->out, &end, 1);
    }
    if (t->error)
        err_in(&e, err_errno(t->error), t->name, 0, "cannot write: %s", strerror(t->error));
    bool kept = output_close(&t->out, good && !t->error, t->error ? NULL : &e) == 0 && !t->error;
    kept &= end_output(good && kept, kept ? &e : NULL) == 0;
    if (!kept)
        cli_error("%s", e.text);
    if (good && !kept)
        status = e.status;
    free(t->buffer);
    free(t);
    return cli_log_status(status);
}
