/* SPDX-License-Identifier: MIT */
/* traj2bin: converts trajectories of other programs to positions (POSN) and, with --velocities,
 * velocities (VELO). */
#include "base/gunzip.h"
#include "cli/cli_convert.h"

static const char *const units_names[] = FORMATS_UNITS_NAMES;

static const struct cli_opt options[] = {
    CLI_OPT("format", "NAME", CHOICE, &cli_convert.format, formats_help, .choices = formats_names),
    CLI_OPT("velocities", NULL, FLAG, &cli_convert.velocities,
            "also write velocities (VELO); the input must contain them"),
    CLI_TRAJ_OPTIONS("LAMMPS", NULL),
    CLI_OPT("unsorted-ok", NULL, FLAG, &cli_traj.said.unsorted_ok,
            "accept LAMMPS rows without ids, in the order of the file"),
    CLI_TRAJ_ATOMS,
    CLI_CONVERT_XYZ,
    CLI_OPT("units", "STYLE", CHOICE, &cli_convert.units,
            "units of LAMMPS or H5MD data (default: from the file)", .choices = units_names),
    CLI_OPT("species", "LIST", CUSTOM, NULL,
            "name LAMMPS types (1=Ar,2=Kr) or atoms ('512*(O 1 H 2)'), or keep only atoms with "
            "these names (O,H) (default: names from the file, all atoms)",
            .parse = cli_convert_species),
    CLI_OPT("topology", "FILE.gro|.pdb", STRING, &cli_convert.topology,
            "read the atom names from FILE; --species OW=O,HW1=H renames them (default: names "
            "from the trajectory)"),
    CLI_OPT("molecules", "FILE", STRING, &cli_convert.molecules,
            "write the residues of --topology, or the molecules in the LAMMPS column mol, to FILE, "
            "for --exclude and --molecules of other programs"),
    CLI_OPT("columns", "LIST", STRING, &cli_convert.columns,
            "column names of an old LAMMPS binary dump, such as 'id type xs ys zs'"),
    CLI_OPT("unwrap", NULL, FLAG, &cli_convert.unwrap,
            "unwrap positions with the image flags of LAMMPS or H5MD"),
    CLI_OPT("external", NULL, FLAG, &cli_convert.external,
            "follow links of an H5MD file to data in other files"),
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
