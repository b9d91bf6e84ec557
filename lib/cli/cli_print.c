/* SPDX-License-Identifier: MIT */
#include "cli/cli_print.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/units.h"
#include "cli/cli.h"
#include "cli/cli_help.h"
#include "cli/cli_log.h"
#include "io/fdio.h"
#include "io/utf8.h"

const char *cli_name = "mbf", *cli_shown = "mbf";
static bool is_quiet, is_verbose;
static double started;
static bool progress_shown;
static const char *subject; /* name of the current input if there are several */
static double since;        /* time when that input began */

double cli_seconds(void)
{
    return fdio_now() - started;
}

/* Opens descriptors 0 to 2 if they are closed, so that no data file gets one of these numbers and
 * then receives messages. Reading from them and writing to them fails. */
static void fill_descriptors(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
            int got = open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
            if (got != fd && got >= 0)
                close(got);
        }
}

/* FFTW aborts if a small allocation fails. Reports this as out of memory. */
static void on_abort(int sig)
{
    static const char what[] = ": probably out of memory: a library aborted\n";
    (void)sig;
    frame_remove_unfinished();
    (void)!write(2, cli_name, strlen(cli_name));
    (void)!write(2, what, sizeof what - 1);
    _exit(CLI_MEMORY);
}

/* Removes unfinished files, then ends the program as if the signal had killed it. */
static void on_signal(int sig)
{
    frame_remove_unfinished();
    signal(sig, SIG_DFL);
    raise(sig);
}

/* Signals that end a program by default. The first signals in the list ask the program to stop. */
enum { ASKING = 3, FATAL = 11 };
static const int fatal[FATAL] = {SIGHUP,  SIGINT,  SIGTERM, SIGPIPE, SIGQUIT,  SIGXCPU,
                                 SIGXFSZ, SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM};
static volatile sig_atomic_t kept_signal;

static void keep_signal(int sig)
{
    if (kept_signal)
        on_signal(sig);
    kept_signal = sig;
}

void cli_keep_signals(void)
{
    for (int k = 0; k < ASKING; k++) {
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
    cli_name = tool;
    cli_shown = shown;
    started = fdio_now();
    fill_descriptors();
    signal(SIGABRT, on_abort);
    for (int k = 0; k < FATAL; k++) {
        struct sigaction old;
        struct sigaction now = {.sa_handler = on_signal};
        if (sigaction(fatal[k], NULL, &old) == 0 &&
            old.sa_handler == SIG_DFL) /* keep an ignored SIGHUP (nohup) */
            sigaction(fatal[k], &now, NULL);
    }
}

/* ---- messages */

void cli_loudness(bool quiet, bool verbose)
{
    is_quiet = quiet;
    is_verbose = verbose;
}

/* Tries to lock the progress line, which the programs of a terminal share. */
static bool hold_line(void)
{
    static int line = -2;
    if (line == -2)
        line = open("/proc/self/fd/2", O_RDONLY | O_NOCTTY | O_CLOEXEC);
    return line < 0 || flock(line, LOCK_EX | LOCK_NB) == 0;
}

void cli_clear_line(void)
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
    if (at && strncmp(text, text + at, (size_t)at) == 0) /* the prefix is already there */
        memmove(text, text + at, strlen(text + at) + 1);
    utf8_tame(text, strlen(text), "\t");
    cli_clear_line();
    char named[sizeof text + 256];
    cli_name_all(text, false, named, sizeof named);
    fprintf(stderr, "%s: %s%s\n", cli_shown, kind, named);
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

static const char *marked[64]; /* names of the options that were given */

void cli_mark(const char *name)
{
    size_t n = 0;
    while (n < sizeof marked / sizeof *marked - 1 && marked[n] && marked[n] != name)
        n++;
    marked[n] = name;
}

void cli_unused(bool unused, const char *name, const char *needs)
{
    for (size_t n = 0; unused && n < sizeof marked / sizeof *marked && marked[n]; n++)
        if (strcmp(marked[n], name) == 0)
            cli_die(CLI_BAD, "--%s has no effect %s", name, needs);
}

void cli_warn_nm(const char *option, double value, double min)
{
    if (value < min)
        cli_warn(UNITS_NM, option, value, 10.0 * value);
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
    frame_remove_unfinished(); /* another output may be open */
    exit(cli_log_status(status));
}

void cli_progress(uint64_t done, uint64_t total, const char *unit)
{
    static double next = 1.0; /* no progress in the first second */
    double t = cli_seconds();
    if (is_quiet || t < next)
        return;
    bool terminal = isatty(2);
    if (terminal ? t < 2.0 && !total : !is_verbose || t < 60.0)
        return;
    next = t + (terminal ? 0.2 : 60.0);
    if (!hold_line())
        return;
    double rate = (double)done / (t - since);
    char name[256];
    snprintf(name, sizeof name, "%s%s", subject ? subject : "", subject ? ": " : "");
    utf8_tame(name, strlen(name), "");
    fprintf(stderr, "%s%s: %s%llu", terminal ? "\r\033[K" : "", cli_shown, name,
            (unsigned long long)done);
    if (total)
        fprintf(stderr, " of %llu", (unsigned long long)total);
    fprintf(stderr, " %s, %.4g/s", unit, rate);
    if (total > done && rate > 0)
        fprintf(stderr, ", %.0f s to go", (double)(total - done) / rate);
    if (!terminal)
        fputc('\n', stderr);
    progress_shown = terminal;
}

void cli_summary(uint64_t frames, uint64_t bytes, const char *bound)
{
    double t = cli_seconds() - since;
    cli_log_work(frames, bytes);
    cli_note("%llu frames, %llu bytes, %.3f s, %.3f GB/s%s%s", (unsigned long long)frames,
             (unsigned long long)bytes, t, t > 0 ? 1e-9 * (double)bytes / t : 0.0,
             bound ? ", bound by " : "", bound ? bound : "");
}

void cli_about(const char *input)
{
    subject = input;
    since = input ? cli_seconds() : 0.0;
}
