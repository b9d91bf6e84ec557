/* SPDX-License-Identifier: MIT */
/* md.h: defines the engine of md-cpu and md-gpu, which simulates Lennard-Jones atoms of one type.
 *
 * Any consistent set of units is allowed. With --units metal, the tools use Å, ps, meV and u, with
 * kb in meV/K and mvv2e = UNITS_U_A2_PS2_MEV. With --units lj, the tools set all constants to 1.
 * Arrays have the shape [replicas][natoms][3], and the order of the atoms never changes.
 *
 * Positions are f64 and continue beyond the faces of a periodic box, so that displacements can be
 * measured. Between mirror walls, every coordinate r satisfies 0 <= r <= box. In samples, positions
 * are wrapped into the box along its periodic axes.
 *
 * The Velocity Verlet integrator applies v += a dt/2, r += v dt, the walls, a = F(r)/m and v += a
 * dt/2, in this order. The Euler integrator (Moskvin 2014) applies v += a dt, r += v dt, the walls
 * and a = F(r)/m. At the faces of the box, mirror walls replace r by -r or 2 box - r, and v by -v.
 * If tau > 0, the Berendsen thermostat multiplies v by sqrt(1 + dt/tau (T0/T - 1)) at the end of
 * the step, where T is the new temperature. The acceleration a is F/(mass mvv2e). The temperature T
 * is 2 K / (dof kb), with dof = 3N - 3 in a periodic box and 3N between walls (md_dof).
 *
 * The potential energy U is truncated at the cutoff and may be shifted (lj.h). With the precision
 * `mixed`, positions are 32-bit fractions of the edge, and pair forces are f32 (lj_fixed_force).
 * With the precision `double`, pair forces are f64. Sums of forces are integers, so that forces
 * depend only on the positions. The equations of motion are always integrated in double precision.
 * A neighbour list is used until an atom has moved more than half the skin, but for at most
 * `rebuild` steps. The result of a run is the same, bit for bit, for any number of threads, any
 * neighbour lists and any launch shape. A run can be continued exactly from positions and
 * velocities.
 *
 * A program is linked with the engine of lib/md/md_cpu*.c or with the engine of cuda/md/. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "md/lj.h"

C_LINKAGE_BEGIN

enum md_neighbours { MD_AUTO, MD_ALL_PAIRS, MD_VERLET, MD_CELLS };
enum md_boundary { MD_PERIODIC, MD_MIRROR };
enum md_integrator { MD_VELOCITY_VERLET, MD_EULER };
enum md_precision { MD_MIXED, MD_DOUBLE };
enum md_start { MD_FCC, MD_RANDOM };

struct md_params {
    size_t natoms;   /* per replica, >= 1 */
    size_t replicas; /* 1..md_replicas_max() */
    double box[3];   /* edges, Å */
    enum md_boundary boundary;
    enum lj_form form;
    enum lj_shift shift; /* as in lj.h */
    double eps, sigma, mass;
    double kb, mvv2e;
    double cutoff;      /* > 0 */
    double skin;        /* > 0, Å; NaN: automatic */
    uint64_t rebuild;   /* largest age of a list in steps; 0: no limit */
    double temperature; /* of the thermostat, also limits forces (lj_fixed_make) */
    double tau;         /* ps; 0: constant energy */
    double dt;          /* ps */
    enum md_neighbours neighbours;
    enum md_integrator integrator;
    enum md_precision precision;
    int threads;
    /* No two atoms are closer than `separate` at the start of the run, or `separate` is 0 if
     * unknown. */
    double separate;
    size_t max_mem;      /* bytes; 0: no limit */
    const char *devices; /* as in gpu_probe */
    size_t turn;         /* device index, modulo the number of devices */
    size_t beside;       /* engines on the device; 0 means 1 */
};

/* If an atom moves farther than MD_MAX_MOVE sigma in one step, the run is unstable and stops. */
#define MD_MAX_MOVE 0.25

/* Contains totals of one replica at one step. Energies are in units of eps, and the momentum is in
 * u Å/ps. The virial is the sum of r.F over all pairs. Tensors have the order xx yy zz xy xz yz,
 * and are 0 unless MD_WANT_STRESS is set. */
struct md_thermo {
    double kinetic, potential, virial, momentum[3];
    double kinetic_ab[6], virial_ab[6]; /* m v_a v_b, r_a F_b */
    /* Pairs within the cutoff are counted in `pairs`. If the potential or the force is shifted, K +
     * U is conserved, and otherwise K + U - pairs * U(cutoff). */
    uint64_t pairs;
};

/* Contains the state of a replica at one step, for the callback md_sink. The velocities belong to
 * the same time as the positions, after the thermostat, and give the kinetic energy that --thermo
 * prints. Data that were not requested for the step are NULL. All pointers are valid only during
 * the call of the callback. */
struct md_sample {
    uint64_t step;
    size_t replica;
    const void *pos; /* wrapped, [natoms][3], f32 or f64 */
    const void *vel; /* Å/ps, shape and type of `pos` */
    const struct md_thermo *thermo;
};
enum {
    MD_WANT_F32 = 1,
    MD_WANT_F64 = 2,
    MD_WANT_VELOCITIES = 4, /* with F32 or F64 */
    MD_WANT_THERMO = 8,
    MD_WANT_STRESS = 16, /* with MD_WANT_THERMO */
    MD_WANT_FRAME = MD_WANT_F32 | MD_WANT_F64 | MD_WANT_VELOCITIES
};
/* Returns 0 to continue the run, or another value to make md_run stop and return 1. */
typedef int (*md_sink)(void *ctx, const struct md_sample *s);

/* Selects the samples of a run, which may consist of several calls of md_run. */
struct md_samples {
    unsigned want;
    uint64_t every;        /* steps between frames */
    uint64_t thermo_every; /* steps between totals */
    uint64_t done;         /* earlier steps */
    uint64_t whole;        /* all steps; 0: one call */
    md_sink sink;
    void *ctx;
};

/* ---- md_init.c ---- */

/* Creates the positions r[natoms][3] and velocities v[natoms][3] of one replica. MD_FCC uses the
 * smallest lattice of n1 n2 n3 cells that holds all atoms, and spreads the vacancies evenly.
 * MD_RANDOM places the atoms at uniformly random positions and then moves them until all distances
 * are at least 0.9 sigma. The velocities follow the Maxwell distribution. The random numbers are
 * computed by Philox4x32-10 and Box-Muller, and depend only on the seed and the index of the atom.
 * The total momentum is then set to 0, and the velocities are scaled so that the temperature is
 * exactly p->temperature. Returns 0, or -1 with an error message in e if the density is too high or
 * memory runs out. */
int md_init(const struct md_params *p, enum md_start start, uint64_t seed, double *r, double *v,
            struct err *e) MUST_USE;
/* Returns a lower bound of the distances between atoms that md_init places. */
double md_init_spacing(const struct md_params *p, enum md_start start);
/* Returns the part of the initial fcc order that remains at the positions r[natoms][3], of type f32
 * or f64. The order is the mean of |sum_i exp(i k r_i)|/N over the four wave vectors k = 2 pi (n1,
 * +-n2, +-n3)/box. The order is 1 at the start, 0.7 in a hot crystal, and about N^-1/2 in a fluid.
 * For more than 10^5 atoms, the mean is computed from every kth atom, so that at most 10^5 atoms
 * are used. */
double md_fcc_order(const struct md_params *p, const void *r);
/* Creates only the velocities of md_init. The threads of `pool`, which may be NULL, share the
 * work. */
void md_init_velocities(const struct md_params *p, uint64_t seed, double *v, struct pool *pool);

/* Checks the parameters and positions for any engine. Parameters are refused if there are no atoms,
 * if the cutoff exceeds half the box, if a number is not finite or not positive, or if an atom of
 * thermal speed would move too far in one time step. Positions are refused if an atom is outside
 * mirror walls, or two atoms are closer than 0.95 lj_core (0.71 sigma, or less at high
 * temperature). Distances are not checked if p->separate excludes close pairs. The arrays r and v
 * have the shape [replicas][natoms][3], or are NULL if only the parameters are checked. Returns 0,
 * or -1 with an error message in e. */
int md_check(const struct md_params *p, const double *r, const double *v, struct err *e) MUST_USE;

struct md;

/* Returns the largest number of systems that an engine can run at the same time, which is 1 on a
 * CPU. Several engines may run at the same time, each in its own thread. */
size_t md_replicas_max(void);

/* Calls md_check, and opens an engine at the step `step`, with copies of r and v. On failure,
 * returns NULL with the status ERR_BAD in e for invalid parameters, ERR_MEMORY if memory runs out,
 * or ERR_MACHINE for other failures. */
struct md *md_open(const struct md_params *p, const double *r, const double *v, uint64_t step,
                   struct err *e);

/* Advances the systems by nsteps steps. Unless s is NULL, the sink is called at the requested
 * steps, for each replica in order. An engine on a device may call the sink while it already
 * computes later steps, but always before md_run returns. Returns 0 on success, 1 if the sink
 * stopped the run, or -1 after setting the error of md_info. The error names the step at which an
 * atom moved more than MD_MAX_MOVE sigma, a position was not finite, or a force exceeded half its
 * limit. A run also fails if memory runs out or a device fails. */
int md_run(struct md *m, uint64_t nsteps, const struct md_samples *s) MUST_USE;
/* Passes a sample of the present state to the sink of s. Returns 0, 1 or -1 like md_run. */
int md_measure(struct md *m, const struct md_samples *s) MUST_USE;

/* Returns the memory in bytes, on device or host, for a run of nsteps steps with the samples s. On
 * a GPU, lists that grow beyond the plan need more memory, but never more than max_mem. */
size_t md_bytes(const struct md *m, const struct md_samples *s, uint64_t nsteps);

/* Copies the present state to r and v, of shape [replicas][natoms][3], from which a run can be
 * continued exactly. Either of the pointers r and v may be NULL. */
int md_state(struct md *m, double *r, double *v) MUST_USE;
/* Copies the forces to f[replicas][natoms][3], as energy per Å (for tests). */
int md_forces(struct md *m, double *f) MUST_USE;

struct md_info {
    struct err err;
    enum md_neighbours method; /* in use */
    uint64_t step, builds;     /* builds: of the list */
    double skin;
};
const struct md_info *md_info(const struct md *m); /* owned by m */
void md_set_step(struct md *m, uint64_t step);
void md_close(struct md *m); /* m may be NULL */

C_LINKAGE_END
