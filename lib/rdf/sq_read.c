/* SPDX-License-Identifier: MIT */
/* sq_read.c: a HIST segment as it is, for transforms that need the blocks themselves. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "rdf/sq.h"
#include "stats/series_source.h"
#include "stream/traj.h"

void sq_free(struct sq_hist *h)
{
    free(h->counts);
    free(h->expected);
    free(h->steps);
    rdf_names_close(&h->names);
    memset(h, 0, sizeof *h);
}

/* data.pairs into species; list is changed. */
static int read_names(struct series_source *in, struct sq_hist *h, char *list)
{
    const struct meta *m = frame_meta(in->r);
    const char *names[256];
    unsigned long long natoms = 0;
    size_t n = 0;
    char *save = NULL;
    if (meta_get_u64(m, "sys.natoms", &natoms) != 1 || natoms < 1)
        return series_refuse(in, ERR_BAD, "sys.natoms of 1 or more expected in a HIST segment");
    for (char *w = strtok_r(list, " ", &save); w && n < 256; w = strtok_r(NULL, " ", &save))
        if (strcmp(w, "all") != 0)
            names[n++] = w;
    char why[256];
    int status = ERR_BAD;
    if (rdf_names_open(&h->names, m, natoms, names, n, &status, why, sizeof why) != 0)
        return series_refuse(in, status, "data.pairs: %s", why);
    if (h->names.npairs != h->pairs)
        return series_refuse(in, ERR_BAD, "%zu pairs expected in data.pairs, found %zu", h->pairs,
                             h->names.npairs);
    return 0;
}

static int read_meta(struct series_source *in, struct sq_hist *h)
{
    const struct meta *m = frame_meta(in->r);
    struct box b;
    struct err why;
    if (traj_box(m, &b, &why) != 0)
        return series_refuse(in, ERR_BAD, "%s", why.text);
    double width = 2.0 * box_half_width(&b);
    h->qmin = isfinite(width) ? 2.0 * UNITS_PI / width : 0.0;
    char *list = strdup(meta_get(m, "data.pairs") ? meta_get(m, "data.pairs") : "all");
    int rc = list ? read_names(in, h, list) : series_refuse(in, ERR_MEMORY, "out of memory");
    free(list);
    return rc;
}

static int read_segment(struct series_source *in, struct frame *f, struct sq_hist *h)
{
    struct series_hist s = {0};
    if (f->desc.type != FRAME_HIST)
        return series_refuse(in, ERR_BAD, "a pair histogram (HIST) expected, found %s",
                             f->desc.code);
    int rc = series_hist_read(in, f, &s);
    h->blocks = s.blocks;
    h->pairs = s.pairs;
    h->bins = s.bins;
    h->rmax = s.rmax;
    h->counts = s.counts;
    h->expected = s.expected;
    h->steps = s.steps;
    return rc || read_meta(in, h) || series_end(in) ? -1 : 1;
}

int sq_read(struct frame_reader *r, struct sq_hist *h, int *status, char *err, size_t errlen)
{
    struct err e;
    struct series_source in = {r, &e};
    struct frame f;
    memset(h, 0, sizeof *h);
    int rc = series_next(&in, &f);
    if (rc > 0)
        rc = read_segment(&in, &f, h);
    if (rc < 0) {
        *status = e.status;
        snprintf(err, errlen, "%s", e.text);
        sq_free(h);
    }
    return rc;
}
