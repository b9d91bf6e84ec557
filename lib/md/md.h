/* SPDX-License-Identifier: MIT */
/*
 * md.h: engine interface of md-cpu and md-gpu, Lennard-Jones molecular dynamics of one kind of
 * atom.
 *
 * Any consistent units may be used. The tools use Å, ps, meV and u with kb in meV/K and mvv2e =
 * UNITS_U_A2_PS2_MEV, or set all constants to 1 (lj). Arrays are [replicas][natoms][3] in the order
 * of the atoms, which never changes.
 *
 * Positions are f64 and *not* wrapped: they continue beyond the faces of a periodic box, so that
 * displacements can be measured. Between mirror walls 0 <= r <= box. Samples hold positions wrapped
 * into [0, box) along periodic axes.
 *
 * A velocity Verlet step is  v += a dt/2;  r += v dt (walls: r -> -r or 2 box - r, v -> -v);  a =
 * F(r)/m;  v += a dt/2. An Euler step (Moskvin 2014) is  v += a dt;  r += v dt (walls);  a =
 * F(r)/m. If tau > 0, the Berendsen thermostat follows: v *= sqrt(1 + dt/tau (T0/T - 1)), with T
 * from the kinetic energy just reached. The acceleration is a = F * (1/(mass mvv2e)), and T = 2 K /
 * (dof kb) with dof = 3N - 3 in a periodic box and 3N between walls (md_dof). Walls act at the
 * faces of the box on every axis.
 *
 * U is truncated at the cutoff and optionally shifted there (lj.h). With precision mixed, positions
 * are 32-bit fractions of the edge, pair forces are f32 and sums are integers (lj_fixed_force), so
 * forces depend only on the positions. With precision double, pair forces are f64 from f64
 * differences, and sums are integers as well. Integration is always f64. A neighbour list is used
 * until an atom has moved more than half the skin, measured on unwrapped positions in each step,
 * and for at most `rebuild` steps. A run is therefore reproducible bit for bit with any threads,
 * lists or launch shape, and continues exactly from positions and velocities.
 *
 * lib/md/md_cpu*.c and cuda/md/ both implement the engine, and a program links one of them.
 * md_init.c and md_check.c serve both.
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
    size_t natoms;   /* atoms per replica, >= 1 */
    size_t replicas; /* 1 to md_replicas_most() */
    double box[3];   /* edges, Å; right angles */
    enum md_boundary boundary;
    enum lj_form form;
    enum lj_shift shift; /* shift of the pair at the cutoff (lj.h) */
    double eps, sigma, mass;
    double kb, mvv2e;
    double cutoff;    /* > 0; periodic: at most half the smallest edge */
    double skin;      /* > 0; NaN: the engine chooses */
    uint64_t rebuild; /* maximum number of steps between list rebuilds; 0: no limit */
    /* temperature of the thermostat; also sets the range of the forces (lj_fixed_make) */
    double temperature;
    double tau; /* Berendsen time constant, ps; 0: none (NVE) */
    double dt;  /* ps */
    enum md_neighbours neighbours;
    enum md_integrator integrator;
    enum md_precision precision;
    int threads;
    double apart;        /* known smallest distance between atoms at the start; 0: unknown */
    size_t max_mem;      /* memory limit of the engine, bytes on host or device; 0: no limit */
    const char *devices; /* GPU: NULL or "0", "all", "0,2" (visible devices); CPU: ignored */
    size_t turn;         /* use device number `turn` of the list, modulo its length */
    size_t beside;       /* engines that share the device, including this one; 0: only this one */
};

/* Largest allowed move of an atom in one step, as a fraction of sigma; beyond it the run has blown
 * up. */
#define MD_MAX_MOVE 0.25

/* Totals of one replica at one step. Energies are in units of eps, W is the sum over pairs of r.F,
 * and momentum is in u Å/ps. Tensors are in the order xx yy zz xy xz yz, and 0 unless
 * MD_WANT_STRESS. */
struct md_thermo {
    double kinetic, potential, virial, momentum[3];
    double kinetic_ab[6], virial_ab[6]; /* sum of m v_a v_b over atoms; sum of r_a F_b over pairs */
    /* Pairs within the cutoff. A truncated force without shift conserves K + U - pairs *
     * U(cutoff); with a shift, K + U is conserved. */
    uint64_t pairs;
};

/* Argument of a sink, all at one step: positions, velocities at the same time and totals. The
 * velocities are those of a complete step, including the thermostat, so they give the kinetic
 * energy of thermo. Pointers are NULL unless requested and due, and valid only during the call. */
struct md_sample {
    uint64_t step;
    size_t replica;
    const void *pos; /* [natoms][3] wrapped, f32 or f64 */
    const void *vel; /* [natoms][3] Å/ps, of the same type */
    const struct md_thermo *thermo;
};
enum {
    MD_WANT_F32 = 1,
    MD_WANT_F64 = 2,
    MD_WANT_VELOCITIES = 4, /* combine with one of the two above */
    MD_WANT_THERMO = 8,
    MD_WANT_STRESS = 16, /* tensors of thermo; combine with MD_WANT_THERMO */
    MD_WANT_FRAME = MD_WANT_F32 | MD_WANT_F64 | MD_WANT_VELOCITIES
};
/* Returns 0 to continue; any other value makes md_run stop and return 1. */
typedef int (*md_sink)(void *ctx, const struct md_sample *s);

/* Which samples of a run are wanted and when, in steps of the run, which may be done in pieces. */
struct md_samples {
    unsigned want;
    uint64_t every;        /* frames after `every`, 2 `every`, ... steps */
    uint64_t thermo_every; /* interval of totals */
    uint64_t done;         /* steps of the run before this piece */
    uint64_t whole;        /* Steps of all pieces, for the memory of the samples; 0: one piece. */
    md_sink sink;
    void *ctx;
};

/* ---- start (md_init.c, on the host for both engines) ---- */

/* Makes positions r[natoms][3] and velocities v[natoms][3] of one replica. fcc uses the smallest n1
 * n2 n3 cells that hold all atoms, with vacancies spread evenly. random places atoms uniformly,
 * then pushes them apart to at least 0.9 sigma. Velocities are Maxwellian, by Philox4x32-10 and
 * Box-Muller from (seed, atom) only; the total momentum is removed and the temperature is scaled to
 * exactly p->temperature. Returns 0, or -1 and sets err if the density is too high or memory runs
 * out. */
int md_init(const struct md_params *p, enum md_start start, uint64_t seed, double *r, double *v,
            struct err *e) __attribute__((warn_unused_result));
/* Returns a lower bound of the distance between two atoms of a start by md_init. */
double md_init_apart(const struct md_params *p, enum md_start start);
/* Returns the remaining order of an fcc start at r[natoms][3]: the mean of |sum_i exp(i k r_i)|/N
 * over the four waves k = 2 pi (n1, +-n2, +-n3)/box. The order is 1 at the start, 0.7 in a hot
 * crystal, and about N^-1/2 in a fluid. At most 10^5 evenly chosen atoms are used. */
double md_fcc_order(const struct md_params *p, const float *f32, const double *f64);
/* Makes only the velocities. pool provides threads; NULL: none. */
void md_init_velocities(const struct md_params *p, uint64_t seed, double *v, struct pool *pool);

/* Checks for errors that every engine refuses. Parameters are refused if they are impossible: no
 * atoms, a cutoff above half the box, numbers that are not finite or positive, or a time step in
 * which an atom of thermal speed moves too far. Atoms are refused if they are outside mirror walls
 * or closer than 0.95 lj_core (0.71 sigma, less when hot); the distances are not checked if
 * p->apart excludes such pairs. r and v are [replicas][natoms][3]; both may be NULL to check only
 * the parameters. Returns 0, or -1 and sets e. */
int md_check(const struct md_params *p, const double *r, const double *v, struct err *e)
    __attribute__((warn_unused_result));

/* ---- engine ---- */

struct md;

/* Returns a static name such as "CPU, x86-64-v4 (AVX-512)" or "NVIDIA H200, CUDA 13.0". */
const char *md_engine_name(void);
/* Returns the number of usable devices (CPU: 1), or -1 and sets e to one clear message. No input is
 * read. */
int md_probe(const char *devices, struct err *e);
/* Returns the largest number of systems that one engine runs at once (CPU: 1). Several engines may
 * run side by side, each in its own thread. */
size_t md_replicas_most(void);

/* Opens an engine at the given step from copies of r and v, after md_check. Returns NULL and sets e
 * to ERR_BAD (impossible parameters), ERR_MACHINE or ERR_MEMORY. */
struct md *md_open(const struct md_params *p, const double *r, const double *v, uint64_t step,
                   struct err *e);

/* Advances nsteps. With s (NULL: no samples) the sink is called after the requested steps, for each
 * replica in order. A device engine may call the sink late, while later steps are running, but in
 * order and before md_run returns. Returns 0, 1 if the sink stopped the run, or -1 with the error
 * in md_info. The error names the step at which an atom moved more than MD_MAX_MOVE sigma or is not
 * finite, a force exceeded half the cap, memory ran out or the device failed. */
int md_run(struct md *m, uint64_t nsteps, const struct md_samples *s)
    __attribute__((warn_unused_result));
/* Samples everything that s wants from the present state. Returns 0, 1 or -1. */
int md_measure(struct md *m, const struct md_samples *s) __attribute__((warn_unused_result));

/* Returns the bytes, on the device or else on the host, that a run of nsteps with samples s needs.
 * A GPU run takes more only if lists become longer than planned, and never more than max_mem. */
size_t md_bytes(const struct md *m, const struct md_samples *s, uint64_t nsteps);

/* Writes the state needed for an exact continuation to r and v, [replicas][natoms][3]; either may
 * be NULL. */
int md_state(struct md *m, double *r, double *v) __attribute__((warn_unused_result));
/* Writes forces [replicas][natoms][3] at the present positions, in energy per Å, for tests. */
int md_forces(struct md *m, double *f) __attribute__((warn_unused_result));

struct md_info {
    struct err err;
    enum md_neighbours method; /* method chosen for auto */
    uint64_t step, builds;     /* builds: number of neighbour lists built */
    double skin;
};
const struct md_info *md_info(const struct md *m); /* owned by m */
void md_set_step(struct md *m, uint64_t step);     /* after equilibration: sets the step count */
void md_close(struct md *m);                       /* m may be NULL */

#ifdef __cplusplus
}
#endif
#endif
