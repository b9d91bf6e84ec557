/* SPDX-License-Identifier: MIT */
#include "cli/cli_motion.h"

#include <math.h>

const char *const cli_motion_drifts[] = {"auto", "subtract", "keep", NULL};

void cli_motion_check(const struct cli_common *c, const struct motion_choice *m)
{
    if (m->lags && !isnan(m->tmax))
        cli_die(CLI_BAD, "expected --lags or --tmax, found both");
    cli_unused(m->tracks.drift == TRACKS_KEEP && m->tracks.drift_of, "drift-of",
               "with --drift keep");
    cli_unused(m->tracks.drift == TRACKS_KEEP && !m->tracks.molecules && !m->tracks.weigh, "masses",
               "without --drift subtract, --molecules or --vacf-weights mass");
    cli_keep_input(c, m->tracks.molecules, c->output);
}
