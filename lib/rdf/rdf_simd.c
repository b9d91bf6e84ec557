/* SPDX-License-Identifier: MIT */
/* rdf_simd.c: distances to bins in vectors, then one increment a pair. Built for three levels
 * (simd.h). */
#include "rdf/rdf_tile.h"

/* The compiler turns each of these loops into vector code; the bins of one atom i against n atoms
 * j. */
/* Every pair of a closed frame counts: no test. */
static inline void bins_closed_f32(const struct hist_frame *f, const float *r,
                                   const float *restrict xj, const float *restrict yj,
                                   const float *restrict zj, size_t n, int32_t *restrict bin)
{
    float x = r[0], y = r[1], z = r[2], lx = f->lenf[0], ly = f->lenf[1], lz = f->lenf[2],
          quarter = f->quarter;
    for (size_t k = 0; k < n; k++) {
        float dx = hist_image_f32(x - xj[k], lx), dy = hist_image_f32(y - yj[k], ly),
              dz = hist_image_f32(z - zj[k], lz);
        bin[k] = (int32_t)sqrtf(hist_r2_f32(dx, dy, dz, quarter));
    }
}

static inline void bins_ortho_f32(const struct hist_frame *f, const float *r,
                                  const float *restrict xj, const float *restrict yj,
                                  const float *restrict zj, size_t n, int32_t *restrict bin)
{
    float x = r[0], y = r[1], z = r[2], lx = f->lenf[0], ly = f->lenf[1], lz = f->lenf[2],
          quarter = f->quarter;
    float limit = (float)f->bins;
    int32_t beyond = f->bins + 1;
    for (size_t k = 0; k < n; k++) {
        float dx = hist_image_f32(x - xj[k], lx), dy = hist_image_f32(y - yj[k], ly),
              dz = hist_image_f32(z - zj[k], lz);
        float t = sqrtf(hist_r2_f32(dx, dy, dz, quarter));
        int32_t b = (int32_t)t;
        bin[k] = t < limit ? b : beyond + (b & (RDF_BEYOND - 1));
    }
}

static inline void bins_triclinic_f32(const struct hist_frame *f, const float *r,
                                      const float *restrict xj, const float *restrict yj,
                                      const float *restrict zj, size_t n, int32_t *restrict bin)
{
    const struct hist_frame g = *f;
    float x = r[0], y = r[1], z = r[2], limit = (float)g.bins;
    int32_t beyond = g.bins + 1;
    for (size_t k = 0; k < n; k++) {
        float dx = x - xj[k], dy = y - yj[k], dz = z - zj[k];
        hist_triclinic_f32(&g, &dx, &dy, &dz);
        float t = sqrtf(hist_r2_f32(dx, dy, dz, g.quarter));
        int32_t b = (int32_t)t;
        bin[k] = t < limit ? b : beyond + (b & (RDF_BEYOND - 1));
    }
}

static inline void bins_ortho_f64(const struct hist_frame *f, const double *r,
                                  const double *restrict xj, const double *restrict yj,
                                  const double *restrict zj, size_t n, int32_t *restrict bin)
{
    const struct hist_frame g = *f;
    double x = r[0], y = r[1], z = r[2];
    double limit = g.closed ? HIST_FAR : (double)g.bins;
    int32_t beyond = g.bins + 1;
    for (size_t k = 0; k < n; k++) {
        double dx = box_image_f64(x - xj[k], g.len[0], g.inv[0]),
               dy = box_image_f64(y - yj[k], g.len[1], g.inv[1]);
        double dz = box_image_f64(z - zj[k], g.len[2], g.inv[2]);
        double t = sqrt(hist_r2_f64(dx, dy, dz));
        int32_t b = (int32_t)t;
        bin[k] = t < limit ? b : beyond + (b & (RDF_BEYOND - 1));
    }
}

#define bins_closed_f64 bins_ortho_f64

static inline void bins_triclinic_f64(const struct hist_frame *f, const double *r,
                                      const double *restrict xj, const double *restrict yj,
                                      const double *restrict zj, size_t n, int32_t *restrict bin)
{
    const struct hist_frame g = *f;
    double x = r[0], y = r[1], z = r[2], limit = (double)g.bins;
    int32_t beyond = g.bins + 1;
    for (size_t k = 0; k < n; k++) {
        double dx = x - xj[k], dy = y - yj[k], dz = z - zj[k];
        hist_triclinic_f64(&g, &dx, &dy, &dz);
        double t = sqrt(hist_r2_f64(dx, dy, dz));
        int32_t b = (int32_t)t;
        bin[k] = t < limit ? b : beyond + (b & (RDF_BEYOND - 1));
    }
}

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
                break; /* only in a triangle: later rows begin further right */                    \
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
