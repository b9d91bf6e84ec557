/* SPDX-License-Identifier: MIT */
#include "cli/cli_import.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli_convert.h"

static const char *const units_names[] = {FORMATS_UNITS_NAMES};

const struct cli_opt cli_import_options[] = {
    CLI_OPT("format", "NAME", CHOICE, &cli_convert.format, formats_help, .choices = formats_names),
    CLI_CONVERT_VELOCITIES,
    CLI_CONVERT_SCALARS,
    CLI_CONVERT_CHARGES,
    CLI_TRAJ_OPTIONS("LAMMPS", NULL),
    CLI_OPT("unsorted-ok", NULL, FLAG, &cli_traj.given.unsorted_ok,
            "accept LAMMPS rows without atom ids, and assume that their order never changes"),
    CLI_TRAJ_ATOMS,
    CLI_CONVERT_XYZ,
    CLI_OPT("units", "STYLE", CHOICE, &cli_convert.units,
            "LAMMPS unit style of the input (default: from the file)", .choices = units_names),
    CLI_OPT("species", "LIST", CUSTOM, NULL,
            "names of LAMMPS types, such as 1=Ar,2=Kr, or of all atoms, such as '512*(O 1 H 2)' "
            "for 512 water molecules; a list such as O,H instead keeps only the atoms of these "
            "species (default: write all atoms with the names in the file)",
            .parse = cli_convert_species),
    CLI_OPT("topology", "FILE.gro|.pdb|.psf", STRING, &cli_convert.topology,
            "read the atom names from FILE; to change these names, also give --species, for "
            "example --species OW=O,HW1=H (default: names from the trajectory)"),
    CLI_OPT("elements", NULL, FLAG, &cli_convert.elements,
            "replace atom names such as OW, HW1 and CA by chemical elements; stop with an error if "
            "the element is uncertain"),
    CLI_OPT(
        "molecules", "FILE", STRING, &cli_convert.molecules,
        "write the atoms of each molecule to FILE, which other programs read with --exclude or "
        "--molecules; a molecule is a residue of the --topology file, or all atoms with the same "
        "value of the column mol of a LAMMPS dump"),
    CLI_OPT("columns", "LIST", STRING, &cli_convert.columns,
            "names of the columns, such as 'id type xs ys zs', for an old LAMMPS binary dump that "
            "does not contain them"),
    CLI_OPT("unwrap", NULL, FLAG, &cli_convert.unwrap,
            "unwrap positions with the image flags of LAMMPS or H5MD"),
    CLI_OPT("external", NULL, FLAG, &cli_convert.external,
            "follow links from an H5MD file to data in other files"),
    {0}};

struct cli_import {
    struct cli_source in;
    struct meta *meta;
    struct formats_frame first; /* kept for the first call of cli_import_next() if `waits` is set */
    bool waits;
    struct err err;
};

/* Parses the options with the variables of the command line, and restores these variables. Returns
 * 0, or -1 and sets e. */
static int parse(struct cli_source *s, char *const *options, struct err *e)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    const struct cli_traj traj = cli_traj;
    const struct formats_opts convert = cli_convert;
    const char *charges = cli_convert_charges;
    int unit = cli_convert_time_unit;
    int bad = cli_parse_words(cli_import_options, options, e) || cli_source_options(s, e) ? -1 : 0;
    cli_traj = traj;
    cli_convert = convert;
    cli_convert_charges = charges;
    cli_convert_time_unit = unit;
    pthread_mutex_unlock(&lock);
    return bad;
}

struct cli_import *cli_import_open(char *const *paths, int npaths, char *const *options,
                                   const char *tool, const char *args, int threads, struct err *e)
{
    struct cli_import *x = calloc(1, sizeof *x);
    if (!x || parse(&x->in, options, e) != 0) {
        free(x);
        return x ? NULL : (err_memory(e, "the input"), NULL);
    }
    x->in.opts.threads = threads;
    x->in.opts.max_mem = memory_free("") / 5 * 4;
    x->in.x = formats_open(paths, npaths, &x->in.opts);
    int got = x->in.x ? formats_next(x->in.x, &x->first) : err_memory(e, "the input");
    x->waits = got == 1;
    if (x->in.x && got < 0)
        *e = *formats_error(x->in.x);
    if (x->waits)
        x->meta = cli_source_meta(&x->in, tool, args, e);
    else if (got == 0)
        err_bad(e, "expected frames, found none");
    if (x->meta)
        return x;
    cli_import_close(x);
    return NULL;
}

void cli_import_close(struct cli_import *x)
{
    if (!x)
        return;
    meta_free(x->meta);
    cli_source_close(&x->in);
    free(x);
}

const struct meta *cli_import_meta(const struct cli_import *x)
{
    return x->meta;
}

const struct err *cli_import_error(const struct cli_import *x)
{
    return formats_error(x->in.x);
}

const char *cli_import_warning(struct cli_import *x)
{
    return formats_warning(x->in.x);
}

double cli_import_expected(const struct cli_import *x)
{
    struct formats_info i = formats_info(x->in.x);
    return i.bytes ? (double)i.frames * (double)i.input_total / (double)i.bytes : 0.0;
}

/* Copies the selected atoms of one step, `atom` bytes each, unless they are already in place. */
static void copy(const struct atoms *a, size_t atom, void *to, const void *from)
{
    if (!a->row && to != from)
        memcpy(to, from, a->n * atom);
    for (size_t k = 0; a->row && k < a->n; k++)
        memcpy((char *)to + k * atom, (const char *)from + a->row[k] * atom, atom);
}

/* Returns the address of step n of an array, or NULL if there is no array. */
static void *at(void *array, size_t n, size_t bytes)
{
    return array ? (char *)array + n * bytes : NULL;
}

long long cli_import_next(struct cli_import *x, const struct cli_import_steps *s)
{
    const struct atoms *a = &x->in.atoms;
    size_t real = x->in.opts.given.f64 ? 8 : 4, n = 0, row = 3 * real * a->n,
           scalar = real * ((size_t)x->in.opts.nscalars + !!x->in.scalars);
    struct formats_frame f = x->first;
    int got = 1;
    for (; n < s->max; n++) {
        void *pos = at(s->pos, n, row), *vel = at(s->vel, n, row);
        bool room = !a->row && n + 1 < s->max; /* the reader keeps the last step of each call */
        formats_room(x->in.x, room ? pos : NULL, room ? vel : NULL);
        if (!x->waits && (got = formats_next(x->in.x, &f)) != 1)
            break;
        x->waits = false;
        s->time[n] = f.time;
        memcpy(s->cell + 9 * n, f.box->h, sizeof f.box->h);
        copy(a, 3 * real, pos, f.pos);
        if (vel)
            copy(a, 3 * real, vel, f.vel);
        if (s->scal)
            copy(a, scalar, at(s->scal, n, scalar * a->n), cli_source_scalars(&x->in, f.scal));
    }
    return n ? (long long)n : got;
}
