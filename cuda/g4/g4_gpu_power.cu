/* SPDX-License-Identifier: MIT */
#include "g4/g4_gpu_power.cuh"

#include <cmath>

typedef void (*power_kernel)(power_args);

template <int RA> static power_kernel columns(int cell, const power_args &a, size_t *bytes)
{
    *bytes = power_shape<RA>::bytes;
    bool half = a.steps <= RA * 2048;
    if (a.kind == POWER_POSN_F32 && cell == G4_CELL_FIXED && half && a.beta.component == BETA_XZ)
        return power_columns_kernel<RA, power_source_posn<BETA_XZ, (RA + 1) / 2>, true>;
    if (a.kind == POWER_POSN_F32 && cell == G4_CELL_FIXED && half)
        return power_columns_kernel<RA, power_source_posn<-1, (RA + 1) / 2>, true>;
    return power_columns_kernel<RA, power_source_any, false>;
}

static power_kernel columns_of(int ra, int cell, const power_args &a, size_t *bytes)
{
    switch (ra) {
    case 1: return columns<1>(cell, a, bytes);
    case 2: return columns<2>(cell, a, bytes);
    case 4: return columns<4>(cell, a, bytes);
    case 5: return columns<5>(cell, a, bytes);
    case 8: return columns<8>(cell, a, bytes);
    case 10: return columns<10>(cell, a, bytes);
    default: return columns<16>(cell, a, bytes);
    }
}

int power_radix(const int *list, int ndev, size_t need)
{
    static const int radix[] = {1, 2, 4, 5, 8, 10, 16};
    size_t most = power_shape<8>::bytes; /* the largest of them */
    for (int k = 0; k < ndev; k++) {
        int have = 0;
        if (cudaDeviceGetAttribute(&have, cudaDevAttrMaxSharedMemoryPerBlockOptin, list[k]) !=
                cudaSuccess ||
            (size_t)have < most)
            return 0;
    }
    for (int ra : radix)
        if (need <= (size_t)ra * 4096)
            return ra;
    return 0;
}

/* An eighth of the circle is computed, the rest mirrored, so that the symmetries are exact. */
void power_table(double2 *table, int length)
{
    for (int n = 0; n <= length / 8; n++) {
        double x = 2.0 * M_PI * (double)n / (double)length, c = cos(x), s = sin(x);
        int q = length / 4, at[8] = {n,         q - n,     q + n,     2 * q - n,
                                     2 * q + n, 3 * q - n, 3 * q + n, (4 * q - n) % length};
        double re[8] = {c, s, -s, -c, -c, -s, s, c}, im[8] = {s, c, c, s, -s, -c, -c, -s};
        for (int k = 0; k < 8; k++)
            table[at[k]] = make_double2(re[k], -im[k]);
    }
}

int power_parts(int ra)
{
    return 256 / ra;
}

/*
 * Both passes; REAL in the second one. Blocks of the first pass: as many as there is room for at a
 * time.
 */
static int passes(struct err *e, int ra, int cell, struct power_args a, int real,
                  cudaStream_t stream)
{
    int device = 0, sms = 0;
    size_t bytes;
    int together = 16 / ra;
    power_kernel first = columns_of(ra, cell, a, &bytes),
                 second = real ? power_rows_kernel<true> : power_rows_kernel<false>;
    if (TRY(e, cudaGetDevice(&device)) ||
        TRY(e, cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device)) ||
        TRY(e, cudaFuncSetAttribute((const void *)first,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes)) ||
        TRY(e,
            cudaFuncSetAttribute((const void *)second, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 (int)POWER_ROWS_BYTES)))
        return -1;
    int blocks = (sms < 8 ? 8 : sms) / 8;
    a.per = (a.count + blocks - 1) / blocks;
    a.per = (a.per + together - 1) / together * together;
    first<<<dim3(16, (unsigned)((a.count + a.per - 1) / a.per)), POWER_THREADS, bytes, stream>>>(a);
    if (TRY_LAUNCH(e, "power_columns_kernel"))
        return -1;
    second<<<dim3((unsigned)ra, real ? (unsigned)a.count : (unsigned)power_parts(ra)),
             POWER_THREADS, POWER_ROWS_BYTES, stream>>>(a);
    return TRY_LAUNCH(e, "power_rows_kernel");
}

int power_batch(struct err *e, int ra, int cell, struct power_args a, cudaStream_t stream)
{
    return passes(e, ra, cell, a, 0, stream);
}

int power_back(struct err *e, int ra, struct power_args a, cudaStream_t stream)
{
    a.kind = POWER_ROWS;
    a.ld = (size_t)ra * 4096;
    a.steps = ra * 4096;
    a.first = 0;
    a.count = (int)(a.rows / 2);
    return passes(e, ra, G4_CELL_ANY, a, 1, stream);
}

int power_total(struct err *e, int ra, const double *in, int n, int scatter, double *out,
                cudaStream_t stream)
{
    power_total_kernel<<<(unsigned)ra * 16, 256, 0, stream>>>(in, n, ra * 4096, scatter, out);
    return TRY_LAUNCH(e, "power_total_kernel");
}
