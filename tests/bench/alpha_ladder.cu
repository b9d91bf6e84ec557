/* SPDX-License-Identifier: MIT */
/*
 * alpha_ladder.cu: measures the steps of a batch of alpha-gpu one by one, by events, and then the
 * whole batch. usage: alpha_ladder [SITES [FRAMES [REPEAT]]]
 * Output: rows "what ms", of a batch; the last one is wall time with copies.
 */
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "alpha/alpha_gpu.cu" /* the parts of this file are timed one by one */
#include "alpha/alpha_gpu_step.cu"
#include "base/engine.h"

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if ((what) != 0) {                                                                         \
            fprintf(stderr, "%s: %s\n", #what, err.text);                                          \
            exit(3);                                                                               \
        }                                                                                          \
    } while (0)

static double uniform(void)
{
    static uint64_t x = 88172645463325252ull;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return (double)(x >> 11) / 9007199254740992.0;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct err err;

/* Returns the median of `repeat` times of the operation `what`, in ms. */
template <class F> static void timed(const char *name, int repeat, cudaStream_t stream, F what)
{
    cudaEvent_t from, to;
    std::vector<float> ms;
    cudaEventCreate(&from);
    cudaEventCreate(&to);
    for (int k = 0; k <= repeat; k++) {
        float one;
        cudaEventRecord(from, stream);
        CHECK(what());
        cudaEventRecord(to, stream);
        if (cudaEventSynchronize(to) != cudaSuccess || cudaGetLastError() != cudaSuccess)
            exit(3);
        cudaEventElapsedTime(&one, from, to);
        if (k)
            ms.push_back(one);
    }
    std::sort(ms.begin(), ms.end());
    printf("%-32s %9.4f\n", name, ms[ms.size() / 2]);
}

/* Times the sum over all pairs. */
static void time_pairs(struct side *d, size_t frames, int repeat)
{
    size_t terms = 0;
    for (size_t f = 0; f < d->cells.nfits; f++)
        terms = std::max(terms, (size_t)d->cells.fit[f]->nterms);
    timed("sites", repeat, d->stream,
          [&] { return alpha_gpu_place(&err, &d->b, frames, d->stream); });
    timed("T", repeat, d->stream,
          [&] { return alpha_gpu_table(&err, &d->b, frames, terms, 0, d->stream); });
    timed("begin", repeat, d->stream,
          [&] { return alpha_gpu_begin(&err, &d->b, 0, -1, 1e-10, frames, d->stream); });
    timed("field, high half", repeat, d->stream,
          [&] { return alpha_gpu_field(&err, &d->b, 0, -1, frames, d->stream); });
    timed("field, both halves", repeat, d->stream,
          [&] { return alpha_gpu_field(&err, &d->b, 1, -1, frames, d->stream); });
    timed("descend", 1, d->stream,
          [&] { return alpha_gpu_descend(&err, &d->b, frames, d->stream); });
}

/* Times a mesh. */
static void time_mesh(struct side *d, int repeat)
{
    struct alpha_step *s = d->step;
    const struct alpha_batch *b = &d->b;
    size_t i, j;
    int slots;
    CHECK(cudaMemcpy(&slots, s->m.slots, sizeof slots, cudaMemcpyDeviceToHost));
    printf("# mesh %d x %d x %d, order %d, %zu terms, reach %.2f A, at most %d neighbours\n",
           s->m.n[0], s->m.n[1], s->m.n[2], s->m.order, (size_t)s->m.split.terms, s->m.reach,
           slots);
    timed("neighbours", repeat, d->stream,
          [&] { return alpha_step_make(&err, s, b, &i, &j, d->stream); });
    timed("weights", repeat, d->stream, [&] { return alpha_mesh_weights(&err, &s->m, d->stream); });
    timed("begin", repeat, d->stream,
          [&] { return alpha_gpu_begin(&err, b, 1, -1, 1e-10, 1, d->stream); });
    timed("spread", repeat, d->stream,
          [&] { return alpha_mesh_spread(&err, b, &s->m, d->stream); });
    timed("transform", repeat, d->stream,
          [&] { return mesh_fft_forth(&err, &s->fft, &s->work, s->m.mesh, d->stream); });
    timed("filter", repeat, d->stream, [&] { return alpha_mesh_filter(&err, &s->m, d->stream); });
    timed("and back", repeat, d->stream,
          [&] { return mesh_fft_back(&err, &s->fft, &s->work, s->m.mesh, d->stream); });
    timed("gather, pairs", repeat, d->stream,
          [&] { return alpha_mesh_field(&err, b, &s->m, d->stream); });
    timed("field", repeat, d->stream, [&] { return alpha_step_field(&err, s, b, d->stream); });
    timed("descend", 1, d->stream, [&] { return alpha_gpu_descend(&err, b, 1, d->stream); });
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? (size_t)atol(argv[1]) : 256,
           frames = argc > 2 ? (size_t)atol(argv[2]) : 1024;
    int repeat = argc > 3 ? atoi(argv[3]) : 5, side = (int)ceil(cbrt((double)n));
    double edge = cbrt((double)n / 0.021), cell[9] = {edge, 0, 0, 0, edge, 0, 0, 0, edge};
    const int pbc[3] = {1, 1, 1};
    std::vector<double> pos(3 * n * frames), s(ALPHA_TENSOR * n * frames), out(18 * frames);
    std::vector<struct box> box(frames);
    for (size_t f = 0; f < frames; f++) {
        box_init(&box[f], cell, pbc);
        for (size_t i = 0; i < n; i++) {
            size_t at[3] = {i % (size_t)side, i / (size_t)side % (size_t)side,
                            i / (size_t)(side * side)};
            for (int c = 0; c < 3; c++)
                pos[3 * (f * n + i) + (size_t)c] = ((double)at[c] + 0.25 * uniform()) * edge / side;
            double *t = &s[ALPHA_TENSOR * (f * n + i)];
            t[0] = t[3] = t[5] = sqrt(1.64);
        }
    }
    struct alpha_params p = {};
    p.nsites = n;
    p.periodic = true;
    p.tolerance = 1e-10;
    p.threads = 1;
    struct alpha *a = alpha_open(&p, &err);
    CHECK(!a);
    frames = std::min(frames, a->batch);
    struct alpha_steps in = {frames, box.data(), pos.data(), s.data(), nullptr, 0};
    CHECK(alpha_add(a, &in, out.data(), &err));
    printf("# %zu sites, %zu frames a batch; Pi of the first %.12g %.12g %.12g; %s\n", n, frames,
           out[0], out[1], out[5], engine_name());
    struct side *d = &a->sides[0];
    d->step ? time_mesh(d, repeat) : time_pairs(d, frames, repeat);
    timed("form", repeat, d->stream,
          [&] { return alpha_gpu_form(&err, &d->b, d->b.b, d->b.x, 0, 0, 1, frames, d->stream); });
    timed("solution, T not included", repeat, d->stream, [&] { return all_orders(d, 0, frames); });
    struct alpha_state state;
    cudaMemcpy(&state, d->b.state, sizeof state, cudaMemcpyDeviceToHost);
    double best = 1e9;
    for (int r = 0; r < repeat; r++) {
        double from = now();
        CHECK(alpha_add(a, &in, out.data(), &err));
        best = std::min(best, now() - from);
    }
    printf("%-32s %9.4f\n", "all, wall", 1e3 * best);
    printf("# first frame: %d steps in %d rounds; 20000 frames at this pace: %.1f ms\n",
           state.steps, state.rounds, 1e3 * best * 20000.0 / (double)frames);
    alpha_close(a);
    return 0;
}
