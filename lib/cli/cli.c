/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/cli_help.h"
#include "cli/cli_log.h"
#include "stream/frame_index.h"
#include "stream/frame_output.h"

static const char *tool_name = "mbf", *shown_name = "mbf";
static bool is_quiet, is_verbose;
static struct timespec started;
static bool progress_shown;
static const char *subject; /* of several inputs: the one at work */
static double since;        /* when that began */

double cli_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - started.tv_sec) + 1e-9 * (double)(now.tv_nsec - started.tv_nsec);
}

/*
 * A program started with descriptor 0, 1 or 2 closed would get its data files under those numbers,
 * and messages would land in them. Fill the holes so that reading and writing there fail as they
 * should.
 */
static void fill_descriptors(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
            int got = open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
            if (got != fd && got >= 0)
                close(got);
        }
}

/* FFTW believes that its small allocations succeed, and aborts where they do not: by status, that is
 * memory. */
static void on_abort(int sig)
{
    static const char what[] = ": out of memory, most likely: a library gave up\n";
    (void)sig;
    frame_remove_unfinished();
    (void)!write(2, tool_name, strlen(tool_name));
    (void)!write(2, what, sizeof what - 1);
    _exit(CLI_MEMORY);
}

/* Ctrl-C leaves no unfinished file behind, and ends the program as it would have ended without us.
 */
static void on_signal(int sig)
{
    frame_remove_unfinished();
    signal(sig, SIG_DFL);
    raise(sig);
}

static const int fatal[] = {SIGHUP, SIGINT, SIGTERM};
static volatile sig_atomic_t kept_signal;

static void keep_signal(int sig)
{
    if (kept_signal)
        on_signal(sig);
    kept_signal = sig;
}

void cli_keep_signals(void)
{
    for (int k = 0; k < 3; k++) {
        struct sigaction old, now = {.sa_handler = keep_signal, .sa_flags = SA_RESTART};
        if (sigaction(fatal[k], NULL, &old) == 0 && old.sa_handler == on_signal)
            sigaction(fatal[k], &now, NULL);
    }
}

int cli_signal(void)
{
    return kept_signal;
}

void cli_end_by(int sig)
{
    signal(sig, SIG_DFL);
    raise(sig);
    _exit(128 + sig);
}

void cli_start(const char *tool, const char *shown)
{
    tool_name = tool;
    shown_name = shown;
    clock_gettime(CLOCK_MONOTONIC, &started);
    fill_descriptors();
    signal(SIGABRT, on_abort);
    for (int k = 0; k < 3; k++) {
        struct sigaction old;
        struct sigaction now = {.sa_handler = on_signal};
        if (sigaction(fatal[k], NULL, &old) == 0 &&
            old.sa_handler == SIG_DFL) /* nohup stays nohup */
            sigaction(fatal[k], &now, NULL);
    }
}

/* ---- messages */

void cli_loudness(bool quiet, bool verbose)
{
    is_quiet = quiet;
    is_verbose = verbose;
}

/* The line of progress is one for all programs of a terminal: whoever holds its lock shows it. */
static bool hold_line(void)
{
    static int line = -2;
    if (line == -2)
        line = open("/proc/self/fd/2", O_RDONLY | O_NOCTTY | O_CLOEXEC);
    return line < 0 || flock(line, LOCK_EX | LOCK_NB) == 0;
}

static void clear_progress(void)
{
    if (progress_shown || (isatty(2) && !hold_line()))
        fputs("\r\033[K", stderr);
    progress_shown = false;
}

static void message(const char *kind, const char *fmt, va_list ap)
{
    char text[4096];
    int at = 0;
    if (subject)
        at = snprintf(text, sizeof text, "%.1000s: ", subject);
    vsnprintf(text + at, sizeof text - (size_t)at, fmt, ap);
    if (at && strncmp(text, text + at, (size_t)at) == 0) /* it is said already */
        memmove(text, text + at, strlen(text + at) + 1);
    utf8_tame(text, strlen(text), "\t");
    clear_progress();
    char named[sizeof text + 256];
    cli_name_all(text, false, named, sizeof named);
    fprintf(stderr, "%s: %s%s\n", shown_name, kind, named);
}

void cli_error(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    message("", fmt, ap);
    va_end(ap);
}

void cli_warn(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (!is_quiet)
        message("warning: ", fmt, ap);
    va_end(ap);
}

void cli_note(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (is_verbose)
        message("", fmt, ap);
    va_end(ap);
}

void cli_warn_nm(const char *option, double value, double least)
{
    if (value < least)
        cli_warn("%s %g is in Å: is it meant in nm? (%g Å then)", option, value, 10.0 * value);
}

void cli_where(double dt, const char *dt_from, const struct box *cell, const char *cell_from)
{
    const double(*h)[3] = cell->h;
    char ps[40] = "";
    if (!isnan(dt))
        snprintf(ps, sizeof ps, "%.9g ps ", dt);
    cli_note("dt %s(%s)", ps, dt_from);
    if (box_volume(cell) > 0.0)
        cli_note("cell %.9g %.9g %.9g  %.9g %.9g %.9g  %.9g %.9g %.9g A (%s)", h[0][0], h[0][1],
                 h[0][2], h[1][0], h[1][1], h[1][2], h[2][0], h[2][1], h[2][2], cell_from);
    else
        cli_note("cell none (%s)", cell_from);
}

void cli_die(int status, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    message("", fmt, ap);
    va_end(ap);
    frame_remove_unfinished(); /* another output may have been begun */
    exit(status);
}

void cli_progress(uint64_t done, uint64_t total, const char *unit)
{
    static double next = 1.0; /* nothing in the first second */
    double t = cli_seconds();
    if (is_quiet || t < next || (t < 2.0 && !total) || !isatty(2))
        return;
    next = t + 0.2;
    if (!hold_line())
        return;
    double rate = (double)done / (t - since);
    char name[256];
    snprintf(name, sizeof name, "%s%s", subject ? subject : "", subject ? ": " : "");
    utf8_tame(name, strlen(name), "");
    fprintf(stderr, "\r\033[K%s: %s%llu", shown_name, name, (unsigned long long)done);
    if (total)
        fprintf(stderr, " of %llu", (unsigned long long)total);
    fprintf(stderr, " %s, %.4g/s", unit, rate);
    if (total > done && rate > 0)
        fprintf(stderr, ", %.0f s to go", (double)(total - done) / rate);
    progress_shown = true;
}

void cli_summary(uint64_t frames, uint64_t bytes, const char *bound)
{
    double t = cli_seconds() - since;
    cli_log_work(frames, bytes);
    cli_note("%llu frames, %llu bytes, %.3f s, %.3f GB/s%s%s", (unsigned long long)frames,
             (unsigned long long)bytes, t, t > 0 ? 1e-9 * (double)bytes / t : 0.0,
             bound ? ", bound by " : "", bound ? bound : "");
}

/* ---- outputs: with several of one input, none appears before the last is closed */

static int outputs; /* begun, not closed */
static bool lost;   /* one failed */

void cli_subject(const char *input)
{
    subject = input;
    since = input ? cli_seconds() : 0.0;
    lost = false;
}

static void begin_output(void)
{
    if (++outputs > 1)
        output_together();
}

/* One is closed, good or not. 0, or -1 with e: it was good, but they could not appear. */
static int end_output(bool good, struct err *e)
{
    outputs--;
    lost |= !good;
    return outputs > 0 && !lost ? 0 : output_publish(!lost, e);
}

/* ---- frame streams */

const char *cli_input(const struct cli_common *c)
{
    return c->noperands > 0 && strcmp(c->operands[0], "-") != 0 ? c->operands[0] : NULL;
}

void cli_left_out(const char *name, const char *code)
{
    cli_warn("%s: leaving out arrays of unknown type %s", name, code);
}

struct frame_reader *cli_open(const struct cli_common *c, const char *path)
{
    struct frame_reader_opts o = {.max_mem = c->max_mem,
                                  .threads = c->threads,
                                  .allow_partial = c->allow_partial,
                                  .left_out = cli_left_out};
    if (!path && isatty(0))
        cli_die(CLI_BAD, "stdin is a terminal: expected a frame stream (see %s --help)",
                shown_name);
    struct frame_reader *r = frame_open(path, &o);
    if (!r)
        cli_die(CLI_MEMORY, "out of memory");
    return r;
}

void cli_one_sigma(const struct frame_reader *in)
{
    enum { MOST = 255 };
    static char names[MOST][16];
    char list[200] = "";
    const struct meta *m = frame_meta(in);
    unsigned long long natoms = 0;
    const char *what = meta_get(m, "data.quantity");
    if (!what || strcmp(what, "positions") != 0 || meta_get_u64(m, "sys.natoms", &natoms) != 1)
        return;
    unsigned char *species = natoms < SIZE_MAX ? malloc(natoms) : NULL;
    int n = species ? meta_species(m, natoms, species, names, MOST, NULL) : 0;
    free(species);
    for (int k = 0; k < n; k++) {
        size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%.15s", k ? ", " : "", k < 8 ? names[k] : "...");
        if (k == 8)
            break;
    }
    if (n > 1)
        cli_warn("%s: %d species (%s) and one sigma: beta takes all pairs alike", frame_name(in), n,
                 list);
}

static bool same_file(const struct stat *out, const char *path)
{
    struct stat in;
    bool is_stdin = strcmp(path, "-") == 0;
    return (is_stdin ? fstat(0, &in) : stat(path, &in)) == 0 && in.st_dev == out->st_dev &&
           in.st_ino == out->st_ino;
}

void cli_keep_inputs(const struct cli_common *c, const char *path)
{
    struct stat out;
    bool to_stdout = !path || strcmp(path, "-") == 0;
    if ((to_stdout ? fstat(1, &out) : stat(path, &out)) != 0 || !S_ISREG(out.st_mode))
        return;
    for (int k = 0; k <= c->noperands; k++) { /* stdin is last: few tools leave it alone */
        const char *in = k < c->noperands ? c->operands[k] : "-";
        if (same_file(&out, in))
            cli_die(CLI_BAD, "%s: input and output are the same file",
                    strcmp(in, "-") ? in : "stdin");
    }
}

/* The file that is there, or the folder and the name that it will have in it. */
static bool same_output(const char *a, const char *b)
{
    struct stat sa, sb;
    bool is_a = stat(a, &sa) == 0, is_b = stat(b, &sb) == 0;
    if (is_a || is_b)
        return is_a && is_b && S_ISREG(sa.st_mode) && sa.st_dev == sb.st_dev &&
               sa.st_ino == sb.st_ino;
    const char *na = strrchr(a, '/'), *nb = strrchr(b, '/');
    char *fa = na ? strndup(a, (size_t)(na - a) + 1) : strdup("."),
         *fb = nb ? strndup(b, (size_t)(nb - b) + 1) : strdup(".");
    bool same = fa && fb && strcmp(na ? na + 1 : a, nb ? nb + 1 : b) == 0 && stat(fa, &sa) == 0 &&
                stat(fb, &sb) == 0 && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
    free(fa);
    free(fb);
    return same;
}

void cli_apart(const char *const *names, size_t n)
{
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < k; j++)
            if (names[k] && names[j] &&
                (strcmp(names[k], names[j]) == 0 || same_output(names[k], names[j])))
                cli_die(CLI_BAD, "two outputs name the same file: %s and %s", names[j], names[k]);
}

struct frame_writer *cli_create(const struct cli_common *c)
{
    struct err e;
    cli_keep_inputs(c, c->output);
    struct frame_writer_opts o = {.tool = tool_name,
                                  .compress = c->compress,
                                  .threads = c->threads,
                                  .force = c->force,
                                  .index = c->index,
                                  .max_mem = c->max_mem};
    if (c->index && !c->output)
        cli_die(CLI_BAD, "--index goes with -o FILE: it is written beside it");
    struct frame_writer *w = frame_create(c->output, &o, &e);
    if (!w)
        cli_die(e.status, "%s", e.text);
    if (c->index && frame_is_live(w))
        cli_die(CLI_BAD, "--index: %s is no regular file", c->output);
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
    struct err none = {ERR_MEMORY, "out of memory"}; /* a NULL that had no words */
    e = e->status ? e : &none;
    int status = e->status; /* e may be w's own */
    cli_error("%s", e->text);
    if (w)
        (void)frame_fail(w, e, in ? frame_received(in) : NULL);
    cli_drop(w);
    return status;
}

/* Closes w, and writes its index where it kept one. */
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
    clear_progress();
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
    return e.status;
}

/* ---- text output */

/* TEXT_PAGE, POSIX's PIPE_BUF: so much goes into a pipe whole or not at all */
enum { TEXT_BUFFER = 1 << 18, TEXT_PAGE = 4096 };

struct cli_text {
    struct output out;
    const char *name;
    char *buffer;
    size_t used;
    int error; /* errno of the first failure */
    bool tty;  /* what it would obey is not sent */
};

struct cli_text *cli_text_open(const struct cli_common *c)
{
    struct err e;
    cli_keep_inputs(c, c->output);
    struct cli_text *t = calloc(1, sizeof *t);
    if (t)
        t->buffer = malloc(TEXT_BUFFER);
    if (!t || !t->buffer)
        cli_die(CLI_MEMORY, "out of memory");
    t->name = c->output && strcmp(c->output, "-") != 0 ? c->output : "stdout";
    if (output_open(&t->out, c->output, true, &e) != 0)
        cli_die(e.status, "%s", e.text);
    t->tty = isatty(t->out.fd);
    begin_output();
    return t;
}

/* Bytes from..to of the buffer and of `more` behind it. */
static void text_put(struct cli_text *t, const char *more, size_t from, size_t to)
{
    size_t in = from >= t->used ? 0 : to < t->used ? to - from : t->used - from;
    struct iovec iov[2] = {{t->buffer + (in ? from : 0), in}, {NULL, to - from - in}};
    if (iov[1].iov_len)
        iov[1].iov_base = (void *)(more + (from + in - t->used));
    if (!t->error && output_writev(&t->out, iov, 2) != 0)
        t->error = errno ? errno : EIO;
}

/* A terminal gets everything, but what it would obey. */
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

/*
 * The whole pages of the buffer and of `more`; less than one stays behind. What a writer that is
 * killed was writing into a pipe ends with a page, so no page ends a line: a reader gets a text cut
 * within one, and does not take it for all.
 */
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

void cli_text_printf(struct cli_text *t, const char *fmt, ...)
{
    va_list ap;
    char line[4096], *big = NULL;
    va_start(ap, fmt);
    int n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (n >= (int)sizeof line) {
        va_start(ap, fmt);
        n = vasprintf(&big, fmt, ap);
        va_end(ap);
    }
    if (n < 0)
        t->error = ENOMEM;
    else
        cli_text_write(t, big ? big : line, (size_t)n);
    free(big);
}

int cli_text_close(struct cli_text *t, int status)
{
    clear_progress();
    struct err e;
    bool good = status == CLI_OK || status == CLI_NO;
    int room = fcntl(t->out.fd, F_GETPIPE_SZ); /* -1: no pipe */
    if (t->tty || t->out.written > 0 || (room >= 0 && (size_t)room < t->used))
        text_flush(t, NULL, 0);
    /* what fits is one write: head that goes after a line breaks no pipe */
    text_put(t, NULL, 0, t->used);
    if (t->error && !t->out.target) { /* who reads it must not take what came before for all */
        struct iovec end = {(void *)(uintptr_t) "\nERR cannot write\n", 18};
        (void)!output_writev(&t->out, &end, 1);
    }
    if (t->error)
        err_set(&e, err_errno(t->error), "%s: cannot write: %s", t->name, strerror(t->error));
    bool kept = output_close(&t->out, good && !t->error, t->error ? NULL : &e) == 0 && !t->error;
    kept &= end_output(good && kept, kept ? &e : NULL) == 0;
    if (!kept)
        cli_error("%s", e.text);
    if (good && !kept)
        status = e.status;
    free(t->buffer);
    free(t);
    return status;
}
