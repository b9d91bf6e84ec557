/* SPDX-License-Identifier: MIT */
/* Rows of one piece to numbers; what the fast path does not like is read again with care. */
#include <string.h>

#include "xyz/xyz_reader.h"

typedef size_t rows_fn(const struct xyz_rows *, const char **);

/* The name of an atom must be that of the first frame; with ids the order may differ, so it is not
 * looked at. */
static bool name_agrees(const struct xyz_reader *x, const struct xyz_row *r, size_t atom)
{
    return x->has_ids || !x->names || r->name_len == 0 ||
           (strncmp(x->names[atom], r->name, r->name_len) == 0 &&
            x->names[atom][r->name_len] == '\0');
}

/* A line that the fast path did not like. 0, or -1: it is wrong. */
static int careful_row(const struct xyz_reader *x, const char *p, const char *end,
                       const struct xyz_layout *l, size_t atom, char *pos, int64_t *id)
{
    char err[XYZ_ERR_BYTES];
    struct xyz_row r;
    size_t column;
    const char *nl = memchr(p, '\n', (size_t)(end - p));
    if (!nl || xyz_row(p, (size_t)(nl - p), l, x->opts.f64, &r, &column, err, sizeof err) != 0 ||
        !name_agrees(x, &r, atom))
        return -1;
    memcpy(pos, x->opts.f64 ? (const void *)r.pos64 : (const void *)r.pos32, x->opts.f64 ? 24 : 12);
    if (id)
        *id = r.id;
    return 0;
}

void xyz_parse_piece(const struct xyz_reader *x, const struct xyz_batch *b,
                     const struct xyz_piece *piece, size_t *bad)
{
    rows_fn *fast = x->opts.f64 ? SIMD_PICK(xyz_rows_f64) : SIMD_PICK(xyz_rows_f32);
    const struct xyz_layout *l = &x->heads[piece->span].layout;
    const char *p = b->text + piece->text, *end = b->text + piece->end;
    size_t atom_bytes = x->opts.f64 ? 24 : 12;
    bool ids = x->has_ids && l->id >= 0;
    *bad = SIZE_MAX;
    for (size_t done = 0; done < piece->nrows;) {
        size_t row = piece->first_row + done;
        char *pos = x->pos + piece->span * x->frame_bytes + row * atom_bytes;
        int64_t *id = ids ? x->ids + piece->span * x->natoms + row : NULL;
        struct xyz_rows r = {.text = p,
                             .end = end,
                             .nrows = piece->nrows - done,
                             .layout = *l,
                             .pos = pos,
                             .ids = id,
                             .names =
                                 x->has_ids || l->name < 0 || !x->names8 ? NULL : x->names8 + row};
        size_t n = fast(&r, &p);
        done += n;
        if (done == piece->nrows)
            return;
        if (careful_row(x, p, end, l, row + n, pos + n * atom_bytes, id ? id + n : NULL) != 0) {
            *bad = row + n;
            return;
        }
        p = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
        done++;
    }
}

int xyz_explain_row(struct xyz_reader *x, size_t k, size_t row)
{
    const struct xyz_batch *b = &x->batch[x->cur];
    const char *p = b->text + b->spans[k].rows, *end = b->text + b->spans[k].end;
    size_t skip = row, column;
    char err[XYZ_ERR_BYTES];
    struct xyz_row r;
    p = SIMD_PICK(xyz_skip_lines)(p, end, &skip);
    size_t len = (size_t)((const char *)memchr(p, '\n', (size_t)(end - p)) - p);
    if (len > 0 && p[len - 1] == '\r')
        len--;
    if (xyz_row(p, len, &x->heads[k].layout, x->opts.f64, &r, &column, err, sizeof err) != 0)
        return xyz_fail(x, k, row, "column %zu: %s", column, err);
    return xyz_fail(x, k, row,
                    "expected atom %zu to be '%s' as in the first frame, found '%.*s': is this "
                    "dump unsorted (LAMMPS: "
                    "dump_modify sort id)?",
                    row + 1, x->names[row], (int)r.name_len, r.name);
}
