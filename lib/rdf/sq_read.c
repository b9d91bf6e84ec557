/* SPDX-License-Identifier: MIT */
/* sq_read.c: a HIST segment as it is, for transforms that need the blocks themselves. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "rdf/sq.h"
#include "stats/series_reading.h"
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
        return series_refuse(in, 2, "sys.natoms of 1 or more expected in a HIST segment");
    for (char *w = strtok_r(list, " ", &save); w && n < 256; w = strtok_r(NULL, " ", &save))
        if (strcmp(w, "all") != 0)
            names[n++] = w;
    char why[256];
    if (rdf_names_open(&h->names, m, natoms, names, n, in->status, why, sizeof why) != 0)
        return series_refuse(in, *in->status, "data.pairs: %s", why);
    if (h->names.npairs != h->pairs)
        return series_refuse(in, 2, "%zu pairs expected in data.pairs, found %zu", h->pairs,
                             h->names.npairs);
    return 0;
}

static int read_meta(struct series_source *in, struct sq_hist *h)
{
    const struct meta *m = frame_meta(in->r);
    struct box b;
    struct err why;
    if (meta_get_f64(m, "data.rmax", &h->rmax, 1) != 1 || !(h->rmax > 0.0) || !isfinite(h->rmax))
        return series_refuse(in, 2, "data.rmax > 0 expected in a HIST segment");
    if (traj_box(m, &b, &why) != 0)
        return series_refuse(in, 2, "%s", why.text);
    double width = 2.0 * box_half_width(&b);
    h->qmin = isfinite(width) ? 2.0 * UNITS_PI / width : 0.0;
    char *list = strdup(meta_get(m, "data.pairs") ? meta_get(m, "data.pairs") : "all");
    int rc = list ? read_names(in, h, list) : series_refuse(in, 3, "out of memory");
    free(list);
    return rc;
}

static int read_arrays(struct series_source *in, struct frame *f, struct sq_hist *h)
{
    if (series_expect(in, f, FRAME_HIST, FRAME_U64, 3, "HIST counts") != 0)
        return -1;
    h->blocks = f->desc.dims[0];
    h->pairs = f->desc.dims[1];
    h->bins = f->desc.dims[2];
    if (h->blocks == 0 || h->pairs == 0 || h->bins == 0)
        return series_refuse(in, 2, "at least one block, pair and bin expected");
    if (!(h->counts = series_take(in, f)) || series_next_array(in, f, "HIST expected") != 0 ||
        series_expect(in, f, FRAME_HIST, FRAME_F64, 3, "HIST expected") != 0)
        return -1;
    if (f->desc.dims[0] != h->blocks || f->desc.dims[1] != h->pairs || f->desc.dims[2] != h->bins)
        return series_refuse(in, 2, "HIST expected [%zu, %zu, %zu], found another shape", h->blocks,
                             h->pairs, h->bins);
    if (!(h->expected = series_take(in, f)) || series_next_array(in, f, "HIST steps") != 0 ||
        series_expect(in, f, FRAME_HIST, FRAME_F64, 1, "HIST steps") != 0)
        return -1;
    if (f->desc.dims[0] != h->blocks)
        return series_refuse(in, 2, "HIST steps of %zu blocks expected", h->blocks);
    if (!(h->steps = series_take(in, f)))
        return -1;
    return read_meta(in, h);
}

int sq_read(struct frame_reader *r, struct sq_hist *h, int *status, char *err, size_t errlen)
{
    struct series_source in = {r, status, err, errlen};
    struct frame f;
    int rc;
    memset(h, 0, sizeof *h);
    do
        rc = frame_next(r, &f);
    while (rc > 0 && (f.desc.type == FRAME_META || f.desc.type == FRAME_OTHER));
    if (rc == 0)
        return 0;
    if (rc < 0)
        return series_refuse_reader(&in);
    rc = f.desc.type == FRAME_HIST
             ? read_arrays(&in, &f, h)
             : series_refuse(&in, 2, "a pair histogram (HIST) expected, found %s", f.desc.code);
    while (rc == 0 && f.desc.type != FRAME_END)
        if (frame_next(r, &f) <= 0)
            rc = series_refuse_reader(&in);
        else if (f.desc.type != FRAME_END && f.desc.type != FRAME_OTHER)
            rc = series_refuse(&in, 2, "the end of the segment expected, found %s", f.desc.code);
    if (rc != 0)
        sq_free(h);
    return rc != 0 ? -1 : 1;
}
