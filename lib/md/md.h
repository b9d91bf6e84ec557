/* SPDX-License-Identifier: MIT */
/*
 * md.h: engine interface of md-cpu and md-gpu: Lennard-Jones molecular dynamics of one kind of
 * atom.
 *
 * Units: any consistent set; the tool gives Å, ps, meV, u with kb in meV/K and mvv2e =
 * UNITS_U_A2_PS2_MEV, or all ones (lj). Arrays are [replicas][natoms][3] in the order of the atoms,
 * which never changes.
 *
 * Positions are f64 and *not* wrapped (they go on past the faces of a periodic box, so that
 * displacements can be measured); with mirror walls 0 <= r <= box. Samples hold them wrapped into
 * [0, box) along periodic axes.
 *
 * One step, velocity Verlet:  v += a dt/2;  r += v dt (walls: r -> -r or 2 box - r, v -> -v);  a =
 * F(r)/m;  v += a dt/2. Euler (Moskvin 2014):       v += a dt;    r += v dt (walls);  a = F(r)/m.
 * Then, with tau > 0, Berendsen: v *= sqrt(1 + dt/tau (T0/T - 1)), T from the kinetic energy just
 * reached. a = F * (1/(mass mvv2e)). T = 2 K / (dof kb), dof = 3N - 3 in a periodic box, 3N between
 * walls (md_dof). The walls act at the faces of the box, on every axis.
 *
 * Forces: U is truncated at the cutoff, and shifted there where asked (lj.h). Precision mixed:
 * positions as 32-bit fractions of the edge, pairs in f32, sums of integers (lj_fixed_force): they
 * depend on the positions alone. An engine that sums otherwise must still repeat bit for bit,
 * whatever the threads or launch shape, and put what it needs to go on exactly into aux. Precision
 * double: pairs in f64 from f64 differences. Integration is always f64. A neighbour list holds
 * while no atom has moved more than half the skin, measured on unwrapped positions at each step.
 *
 * Both lib/md_cpu*.c and cuda/md_gpu*.cu implement md_*; a program links one of them. md_init.c
 * serves both.
 */
#ifndef MBF_MD_H
#define MBF_MD_H

#include <stddef.h>
#include <stdint.h>

#include "md/lj.h"
#include "stream/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

enum md_neighbours { MD_AUTO, MD_ALL_PAIRS, MD_VERLET, MD_CELLS };
enum md_boundary { MD_PERIODIC, MD_MIRROR };
enum md_integrator { MD_VELOCITY_VERLET, MD_EULER };
enum md_precision { MD_MIXED, MD_DOUBLE };
enum md_start { MD_FCC, MD_RANDOM };

/* Names as on the command line and in META, indexed by the enums; NULL at the end. */
#define MD_NEIGHBOURS_NAMES                                                                        \
    {                                                                                              \
        "auto", "all-pairs", "verlet", "cells", NULL                                               \
    }
#define MD_BOUNDARY_NAMES                                                                          \
    {                                                                                              \
        "periodic", "mirror", NULL                                                                 \
    }
#define MD_INTEGRATOR_NAMES                                                                        \
    {                                                                                              \
        "velocity-verlet", "euler", NULL                                                           \
    }
#define MD_SHIFT_NAMES                                                                             \
    {                                                                                              \
        "none", "potential", "force", NULL                                                         \
    }
#define MD_PRECISION_NAMES                                                                         \
    {                                                                                              \
        "mixed", "double", NULL                                                                    \
    }
#define MD_START_NAMES                                                                             \
    {                                                                                              \
        "fcc", "random", NULL                                                                      \
    }
#define MD_FORM_NAMES                                                                              \
    {                                                                                              \
        "sigma", "rmin", NULL                                                                      \
    }

struct md_params {
    size_t natoms;   /* >= 1, of one replica */
    size_t replicas; /* >= 1; the CPU engine takes one */
    double box[3];   /* edges, Å; right angles */
    enum md_boundary boundary;
    enum lj_form form;
    enum lj_shift shift; /* of the pair at the cutoff (lj.h) */
    double eps, sigma, mass;
    double kb, mvv2e;
    double cutoff;      /* > 0; periodic: <= half the smallest edge */
    double skin;        /* > 0; NaN: the engine chooses */
    double temperature; /* of the thermostat; also sets the range of the forces (lj_fixed_make) */
    double tau;         /* Berendsen time constant, ps; 0: none (NVE) */
    double dt;          /* ps */
    enum md_neighbours neighbours;
    enum md_integrator integrator;
    enum md_precision precision;
    int threads;
    size_t max_mem;      /* bytes the engine may hold, host or device; 0: no limit */
    const char *devices; /* GPU: NULL or "0", or another visible device; CPU: ignored */
};

/* An atom may not move farther than this part of sigma in one step: beyond it the run has blown up.
 */
#define MD_MAX_MOVE 0.25

/* Totals of one replica at one step; energies in units of eps's, W = sum over pairs of r.F,
 * momentum in u Å/ps. */
struct md_thermo {
    double kinetic, potential, virial, momentum[3];
    uint64_t pairs; /* within the cutoff: K + U - pairs * U(cutoff) is what a truncated force
                       without shift conserves; with a shift, K + U */
};

/* What a sink is handed. pos and thermo are NULL unless wanted; valid during the call only. */
struct md_sample {
    uint64_t step;
    size_t replica;
    const void *pos; /* [natoms][3] wrapped, f32 or f64 */
    const struct md_thermo *thermo;
};
enum { MD_WANT_F32 = 1, MD_WANT_F64 = 2, MD_WANT_THERMO = 4 };
/* Returns 0 to go on; anything else makes md_run stop and return 1. */
typedef int (*md_sink)(void *ctx, const struct md_sample *s);

/* ---- start (md_init.c: host, the same for both engines) ---- */

/*
 * Positions and velocities of one replica, r[natoms][3], v[natoms][3]. fcc: the smallest n1 n2 n3
 * cells that hold all atoms, vacancies spread evenly. random: uniform, then pushed apart to 0.9
 * sigma at least. Velocities: Maxwell by Philox4x32-10 and Box-Muller from (seed, atom) alone,
 * momentum removed, scaled to exactly p->temperature. 0, or -1 with err (too dense to push apart,
 * memory).
 */
int md_init(const struct md_params *p, enum md_start start, uint64_t seed, double *r, double *v,
            char *err, size_t errlen) FRAME_MUST;
/* The velocities only. 0 or -1 (memory). */
int md_init_velocities(const struct md_params *p, uint64_t seed, double *v) FRAME_MUST;

/*
 * What every engine refuses: 0, or -1 with err. Parameters that cannot be (0 atoms, cutoff over
 * half the box, numbers that are not finite or positive, a step that moves an atom of thermal speed
 * too far); atoms outside mirror walls, atoms nearer than 0.95 lj_core (0.71 sigma, less when hot).
 * r, v: [replicas][natoms][3]; both may be NULL to look at the parameters only.
 */
int md_check(const struct md_params *p, const double *r, const double *v, char *err,
             size_t errlen) FRAME_MUST;
double md_dof(const struct md_params *p);
double md_temperature(const struct md_params *p, const struct md_thermo *t);
/* rho kb T + W/(3V), in energy units over Å³ (no tail correction). */
double md_pressure(const struct md_params *p, const struct md_thermo *t);

/* ---- engine ---- */

struct md;

const char *
md_engine_name(void); /* "CPU, x86-64-v4 (AVX-512)" or "NVIDIA H200, CUDA 13.0"; static */
/* Is there a machine to run on? 0, or -1 with one clear message. Touches no input. */
int md_probe(const char *devices, char *err, size_t errlen);

/*
 * Start from r and v (copied) at the given step. aux (aux_bytes) as md_state gave it, or NULL. Runs
 * md_check. Returns NULL with err; *status 2 (parameters that cannot be) or 3 (memory, device).
 */
struct md *md_open(const struct md_params *p, const double *r, const double *v, uint64_t step,
                   const void *aux, size_t aux_bytes, int *status, char *err, size_t errlen);

/*
 * Advance nsteps. With every > 0 and want != 0: after every `every` steps of this call (every, 2
 * every, ...) the sink is called for each replica in order. A device engine may call it late, while
 * the next steps already run, but before md_run returns and in order. 0; 1 when the sink stopped
 * the run; -1: md_error() names the step: an atom moved more than MD_MAX_MOVE sigma or is not
 * finite, a force beyond half of the cap, memory, device.
 */
int md_run(struct md *m, uint64_t nsteps, uint64_t every, unsigned want, md_sink sink,
           void *ctx) FRAME_MUST;
/* Sample the present state, as md_run would. 0, 1 or -1. */
int md_measure(struct md *m, unsigned want, md_sink sink, void *ctx) FRAME_MUST;

/* Everything needed to go on exactly. r, v: [replicas][natoms][3], filled; NULL: not wanted. */
int md_state(struct md *m, double *r, double *v) FRAME_MUST;
/* Engine's own bytes for a restart (e.g. positions at the last list build); *bytes 0 and NULL:
 * none. Owned by m. */
const void *md_aux(struct md *m, size_t *bytes);
/* Forces [replicas][natoms][3] at the present positions, energy over Å: for tests. */
int md_forces(struct md *m, double *f) FRAME_MUST;

uint64_t md_step(const struct md *m);
void md_set_step(struct md *m, uint64_t step);    /* after equilibration: count from here */
enum md_neighbours md_method(const struct md *m); /* what auto became */
uint64_t md_list_builds(const struct md *m);
double md_skin(const struct md *m);

const char *md_error(const struct md *m);
int md_error_status(const struct md *m);
void md_close(struct md *m); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
