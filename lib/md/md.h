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
 * F(r)/m;  v += a dt/2. Euler (Moskvin 2014):  v += a dt;    r += v dt (walls);  a = F(r)/m.
 * Then, with tau > 0, Berendsen: v *= sqrt(1 + dt/tau (T0/T - 1)), T from the kinetic energy just
 * reached. a = F * (1/(mass mvv2e)). T = 2 K / (dof kb), dof = 3N - 3 in a periodic box, 3N between
 * walls (md_dof). The walls act at the faces of the box, on every axis.
 *
 * Forces: U is truncated at the cutoff, and shifted there where asked (lj.h). Precision mixed:
 * positions as 32-bit fractions of the edge, pairs in f32, sums of integers (lj_fixed_force): they
 * depend on the positions alone. Precision double: pairs in f64 from f64 differences, sums of
 * integers too. Integration is always f64. A neighbour list holds while no atom has moved more than
 * half the skin, measured on unwrapped positions at each step, and for `rebuild` steps at most. So a
 * run repeats bit for bit, whatever the threads, lists or launch shape, and goes on exactly from
 * positions and velocities.
 *
 * Both lib/md/md_cpu*.c and cuda/md/ implement the engine; a program links one of them. md_init.c
 * and md_check.c serve both.
 */
#ifndef MBF_MD_H
#define MBF_MD_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "md/lj.h"

#ifdef __cplusplus
extern "C" {
#endif

enum md_neighbours { MD_AUTO, MD_ALL_PAIRS, MD_VERLET, MD_CELLS };
enum md_boundary { MD_PERIODIC, MD_MIRROR };
enum md_integrator { MD_VELOCITY_VERLET, MD_EULER };
enum md_precision { MD_MIXED, MD_DOUBLE };
enum md_start { MD_FCC, MD_RANDOM };

struct md_params {
    size_t natoms;   /* >= 1, of one replica */
    size_t replicas; /* 1 to md_replicas_most() */
    double box[3];   /* edges, Å; right angles */
    enum md_boundary boundary;
    enum lj_form form;
    enum lj_shift shift; /* of the pair at the cutoff (lj.h) */
    double eps, sigma, mass;
    double kb, mvv2e;
    double cutoff;      /* > 0; periodic: <= half the smallest edge */
    double skin;        /* > 0; NaN: the engine chooses */
    uint64_t rebuild;   /* lists are built anew after so many steps at the latest; 0: any */
    double temperature; /* of the thermostat; also sets the range of the forces (lj_fixed_make) */
    double tau;         /* Berendsen time constant, ps; 0: none (NVE) */
    double dt;          /* ps */
    enum md_neighbours neighbours;
    enum md_integrator integrator;
    enum md_precision precision;
    int threads;
    double apart;   /* the start's atoms are known to be so far from each other; 0: not known */
    size_t max_mem; /* bytes the engine may hold, host or device; 0: no limit */
    const char *devices; /* GPU: NULL or "0", "all", "0,2" (visible devices); CPU: ignored */
    size_t turn;         /* the device to run on is number `turn` of these, round and round */
    size_t beside;       /* engines that share it, this one among them; 0: this one alone */
};

/* An atom may not move farther than this part of sigma in one step: beyond it the run has blown
 * up. */
#define MD_MAX_MOVE 0.25

/*
 * Totals of one replica at one step; energies in units of eps's, W = sum over pairs of r.F,
 * momentum in u Å/ps. Tensors in the order xx yy zz xy xz yz, 0 unless MD_WANT_STRESS.
 */
struct md_thermo {
    double kinetic, potential, virial, momentum[3];
    double kinetic_ab[6], virial_ab[6]; /* sum of m v_a v_b; sum over pairs of r_a F_b */
    uint64_t pairs; /* within the cutoff: K + U - pairs * U(cutoff) is what a truncated force
                       without shift conserves; with a shift, K + U */
};

/*
 * What a sink is handed, all of one step: positions, velocities at the same time (the v of a
 * complete step, thermostat included, whose sum of squares is thermo's kinetic energy), totals.
 * NULL unless wanted and due; valid during the call only.
 */
struct md_sample {
    uint64_t step;
    size_t replica;
    const void *pos; /* [natoms][3] wrapped, f32 or f64 */
    const void *vel; /* [natoms][3] Å/ps, the same type */
    const struct md_thermo *thermo;
};
enum {
    MD_WANT_F32 = 1,
    MD_WANT_F64 = 2,
    MD_WANT_VELOCITIES = 4, /* with one of the two above */
    MD_WANT_THERMO = 8,
    MD_WANT_STRESS = 16, /* with MD_WANT_THERMO: its tensors */
    MD_WANT_FRAME = MD_WANT_F32 | MD_WANT_F64 | MD_WANT_VELOCITIES
};
/* Returns 0 to go on; anything else makes md_run stop and return 1. */
typedef int (*md_sink)(void *ctx, const struct md_sample *s);

/* What is wanted of a run and when, in steps of that run, which may come in pieces. */
struct md_samples {
    unsigned want;
    uint64_t every;        /* frames: after `every`, 2 `every`, ... steps */
    uint64_t thermo_every; /* totals */
    uint64_t done;         /* steps of the run before this piece */
    uint64_t whole; /* steps of all its pieces, for the room that samples take; 0: one piece */
    md_sink sink;
    void *ctx;
};

/* ---- start (md_init.c: host, the same for both engines) ---- */

/*
 * Positions and velocities of one replica, r[natoms][3], v[natoms][3]. fcc: the smallest n1 n2 n3
 * cells that hold all atoms, vacancies spread evenly. random: uniform, then pushed apart to 0.9
 * sigma at least. Velocities: Maxwell by Philox4x32-10 and Box-Muller from (seed, atom) alone,
 * momentum removed, scaled to exactly p->temperature. 0, or -1 with err (too dense to push apart,
 * memory).
 */
int md_init(const struct md_params *p, enum md_start start, uint64_t seed, double *r, double *v,
            struct err *e) __attribute__((warn_unused_result));
/* No two atoms of such a start are nearer than this. */
double md_init_apart(const struct md_params *p, enum md_start start);
/*
 * How much of the lattice of an fcc start is left at r[natoms][3]: the mean of |sum_i exp(i k r_i)|/N
 * over its four waves k = 2 pi (n1, +-n2, +-n3)/box: 1 at the start, 0.7 in a hot crystal, about
 * N^-1/2 in a fluid. Of at most 10^5 atoms, evenly chosen.
 */
double md_fcc_order(const struct md_params *p, const float *f32, const double *f64);
/* The velocities only. pool: helps; NULL: none. */
void md_init_velocities(const struct md_params *p, uint64_t seed, double *v, struct pool *pool);

/*
 * What every engine refuses: 0, or -1 with e. Parameters that cannot be (0 atoms, cutoff over
 * half the box, numbers that are not finite or positive, a step that moves an atom of thermal speed
 * too far); atoms outside mirror walls, atoms nearer than 0.95 lj_core (0.71 sigma, less when hot),
 * which are not looked for where p->apart says that there are none.
 * r, v: [replicas][natoms][3]; both may be NULL to look at the parameters only.
 */
int md_check(const struct md_params *p, const double *r, const double *v, struct err *e)
    __attribute__((warn_unused_result));

/* ---- engine ---- */

struct md;

/* "CPU, x86-64-v4 (AVX-512)" or "NVIDIA H200, CUDA 13.0"; static. */
const char *md_engine_name(void);
/* Is there a machine to run on? The number of its devices (CPU: 1), or -1 with one clear message.
 * Touches no input. */
int md_probe(const char *devices, struct err *e);
/* Systems that one engine runs at once, at most: 1 on the CPU. Several engines may run side by side,
 * each in a thread of its own. */
size_t md_replicas_most(void);

/*
 * Start from r and v (copied) at the given step. Runs md_check. Returns NULL with e: ERR_BAD
 * (parameters that cannot be), ERR_MACHINE or ERR_MEMORY.
 */
struct md *md_open(const struct md_params *p, const double *r, const double *v, uint64_t step,
                   struct err *e);

/*
 * Advance nsteps. With s (NULL: none) the sink is called after the steps it names, for each replica
 * in order. A device engine may call it late, while the next steps already run, but before md_run
 * returns and in order. 0; 1 when the sink stopped the run; -1: the error of md_info names the
 * step: an atom moved more than MD_MAX_MOVE sigma or is not finite, a force beyond half of the cap,
 * memory, device.
 */
int md_run(struct md *m, uint64_t nsteps, const struct md_samples *s)
    __attribute__((warn_unused_result));
/* Sample all that s wants of the present state. 0, 1 or -1. */
int md_measure(struct md *m, const struct md_samples *s) __attribute__((warn_unused_result));

/*
 * Bytes that a run of nsteps with samples s holds, the device's or else the host's. A GPU run takes
 * more only where lists turn out longer than planned, and never more than max_mem.
 */
size_t md_bytes(const struct md *m, const struct md_samples *s, uint64_t nsteps);

/* Everything needed to go on exactly. r, v: [replicas][natoms][3], filled; NULL: not wanted. */
int md_state(struct md *m, double *r, double *v) __attribute__((warn_unused_result));
/* Forces [replicas][natoms][3] at the present positions, energy over Å: for tests. */
int md_forces(struct md *m, double *f) __attribute__((warn_unused_result));

struct md_info {
    struct err err;
    enum md_neighbours method; /* what auto became */
    uint64_t step, builds;     /* builds of neighbour lists */
    double skin;
};
const struct md_info *md_info(const struct md *m); /* owned by m */
void md_set_step(struct md *m, uint64_t step);     /* after equilibration: count from here */
void md_close(struct md *m);                       /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
