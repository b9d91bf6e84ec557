/* SPDX-License-Identifier: MIT */
/*
 * make_sparse.c FILE [BLOCKS]: positions of 4 atoms at 0, in blocks of 64 MiB (16384 blocks are 1
 * TiB) that use no space on the disk. Then follows a block of three steps in which atom i of step k
 * is at x = k + i. All frames and END, and therefore all hashes, are correct.
 */
#include "forge.h"

#define STEP (4 * 3 * sizeof(float))

static int fd;
static uint64_t at;
static struct wire_sums sums;

static int out(struct wire_header *h, const void *payload)
{
    unsigned char wire[WIRE_HEADER];
    h->seq = sums.totals.frames;
    wire_pack(h, wire);
    wire_sums_add(&sums, h, wire);
    int bad = pwrite(fd, wire, WIRE_HEADER, (off_t)at) != WIRE_HEADER ||
              (payload && pwrite(fd, payload, (size_t)h->stored, (off_t)at + WIRE_HEADER) !=
                              (ssize_t)h->stored);
    at += WIRE_HEADER + h->stored + wire_padding(h->stored);
    return bad;
}

static int control(enum frame_type type, enum frame_dtype dtype, const void *p, size_t n)
{
    struct wire_header h = {.raw = n, .stored = n};
    h.desc = (struct frame_desc){.type = type,
                                 .dtype = dtype,
                                 .ndim = 1,
                                 .dims = {n},
                                 .time = NAN,
                                 .flags = FRAME_CRITICAL | WIRE_LAST};
    h.raw_hash = h.stored_hash = wire_hash(p, n);
    return out(&h, p);
}

static int block(uint64_t steps, uint64_t first, uint64_t hash, const void *payload)
{
    struct wire_header h = {.raw = steps * STEP, .stored = steps * STEP};
    h.desc = (struct frame_desc){.type = FRAME_POSN,
                                 .dtype = FRAME_F32,
                                 .ndim = 3,
                                 .dims = {steps, 4, 3},
                                 .index = first,
                                 .time = 0.5 * (double)first,
                                 .flags = FRAME_CRITICAL | WIRE_LAST};
    h.raw_hash = h.stored_hash = hash;
    return out(&h, payload);
}

int main(int argc, char **argv)
{
    const uint64_t steps = FRAME_PART_MAX / STEP,
                   blocks = argc > 2 ? strtoull(argv[2], NULL, 10) : 16384;
    float last[3][4][3] = {{{0}}};
    void *zeros = calloc(steps, STEP);
    if (argc < 2 || !zeros || (fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0666)) < 0)
        return 2;
    uint64_t hash = wire_hash(zeros, steps * STEP);
    for (int k = 0; k < 12; k++)
        last[k / 4][k % 4][0] = (float)(k / 4 + k % 4);
    wire_sums_begin(&sums);
    int bad = control(FRAME_META, FRAME_UTF8, FORGE_META, strlen(FORGE_META));
    for (uint64_t k = 0; !bad && k < blocks; k++)
        bad = block(steps, k * steps, hash, NULL);
    bad |= block(3, blocks * steps, wire_hash(last, sizeof last), last);
    sums.totals.wire_bytes = at;
    wire_sums_end(&sums);
    bad |= control(FRAME_END, FRAME_U8, &sums.totals, WIRE_END) || ftruncate(fd, (off_t)at) ||
           close(fd);
    free(zeros);
    return bad ? 3 : 0;
}
