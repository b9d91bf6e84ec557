/* SPDX-License-Identifier: MIT */
/* md-cpu, md-gpu: Lennard-Jones molecular dynamics, positions as they come. */
#include <math.h>
#include <string.h>

#include "cli/cli_md.h"

static struct md_setup setup;
static struct cli_md run = {.job = {.setup = &setup,
                                    .equilibrate = MD_UNSET,
                                    .steps = MD_UNSET,
                                    .every = MD_UNSET,
                                    .thermo_every = MD_UNSET,
                                    .stress_every = MD_UNSET},
                            .checkpoint = NAN};

static const struct cli_opt opts[] = {
    CLI_OPT("atoms", "N[,N...]", CUSTOM, &run.job,
            "a new system of so many atoms, instead of reading one; or several at once; % in file "
            "names becomes N",
            .parse = md_parse_atoms),
    CLI_OPT("density", "N_PER_A3", REAL, &setup.density,
            "atoms a cubic ångström: the edge of a cube", .min = 1e-12, .max = 1e6),
    CLI_OPT("cell", "A[,B,C]", CUSTOM, setup.cell, "edges of the box, Å", .parse = md_parse_cell),
    CLI_OPT("start", "WHICH", CHOICE, &setup.start, "fcc or random places (fcc)",
            .choices = md_start_names),
    CLI_OPT("temperature", "K", REAL, &setup.temperature,
            "of the first velocities and the thermostat (90; lj: 1)", .max = 1e9),
    CLI_OPT("epsilon", "MEV", REAL, &setup.eps, "depth of the pair potential (10.34; lj: 1)",
            .min = 1e-9, .max = 1e9),
    CLI_OPT("sigma", "ANGSTROM", REAL, &setup.sigma, "its length (the stream's, else 3.4; lj: 1)",
            .min = 1e-9, .max = 1e9),
    CLI_OPT("mass", "U", REAL, &setup.mass, "of an atom (39.948; lj: 1)", .min = 1e-9, .max = 1e9),
    CLI_OPT("lj", "FORM", CHOICE, &setup.form,
            "sigma: zero at sigma; rmin: lowest at sigma (sigma)", .choices = md_form_names),
    CLI_OPT("units", "WHICH", CHOICE, &setup.units, "metal (Å, ps, meV, u) or lj (metal)",
            .choices = md_units_names),
    CLI_OPT("cutoff", "ANGSTROM|half", CUSTOM, &setup.cutoff,
            "of the force; half: half of the smallest edge (2.5 sigma, or half where that is less)",
            .parse = md_parse_cutoff),
    CLI_OPT("shift", "WHICH", CHOICE, &setup.shift,
            "none; potential or force: what is 0 at the cutoff (none)", .choices = md_shift_names),
    CLI_OPT("skin", "ANGSTROM", REAL, &setup.skin, "width of the list's buffer (chosen)",
            .min = 1e-9, .max = 1e9),
    CLI_OPT(
        "rebuild", "STEPS", UINT, &setup.rebuild,
        "build lists anew after so many steps, too, and not only when an atom has left its buffer",
        .max = 1e9),
    CLI_OPT("neighbours", "METHOD", CHOICE, &setup.neighbours,
            "auto, all-pairs, verlet or cells (auto: the fastest here)",
            .choices = md_neighbours_names),
    CLI_OPT("boundary", "WHICH", CHOICE, &setup.boundary, "periodic, or mirror walls (periodic)",
            .choices = md_boundary_names),
    CLI_OPT("integrator", "WHICH", CHOICE, &setup.integrator,
            "velocity-verlet or euler (velocity-verlet)", .choices = md_integrator_names),
    CLI_OPT("thermostat", "none|berendsen:PS", CUSTOM, &setup.tau, "and its time constant (none)",
            .parse = md_parse_thermostat),
    CLI_OPT("dt", "FS", REAL, &setup.dt, "time step (2.5; lj: 0.005)", .min = 1e-9, .max = 1e9),
    CLI_OPT("equilibrate", "STEPS", UINT, &run.job.equilibrate,
            "steps before the first one that counts (0)", .max = 1e18),
    CLI_OPT("steps", "STEPS", UINT, &run.job.steps,
            "steps that count (10000; of a run that was stopped, those that are left)",
            .max = 1e18),
    CLI_OPT("every", "STEPS", UINT, &run.job.every,
            "steps between frames, and between lines of --thermo (50)", .min = 1, .max = 1e18),
    CLI_OPT("thermo-every", "STEPS", UINT, &run.job.thermo_every,
            "steps between lines of --thermo (those of --every)", .min = 1, .max = 1e18),
    CLI_OPT("velocities", NULL, FLAG, &run.job.velocities,
            "write velocities (VELO) beside the positions"),
    CLI_OPT("seed", "N", UINT, &setup.seed, "of velocities and random places (1)"),
    CLI_OPT("precision", "WHICH", CHOICE, &setup.precision, "mixed: pairs in f32; double (mixed)",
            .choices = md_precision_names),
    CLI_OPT("replicas", "R", UINT, &setup.replicas,
            "so many systems at once, seeds N to N+R-1; % in file names becomes the number (1)",
            .min = 1, .max = 1e6),
    CLI_OPT("thermo", "FILE", STRING, &run.thermo, "write energies and pressure as text columns"),
    CLI_OPT("stress", NULL, FLAG, &run.job.stress,
            "six more columns of --thermo: the pressure tensor"),
    CLI_OPT("stress-every", "STEPS", UINT, &run.job.stress_every,
            "--stress, as the mean over every so manieth step since the line before (that of the "
            "line's step)",
            .min = 1, .max = 1e18),
    CLI_OPT("tail", NULL, FLAG, &setup.tail,
            "U, E, W and p of --thermo with what lies beyond the cutoff"),
    CLI_OPT("restart", "FILE", STRING, &run.restart,
            "write the last state, to go on from it exactly"),
    CLI_OPT("from-restart", "FILE", STRING, &run.from_restart,
            "go on from there; options that are given take effect"),
    CLI_OPT("checkpoint", "MINUTES", REAL, &run.checkpoint,
            "write --restart so often, and when SIGTERM or Ctrl-C stops the run; 0: only then",
            .max = 1e6),
    CLI_OPT(
        "partial", NULL, FLAG, &run.partial,
        "keep what a run that was stopped has written, marked partial (frame-cat --allow-partial)"),
    CLI_OPT("data", "FILE", STRING, &run.data, "write the last state as a LAMMPS data file"),
    CLI_OPT("from-data", "FILE", STRING, &run.job.data,
            "start from a LAMMPS data file (-: stdin): cell, positions, velocities"),
#ifdef ENGINE_GPU
    CLI_OPT("device", "N", STRING, &run.device, "which of the visible GPUs (0)"),
    CLI_OPT("devices", "LIST", STRING, &run.devices,
            "several GPUs for replicas and sizes: all, or a list such as 0,2"),
#endif
    {0}};

static const struct cli_tool tool = {
    .name = "md-" ENGINE,
    .operands = "[FILE]",
    .opts = opts,
    .max_operands = 1,
    .writes_frames = true,
    .writes_steps = true,
    .summary = "Lennard-Jones dynamics of a new system, or from the last step of a trajectory "
               "(POSN); positions (POSN) out.",
    .examples =
        "  md-" ENGINE " --atoms 256 --cell 23.03154 --thermostat berendsen:0.5 -o argon.mbf\n"
        "  md-" ENGINE " --atoms 864 --density 0.021 --thermostat berendsen:0.5 --equilibrate \\\n"
        "      20000 | g4-" ENGINE " --tmax 6 | bin2txt\n",
    .engine = md_engine_name};

int main(int argc, char **argv)
{
    struct err e = {0};
    md_setup_empty(&setup);
    run.tool = &tool;
    cli_parse(&tool, argc, argv, &run.common);
    cli_md_check(&run);

    cli_md_open(&run);
    cli_note("%.3f GiB of %s memory", (double)md_job_bytes(&run.job) / 1073741824.0,
             strcmp(ENGINE, "gpu") == 0 ? "GPU" : "host");

    int stopped = md_job_run(&run.job, &e);

    return cli_md_close(&run, stopped, &e);
}
