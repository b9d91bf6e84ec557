/* SPDX-License-Identifier: MIT */
/* The public functions of the reader, which return frames and META. */
#include "formats/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/unit_check.h"
#include "formats/elements.h"
#include "formats/format_cell.h"
#include "formats/formats_input.h"
#include "formats/topology.h"

void formats_room(struct formats *x, void *pos, void *vel)
{
    x->pos = pos;
    x->vel = vel;
}

/* Removes the first frame of the queue. */
static void pop(struct formats *x)
{
    x->queue[0]->queued = false;
    memmove(x->queue, x->queue + 1, (size_t)--x->queued * sizeof *x->queue);
}

static bool same_names(const struct format_info *a, const struct format_info *b)
{
    for (size_t i = 0; a->species && b->species && i < a->natoms; i++)
        if (strcmp(a->names[a->species[i]], b->names[b->species[i]]) != 0)
            return false;
    return true;
}

/* Takes the velocities of frame f from the other reader, which has no more frames if f is NULL.
 * Returns 0 or -1. */
static int add_velocities(struct formats *x, struct formats_frame *f)
{
    struct formats *p = x->partner;
    struct formats_frame v;
    struct err *e = &x->err;
    int got = formats_next(p, &v);
    unsigned long long at = f ? f->index : x->index;
    if (got < 0)
        *e = p->err;
    else if (!f && (got == 0 || x->limited))
        return 0;
    else if (!f)
        err_bad(e,
                "expected one frame of velocities per frame of positions, found more velocities");
    else if (got == 0)
        err_bad(e,
                "expected one frame of velocities per frame of positions, found fewer velocities");
    else if (p->natoms != x->natoms)
        err_bad(e, "velocities: expected %zu atoms as in the file of positions, found %zu atoms",
                x->natoms, p->natoms);
    else if (!same_names(&x->info, &p->info))
        err_bad(e, "expected the same atom names, in the same order, as in the file of positions, "
                   "found other names");
    else if (isnan(v.time) != isnan(f->time) || fabs(v.time - f->time) > 1e-9 * fabs(f->time))
        err_bad(e,
                "expected velocities at the time of the positions, %.9g ps, found velocities at "
                "%.9g ps",
                f->time, v.time);
    else
        f->vel = v.pos;
    if (got >= 0 && e->status) {
        err_frame(e, at);
        err_file(e, formats_name(p));
    }
    return e->status ? -1 : 0;
}

int formats_next(struct formats *x, struct formats_frame *f)
{
    if (x->err.status || formats_fill(x) != 0)
        return -1;
    if (x->queued == x->out)
        return x->partner ? add_velocities(x, NULL) : 0;
    const struct slot *s = x->queue[x->out];
    if (x->index == 1)
        (void)unit_check_dt(&s->box, x->natoms, x->opts.given.f64, x->queue[0]->f.pos, s->f.pos,
                            x->clock.stride, x->slip[2], sizeof x->slip[2]);
    if (x->out)
        pop(x);
    x->out = 1;
    *f = (struct formats_frame){.index = x->index,
                                .time = format_clock_time(&x->clock, x->index, &s->f),
                                .box = &s->box,
                                .pos = s->f.pos,
                                .vel = x->opts.velocities ? s->f.vel : NULL,
                                .scal = s->f.scal,
                                .energies = s->f.has_energies ? s->f.energies : NULL};
    x->index++;
    return x->partner && add_velocities(x, f) != 0 ? -1 : 1;
}

/* ---- errors, warnings, information */

const struct err *formats_error(const struct formats *x)
{
    return &x->err;
}

const char *formats_warning(struct formats *x)
{
    char *texts[] = {x->slip[0], x->slip[1], x->slip[2], x->warning,
                     x->partner ? x->partner->warning : x->warning};
    const char *cell = x->index ? format_cell_changed(x->clock.cell_changed) : NULL;
    x->clock.cell_changed = x->index ? 0 : x->clock.cell_changed;
    if (cell) {
        snprintf(x->warned, sizeof x->warned, "%.900s: %s", formats_name(x), cell);
        return x->warned;
    }
    for (size_t k = x->index ? 0 : 3; k < sizeof texts / sizeof *texts; k++)
        if (*texts[k]) {
            snprintf(x->warned, sizeof x->warned, "%.900s%s%.1023s", k < 3 ? formats_name(x) : "",
                     k < 3 ? ": " : "", texts[k]);
            *texts[k] = '\0';
            return x->warned;
        }
    return NULL;
}

struct formats_info formats_info(const struct formats *x)
{
    struct formats_info i = {.frames = x->index,
                             .bytes = x->bytes + x->b.offset,
                             .input_done = x->input_done + x->b.done,
                             .input_total = x->input_total,
                             .limited = x->limited,
                             .sorted = x->info.sorted,
                             .labels = x->info.labels,
                             .variant = x->info.variant,
                             .bound = x->inflated || x->b.in.packed ? "inflating" : "parsing",
                             .left_out = x->info.left_out,
                             .natoms = x->natoms,
                             .box = &x->clock.box0};
    if (x->format)
        i.title = x->format->title;
    if (x->clock.format) { /* the clock is set once a format is known */
        i.dt = x->clock.stride;
        i.nnumbers = x->info.nnumbers;
        i.numbers = x->info.numbers;
        i.units = x->info.units;
        format_clock_sources(&x->clock, &i);
    }
    return i;
}

/* Sets sys.species from a copy, because later frames are compared with the original names. */
static int put_species(struct formats *x, const struct format_info *in, struct meta *m)
{
    struct format_info own = *in;
    int bad = 0;
    own.species = in->species ? malloc(in->natoms + 1) : NULL;
    if (own.species)
        memcpy(own.species, in->species, in->natoms);
    else if (in->species)
        bad = err_memory(&x->err, "the species");
    own.types |= own.species && x->format->uses & FORMAT_XYZ;
    if (!bad && x->opts.topology)
        bad = topology_read(x->opts.topology, x->opts.molecules, x->opts.elements, &own, &x->err);
    else if (!bad && x->opts.elements && !own.elements)
        bad = own.species ? elements_put(&own, NULL, 0, &x->err)
                          : err_bad(&x->err, "--elements: expected atoms with names, found none "
                                             "(give --topology)");
    if (!bad)
        bad = format_put_species(&own, x->opts.species, formats_name(x), x->format->title, m,
                                 &x->err);
    free(own.species);
    return bad;
}

int formats_put_meta(struct formats *x, struct meta *m)
{
    const struct box *b = &x->clock.box0;
    struct format_info *in = x->file > 0 && !x->format->loose ? &x->first : &x->info;
    double dt = x->clock.stride, sigma = isnan(x->opts.sigma) ? in->sigma : x->opts.sigma;
    int bad = meta_setf(m, "sys.natoms", "%zu", x->natoms);
    if (!isnan(dt))
        bad |= meta_set_f64(m, "sys.dt_ps", &dt, 1);
    if (x->opts.given.uneven)
        bad |= meta_set(m, "sys.times", "uneven");
    if (sigma > 0.0)
        bad |= meta_set_f64(m, "sys.sigma", &sigma, 1);
    if (box_volume(b) > 0.0) {
        bad |= meta_set_f64(m, "sys.cell", &b->h[0][0], 9);
        bad |= meta_setf(m, "sys.pbc", "%c%c%c", b->pbc[0] ? 'T' : 'F', b->pbc[1] ? 'T' : 'F',
                         b->pbc[2] ? 'T' : 'F');
    }
    if (in->precision > 0.0)
        bad |= meta_set_f64(m, "data.precision", &in->precision, 1);
    bad |= meta_set(m, "data.quantity", "positions");
    bad |= meta_set(m, "data.unit", "angstrom");
    bad |= meta_set(m, "data.unwrapped", x->opts.unwrap || in->unwrapped ? "images" : NULL);
    for (int k = 0; k < x->opts.nscalars && !bad; k++) {
        const char *name = x->opts.scalars[k].name, *unit = in->unit[k];
        if (scalars_add(m, name, *unit ? unit : "-", &x->err) != 0)
            return -1;
    }
    if (!bad && x->opts.molecules && !x->opts.topology && !in->molecule)
        return err_bad(&x->err,
                       "%s: --molecules: expected molecules, found %s without molecules (define "
                       "them with --topology FILE)",
                       formats_name(x), x->format->title);
    if (!bad && x->opts.molecules && !x->opts.topology &&
        topology_molecules(x->opts.molecules, in->molecule, in->natoms, &x->err) != 0)
        return -1;
    return bad ? err_memory(&x->err, "META") : put_species(x, in, m);
}
