/* SPDX-License-Identifier: MIT */
/* frame_track.c: the header, the sections and the bit strings of a part of codecs 2 and 3. */
#include <string.h>
#include <zlib.h>

#include "stream/frame_track.h"

enum {
    LANES = 8,                      /* number of bit strings of a section */
    OLD_LANES = 64,                 /* number of bit strings of a part of codec 2 */
    OLD_HEAD = 32,                  /* bytes of a header of codec 2 before the code */
    CODE_BYTES = TRACK_CLASSES / 2, /* bytes of the lengths of a code */
    TABLE = CODE_BYTES + 4 * LANES, /* bytes of the code and of the lengths of the lanes */
    SECTIONS = TRACK_SECTIONS * TRACK_GENERATIONS,
    MARGIN = 8 /* bytes that may be overwritten after the bit strings */
};

static void put32(unsigned char *p, uint32_t v)
{
    memcpy(p, &v, sizeof v); /* little-endian, as frame_wire.h ensures */
}

static uint32_t get32(const unsigned char *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* ---- the header of a part */

/* Copies the coefficients between t and the header at p, in the direction of `pack`. Returns their
 * end, or NULL if they would exceed `end`. */
static unsigned char *coefficients(struct track *t, unsigned char *p, const unsigned char *end,
                                   bool pack)
{
    for (unsigned g = 0; g < t->generations; g++) {
        struct track_model *m = &t->model[g];
        for (unsigned q = g ? 0 : 1; q <= m->order; q++) {
            unsigned char *from[2] = {(unsigned char *)&m->stay[q],
                                      (unsigned char *)m->coef[q ? q - 1 : 0]};
            for (int k = g ? 0 : 1; k < 2; k++) {
                size_t n = k ? 4 * q : 4;
                if (n > (size_t)(end - p))
                    return NULL;
                memcpy(pack ? p : from[k], pack ? from[k] : p, n);
                p += n;
            }
        }
        if (m->length2 != 0) {
            if (end - p < 4)
                return NULL;
            memcpy(pack ? p : (unsigned char *)&m->length2, pack ? (unsigned char *)&m->length2 : p,
                   4);
            p += 4;
        }
    }
    return p;
}

/* Packs the header, including the links. Returns its end, or NULL if it would exceed `end`. */
static unsigned char *pack_head(struct track *t, unsigned char *head, const unsigned char *end)
{
    unsigned char *p = head + TRACK_HEAD;
    uLongf links = 0;
    if (end - head < TRACK_HEAD || !(p = coefficients(t, p, end, true)))
        return NULL;
    if (t->generations > 1) {
        links = (uLongf)(end - p);
        if (compress2(p, &links, t->link, t->natoms, 1) != Z_OK)
            return NULL;
    }
    memset(head, 0, TRACK_HEAD);
    head[0] = (unsigned char)t->kind;
    head[1] = (unsigned char)t->generations;
    head[2] = (unsigned char)t->levels;
    for (unsigned g = 0; g < t->generations; g++)
        head[3] |= (unsigned char)((t->model[g].length2 != 0) << g);
    put32(head + 8, t->base);
    memcpy(head + 12, t->edge, 12);
    memcpy(head + 24, &t->per, 8);
    memcpy(head + 32, t->middle, 12);
    for (unsigned g = 0; g < t->generations; g++)
        head[44 + g] = (unsigned char)t->model[g].order;
    put32(head + 48, (uint32_t)links);
    return p + links;
}

static int check_grid(const struct track *t, int reserved, struct err *e)
{
    bool known = t->kind == TRACK_GRID
                     ? t->levels >= 1 && t->levels <= TRACK_LEVELS && t->per > 0 && t->per <= 1e15
                     : t->kind == TRACK_FLOATS && t->levels == 0 && t->per == 0 && t->base == 0;
    if (!known || reserved != 0 || t->base > 100000000 || t->base % 10)
        return err_bad(e,
                       "expected a valid decimal grid, or plain floats without a grid, found kind "
                       "%d with %u levels",
                       (int)t->kind, t->levels);
    return 0;
}

/* Unpacks the part of a header that codecs 2 and 3 have in common. Returns its end, or NULL. */
static const unsigned char *unpack_common(struct track *t, const unsigned char *p, size_t n,
                                          bool old, struct err *e)
{
    size_t coef = old ? OLD_HEAD + CODE_BYTES : TRACK_HEAD;
    bool valid = n >= coef;
    if (valid) {
        t->kind = (enum track_kind)p[0];
        t->generations = old ? 1 : p[1];
        t->levels = p[2];
        t->exceptions = get32(p + 4);
        t->base = get32(p + 8);
        memcpy(t->edge, p + 12, 12);
        memcpy(&t->per, p + 24, 8);
        if (!old)
            memcpy(t->middle, p + 32, 12);
        valid = t->generations >= 1 && t->generations <= TRACK_GENERATIONS;
    }
    for (unsigned g = 0; valid && g < t->generations; g++) {
        t->model[g].order = old ? p[1] : p[44 + g];
        t->model[g].length2 = p[3] >> g & 1;
        valid = t->model[g].order <= TRACK_ORDER;
    }
    const unsigned char *end =
        valid ? coefficients(t, (unsigned char *)(uintptr_t)p + coef, p + n, false) : NULL;
    if (!end)
        (void)err_bad(
            e, "expected a valid header of a predicted part, found other data in %zu bytes", n);
    else if (check_grid(t, p[3] & 1 || p[3] >> t->generations, e))
        return NULL;
    else
        track_levels(t);
    return end;
}

/* Unpacks the links from n bytes at p into `room`, and sorts the atoms. */
static int unpack_links(struct track *t, const unsigned char *p, size_t n, unsigned char *room,
                        struct err *e)
{
    unsigned char *link = room + sizeof *t->atom * t->natoms;
    uLongf found = t->natoms;
    t->atom = (uint32_t *)(void *)room;
    t->link = link;
    if (uncompress(link, &found, p, n) != Z_OK || found != t->natoms ||
        !track_sort(t, link + t->natoms))
        return err_bad(e, "expected valid links between the %zu atoms, found other data",
                       t->natoms);
    return 0;
}

/* ---- sections */

/* Residuals with the same prefix code. Sections with `stored` false are left out. */
struct section {
    size_t from, count;
    bool stored;
};

/* Divides the residuals into the sections of each generation: first row, other rows, z in the first
 * row, z in the other rows. Returns the bytes of the tables of the sections. */
static size_t sections(const struct track *t, struct section of[SECTIONS])
{
    size_t rows = t->count / t->row, rest = t->count % t->row, at = 0, tables = 0;
    for (unsigned g = 0; g < t->generations; g++) {
        size_t first = t->row, ragged = rest;
        bool lengths = t->model[g].length2 != 0;
        if (t->generations > 1) {
            size_t present = t->begin[rest ? g + 1 : g];
            while (present > t->begin[g] && t->lead + 3 * (size_t)t->atom[present - 1] + 3 > rest)
                present--;
            first = t->begin[g + 1] - t->begin[g];
            ragged = present - t->begin[g];
        }
        for (unsigned k = 0; k < TRACK_SECTIONS; k++, of++) {
            size_t each = t->generations == 1 ? 1 : !lengths ? 3 : k < 2 ? 2 : 1;
            of->from = at;
            of->stored = (k < 2 || lengths) && (k % 2 == 0 || t->count > t->row);
            of->count = !of->stored ? 0 : each * (k % 2 ? (rows - 1) * first + ragged : first);
            at += of->count;
            tables += of->stored ? TABLE : 0;
        }
    }
    return tables;
}

/* Computes the residuals v from x, or restores y from v if x is NULL. */
static void predict(const struct track *t, const struct section of[SECTIONS], const float *x,
                    float *y, uint32_t *v)
{
    uint32_t *to[TRACK_GENERATIONS][TRACK_SECTIONS];
    for (unsigned k = 0; k < TRACK_SECTIONS * t->generations; k++)
        to[k / TRACK_SECTIONS][k % TRACK_SECTIONS] = v + of[k].from;
    if (t->generations > 1)
        SIMD_PICK(track_linked)(t, x, y, to);
    else
        SIMD_PICK(track_alone)(t, x, y, v);
}

/* ---- packing */

/* Returns the first value of lane j, which ends before the first value of lane j + 1. */
static size_t lane_at(size_t count, int j, int lanes)
{
    return (size_t)((unsigned __int128)count * (unsigned)j / (unsigned)lanes);
}

/* Writes the strings of a section to p and their lengths to `lengths`. Returns the end. */
static unsigned char *write_lanes(const struct track_code *code, const uint32_t *v, size_t count,
                                  unsigned char *lengths, unsigned char *p)
{
    for (int j = 0; j < LANES; j++) {
        size_t from = lane_at(count, j, LANES), to = lane_at(count, j + 1, LANES);
        unsigned char *begun = p;
        p = SIMD_PICK(track_write)(code, v + from, to - from, p);
        put32(lengths + 4 * j, (uint32_t)(p - begun));
    }
    return p;
}

/* Returns the number of numbers at the end that belong to no linked atom. */
static size_t unlinked_end(const struct track *t)
{
    size_t rest = t->count % t->row;
    return t->generations > 1 ? ((rest ? rest : t->row) - t->lead) % 3 : 0;
}

/* Lists the numbers x that a reader cannot restore: those that differ in y, and those that belong
 * to no linked atom. Returns their number, or SIZE_MAX if too many. */
static size_t list_exceptions(const struct track *t, const unsigned char *x, const unsigned char *y,
                              unsigned char *list)
{
    enum { PIECE = 64 };
    size_t n = 0, lead = t->generations > 1 ? t->lead : 0, end = t->count - unlinked_end(t);
    for (size_t k = 0, equal; k < t->count; k += equal ? equal : 1) {
        equal = k + PIECE <= end ? PIECE : 1;
        if (k < lead || k >= end || memcmp(x + 4 * k, y + 4 * k, 4 * equal) != 0)
            equal = k >= lead && k < end && memcmp(x + 4 * k, y + 4 * k, 4) == 0;
        if (equal)
            continue;
        if (n > 2 * t->count / TRACK_OFF_GRID + 4)
            return SIZE_MAX;
        put32(list + 8 * n, (uint32_t)k);
        memcpy(list + 8 * n++ + 4, x + 4 * k, 4);
    }
    return n;
}

/* Packs with the settings of t. Returns 0 if the result is not short enough. */
static size_t pack(struct track *t, const void *raw, unsigned char *out, uint32_t *v,
                   unsigned char *list)
{
    size_t max = 4 * t->count - t->count / 5, off;
    const unsigned char *end = out + max;
    struct section of[SECTIONS], *s = of;
    size_t bytes = sections(t, of);
    predict(t, of, raw, (float *)(void *)out, v);
    off = list_exceptions(t, raw, out, list);
    unsigned char *tables = off == SIZE_MAX ? NULL : pack_head(t, out, end),
                  *p = tables ? tables + bytes : NULL;
    for (; p && s < of + TRACK_SECTIONS * t->generations; s++) {
        if (!s->stored)
            continue;
        uint32_t classes[TRACK_CLASSES];
        struct track_code code;
        SIMD_PICK(track_count)(v + s->from, s->count, classes);
        size_t need = (size_t)(track_make_code(classes, &code) / 8) + LANES + MARGIN + 8 * off;
        if (p > end || need > (size_t)(end - p))
            return 0;
        for (int c = 0; c < TRACK_CLASSES; c += 2)
            tables[c / 2] = (unsigned char)(code.length[c] | code.length[c + 1] << 4);
        p = write_lanes(&code, v + s->from, s->count, tables + CODE_BYTES, p);
        tables += TABLE;
    }
    if (!p)
        return 0;
    put32(out + 4, (uint32_t)off);
    memcpy(p, list, 8 * off);
    return (size_t)(p - out) + 8 * off;
}

size_t track_pack(const float edge[3], size_t row, uint64_t at, const void *raw, size_t n,
                  void *out, void *scratch)
{
    struct track t = {.phase = (unsigned)(at % 3), .count = n / 4};
    unsigned char *room = (unsigned char *)scratch + n, *list = room + n / 4 * 3;
    if (edge)
        memcpy(t.edge, edge, sizeof t.edge);
    track_shape(&t, row);
    if (!track_choose(&t, raw, edge != NULL, room))
        return 0;
    size_t len = pack(&t, raw, out, scratch, list);
    if (len || t.kind == TRACK_FLOATS)
        return len;
    t.kind = TRACK_FLOATS;
    t.levels = 0, t.base = 0, t.per = 0;
    return pack(&t, raw, out, scratch, list);
}

/* ---- unpacking */

/* Restores `count` residuals v from the n bytes of their lanes at p, of `size` readable bytes. */
static int unpack_lanes(const unsigned char *code, const unsigned char *p, size_t n, size_t size,
                        const unsigned char *lengths, int lanes, uint32_t *v, size_t count,
                        struct err *e)
{
    struct track_table table;
    unsigned char length[TRACK_CLASSES];
    uint64_t end = 0;
    for (int k = 0; k < TRACK_CLASSES; k++)
        length[k] = code[k / 2] >> 4 * (k % 2) & 15;
    if (track_make_table(length, &table, e))
        return -1;
    for (int j = 0; j < lanes; j += LANES) {
        uint64_t at[LANES], ends[LANES];
        uint32_t *to[LANES + 1];
        for (int k = 0; k <= LANES; k++)
            to[k] = v + lane_at(count, j + k, lanes);
        for (int k = 0; k < LANES; k++) {
            at[k] = 8 * end;
            end += get32(lengths + 4 * (j + k));
            ends[k] = 8 * end;
        }
        SIMD_PICK(track_read)(&table, p, size, at, to);
        for (int k = 0; k < LANES; k++)
            if ((at[k] + 7) / 8 * 8 != ends[k])
                return err_bad(e, "expected residuals of %llu bits, found %llu",
                               (unsigned long long)ends[k], (unsigned long long)at[k]);
    }
    return end == n ? 0
                    : err_bad(e, "expected %zu bytes of residuals, found %llu", n,
                              (unsigned long long)end);
}

/* Restores the numbers from the tables and bit strings between p and `end`. */
static int unpack_sections(const struct track *t, const unsigned char *p, const unsigned char *end,
                           float *out, uint32_t *v, struct err *e)
{
    struct section of[SECTIONS], *s = of;
    size_t tables = sections(t, of);
    const unsigned char *lanes = p + tables;
    if (tables > (size_t)(end - p))
        return err_bad(e, "expected %zu bytes of codes, found %zu", tables, (size_t)(end - p));
    for (const unsigned char *last = lanes - TABLE; p <= last; s++) {
        if (!s->stored)
            continue;
        uint64_t bytes = 0, left = (uint64_t)(end - lanes);
        for (int j = 0; j < LANES; j++)
            bytes += get32(p + CODE_BYTES + 4 * j);
        if (bytes > left || (p == last && bytes < left))
            return err_bad(e, "expected %llu bytes of residuals, found %llu",
                           (unsigned long long)left, (unsigned long long)bytes);
        if (unpack_lanes(p, lanes, (size_t)bytes, (size_t)left, p + CODE_BYTES, LANES, v + s->from,
                         s->count, e))
            return -1;
        lanes += bytes;
        p += TABLE;
    }
    predict(t, of, NULL, out, v);
    return 0;
}

int track_unpack(int codec, size_t row, uint64_t at, const void *packed, size_t stored, void *out,
                 size_t n, void *scratch, struct err *e)
{
    struct track t = {.phase = (unsigned)(at % 3), .count = n / 4};
    bool old = codec == 2;
    const unsigned char *begin = packed, *p = unpack_common(&t, begin, stored, old, e);
    if (!p)
        return -1;
    track_shape(&t, row);
    size_t extra = old ? 4 * OLD_LANES : get32(begin + 48), left = stored - (size_t)(p - begin);
    if (extra > left || (!old && (extra > 0) != (t.generations > 1)))
        return err_bad(e,
                       "expected a valid header of a predicted part, found other data in %zu bytes",
                       stored);
    left -= extra;
    if (t.exceptions > t.count || 8 * (uint64_t)t.exceptions > left)
        return err_bad(e, "expected at most %zu exceptions from the prediction, found %u", t.count,
                       t.exceptions);
    const unsigned char *end = begin + stored - 8 * (size_t)t.exceptions;
    if (old) {
        size_t n_lanes = (size_t)(end - p) - extra;
        if (unpack_lanes(begin + OLD_HEAD, p + extra, n_lanes, n_lanes, p, OLD_LANES, out, t.count,
                         e))
            return -1;
        SIMD_PICK(track_alone)(&t, NULL, out, out);
    } else {
        bool linked = t.generations > 1;
        if (linked && unpack_links(&t, p, extra, (unsigned char *)scratch + n, e))
            return -1;
        if (linked) {
            memset(out, 0, 4 * t.lead);
            memset((unsigned char *)out + n - 4 * unlinked_end(&t), 0, 4 * unlinked_end(&t));
        }
        if (unpack_sections(&t, p + extra, end, out, linked ? scratch : out, e))
            return -1;
    }
    for (p = end; t.exceptions--; p += 8) {
        if (get32(p) >= t.count)
            return err_bad(e, "expected an exception with an index below %zu, found index %u",
                           t.count, get32(p));
        memcpy((unsigned char *)out + 4 * (size_t)get32(p), p + 4, 4);
    }
    return 0;
}
