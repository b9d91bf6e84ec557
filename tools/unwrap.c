/* SPDX-License-Identifier: MIT */
/* unwrap: unwraps positions so that atoms do not jump across the cell. */
#include "motion/unwrap.h"
#include "cli/cli_motion.h"
#include "cli/cli_steps.h"

static const char *const drifts[] = {"subtract", "keep", NULL};
static struct unwrap_choice choice = {.subtract = -1};
static const struct cli_opt opts[] = {
    CLI_OPT("scheme", "tor|images", CHOICE, &choice.scheme,
            "unwrapping scheme: tor adds up minimum-image displacements, and images accepts the "
            "output of traj2bin --unwrap (default: tor)",
            .choices = unwrap_schemes),
    CLI_OPT("molecules", "M|FILE", STRING, &choice.molecules,
            "keep molecules whole; give M if each molecule consists of M consecutive atoms, or a "
            "FILE in which each line lists the atom numbers of one molecule, counted from 0 "
            "(default: unwrap every atom separately)"),
    CLI_OPT("drift", "subtract|keep", CHOICE, &choice.subtract,
            "subtract or keep the motion of the centre of mass of all atoms (default: keep)",
            .choices = drifts),
    CLI_DRIFT_OF(choice.drift_of),
    CLI_OPT("masses", "A=M,...", CUSTOM, &choice.masses,
            "atomic masses of species, g/mol (default: from the element names)",
            .parse = weights_parse),
    {0}};

static const struct cli_tool tool = {
    CLI_STEPS_TOOL("unwrap"),
    .summary = "Unwrap positions (POSN), so that atoms do not jump across the cell.",
    .examples = "  unwrap argon.mbf | msd-cpu | bin2txt\n"
                "  unwrap --molecules 3 water.mbf -o whole.mbf\n"};

int main(int argc, char **argv)
{
    struct cli_common common;
    cli_parse(&tool, argc, argv, &common);
    cli_unused(choice.drift_of && choice.subtract == 1, "drift-of", "with --drift keep");
    choice.subtract = choice.subtract == 0 || choice.drift_of;
    cli_unused(!choice.subtract, "masses", "without --drift subtract or --drift-of");
    cli_keep_input(&common, choice.molecules, common.output);
    return cli_steps(&tool, &common, &unwrap_stepwise, &choice);
}
