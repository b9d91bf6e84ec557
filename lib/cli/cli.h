/* SPDX-License-Identifier: MIT */
/* cli.h: the command line of every tool. One table of options defines the parser, the text of
 * --help and the checks. No code of lib/ outside this folder prints messages or ends the program.
 * The exit statuses are 0 (success), 1 (streams differ, only for `compare`), 2 (wrong options or
 * bad input), 3 (system error) and 4 (not enough memory). See err.h for details. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "base/err.h"
#include "stream/frame.h"
#include "stream/window.h"

C_LINKAGE_BEGIN

#define CLI_VERSION "0.2.0"
enum cli_status { CLI_OK = 0, CLI_NO = 1, CLI_BAD = 2, CLI_MACHINE = 3, CLI_MEMORY = 4 };

enum cli_kind {
    CLI_FLAG,   /* dst points to a bool, which is set to true. */
    CLI_UINT,   /* dst points to a uint64_t that receives a whole number in [min, max]. */
    CLI_REAL,   /* dst points to a double that receives a finite number in [min, max]. */
    CLI_STRING, /* dst points to a const char * that receives a pointer into argv. */
    CLI_CHOICE, /* dst points to an int that receives an index into `choices`, which ends in
                 * NULL. */
    CLI_SIZE,   /* dst points to a uint64_t that receives a number of bytes. The text may end in K,
                 * M, G or T (powers of 1024). */
    /* The function parse(value, dst, e) parses the argument and returns 0 on success, or -1 with an
     * error message in e. If an optional argument is absent, `value` is NULL. The option may be
     * repeated. */
    CLI_CUSTOM
};

/* The tools that take a common option. */
enum cli_only { CLI_EVERY, CLI_READS_STEPS, CLI_WRITES_STEPS, CLI_WRITES_FRAMES };

struct cli_opt {
    char letter; /* 0: none */
    enum cli_only only;
    const char *name;
    const char *arg; /* Name of the argument in --help, or NULL for a flag. */
    enum cli_kind kind;
    void *dst;
    double min, max; /* Inclusive range for CLI_UINT and CLI_REAL. */
    const char *const *choices;
    int (*parse)(const char *value, void *dst, struct err *e);
    const char *help; /* Text for --help: a lower-case phrase without a full stop that ends in
                       * "(default: ...)". */
    const char *was;  /* Former name of the option, which is also accepted, or NULL. */
};
/* Defines one row of an option table. The first five fields are positional, and the kind is written
 * without CLI_. Name all further fields, as in CLI_OPT("lags", "N", UINT, &lags, "compute lags 0 to
 * N-1 (default: all)", .min = 1, .max = 1e12). */
#define CLI_OPT(name_, arg_, kind_, dst_, help_, ...)                                              \
    {                                                                                              \
        .name = name_, .arg = arg_, .kind = CLI_##kind_, .dst = dst_, .help = help_, __VA_ARGS__   \
    }

struct cli_tool {
    const char *name;
    const char *operands;             /* e.g. "[FILE...]" */
    const char *summary;              /* One or two sentences on the purpose of the tool. */
    const struct cli_opt *opts;       /* ends with .name == NULL */
    const char *examples;             /* whole lines */
    int min_operands, max_operands;   /* -1: any number */
    int words;                        /* Number of leading operands that are not file names. */
    const char *differs;              /* Meaning of exit status 1, for --help, or NULL. */
    bool writes_frames;               /* Whether the tool takes -z and --force. */
    const char *(*engine)(void);      /* NULL, or returns the name of the engine for --version. */
    const char *(*build_facts)(void); /* NULL, or returns one more line for --version. */
    bool writes_steps;                /* the tool takes --index */
    bool reads_steps;                 /* Whether the tool accepts the options --from and --to. */
    /* Returns true if the leading word is missing and `first` is an operand. If there are no
     * operands, `first` is NULL. The word ":" is then assumed. */
    bool (*wordless)(const char *first);
};
/* Members of struct cli_tool for a tool that reads one input and writes frames. */
#define CLI_INPUT_TOOL(name_)                                                                      \
    .name = name_, .operands = "[FILE]", .opts = opts, .max_operands = 1, .writes_frames = true

/* The values of the common options, and the operands of the tool. */
struct cli_common {
    const char *output, *log; /* log: argument of --log */
    bool quiet, verbose, force, index;
    bool last;            /* If a tool sets this flag, the output of cli_create appears after all
                           * other outputs. */
    bool allow_partial;   /* If a tool sets this flag, cli_open accepts an END frame that is marked
                           * as partial. */
    int threads;          /* Number of threads, from -t, or else from OMP_NUM_THREADS, or else the
                           * number of usable CPUs. */
    int compress;         /* 0: off */
    uint64_t max_mem;     /* Value of --max-mem in bytes, by default 80 % of the free memory. */
    struct window window; /* Range of --from and --to, for readers opened by cli_open(). */
    int noperands;
    char **operands; /* operands as given, where "-" means stdin */
    char **words;    /* The leading operands, which are not file names. */
    /* The options and the leading words as given, quoted for a shell, for provenance. File names
     * and the options -o, -t, -q, -v and --max-mem are omitted. */
    char *args;
    size_t args_len; /* length of `args` without the NUL */
};

/* Parses the whole command line. For --help and --version, prints the text and exits with status 0.
 * If an option is wrong, prints one line on stderr and exits with status 2. */
void cli_parse(const struct cli_tool *tool, int argc, char **argv, struct cli_common *c);

/* These functions parse a whole string as a number in the C locale and check its range. They return
 * 0 on success, or -1 with an error message in e. */
int cli_parse_real(const char *s, double min, double max, double *v, struct err *e);
int cli_parse_uint(const char *s, uint64_t min, uint64_t max, uint64_t *v, struct err *e);

/* After cli_keep_signals, a signal that asks the program to stop (SIGTERM, SIGINT or SIGHUP) is
 * only recorded. An ignored SIGHUP stays ignored. A second signal ends the program immediately. The
 * function cli_signal returns the recorded signal, or 0. The function cli_end_by ends the program
 * as if the signal `sig` had killed it. */
void cli_keep_signals(void);
int cli_signal(void);
void cli_end_by(int sig) __attribute__((noreturn));

/* Exits if writing to `path` would overwrite an input. Files are compared by device and inode. A
 * `path` of NULL or "-" means stdout. The function cli_parse checks the file of -o in this way, and
 * cli_create and cli_text_open check the files that they open. */
void cli_keep_inputs(const struct cli_common *c, const char *path);
/* Works like cli_keep_inputs for one input that is not an operand. If `input` is NULL, nothing is
 * checked. */
void cli_keep_input(const struct cli_common *c, const char *input, const char *path);

/* Exits if two of the n outputs are the same file or pipe, even under different names. A name of
 * NULL means no output, and "-" means stdout. */
void cli_separate(const char *const *names, size_t n);

/* If `unused` is true and option `name` was given, reports that the option has no effect and exits.
 * The message ends with the text `needs`, for example "without --self". */
void cli_unused(bool unused, const char *name, const char *needs);

/* These functions print "tool: message" on stderr. The option -q silences cli_warn and cli_note.
 * The function cli_note prints only with -v. */
void cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* If the value of an option in Å is below `min`, warns that the value is probably in nm. NaN means
 * that the option was not given. */
void cli_warn_nm(const char *option, double value, double min);
/* With -v, prints the time between frames in ps (NaN if unknown), the cell of a trajectory, and the
 * source of each value. */
void cli_where(double dt, const char *dt_from, const struct box *cell, const char *cell_from);
/* Prints a message with cli_error and exits. Call cli_die only before the output stream begins. */
void cli_die(int status, const char *fmt, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* Returns the name of the single input operand, or NULL for stdin. */
const char *cli_input(const struct cli_common *c);
/* The function cli_inputs returns the number of inputs, which is 1 without operands. The function
 * cli_input_at returns the name of input k, or NULL for stdin. */
int cli_inputs(const struct cli_common *c);
const char *cli_input_at(const struct cli_common *c, int k);

/* These functions call frame_open and frame_create with the common options. Both functions exit on
 * failure. */
struct frame_reader *cli_open(const struct cli_common *c, const char *path);
struct frame_writer *cli_create(const struct cli_common *c);

/* The function cli_resume calls frame_resume with the common options, and returns NULL with an
 * error message in e on failure. The function cli_no_part removes NAME.part with a warning, or
 * exits if a checkpoint refers to the file. */
struct frame_writer *cli_resume(const struct cli_common *c, const struct frame_mark *m,
                                const struct meta *like, enum frame_found *found, struct err *e);
void cli_no_part(const char *name, bool known);
/* Returns true if two names refer to the same file. A NULL name refers to no file. */
bool cli_same_output(const char *a, const char *b);

/* Warns that arrays of an unknown type are skipped. Readers opened with cli_open already warn about
 * arrays that may not be copied. Call this function if a tool also drops arrays that may be
 * copied. */
void cli_left_out(const char *name, const char *code);

/* Warns if a stream with several species has only one value of sigma. */
void cli_one_sigma(const struct frame_reader *in);

/* Every tool that writes frames ends with one of these functions. If a run has several outputs, all
 * files appear together after the last output is closed. If one output fails, no file appears. The
 * function cli_fail prints the message, writes an ERR frame if a segment is open, removes the
 * output and returns the status of e. The argument `in` is the reader in which the error occurred,
 * or NULL. The function cli_close closes w and returns 0, or 3 on failure. */
int cli_fail(struct frame_writer *w, const struct frame_reader *in, const struct err *e);
int cli_close(struct frame_writer *w);
/* The function cli_settle closes w without printing, and returns 0 on success, or -1 with an error
 * message in e. The function cli_drop closes and discards an output. */
int cli_settle(struct frame_writer *w, struct err *e);
void cli_drop(struct frame_writer *w);

/* A buffered text output, to the file of -o or to stdout. The function cli_text_open exits on
 * failure, and cli_text_close reports a failed write. The file appears under its name only if the
 * status is CLI_OK or CLI_NO. */
struct cli_text;
struct cli_text *cli_text_open(const struct cli_common *c);
void cli_text_printf(struct cli_text *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void cli_text_write(struct cli_text *t, const void *bytes, size_t n);
/* The function cli_text_keep ensures that the text written so far is on disk as NAME.part, and sets
 * *bytes to its length. Returns 0, 1 if the output is not a file, or -1 with an error message in e.
 * The function cli_text_resume continues the text after the given number of bytes, and returns NULL
 * with an error message in e on failure. */
int cli_text_keep(struct cli_text *t, uint64_t *bytes, struct err *e);
struct cli_text *cli_text_resume(const struct cli_common *c, uint64_t bytes, struct err *e);
/* Returns the exit status that was passed to this function. If the status was good but the output
 * failed, prints a message and returns 3. */
int cli_text_close(struct cli_text *t, int status);

/* Shows progress at most 5 times per second, if stderr is a terminal and -q is absent. If stderr is
 * not a terminal, -v prints a line per minute. A `total` of 0 means that the total is unknown. In a
 * pipeline, only the first program that can report progress shows it. Among programs that start
 * together, a program with a known total takes precedence. The function cli_summary prints the last
 * line of -v. The text `bound` names the operation that limits the speed, or is NULL. */
void cli_progress(uint64_t done, uint64_t total, const char *unit);
void cli_summary(uint64_t frames, uint64_t bytes, const char *bound);
/* After this call, messages, progress and the clock refer to `input`, one of several inputs. Each
 * of several inputs gets its output even if an earlier input failed. Pass NULL after the last
 * input. */
void cli_subject(const char *input);
double cli_seconds(void); /* seconds since the start */

C_LINKAGE_END
