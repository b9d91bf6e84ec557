/* SPDX-License-Identifier: MIT */
/* series_hist.c: HIST segments, from pair counts to g(r), running coordination numbers and standard
 * errors. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/series_reading.h"

enum { COL_R = 0, COL_FIRST, PAIR_COUNT = 0, PAIR_G, PAIR_N, PAIR_COLUMNS };

struct hist {
    size_t blocks, pairs, bins;
    double rmax, steps; /* Å; steps of all blocks */
    uint64_t *counts;   /* [blocks][pairs][bins] */
    double *expected;   /* [blocks][pairs][bins] */
};

/* Atoms of the species called name, by sys.species; 0 when there is none. */
static double atoms_called(const struct meta *m, size_t natoms, const char *name, size_t len)
{
    char names[256][16];
    double n = 0.0;
    unsigned char *species = calloc(natoms ? natoms : 1, 1);
    int k = species ? meta_species(m, natoms, species, names, 256, NULL) : -1;
    for (int i = 0; i < k; i++)
        if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
            for (size_t a = 0; a < natoms; a++)
                n += species[a] == i;
    free(species);
    return n;
}

/*
 * Neighbours of an A atom per counted pair and step: (A = B ? 2 : 1) / N_A; pair "" or "all": 2 /
 * N. NaN: N_A unknown. One dash splits the name; where names hold dashes themselves, the split that
 * leaves two known species is taken.
 */
static double pair_weight(const struct meta *m, const char *pair)
{
    unsigned long long natoms = 0;
    if (meta_get_u64(m, "sys.natoms", &natoms) != 1 || natoms == 0)
        return NAN;
    if (*pair == '\0' || strcmp(pair, "all") == 0)
        return 2.0 / (double)natoms;
    for (const char *dash = strchr(pair, '-'); dash; dash = strchr(dash + 1, '-')) {
        size_t len = (size_t)(dash - pair), rest = strlen(dash + 1);
        double n = atoms_called(m, natoms, pair, len);
        if (n > 0.0 && atoms_called(m, natoms, dash + 1, rest) > 0.0)
            return (len == rest && memcmp(pair, dash + 1, len) == 0 ? 2.0 : 1.0) / n;
    }
    return NAN;
}

static void name_pair(struct series *s, size_t first, const char *pair, size_t col_se)
{
    static const char *const names[PAIR_COLUMNS] = {"count", "g", "n"};
    int plain = *pair == '\0' || strcmp(pair, "all") == 0;
    for (size_t k = 0; k < PAIR_COLUMNS; k++)
        snprintf(s->name[first + k], SERIES_NAME, "%s%s%.33s", names[k], plain ? "" : "_",
                 plain ? "" : pair);
    if (s->blocks) {
        s->se[first + PAIR_G] = (int)col_se;
        snprintf(s->name[col_se], SERIES_NAME, "g%s%.33s_se", plain ? "" : "_", plain ? "" : pair);
    }
}

/* The three columns of pair q, beginning at column first. work: [2][blocks]. 0, or -1: a sum passes
 * 64 bits. */
static int fill_pair(const struct hist *h, struct series *s, size_t q, size_t first, double weight,
                     double *work)
{
    double *y = work, *n = work + h->blocks;
    uint64_t running = 0;
    for (size_t k = 0; k < h->bins; k++) {
        uint64_t total = 0;
        for (size_t b = 0; b < h->blocks; b++) {
            size_t at = (b * h->pairs + q) * h->bins + k;
            y[b] = (double)h->counts[at];
            n[b] = h->expected[at];
            if (__builtin_add_overflow(total, h->counts[at], &total))
                return -1;
        }
        if (__builtin_add_overflow(running, total, &running))
            return -1;
        double *row = s->v + k * s->cols;
        row[first + PAIR_COUNT] = (double)total;
        s->count[first + PAIR_COUNT][k] = total;
        series_ratio(s, k, first + PAIR_G, h->blocks, y, n);
        row[first + PAIR_N] = (double)running * weight / h->steps;
    }
    return 0;
}

static int normalise(struct series_source *in, const struct hist *h, struct series *s)
{
    const struct meta *m = frame_meta(in->r);
    const char *list = meta_get(m, "data.pairs");
    size_t errors = h->blocks >= 2, first = COL_FIRST;
    if (series_alloc(s, FRAME_HIST, h->bins, COL_FIRST + h->pairs * (PAIR_COLUMNS + errors),
                     errors ? h->blocks : 0) != 0)
        return series_refuse(in, 3, "out of memory for %zu bins", h->bins);
    strcpy(s->name[COL_R], "r_A");
    for (size_t k = 0; k < h->bins; k++)
        s->v[k * s->cols] = ((double)k + 0.5) * h->rmax / (double)h->bins;
    double *work = calloc(2 * h->blocks, sizeof *work);
    int rc = work ? 0 : series_refuse(in, 3, "out of memory for %zu blocks", h->blocks);
    for (size_t q = 0; q < h->pairs && rc == 0; q++, first += PAIR_COLUMNS) {
        char pair[SERIES_NAME] = "";
        if ((h->pairs > 1 || list) && (!list || series_word(list, q, pair, 34) != 1))
            rc = series_refuse(in, 2, "%zu names expected in data.pairs, found \"%.100s\"",
                               h->pairs, list ? list : "");
        else if (!(s->count[first] = calloc(h->bins, sizeof(uint64_t))))
            rc = series_refuse(in, 3, "out of memory for %zu bins", h->bins);
        if (rc != 0)
            break;
        name_pair(s, first, h->pairs > 1 ? pair : "", COL_FIRST + PAIR_COLUMNS * h->pairs + q);
        if (fill_pair(h, s, q, first, pair_weight(m, pair), work) != 0)
            rc = series_refuse(in, 2, "the pair counts add up to more than 64 bits hold");
    }
    free(work);
    return rc;
}

/* Arrays 2 and 3 and the axis; h->counts is there. */
static int read_rest(struct series_source *in, struct frame *f, struct hist *h)
{
    const struct meta *m = frame_meta(in->r);
    unsigned long long bins = 0;
    if (meta_get_f64(m, "data.rmax", &h->rmax, 1) != 1 || !(h->rmax > 0.0) || !isfinite(h->rmax) ||
        meta_get_u64(m, "data.bins", &bins) != 1 || bins != h->bins)
        return series_refuse(in, 2, "data.rmax > 0 and data.bins = %zu expected in a HIST segment",
                             h->bins);
    if (series_next_array(in, f, "HIST expected") != 0 ||
        series_expect(in, f, FRAME_HIST, FRAME_F64, 3, "HIST expected") != 0)
        return -1;
    if (f->desc.dims[0] != h->blocks || f->desc.dims[1] != h->pairs || f->desc.dims[2] != h->bins)
        return series_refuse(in, 2, "HIST expected [%zu, %zu, %zu], found another shape", h->blocks,
                             h->pairs, h->bins);
    if (!(h->expected = series_take(in, f)))
        return -1;
    if (series_next_array(in, f, "HIST steps") != 0 ||
        series_expect(in, f, FRAME_HIST, FRAME_F64, 1, "HIST steps") != 0)
        return -1;
    if (f->desc.dims[0] != h->blocks)
        return series_refuse(in, 2, "HIST steps of %zu blocks expected, found %llu", h->blocks,
                             (unsigned long long)f->desc.dims[0]);
    for (size_t b = 0; b < h->blocks; b++)
        h->steps += ((const double *)f->data)[b];
    return 0;
}

int series_read_hist(struct series_source *in, struct frame *f, struct series *s)
{
    struct hist h = {0};
    if (series_expect(in, f, FRAME_HIST, FRAME_U64, 3, "HIST counts") != 0)
        return -1;
    h.blocks = f->desc.dims[0];
    h.pairs = f->desc.dims[1];
    h.bins = f->desc.dims[2];
    if (h.blocks == 0 || h.pairs == 0 || h.bins == 0)
        return series_refuse(in, 2,
                             "at least one block, pair and bin expected, found %zu x %zu x %zu",
                             h.blocks, h.pairs, h.bins);
    if (!(h.counts = series_take(in, f)))
        return -1;
    int rc = read_rest(in, f, &h);
    if (rc == 0)
        rc = normalise(in, &h, s);
    free(h.counts);
    free(h.expected);
    return rc;
}
