/* SPDX-License-Identifier: MIT */
/* current: computes the charge current and the dipole moment of every step of a trajectory. */
#include "current/current.h"
#include "cli/cli_steps.h"

static struct cli_common common;
static struct current_choice choice;

static const struct cli_opt opts[] = {
    CLI_OPT("quantity", "current|dipole|both|point", CHOICE, &choice.quantity,
            "quantity to compute: current for the charge current (jx jy jz), dipole for the dipole "
            "moment (mx my mz), both for all six columns, or point to write the dipole moment as "
            "the position of one atom (default: current)",
            .choices = current_quantities),
    CLI_OPT("molecules", "M|FILE", STRING, &choice.molecules,
            "sum the dipole moments of neutral molecules (the positions may be wrapped); give M if "
            "each molecule consists of M consecutive atoms, or a FILE in which each line lists the "
            "atom numbers of one molecule, counted from 0"),
    CLI_OPT("charged-ok", NULL, FLAG, &choice.charged,
            "accept charges that do not add up to 0, for example those of a selection of ions"),
    CLI_OPT(
        "unwrapped", NULL, FLAG, &choice.unwrapped,
        "continue if positions appear to be wrapped into the cell (default: stop with an error)"),
    {0}};

static const struct cli_tool tool = {
    CLI_STEPS_TOOL("current"),
    .summary = "Compute the charge current (SERI, e*A/ps) from velocities and charges (POSN with "
               "VELO and SCAL), or the dipole moment (e*A) from unwrapped positions.",
    .examples = "  traj2bin --units real --dt 1 --velocities --scalars q m.dump | current |\n"
                "      green-kubo --property conductivity --temperature 1305\n"
                "  unwrap melt.mbf | current --quantity dipole -o m.mbf\n"};

int main(int argc, char **argv)
{
    cli_parse(&tool, argc, argv, &common);
    cli_unused(choice.quantity == CURRENT_J, "unwrapped", "with --quantity current");
    cli_unused(choice.quantity == CURRENT_J, "molecules", "with --quantity current");
    cli_unused(choice.molecules != NULL, "unwrapped", "with --molecules");
    return cli_steps(&tool, &common, &current_stepwise, &choice);
}
