/* SPDX-License-Identifier: MIT */
/* pairs.h: computes the polarizability anisotropy beta of all pairs of atoms in a step, with
 * several threads. The header also declares the options, the keys of META and the warnings of
 * programs that use beta. */
#pragma once

#include "base/box.h"
#include "base/err.h"
#include "base/simd.h"
#include "pair/beta.h"
#include "pair/factors.h"
#include "pair/sum.h"
#include "stream/frame.h"
#include "stream/traj.h"

C_LINKAGE_BEGIN

struct pairs {
    size_t natoms;
    enum frame_dtype source; /* type of the positions */
    enum frame_dtype dtype;  /* number type of beta */
    int ncomp;
    int component[BETA_NCOMPONENTS];
    double coef[BETA_NCOMPONENTS]; /* from beta_coef() */
    struct sum sum;
    struct factors *factors;       /* NULL: all factors are 1 */
    struct pair_function function; /* cells == 0: none */
    const char *they;              /* word in messages; NULL: "atoms" */
};

/* The command-line options that define beta. The option --component stores x, y and z of a pair
 * function of rank 1 as PAIRS_X to PAIRS_X + 2, and struct pairs as 0 to 2. */
enum { PAIRS_ALL = BETA_NCOMPONENTS, PAIRS_X };
struct pairs_choice {
    int component; /* -1: first; or PAIRS_ALL */
    /* Lengths are in Å. NaN stands for the sigma of META, no cutoff, or the prefactor 3. */
    double sigma, cutoff, prefactor;
    const char *sum;      /* NULL: the default */
    const char *function; /* file, or NULL */
    struct factors_choice factors;
};
/* The default sum over periodic images (sum_choose) depends only on --cutoff and on which axes of
 * the cell in META are periodic. The periodic axes do not change within a stream. Therefore all
 * parts of a run (--shard) and all programs that read the stream use the same sum. */
#define PAIRS_CHOICE_NONE                                                                          \
    {                                                                                              \
        .component = -1, .sigma = NAN, .cutoff = NAN, .prefactor = NAN                             \
    }

/* The values of --component are the names of the components and "all", followed by NULL. The array
 * does not contain "iso", the only component of a pair function of rank 0. */
extern const char *const pairs_component_names[];

/* Sets p from the options and the input, and *sigma to the value of sigma in Å that is used. Sets
 * *sigma to NaN if a pair function replaces the dipole-induced-dipole model. Returns 0 on success.
 * Returns -1 with an error message in e if neither the options nor META contain sigma, if the sum
 * is invalid, or if a cutoff is given with a sum other than `mic`. A file of a pair function that
 * is invalid, or that may not be combined with another given option, is also an error. */
int pairs_choose(const struct pairs_choice *c, const struct traj_info *info, struct pairs *p,
                 double *sigma, struct err *e) FRAME_MUST;

/* Sets the weights of the atoms and the selection of pairs in p, from the options and the META m.
 * Call pairs_choose first. Returns 0, or -1 with an error message in e if factors_open fails or a
 * mesh cannot be used with the selection of pairs. Call pairs_close(p) afterwards, also after an
 * error. */
int pairs_select(const struct pairs_choice *c, const struct meta *m, size_t max_mem,
                 struct pairs *p, struct err *e) FRAME_MUST;
void pairs_close(struct pairs *p); /* p may be all zero */

/* Returns the name of an option of pairs_choice that the user gave, or NULL if none was given. */
const char *pairs_given(const struct pairs_choice *c);

/* Sets the keys data.component, data.prefactor, data.sigma, data.cutoff, data.sum, data.taper and
 * the keys of factors.h in m, from the options or from another META. Returns 0 or -1. */
int pairs_describe(const struct pairs_choice *c, const struct pairs *p, double sigma,
                   struct meta *m);
int pairs_describe_like(const struct meta *from, struct meta *m);
/* Returns a text for data.convention that states which periodic images the sum named by data.sum
 * includes. If the key data.sum is missing, as in streams of mbf 0.1, the sum is `mic`. */
const char *pairs_images(const struct meta *m);

/* Returns 1 and writes a warning to `text` if the taper in the cell b is so short that the total G
 * of a dense liquid is inaccurate. Otherwise returns 0. If the taper ends at PAIRS_TAPER_MIN sigma
 * or more, G(0) of liquid argon is accurate to 1 %. As the taper is made shorter, the error of G(0)
 * changes its sign three times. */
#define PAIRS_TAPER_MIN 4.5
int pairs_short_taper(const struct pairs *p, double sigma, const struct box *b, char *text,
                      size_t n);

/* The functions pairs_bonded_near and pairs_bonded_g2 return 1 and write a warning to `text` if the
 * frame seems to contain bonded atoms, and otherwise return 0. Beta of a pair scales as r^-3, so
 * bonded pairs dominate all other pairs. For example, G2(0) per atom is 435 in water and 2 in dense
 * argon. The function pairs_bonded_near warns if two atoms whose indices differ by at most
 * PAIRS_BOND_SPAN are closer than PAIRS_BOND times sigma. In a liquid at 400 K, atoms come as close
 * as 0.85 sigma. The function pairs_bonded_g2 warns if G2(0) per atom, with prefactor 3, is above
 * PAIRS_BOND_G2. */
#define PAIRS_BOND 0.6
#define PAIRS_BOND_SPAN 16
#define PAIRS_BOND_G2 30.0
int pairs_bonded_near(const struct pairs *p, double sigma, const void *pos, const struct box *b,
                      uint64_t frame, char *text, size_t n);
int pairs_bonded_g2(double g2, char *text, size_t n);

/* A team of threads computes either tables of beta or sums of beta over all pairs. */
enum pairs_make { PAIRS_TABLES, PAIRS_SUMS };
struct pairs_team;
/* Returns the memory that the team needs, in bytes, or SIZE_MAX if there are too many pairs. A team
 * that computes sums stores no tables, and its memory per thread is proportional to natoms. */
size_t pairs_team_bytes(const struct pairs *p, enum pairs_make what, int threads);
struct pairs_team *pairs_team_new(const struct pairs *p, enum pairs_make what,
                                  int threads); /* NULL: no memory */
void pairs_team_free(struct pairs_team *t);     /* t may be NULL */

struct pairs_steps {
    size_t n;
    const struct box *box; /* [n] */
    const void *pos;       /* [n][natoms][3], Å */
    uint64_t frame;        /* index of the first step */
};

/* A callback receives the table of beta of step s, [ncomp][natoms (natoms - 1) / 2], of type
 * p->dtype. Row i of the table contains the pairs of atom i with all atoms j > i. The table is
 * valid only during the call of the callback. */
typedef void (*pairs_use)(void *ctx, size_t s, const void *table);

/* The function pairs_team_tables passes each table of a PAIRS_TABLES team to `use`, in any order
 * and from several threads. The function pairs_team_sums uses a PAIRS_SUMS team to add beta of all
 * pairs p, S = sum_p beta_p, and stores S in sums[n][ncomp]. The sums S are computed in double
 * precision and in a fixed order. Both functions return 0, or -1 with ERR_BAD in e if two atoms are
 * too close. Two atoms are too close if they are at the same position, or if their distance is less
 * than the first distance in the table of a pair function. The error message names the first frame
 * with two atoms that are too close, and the first pair of such atoms in this frame. Later steps
 * are not necessarily computed. */
int pairs_team_tables(struct pairs_team *t, const struct pairs_steps *s, pairs_use use, void *ctx,
                      struct err *e) FRAME_MUST;
int pairs_team_sums(struct pairs_team *t, const struct pairs_steps *s, double *sums,
                    struct err *e) FRAME_MUST;

/* The kernels may overwrite PAIRS_SLACK elements after each row of positions and after a table. */
#define PAIRS_SLACK 32

/* The kernel pairs_wrap wraps positions into the scratch memory [3][natoms + slack]. The kernel
 * pairs_table computes a table up to the first row that contains infinity or NaN, and returns the
 * index of this row, or natoms if all values are finite. If `sum` is not NULL, pairs_table stores
 * the sum of all values in *sum and needs memory for only one row of the table. The kernel
 * pairs_sum adds all values of a table. */
SIMD_DECLARE(void, pairs_wrap,
             (const struct pairs *p, const struct box *b, const void *pos, void *scratch));
SIMD_DECLARE(size_t, pairs_table,
             (const struct pairs *p, int comp, const struct sum_cell *c, const void *scratch,
              void *out, double *sum));
SIMD_DECLARE(size_t, pairs_tables, /* all components */
             (const struct pairs *p, const struct sum_cell *c, const void *scratch, void *out));
SIMD_DECLARE(double, pairs_sum, (enum frame_dtype dtype, size_t natoms, const void *table));

C_LINKAGE_END
