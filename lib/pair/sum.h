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

#include <math.h>
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

/* The kinds. Only their table in sum.c, and tests, name one; all others go by its row, or the form. */
enum sum_kind { SUM_MIC, SUM_TAPER, SUM_EWALD, SUM_KINDS };

/* How beta of one pair is computed: what kernels are written for. */
enum sum_form {
    SUM_NEAREST, /* of the nearest image, up to a cutoff */
    SUM_TAPERED, /* that times a switch */
    SUM_NEAR,    /* its near part beside a mesh (mesh.h), of A_i alone: no sum has it by itself */
    SUM_IMAGES   /* of all images, in the reduced cell (ewald.h) */
};

/* Where a taper begins and ends by default, of half the smallest width of the cell of each step. */
#define SUM_TAPER_FROM 0.7
#define SUM_TAPER_TO 1.0

/* Where the taper of pairs beside a mesh begins and ends by default, in sigma. */
#define SUM_MESH_FROM 3.15
#define SUM_MESH_TO 3.5

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

/* A row of the table. */
struct sum_row {
    const char *name;    /* on the command line and in data.sum */
    const char *usage;   /* its ways on the command line */
    const char *words;   /* what it means, for data.convention */
    enum sum_form form;  /* of its pairs, unless there is a mesh */
    int sphere;          /* pairs within one: in any cell, no axis is another's better */
    const char *uncut;   /* why it takes no cutoff; NULL: it does */
    const char *end;     /* what ends at r2 by a taper */
    const char *instead; /* what to do where that is too far */
    /* What follows "name:", NULL: nothing, into s, which is 0. 0, or -1 with e. NULL: nothing may. */
    int (*parse)(const char *more, double sigma, struct sum *s, struct err *e);
};
extern const struct sum_row sum_rows[SUM_KINDS];

static inline const struct sum_row *sum_row(const struct sum *s)
{
    return &sum_rows[s->kind];
}

/* Of single pairs; with a mesh, of those beside it. */
static inline enum sum_form sum_pair_form(const struct sum *s)
{
    return s->mesh == SUM_MESH ? SUM_TAPERED : sum_row(s)->form;
}

/* Å beyond which beta is 0 in any cell (or, if there is to be a mesh, its near part); HUGE_VAL:
 * nowhere, or only as the cell says. */
static inline double sum_reach(const struct sum *s)
{
    if (sum_row(s)->form == SUM_NEAREST)
        return sqrt(s->rc2);
    return s->r2 > 0 && (sum_row(s)->form == SUM_TAPERED || s->mesh != SUM_MESH_NO) ? s->r2
                                                                                    : HUGE_VAL;
}

/*
 * The sum that `given` says, or by default, NULL: with a cutoff (Å, NaN: none) mic, as in the paper;
 * else ewald where the cell is periodic along all three vectors, taper where it is not. f64: beta in
 * double. 0, or -1 with e: no sum, or none that takes a cutoff. natoms is the caller's.
 */
int sum_choose(struct sum *s, const char *given, double cutoff, double sigma, const struct box *b,
               int f64, struct err *e) __attribute__((warn_unused_result));

/* The text of --sum as an option's value: to, a const char **, keeps s. 0, or -1 with e where it begins
 * with the name of no sum. */
int sum_word(const char *s, void *to, struct err *e) __attribute__((warn_unused_result));

/* The row of this name; NULL, or of no kind: mic (mbf 0.1 knew no other). */
const struct sum_row *sum_named(const char *name);

/* The cell of a step for the kernels. Positions are wrapped into d: for ewald the reduced cell. */
struct sum_cell {
    struct box_f32 f;
    struct box d;                    /* inv is 0 along axes that are not periodic */
    struct beta_taper_f32 taper_f32; /* mic: of no slope, and rc2 */
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
