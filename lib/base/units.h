/* SPDX-License-Identifier: MIT */
/* units.h: defines physical constants and conversion factors to the units Å, ps, meV, u and K of
 * the programs. The values of the constants are from CODATA 2018. Constants that define the SI of
 * 2019 are exact. */
#pragma once

#define UNITS_PI 3.14159265358979323846
#define UNITS_PI_L 3.141592653589793238462643383279503L
#define UNITS_BOHR_A 0.529177210903
#define UNITS_AU_PS 2.4188843265857e-5 /* atomic unit of time */
#define UNITS_E_C 1.602176634e-19      /* elementary charge */
/* The Loschmidt constant at 273.15 K and 101.325 kPa, 2.686780111e25/m³, is 1 amagat in 1/Å³. */
#define UNITS_AMAGAT_A3 2.686780111e-5
/* The fine-structure constant is e²/(2 eps_0 h c). */
#define UNITS_FINE 7.2973525693e-3
/* The Boltzmann constant in meV/K is 1.380649e-23 J/K / 1.602176634e-22 J/meV. */
#define UNITS_KB_MEV 0.08617333262145179
/* One u Å²/ps² in meV is 1.66053906660e-27 kg * 1e4 m²/s² / 1.602176634e-22 J/meV. */
#define UNITS_U_A2_PS2_MEV 0.10364269656262175
/* One meV/Å³ in bar is 1.602176634e-22 J / 1e-30 m³ / 1e5 Pa. */
#define UNITS_MEV_A3_BAR 1602.176634
/* The wavenumber of 1 ps⁻¹ (ordinary frequency) in cm⁻¹ is 1e12 / (299792458 m/s * 100 cm/m). */
#define UNITS_PS_CM1 33.356409519815204
/* The constant h/k in K ps is 6.62607015e-34 J s / 1.380649e-23 J/K * 1e12 ps/s. The ratio h nu /
 * kT is UNITS_H_KB * nu / T, with nu in ps⁻¹. */
#define UNITS_H_KB 47.992430733662114
/* Text of the warning that a length in Å is probably a value in nm. The text expects three
 * arguments: the option, the value, and ten times the value. */
#define UNITS_NM "%s %g is in Å, which is unusually small (if you mean nm, give %g)"
