/* SPDX-License-Identifier: MIT */
/* rdf_sets.c: what both engines of rdf.h share: sets of atoms and checks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rdf/rdf.h"

void rdf_sort_species(const struct rdf_params *p, uint32_t *order, size_t *begin)
{
    size_t count[257] = {0};
    for (size_t i = 0; i < p->natoms; i++)
        count[(p->species ? p->species[i] : 0) + 1]++;
    for (int s = 0; s < p->nspecies; s++)
        count[s + 1] += count[s];
    memcpy(begin, count, ((size_t)p->nspecies + 1) * sizeof *begin);
    for (size_t i = 0; i < p->natoms; i++)
        order[count[p->species ? p->species[i] : 0]++] = (uint32_t)i;
}

void rdf_ranges(const struct rdf_pair *q, const size_t *begin, size_t natoms, size_t a[2],
                size_t b[2])
{
    int every = q->a == RDF_EVERY;
    a[0] = every ? 0 : begin[q->a];
    a[1] = every ? natoms : begin[q->a + 1];
    b[0] = every ? 0 : begin[q->b];
    b[1] = every ? natoms : begin[q->b + 1];
}

int rdf_check(const struct rdf_params *p, char *err, size_t errlen)
{
    if (p->dtype != FRAME_F32 && p->dtype != FRAME_F64)
        snprintf(err, errlen, "positions in f32 or f64 expected");
    else if (p->natoms > UINT32_MAX)
        snprintf(err, errlen, "at most %u atoms expected, found %zu", UINT32_MAX, p->natoms);
    else if (p->bins < 1 || p->bins > HIST_MAX_BINS)
        snprintf(err, errlen, "1 to %d bins expected, found %zu", HIST_MAX_BINS, p->bins);
    else if (!(p->rmax > 0.0) || !(p->rmax < 1e30))
        snprintf(err, errlen, "a positive rmax expected, found %g", p->rmax);
    else if (p->nspecies < 1 || p->nspecies > 256 || p->npairs < 1 || p->slots < 1)
        snprintf(err, errlen, "at least one species, pair and slot expected");
    else
        return 0;
    return -1;
}

int rdf_check_box(const struct box *b, double rmax, char *err, size_t errlen)
{
    if (b->ortho || rmax <= box_half_width(b) * (1.0 + 1e-12))
        return 0;
    snprintf(err, errlen,
             "rmax %g A passes half the smallest width of a triclinic cell, %g A: beyond it the "
             "nearest image is not the only "
             "one",
             rmax, box_half_width(b));
    return -1;
}

void rdf_copy(void *to, const void *from, size_t bytes, int threads)
{
    const size_t piece = (size_t)1 << 20;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1 && bytes > 4 * piece)
    for (size_t at = 0; at < bytes; at += piece)
        memcpy((char *)to + at, (const char *)from + at, bytes - at < piece ? bytes - at : piece);
}

int rdf_choose_rmax(const char *text, const struct box *b, double *rmax, char *note, size_t notelen,
                    char *err, size_t errlen)
{
    double corner = hist_corner(b);
    int none = corner == HUGE_VAL, is_corner = strcmp(text, "corner") == 0;
    char *end;
    if ((is_corner || strcmp(text, "half") == 0) && none) {
        snprintf(err, errlen, "--rmax %s: the input has no cell: give --rmax in A", text);
        return -1;
    }
    if (is_corner && !b->ortho) {
        snprintf(err, errlen,
                 "--rmax corner: the cell is triclinic; beyond half its smallest width, %.6g A, "
                 "the nearest image is "
                 "not the only one",
                 corner);
        return -1;
    }
    *rmax = is_corner ? corner : strcmp(text, "half") == 0 ? hist_half(b) : strtod(text, &end);
    if (none)
        snprintf(note, notelen,
                 "no cell: plain distances; counts and n only, g has no volume to refer to");
    else if (b->ortho && *rmax > corner * (1 + 1e-12))
        snprintf(note, notelen,
                 "rmax %g A passes the corner of the cell, %g A: bins beyond it stay empty", *rmax,
                 corner);
    return 0;
}
