/* SPDX-License-Identifier: MIT */
/*
 * cli.h: the command line of every tool. One option table defines the parser, --help and the
 * checks.
 *
 * Only this part of lib/ prints or exits. The exit statuses are 0 (success), 1 (streams differ,
 * compare only), 2 (wrong options or bad input), 3 (system error) and 4 (not enough memory); see
 * err.h.
 */
#ifndef MBF_CLI_H
#define MBF_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "base/err.h"
#include "stream/frame.h"
#include "stream/window.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CLI_VERSION "0.2.0"
enum cli_status { CLI_OK = 0, CLI_NO = 1, CLI_BAD = 2, CLI_MACHINE = 3, CLI_MEMORY = 4 };

enum cli_kind {
    CLI_FLAG,   /* bool *: set to true */
    CLI_UINT,   /* uint64_t *: whole number in [min, max] */
    CLI_REAL,   /* double *: finite number in [min, max] */
    CLI_STRING, /* const char **: points into argv */
    CLI_CHOICE, /* int *: index into the NULL-terminated choices */
    CLI_SIZE,   /* uint64_t *: number of bytes, with suffix K M G T (powers of 1024) */
    CLI_CUSTOM  /* parse(value, dst, e) returns 0, or -1 and sets e; value is NULL if arg is in
                   brackets and no value was given; repeatable */
};

struct cli_opt {
    char letter; /* 0: none */
    const char *name;
    const char *arg; /* name of the argument in --help; NULL for a flag */
    enum cli_kind kind;
    void *dst;
    double min, max; /* CLI_UINT, CLI_REAL: inclusive range */
    const char *const *choices;
    int (*parse)(const char *value, void *dst, struct err *e);
    const char *help; /* a phrase in lower case, no full stop, ending "(default: ...)" */
    const char *was;  /* former name, accepted like name, or NULL */
};
/* Defines one row of an option table. The first five fields are positional, the kind without CLI_;
 * others are named, for example CLI_OPT("lags", "N", UINT, &lags, "compute lags 0 to N-1 (default:
 * all)", .min = 1, .max = 1e12). */
#define CLI_OPT(name_, arg_, kind_, dst_, help_, ...)                                              \
    {                                                                                              \
        .name = name_, .arg = arg_, .kind = CLI_##kind_, .dst = dst_, .help = help_, __VA_ARGS__   \
    }

struct cli_tool {
    const char *name;
    const char *operands;                /* e.g. "[FILE...]" */
    const char *summary;                 /* one or two sentences on what the tool does */
    const struct cli_opt *opts;          /* ends with .name == NULL */
    const char *examples;                /* whole lines */
    int min_operands, max_operands;      /* -1: any number */
    int words;                           /* number of leading operands that are not file names */
    bool writes_frames;                  /* the tool takes -z and --force */
    const char *(*engine)(void);         /* name of the engine for --version, or NULL */
    const char *(*build_facts)(void);    /* one more line for --version, or NULL */
    bool writes_steps;                   /* the tool takes --index */
    bool reads_steps;                    /* the tool takes --from and --to */
    bool (*wordless)(const char *first); /* true if the leading word may be missing before
                                            operand `first` (or NULL); it is then ":" */
};

/* Values of the options that every tool takes, and the operands. */
struct cli_common {
    const char *output, *log; /* log: argument of --log */
    bool quiet, verbose, force, index;
    bool last;            /* set by a tool: cli_create publishes this output after all others */
    bool allow_partial;   /* set by a tool: cli_open accepts an END marked partial */
    int threads;          /* value of -t, else OMP_NUM_THREADS, else the number of CPUs in the
                             affinity mask */
    int compress;         /* 0: off */
    uint64_t max_mem;     /* bytes: --max-mem, else 80 % of the free memory */
    struct window window; /* --from and --to: the steps that readers opened with cli_open return */
    int noperands;
    char **operands; /* operands as given; "-" means stdin */
    char **words;    /* leading operands that are not file names */
    char *args;      /* options as given and words, shell-quoted, for provenance (without -o, -t,
                        -q, -v, --max-mem and file names) */
    size_t args_len; /* length of args without its NUL */
};

/* Parses the whole command line. Answers --help and --version and exits with 0; an error prints one
 * line on stderr and exits with 2. */
void cli_parse(const struct cli_tool *tool, int argc, char **argv, struct cli_common *c);

/* Parse a whole string as a number and check its range, in the C locale. Return 0, or -1 and set
 * e. */
int cli_parse_real(const char *s, double min, double max, double *v, struct err *e);
int cli_parse_uint(const char *s, uint64_t min, uint64_t max, uint64_t *v, struct err *e);

/* cli_keep_signals makes the signals that ask a program to stop (SIGTERM, SIGINT and, unless
 * ignored, SIGHUP) only be recorded; a second one ends the program at once. cli_signal returns the
 * recorded signal, or 0. cli_end_by ends the program as signal sig would have done. */
void cli_keep_signals(void);
int cli_signal(void);
void cli_end_by(int sig) __attribute__((noreturn));

/* Exits if writing to path (NULL or "-": stdout) would overwrite an input, compared by device and
 * inode. cli_parse calls this function for -o; cli_create and cli_text_open call it for the files
 * they open. */
void cli_keep_inputs(const struct cli_common *c, const char *path);
/* As cli_keep_inputs, for an input that is not an operand (NULL: none). */
void cli_keep_input(const struct cli_common *c, const char *input, const char *path);

/* Exits if two of the n outputs (NULL: none, "-": stdout) are the same file or pipe, however their
 * names are spelled. */
void cli_apart(const char *const *names, size_t n);

/* Exits if option `name` was given and `unused` is true, with the message that the option has no
 * effect. `needs` completes that sentence, for example "without --self". */
void cli_unused(bool unused, const char *name, const char *needs);

/* Print "tool: message" on stderr. cli_warn and cli_note are silent with -q; cli_note prints only
 * with -v. */
void cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Warns that the value of an option, a length in Å, is probably in nm if it is below `least`. NaN
 * means that the option was not given. */
void cli_warn_nm(const char *option, double value, double least);
/* Prints, with -v, the time between frames (ps; NaN: unknown), the cell of a trajectory, and the
 * source of both. */
void cli_where(double dt, const char *dt_from, const struct box *cell, const char *cell_from);
/* Prints a message as cli_error and exits; may be called only before the output stream begins. */
void cli_die(int status, const char *fmt, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* Returns the name of the single input operand, or NULL for stdin. */
const char *cli_input(const struct cli_common *c);
/* cli_inputs returns the number of inputs, which is 1 without operands. cli_input_at returns the
 * name of input k, or NULL for stdin. */
int cli_inputs(const struct cli_common *c);
const char *cli_input_at(const struct cli_common *c, int k);

/* Call frame_open and frame_create with the common options; both exit on failure. */
struct frame_reader *cli_open(const struct cli_common *c, const char *path);
struct frame_writer *cli_create(const struct cli_common *c);

/* cli_resume calls frame_resume with the common options; it returns NULL and sets e on failure.
 * cli_no_part removes NAME.part with a warning, or exits if a checkpoint knows the file. */
struct frame_writer *cli_resume(const struct cli_common *c, const struct frame_mark *m,
                                const struct meta *like, enum frame_found *found, struct err *e);
void cli_no_part(const char *name, bool known);
/* Returns true if two names refer to the same file (NULL: no file). */
bool cli_same_output(const char *a, const char *b);

/* Warns that arrays of an unknown type are skipped. Readers opened with cli_open warn about arrays
 * that may not be copied; a tool that also drops copy-safe arrays calls this function. */
void cli_left_out(const char *name, const char *code);

/* Warns if positions of several species are all treated with one sigma. */
void cli_one_sigma(const struct frame_reader *in);

/* These functions end every tool that writes frames. If a run has several outputs, none appears
 * before the last one is closed, and none at all if one of them failed. cli_fail prints the
 * message, writes an ERR frame if a segment is open, removes the output and returns the status of
 * e. `in` is the reader whose error is passed on, or NULL. cli_close closes w and returns 0, or 3
 * if that fails. */
int cli_fail(struct frame_writer *w, const struct frame_reader *in, const struct err *e);
int cli_close(struct frame_writer *w);
/* cli_settle closes w without printing; it returns 0, or -1 and sets e. cli_drop closes an output
 * that is not to appear. */
int cli_settle(struct frame_writer *w, struct err *e);
void cli_drop(struct frame_writer *w);

/* A buffered text output (-o or stdout). cli_text_open exits on failure; a failed write is reported
 * by cli_text_close. A file appears under its name only if the status is CLI_OK or CLI_NO. */
struct cli_text;
struct cli_text *cli_text_open(const struct cli_common *c);
void cli_text_printf(struct cli_text *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void cli_text_write(struct cli_text *t, const void *bytes, size_t n);
/* cli_text_keep makes sure that the text written so far is on disk as NAME.part and sets *bytes to
 * its length. It returns 0, 1 if the output is not a file, or -1 and sets e. cli_text_resume
 * continues after that many bytes; it returns NULL and sets e on failure. */
int cli_text_keep(struct cli_text *t, uint64_t *bytes, struct err *e);
struct cli_text *cli_text_resume(const struct cli_common *c, uint64_t bytes, struct err *e);
/* Returns the given exit status, or prints a message and returns 3 if the status was good and the
 * output failed. */
int cli_text_close(struct cli_text *t, int status);

/* Shows progress on stderr if that is a terminal and -q is absent, at most 5 times per second. A
 * total of 0 means unknown. Only one program of a pipe shows progress: the first that has some to
 * show, and among programs that start together one that knows its total. cli_summary prints the
 * last line of -v; `bound` names what limited the speed, or is NULL. */
void cli_progress(uint64_t done, uint64_t total, const char *unit);
void cli_summary(uint64_t frames, uint64_t bytes, const char *bound);
/* Makes messages, progress and its clock refer to one of several inputs; earlier failures do not
 * suppress the output of this input. NULL ends this. */
void cli_subject(const char *input);
double cli_seconds(void); /* seconds since the start of the program */

#ifdef __cplusplus
}
#endif
#endif
