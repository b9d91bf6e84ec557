/* SPDX-License-Identifier: MIT */
#include "cli/cli_convert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "select/charges.h"
#include "stream/frame_output.h"
#include "stream/traj.h"

struct formats_opts cli_convert = FORMATS_OPTS_DEFAULT;
int cli_convert_time_unit = -1;
const char *cli_convert_charges;
const char *const cli_convert_dialects[] = {FORMATS_DIALECTS};
const char *const cli_convert_time_units[] = {FORMATS_TIME_UNITS};

int cli_convert_species(const char *s, void *dst, struct err *e)
{
    (void)dst;
    const char **to = strpbrk(s, "= (") ? &cli_convert.species : &cli_traj.atoms.species;
    if (*to)
        return err_bad(e,
                       "expected at most one list that sets names and one list that selects "
                       "species, found another: '%s'",
                       s);
    *to = s;
    return 0;
}

/* Reads a list of different names into to[SCALARS_MAX]. Returns 0, or -1 and sets e. */
static int read_names(const char *s, struct scalar *to, int *n, struct err *e)
{
    struct meta *m = meta_new();
    if (!m)
        return err_memory(e, "META");
    int bad = 0;
    for (const char *p = s; p && !bad; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        char name[SCALARS_NAME + 1];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(p, ","), p);
        bad = scalars_add(m, name, "-", e);
    }
    *n = bad ? 0 : scalars_read(m, to, e);
    meta_free(m);
    return bad && e->status == ERR_BAD
               ? err_bad(e, "expected at most %d different names of 1 to %d characters, found '%s'",
                         SCALARS_MAX, SCALARS_NAME - 1, s)
               : bad;
}

int cli_convert_scalars(const char *s, void *dst, struct err *e)
{
    (void)dst;
    return read_names(s, cli_convert.scalars, &cli_convert.nscalars, e);
}

int cli_convert_info(const char *s, void *dst, struct err *e)
{
    (void)dst;
    return read_names(s, cli_convert.keys, &cli_convert.nkeys, e);
}

/* An output stream. The member `t` is created at the first frame. */
struct out {
    struct frame_writer *w; /* NULL if not requested */
    struct traj_writer *t;
};

/* State of the conversion of an input to steps and energies. */
struct copy {
    const struct cli_tool *tool;
    const char *name; /* name of the first input */
    struct cli_source in;
    struct out steps, energies;
    bool bad; /* a writer failed */
};

/* Flushes the output while a live run pauses. */
static void hand_on(void *ctx)
{
    struct copy *c = ctx;
    if (c->steps.t && frame_is_live(c->steps.w) && traj_flush(c->steps.t) != 0)
        c->bad = true;
}

static size_t real_size(const struct cli_source *in)
{
    return in->opts.given.f64 ? sizeof(double) : sizeof(float);
}

/* Finds the charges of all atoms if requested, and adds them to META. Returns 0, or -1 and sets
 * e. */
static int charges_begin(struct cli_source *in, struct meta *m, size_t natoms, struct err *e)
{
    size_t real = real_size(in), before = (size_t)in->opts.nscalars * real;
    if (!in->charges)
        return 0;
    double *charge = malloc((natoms + 1) * sizeof *charge);
    in->scalars = malloc((natoms + 1) * (before + real));
    int bad = !charge || !in->scalars ? err_memory(e, "the charges")
                                      : charges_find(in->charges, m, natoms, charge, e) ||
                                            scalars_add(m, "charge", "e", e);
    for (size_t i = 0; !bad && i < natoms; i++) {
        float f32 = (float)charge[i];
        memcpy(in->scalars + i * (before + real) + before,
               real == sizeof f32 ? (void *)&f32 : &charge[i], real);
    }
    free(charge);
    return bad ? -1 : 0;
}

const void *cli_source_scalars(const struct cli_source *in, const void *scalars)
{
    size_t before = (size_t)in->opts.nscalars * real_size(in), row = before + real_size(in);
    for (size_t i = 0; in->scalars && scalars && i < formats_info(in->x).natoms; i++)
        memcpy(in->scalars + i * row, (const char *)scalars + i * before, before);
    return in->scalars ? in->scalars : scalars;
}

struct meta *cli_source_meta(struct cli_source *in, const char *tool, const char *args,
                             struct err *e)
{
    struct meta *m = meta_derive(NULL, tool, CLI_VERSION, args);
    int bad = m ? formats_put_meta(in->x, m) : err_memory(e, "META");
    if (m && bad)
        *e = *formats_error(in->x);
    if (!bad && charges_begin(in, m, formats_info(in->x).natoms, e) == 0 &&
        atoms_choose(&in->atoms, m, e) == 0)
        return m;
    meta_free(m);
    return NULL;
}

/* Writes META and creates the writer of steps. Returns 0, or -1 and sets e. */
static int convert_begin(struct copy *c, const char *args, struct err *e)
{
    struct formats_info i = formats_info(c->in.x);
    struct meta *m = cli_source_meta(&c->in, c->tool->name, args, e);
    int bad = m ? 0 : -1;
    bool named = m && (meta_get(m, "sys.species") || i.labels);
    char hint[96];
    if (!bad && frame_put_meta(c->steps.w, m) != 0) {
        *e = *frame_writer_error(c->steps.w);
        bad = -1;
    }
    if (!bad)
        cli_note("%s%s%s: %zu atoms%s%s%s", i.title, i.variant ? ", dialect " : "",
                 i.variant ? i.variant : "", i.natoms, named ? "" : ", species unknown (",
                 named ? "" : meta_species_hint(i.natoms, hint), named ? "" : ")");
    if (!bad && *i.left_out)
        cli_note("some data were not read: %s (read columns with --velocities or --scalars NAME, "
                 "and keys with txt2bin --info KEY)",
                 i.left_out);
    if (!bad && i.labels)
        cli_warn("atom names were dropped: expected at most 255 different names, in UTF-8 and "
                 "without brackets");
    if (!bad)
        cli_where(i.dt, i.dt_from, i.box, i.cell_from);
    struct traj_writer *t =
        bad ? NULL
            : traj_writer_new(c->steps.w, c->in.atoms.n,
                              c->in.opts.given.f64 ? FRAME_F64 : FRAME_F32, i.dt, i.box);
    if (t)
        traj_writer_gather(t, &c->in.atoms);
    bool lost = !t || traj_writer_scalars(t, (size_t)c->in.opts.nscalars + !!c->in.scalars) != 0;
    c->steps.t = t;
    meta_free(m);
    return bad ? -1 : lost ? err_memory(e, "the output") : 0;
}

/* Does what convert_begin() does, but for the numbers of --info. Returns 0, or -1 and sets e. */
static int series_begin(struct copy *c, const char *args, struct err *e)
{
    struct formats_info i = formats_info(c->in.x);
    struct traj_info like = {.type = FRAME_SERI, .ncomp = i.nnumbers, .box = *i.box};
    struct meta *m = cli_source_meta(&c->in, c->tool->name, args, e);
    int bad = m ? 0 : -1;
    if (!bad && isnan(i.dt)) {
        err_bad(e, "expected the time between frames, found none (give --dt PS, or --timestep PS "
                   "if the frames have steps)");
        bad = err_file(e, c->name);
    }
    if (!bad &&
        (meta_set(m, "data.quantity", "time-series") | meta_set(m, "data.unit", NULL) |
         meta_set(m, "data.columns", i.numbers) |
         (strspn(i.units, "- ") < strlen(i.units) ? meta_set(m, "data.units", i.units) : 0)))
        bad = err_memory(e, "META");
    if (!bad && frame_put_meta(c->steps.w, m) != 0) {
        *e = *frame_writer_error(c->steps.w);
        bad = -1;
    }
    c->steps.t = bad ? NULL : traj_writer_like(c->steps.w, &like, i.dt);
    meta_free(m);
    return bad ? -1 : c->steps.t ? 0 : err_memory(e, "the output");
}

/* Does what convert_begin() does, but for requested energies and with the first frame `f`. Returns
 * 0, or -1 and sets e. */
static int energies_begin(struct copy *c, const char *args, const struct formats_frame *f,
                          struct err *e)
{
    if (!c->energies.w)
        return 0;
    if (!f->energies)
        return err_bad(e, "--energies: expected energies, found %s without energies",
                       formats_info(c->in.x).title);
    double dt = formats_info(c->in.x).dt;
    struct traj_info like = {.type = FRAME_SERI, .ncomp = FORMATS_ENERGIES};
    struct meta *m = meta_derive(NULL, c->tool->name, CLI_VERSION, args);
    int bad = !m || meta_set(m, "data.quantity", "time-series") ||
              meta_set(m, "data.columns", FORMATS_ENERGIES_NAMES) ||
              meta_set(m, "data.units", FORMATS_ENERGIES_UNITS) ||
              (!isnan(dt) && meta_set_f64(m, "sys.dt_ps", &dt, 1));
    if (!bad && frame_put_meta(c->energies.w, m) == 0)
        c->energies.t = traj_writer_like(c->energies.w, &like, dt);
    else if (!bad)
        *e = *frame_writer_error(c->energies.w);
    meta_free(m);
    return c->energies.t ? 0 : bad || !e->status ? err_memory(e, "the energies") : -1;
}

static void warnings(struct copy *c)
{
    for (const char *w; (w = formats_warning(c->in.x)) != NULL;)
        cli_warn("%s", w);
}

/* Flushes an output. Returns 0, or -1 and sets e. */
static int flush(struct out *o, struct err *e)
{
    if (!o->t || traj_flush(o->t) == 0)
        return 0;
    *e = *frame_writer_error(o->w);
    return e->status ? -1 : err_memory(e, "the output");
}

/* Converts all frames of the inputs. Returns 0, or -1 and sets e. */
static int copy(struct copy *c, const char *args, struct err *e)
{
    struct formats_frame f;
    struct traj_writer **t = &c->steps.t;
    int got = 1, bad = 0;
    const bool series = c->in.opts.nkeys > 0;
    while (!bad && !c->bad && (got = formats_next(c->in.x, &f)) == 1) {
        if (!*t && ((series ? series_begin(c, args, e) : convert_begin(c, args, e)) != 0 ||
                    energies_begin(c, args, &f, e) != 0)) {
            warnings(c);
            return -1;
        }
        bad = traj_put(*t, f.index, f.time, f.box, series ? f.energies : f.pos, f.vel,
                       cli_source_scalars(&c->in, f.scal)) ||
              (c->energies.t &&
               traj_put(c->energies.t, f.index, f.time, NULL, f.energies, NULL, NULL));
        if (!series)
            formats_room(c->in.x, traj_room(*t, TRAJ_NUMBERS), traj_room(*t, TRAJ_VELOCITIES));
        struct formats_info i = formats_info(c->in.x);
        cli_progress(i.input_done, i.input_total, "bytes");
        warnings(c);
    }
    warnings(c);
    if (got < 0)
        *e = *formats_error(c->in.x);
    if (flush(&c->steps, e) != 0 || flush(&c->energies, e) != 0)
        return -1;
    return bad || c->bad ? err_memory(e, "the output") : got < 0 ? -1 : 0;
}

/* Ends a complete output. Returns 0, or -1 and sets e. */
static int finish(const struct out *o, bool limited, struct err *e)
{
    if (!o->w || frame_end(o->w, limited ? FRAME_LIMITED : FRAME_COMPLETE, NULL, NULL) == 0)
        return 0;
    *e = *frame_writer_error(o->w);
    return -1;
}

int cli_convert_main(const struct cli_tool *tool, int argc, char **argv)
{
    struct cli_common common;
    cli_parse(tool, argc, argv, &common);
    return cli_convert_run(tool, &common, NULL);
}

void cli_source_close(struct cli_source *in)
{
    atoms_free(&in->atoms);
    free(in->scalars);
    formats_close(in->x);
}

int cli_source_options(struct cli_source *in, struct err *e)
{
    static const double units_fs[] = {FORMATS_TIME_UNITS_FS};
    const struct traj_given *given = &cli_traj.given;
    bool dt = !isnan(given->dt_ps), timestep = !isnan(given->timestep_ps);
    *in = (struct cli_source){
        .opts = cli_convert, .atoms = cli_traj.atoms, .charges = cli_convert_charges};
    in->opts.given = *given;
    if (cli_convert_time_unit >= 0)
        in->opts.time_unit_fs = units_fs[cli_convert_time_unit];
    if (dt && timestep)
        return err_bad(e, "expected either --dt or --timestep, found both (omit --timestep)");
    const char *by = dt ? "--dt" : "--timestep";
    if (cli_convert_time_unit >= 0 && (dt || timestep))
        return err_bad(e, "--time-unit has no effect with %s, which replaces the times in the file",
                       by);
    if (in->opts.velocity_unit && !in->opts.velocities)
        return err_bad(e, "--velocity-unit needs --velocities");
    if (in->opts.elements && in->opts.species)
        return err_bad(e, "expected either --elements or new names in --species, found both");
    for (int k = 0; in->charges && k < in->opts.nscalars; k++)
        if (strcmp(in->opts.scalars[k].name, "charge") == 0)
            return err_bad(e, "expected either --charges or --scalars charge, found both");
    return 0;
}

/* Passes the options to the reader and checks them. */
static void choose(const struct cli_common *common, struct copy *c)
{
    struct formats_opts *o = &c->in.opts;
    struct err e;
    if (cli_source_options(&c->in, &e) != 0)
        cli_die(CLI_BAD, "%s", e.text);
    cli_keep_inputs(common, o->molecules);
    cli_separate((const char *[]){o->molecules, common->output ? common->output : "-"}, 2);
    if (o->topology) {
        cli_keep_input(common, o->topology, o->molecules);
        cli_keep_input(common, o->topology, common->output);
    }
    if (c->in.charges)
        cli_keep_input(common, c->in.charges, common->output);
    cli_warn_nm("--sigma", o->sigma, 0.9);
    o->threads = common->threads;
    o->max_mem = common->max_mem;
    o->idle = hand_on;
    o->ctx = c;
}

int cli_convert_run(const struct cli_tool *tool, const struct cli_common *common,
                    const char *energies)
{
    struct copy c = {.tool = tool, .name = common->noperands ? common->operands[0] : "stdin"};
    struct err e = {0};
    choose(common, &c);
    c.steps.w = cli_create(common);
    if (c.in.opts.molecules && !frame_is_live(c.steps.w))
        output_together(); /* on a pipe the next program needs the molecules with the first frame */
    if (energies) {
        struct cli_common also = *common;
        also.output = energies;
        c.energies.w = cli_create(&also);
    }
    c.in.x = formats_open(common->operands, common->noperands, &c.in.opts);
    bool done = (c.in.x || err_memory(&e, "the input") == 0) && copy(&c, common->args, &e) == 0;
    struct formats_info i = {0};
    if (c.in.x)
        i = formats_info(c.in.x);
    if (done && i.sorted)
        cli_note("atoms were sorted by id");
    done = done && finish(&c.energies, i.limited, &e) == 0 && finish(&c.steps, i.limited, &e) == 0;
    if (!done && c.energies.w)
        cli_drop(c.energies.w);
    int status = done && c.energies.w ? cli_close(c.energies.w) : CLI_OK;
    int last = done ? cli_close(c.steps.w) : cli_fail(c.steps.w, NULL, &e);
    status = last ? last : status;
    if (!status)
        cli_summary(i.frames, i.bytes, i.bound);
    traj_writer_free(c.steps.t);
    traj_writer_free(c.energies.t);
    cli_source_close(&c.in);
    return status;
}
