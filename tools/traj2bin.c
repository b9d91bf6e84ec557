/* SPDX-License-Identifier: MIT */
/* traj2bin: converts trajectories of other programs to positions (POSN) and, with --velocities,
 * velocities (VELO), and with --scalars, scalars of the atoms (SCAL). */
#include "cli/cli_convert.h"
#include "io/gunzip.h"

static const char *const units_names[] = {FORMATS_UNITS_NAMES};

static const struct cli_opt options[] = {
    CLI_OPT("format", "NAME", CHOICE, &cli_convert.format, formats_help, .choices = formats_names),
    CLI_OPT("velocities", NULL, FLAG, &cli_convert.velocities,
            "also write velocities (VELO); the input must contain them"),
    CLI_CONVERT_SCALARS,
    CLI_CONVERT_CHARGES,
    CLI_TRAJ_OPTIONS("LAMMPS", NULL),
    CLI_OPT("unsorted-ok", NULL, FLAG, &cli_traj.given.unsorted_ok,
            "accept LAMMPS rows without atom ids, and assume that their order never changes"),
    CLI_TRAJ_ATOMS,
    CLI_CONVERT_XYZ,
    CLI_OPT("units", "STYLE", CHOICE, &cli_convert.units,
            "LAMMPS unit style of the input (default: from the file)", .choices = units_names),
    CLI_OPT(
        "species", "LIST", CUSTOM, NULL,
        "names for LAMMPS types, such as 1=Ar,2=Kr, or for all atoms, such as '512*(O 1 H 2)'; or "
        "a list of the species to keep, such as O,H (default: names from the file, all atoms)",
        .parse = cli_convert_species),
    CLI_OPT("topology", "FILE.gro|.pdb", STRING, &cli_convert.topology,
            "read the atom names from FILE; an option such as --species OW=O,HW1=H changes these "
            "names (default: names from the trajectory)"),
    CLI_OPT("molecules", "FILE", STRING, &cli_convert.molecules,
            "write a list of the molecules to FILE, for the options --exclude and --molecules of "
            "other programs; the molecules are the residues of --topology or come from the LAMMPS "
            "column mol"),
    CLI_OPT("columns", "LIST", STRING, &cli_convert.columns,
            "column names of an old LAMMPS binary dump, such as 'id type xs ys zs'"),
    CLI_OPT("unwrap", NULL, FLAG, &cli_convert.unwrap,
            "unwrap positions with the image flags of LAMMPS or H5MD"),
    CLI_OPT("external", NULL, FLAG, &cli_convert.external,
            "follow links from an H5MD file to data in other files"),
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

int main(int argc, char **argv)
{
    return cli_convert_main(&tool, argc, argv);
}
