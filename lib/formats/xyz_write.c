/* SPDX-License-Identifier: MIT */
#include "formats/xyz_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "io/decimal.h"
#include "stream/scalars.h"

enum {
    UNIT_ROWS = 4096,
    NAME = 16,
    NUMBER_MAX = DECIMAL_TEXT + 1,
    ROW_MAX = NAME + 6 * NUMBER_MAX + 1, /* without scalars */
    HEAD_MAX = 1024,
    UNITS_A_THREAD = 8,
    UNIT_BYTES = UNIT_ROWS * ROW_MAX
};

struct xyz_writer {
    size_t natoms;
    bool f64;
    int digits;
    struct pool *pool;
    const struct traj_block *block; /* current block */
    size_t first_unit;
    double sigma;
    size_t nscalars;
    char *properties; /* text of the scalars, ":charge:R:1", and of their units, " charge_unit=e" */
    unsigned char *species;
    char (*names)[NAME];
    unsigned char len[256];
    char *text;   /* [units][unit_bytes] */
    size_t *used; /* [units] */
    size_t units, unit_bytes;
    size_t units_a_step, steps_a_unit; /* at least one of these two numbers is 1 */
};

static void put3(FILE *f, const char *a, const char *b, const char *c)
{
    fputs(a, f);
    fputs(b, f);
    fputs(c, f);
}

/* Returns the text of the scalars in the second line, which the caller frees. On failure, returns
 * NULL and sets *e. */
static char *scalar_properties(const struct meta *m, size_t nscalars, struct err *e)
{
    struct scalar s[SCALARS_MAX];
    char *text = NULL;
    size_t size;
    int n = nscalars ? scalars_read(m, s, e) : 0;
    FILE *f = n < 0 ? NULL : open_memstream(&text, &size);
    for (int k = 0; f && k < n; k++)
        put3(f, ":", s[k].name, ":R:1");
    for (int k = 0; f && k < n; k++)
        if (strcmp(s[k].unit, "-") != 0) {
            put3(f, " ", s[k].name, "_unit=");
            fputs(s[k].unit, f);
        }
    if (n >= 0 && (!f || (ferror(f) | fclose(f)))) {
        free(text);
        text = NULL;
        err_memory(e, "the text");
    }
    return text;
}

struct xyz_writer *xyz_writer_new(const struct traj_info *info, const struct meta *meta, int digits,
                                  int threads, struct err *e)
{
    struct xyz_writer *w = calloc(1, sizeof *w);
    if (w) {
        *w = (struct xyz_writer){.natoms = info->natoms,
                                 .f64 = info->dtype == FRAME_F64,
                                 .digits = digits,
                                 .sigma = info->sigma,
                                 .nscalars = info->nscalars,
                                 .pool = pool_new(threads),
                                 .units = (size_t)threads * UNITS_A_THREAD};
        w->units_a_step = (w->natoms + UNIT_ROWS - 1) / UNIT_ROWS;
        size_t rows = w->natoms < UNIT_ROWS ? w->natoms : UNIT_ROWS,
               row = ROW_MAX + w->nscalars * NUMBER_MAX,
               step = HEAD_MAX + 2 * SCALARS_NAME * 2 * w->nscalars + rows * row;
        w->steps_a_unit = step < UNIT_BYTES ? UNIT_BYTES / step : 1;
        w->unit_bytes = w->steps_a_unit * step;
        w->species = calloc(info->natoms, 1);
        w->names = calloc(256, sizeof *w->names);
        w->text = malloc(w->units * w->unit_bytes);
        w->used = malloc(w->units * sizeof *w->used);
    }
    if (!w || !w->pool || !w->species || !w->names || !w->text || !w->used) {
        err_memory(e, "the text");
        xyz_writer_free(w);
        return NULL;
    }
    w->properties = scalar_properties(meta, w->nscalars, e);
    int n = w->properties ? meta_species(meta, info->natoms, w->species, w->names, 256, e) : -1;
    if (n < 0) {
        xyz_writer_free(w);
        return NULL;
    }
    if (n == 0)
        strcpy(w->names[0], "X"); /* usual name of an unnamed atom */
    for (int k = 0; k < 256; k++)
        w->len[k] = (unsigned char)strlen(w->names[k]);
    return w;
}

void xyz_writer_free(struct xyz_writer *w)
{
    if (!w)
        return;
    pool_free(w->pool);
    free(w->properties);
    free(w->species);
    free(w->names);
    free(w->text);
    free(w->used);
    free(w);
}

static char *put_text(char *p, const char *s)
{
    size_t n = strlen(s);
    memcpy(p, s, n);
    return p + n;
}

static char *put_head(const struct xyz_writer *w, char *p, const struct box *box, double time,
                      bool velocities)
{
    static const char *const tf[2] = {"F", "T"};
    p += sprintf(p, "%zu\n", w->natoms);
    if (box_volume(box) > 0.0) {
        p = put_text(p, "Lattice=\"");
        for (int k = 0; k < 9; k++) {
            if (k)
                *p++ = ' ';
            p += decimal_put_f64(p, box->h[k / 3][k % 3], 0);
        }
        p = put_text(p, "\" ");
    }
    p = put_text(p, "Properties=species:S:1:pos:R:3");
    p = put_text(p, velocities ? ":vel:R:3" : "");
    p = put_text(p, w->properties);
    p = put_text(p, velocities ? " vel_unit=A/ps" : "");
    p += sprintf(p, " pbc=\"%s %s %s\"", tf[box->pbc[0] != 0], tf[box->pbc[1] != 0],
                 tf[box->pbc[2] != 0]);
    if (!isnan(time)) {
        p = put_text(p, " Time=");
        p += decimal_put_f64(p, time * 1e3, 15); /* 15 digits make 0.3 ps exactly 300 fs */
        p = put_text(p, " time_unit=fs");
    }
    if (!isnan(w->sigma)) {
        p = put_text(p, " sigma=");
        p += decimal_put_f64(p, w->sigma, 0);
    }
    *p++ = '\n';
    return p;
}

/* Writes row i of x, which has n numbers per row. */
static char *put_numbers(const struct xyz_writer *w, char *p, const void *x, size_t n, size_t i)
{
    for (size_t k = n * i; k < n * i + n; k++) {
        *p++ = ' ';
        p += w->f64 ? decimal_put_f64(p, ((const double *)x)[k], w->digits)
                    : decimal_put_f32(p, ((const float *)x)[k], w->digits);
    }
    return p;
}

/* Writes rows `first` to `end` - 1. The arrays vel and scal may be NULL. */
static char *put_rows(const struct xyz_writer *w, char *p, const void *pos, const void *vel,
                      const void *scal, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        size_t n = w->len[w->species[i]];
        memcpy(p, w->names[w->species[i]], NAME);
        p += n;
        p = put_numbers(w, p, pos, 3, i);
        if (vel)
            p = put_numbers(w, p, vel, 3, i);
        if (scal)
            p = put_numbers(w, p, scal, w->nscalars, i);
        *p++ = '\n';
    }
    return p;
}

/* Writes work unit u of the block, which is several small steps or some rows of one step. Returns
 * its size in bytes. */
static size_t put_unit(const struct xyz_writer *w, const struct traj_block *b, size_t u, char *p)
{
    char *start = p;
    size_t step_bytes = w->natoms * 3 * (w->f64 ? 8 : 4);
    size_t step = u / w->units_a_step * w->steps_a_unit, first = u % w->units_a_step * UNIT_ROWS;
    for (size_t n = 0; n < w->steps_a_unit && step < b->nsteps; n++, step++) {
        size_t end = first + UNIT_ROWS < w->natoms ? first + UNIT_ROWS : w->natoms;
        if (first == 0)
            p = put_head(w, p, &b->box[step], b->time[step], b->velocities != NULL);
        p = put_rows(w, p, (const char *)b->data + step * step_bytes,
                     b->velocities ? (const char *)b->velocities + step * step_bytes : NULL,
                     b->scalars ? (const char *)b->scalars + step * (step_bytes / 3 * w->nscalars)
                                : NULL,
                     first, end);
    }
    return (size_t)(p - start);
}

static void put_item(void *ctx, size_t k, int thread)
{
    (void)thread;
    struct xyz_writer *w = ctx;
    w->used[k] = put_unit(w, w->block, w->first_unit + k, w->text + k * w->unit_bytes);
}

void xyz_write(struct xyz_writer *w, const struct traj_block *b,
               void (*out)(void *ctx, const void *bytes, size_t n), void *ctx)
{
    size_t total = (b->nsteps + w->steps_a_unit - 1) / w->steps_a_unit * w->units_a_step;
    for (size_t done = 0; done < total; done += w->units) {
        size_t n = total - done < w->units ? total - done : w->units;
        w->block = b;
        w->first_unit = done;
        pool_run(w->pool, put_item, w, n);
        for (size_t k = 0; k < n; k++)
            out(ctx, w->text + k * w->unit_bytes, w->used[k]);
    }
}
