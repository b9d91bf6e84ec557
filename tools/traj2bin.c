/* SPDX-License-Identifier: MIT */
/* traj2bin: converts trajectories of other programs to positions (POSN). It also converts
 * velocities (VELO) with --velocities, and scalars of the atoms (SCAL) with --scalars. */
#include "cli/cli_convert.h"
#include "io/gunzip.h"

static const struct cli_tool tool = {
    .name = "traj2bin",
    .operands = "[FILE...]",
    .summary = formats_summary,
    .opts = cli_import_options,
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
