/* SPDX-License-Identifier: MIT */
/*
 * g4_yardstick: a reference for g4-cpu and tools for bench-g4.sh.
 *
 *   g4_yardstick time PAIRS STEPS LAGS THREADS   seconds of the lag products alone: a
 *     register-blocked SIMD loop over
 *                                                beta that lies in memory in double, in the order
 *                                                  in which it is read
 *   g4_yardstick make IN OUT STEPS               IN's steps over and over, each round moved as a
 *     whole by a little, so
 *                                                that no two steps are equal, until there are STEPS
 *   g4_yardstick rss COMMAND...                  its peak memory, KiB
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/pool.h"
#include "stream/traj.h"

#define ROUND 2000 /* number of steps of beta in memory, which a longer job uses again */
#define TIMES 4

/* Computes acc[l] += x[t] x[t + l] for one group of lanes and LB lags, TIMES times at once and all
 * in registers.
 */
#define GROUP(NAME, TARGET, VEC, LB, LOAD, FMA, STORE, LANES)                                      \
    __attribute__((target(TARGET), noinline)) static void NAME(const double *x, size_t n,          \
                                                               size_t lags, double *acc)           \
    {                                                                                              \
        for (size_t l0 = 0; l0 + LB <= lags; l0 += LB) {                                           \
            VEC a[LB];                                                                             \
            _Pragma("GCC unroll 16") for (int l = 0; l < LB; l++) a[l] =                           \
                LOAD(acc + (l0 + (size_t)l) * LANES);                                              \
            for (size_t t = 0; t + TIMES <= n; t += TIMES) {                                       \
                VEC v[TIMES];                                                                      \
                const double *y = x + (t + l0) * LANES;                                            \
                _Pragma("GCC unroll 4") for (int d = 0; d < TIMES; d++) v[d] =                     \
                    LOAD(x + (t + (size_t)d) * LANES);                                             \
                _Pragma("GCC unroll 16") for (int m = 0; m < LB + TIMES - 1; m++)                  \
                {                                                                                  \
                    VEC w = LOAD(y + m * LANES);                                                   \
                    _Pragma("GCC unroll 4") for (int d = 0; d < TIMES;                             \
                                                 d++) if (m - d >= 0 && m - d < LB) a[m - d] =     \
                        FMA(v[d], w, a[m - d]);                                                    \
                }                                                                                  \
            }                                                                                      \
            _Pragma("GCC unroll 16") for (int l = 0; l < LB; l++)                                  \
                STORE(acc + (l0 + (size_t)l) * LANES, a[l]);                                       \
        }                                                                                          \
    }

#include <immintrin.h>
#define PLAIN_FMA(a, b, c) _mm_add_pd(_mm_mul_pd(a, b), c)
GROUP(group_v4, "avx512f", __m512d, 12, _mm512_loadu_pd, _mm512_fmadd_pd, _mm512_storeu_pd, 8)
GROUP(group_v3, "avx2,fma", __m256d, 8, _mm256_loadu_pd, _mm256_fmadd_pd, _mm256_storeu_pd, 4)
GROUP(group_v2, "sse4.2", __m128d, 6, _mm_loadu_pd, PLAIN_FMA, _mm_storeu_pd, 2)

/* The lag products of some groups of pairs. */
struct lags {
    size_t level, lanes, round, lags, span;
    double *beta, *acc; /* [groups][span][lanes], [groups][lags][lanes] */
};

static void fill(void *ctx, size_t from, size_t to, int thread)
{
    const struct lags *l = ctx;
    size_t n = l->span * l->lanes;
    (void)thread;
    for (size_t i = from; i < to; i++)
        for (size_t k = 0; k < n; k++)
            l->beta[i * n + k] = 1e-3 * (double)((k * 37 + i) % 101) - 0.05;
}

static void multiply(void *ctx, size_t from, size_t to, int thread)
{
    const struct lags *l = ctx;
    (void)thread;
    for (size_t i = from; i < to; i++)
        (l->level == 4   ? group_v4
         : l->level == 3 ? group_v3
                         : group_v2)(l->beta + i * l->span * l->lanes, l->round, l->lags,
                                     l->acc + i * l->lags * l->lanes);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int time_lags(size_t pairs, size_t steps, size_t lags, int threads)
{
    size_t level = __builtin_cpu_supports("avx512f") ? 4
                   : __builtin_cpu_supports("avx2")  ? 3
                                                     : 2,
           lanes = (size_t)1 << (level - 1), groups = (pairs + lanes - 1) / lanes, total = 0,
           round = steps < ROUND ? steps : ROUND, span = round + lags - 1;
    double *beta = malloc(groups * span * lanes * sizeof *beta),
           *acc = calloc(groups * lags, lanes * sizeof *acc), sum = 0;
    struct lags l = {level, lanes, round, lags, span, beta, acc};
    struct pool *pool = pool_new(threads);
    if (!beta || !acc || lags % 12 != 0 || round % TIMES != 0) {
        fprintf(stderr, "g4_yardstick: out of memory, or lags no multiple of 12\n");
        return 3;
    }
    pool_pieces(pool, fill, &l, groups, groups / (size_t)pool_threads(pool) + 1);
    double t0 = seconds();
    for (size_t done = 0; done < steps; done += round, total += round)
        pool_pieces(pool, multiply, &l, groups, 16);
    double t = (seconds() - t0) * (double)steps / (double)total;
    for (size_t k = 0; k < groups * lags * lanes; k++)
        sum += acc[k];
    printf("%.4f s  %.2f G multiply-adds/s  (check %g)\n", t,
           1e-9 * (double)(groups * lanes * lags) * (double)steps / t, sum);
    free(beta);
    free(acc);
    pool_free(pool);
    return 0;
}

/* Writes one round of the input, moved by `shift` Å. Returns the number of steps written so far. */
static uint64_t one_round(const char *in, struct frame_writer *w, struct traj_writer **out,
                          uint64_t at, uint64_t steps)
{
    struct traj_block b;
    struct frame_reader *r = frame_open(in, NULL);
    struct traj_reader *t = traj_open(r, FRAME_POSN, NULL);
    const struct traj_info *i = t ? traj_info(t) : NULL;
    float shift = 1e-3f * (float)(at % 9973);
    if (!t || i->dtype != FRAME_F32)
        return 0;
    if (!*out && frame_put_meta(w, frame_meta(r)) == 0)
        *out = traj_writer_new(w, i->natoms, FRAME_F32, i->dt_ps, &i->box);
    while (*out && at < steps && traj_next(t, &b, NULL) > 0)
        for (size_t s = 0; s < b.nsteps && at < steps; s++, at++) {
            float *x = (float *)(uintptr_t)b.data + s * i->natoms * 3;
            for (size_t k = 0; k < 3 * i->natoms; k++)
                x[k] += shift;
            if (traj_put(*out, at, (double)at * i->dt_ps, &b.box[s], x, NULL))
                return 0;
        }
    traj_close(t);
    frame_close_reader(r);
    return at;
}

static int make_input(const char *in, const char *to, uint64_t steps)
{
    struct traj_writer *out = NULL;
    struct frame_writer_opts o = {.tool = "g4_yardstick"};
    struct frame_writer *w = frame_create(to, &o, NULL);
    uint64_t at = 0, before = 1;
    while (w && at < steps && before) {
        before = one_round(in, w, &out, at, steps);
        at = before;
    }
    if (!w || !out || at < steps || traj_flush(out) || frame_end(w, FRAME_COMPLETE, NULL, NULL) ||
        frame_close_writer(w, NULL)) {
        fprintf(stderr, "g4_yardstick: cannot make %s from %s\n", to, in);
        return 3;
    }
    traj_writer_free(out);
    return 0;
}

/* Prints the peak memory of a command in KiB. */
static int peak(char **argv)
{
    int status;
    struct rusage u;
    pid_t pid = fork();
    if (pid == 0) {
        execvp(argv[0], argv);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &u) != pid || status != 0)
        return 3;
    printf("%ld\n", u.ru_maxrss);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 6 && strcmp(argv[1], "time") == 0)
        return time_lags(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10),
                         strtoul(argv[4], NULL, 10), atoi(argv[5]));
    if (argc == 5 && strcmp(argv[1], "make") == 0)
        return make_input(argv[2], argv[3], strtoull(argv[4], NULL, 10));
    if (argc > 2 && strcmp(argv[1], "rss") == 0)
        return peak(argv + 2);
    fprintf(
        stderr,
        "usage: g4_yardstick rss COMMAND... | time PAIRS STEPS LAGS THREADS | make IN OUT STEPS\n");
    return 2;
}
