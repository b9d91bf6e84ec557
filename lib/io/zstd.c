/* SPDX-License-Identifier: MIT */
/* Declarations of the stable interface of libzstd, version 1 (github.com/facebook/zstd, zstd.h). */
#include "io/zstd.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/portable.h"

#define LIBRARY PORTABLE_LIBRARY("zstd", "1")
#define WINDOW                                                                                     \
    "Frame requires too much memory for decoding" /* ZSTD_error_frameParameter_windowTooLarge */

struct in_buffer {
    const void *src;
    size_t size, pos;
};
struct out_buffer {
    void *dst;
    size_t size, pos;
};

struct zstd {
    void *library, *stream;
    void *(*create)(void);
    size_t (*destroy)(void *);
    size_t (*decompress)(void *, struct out_buffer *, struct in_buffer *);
    unsigned (*is_error)(size_t);
    const char *(*error_name)(size_t);
    int whole;
};

int zstd_begins(const unsigned char *p, size_t n)
{
    return n >= 4 && (memcmp(p, "\x28\xb5\x2f\xfd", 4) == 0 ||
                      ((p[0] & 0xf0) == 0x50 && memcmp(p + 1, "\x2a\x4d\x18", 3) == 0));
}

/* Looks up a function. POSIX allows the data pointers of dlsym() to hold functions. */
static int find(struct zstd *z, const char *name, void *to)
{
    void *f = dlsym(z->library, name);
    memcpy(to, &f, sizeof f);
    return f != NULL;
}

struct zstd *zstd_open(struct err *e)
{
    struct zstd *z = calloc(1, sizeof *z);
    if (!z) {
        err_memory(e, "inflating");
        return NULL;
    }
    z->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (z->library && find(z, "ZSTD_createDStream", &z->create) &&
        find(z, "ZSTD_freeDStream", &z->destroy) &&
        find(z, "ZSTD_decompressStream", &z->decompress) && find(z, "ZSTD_isError", &z->is_error) &&
        find(z, "ZSTD_getErrorName", &z->error_name)) {
        if ((z->stream = z->create()) != NULL)
            return z;
        err_memory(e, "inflating");
    } else {
        err_bad(e,
                "the file is compressed with zstd, but %s is not installed (put 'zstd -dc FILE |' "
                "in front of the command)",
                LIBRARY);
    }
    zstd_close(z);
    return NULL;
}

void zstd_close(struct zstd *z)
{
    if (!z)
        return;
    if (z->stream)
        z->destroy(z->stream);
    if (z->library)
        dlclose(z->library);
    free(z);
}

long zstd_inflate(struct zstd *z, const void *in, size_t n, size_t *at, void *out, size_t capacity,
                  int *whole, struct err *e)
{
    struct in_buffer from = {in, n, *at};
    struct out_buffer to = {out, capacity, 0};
    while (to.pos < to.size) {
        size_t before = from.pos, made = to.pos;
        size_t rc = z->decompress(z->stream, &to, &from);
        if (z->is_error(rc) && strcmp(z->error_name(rc), WINDOW) == 0)
            return err_bad(e, "expected zstd data with a window of at most 128 MiB, found a larger "
                              "window (put 'zstd -dc --long=31 FILE |' in front of the command)");
        if (z->is_error(rc))
            return err_bad(e, "corrupt zstd data: %s", z->error_name(rc));
        if (from.pos > before || to.pos > made) /* otherwise no frame was begun */
            z->whole = rc == 0;
        if (from.pos == from.size && (rc == 0 || to.pos == made))
            break;
        if (from.pos == before && to.pos == made)
            break;
    }
    *at = from.pos;
    *whole = z->whole;
    return (long)to.pos;
}
