/* SPDX-License-Identifier: MIT */
/*
 * fuzz_restart.c: any bytes as a restart file of md, with valid hashes. A file that is accepted
 * must contain a state that can be checked and, if it is small, moved and written again. A file
 * that is refused must give an error text.
 */
#include <math.h>

#include "md/md_start.h"
#include "mend.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static void must(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "fuzz: %s\n", what);
        abort();
    }
}

/* Runs two steps and writes the state again as a file. */
static void go_on(const struct md_params *p, const struct md_start_state *b,
                  const struct md_left *left)
{
    struct err e = {0};
    struct frame_writer_opts o = {.tool = "fuzz"};
    struct md *m = md_open(p, b->r, b->v, b->step, &e);
    must(m || e.text[0], "an engine that does not start and does not say why");
    if (m && md_run(m, 2, NULL) != 0)
        must(md_info(m)->err.text[0], "a run that fails and does not say why");
    else if (m)
        must(md_info(m)->step == b->step + 2, "another number of steps");
    md_close(m);
    struct meta *meta = meta_new();
    struct frame_writer *w = frame_create("/dev/null", &o, &e);
    must(!w || !meta || md_restart_write(w, b, p, left, meta, &e) == 0, "a state is not written");
    (void)frame_close_writer(w, NULL);
    meta_free(meta);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    struct md_setup s;
    struct md_params params = {.threads = 1, .max_mem = (size_t)64 << 20};
    struct md_start_state b = {0};
    struct md_left left = {0};
    struct err e = {0};
    struct forge f = {0};
    char path[64];
    if (n > 1 << 16)
        return 0;
    forge_bytes(&f, p, n);
    mend(&f, true);
    int fd = memfd_create("fuzz", 0);
    must(fd >= 0 && (f.n == 0 || pwrite(fd, f.p, f.n, 0) == (ssize_t)f.n), "memfd");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct frame_reader_opts o = {.max_mem = params.max_mem};
    struct frame_reader *in = frame_open(path, &o);
    close(fd);
    md_setup_empty(&s);
    if (md_restart_read(in, &s, &params, &b, &left, &e) != 0)
        must(e.text[0] && e.status >= ERR_BAD, "an error without a text");
    else if (md_check(&params, b.r, b.v, &e) != 0)
        must(e.text[0], "a state that cannot be, without a text");
    else if (params.natoms <= 300 && params.replicas == 1)
        go_on(&params, &b, &left);
    frame_close_reader(in);
    md_start_free(&b);
    free(f.p);
    return 0;
}
