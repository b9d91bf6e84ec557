/* SPDX-License-Identifier: MIT */
#include "io/gunzip.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAX (1u << 30) /* largest number of bytes per call (the libraries count in 32 bits) */

static unsigned at_most(size_t n)
{
    return n < MAX ? (unsigned)n : MAX;
}

#ifdef WITH_ISAL
#include <isa-l.h>

enum { FLAGS = 3, FLAGS_UNKNOWN = 0xe0, TRAILER = 8 }; /* RFC 1952 */

struct gunzip {
    struct inflate_state z;
    struct isal_gzip_header head; /* kept here because isal_inflate loses its flags */
    bool in_head;
    uint64_t taken;              /* number of bytes of the member read so far */
    unsigned char last[TRAILER]; /* last bytes read, which are the trailer at the end of a member */
};

static void gunzip_begin(struct gunzip *g)
{
    isal_inflate_reset(&g->z);
    g->z.crc_flag = ISAL_GZIP_NO_HDR_VER;
    isal_gzip_header_init(&g->head);
    g->in_head = true;
    g->taken = 0;
}

struct gunzip *gunzip_open(struct err *e)
{
    struct gunzip *g = calloc(1, sizeof *g);
    if (!g) {
        err_memory(e, "inflating");
        return NULL;
    }
    isal_inflate_init(&g->z);
    gunzip_begin(g);
    return g;
}

void gunzip_close(struct gunzip *g)
{
    free(g);
}

/* Finds unknown flags, which ISA-L ignores. */
static bool unknown_flags(const struct gunzip *g, const unsigned char *p, size_t n)
{
    return g->taken <= FLAGS && g->taken + n > FLAGS && (p[FLAGS - g->taken] & FLAGS_UNKNOWN);
}

static void take(struct gunzip *g, const unsigned char *p, size_t n)
{
    g->taken += n;
    size_t k = n < TRAILER ? n : TRAILER;
    memmove(g->last, g->last + k, TRAILER - k);
    memcpy(g->last + TRAILER - k, p + n - k, k);
}

/* Returns the error message that zlib would give. */
static const char *words(const struct gunzip *g, int rc)
{
    uint32_t crc;
    memcpy(&crc, g->last, sizeof crc);
    switch (rc) {
    case ISAL_INVALID_BLOCK: return "invalid block";
    case ISAL_INVALID_SYMBOL: return "invalid code";
    case ISAL_INVALID_LOOKBACK: return "invalid distance too far back";
    case ISAL_UNSUPPORTED_METHOD: return "unknown compression method";
    case ISAL_INCORRECT_CHECKSUM:
        if (g->in_head)
            return "header crc mismatch";
        return crc != g->z.crc ? "incorrect data check" : "incorrect length check";
    default: return "no deflate stream";
    }
}

static int inflate_some(struct gunzip *g)
{
    int rc = g->in_head ? isal_read_gzip_header(&g->z, &g->head) : ISAL_DECOMP_OK;
    if (rc == ISAL_END_INPUT)
        return ISAL_DECOMP_OK;
    if (rc != ISAL_DECOMP_OK)
        return rc;
    g->in_head = false;
    return isal_inflate(&g->z);
}

long gunzip_inflate(struct gunzip *g, const void *in, size_t n, size_t *at, void *out,
                    size_t capacity, bool *ended, struct err *e)
{
    const unsigned char *from = (const unsigned char *)in + *at;
    unsigned space = at_most(capacity), left = at_most(n - *at);
    g->z.next_in = (unsigned char *)(uintptr_t)from; /* the library only reads the data */
    g->z.avail_in = left;
    g->z.next_out = out;
    g->z.avail_out = space;
    if (unknown_flags(g, from, left)) {
        *at += FLAGS + 1 - g->taken;
        return err_bad(e, "unknown header flags set");
    }
    int rc = inflate_some(g);
    unsigned used = left - g->z.avail_in;
    used = used < left ? used : left; /* ISA-L may read past the end of damaged data */
    take(g, from, used);
    *at += used;
    *ended = rc == ISAL_DECOMP_OK && g->z.block_state == ISAL_BLOCK_FINISH;
    if (rc != ISAL_DECOMP_OK)
        return err_bad(e, "%s", words(g, rc));
    if (*ended)
        gunzip_begin(g);
    return (long)(space - g->z.avail_out);
}

#define STRING(x) #x
#define VERSION(a, b, c) STRING(a) "." STRING(b) "." STRING(c)

const char *gunzip_by(void)
{
    return "gzip by ISA-L " VERSION(ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION);
}

#else
#include <zlib.h>

struct gunzip {
    z_stream z;
};

struct gunzip *gunzip_open(struct err *e)
{
    struct gunzip *g = calloc(1, sizeof *g);
    if (g && inflateInit2(&g->z, 15 + 16) == Z_OK) /* this value accepts only gzip headers */
        return g;
    free(g);
    err_memory(e, "inflating");
    return NULL;
}

void gunzip_close(struct gunzip *g)
{
    if (g)
        inflateEnd(&g->z);
    free(g);
}

long gunzip_inflate(struct gunzip *g, const void *in, size_t n, size_t *at, void *out,
                    size_t capacity, bool *ended, struct err *e)
{
    unsigned space = at_most(capacity), left = at_most(n - *at);
    g->z.next_in = (unsigned char *)(uintptr_t)in + *at; /* the library only reads the data */
    g->z.avail_in = left;
    g->z.next_out = out;
    g->z.avail_out = space;
    int rc = inflate(&g->z, Z_NO_FLUSH);
    *at += left - g->z.avail_in;
    *ended = rc == Z_STREAM_END;
    if (rc == Z_MEM_ERROR || (*ended && inflateReset(&g->z) != Z_OK))
        return err_memory(e, "inflating");
    if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
        return err_bad(e, "%s", g->z.msg ? g->z.msg : "no deflate stream");
    return (long)(space - g->z.avail_out);
}

const char *gunzip_by(void)
{
    return "gzip by zlib " ZLIB_VERSION;
}
#endif
