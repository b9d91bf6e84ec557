/* SPDX-License-Identifier: MIT */
#include "cli/cli_convert.h"

#include <string.h>

#include "stream/traj.h"

struct formats_opts cli_convert = FORMATS_OPTS_DEFAULT;
int cli_convert_time_unit = -1;
const char *const cli_convert_dialects[] = FORMATS_DIALECTS;
const char *const cli_convert_time_units[] = FORMATS_TIME_UNITS;

/* From x to w; t begins with the first frame. */
struct copy {
    const struct cli_tool *tool;
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
static int convert_begin(struct copy *c, const char *args, struct err *e)
{
    struct meta *m = meta_derive(NULL, c->tool->name, CLI_VERSION, args);
    struct formats_info i = formats_info(c->x);
    int bad = m ? formats_put_meta(c->x, m) : err_memory(e, "META");
    if (m && bad)
        *e = *formats_error(c->x);
    bad = bad || atoms_choose(&cli_traj.atoms, m, e);
    bool named = m && (meta_get(m, "sys.species") || i.labels);
    char hint[96];
    if (!bad && frame_put_meta(c->w, m) != 0) {
        *e = *frame_writer_error(c->w);
        bad = -1;
    }
    if (!bad)
        cli_note("%s%s%s: %zu atoms%s%s%s", i.title, i.variant ? ", dialect " : "",
                 i.variant ? i.variant : "", i.natoms, named ? "" : ", species unknown (",
                 named ? "" : meta_species_hint(i.natoms, hint), named ? "" : ")");
    if (!bad && i.labels)
        cli_warn(
            "the names of atoms are left out: expected at most 255, in UTF-8, without brackets");
    if (!bad)
        cli_where(i.dt, i.dt_from, i.box, i.cell_from);
    c->t = bad ? NULL
               : traj_writer_new(c->w, cli_traj.atoms.n,
                                 cli_convert.said.f64 ? FRAME_F64 : FRAME_F32, i.dt, i.box);
    if (c->t)
        traj_writer_gather(c->t, &cli_traj.atoms);
    meta_free(m);
    return bad ? -1 : c->t ? 0 : err_memory(e, "the output");
}

static void warnings(struct copy *c)
{
    for (const char *w; (w = formats_warning(c->x)) != NULL;)
        cli_warn("%s", w);
}

/* All frames. 0 or -1 with e. */
static int copy(struct copy *c, const char *args, struct err *e)
{
    struct formats_frame f;
    int got = 1, bad = 0;
    while (!bad && !c->bad && (got = formats_next(c->x, &f)) == 1) {
        if (!c->t && convert_begin(c, args, e) != 0) {
            warnings(c);
            return -1;
        }
        bad = traj_put(c->t, f.index, f.time, f.box, f.pos, f.vel);
        formats_room(c->x, traj_room(c->t, false), traj_room(c->t, true));
        struct formats_info i = formats_info(c->x);
        cli_progress(i.input_done, i.input_total, "bytes");
        warnings(c);
    }
    warnings(c);
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

int cli_convert_main(const struct cli_tool *tool, int argc, char **argv)
{
    static const double units_fs[] = FORMATS_TIME_UNITS_FS;
    struct formats_opts *o = &cli_convert;
    struct cli_common common;
    struct copy c = {.tool = tool};
    struct err e = {0};
    cli_parse(tool, argc, argv, &common);
    if (o->molecules && !o->topology)
        cli_die(CLI_BAD, "--molecules needs --topology");
    cli_keep_inputs(&common, o->molecules);
    cli_apart((const char *[]){o->molecules, common.output ? common.output : "-"}, 2);
    if (o->topology) {
        cli_keep_input(&common, o->topology, o->molecules);
        cli_keep_input(&common, o->topology, common.output);
    }
    cli_warn_nm("--sigma", o->sigma, 0.9);
    o->said = cli_traj.said;
    if (cli_convert_time_unit >= 0)
        o->time_unit_fs = units_fs[cli_convert_time_unit];
    o->threads = common.threads;
    o->max_mem = common.max_mem;
    o->idle = hand_on;
    o->ctx = &c;
    c.w = cli_create(&common);
    c.x = formats_open(common.operands, common.noperands, o);
    if (!c.x) {
        err_memory(&e, "the input");
        return cli_fail(c.w, NULL, &e);
    }
    bool done = copy(&c, common.args, &e) == 0;
    struct formats_info i = formats_info(c.x);
    if (done && i.sorted)
        cli_note("atoms were put in the order of their ids");
    if (done && frame_end(c.w, i.limited ? FRAME_LIMITED : FRAME_COMPLETE, NULL, NULL) != 0) {
        done = false;
        e = *frame_writer_error(c.w);
    }
    if (done)
        cli_summary(i.frames, i.bytes, i.bound);
    int status = done ? cli_close(c.w) : cli_fail(c.w, NULL, &e);
    traj_writer_free(c.t);
    atoms_free(&cli_traj.atoms);
    formats_close(c.x);
    return status;
}
