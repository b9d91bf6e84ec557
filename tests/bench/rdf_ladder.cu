/* SPDX-License-Identifier: MIT */
/*
 * rdf_ladder.cu: compares in one run the pair-histogram kernel of the lecture (A. Nakano, "Pair
 * Distribution Computation on GPU"), this kernel with atomicAdd, and the engine of mbf. The first
 * kernel is WRONG on purpose, because its threads race on nhis[ih] += 1. It is used only here.
 * Output: rows "key value". usage: rdf_ladder [N] [BINS] [sqrt|race|ladder|large|short ...]
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "rdf/rdf_gpu.cu" /* the parts of this file are timed one by one */
#include "rdf/rdf_gpu_pair.cuh"

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t rc_ = (call);                                                                  \
        if (rc_ != cudaSuccess) {                                                                  \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(rc_));                           \
            exit(3);                                                                               \
        }                                                                                          \
    } while (0)

__constant__ float DALTH[3];
__constant__ int DN;
__constant__ float DDRH;

__device__ float d_SignR(float v, float x)
{
    if (x > 0)
        return v;
    else
        return -v;
}

/* The kernel of the lecture, with or without the fix. */
template <bool ATOMIC> __global__ void gpu_histogram_kernel(float *r, float *nhis)
{
    int i, j, a, ih;
    float rij, dr;
    int iBlockBegin = (DN / gridDim.x) * blockIdx.x;
    int iBlockEnd = (DN / gridDim.x) * (blockIdx.x + 1);
    if (blockIdx.x == gridDim.x - 1)
        iBlockEnd = DN;
    int jBlockBegin = (DN / gridDim.y) * blockIdx.y;
    int jBlockEnd = (DN / gridDim.y) * (blockIdx.y + 1);
    if (blockIdx.y == gridDim.y - 1)
        jBlockEnd = DN;
    for (i = iBlockBegin + threadIdx.x; i < iBlockEnd; i += blockDim.x)
        for (j = jBlockBegin + threadIdx.y; j < jBlockEnd; j += blockDim.y)
            if (i < j) {
                rij = 0.0;
                for (a = 0; a < 3; a++) {
                    dr = r[3 * i + a] - r[3 * j + a];
                    dr = dr - d_SignR(DALTH[a], dr - DALTH[a]) - d_SignR(DALTH[a], dr + DALTH[a]);
                    rij += dr * dr;
                }
                rij = sqrt(rij);
                ih = rij / DDRH;
                if (ATOMIC)
                    atomicAdd(&nhis[ih], 1.0f);
                else
                    nhis[ih] += 1.0f;
            }
}

/* Tests whether rdf_sqrt rounds like sqrt.rn for every float in [2^-60, 2^60]. */
__global__ void sqrt_kernel(uint32_t first, uint32_t n, uint32_t *wrong)
{
    for (uint32_t k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
        float x = __uint_as_float(first + k);
        if (rdf_sqrt(x) != __fsqrt_rn(x))
            atomicAdd(wrong, 1u);
    }
}

static void check_sqrt()
{
    uint32_t *d_wrong, wrong, first = 0x21800000u, n = 0x5d800000u - first; /* 2^-60 to 2^60 */
    CHECK(cudaMalloc(&d_wrong, 4));
    CHECK(cudaMemset(d_wrong, 0, 4));
    sqrt_kernel<<<1024, 256>>>(first, n, d_wrong);
    CHECK(cudaMemcpy(&wrong, d_wrong, 4, cudaMemcpyDeviceToHost));
    printf("sqrt_floats %u\nsqrt_wrong %u\n", n, wrong);
    cudaFree(d_wrong);
}

static std::vector<float> gas(size_t n, float edge)
{
    std::vector<float> r(3 * n);
    uint64_t s = 1;
    for (auto &x : r) {
        s = s * 6364136223846793005u + 1442695040888963407u;
        x = (float)(s >> 40) / 16777216.0f * edge;
    }
    return r;
}

static double pairs_of(size_t n)
{
    return 0.5 * (double)n * (double)(n - 1);
}

/* Times one kernel of the lecture on the device in ms, and writes the counts to hist. */
template <bool ATOMIC>
static float lecture(const std::vector<float> &r, float edge, int bins, std::vector<float> &hist)
{
    float half[3] = {edge / 2, edge / 2, edge / 2},
          drh = sqrtf(3 * edge * edge / 4) * 1.000001f / (float)bins, ms, *d_r, *d_h;
    int n = (int)(r.size() / 3);
    cudaEvent_t a, b;
    CHECK(cudaMalloc(&d_r, r.size() * 4));
    CHECK(cudaMalloc(&d_h, (size_t)bins * 4));
    CHECK(cudaMemcpy(d_r, r.data(), r.size() * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(DALTH, half, sizeof half));
    CHECK(cudaMemcpyToSymbol(DN, &n, sizeof n));
    CHECK(cudaMemcpyToSymbol(DDRH, &drh, sizeof drh));
    CHECK(cudaEventCreate(&a));
    CHECK(cudaEventCreate(&b));
    CHECK(cudaMemset(d_h, 0, (size_t)bins * 4));
    CHECK(cudaEventRecord(a));
    gpu_histogram_kernel<ATOMIC><<<dim3(8, 8, 1), dim3(16, 16, 1)>>>(d_r, d_h);
    CHECK(cudaEventRecord(b));
    CHECK(cudaEventSynchronize(b));
    CHECK(cudaEventElapsedTime(&ms, a, b));
    hist.resize((size_t)bins);
    CHECK(cudaMemcpy(hist.data(), d_h, (size_t)bins * 4, cudaMemcpyDeviceToHost));
    cudaFree(d_r);
    cudaFree(d_h);
    return ms;
}

static double total(const std::vector<float> &h)
{
    double s = 0;
    for (float x : h)
        s += x;
    return s;
}

/* Repeats the last large frame `times` times on the first device, which already has its positions.
 * Sets ms[2 times] to the device times of sorting and of counting in ms. */
static int again(struct rdf *r, int times, float *ms)
{
    struct err *e = &r->err;
    struct rdf_device *d = &r->device[0];
    const char *in = (const char *)d->d_in[d->in.turn ^ 1];
    const struct hist_frame *geo = (const struct hist_frame *)(in + places_of(r, 1, 1, false).geo);
    cudaEvent_t at[2];
    if (TRY(e, cudaStreamSynchronize(d->work)) || TRY(e, cudaEventCreate(&at[0])) ||
        TRY(e, cudaEventCreate(&at[1])))
        return -1;
    for (int k = 0; k < times; k++) {
        if (TRY(e, cudaEventRecord(at[0], d->work)) ||
            rdf_gpu_sort(e, geo, 1, in, 1, &d->sorting, d->work) ||
            TRY(e, cudaMemsetAsync(d->d_next, 0, r->p.npairs * 8, d->work)) ||
            TRY(e, cudaEventRecord(at[1], d->work)) || TRY(e, cudaEventSynchronize(at[1])) ||
            TRY(e, cudaEventElapsedTime(&ms[2 * k], at[0], at[1])) ||
            TRY(e, cudaEventRecord(at[0], d->work)))
            return -1;
        for (size_t q = 0; q < r->p.npairs; q++)
            if (count_pair(r, d, &r->held.geo[0], 0, 1, 0, 0, q, 0))
                return -1;
        if (TRY(e, cudaEventRecord(at[1], d->work)) || TRY(e, cudaEventSynchronize(at[1])) ||
            TRY(e, cudaEventElapsedTime(&ms[2 * k + 1], at[0], at[1])))
            return -1;
    }
    cudaEventDestroy(at[0]);
    cudaEventDestroy(at[1]);
    return 0;
}

/* For the engine of mbf, the median device times in ms of sorting and counting, and of a frame
 * streamed from the host. */
static void ours(const char *name, size_t n, float edge, int bins, double rmax, int reps,
                 bool print)
{
    std::vector<float> r = gas(n, edge);
    std::vector<uint64_t> counts((size_t)bins);
    std::vector<float> ms(2 * (size_t)reps), sort, count;
    struct box b;
    double cell[9] = {edge, 0, 0, 0, edge, 0, 0, 0, edge};
    int pbc[3] = {1, 1, 1};
    struct err why;
    struct species_pair every = {SPECIES_EVERY, SPECIES_EVERY};
    struct rdf_params p = {};
    box_init(&b, cell, pbc);
    p.dtype = FRAME_F32;
    p.natoms = n;
    p.bins = (size_t)bins;
    p.rmax = rmax;
    p.nspecies = 1;
    p.pairs = &every;
    p.npairs = p.slots = 1;
    p.algorithm = RDF_CELLS; /* never uses the kernel for small frames */
    p.threads = 8;
    struct rdf *e = rdf_open(&p, &why);
    size_t slot = 0;
    if (!e || rdf_push(e, 1, r.data(), NULL, &b, &slot) || rdf_collect(e, counts.data(), 1) ||
        again(e, reps, ms.data())) {
        fprintf(stderr, "%s\n", e ? rdf_error(e)->text : why.text);
        exit(3);
    }
    for (int k = 0; k < reps; k++) {
        sort.push_back(ms[2 * (size_t)k]);
        count.push_back(ms[2 * (size_t)k + 1]);
    }
    std::sort(sort.begin(), sort.end());
    std::sort(count.begin(), count.end());
    double s = sort[sort.size() / 2], c = count[count.size() / 2];
    unsigned long long all = 0;
    for (uint64_t x : counts)
        all += x;
    printf("%s_n %zu\n%s_counted %llu\n%s_sort_ms %.4f\n%s_count_ms %.4f\n%s_pairs_per_s %.4g\n",
           name, n, name, all, name, s, name, c, name, pairs_of(n) / (c + s) * 1e3);
    for (size_t k = 0; print && k < counts.size(); k++)
        printf("%s_bin %zu %llu\n", name, k, (unsigned long long)counts[k]);
    rdf_close(e);
}

/* Measures the wall time per frame for frames streamed from host memory. It would be longer if
 * copying and counting did not overlap. */
static void stream(size_t n, float edge, double rmax, int frames)
{
    std::vector<float> r = gas(n, edge);
    std::vector<uint64_t> counts(1000);
    struct box b;
    double cell[9] = {edge, 0, 0, 0, edge, 0, 0, 0, edge};
    int pbc[3] = {1, 1, 1};
    struct err why;
    struct species_pair every = {SPECIES_EVERY, SPECIES_EVERY};
    struct rdf_params p = {};
    box_init(&b, cell, pbc);
    p.dtype = FRAME_F32;
    p.natoms = n;
    p.bins = 1000;
    p.rmax = rmax;
    p.nspecies = 1;
    p.pairs = &every;
    p.npairs = p.slots = 1;
    p.threads = 8;
    struct rdf *e = rdf_open(&p, &why);
    size_t slot = 0;
    if (!e || rdf_push(e, 1, r.data(), NULL, &b, &slot) || rdf_collect(e, counts.data(), 1))
        exit(3);
    struct timespec t0, t1, t2;
    clock_gettime(CLOCK_MONOTONIC, &t0);
    for (int k = 0; k < frames; k++)
        if (rdf_push(e, 1, r.data(), NULL, &b, &slot))
            exit(3);
    clock_gettime(CLOCK_MONOTONIC, &t1);
    if (rdf_collect(e, counts.data(), 1))
        exit(3);
    clock_gettime(CLOCK_MONOTONIC, &t2);
    auto ms = [](struct timespec a, struct timespec z) {
        return (double)(z.tv_sec - a.tv_sec) * 1e3 + (double)(z.tv_nsec - a.tv_nsec) * 1e-6;
    };
    printf("stream_frames %d\nstream_ms_a_frame %.4f\nstream_host_ms_a_frame %.4f\n", frames,
           ms(t0, t2) / frames, ms(t0, t1) / frames);
    rdf_close(e);
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
    int bins = argc > 2 ? atoi(argv[2]) : 1000;
    auto asked = [&](const char *w) {
        for (int k = 3; k < argc; k++)
            if (!strcmp(argv[k], w))
                return true;
        return argc <= 3;
    };
    const float density = 0.0213f;
    float edge = cbrtf((float)n / density);
    if (asked("sqrt"))
        check_sqrt();
    if (asked("ladder") || asked("race")) {
        std::vector<float> r = gas(n, edge), raced, summed, small;
        lecture<true>(gas(1000, edge), edge, bins, small); /* warm up */
        float wrong_ms = lecture<false>(r, edge, bins, raced),
              right_ms = lecture<true>(r, edge, bins, summed);
        printf("pairs %.0f\nlecture_race_ms %.3f\nlecture_race_counted %.0f\nlecture_atomic_ms "
               "%.3f\nlecture_atomic_counted %.0f\n"
               "lecture_atomic_pairs_per_s %.4g\n",
               pairs_of(n), wrong_ms, total(raced), right_ms, total(summed),
               pairs_of(n) / right_ms * 1e3);
        for (int k = 0; asked("race") && argc > 3 && k < bins; k++)
            printf("lecture_bin %d %.0f %.0f\n", k, raced[(size_t)k], summed[(size_t)k]);
        ours("same", n, edge, bins, sqrt(0.75) * edge, 5, asked("race") && argc > 3);
    }
    if (asked("large")) {
        float big = cbrtf(1e6f / density);
        ours("half", 1000000, big, 1000, 0.5 * big, 3, false);
        ours("corner", 1000000, big, 1000, sqrt(0.75) * big, 3, false);
    }
    if (asked("short")) {
        float big = cbrtf(1e6f / density);
        ours("short", 1000000, big, 1000, 12.0, 9, false);
        stream(1000000, big, 12.0, 40);
    }
    return 0;
}
