/* SPDX-License-Identifier: MIT */
/* The report of g4 on isotropy: false alarms for many isotropic samples, and alarms for other
 * samples. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "g4/g4_report.h"
#include "tap.h"

#define SAMPLES 4000
#define ALARMS 0.01 /* largest fraction of isotropic samples, for all comparisons together */

static const char names[] = "xz xy yz xx-yy zz";
static uint64_t state = 1;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2.0 * log(uniform())) * cos(2.0 * M_PI * uniform());
}

/* Returns the fraction of samples with a warning. The five components have the same mean and
 * independent noise, but component `odd` differs by a given number of its standard errors. */
static double alarms(size_t blocks, int levels, int odd, double off, bool cube, char *text)
{
    struct g4_result r = {.blocks = blocks, .lags = 1, .ncomp = BETA_NCOMPONENTS};
    r.counts = malloc(blocks * sizeof *r.counts);
    r.sums = calloc(blocks * BETA_NCOMPONENTS * G4_NFUNCTIONS, sizeof *r.sums);
    size_t warned = 0;
    for (int s = 0; s < SAMPLES; s++) {
        for (size_t b = 0; b < blocks; b++) {
            r.counts[b] = 100;
            for (int c = 0; c < BETA_NCOMPONENTS; c++) {
                double *v = r.sums + (b * BETA_NCOMPONENTS + (size_t)c) * G4_NFUNCTIONS;
                double shift = c == odd ? off / sqrt((double)blocks) : 0.0;
                v[G4_G] = 100.0 * (20.0 + normal() + (cube ? shift : 0.0));
                v[G4_G2] = 100.0 * (500.0 + normal() + shift);
            }
        }
        struct g4_report p;
        struct notes notes = {0};
        if (g4_report_make(&p, &notes, &r, 0.1, levels, cube, names))
            abort();
        for (size_t k = 0; k < notes.n; k++)
            if (notes.note[k].kind == NOTE_WARN) {
                warned++;
                strcpy(text, notes.note[k].text);
            }
    }
    free(r.counts);
    free(r.sums);
    return (double)warned / SAMPLES;
}

int main(void)
{
    char text[512] = "";

    for (size_t b = 2; b <= 10; b++) {
        double a = alarms(b, 0, -1, 0.0, true, text);
        tap_ok(a < ALARMS, "%zu blocks: a false alarm in %.4f of the samples", b, a);
    }
    double a = alarms(100, 1, -1, 0.0, true, text), alike = alarms(5, 0, 1, 40.0, true, text);
    tap_ok(a < ALARMS, "100 blocks, merged where they must be: in %.4f", a);
    tap_ok(alike > 0.9, "xy off by 40 errors, five blocks: seen in %.3f", alike);
    tap_ok(strstr(text, "isotropy: G") && strstr(text, " for xy") && !strstr(text, " for zz"),
           "by name: %s", text);
    double far = alarms(100, 1, 4, 8.0, true, text);
    tap_ok(far > 0.9 && strstr(text, "zz") && strstr(text, "xx-yy"),
           "zz off by eight, 100 blocks: in %.3f", far);
    double shape = alarms(100, 1, 4, 40.0, false, text);
    tap_ok(shape < ALARMS, "no cube, G2 of zz off by its shape: no alarm but in %.4f", shape);
    return tap_done();
}
