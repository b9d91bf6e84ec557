/* SPDX-License-Identifier: MIT */
/* xyz2bin: XYZ text, any dialect, gzip, zstd or not -> POSN. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/gunzip.h"
#include "cli/cli_traj.h"
#include "stream/traj.h"
#include "xyz/xyz.h"

static struct xyz_opts o = XYZ_OPTS_DEFAULT;
static int dialect, time_unit = -1;
static const char *const dialects[] = {"auto",   "plain", "extended", "rigmd",
                                       "lammps", "cp2k",  NULL};

static const char *const time_units[] = XYZ_TIME_UNITS;
static const double time_units_fs[] = XYZ_TIME_UNITS_FS;

static const struct cli_opt options[] = {
    {0, "dialect", "NAME", CLI_CHOICE, &dialect, 0, 0, dialects, NULL,
     "how the second lines are written (auto)"},
    CLI_TRAJ_OPTIONS("LAMMPS, i-PI", "do not refuse frames in which many atoms jump"),
    CLI_TRAJ_ATOMS,
    CLI_TRAJ_SPECIES,
    {0, "time-unit", "UNIT", CLI_CHOICE, &time_unit, 0, 0, time_units, NULL,
     "unit of the Time= of extended XYZ that does not name its own (asked for)"},
    {0, "sigma", "ANGSTROM", CLI_REAL, &o.sigma, 1e-6, 1e6, NULL, NULL,
     "Lennard-Jones sigma, Å (as the file says)"},
    {0}};

static const struct cli_tool tool = {
    .name = "xyz2bin",
    .operands = "[FILE...]",
    .summary = "Turn XYZ text (gzip and zstd transparently) into a stream of positions; several "
               "files are one trajectory.",
    .opts = options,
    .examples = "  xyz2bin argon256.xyz.gz | g4-cpu --tmax 6 | bin2txt\n"
                "  xyz2bin --dt 0.125 --cell 23.03154 dump.xyz -o dump.mbf\n"
                "  xyz2bin --select 1:801 run1.xyz run2.xyz.gz | rdf-cpu | bin2txt\n",
    .max_operands = -1,
    .writes_frames = true,
    .build_facts = gunzip_by,
    .writes_steps = true};

static void warnings(struct xyz_reader *x)
{
    for (const char *w; (w = xyz_warning(x)) != NULL;)
        cli_warn("%s", w);
}

static struct traj_writer *begin(struct xyz_reader *x, struct frame_writer *w, const char *args,
                                 struct err *e)
{
    static const char *const names[] = XYZ_DIALECT_NAMES;
    struct meta *m = meta_derive(NULL, "xyz2bin", CLI_VERSION, args);
    struct traj_writer *t = NULL;
    struct xyz_info i = xyz_info(x);
    cli_note("%zu atoms, %s dialect", i.natoms, names[i.dialect]);
    cli_where(i.dt, i.dt_from, i.box, i.cell_from);
    bool ok = m && xyz_put_meta(x, m) == 0;
    if (ok && i.named && !meta_get(m, "sys.species"))
        cli_warn(
            "the names of atoms are left out: expected at most 255, in UTF-8, without brackets");
    if (ok && atoms_choose(&cli_traj.atoms, m, e) == 0 && frame_put_meta(w, m) == 0)
        t = traj_writer_new(w, cli_traj.atoms.n, o.said.f64 ? FRAME_F64 : FRAME_F32, i.dt, i.box);
    if (t)
        traj_writer_gather(t, &cli_traj.atoms);
    meta_free(m);
    return t;
}

/* Frames from x to w. 0 or -1. */
static int copy(struct xyz_reader *x, struct frame_writer *w, const char *args, struct err *e)
{
    struct traj_writer *t = NULL;
    struct xyz_frame f;
    int got = 0, bad = 0;
    for (;;) {
        if (t && frame_is_live(w) &&
            !xyz_wait(x, 0.2)) /* a live run pauses: hand on what there is, then wait */
            bad = traj_flush(t);
        if (bad || (got = xyz_next(x, &f)) != 1)
            break;
        bad = (!t && !(t = begin(x, w, args, e))) ||
              traj_put(t, f.index, f.time, f.box, f.pos, NULL) != 0;
        warnings(x);
        struct xyz_info i = xyz_info(x);
        cli_progress(i.input_done, i.input_total, "bytes");
    }
    warnings(x);
    bad = bad || (got == 0 && traj_flush(t) != 0);
    if (bad && frame_writer_error(w)->status)
        *e = *frame_writer_error(w);
    else if (bad && !e->status)
        err_memory(e, "the output");
    else if (got < 0)
        *e = *xyz_error(x);
    if (bad == 0 && got < 0 && t)
        (void)!traj_flush(t);
    traj_writer_free(t);
    atoms_free(&cli_traj.atoms);
    if (got == 0 && xyz_info(x).sorted)
        cli_note("atoms were put in the order of their ids");
    return bad || got < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
    struct cli_common c;
    struct err e = {0};
    cli_parse(&tool, argc, argv, &c);
    cli_warn_nm("--sigma", o.sigma, 0.9);
    o.dialect = (enum xyz_dialect)dialect;
    o.said = cli_traj.said;
    if (time_unit >= 0)
        o.time_unit_fs = time_units_fs[time_unit];
    o.threads = c.threads;
    o.max_mem = c.max_mem;
    struct frame_writer *w = cli_create(&c);
    struct xyz_reader *x = xyz_open(c.operands, c.noperands, &o);
    if (!x) {
        err_memory(&e, "the input");
        return cli_fail(w, NULL, &e);
    }
    bool done = copy(x, w, c.args, &e) == 0;
    struct xyz_info i = xyz_info(x);
    if (done && frame_end(w, i.limited ? FRAME_LIMITED : FRAME_COMPLETE, NULL, NULL) != 0) {
        done = false;
        e = *frame_writer_error(w);
    }
    if (done)
        cli_summary(i.frames, i.text_bytes, i.bound);
    int status = done ? cli_close(w) : cli_fail(w, NULL, &e);
    xyz_close(x);
    return status;
}
