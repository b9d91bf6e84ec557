/* SPDX-License-Identifier: MIT */
/*
 * Fuzz the XYZ reader: any bytes as a file, under options that depend on the bytes. It must end,
 * with frames or with an error text, and never read or write out of bounds; what it takes must read
 * back the same after writing it.
 */
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/decimal.h"
#include "xyz/xyz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "fuzz_xyz: %s\n", what);
        abort();
    }
}

/* Every coordinate handed out is finite and survives text -> number. */
static void check_numbers(const struct xyz_frame *f, size_t natoms, int f64)
{
    char buf[DECIMAL_TEXT + 1];
    for (size_t k = 0; k < 3 * natoms; k++) {
        if (f64) {
            double v = ((const double *)f->pos)[k], back;
            size_t n = decimal_put_f64(buf, v, 0);
            must(isfinite(v) && decimal_get_f64(buf, n, DECIMAL_FORTRAN, &back) == 0 &&
                     memcmp(&v, &back, sizeof v) == 0,
                 "f64 round trip");
        } else {
            float v = ((const float *)f->pos)[k], back;
            size_t n = decimal_put_f32(buf, v, 0);
            must(isfinite(v) && decimal_get_f32(buf, n, DECIMAL_FORTRAN, &back) == 0 &&
                     memcmp(&v, &back, sizeof v) == 0,
                 "f32 round trip");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xyz_opts o = XYZ_OPTS_DEFAULT;
    unsigned mix = 0;
    char path[32], *paths[2] = {path, path};
    struct xyz_frame f;
    for (size_t k = 0; k < size; k++)
        mix = mix * 31 + data[k];
    int fd = memfd_create("xyz", MFD_CLOEXEC);
    must(fd >= 0 && write(fd, data, size) == (ssize_t)size, "memfd");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    o.said.f64 = mix & 1;
    o.said.allow_partial = (mix & 6) == 6;
    o.said.unsorted_ok = (mix & 24) != 0;
    o.said.step = (mix & 96) == 96 ? 2 : 1;
    if ((mix & 0x380) == 0x380)
        o.dialect = (enum xyz_dialect)(1 + (mix >> 10) % 5);
    o.max_mem = (size_t)64 << 20;
    struct xyz_reader *x = xyz_open(paths, (mix & 0x7000) == 0x7000 ? 2 : 1, &o);
    must(x != NULL, "memory");
    int got;
    uint64_t n = 0;
    while ((got = xyz_next(x, &f)) == 1) {
        must(f.index == n++, "index");
        check_numbers(&f, xyz_info(x).natoms, o.said.f64);
    }
    must(got == 0 || (xyz_error(x)->text[0] && xyz_error(x)->status >= ERR_BAD),
         "an error without a text");
    struct meta *m = meta_new();
    must(m && (n == 0 || xyz_put_meta(x, m) == 0), "meta");
    meta_free(m);
    xyz_close(x);
    close(fd);
    return 0;
}
