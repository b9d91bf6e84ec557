/* SPDX-License-Identifier: MIT */
/* xyz2bin: converts XYZ text of any dialect (plain, gzip or zstd) to positions (POSN). It is
 * traj2bin for one format. */
#include <string.h>

#include "cli/cli_convert.h"
#include "io/gunzip.h"

static const struct cli_opt options[] = {CLI_CONVERT_VELOCITIES,
                                         CLI_CONVERT_SCALARS,
                                         CLI_CONVERT_CHARGES,
                                         CLI_CONVERT_XYZ,
                                         CLI_TRAJ_OPTIONS("LAMMPS and i-PI", "unsorted-ok"),
                                         CLI_TRAJ_ATOMS,
                                         CLI_TRAJ_SPECIES,
                                         {0}};

static const struct cli_tool tool = {
    .name = "xyz2bin",
    .operands = "[FILE...]",
    .summary = "Convert XYZ text (plain, gzip or zstd) to a stream of positions. Several files are "
               "read as one trajectory.",
    .opts = options,
    .examples = "  xyz2bin argon256.xyz.gz | g4-cpu --tmax 6 | bin2txt\n"
                "  xyz2bin --dt 0.125 --cell 23.03154 dump.xyz -o dump.mbf\n"
                "  xyz2bin --select 1:801 run1.xyz run2.xyz.gz | rdf-cpu | bin2txt\n",
    .max_operands = -1,
    .writes_frames = true,
    .build_facts = gunzip_by,
    .writes_steps = true};

int main(int argc, char **argv)
{
    while (strcmp(formats_names[cli_convert.format], "xyz") != 0)
        cli_convert.format++;
    return cli_convert_main(&tool, argc, argv);
}
