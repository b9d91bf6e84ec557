/* SPDX-License-Identifier: MIT */
/* imd2bin: receives positions, velocities and energies of a running simulation over IMDv3. */
#include <string.h>

#include "cli/cli_convert.h"
#include "formats/imd_link.h"

static const char *const units_names[] = {FORMATS_UNITS_NAMES}, *energies;
static uint64_t steps = UINT64_MAX;
static double wait = 60.0, silence;

static const struct cli_opt options[] = {
    CLI_OPT("steps", "N", UINT, &steps,
            "number of the last MD step of the run; when this step has been received, the output "
            "is complete",
            .max = 1e18),
    CLI_OPT(
        "open-end", NULL, FLAG, &cli_traj.given.allow_partial,
        "accept an IMD session that ends at any step, and mark the output as possibly incomplete"),
    CLI_OPT("wait", "SECONDS", REAL, &wait,
            "maximum time to wait for the engine to begin the session (default: 60)", .min = 0,
            .max = 1e9),
    CLI_OPT("silence", "SECONDS", REAL, &silence,
            "stop with an error if the engine sends nothing for this long (default: wait without a "
            "limit)",
            .min = 1e-3, .max = 1e9),
    CLI_OPT("velocities", NULL, FLAG, &cli_convert.velocities,
            "also write velocities (VELO); the engine must send them"),
    CLI_CONVERT_CHARGES,
    CLI_OPT("energies", "FILE", STRING, &energies,
            "also write the energies to FILE, as a time series (SERI); the engine must send them"),
    CLI_OPT(
        "species", "LIST", CUSTOM, NULL,
        "names of all atoms, such as '512*(O 1 H 2)' for 512 water molecules; a list such as O,H "
        "instead keeps only the atoms of these species (default: write all atoms, without names)",
        .parse = cli_convert_species),
    CLI_OPT("units", "STYLE", CHOICE, &cli_convert.units,
            "unit style of a LAMMPS engine (default: Å, ps and Å/ps)", .choices = units_names),
    CLI_OPT("sigma", "ANGSTROM", REAL, &cli_convert.sigma,
            "Lennard-Jones sigma to store in the output, for programs that need it (default: none)",
            .min = 1e-6, .max = 1e6),
    CLI_TRAJ_READ("IMD"),
    CLI_TRAJ_ATOMS,
    {0}};

static const struct cli_tool tool = {
    .name = "imd2bin",
    .operands = "HOST:PORT",
    .summary = "Receive positions (POSN) from a running simulation over IMDv3. If the engine dies, "
               "the stream has no END.",
    .opts = options,
    .examples = "  imd2bin --steps 100000 --units real --species 'Ar 500' node7:8888 | rdf-cpu\n"
                "  imd2bin --open-end --velocities --energies energies.mbf :8888 -o run.mbf\n",
    .min_operands = 1,
    .max_operands = 1,
    .words = 1,
    .writes_frames = true,
    .writes_steps = true};

int main(int argc, char **argv)
{
    struct cli_common common;
    struct err e;
    cli_parse(&tool, argc, argv, &common);
    if ((steps == UINT64_MAX) != cli_traj.given.allow_partial)
        cli_die(CLI_BAD,
                "expected --steps N (the last step of the run) or --open-end, found %s: the end of "
                "a session does not show whether the engine finished or was killed",
                cli_traj.given.allow_partial ? "both" : "none");

    cli_separate((const char *const[]){common.output ? common.output : "-", energies}, 2);
    struct imd_link *link = imd_link_open(common.words[0], wait, silence, &e);
    if (!link)
        cli_die(e.status, "%s", e.text);
    const struct formats_source source = {
        .name = common.words[0],
        .io = {.fd = imd_link_fd(link), .read = imd_link_read, .from = link},
        .why = imd_link_why};
    cli_convert.source = &source;
    while (strcmp(formats_names[cli_convert.format], "imd") != 0)
        cli_convert.format++;
    cli_convert.last_step = steps == UINT64_MAX ? -1 : (int64_t)steps;

    int status = cli_convert_run(&tool, &common, energies);
    imd_link_close(link);
    return status;
}
