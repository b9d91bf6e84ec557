/* SPDX-License-Identifier: MIT */
/* cli.h: handles the command line of every tool. One table of options per tool defines the parser,
 * the text of --help and the checks. No code of lib/ outside the directory lib/cli prints messages
 * or ends the program. The exit status is 0 for success, 2 for wrong options or bad input, 3 for a
 * system error, and 4 if memory runs out. The program `compare` also uses the exit status 1, if the
 * streams differ. See err.h for details. */
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
    CLI_FLAG,   /* The member dst points to a bool, which is set to true. */
    CLI_UINT,   /* The member dst points to a uint64_t that receives a whole number in [min,
                 * max]. */
    CLI_REAL,   /* The member dst points to a double that receives a finite number in [min, max]. */
    CLI_STRING, /* The member dst points to a const char * that receives a pointer into argv. */
    CLI_CHOICE, /* The member dst points to an int that receives an index into `choices`, a list
                 * that ends in NULL. */
    CLI_SIZE,   /* The member dst points to a uint64_t that receives a number of bytes. The number
                 * of bytes may end in K, M, G or T (powers of 1024). */
    /* The function parse(value, dst, e) parses the argument and returns 0 on success, or -1 with an
     * error message in e. If an optional argument is absent, its value is NULL. The option may be
     * given several times. */
    CLI_CUSTOM
};

/* The groups of tools that have a common option. */
enum cli_only { CLI_EVERY, CLI_READS_STEPS, CLI_WRITES_STEPS, CLI_WRITES_FRAMES };

struct cli_opt {
    char letter; /* 0: none */
    enum cli_only only;
    const char *name;
    const char *arg; /* Name of the argument in --help, or NULL for a flag. */
    enum cli_kind kind;
    void *dst;
    double min, max; /* Inclusive range of the number for CLI_UINT and CLI_REAL. */
    const char *const *choices;
    int (*parse)(const char *value, void *dst, struct err *e);
    const char *help; /* Text for --help: a phrase in lower case, without a full stop, that ends in
                       * "(default: ...)". */
    const char *was;  /* Former name of the option, which is still accepted, or NULL. */
};
/* Defines one row of an option table. The first five fields are positional. The kind is written
 * without its prefix CLI_. All further fields must be named, as in CLI_OPT("lags", "N", UINT,
 * &lags, "compute lags 0 to N-1 (default: all)", .min = 1, .max = 1e12). */
#define CLI_OPT(name_, arg_, kind_, dst_, help_, ...)                                              \
    {                                                                                              \
        .name = name_, .arg = arg_, .kind = CLI_##kind_, .dst = dst_, .help = help_, __VA_ARGS__   \
    }

struct cli_tool {
    const char *name;
    const char *operands;             /* e.g. "[FILE...]" */
    const char *summary;              /* Purpose of the tool, in one or two sentences. */
    const struct cli_opt *opts;       /* ends with .name == NULL */
    const char *examples;             /* whole lines */
    int min_operands, max_operands;   /* -1: any number */
    int words;                        /* Number of leading operands (words) that are not file
                                       * names. */
    const char *differs;              /* Meaning of the exit status 1 for --help, or NULL. */
    bool writes_frames;               /* Whether the tool has the options -z and --force. */
    const char *(*engine)(void);      /* Function that returns the name of the engine for --version,
                                       * or NULL. */
    const char *(*build_facts)(void); /* Function that returns one more line for --version, or
                                       * NULL. */
    bool writes_steps;                /* the tool takes --index */
    bool reads_steps;                 /* Whether the tool has the options --from and --to. */
    /* Function that returns true if the leading word is missing, so that `first` is already an
     * operand. If there are no operands, the argument `first` is NULL. If the leading word is
     * missing, the word ":" is assumed. */
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
    int threads;          /* Number of threads, from the option -t, otherwise from OMP_NUM_THREADS,
                           * otherwise the number of usable CPUs. */
    int compress;         /* 0: off */
    uint64_t max_mem;     /* Value of --max-mem in bytes, which is 80 % of the free memory by
                           * default. */
    struct window window; /* Range from --from to --to, for readers that cli_open() opened. */
    int noperands;
    char **operands; /* operands as given on the command line, where "-" means stdin */
    char **words;    /* The leading operands (words), which are not file names. */
    /* The options and leading words as given, quoted for a shell, which are stored as provenance.
     * The text `args` omits file names and the options -o, -t, -q, -v and --max-mem. */
    char *args;
    size_t args_len; /* length of the text `args` without its NUL */
};

/* Parses the whole command line of a tool. For --help and --version, prints the requested text and
 * exits with status 0. For a wrong option, prints one line on stderr and exits with status 2. */
void cli_parse(const struct cli_tool *tool, int argc, char **argv, struct cli_common *c);

/* The following functions parse a whole string as a number in the C locale and check the range of
 * the number. These functions return 0 on success, or -1 with an error message in e. */
int cli_parse_real(const char *s, double min, double max, double *v, struct err *e);
int cli_parse_uint(const char *s, uint64_t min, uint64_t max, uint64_t *v, struct err *e);

/* After cli_keep_signals, a signal that asks the program to stop (SIGTERM, SIGINT or SIGHUP) is
 * recorded only. A SIGHUP that was ignored before stays ignored. A second signal ends the program
 * immediately. The function cli_signal returns the recorded signal, or 0 if there is none. The
 * function cli_end_by ends the program in the way in which the signal `sig` would have ended it. */
void cli_keep_signals(void);
int cli_signal(void);
void cli_end_by(int sig) __attribute__((noreturn));

/* If writing to the file `path` would overwrite an input, exits with an error message. Files are
 * the same if their device and inode are the same. If `path` is NULL or "-", the output is stdout.
 * The functions cli_parse, cli_create and cli_text_open already check the files of -o and the files
 * that they open. */
void cli_keep_inputs(const struct cli_common *c, const char *path);
/* Works like cli_keep_inputs for one input that is not an operand. If `input` is NULL, this
 * function does nothing. */
void cli_keep_input(const struct cli_common *c, const char *input, const char *path);

/* Exits with an error message if two of the n outputs are the same file or pipe, even under
 * different names. The name NULL means no output, and the name "-" means stdout. */
void cli_separate(const char *const *names, size_t n);

/* If `unused` is true and the option `name` was given, exits with the message that the option has
 * no effect. The message ends with the text `needs`, such as "without --self". */
void cli_unused(bool unused, const char *name, const char *needs);

/* The following functions print a message in the form "tool: message" on stderr. The option -q
 * silences the functions cli_warn and cli_note. The function cli_note prints only with -v. */
void cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* If the value of an option in Å is below `min`, warns that the value is probably in nm. If the
 * option was not given, the value is NaN. */
void cli_warn_nm(const char *option, double value, double min);
/* With -v, prints the cell of a trajectory, the time between frames in ps (NaN if unknown), and the
 * source of each value. */
void cli_where(double dt, const char *dt_from, const struct box *cell, const char *cell_from);
/* Prints a message with cli_error, and exits. The function cli_die may be called only before the
 * output stream begins. */
void cli_die(int status, const char *fmt, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* Returns the name of the single input operand, or NULL for stdin. */
const char *cli_input(const struct cli_common *c);
/* The function cli_inputs returns the number of inputs, which is 1 if there are no operands. The
 * function cli_input_at returns the name of input k, or NULL for stdin. */
int cli_inputs(const struct cli_common *c);
const char *cli_input_at(const struct cli_common *c, int k);

/* The functions cli_open and cli_create call frame_open and frame_create with the values of the
 * common options. On failure, both functions exit with an error message. */
struct frame_reader *cli_open(const struct cli_common *c, const char *path);
struct frame_writer *cli_create(const struct cli_common *c);

/* The function cli_resume calls frame_resume with the values of the common options. On failure, it
 * returns NULL with an error message in e. The function cli_no_part removes the file NAME.part with
 * a warning, or exits if a checkpoint refers to this file. */
struct frame_writer *cli_resume(const struct cli_common *c, const struct frame_mark *m,
                                const struct meta *like, enum frame_found *found, struct err *e);
void cli_no_part(const char *name, bool known);
/* Returns true if two names refer to the same file. A name that is NULL refers to no file. */
bool cli_same_output(const char *a, const char *b);

/* Warns that arrays of an unknown type are skipped. The function cli_open already causes warnings
 * about arrays that must not be copied. A tool that also drops arrays that may be copied calls this
 * function. */
void cli_left_out(const char *name, const char *code);

/* Warns if a stream with several species has only one value of sigma. */
void cli_one_sigma(const struct frame_reader *in);

/* Every tool that writes frames ends by calling cli_fail or cli_close. If a run has several
 * outputs, all of these files appear together after the last output is closed. If one output fails,
 * none of the files appears. The function cli_fail prints the message, writes an ERR frame if a
 * segment is open, removes the output and returns the status of e. The argument `in` is the reader
 * in which the error occurred, or NULL. The function cli_close closes w and returns 0, or 3 on
 * failure. */
int cli_fail(struct frame_writer *w, const struct frame_reader *in, const struct err *e);
int cli_close(struct frame_writer *w);
/* The function cli_settle closes w without printing, and returns 0 on success, or -1 with an error
 * message in e. The function cli_drop closes an output and discards it. */
int cli_settle(struct frame_writer *w, struct err *e);
void cli_drop(struct frame_writer *w);

/* A text output with a buffer, to the file of -o or to stdout. The function cli_text_open exits on
 * failure, and cli_text_close reports that writing failed. The text file appears under its name
 * only if the status is CLI_OK or CLI_NO. */
struct cli_text;
struct cli_text *cli_text_open(const struct cli_common *c);
void cli_text_printf(struct cli_text *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void cli_text_write(struct cli_text *t, const void *bytes, size_t n);
/* The function cli_text_keep ensures that the text written so far is on disk in the file NAME.part,
 * and sets *bytes to its length. The function cli_text_keep returns 0 on success, 1 if the output
 * is not a file, or -1 with an error message in e. The function cli_text_resume continues a text
 * after the given number of bytes, or returns NULL with an error message in e. */
int cli_text_keep(struct cli_text *t, uint64_t *bytes, struct err *e);
struct cli_text *cli_text_resume(const struct cli_common *c, uint64_t bytes, struct err *e);
/* Returns the exit status that is passed as an argument. If the given status was good but the
 * output failed, prints a message and returns 3. */
int cli_text_close(struct cli_text *t, int status);

/* Shows progress at most 5 times per second, if stderr is a terminal and -q was not given. If
 * stderr is not a terminal, -v prints a line once per minute. If the argument `total` is 0, the
 * total is unknown. In a pipeline, progress is shown only by the first program that can report it.
 * Among programs that start at the same time, a program with a known total takes precedence. The
 * function cli_summary prints the last line of the option -v. The text `bound` names the operation
 * that limits the speed, or is NULL. */
void cli_progress(uint64_t done, uint64_t total, const char *unit);
void cli_summary(uint64_t frames, uint64_t bytes, const char *bound);
/* After a call of cli_subject, messages, progress and the clock refer to the input `input`. If a
 * run has several inputs, each of them gets its output even if an earlier input failed. After the
 * last input, pass NULL. */
void cli_subject(const char *input);
double cli_seconds(void); /* seconds since the start */

C_LINKAGE_END
