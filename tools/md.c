/* SPDX-License-Identifier: MIT */
/* md-cpu, md-gpu: Lennard-Jones molecular dynamics, positions as they come. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "md/md_data.h"
#include "md/md_job.h"
#include "stream/frame_index.h"

static struct md_setup setup;
static struct md_job job = {.setup = &setup,
                            .equilibrate = MD_UNSET,
                            .steps = MD_UNSET,
                            .every = MD_UNSET,
                            .thermo_every = MD_UNSET};
static double checkpoint = NAN; /* minutes */
static bool partial;
static uint64_t sizes[1000];
static const char *thermo, *restart, *from_restart, *data;
static const char *device, *devices;
static struct cli_common common;

/* N, or several sizes: N,N,... */
static int parse_atoms(const char *text, void *dst, struct err *e)
{
    size_t n = 0;
    for (const char *end = text - 1; n == 0 || *end;) {
        char one[32];
        text = end + 1;
        end = text + strcspn(text, ",");
        snprintf(one, sizeof one, "%.*s", (int)(end - text < 31 ? end - text : 31), text);
        if (n == sizeof sizes / sizeof *sizes)
            return err_set(e, ERR_BAD, "at most %zu sizes", n);
        if (cli_parse_uint(one, 1, 4000000000, &sizes[n++], e) != 0)
            return -1;
        for (size_t k = 0; k + 1 < n; k++)
            if (sizes[k] == sizes[n - 1])
                return err_set(e, ERR_BAD, "%s twice: --replicas makes several of one size", one);
    }
    *(uint64_t *)dst = sizes[0];
    job.nsizes = n > 1 ? n : 0;
    return 0;
}

static const struct cli_opt opts[] = {
    CLI_OPT("atoms", "N[,N...]", CUSTOM, &setup.atoms,
            "a new system of so many atoms, instead of reading one; or several at once; % in file "
            "names "
            "becomes N",
            .parse = parse_atoms),
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
    CLI_OPT("equilibrate", "STEPS", UINT, &job.equilibrate,
            "steps before the first one that counts (0)", .max = 1e18),
    CLI_OPT("steps", "STEPS", UINT, &job.steps,
            "steps that count (10000; of a run that was stopped, those that are left)",
            .max = 1e18),
    CLI_OPT("every", "STEPS", UINT, &job.every,
            "steps between frames, and between lines of --thermo (50)", .min = 1, .max = 1e18),
    CLI_OPT("thermo-every", "STEPS", UINT, &job.thermo_every,
            "steps between lines of --thermo (those of --every)", .min = 1, .max = 1e18),
    CLI_OPT("velocities", NULL, FLAG, &job.velocities,
            "write velocities (VELO) beside the positions"),
    CLI_OPT("seed", "N", UINT, &setup.seed, "of velocities and random places (1)"),
    CLI_OPT("precision", "WHICH", CHOICE, &setup.precision, "mixed: pairs in f32; double (mixed)",
            .choices = md_precision_names),
    CLI_OPT("replicas", "R", UINT, &setup.replicas,
            "so many systems at once, seeds N to N+R-1; % in file names becomes the number (1)",
            .min = 1, .max = 1e6),
    CLI_OPT("thermo", "FILE", STRING, &thermo, "write energies and pressure as text columns"),
    CLI_OPT("stress", NULL, FLAG, &job.stress, "six more columns of --thermo: the pressure tensor"),
    CLI_OPT("tail", NULL, FLAG, &setup.tail,
            "U, E, W and p of --thermo with what lies beyond the cutoff"),
    CLI_OPT("restart", "FILE", STRING, &restart, "write the last state, to go on from it exactly"),
    CLI_OPT("from-restart", "FILE", STRING, &from_restart,
            "go on from there; options that are given take effect"),
    CLI_OPT("checkpoint", "MINUTES", REAL, &checkpoint,
            "write --restart so often, and when SIGTERM or Ctrl-C stops the run; 0: only then",
            .max = 1e6),
    CLI_OPT(
        "partial", NULL, FLAG, &partial,
        "keep what a run that was stopped has written, marked partial (frame-cat --allow-partial)"),
    CLI_OPT("data", "FILE", STRING, &data, "write the last state as a LAMMPS data file"),
    CLI_OPT("from-data", "FILE", STRING, &job.data,
            "start from a LAMMPS data file (-: stdin): cell, positions, velocities"),
#ifdef ENGINE_GPU
    CLI_OPT("device", "N", STRING, &device, "which of the visible GPUs (0)"),
    CLI_OPT("devices", "LIST", STRING, &devices,
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

static void thermo_line(void *text, const char *line)
{
    cli_text_printf(text, "%s\n", line);
}

/* Every output of the run is a file of its own. */
static void keep_apart(const char *frames, const char *text)
{
    char *index = common.index && frames ? frame_index_name(frames) : NULL;
    const char *outputs[] = {frames ? frames : "-", text, restart, data, common.log, index};
    cli_apart(outputs, sizeof outputs / sizeof *outputs);
    free(index);
}

static void refuse_combinations(void)
{
    bool many = setup.replicas > 1 || job.nsizes,
         named = common.output && strchr(common.output, '%');
    const char *why = job.nsizes ? "several sizes" : "--replicas";
    if (many && (!named || (thermo && !strchr(thermo, '%'))))
        cli_die(CLI_BAD, "%s: a file each: %s needs a %% in its name", why,
                named ? "--thermo" : "-o FILE");
    if (job.nsizes && (setup.replicas > 1 || restart))
        cli_die(CLI_BAD, "several sizes of --atoms: not with %s",
                restart ? "--restart" : "--replicas");
    if (job.nsizes && !isnan(setup.cell[0]))
        cli_die(CLI_BAD, "several sizes of --atoms: --density gives each its cell, not --cell");
    keep_apart(common.output, thermo);
    if (setup.atoms && (common.noperands || from_restart))
        cli_die(CLI_BAD, "--atoms makes a new system: no %s then",
                common.noperands ? "input file" : "--from-restart");
    if (from_restart && common.noperands)
        cli_die(CLI_BAD, "--from-restart and an input file exclude each other");
    const char *from = from_restart ? from_restart : job.data;
    if (from) { /* what goes on from a file must not be written over it */
        struct cli_common in = common;
        in.operands = (char *[]){(char *)from};
        in.noperands = 1;
        cli_keep_inputs(&in, common.output);
        if (thermo)
            cli_keep_inputs(&in, thermo);
    }
    if (setup.dt < 0.05 && setup.units != MD_LJ && (setup.atoms || setup.units >= 0))
        cli_warn("--dt %g is in fs: is it meant in ps? (%g fs then)", setup.dt, 1e3 * setup.dt);
    if ((job.stress || job.thermo_every != MD_UNSET || setup.tail) && !thermo)
        cli_die(CLI_BAD, "--stress, --tail and --thermo-every are about --thermo: it is not given");
    if (job.data && (setup.atoms || common.noperands || from_restart))
        cli_die(CLI_BAD,
                "--from-data is a start of its own: no --atoms, --from-restart or input file");
    if (!isnan(checkpoint) && !restart)
        cli_die(CLI_BAD, "--checkpoint writes the file of --restart: it is not given");
    if (partial && isnan(checkpoint))
        cli_die(CLI_BAD, "--partial is about a run that --checkpoint lets stop: it is not given");
    if (data && many)
        cli_die(CLI_BAD, "--data holds one system: not with %s", why);
}

static void start(struct md_job *j)
{
    struct err e;
    if (restart)
        cli_keep_inputs(&common, restart); /* now, not after the run */
    if (data)
        cli_keep_inputs(&common, data);
    struct frame_reader *in =
        setup.atoms || job.data
            ? NULL
            : cli_open(&common, from_restart ? from_restart : cli_input(&common));
    if (md_job_start(j, in, &e) != 0)
        cli_die(e.status, "%s", e.text);
    j->meta = meta_derive(in ? frame_meta(in) : NULL, tool.name, CLI_VERSION, common.args);
    if (in)
        frame_close_reader(in);
}

/* What system k had written goes to no output of now: it ends as a file that is marked partial. */
static void salvage(struct md_job *j, size_t k, struct err *e)
{
    struct cli_common c = common;
    const struct md_kept *had = &j->had[k];
    enum frame_found found = FRAME_IN_PART; /* the file itself is as it should be */
    c.output = had->frames;
    c.index = false;
    struct frame_writer *w = cli_resume(&c, &had->mark, NULL, &found, e);
    if (!w && found == FRAME_GONE) {
        j->lost = md_job_had(j, &(uint64_t){0});
        cli_warn("%s", e->text);
        return;
    }
    j->out[k].frames = w;
    if (w && (md_job_salvage(j, k, e) != 0 || cli_settle(w, e) != 0))
        cli_die(e->status, "%s", e->text);
    if (w)
        cli_warn("%s: the frames before, marked partial: frame-cat --allow-partial joins them",
                 had->frames);
    else if (found != FRAME_IN_FILE)
        cli_die(e->status, "%s", e->text);
}

/* The frames of system k: those of before go on, or new ones begin. */
static struct frame_writer *open_frames(struct md_job *j, size_t k, const struct cli_common *c)
{
    struct err e;
    uint64_t last, frames = md_job_had(j, &last);
    const struct md_kept *had = j->had ? &j->had[k] : NULL;
    struct frame_writer *w = NULL;
    enum frame_found found = FRAME_GONE;
    if (had && had->frames && cli_same_output(had->frames, c->output)) {
        const struct meta *like = md_job_meta(j, k, &e);
        w = like ? cli_resume(c, &had->mark, like, &found, &e) : NULL;
        if (!w && (!like || found != FRAME_GONE))
            cli_die(e.status, "%s", e.text);
        if (!w)
            j->lost = frames;
    } else if (had && had->frames) {
        salvage(j, k, &e);
    } else if (had && !had->published) {
        j->lost = frames;
    }
    if (j->lost && frames && !w)
        cli_warn("frames 0 to %llu of the run, up to step %llu, are in no file: %s begins behind "
                 "them, and ends as limited",
                 (unsigned long long)(last / j->had_every - 1), (unsigned long long)last,
                 c->output ? c->output : "stdout");
    if (!w && !isnan(checkpoint))
        cli_no_part(c->output);
    return w ? w : cli_create(c);
}

/* The same of the lines of --thermo. */
static struct cli_text *open_thermo(struct md_job *j, size_t k, const struct cli_common *c)
{
    struct err e;
    const struct md_kept *had = j->had ? &j->had[k] : NULL;
    struct cli_text *text = NULL, *before;
    if (had && had->thermo && thermo && cli_same_output(had->thermo, c->output)) {
        text = cli_text_resume(c, had->thermo_bytes, &e);
        if (!text)
            cli_warn("lines of --thermo before this are lost: %s", e.text);
    } else if (had && had->thermo && !had->published) {
        struct cli_common o = *c;
        o.output = had->thermo;
        if ((before = cli_text_resume(&o, had->thermo_bytes, &e))) {
            cli_text_printf(before, "## partial %llu steps left\n",
                            (unsigned long long)j->left.steps);
            (void)cli_text_close(before, CLI_OK);
        }
    }
    if (text || !thermo)
        return text;
    if (!isnan(checkpoint))
        cli_no_part(c->output);
    text = cli_text_open(c);
    cli_text_printf(text, "# %s\n## origin %s %s\n", md_thermo_legend(&setup, job.stress),
                    tool.name, common.args);
    return text;
}

static void open_files(struct md_job *j, size_t k)
{
    struct err e;
    struct cli_common c = common;
    struct md_out *o = &j->out[k];
    int n = (int)j->systems;
    const char *frames = md_job_name(j, k, common.output, &o->frames_name);
    c.output = md_job_name(j, k, thermo, &o->thermo_name);
    if ((common.output && !frames) || (thermo && !c.output)) /* NULL would be stdout */
        cli_die(CLI_MEMORY, "out of memory");
    keep_apart(frames, c.output);
    o->thermo = open_thermo(j, k, &c);
    c.output = frames;
    c.threads = common.threads > n ? common.threads / n : 1;
    o->frames = open_frames(j, k, &c);
    if (md_job_out(j, k, &e) != 0)
        cli_die(e.status, "%s", e.text);
}

static int keep_thermo(void *text, uint64_t *bytes, struct err *e)
{
    return cli_text_keep(text, bytes, e);
}

/* With the other outputs, when they appear. 0, or -1 with e. */
static int write_restart(struct md_job *j, struct err *e)
{
    struct cli_common c = common;
    c.output = restart;
    c.index = false;
    c.last = true; /* a kill before it leaves a checkpoint that knows the others */
    struct frame_writer *w = cli_create(&c);
    if (md_job_restart(j, w, e) == 0)
        return cli_settle(w, e);
    cli_drop(w);
    return -1;
}

/* The same, now. */
static int write_checkpoint(struct md_job *j, struct err *e)
{
    struct frame_writer_opts o = {
        .tool = tool.name, .compress = common.compress, .max_mem = common.max_mem, .at_once = true};
    struct frame_writer *w = md_job_keep(j, false, e) == 0 ? frame_create(restart, &o, e) : NULL;
    int bad = w ? md_job_restart(j, w, e) : -1;
    return frame_close_writer(w, bad ? NULL : e) || bad ? -1 : 0;
}

/* Is a run that can be stopped to stop? A checkpoint that cannot be written does not end it. */
static bool pause_run(struct md_job *j)
{
    static double last;
    struct err e;
    bool stop = cli_signal() != 0;
    if (!stop && checkpoint > 0.0 && cli_seconds() - last >= 60.0 * checkpoint) {
        if (write_checkpoint(j, &e) != 0)
            cli_warn("no checkpoint: %s", e.text);
        last = cli_seconds();
    }
    return stop;
}

/* It was stopped: the state, and what is kept of the frames. 0; or -1 with e: nothing is kept. */
static int stop_run(struct md_job *j, struct err *e)
{
    unsigned long long left = j->left.equilibrate + j->left.steps;
    struct err why;
    if (partial && md_job_keep(j, true, e) != 0)
        return -1;
    if ((partial ? write_restart(j, e) : write_checkpoint(j, e)) != 0)
        return -1;
    err_set(&why, CLI_MACHINE, "stopped with %llu steps left: --from-restart %s goes on", left,
            restart);
    if (!partial) {
        *e = why; /* for whom the frames go to, too */
        return 0;
    }
    cli_warn("%s", why.text);
    for (size_t k = 0; k < j->systems && thermo; k++)
        cli_text_printf(j->out[k].thermo, "## partial %llu steps left\n", left);
    return md_job_end(j, FRAME_PARTIAL, e);
}

static int write_data(struct md_job *j, struct err *e)
{
    struct cli_common c = common;
    c.output = data;
    struct cli_text *text = cli_text_open(&c);
    int bad = md_data_write(j->part->md, &setup, &j->params, tool.name, thermo_line, text, e);
    int status = cli_text_close(text, bad ? e->status : CLI_OK);
    return bad || status == CLI_OK ? bad : err_set(e, status, "%s: cannot be written", data);
}

/* Returns the exit status; status: what it is so far. */
static int close_files(struct md_job *j, const struct md_out *o, int status)
{
    j->bytes += frame_written(o->frames);
    int s = 0;
    if (status)
        cli_drop(o->frames);
    else
        s = cli_close(o->frames);
    int t = o->thermo ? cli_text_close(o->thermo, status) : 0;
    return status ? status : s ? s : t;
}

static void say_speed(const struct md_job *j)
{
    unsigned long long builds = 0;
    double seconds = 0.0, atoms = 0.0;
    for (const struct md_part *a = j->part; a < j->part + j->nparts; a++) {
        builds += md_info(a->md)->builds;
        seconds = fmax(seconds, a->seconds);
        atoms += (double)a->params.natoms * (double)a->params.replicas;
    }
    double rate = seconds > 0 ? (double)j->steps / seconds : 0.0;
    cli_note("%s, %s, %llu list builds", md_engine_name(),
             md_neighbours_names[md_info(j->part->md)->method], builds);
    if (j->nparts > 1)
        cli_note("%zu systems on %zu engines side by side", j->systems, j->nparts);
    cli_note("%llu steps in %.6f s: %.4g steps/s, %.4g atom-steps/s", (unsigned long long)j->steps,
             seconds, rate, rate * atoms);
}

static int finish_run(struct md_job *j, struct err *e)
{
    if ((restart && write_restart(j, e) != 0) || (data && write_data(j, e) != 0) ||
        md_job_end(j, j->lost ? FRAME_LIMITED : FRAME_COMPLETE, e) != 0)
        return -1;
    for (size_t k = 0; k < md_job_notes(j); k++)
        if (md_job_note(j, k))
            cli_warn("%s", md_job_note(j, k));
    say_speed(j);
    return 0;
}

int main(int argc, char **argv)
{
    struct err e = {0};
    md_setup_empty(&setup);
    cli_parse(&tool, argc, argv, &common);
    if (device && (devices || strchr(device, ',') || strcmp(device, "all") == 0))
        cli_die(CLI_BAD, "--device is one GPU, --devices several: give one of them");
    job.params.devices = devices ? devices : device;
    int n = md_probe(job.params.devices, &e);
    if (n < 0)
        cli_die(e.status, "%s", e.text);
    refuse_combinations();

    job.thermo = thermo;
    job.go_on = from_restart;
    job.line = thermo_line;
    job.keep = keep_thermo;
    job.progress = cli_progress;
    job.params.threads = common.threads;
    job.params.max_mem = common.max_mem;
    job.sizes = sizes;
    job.ndevices = (size_t)n;
    start(&job);
    for (size_t k = 0; k < job.systems; k++)
        open_files(&job, k);

    cli_note("%.3f GiB of %s memory", (double)md_job_bytes(&job) / 1073741824.0,
             strcmp(ENGINE, "gpu") == 0 ? "GPU" : "host");
    if (!isnan(checkpoint)) {
        job.pause = pause_run;
        cli_keep_signals();
    }
    int stopped = md_job_run(&job, &e);
    int bad = stopped < 0 ? -1 : (stopped ? stop_run : finish_run)(&job, &e);
    int status = e.status;
    if (status) {
        cli_error("%s", e.text);
        md_job_fail(&job, &e);
    }
    uint64_t frames = 0;
    for (size_t k = 0; k < job.systems; k++)
        status = close_files(&job, &job.out[k], status);
    for (size_t k = 0; k < job.nparts; k++)
        frames += job.part[k].frames;
    if (!status)
        cli_summary(frames, job.bytes, NULL);
    md_job_free(&job);
    if (stopped > 0 && !bad && !(partial && status))
        cli_end_by(cli_signal());
    return status;
}
