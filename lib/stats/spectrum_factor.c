/* SPDX-License-Identifier: MIT */
/* spectrum_factor.c: units, windows, quantum corrections and lengths; no FFTW here. */
#include <math.h>

#include "base/units.h"
#include "stats/spectrum.h"

double spectrum_unit_scale(enum spectrum_unit unit)
{
    return unit == SPECTRUM_CM1 ? UNITS_PS_CM1 : unit == SPECTRUM_THZ ? 1.0 : 2.0 * UNITS_PI;
}

const char *spectrum_unit_column(enum spectrum_unit unit)
{
    return unit == SPECTRUM_CM1 ? "nu_cm-1" : unit == SPECTRUM_THZ ? "nu_THz" : "omega_rad/ps";
}

double spectrum_quantum_factor(enum spectrum_quantum q, double x)
{
    switch (q) {
    case SPECTRUM_STANDARD: return 2.0 / (1.0 + exp(-x));
    case SPECTRUM_HARMONIC: return x == 0.0 ? 1.0 : x / -expm1(-x);
    case SPECTRUM_SCHOFIELD:
    case SPECTRUM_EGELSTAFF: return exp(0.5 * x);
    default: return 1.0;
    }
}

double spectrum_window_at(const struct spectrum_params *p, size_t k, size_t lags, double dt_ps)
{
    double a = UNITS_PI * (double)k / (double)lags, t = (double)k * dt_ps / p->gauss_ps;
    switch (p->window) {
    case SPECTRUM_HANN: return 0.5 + 0.5 * cos(a);
    case SPECTRUM_BLACKMAN: return 0.42 + 0.5 * cos(a) + 0.08 * cos(2.0 * a);
    case SPECTRUM_GAUSS: return exp(-0.5 * t * t);
    default: return 1.0;
    }
}

/* Half the transform length: the smallest m >= n whose prime factors are 2, 3, 5 and 7. */
static size_t smooth_length(size_t n)
{
    for (size_t m = n < 2 ? 2 : n;; m++) {
        size_t rest = m;
        for (size_t p = 2; p <= 7; p++)
            while (rest % p == 0)
                rest /= p;
        if (rest == 1)
            return m;
    }
}

size_t spectrum_half_length(size_t lags, double pad)
{
    double want = ceil((double)lags * pad);
    return want < 1e14 ? smooth_length((size_t)want) : 0;
}

size_t spectrum_bytes(const struct series *cf, const struct spectrum_params *p)
{
    size_t half = spectrum_half_length(cf->rows, p->pad), bytes;
    if (half == 0 || __builtin_mul_overflow(half + 1, (cf->cols + 6) * sizeof(double), &bytes))
        return SIZE_MAX;
    return bytes;
}
