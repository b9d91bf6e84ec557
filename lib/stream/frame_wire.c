/* SPDX-License-Identifier: MIT */
/* frame_wire.c: packs and unpacks headers (128 bytes), and the rules for a single header. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stream/frame_hash.h"
#include "stream/frame_wire.h"

enum { CONTENT = 80 }; /* bytes that a data frame adds to the content hash */

static const char CODE[][5] = {"????", "META", "POSN", "CELL", "TIME", "PAIR", "CORR",
                               "HIST", "SPEC", "SERI", "VELO", "SCAL", "ERR ", "END "};
#define NTYPES (sizeof CODE / sizeof CODE[0])
static const unsigned char DTYPE_SIZE[] = {1, 4, 4, 8, 8, 4, 8, 1};

static uint64_t get(const unsigned char *p, size_t bytes)
{
    uint64_t v = 0;
    memcpy(&v, p, bytes);
    return v;
}

static uint64_t time_bits(double t)
{
    uint64_t v = 0x7ff8000000000000u; /* always the same NaN, so that equal streams have the same
                                       * bytes */
    if (t == t)
        memcpy(&v, &t, sizeof v);
    return v;
}

uint64_t wire_hash(const void *p, size_t n)
{
    return SIMD_PICK(frame_hash_once)(p, n);
}

void frame_hex(const unsigned char hash[16], char text[33])
{
    for (int k = 0; k < 16; k++)
        snprintf(text + 2 * k, 3, "%02x", hash[k]);
}

/* Returns the type with these four letters, or FRAME_OTHER if unknown. */
static enum frame_type type_of(const char *code)
{
    for (size_t k = 1; k < NTYPES; k++)
        if (memcmp(CODE[k], code, 4) == 0)
            return (enum frame_type)k;
    return FRAME_OTHER;
}

bool wire_is_new(const struct frame_desc *d)
{
    bool letters = true;
    for (int k = 0; k < 4; k++)
        letters = letters && d->code[k] >= ' ' && d->code[k] <= '~';
    return letters && type_of(d->code) == FRAME_OTHER && !(d->flags & FRAME_CRITICAL);
}

unsigned wire_minor(const struct wire_header *h)
{
    enum frame_type t = h->desc.type;
    return h->codec == WIRE_LINK    ? 4
           : t == FRAME_SCAL        ? 3
           : h->codec == WIRE_TRACK ? 2
                                    : t == FRAME_SERI || t == FRAME_VELO;
}

size_t frame_dtype_size(enum frame_dtype t)
{
    return (unsigned)t < sizeof DTYPE_SIZE / sizeof *DTYPE_SIZE ? DTYPE_SIZE[t] : 0;
}

bool frame_counts_steps(const struct frame_desc *d)
{
    return d->type == FRAME_POSN || d->type == FRAME_PAIR || d->type == FRAME_SERI;
}

size_t frame_bytes(const struct frame_desc *d)
{
    size_t n = frame_dtype_size(d->dtype);
    if (n == 0 || d->ndim > 4)
        return SIZE_MAX;
    for (int k = 0; k < d->ndim; k++)
        if (d->dims[k] == 0)
            return 0;
    for (int k = 0; k < d->ndim; k++)
        if (__builtin_mul_overflow(n, d->dims[k], &n))
            return SIZE_MAX;
    return n;
}

double frame_step_time(const struct frame_desc *d, uint64_t k, double dt_ps)
{
    if (k == 0)
        return d->time;
    return (double)(d->index + k) * dt_ps + (d->time - (double)d->index * dt_ps);
}

void frame_step_times(const struct frame_desc *d, double dt_ps, double *time)
{
    for (uint64_t k = 0; k < d->dims[0]; k++)
        time[k] = frame_step_time(d, k, dt_ps);
}

size_t wire_row(const struct frame_desc *d)
{
    size_t n = 1;
    for (int k = 1; k < d->ndim; k++)
        if (__builtin_mul_overflow(n, d->dims[k], &n))
            return SIZE_MAX;
    return n ? n : 1;
}

void wire_pack(const struct wire_header *h, unsigned char out[WIRE_HEADER])
{
    const struct frame_desc *d = &h->desc;
    uint64_t time = time_bits(d->time), hash;
    memset(out, 0, WIRE_HEADER);
    memcpy(out, WIRE_MAGIC, 8);
    out[8] = 1;
    out[9] = (unsigned char)h->minor;
    out[10] = WIRE_HEADER;
    memcpy(out + 12, d->type == FRAME_OTHER ? d->code : CODE[d->type], 4);
    memcpy(out + 16, &d->flags, 4);
    out[20] = (unsigned char)d->dtype;
    out[21] = (unsigned char)d->ndim;
    out[22] = (unsigned char)h->codec;
    out[23] = (unsigned char)h->filter;
    memcpy(out + 24, &h->seq, 8);
    memcpy(out + 32, &d->index, 8);
    memcpy(out + 40, &time, 8);
    memcpy(out + 48, d->dims, 8 * (size_t)d->ndim);
    memcpy(out + 80, &h->offset, 8);
    memcpy(out + 88, &h->raw, 8);
    memcpy(out + 96, &h->stored, 8);
    memcpy(out + 104, &h->raw_hash, 8);
    memcpy(out + 112, &h->stored_hash, 8);
    hash = wire_hash(out, 120);
    memcpy(out + 120, &hash, 8);
}

/* Checks the fields that can be checked without the preceding frames. */
static int check_fields(const struct wire_header *h, const unsigned char *in, struct err *e)
{
    const struct frame_desc *d = &h->desc;
    size_t size = frame_dtype_size(d->dtype), total = frame_bytes(d);
    for (int k = d->ndim; k < 4; k++)
        if (d->dims[k] != 0)
            return err_bad(
                e,
                "expected 0 for the unused dimensions of an array with %d dimensions, found %llu",
                d->ndim, (unsigned long long)d->dims[k]);
    if (isinf(d->time))
        return err_bad(e, "expected a finite time, or NaN for none, found infinity");
    if (h->codec > WIRE_LINK || h->filter > WIRE_DELTA ||
        (h->codec != WIRE_ZLIB && h->filter != WIRE_PLAIN))
        return err_bad(e,
                       "expected a codec from 0 to 3 and a filter that fits this codec, found "
                       "codec %u and filter %u",
                       h->codec, h->filter);
    if ((h->codec == WIRE_TRACK) != ((d->flags & WIRE_TRACKED) != 0) ||
        (h->codec == WIRE_LINK) != ((d->flags & WIRE_LINKED) != 0) ||
        (h->codec >= WIRE_TRACK && d->dtype != FRAME_F32))
        return err_bad(e,
                       "expected flags and a data type that fit the codec, found codec %u, "
                       "flags %#x and data type %u",
                       h->codec, (unsigned)d->flags, (unsigned)d->dtype);
    if (total == SIZE_MAX)
        return err_bad(e, "expected an array size that fits in 64 bits, found a larger array");
    if (h->raw > FRAME_PART_MAX)
        return err_bad(e, "expected a part of at most %zu bytes, found %llu", FRAME_PART_MAX,
                       (unsigned long long)h->raw);
    if (h->offset > total || h->raw > total - h->offset)
        return err_bad(e, "expected a part inside its array of %zu bytes, found bytes %llu to %llu",
                       total, (unsigned long long)h->offset,
                       (unsigned long long)(h->offset + h->raw));
    if (h->raw % size || h->offset % size || (h->raw == 0 && total > 0))
        return err_bad(e,
                       "expected a part that consists of whole elements of %zu bytes each, found "
                       "%llu bytes at byte %llu of the array",
                       size, (unsigned long long)h->raw, (unsigned long long)h->offset);
    if (((d->flags & WIRE_LAST) != 0) != (h->offset + h->raw == total))
        return err_bad(
            e, "expected only the part that ends its array to be flagged as the last, found %s",
            d->flags & WIRE_LAST ? "an earlier part with the flag" : "no flag on it");
    if (h->stored > h->raw || (h->codec == WIRE_STORED && h->stored != h->raw) ||
        (h->raw > 0 && h->stored == 0))
        return err_bad(
            e,
            "expected a compressed length that is possible for %llu uncompressed bytes, found %llu",
            (unsigned long long)h->raw, (unsigned long long)h->stored);
    if (h->codec == WIRE_STORED && h->stored_hash != h->raw_hash)
        return err_bad(e, "expected one hash for the stored and the original bytes of an "
                          "uncompressed part, found two");
    for (int k = 12; k < 16; k++)
        if (in[k] < ' ' || in[k] > '~')
            return err_bad(e, "expected an array type of four printable letters, found byte %d",
                           in[k]);
    return 0;
}

/* Checks that META, ERR and END are one small part of known form. */
static int check_control(const struct wire_header *h, struct err *e)
{
    const struct frame_desc *d = &h->desc;
    uint64_t max = d->type == FRAME_META  ? META_MAX_BYTES
                   : d->type == FRAME_ERR ? WIRE_ERR_MAX
                                          : WIRE_END;
    enum frame_dtype want = d->type == FRAME_END ? FRAME_U8 : FRAME_UTF8;
    if (d->type != FRAME_META && d->type != FRAME_ERR && d->type != FRAME_END)
        return 0;
    if (!(d->flags & FRAME_CRITICAL) || !(d->flags & WIRE_LAST) || h->offset != 0)
        return err_bad(e,
                       "expected %s to be stored in a single part that is marked critical, found "
                       "other flags or several parts",
                       d->code);
    if (d->dtype != want || d->ndim != 1 || h->raw > max ||
        (d->type == FRAME_END && h->raw != WIRE_END))
        return err_bad(e,
                       "expected %s to contain at most %llu bytes of its data type, found more "
                       "bytes or another type",
                       d->code, (unsigned long long)max);
    if (d->type != FRAME_META && h->codec != WIRE_STORED)
        return err_bad(e, "expected %s to be uncompressed (codec 0), found codec %u", d->code,
                       h->codec);
    if (d->index != 0 || d->time == d->time)
        return err_bad(e, "expected %s without an index or a time, found either", d->code);
    return 0;
}

int wire_unpack(const unsigned char in[WIRE_HEADER], struct wire_header *h, bool *damaged,
                struct err *e)
{
    struct frame_desc *d = &h->desc;
    *damaged = true;
    if (memcmp(in, WIRE_MAGIC, 8) != 0)
        return err_bad(e, "expected a frame, found other bytes");
    if (get(in + 120, 8) != wire_hash(in, 120))
        return err_bad(e, "expected header hash %016llx, found %016llx",
                       (unsigned long long)get(in + 120, 8),
                       (unsigned long long)wire_hash(in, 120));
    *damaged = false;
    if (in[8] != 1)
        return err_bad(e, "expected format MBF 1, found MBF %d", in[8]);
    memset(h, 0, sizeof *h);
    h->minor = in[9];
    d->flags = (uint32_t)get(in + 16, 4);
    if (d->flags & WIRE_INCOMPATIBLE & ~WIRE_KNOWN_FLAGS)
        return err_bad(e,
                       "expected only flags that this version supports, found flags %#x in a frame "
                       "of MBF 1.%u",
                       d->flags, h->minor);
    *damaged = true;
    if (get(in + 10, 2) != WIRE_HEADER)
        return err_bad(e, "expected header size %d, found %d", WIRE_HEADER, (int)get(in + 10, 2));
    if (in[20] > FRAME_UTF8 || in[21] < 1 || in[21] > 4)
        return err_bad(e,
                       "expected a data type from 0 to %d and 1 to 4 dimensions, found data type "
                       "%d and %d dimensions",
                       FRAME_UTF8, in[20], in[21]);
    memcpy(d->code, in + 12, 4);
    d->type = type_of(d->code);
    d->dtype = (enum frame_dtype)in[20];
    d->ndim = in[21];
    h->codec = in[22];
    h->filter = in[23];
    h->seq = get(in + 24, 8);
    d->index = get(in + 32, 8);
    memcpy(&d->time, in + 40, 8);
    memcpy(d->dims, in + 48, sizeof d->dims);
    h->offset = get(in + 80, 8);
    h->raw = get(in + 88, 8);
    h->stored = get(in + 96, 8);
    h->raw_hash = get(in + 104, 8);
    h->stored_hash = get(in + 112, 8);
    return check_fields(h, in, e) || check_control(h, e) ? -1 : 0;
}

/* Writes the bytes that the header of a data frame adds to the content hash. */
static void content(const struct wire_header *h, const unsigned char wire[WIRE_HEADER],
                    unsigned char out[CONTENT])
{
    uint64_t time = time_bits(h->desc.time);
    memset(out, 0, 8);
    memcpy(out, wire + 12, 4);     /* type */
    memcpy(out + 4, wire + 20, 2); /* data type and number of dimensions */
    memcpy(out + 8, wire + 48, 32);
    memcpy(out + 40, wire + 32, 8);
    memcpy(out + 48, &time, 8);
    memcpy(out + 56, wire + 80, 16); /* offset and raw */
    memcpy(out + 72, wire + 104, 8); /* raw_hash */
}

void wire_sums_begin(struct wire_sums *s)
{
    s->totals = (struct frame_totals){0};
    XXH3_128bits_reset(&s->stream);
    XXH3_128bits_reset(&s->content);
}

void wire_sums_add(struct wire_sums *s, const struct wire_header *h,
                   const unsigned char wire[WIRE_HEADER])
{
    unsigned char c[CONTENT];
    enum frame_type type = h->desc.type;
    if (type == FRAME_END || type == FRAME_ERR)
        return;
    XXH3_128bits_update(&s->stream, wire, WIRE_HEADER);
    s->totals.frames++;
    if (type == FRAME_META)
        return;
    content(h, wire, c);
    XXH3_128bits_update(&s->content, c, CONTENT);
    s->totals.raw_bytes += h->raw;
    if (!(h->desc.flags & WIRE_LAST))
        return;
    s->totals.arrays++;
    if (frame_counts_steps(&h->desc))
        s->totals.steps += h->desc.dims[0];
}

static void digest(const XXH3_state_t *s, unsigned char out[16])
{
    XXH128_canonical_t c;
    XXH128_canonicalFromHash(&c, XXH3_128bits_digest(s));
    memcpy(out, c.digest, 16);
}

void wire_sums_end(struct wire_sums *s)
{
    digest(&s->stream, s->totals.stream_hash);
    digest(&s->content, s->totals.content_hash);
}

_Static_assert(sizeof(struct frame_totals) == WIRE_END, "END holds the totals");
int wire_unpack_end(const unsigned char in[WIRE_END], unsigned minor, struct frame_totals *t,
                    struct err *e)
{
    memcpy(t, in, WIRE_END);
    if ((unsigned)t->status > FRAME_PARTIAL || t->parents > 2)
        return err_bad(e,
                       "expected an END status from 0 to 2 and at most 2 inputs, found status %u "
                       "and %u inputs",
                       (unsigned)t->status, t->parents);
    if (minor == 0 && (get(in + 112, 8) != 0 || get(in + 120, 8) != 0))
        return err_bad(e, "expected zero in the last 16 bytes of END, found other bytes");
    return 0;
}
