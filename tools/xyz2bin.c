/* SPDX-License-Identifier: MIT */
/* xyz2bin: XYZ text, any dialect, gzip, zstd or not -> POSN. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "stream/traj.h"
#include "xyz/xyz.h"

static struct xyz_opts o = XYZ_OPTS_DEFAULT;
static int dialect, dtype, time_unit = -1;
static const char *const dialects[] = {"auto",   "plain", "extended", "rigmd",
                                       "lammps", "cp2k",  NULL};
static const char *const dtypes[] = {"f32", "f64", NULL};

static const char *const time_units[] = XYZ_TIME_UNITS;
static const double time_units_fs[] = XYZ_TIME_UNITS_FS;

static int parse_cell(const char *s, void *dst, struct err *e)
{
    o.has_cell = true;
    return xyz_parse_cell(s, dst, e);
}

static int parse_pbc(const char *s, void *dst, struct err *e)
{
    o.has_pbc = true;
    return xyz_parse_pbc(s, dst, e);
}

static struct atoms atoms = ATOMS_ALL;

static int parse_atoms(const char *s, void *dst, struct err *e)
{
    (void)dst;
    return xyz_parse_select(s, &atoms.first, &atoms.stop, &atoms.step, e);
}

static int parse_select(const char *s, void *dst, struct err *e)
{
    (void)dst;
    return xyz_parse_select(s, &o.first, &o.stop, &o.step, e);
}

static const struct cli_opt options[] = {
    {0, "dialect", "NAME", CLI_CHOICE, &dialect, 0, 0, dialects, NULL,
     "how the second lines are written (auto)"},
    {0, "cell", "A[,B,C[,alpha,beta,gamma]]", CLI_CUSTOM, o.cell, 0, 0, NULL, parse_cell,
     "cell edges in Å, angles in degrees (as the file says)"},
    {0, "pbc", "AXES", CLI_CUSTOM, o.pbc, 0, 0, NULL, parse_pbc,
     "periodic axes, any of x y z, or none (as the file says, else all three of a cell)"},
    {0, "dt", "PS", CLI_REAL, &o.dt_ps, 1e-12, 1e12, NULL, NULL,
     "time between consecutive frames of the input, ps (as the file says)"},
    {0, "timestep", "PS", CLI_REAL, &o.timestep_ps, 1e-12, 1e12, NULL, NULL,
     "length of an MD step, ps, where the file counts steps (LAMMPS, i-PI)"},
    {0, "time-unit", "UNIT", CLI_CHOICE, &time_unit, 0, 0, time_units, NULL,
     "unit of the Time= of extended XYZ that does not name its own (asked for)"},
    {0, "sigma", "ANGSTROM", CLI_REAL, &o.sigma, 1e-6, 1e6, NULL, NULL,
     "Lennard-Jones sigma, Å (as the file says)"},
    {0, "select", "A:B:C", CLI_CUSTOM, NULL, 0, 0, NULL, parse_select,
     "frames A, A+C, A+2C, ... below B, counted from 0 (all)"},
    {0, "species", "LIST", CLI_STRING, &atoms.species, 0, 0, NULL, NULL,
     "atoms of these names only, O,H (all)"},
    {0, "atoms", "A:B:C", CLI_CUSTOM, NULL, 0, 0, NULL, parse_atoms,
     "atoms A, A+C, A+2C, ... below B only, counted from 0 (all)"},
    {0, "dtype", "TYPE", CLI_CHOICE, &dtype, 0, 0, dtypes, NULL, "numbers as f32 or f64 (f32)"},
    {0, "allow-partial", NULL, CLI_FLAG, &o.allow_partial, 0, 0, NULL, NULL,
     "take the whole frames of a file whose end is cut"},
    {0, "unsorted-ok", NULL, CLI_FLAG, &o.unsorted_ok, 0, 0, NULL, NULL,
     "do not refuse frames in which many atoms jump"},
    {0, "keep-duplicates", NULL, CLI_FLAG, &o.keep_duplicates, 0, 0, NULL, NULL,
     "keep the frame that a restarted run writes twice"},
    {0}};

static const struct cli_tool tool = {
    "xyz2bin",
    "[FILE...]",
    "Turn XYZ text (gzip and zstd transparently) into a stream of positions; several files are one "
    "trajectory.",
    options,
    "  xyz2bin argon256.xyz.gz | g4-cpu --tmax 6 | bin2txt\n"
    "  xyz2bin --dt 0.125 --cell 23.03154 dump.xyz -o dump.mbf\n"
    "  xyz2bin --select 1:801 run1.xyz run2.xyz.gz | rdf-cpu | bin2txt\n",
    0,
    -1,
    true,
    NULL,
    true};

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
    if (ok && !meta_get(m, "sys.species"))
        cli_note(
            "species are not recorded: there are no names, more than 255, or brackets in them");
    if (ok && atoms_choose(&atoms, m, e) == 0 && frame_put_meta(w, m) == 0)
        t = traj_writer_new(w, atoms.n, o.f64 ? FRAME_F64 : FRAME_F32, i.dt, i.box);
    if (t)
        traj_writer_gather(t, &atoms);
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
    atoms_free(&atoms);
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
    o.f64 = dtype == 1;
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
