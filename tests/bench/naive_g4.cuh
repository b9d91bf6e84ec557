/* SPDX-License-Identifier: MIT */
/*
 * The published scheme of Dawid 2019 (Figures 2 to 4, Listing 1), as the yardstick: one thread a
 * pair (i, j), a kernel that finds each thread's next disjoint pair (k, l), a kernel that adds its
 * products over all origins, both launched once a pair; then a reduction in two steps and a reset.
 * Single precision, beta[pair][time] in memory.
 */
struct naive_pair {
    unsigned short i, j, k, l;
};

__global__ void naive_pair_index(const ushort2 *p2t, struct naive_pair *tab, int npairs, int n)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= npairs)
        return;
    struct naive_pair v = tab[idx];
    v.i = p2t[idx].x;
    v.j = p2t[idx].y;
    for (;;) {
        v.l++;
        if (v.l >= n) {
            v.k++;
            v.l = v.k + 1;
            if (v.k >= n - 1)
                break;
            if (v.l >= n)
                continue;
        }
        if (v.l > v.k && v.k != v.i && v.k != v.j && v.l != v.i && v.l != v.j)
            break;
    }
    tab[idx] = v;
}

__global__ void naive_calc_func_pair(const float *beta, float *ar, const struct naive_pair *tab,
                                     int npairs, int n, int steps, int t)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= npairs)
        return;
    struct naive_pair v = tab[idx];
    if (v.k >= n - 1)
        return;
    long cid = (long)v.k * (2 * n - v.k - 1) / 2 + v.l - v.k - 1;
    float sum = 0.0f;
    for (int tau = 0; tau < steps - t; tau++)
        sum = sum + beta[(long)idx * steps + tau] * beta[cid * steps + tau + t];
    ar[idx] += sum;
}

__global__ void naive_reducto(const float *in, float *out, int n)
{
    extern __shared__ float s_naive[];
    float sum = 0.0f;
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x)
        sum += in[k];
    s_naive[threadIdx.x] = sum;
    __syncthreads();
    for (int w = blockDim.x / 2; w; w /= 2) {
        if ((int)threadIdx.x < w)
            s_naive[threadIdx.x] += s_naive[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = s_naive[0];
}

__global__ void naive_zero_pairs(struct naive_pair *tab, float *ar, int npairs)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < npairs) {
        tab[idx] = {0, 0, 0, 0};
        ar[idx] = 0.0f;
    }
}

/* * Returns G4 of one lag, summed over origins (ordered disjoint pairs of pairs), or NaN on
 * failure. Sets *ms to the device time. */
static double naive_g4(const std::vector<float> &beta, int npairs, int n, int steps, int t,
                       float *ms)
{
    float *d_beta = NULL, *d_ar = NULL, *d_sum = NULL, sum = NAN;
    struct naive_pair *d_tab = NULL;
    ushort2 *d_p2t = NULL;
    std::vector<ushort2> p2t;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            p2t.push_back(make_ushort2((unsigned short)i, (unsigned short)j));
    int n4p = (n - 2) * (n - 3) / 2, grid = (npairs + 255) / 256;
    cudaEvent_t a, b;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    if (cudaMalloc(&d_beta, beta.size() * 4) || cudaMalloc(&d_ar, (size_t)npairs * 4) ||
        cudaMalloc(&d_sum, 257 * 4) || cudaMalloc(&d_tab, sizeof *d_tab * (size_t)npairs) ||
        cudaMalloc(&d_p2t, sizeof *d_p2t * (size_t)npairs))
        return NAN;
    cudaMemcpy(d_beta, beta.data(), beta.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(d_p2t, p2t.data(), sizeof *d_p2t * (size_t)npairs, cudaMemcpyHostToDevice);
    naive_zero_pairs<<<grid, 256>>>(d_tab, d_ar, npairs);
    cudaEventRecord(a);
    for (int k = 0; k < n4p; k++) {
        naive_pair_index<<<grid, 256>>>(d_p2t, d_tab, npairs, n);
        naive_calc_func_pair<<<grid, 256>>>(d_beta, d_ar, d_tab, npairs, n, steps, t);
    }
    naive_reducto<<<256, 256, 1024>>>(d_ar, d_sum, npairs);
    naive_reducto<<<1, 256, 1024>>>(d_sum, d_sum + 256, 256);
    naive_zero_pairs<<<grid, 256>>>(d_tab, d_ar, npairs);
    cudaEventRecord(b);
    cudaEventSynchronize(b);
    cudaEventElapsedTime(ms, a, b);
    cudaMemcpy(&sum, d_sum + 256, 4, cudaMemcpyDeviceToHost);
    cudaFree(d_beta), cudaFree(d_ar), cudaFree(d_sum), cudaFree(d_tab), cudaFree(d_p2t);
    return sum;
}
