/* SPDX-License-Identifier: MIT */
/*
 * target.h: fuzzes a trajectory format. The input is any bytes as a file, with options that depend
 * on the bytes. The reader must end, with frames or with an error text, and never read or write out
 * of bounds. Frames must be finite and numbered, and have a valid cell.
 */
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "fuzz: %s\n", what);
        abort();
    }
}

static void check(const struct formats_frame *f, size_t n, int f64)
{
    const void *sets[2] = {f->pos, f->vel};
    for (int s = 0; s < 2; s++)
        for (size_t k = 0; sets[s] && k < 3 * n; k++)
            must(isfinite(f64 ? ((const double *)sets[s])[k] : (double)((const float *)sets[s])[k]),
                 "a number that is none");
    must(box_volume(f->box) > 0.0 || (!f->box->pbc[0] && !f->box->pbc[1] && !f->box->pbc[2]),
         "periodic without a cell");
}

static int fuzz(const uint8_t *data, size_t size, const char *format)
{
    struct formats_opts o = FORMATS_OPTS_DEFAULT;
    char path[32], *paths[2] = {path, path};
    struct formats_frame f;
    unsigned mix = 0;
    for (size_t k = 0; k < size; k++)
        mix = mix * 31 + data[k];
    int fd = memfd_create("traj", MFD_CLOEXEC);
    must(fd >= 0 && write(fd, data, size) == (ssize_t)size, "memfd");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    while (strcmp(formats_names[o.format], format) != 0)
        o.format++;
    o.given.f64 = mix & 1;
    o.velocities = (mix & 6) == 6;
    o.unwrap = (mix & 24) == 24;
    o.given.unsorted_ok = (mix & 32) != 0;
    o.given.allow_partial = (mix & 64) != 0;
    o.given.step = (mix & 0x180) == 0x180 ? 2 : 1;
    o.given.has_pbc = (mix & 0x600) == 0x600;
    o.given.dt_ps = (mix & 0x1800) ? 1.0 : NAN;
    o.units = (mix & 0x6000) ? LAMMPS_REAL : LAMMPS_AS_GIVEN;
    o.columns = (mix & 0x8000) ? "id type xs ys zs" : NULL;
    o.dialect = (mix & 0xc00000) == 0xc00000 ? 1 + (int)((mix >> 24) % 5) : 0;
    o.species = (mix & 0x30000) == 0x30000 ? "1=Ar,2=Kr" : NULL;
    o.last_step = (mix & 0x6000000) == 0x6000000 ? (int64_t)(mix >> 16) : -1;
    o.threads = (mix & 0x300000) == 0x300000 ? 3 : 1;
    o.max_mem = (size_t)64 << 20;
    struct formats *x = formats_open(paths, (mix & 0xc0000) == 0xc0000 ? 2 : 1, &o);
    must(x != NULL, "memory");
    int got;
    uint64_t n = 0;
    while ((got = formats_next(x, &f)) == 1) {
        must(f.index == n++, "index");
        check(&f, formats_info(x).natoms, o.given.f64);
        while (formats_warning(x))
            ;
    }
    must(got == 0 || (formats_error(x)->text[0] && formats_error(x)->status >= ERR_BAD),
         "an error without a text");
    struct meta *m = meta_new();
    must(m && (n == 0 || formats_put_meta(x, m) == 0 || formats_error(x)->text[0]), "meta");
    meta_free(m);
    formats_close(x);
    close(fd);
    return 0;
}
