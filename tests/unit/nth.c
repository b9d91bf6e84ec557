/* SPDX-License-Identifier: MIT */
/*
 * nth MOST PRELOAD COMMAND...: run the command again and again, each time with one call of the
 * system failing: the first malloc, the second, ..., then reads, writes, opens, closes, renames,
 * fsyncs and threads, and allocations, launches and other calls of a GPU, each once and for good.
 * Which kinds there are is the preloaded library's matter ("": the command's own, on the emulated
 * GPU). The command writes its files into the current folder, which is empty. The law: status 0 and
 * the content that it has without failures, or 4 (memory) or 3 (the rest), one message, and no file
 * at all; with NTH_OLD in the environment other files stand under the names of its own before each
 * run, and after one that failed they stand there still (or, where renames fail from one on, so
 * that
 * nothing can be put back, the new ones). A failed fsync or close of a file never ends in 0. Of
 * more
 * than MOST calls of a kind so many are taken: the first, the last, and some between. Prints what
 * breaks the law; ends with the number of runs.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nth.h"

enum { FILES = 8, SECONDS = 20, END_CONTENT = 80 }; /* the content hash, from the end of a file */

static const char *const KIND[] = {"malloc",     "read",       "write",   "open",
                                   "close",      "rename",     "fsync",   "thread",
                                   "GPU malloc", "GPU launch", "GPU call"};

struct file {
    char name[256];
    unsigned char *p;
    size_t n;
};

static struct file wanted[FILES];
static int nwanted, messages; /* messages: descriptor of stderr */
static bool old;
static const char OLD[] = "what stood there before\n";
static struct nth *shared;
static char fd_text[32], **command, **environment;
extern char **environ;

static void die(const char *what)
{
    perror(what);
    exit(3);
}

static struct file load(const char *name)
{
    struct file f = {{0}, NULL, 0};
    struct stat st;
    int fd = open(name, O_RDONLY);
    if (fd < 0 || fstat(fd, &st) || !(f.p = malloc((size_t)st.st_size + 1)) ||
        read(fd, f.p, (size_t)st.st_size) != st.st_size)
        die(name);
    close(fd);
    f.n = (size_t)st.st_size;
    snprintf(f.name, sizeof f.name, "%s", name);
    return f;
}

/* Returns whether bytes are equal, or whole frame streams have equal content (a part that could not
 * be compressed is stored). */
static int same(const struct file *a, const struct file *b)
{
    if (a->n == b->n && memcmp(a->p, b->p, a->n) == 0)
        return 1;
    return a->n >= 256 && b->n >= 256 && memcmp(a->p, "\x89MBF", 4) == 0 &&
           memcmp(b->p, "\x89MBF", 4) == 0 && memcmp(b->p + b->n - 256 + 12, "END ", 4) == 0 &&
           memcmp(a->p + a->n - END_CONTENT, b->p + b->n - END_CONTENT, 16) == 0;
}

/* With NTH_OLD, writes files with the names of the outputs before a run. */
static void put_old(void)
{
    for (int k = 0; k < nwanted && old; k++) {
        int fd = open(wanted[k].name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (fd < 0 || write(fd, OLD, sizeof OLD) != sizeof OLD || close(fd))
            die(wanted[k].name);
    }
}

static int is_old(const struct file *f)
{
    return f->n == sizeof OLD && memcmp(f->p, OLD, sizeof OLD) == 0;
}

/* Returns the index of the wanted file that has this name, or -1. */
static int known(const char *name)
{
    for (int k = 0; k < nwanted; k++)
        if (strcmp(wanted[k].name, name) == 0)
            return k;
    return -1;
}

/* Returns the index of the wanted file whose old content f holds under a temporary name that the
 * message states, or -1. */
static int kept_aside(const struct file *f, const char *text)
{
    for (int k = 0; k < nwanted && is_old(f) && f->name[0] == '.' && strstr(text, f->name); k++) {
        size_t n = strlen(wanted[k].name);
        if (strncmp(f->name + 1, wanted[k].name, n) == 0 && f->name[n + 1] == '.')
            return k;
    }
    return -1;
}

/* Checks and removes the files that the run left. Returns a text that states the error, or NULL. */
static const char *leavings(int status, const char *text)
{
    static char why[400];
    uint64_t found = 0;
    const char *bad = NULL;
    DIR *d = opendir(".");
    for (struct dirent *e; d && (e = readdir(d));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        struct file f = load(e->d_name);
        int k = known(f.name);
        bool is_new = k >= 0 && same(&wanted[k], &f), is_same = k >= 0 && old && is_old(&f);
        bool no_way_back = old && shared->kind == NTH_RENAME && shared->for_good;
        bool good = status == 0 ? is_new : is_same || (is_new && no_way_back);
        if (!good && no_way_back && (k = kept_aside(&f, text)) >= 0)
            good = true;
        if (!bad && !good) {
            snprintf(why, sizeof why, status ? "left %s" : "status 0, but %s is another", f.name);
            bad = why;
        }
        found |= k >= 0 ? UINT64_C(1) << k : 0;
        free(f.p);
        unlink(e->d_name);
    }
    closedir(d);
    bool all = found == (UINT64_C(1) << nwanted) - 1, none = status && !old;
    return bad ? bad : none || all ? NULL : "files are missing";
}

static int run(void)
{
    posix_spawn_file_actions_t io;
    pid_t pid;
    int status;
    shared->seen = 0;
    if (ftruncate(messages, 0) || lseek(messages, 0, SEEK_SET))
        die("messages");
    posix_spawn_file_actions_init(&io);
    posix_spawn_file_actions_addopen(&io, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&io, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&io, messages, 2);
    if (posix_spawnp(&pid, command[0], &io, NULL, command, environment))
        die(command[0]);
    posix_spawn_file_actions_destroy(&io);
    alarm(SECONDS);
    while (waitpid(pid, &status, 0) < 0) /* the time limit has passed */
        kill(pid, SIGKILL);
    alarm(0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Counts the lines that are neither warnings nor messages of FFTW about a failed allocation. */
static int errors_in(const char *text)
{
    int n = 0;
    for (const char *p = text, *end; (end = strchr(p, '\n')); p = end + 1) {
        const char *w = strstr(p, "warning: ");
        n += (!w || w > end) && strncmp(p, "fftw: ", 6) != 0;
    }
    return n;
}

static void on_alarm(int sig)
{
    (void)sig;
}

/* Does one run with one failure. Returns 1 if the program breaks a rule. */
static int attempt(int kind, long at, int for_good)
{
    char text[4000] = "";
    shared->kind = kind;
    shared->at = at;
    shared->for_good = for_good;
    put_old();
    int status = run(), want = kind == NTH_MALLOC || kind == NTH_GPU_MALLOC ? 4 : 3;
    ssize_t n = pread(messages, text, sizeof text - 1, 0);
    const char *bad = leavings(status, text);
    if (status != 0 && status != want && !(kind == NTH_THREAD && status == 4))
        bad = "another status than the law's";
    else if (status == 0 && shared->seen >= at && (kind == NTH_FSYNC || kind == NTH_CLOSE))
        bad = "a file that may not be on disk, and no word";
    else if (status != 0 && n <= 0)
        bad = "no message";
    else if (n > 0 && memchr(text, '\0', (size_t)n))
        bad = "a zero byte in the message";
    else if (status != 0 && errors_in(text) > nwanted)
        bad = "more messages than files";
    if (bad)
        printf("%s %ld%s: status %d: %s: %s\n", KIND[kind], at, for_good ? " and all after" : "",
               status, bad, strtok(text, "\n"));
    return bad != NULL;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    long max = atol(argv[1]), runs = 0, broken = 0, n = 0;
    int fd = memfd_create("nth", 0);
    messages = memfd_create("messages", MFD_CLOEXEC);
    if (fd < 0 || messages < 0 || ftruncate(fd, sizeof *shared))
        die("memfd");
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED)
        die("mmap");
    snprintf(fd_text, sizeof fd_text, "NTH_FD=%d", fd);
    char preload[4096];
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", argv[2]);
    command = argv + 3;
    while (environ[n])
        n++;
    environment = calloc((size_t)n + 3, sizeof *environment);
    memcpy(environment, environ, (size_t)n * sizeof *environ);
    environment[n] = fd_text;
    environment[n + 1] = preload;
    old = getenv("NTH_OLD") != NULL;
    struct sigaction act = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &act, NULL);

    *shared = (struct nth){.kind = -1};
    if (run() != 0)
        die("the command fails without a failure");
    DIR *d = opendir(".");
    for (struct dirent *e; d && (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && nwanted < FILES) {
            wanted[nwanted++] = load(e->d_name);
            unlink(e->d_name);
        }
    closedir(d);
    for (int kind = 0; kind < NTH_KINDS; kind++) {
        *shared = (struct nth){.kind = kind};
        put_old();
        (void)run();
        leavings(0, "");
        long total = shared->seen;
        for (long at = 1; at <= total;) {
            for (int for_good = 0; for_good < 2; for_good++, runs++)
                broken += attempt(kind, at, for_good);
            long step = total > max && at > max / 2 && total - at > max / 4
                            ? (total - max * 3 / 4) / (max / 4) + 1
                            : 1;
            at += step;
        }
    }
    printf("%ld runs, %ld break the law\n", runs, broken);
    return broken > 0;
}
