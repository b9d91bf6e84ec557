/* SPDX-License-Identifier: MIT */
/* traj2bin: trajectories of other programs -> POSN, with --velocities VELO, too. */
#include "base/gunzip.h"
#include "cli/cli_convert.h"

static const char *const units_names[] = FORMATS_UNITS_NAMES;

static const struct cli_opt options[] = {
    {0, "format", "NAME", CLI_CHOICE, &cli_convert.format, 0, 0, formats_names, NULL, formats_help},
    {0, "velocities", NULL, CLI_FLAG, &cli_convert.velocities, 0, 0, NULL, NULL,
     "velocities, too; an error where there are none"},
    CLI_TRAJ_OPTIONS("LAMMPS", "take rows without ids as they stand"),
    CLI_TRAJ_ATOMS,
    CLI_CONVERT_XYZ,
    {0, "units", "STYLE", CLI_CHOICE, &cli_convert.units, 0, 0, units_names, NULL,
     "units of LAMMPS or H5MD (as the file says)"},
    {0, "species", "LIST", CLI_CUSTOM, NULL, 0, 0, NULL, cli_convert_species,
     "names of LAMMPS types, 1=Ar,2=Kr, or of the atoms, '512*(O 1 H 2)' (as the file says); or, "
     "of those, atoms of these names only, O,H (all)"},
    CLI_OPT("topology", "FILE.gro|.pdb", STRING, &cli_convert.topology,
            "names of the atoms from there; --species OW=O,HW1=H renames them (as the file says)"),
    CLI_OPT("molecules", "FILE", STRING, &cli_convert.molecules,
            "write there the residues of --topology or the molecules of LAMMPS' column mol, for "
            "--exclude and --molecules of others"),
    {0, "columns", "LIST", CLI_STRING, &cli_convert.columns, 0, 0, NULL, NULL,
     "columns of an old LAMMPS binary dump, 'id type xs ys zs'"},
    {0, "unwrap", NULL, CLI_FLAG, &cli_convert.unwrap, 0, 0, NULL, NULL,
     "follow atoms across the cell, by the images of LAMMPS or H5MD"},
    {0, "external", NULL, CLI_FLAG, &cli_convert.external, 0, 0, NULL, NULL,
     "read the data of an H5MD file that are in other files"},
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
