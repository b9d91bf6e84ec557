/* SPDX-License-Identifier: MIT */
/* Method fft: A_i and S of every step, from positions. */
#include <cmath>

#include "g4/g4_gpu_fft.h"

/* A_i of every step: thread (step, atom), partners in order. Positions [atom][ld]. */
template <class T, int COMP, int CELL>
__global__ void fft_atoms_kernel(const void *pos, size_t natoms, size_t ld, int steps, double *a,
                                 const __grid_constant__ beta_args beta)
{
    typedef typename vec4<T>::type V;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    size_t i0 = (size_t)blockIdx.y * 4;
    if (t >= steps)
        return;
    const V *x = (const V *)pos + t;
    V xi[4];
    double sum[4] = {};
    for (int k = 0; k < 4; k++)
        xi[k] = x[(i0 + k < natoms ? i0 + k : natoms - 1) * ld];
    for (size_t j = 0; j < natoms; j++) {
        V xj = x[j * ld];
#pragma unroll
        for (int k = 0; k < 4; k++)
            sum[k] += (double)beta_of<COMP, CELL>(beta, xi[k], xj,
                                                  i0 + k == j ? (T)-1 : beta_rc2(beta, (T)0), t);
    }
    for (int k = 0; k < 4 && i0 + k < natoms; k++)
        a[(i0 + k) * ld + t] = sum[k];
}

int fft_atoms_start(struct fft_run *f, cudaStream_t stream)
{
    struct fft_device *d = &f->dev[0];
    size_t n = f->p->natoms, real = f->is64 ? 8 : 4;
    dim3 grid((unsigned)((f->steps + 127) / 128), (unsigned)((n + 3) / 4));
    struct sums_args s = {(char *)d->raw + (size_t)f->comp * f->npairs * real,
                          NULL,
                          f->d_a,
                          n,
                          f->ld,
                          f->step_values,
                          (int)f->steps,
                          NULL,
                          0,
                          1,
                          {}};
    if (TRY(f->e, cudaSetDevice(d->device)))
        return -1;
    f->beta.cell = f->is64 ? d->box : d->box32;
    if (f->p->input == FRAME_PAIR) {
        if (sums_atoms(f->e, &s, f->is64, stream))
            return -1;
    } else if (f->is64)
        fft_atoms_kernel<double, -1, G4_CELL_ANY>
            <<<grid, 128, 0, stream>>>(d->pos, n, f->ld, (int)f->steps, f->d_a, f->beta);
    else if (f->cell == G4_CELL_ANY)
        fft_atoms_kernel<float, -1, G4_CELL_ANY>
            <<<grid, 128, 0, stream>>>(d->pos, n, f->ld, (int)f->steps, f->d_a, f->beta);
    else if (f->beta.component == BETA_XZ)
        fft_atoms_kernel<float, BETA_XZ, G4_CELL_FIXED>
            <<<grid, 128, 0, stream>>>(d->pos, n, f->ld, (int)f->steps, f->d_a, f->beta);
    else
        fft_atoms_kernel<float, -1, G4_CELL_FIXED>
            <<<grid, 128, 0, stream>>>(d->pos, n, f->ld, (int)f->steps, f->d_a, f->beta);
    if (TRY_LAUNCH(f->e, "fft_atoms_kernel"))
        return -1;
    return sums_total(f->e, &s, stream);
}
