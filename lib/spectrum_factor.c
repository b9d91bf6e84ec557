/* SPDX-License-Identifier: MIT */
/* spectrum_factor.c: units, windows and quantum corrections; no FFTW here. */
#include <math.h>

#include "spectrum.h"
#include "units.h"

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
