/* SPDX-License-Identifier: MIT */
/* md-cpu, md-gpu: run Lennard-Jones molecular dynamics, and write positions during the run. */
#include <math.h>
#include <string.h>

#include "base/engine.h"
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
            "number of atoms in a new system, or several numbers to simulate several systems "
            "together; % in a file name is replaced by the number of atoms (default: read one "
            "system from a file)",
            .parse = md_parse_atoms),
    CLI_OPT("density", "N_PER_A3", REAL, &setup.density,
            "number density of a new cubic system, atoms per Å^3", .min = 1e-12, .max = 1e6),
    CLI_OPT("cell", "A[,B,C]", CUSTOM, setup.cell,
            "edge lengths of the rectangular cell of a new system, in Å", .parse = md_parse_cell),
    CLI_OPT("start", "fcc|random", CHOICE, &setup.start,
            "initial positions, fcc or random (default: fcc)", .choices = md_start_names),
    CLI_OPT("temperature", "K", REAL, &setup.temperature,
            "temperature of the initial velocities and of the thermostat (default: 90, or 1 in lj "
            "units)",
            .max = 1e9),
    CLI_OPT("epsilon", "MEV", REAL, &setup.eps,
            "Lennard-Jones epsilon (default: 10.34, or 1 in lj units)", .min = 1e-9, .max = 1e9),
    CLI_OPT("sigma", "ANGSTROM", REAL, &setup.sigma,
            "Lennard-Jones sigma (default: from the input, otherwise 3.4, or 1 in lj units)",
            .min = 1e-9, .max = 1e9),
    CLI_OPT("mass", "U", REAL, &setup.mass, "mass of an atom (default: 39.948, or 1 in lj units)",
            .min = 1e-9, .max = 1e9),
    CLI_OPT("lj", "FORM", CHOICE, &setup.form,
            "meaning of --sigma: the distance at which the potential is 0 (sigma) or has its "
            "minimum (rmin) (default: sigma)",
            .choices = md_form_names),
    CLI_OPT("units", "metal|lj", CHOICE, &setup.units,
            "unit style: metal (Å, ps, meV, u) or lj (default: metal)", .choices = md_units_names),
    CLI_OPT("cutoff", "ANGSTROM|half", CUSTOM, &setup.cutoff,
            "cut-off distance of the force; the word half sets it to half of the smallest cell "
            "edge (default: 2.5 sigma or half of the smallest edge, whichever is smaller)",
            .parse = md_parse_cutoff),
    CLI_OPT("shift", "none|potential|force", CHOICE, &setup.shift,
            "shift the potential or the force so that it is 0 at the cut-off: none, potential or "
            "force (default: none)",
            .choices = md_shift_names),
    CLI_OPT("skin", "ANGSTROM", REAL, &setup.skin,
            "buffer width of the neighbour lists (default: chosen automatically)", .min = 1e-9,
            .max = 1e9),
    CLI_OPT("rebuild", "STEPS", UINT, &setup.rebuild,
            "rebuild the neighbour lists at least every STEPS steps; if STEPS is 0, rebuild them "
            "only when an atom has moved by half of the buffer width (default: 0)",
            .max = 1e9),
    CLI_OPT("neighbours", "METHOD", CHOICE, &setup.neighbours,
            "method for finding pairs: auto (fastest), all-pairs, verlet or cells (default: "
            "auto)",
            .choices = md_neighbours_names),
    CLI_OPT("boundary", "periodic|mirror", CHOICE, &setup.boundary,
            "type of boundary: periodic, or mirror for reflecting walls (default: periodic)",
            .choices = md_boundary_names),
    CLI_OPT("integrator", "velocity-verlet|euler", CHOICE, &setup.integrator,
            "integration method: velocity-verlet or euler (default: velocity-verlet)",
            .choices = md_integrator_names),
    CLI_OPT("thermostat", "none|berendsen:PS", CUSTOM, &setup.tau,
            "thermostat, with its time constant in ps (default: none)",
            .parse = md_parse_thermostat),
    CLI_OPT("dt", "FS", REAL, &setup.dt, "time step (default: 2.5, or 0.005 in lj units)",
            .min = 1e-9, .max = 1e9),
    CLI_OPT("equilibrate", "STEPS", UINT, &run.job.equilibrate,
            "number of equilibration steps before the production run (default: 0)", .max = 1e18),
    CLI_OPT("steps", "STEPS", UINT, &run.job.steps,
            "number of production steps (default: 10000, or the remaining steps of a stopped run)",
            .max = 1e18),
    CLI_OPT("every", "STEPS", UINT, &run.job.every,
            "write one frame, and one line of the --thermo file, every STEPS steps (default: 50)",
            .min = 1, .max = 1e18),
    CLI_OPT("thermo-every", "STEPS", UINT, &run.job.thermo_every,
            "number of steps between lines of the --thermo file (default: value of --every)",
            .min = 1, .max = 1e18),
    CLI_OPT("velocities", NULL, FLAG, &run.job.velocities, "also write velocities (VELO)"),
    CLI_OPT("seed", "N", UINT, &setup.seed,
            "seed of the random numbers for the initial velocities and positions (default: 1)"),
    CLI_OPT("precision", "mixed|double", CHOICE, &setup.precision,
            "floating-point precision: mixed computes the pair forces in single precision, and "
            "double computes everything in double precision (default: mixed)",
            .choices = md_precision_names),
    CLI_OPT("replicas", "R", UINT, &setup.replicas,
            "number of copies of the system to simulate together; copy k, counted from 0, has the "
            "seed --seed + k, and % in a file name is replaced by k (default: 1)",
            .min = 1, .max = 1e6),
    CLI_OPT("thermo", "FILE", STRING, &run.thermo,
            "write energies and pressure to FILE as text columns"),
    CLI_OPT("stress", NULL, FLAG, &run.job.stress,
            "add the six components of the pressure tensor to the --thermo file"),
    CLI_OPT("stress-every", "STEPS", UINT, &run.job.stress_every,
            "average the pressure tensor in the --thermo file over every STEPS-th step since the "
            "preceding line (default: instantaneous value)",
            .min = 1, .max = 1e18),
    CLI_OPT("tail", NULL, FLAG, &setup.tail,
            "add the long-range corrections to the columns U, E, W and p of the --thermo file"),
    CLI_OPT(
        "restart", "FILE", STRING, &run.restart,
        "write the final state to FILE; the option --from-restart FILE continues the run exactly"),
    CLI_OPT("from-restart", "FILE", STRING, &run.from_restart,
            "continue the run saved in FILE; options on the command line take precedence over "
            "saved options"),
    CLI_OPT("checkpoint", "MINUTES", REAL, &run.checkpoint,
            "write the --restart file once every MINUTES minutes, and also if SIGTERM or Ctrl-C "
            "stops the run; if MINUTES is 0, write it only if the run is stopped",
            .max = 1e6),
    CLI_OPT("partial", NULL, FLAG, &run.partial,
            "if the run is stopped, keep the output and mark it as partial; frame-cat "
            "--allow-partial accepts such output"),
    CLI_OPT("data", "FILE", STRING, &run.data,
            "write the final state to FILE as a LAMMPS data file"),
    CLI_OPT("from-data", "FILE", STRING, &run.job.data,
            "start from the cell, positions and velocities of a LAMMPS data file; if FILE is -, "
            "read it from standard input"),
#ifdef ENGINE_GPU
    CLI_OPT("device", "N", STRING, &run.device,
            "number of the GPU to use, among the visible ones (default: 0)"),
    CLI_OPT("devices", "LIST", STRING, &run.devices,
            "use several GPUs for replicas and sizes: all, or a list such as 0,2"),
#endif
    {0}};

static const struct cli_tool tool = {
    .name = "md-" ENGINE,
    .operands = "[FILE]",
    .opts = opts,
    .max_operands = 1,
    .writes_frames = true,
    .writes_steps = true,
    .summary = "Simulate a Lennard-Jones system and write positions (POSN). The system is new or "
               "starts from the last step of a trajectory (POSN).",
    .examples =
        "  md-" ENGINE " --atoms 256 --cell 23.03154 --thermostat berendsen:0.5 -o argon.mbf\n"
        "  md-" ENGINE " --atoms 864 --density 0.021 --thermostat berendsen:0.5 --equilibrate \\\n"
        "      20000 | g4-" ENGINE " --tmax 6 | bin2txt\n",
    .engine = engine_name};

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
