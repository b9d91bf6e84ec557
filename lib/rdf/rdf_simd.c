/* SPDX-License-Identifier: MIT */
/* rdf_simd.c: converts distances to bins with vectors, and then increments the histogram once per
 * pair. Built for three levels (simd.h). */
#include "rdf/rdf_tile.h"

/* Computes the bins of the pairs of one atom i with n atoms j. The compiler vectorizes each loop.
 * DISTANCE converts the plain differences dx, dy, dz to t in bin widths. BIN converts t to a row of
 * the histogram. */
#define BINS(NAME, REAL, DISTANCE, BIN)                                                            \
    static inline void NAME(const struct hist_frame *f, const REAL *r, const REAL *restrict xj,    \
                            const REAL *restrict yj, const REAL *restrict zj, size_t n,            \
                            int32_t *restrict bin)                                                 \
    {                                                                                              \
        const struct hist_frame g = *f;                                                            \
        const REAL x = r[0], y = r[1], z = r[2], limit = g.closed ? HIST_FAR : (REAL)g.bins;       \
        const int32_t beyond = g.bins + 1;                                                         \
        (void)limit, (void)beyond;                                                                 \
        for (size_t k = 0; k < n; k++) {                                                           \
            REAL dx = x - xj[k], dy = y - yj[k], dz = z - zj[k], t;                                \
            DISTANCE;                                                                              \
            bin[k] = BIN;                                                                          \
        }                                                                                          \
    }
#define ORTHO_F32                                                                                  \
    t = sqrtf(hist_r2_f32(hist_image_f32(dx, g.lenf[0]), hist_image_f32(dy, g.lenf[1]),            \
                          hist_image_f32(dz, g.lenf[2]), g.quarter))
#define TRICLINIC_F32                                                                              \
    hist_triclinic_f32(&g, &dx, &dy, &dz);                                                         \
    t = sqrtf(hist_r2_f32(dx, dy, dz, g.quarter))
#define ORTHO_F64                                                                                  \
    t = sqrt(hist_r2_f64(box_image_f64(dx, g.len[0], g.inv[0]),                                    \
                         box_image_f64(dy, g.len[1], g.inv[1]),                                    \
                         box_image_f64(dz, g.len[2], g.inv[2])))
#define TRICLINIC_F64                                                                              \
    hist_triclinic_f64(&g, &dx, &dy, &dz);                                                         \
    t = sqrt(hist_r2_f64(dx, dy, dz))
#define EVERY_PAIR (int32_t) t /* used for a closed frame */
#define WITHIN t < limit ? (int32_t)t : beyond + ((int32_t)t & (RDF_BEYOND - 1))

BINS(bins_closed_f32, float, ORTHO_F32, EVERY_PAIR)
BINS(bins_ortho_f32, float, ORTHO_F32, WITHIN)
BINS(bins_triclinic_f32, float, TRICLINIC_F32, WITHIN)
BINS(bins_ortho_f64, double, ORTHO_F64, WITHIN)
BINS(bins_triclinic_f64, double, TRICLINIC_F64, WITHIN)
#define bins_closed_f64 bins_ortho_f64

static inline void count_bins(const int32_t *bin, size_t n, uint32_t *hist, size_t stride)
{
    uint32_t *h1 = hist + stride, *h2 = h1 + stride, *h3 = h2 + stride;
    size_t k = 0;
    for (; k + 4 <= n; k += 4) {
        hist[bin[k]]++;
        h1[bin[k + 1]]++;
        h2[bin[k + 2]]++;
        h3[bin[k + 3]]++;
    }
    for (; k < n; k++)
        hist[bin[k]]++;
}

#define TILE_BODY(REAL, SUFFIX)                                                                    \
    const REAL *xi = t->i.x, *yi = t->i.y, *zi = t->i.z, *xj = t->j.x, *yj = t->j.y, *zj = t->j.z; \
    int32_t bin[RDF_CHUNK] __attribute__((aligned(64)));                                           \
    for (size_t j0 = 0; j0 < t->j.n; j0 += RDF_CHUNK) {                                            \
        size_t j1 = j0 + RDF_CHUNK < t->j.n ? j0 + RDF_CHUNK : t->j.n;                             \
        for (size_t i = 0; i < t->i.n; i++) {                                                      \
            size_t j = t->triangle && i + 1 > j0 ? i + 1 : j0;                                     \
            if (j >= j1)                                                                           \
                break; /* in a triangle, later rows begin further right */                         \
            REAL r[3] = {xi[i], yi[i], zi[i]};                                                     \
            if (t->frame->ortho && t->frame->closed)                                               \
                bins_closed_##SUFFIX(t->frame, r, xj + j, yj + j, zj + j, j1 - j, bin);            \
            else if (t->frame->ortho)                                                              \
                bins_ortho_##SUFFIX(t->frame, r, xj + j, yj + j, zj + j, j1 - j, bin);             \
            else                                                                                   \
                bins_triclinic_##SUFFIX(t->frame, r, xj + j, yj + j, zj + j, j1 - j, bin);         \
            count_bins(bin, j1 - j, t->hist, t->stride);                                           \
        }                                                                                          \
    }

void SIMD_NAME(rdf_tile_f32)(const struct rdf_tile *t)
{
    TILE_BODY(float, f32)
}

void SIMD_NAME(rdf_tile_f64)(const struct rdf_tile *t)
{
    TILE_BODY(double, f64)
}
