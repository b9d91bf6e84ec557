/* SPDX-License-Identifier: MIT */
#include "cli/cli_log.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/portable.h"
#include "io/fdio.h"
#include "io/utf8.h"
#include "stream/frame_output.h"

#define COLUMNS                                                                                    \
    "tool\tversion\tstatus\tsteps\tbytes\tseconds\tpeak_"                                          \
    "KiB\tcontent\tstream\toutput\targs\tinput\n"

enum { LOG_HEAD = 5 }; /* length of "tool" and a tab in COLUMNS */

static struct {
    int fd, status;      /* status: recorded because some systems do not pass it to at_end() */
    bool wanted, warned; /* warned: the current line is written */
    const char *path, *tool, *version, *input, *output, *args;
    uint64_t steps, bytes;
    char content[33], stream[33];
    double started;
} state;

/* Writes a word without characters that would end a column or a line. */
static void put_word(FILE *f, const char *s)
{
    fputc('\t', f);
    for (; s && *s; s++)
        fputc((unsigned char)*s < ' ' || *s == 127 ? ' ' : *s, f);
}

/* Returns the line, or NULL if out of memory. In a new file, the column names precede it. */
static char *line(int status, bool fresh, size_t *n)
{
    char *text = NULL;
    struct rusage use;
    FILE *f = open_memstream(&text, n);
    if (!f)
        return NULL;
    getrusage(RUSAGE_SELF, &use);
    fprintf(f, "%s%s\t%s\t%d\t%" PRIu64 "\t%" PRIu64 "\t%.3f\t%ld\t%s\t%s", fresh ? COLUMNS : "",
            state.tool, state.version, status, state.steps, state.bytes, fdio_now() - state.started,
            use.ru_maxrss / PORTABLE_RSS_PER_KIB, state.content, state.stream);
    put_word(f, state.output);
    put_word(f, state.args);
    put_word(f, state.input);
    fputc('\n', f);
    return fclose(f) == 0 ? text : (free(text), NULL);
}

/* Writes everything to disk. A pipe without a reader and a file size limit are ordinary failures.
 * Returns 0, or -1 and sets errno. */
static int log_put(char *text, size_t n, bool fresh)
{
    struct output out = {.fd = state.fd};
    struct iovec iov = {text, n};
    struct sigaction was[2], ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, &was[0]);
    sigaction(SIGXFSZ, &ignore, &was[1]);
    int rc = output_writev(&out, &iov, 1), why = errno;
    sigaction(SIGPIPE, &was[0], NULL);
    sigaction(SIGXFSZ, &was[1], NULL);
    errno = why;
    return rc ? rc : output_on_disk(state.fd, fresh ? state.path : NULL);
}

int cli_log_line(int status)
{
    size_t n = 0;
    struct stat st;
    if (!state.wanted || state.warned)
        return 0;
    bool fresh = fstat(state.fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0;
    char *text = line(status, fresh, &n);
    bool good = text && log_put(text, n, fresh) == 0;
    if (!good) {
        int why = errno;
        char given[ERR_BYTES];
        snprintf(given, sizeof given, "%s: %.900s: cannot write: %s", state.tool, state.path,
                 strerror(why));
        utf8_tame(given, strlen(given), "");
        fprintf(stderr, "%s\n", given);
    }
    state.warned = true;
    state.started = fdio_now(); /* start of the next line */
    free(text);
    return good ? 0 : -1;
}

/* Treats a missing line as a failure, unless another failure was reported. */
static void at_end(int status, void *nothing)
{
    (void)nothing;
    if (cli_log_line(status) != 0 && status < ERR_BAD)
        _exit(ERR_MACHINE);
}

static void at_exit(void)
{
    at_end(state.status, NULL);
}

/* Returns true if a file is not a log, so that a line would damage it. */
static bool is_other(const char *path)
{
    char head[LOG_HEAD] = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    bool file = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    ssize_t n = file ? read(fd, head, sizeof head) : 0;
    if (fd >= 0)
        close(fd);
    return n > 0 && strncmp(head, COLUMNS, sizeof head) != 0;
}

int cli_log_open(const char *path, const char *tool, const char *version, const char *input,
                 const char *output, const char *args, struct err *e)
{
    if (is_other(path))
        return err_bad(
            e, "--log: %s: expected a new file or a log written by --log, found another file",
            path);
    state.fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (state.fd < 0 || portable_on_exit(at_end, at_exit))
        return err_set(e, ERR_MACHINE, "--log: %s: cannot open for writing: %s", path,
                       strerror(errno));
    state.path = path;
    state.tool = tool;
    state.version = version;
    state.input = input;
    state.output = output;
    state.args = args;
    state.wanted = true;
    state.started = fdio_now();
    return 0;
}

void cli_log_subject(const char *input, const char *output)
{
    state.warned = false;
    state.input = input;
    state.output = output;
    state.steps = state.bytes = 0;
    state.content[0] = state.stream[0] = '\0';
}

void cli_log_work(uint64_t steps, uint64_t bytes)
{
    state.steps = steps;
    state.bytes = bytes;
}

int cli_log_status(int status)
{
    if (!state.status)
        state.status = status;
    return status;
}

void cli_log_output(const struct frame_totals *t)
{
    frame_hex(t->content_hash, state.content);
    frame_hex(t->stream_hash, state.stream);
}
