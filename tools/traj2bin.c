/* SPDX-License-Identifier: MIT */
/* traj2bin: trajectories of other programs -> POSN, with --velocities VELO, too. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/gunzip.h"
#include "cli/cli_traj.h"
#include "formats/formats.h"
#include "stream/traj.h"

static struct formats_opts o = FORMATS_OPTS_DEFAULT;
static int units;
static const char *const units_names[] = FORMATS_UNITS_NAMES;

/* Names given to types or atoms have a '=' or a blank; a list of names chooses. */
static int parse_species(const char *s, void *dst, struct err *e)
{
    (void)dst;
    const char **to = strpbrk(s, "= (") ? &o.species : &cli_traj.atoms.species;
    if (*to)
        return err_set(e, ERR_BAD, "expected names once and a choice once, found '%s', too", s);
    *to = s;
    return 0;
}

static const struct cli_opt options[] = {
    {0, "format", "NAME", CLI_CHOICE, &o.format, 0, 0, formats_names, NULL, formats_help},
    {0, "velocities", NULL, CLI_FLAG, &o.velocities, 0, 0, NULL, NULL,
     "velocities, too; an error where there are none"},
    CLI_TRAJ_OPTIONS("LAMMPS", "take rows without ids as they stand"),
    CLI_TRAJ_ATOMS,
    {0, "units", "STYLE", CLI_CHOICE, &units, 0, 0, units_names, NULL,
     "units of LAMMPS or H5MD (as the file says)"},
    {0, "species", "LIST", CLI_CUSTOM, NULL, 0, 0, NULL, parse_species,
     "names of LAMMPS types, 1=Ar,2=Kr, or of the atoms, '512*(O 1 H 2)' (as the file says); or, "
     "of those, atoms of these names only, O,H (all)"},
    {0, "columns", "LIST", CLI_STRING, &o.columns, 0, 0, NULL, NULL,
     "columns of an old LAMMPS binary dump, 'id type xs ys zs'"},
    {0, "unwrap", NULL, CLI_FLAG, &o.unwrap, 0, 0, NULL, NULL,
     "follow atoms across the cell, by the images of LAMMPS or H5MD"},
    {0}};

static const struct cli_tool tool = {
    .name = "traj2bin",
    .operands = "[FILE...]",
    .summary = formats_summary,
    .opts = options,
    .examples = "  traj2bin run.xtc | rdf-cpu | bin2txt\n"
                "  traj2bin --units real --timestep 0.002 --species 1=O,2=H run.dump.gz -o a.mbf\n"
                "  traj2bin --dt 0.5 --select 1000: run1.dcd run2.dcd | g4-cpu --tmax 20 -o cf\n",
    .max_operands = -1,
    .writes_frames = true,
    .writes_steps = true,
    .build_facts = gunzip_by};

/* From x to w; t begins with the first frame. */
struct copy {
    struct formats *x;
    struct frame_writer *w;
    struct traj_writer *t;
    bool bad; /* the writer failed */
};

/* A live run pauses: hand on what there is. */
static void hand_on(void *ctx)
{
    struct copy *c = ctx;
    if (c->t && frame_is_live(c->w) && traj_flush(c->t) != 0)
        c->bad = true;
}

/* META and the writer of steps. 0 or -1 with e. */
static int begin(struct copy *c, const char *args, struct err *e)
{
    struct meta *m = meta_derive(NULL, tool.name, CLI_VERSION, args);
    struct formats_info i = formats_info(c->x);
    int bad = m ? formats_put_meta(c->x, m) : err_memory(e, "META");
    if (m && bad)
        *e = *formats_error(c->x);
    bad = bad || atoms_choose(&cli_traj.atoms, m, e);
    if (!bad && frame_put_meta(c->w, m) != 0) {
        *e = *frame_writer_error(c->w);
        bad = -1;
    }
    if (!bad)
        cli_note("%s: %zu atoms%s", i.title, i.natoms,
                 meta_get(m, "sys.species") ? "" : ", species unknown (--species)");
    if (!bad)
        cli_where(i.dt, i.dt_from, i.box, i.cell_from);
    c->t = bad ? NULL
               : traj_writer_new(c->w, cli_traj.atoms.n, o.said.f64 ? FRAME_F64 : FRAME_F32, i.dt,
                                 i.box);
    if (c->t)
        traj_writer_gather(c->t, &cli_traj.atoms);
    meta_free(m);
    return bad ? -1 : c->t ? 0 : err_memory(e, "the output");
}

/* All frames. 0 or -1 with e. */
static int copy(struct copy *c, const char *args, struct err *e)
{
    struct formats_frame f;
    int got = 1, bad = 0;
    while (!bad && !c->bad && (got = formats_next(c->x, &f)) == 1) {
        if (!c->t && begin(c, args, e) != 0)
            return -1;
        bad = traj_put(c->t, f.index, f.time, f.box, f.pos, f.vel);
        formats_room(c->x, traj_room(c->t, false), traj_room(c->t, true));
        struct formats_info i = formats_info(c->x);
        cli_progress(i.input_done, i.input_total, "bytes");
        for (const char *w; (w = formats_warning(c->x)) != NULL;)
            cli_warn("%s", w);
    }
    for (const char *w; (w = formats_warning(c->x)) != NULL;)
        cli_warn("%s", w);
    if (got < 0)
        *e = *formats_error(c->x);
    if (!bad && c->t && traj_flush(c->t) != 0)
        bad = -1;
    if (bad || c->bad) {
        *e = *frame_writer_error(c->w);
        if (!e->status)
            err_memory(e, "the output");
    }
    return bad || c->bad || got < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
    struct cli_common common;
    struct copy c = {0};
    struct err e = {0};
    cli_parse(&tool, argc, argv, &common);
    o.said = cli_traj.said;
    o.units = (enum lammps_units)units;
    o.threads = common.threads;
    o.max_mem = common.max_mem;
    o.idle = hand_on;
    o.ctx = &c;
    c.w = cli_create(&common);
    c.x = formats_open(common.operands, common.noperands, &o);
    if (!c.x) {
        err_memory(&e, "the input");
        return cli_fail(c.w, NULL, &e);
    }
    bool done = copy(&c, common.args, &e) == 0;
    struct formats_info i = formats_info(c.x);
    if (done && frame_end(c.w, i.limited ? FRAME_LIMITED : FRAME_COMPLETE, NULL, NULL) != 0) {
        done = false;
        e = *frame_writer_error(c.w);
    }
    if (done)
        cli_summary(i.frames, i.bytes, "parsing");
    int status = done ? cli_close(c.w) : cli_fail(c.w, NULL, &e);
    traj_writer_free(c.t);
    atoms_free(&cli_traj.atoms);
    formats_close(c.x);
    return status;
}
