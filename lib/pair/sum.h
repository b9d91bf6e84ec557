/* SPDX-License-Identifier: MIT */
/*
 * sum.h: which images of a pair count, and what that takes in the cell of a step.
 *
 *   mic    the nearest image (Dawid 2019). xz, xy and yz change sign where a pair crosses a face of
 *          the cell: a random walk of jumps in S(t), and a wing of 1/nu² in the spectrum that is no
 *          property of the liquid. xx-yy and zz are even there and have none.
 *   taper  the nearest image times a switch that ends within half the smallest width (beta.h): any
 *          cell, free and partly periodic ones too.
 *   ewald  all images: cells that are periodic along all three vectors. Pair by pair (ewald.h), or,
 *          where the sums over the partners of an atom will do, from a mesh (mesh.h); pairs are then
 *          those of a taper.
 */
#ifndef MBF_SUM_H
#define MBF_SUM_H

#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "base/err.h"
#include "pair/beta.h"
#include "pair/ewald.h"
#include "pair/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

enum sum_kind { SUM_MIC, SUM_TAPER, SUM_EWALD };

/* Names as on the command line and in data.sum. */
#define SUM_NAMES                                                                                  \
    {                                                                                              \
        "mic", "taper", "ewald"                                                                    \
    }

/* What they mean, for data.convention. */
#define SUM_WORDS                                                                                  \
    {                                                                                              \
        "nearest image", "nearest image, tapered", "all images"                                    \
    }

/* Where a taper begins and ends by default, of half the smallest width of the cell of each step. */
#define SUM_TAPER_FROM 0.7
#define SUM_TAPER_TO 1.0

/* Is there a mesh? MAY: the engine decides when it knows the cell, on cost. */
enum sum_mesh { SUM_MESH_NO, SUM_MESH_MAY, SUM_MESH };

struct sum {
    enum sum_kind kind;
    double rc2;         /* mic: squared cutoff, Å², HUGE_VAL: none */
    double r1, r2;      /* taper, Å; 0 0: the default; ewald: that of the pairs beside a mesh */
    double tolerance;   /* ewald: of the fit in Q_xz, 1/Å³ (ewald_fit_new) */
    size_t natoms;      /* ewald: each pair has its share of their own images; 0: none */
    enum sum_mesh mesh; /* ewald */
    struct mesh plan;   /* unless it is SUM_MESH_NO; its near part ends at r2 */
    int self;           /* ewald: cells have self */
    int pairs;          /* ewald with a mesh: cells have a fit (in double), for single pairs */
};

/* Is beta of a pair that of a taper? */
static inline int sum_tapers(const struct sum *s)
{
    return s->kind == SUM_TAPER || (s->kind == SUM_EWALD && s->mesh == SUM_MESH);
}

/* The cell of a step for the kernels. Positions are wrapped into d: for ewald the reduced cell. */
struct sum_cell {
    struct box_f32 f;
    struct box d; /* inv is 0 along axes that are not periodic */
    struct beta_taper_f32 taper_f32;
    struct beta_taper_f64 taper_f64;
    struct ewald_f32 ewald_f32;
    struct ewald_f64 ewald_f64;
    struct ewald_fit *fit;         /* a reference; NULL but for ewald */
    double self[BETA_NCOMPONENTS]; /* Q_self (ewald.h), 1/Å³, where the sum wants it; else 0 */
};

/* What is remembered from cell to cell; all zero at first. */
struct sum_memory {
    struct ewald_cache cache;
    struct box last; /* cell that was made last */
    struct sum_cell made;
    int have;
};

/*
 * May beta be computed in this cell? 0, or -1 with the reason (ERR_BAD): a cutoff or taper beyond
 * half its smallest width; mic in a triclinic cell without a cutoff (there the nearest image would
 * need a search, and pairs beyond half the width would jump); ewald in one that is not periodic
 * along all three vectors.
 */
int sum_check(const struct sum *s, const struct box *b, struct err *e)
    __attribute__((warn_unused_result));

/* Cells that sum_check has passed, one after the other. f64: beta in double; frame: number of the
 * step, for messages. 0, or -1 with e. c is given back by sum_cell_free. */
int sum_cell_make(const struct sum *s, int f64, struct sum_memory *m, const struct box *b,
                  uint64_t frame, struct sum_cell *c, struct err *e)
    __attribute__((warn_unused_result));
void sum_cell_free(struct sum_cell *c);
void sum_memory_free(struct sum_memory *m);

#ifdef __cplusplus
}
#endif
#endif
