/* SPDX-License-Identifier: MIT */
/*
 * fuzz_frame.c: any bytes as input of the frame reader, as a file or a pipe, which are read, peeked
 * or passed on. Byte 0 chooses: bit 0 pipe, bit 1 mend header hashes, bit 2 mend payload hashes and
 * END too, bits 3-4 how it is read, bit 6 steps with velocities and scalars. Without mending,
 * nearly every mutation would die at the first hash.
 */
#include <stdint.h>

#include "mend.h"
#include "stream/traj.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static void peek_all(struct frame_reader *r)
{
    struct frame f;
    for (unsigned k = 0; frame_peek(r, &f) > 0; k++)
        if (k % 3 == 0 && f.desc.type != FRAME_META && f.desc.type != FRAME_END && frame_drop(r))
            break;
}

static void follow(struct frame_reader *r, enum frame_type want)
{
    struct traj_block b;
    struct traj_reader *t = traj_open(r, want, NULL);
    while (t && traj_next(t, &b, NULL) > 0) {
        size_t n = b.nsteps * traj_info(t)->scalar_bytes;
        volatile char last = b.scalars && n ? ((const char *)b.scalars)[n - 1] : 0;
        (void)last;
        traj_seek(t, traj_steps(t) + 2);
    }
    traj_close(t);
}

static void pass_all(struct frame_reader *r)
{
    struct frame f;
    struct frame_writer_opts o = {.tool = "fuzz"};
    struct frame_writer *w = frame_create("/dev/null", &o, NULL);
    int rc = 0;
    while (w && rc == 0 && frame_peek(r, &f) > 0)
        rc = f.desc.type == FRAME_META  ? frame_put_meta(w, frame_meta(r))
             : f.desc.type == FRAME_END ? frame_end(w, FRAME_COMPLETE, NULL, NULL)
                                        : frame_pass(r, w, &f.desc);
    if (w && rc)
        (void)frame_fail(w, frame_error(r), frame_received(r));
    (void)frame_close_writer(w, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    if (n < 1 || n > 1 << 19)
        return 0;
    struct forge f = {0};
    unsigned how = p[0];
    forge_bytes(&f, p + 1, n - 1);
    if (how & 6)
        mend(&f, (how & 4) != 0);
    char path[64];
    int fd[2] = {-1, -1};
    if (how & 1) {
        if (pipe(fd) || fcntl(fd[1], F_SETPIPE_SZ, 1 << 20) < 0 ||
            (f.n && write(fd[1], f.p, f.n) != (ssize_t)f.n))
            abort();
        close(fd[1]);
    } else {
        fd[0] = memfd_create("fuzz", 0);
        if (fd[0] < 0 || (f.n && pwrite(fd[0], f.p, f.n, 0) != (ssize_t)f.n))
            abort();
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd[0]);
    struct frame_reader_opts o = {.max_mem = (size_t)64 << 20, .threads = how & 32 ? 2 : 1};
    struct frame_reader *r = frame_open(path, &o);
    close(fd[0]);
    struct forge_seen s;
    switch (how >> 3 & 3) {
    case 0: forge_consume(r, &s); break;
    case 1: peek_all(r); break;
    case 2: follow(r, how & 64 ? FRAME_OTHER : FRAME_META); break;
    default: pass_all(r);
    }
    frame_close_reader(r);
    free(f.p);
    return 0;
}
