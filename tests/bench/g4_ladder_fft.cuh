/* SPDX-License-Identifier: MIT */
/*
 * Method fft: its two ways against the reference and against each other. Included by g4_ladder.cu
 * only.
 */
#include "g4/g4_gpu_fft.h"

static void check_fft(const struct sample &small, const struct sample &npt, int own)
{
    const char *way = own ? "own " : "cuFFT ";
    char name[64];
    fft_choice.own = own;
    struct g4_params p = params(small, small.steps, FRAME_F32);
    p.method = G4_FFT;
    snprintf(name, sizeof name, "fft, %s", way);
    check_one(name, p, small, 77);
    p.ncomp = 2;
    p.component[1] = BETA_ZZ, p.coef[1] = beta_coef(BETA_ZZ, 3.4, 3.0);
    p.rc2 = 30.0;
    snprintf(name, sizeof name, "fft, %s, two components, cutoff", way);
    check_one(name, p, small, 77);
    p.lags = 48, p.blocks = 5, p.origins = 203;
    snprintf(name, sizeof name, "fft, %s, 5 blocks, 203 origins", way);
    check_one(name, p, small, 77);
    p = params(npt, npt.steps, FRAME_F64);
    p.method = G4_FFT;
    p.devices = "0,0";
    snprintf(name, sizeof name, "fft, %s, cell changes, f64, two engines", way);
    check_one(name, p, npt, 33);
    p.dtype = FRAME_F32;
    p.devices = NULL;
    snprintf(name, sizeof name, "fft, %s, cell changes", way);
    check_one(name, p, npt, 33);
}

/* x and cells of `steps` steps from a shorter sample. */
static void repeat(const struct sample &s, size_t steps, std::vector<float> *x,
                   std::vector<struct box> *box)
{
    x->resize(3 * s.n * steps);
    box->assign(steps, s.box);
    for (size_t t = 0; t < steps; t++)
        memcpy(&(*x)[3 * s.n * t], &s.x[3 * s.n * (t % s.steps)], 12 * s.n);
}

/*
 * All lags of n atoms by both ways, with radix (0: what is chosen), for the greatest number of
 * steps that it serves or `steps`.
 */
static void fft_ways(size_t n, size_t steps, int radix, size_t bytes)
{
    struct err e = {};
    steps = steps ? steps : (size_t)radix * 2048;
    struct sample s = make_sample(n, steps < 1500 ? steps : 1500, 0);
    struct g4_params p = params(s, steps, FRAME_F32);
    p.method = G4_FFT;
    std::vector<float> x;
    std::vector<struct box> box;
    repeat(s, steps, &x, &box);
    struct stats_blocks b[3];
    int list[GPU_MAX_DEVICES], rc = gpu_probe(NULL, list, &e) < 0;
    for (int k = 0; k < 3 && !rc; k++) {
        fft_choice = {k > 0, radix, bytes};
        stats_blocks_init(&b[k], 1, steps * G4_NFUNCTIONS, 0);
        rc = stats_blocks_reach(&b[k], steps) ||
             fft_finish(&e, &p, list, 1, x.data(), box.data(), steps, steps, &b[k], NULL);
    }
    double worst = 0;
    int same = !rc && !memcmp(b[1].v, b[2].v, steps * G4_NFUNCTIONS * sizeof(double));
    for (size_t k = 0; !rc && k < steps * G4_NFUNCTIONS; k++) {
        double d = fabs(b[0].v[k] - b[1].v[k]) / b[0].v[G4_G2];
        worst = d > worst || !(d == d) ? d : worst;
    }
    int ok = !rc && same && worst < 1e-12;
    failures += !ok;
    printf("%s fft, own against cuFFT, radix %d%s        N %4zu T %5zu           worst %.1e %s\n",
           ok ? "ok    " : "NOT OK", radix, same ? "" : ", not the same bytes twice", n, steps,
           worst, e.text);
    for (int k = 0; k < 3 && !rc; k++)
        stats_blocks_free(&b[k]);
    fft_choice = {0, 0, 0};
}

static int check_ways(void)
{
    struct sample small = make_sample(37, 300, 0), npt = make_sample(20, 150, 1);
    for (int own = 0; own < 2; own++)
        check_fft(small, npt, own);
    static const int radix[] = {1, 2, 4, 5, 8, 10, 16};
    for (int r : radix)
        fft_ways(35, 0, r, 0);
    fft_ways(64, 20000, 0, (size_t)20 << 20);
    return verdict();
}
