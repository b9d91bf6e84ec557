/* SPDX-License-Identifier: MIT */
/*
 * Device times of the engine's kernels: positions lie on the device, no copies counted. Included by
 * g4_ladder.cu only.
 */

static double median(std::vector<float> v)
{
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

/* Loads a chunk of the sample into the device memory of a slot. */
static int load_slot(struct err *e, struct g4_slot *slot, int device, const struct sample &s,
                     const struct g4_params &p, const struct g4_plan &q)
{
    if (slot_open(e, slot, device, &p, &q))
        return -1;
    std::vector<float> x(q.step_values);
    for (size_t t = 0; t < q.window; t++) {
        float far = (float)sqrt((double)t);
        memcpy(x.data(), &s.x[3 * s.n * (t % s.steps)], q.step_bytes);
        for (size_t k = 0; k < s.walk.size(); k++)
            x[k] += far * s.walk[k];
        if (slot_put(e, slot, &q, NULL, 1, x.data(), &s.box))
            return -1;
    }
    slot->cols = (int)q.window;
    slot->ntasks = 1;
    *(struct g4_task *)slot->h_tasks = {0, (int)q.span};
    return slot_start(e, slot, &p, &q) || slot_wait(e, slot) ? -1 : 0;
}

/* One run of all chunks as the engine starts them, in turn on two streams of each device; every
 * chunk is the first one's data, which is there already. task: [chunks][q.max_tasks]. ms. */
static float run_chunks(struct err *e, std::vector<struct g4_slot> &slot, const struct g4_params &p,
                        const struct g4_plan &q, size_t steps, struct g4_task *task)
{
    size_t nchunks = (steps + q.span - 1) / q.span;
    float total = 0;
    std::vector<cudaEvent_t> end(slot.size());
    cudaEvent_t begin, last;
    cudaSetDevice(slot[0].device);
    cudaEventCreate(&begin);
    cudaEventCreate(&last);
    cudaEventRecord(begin, slot[0].on.stream);
    for (size_t k = 0; k < slot.size(); k++) {
        cudaSetDevice(slot[k].device);
        cudaEventCreate(&end[k]);
        cudaStreamWaitEvent(slot[k].on.stream, begin, 0);
    }
    for (size_t c = 0; c < nchunks && !e->status; c++) {
        struct g4_slot *at = &slot[c % slot.size()];
        cudaSetDevice(at->device);
        struct g4_task *to = task + c * q.max_tasks;
        size_t left = steps - c * q.span, norigins = left < q.span ? left : q.span;
        at->cols = (int)(left < q.window ? left : q.window);
        at->ntasks = 0;
        for (size_t t = 0, k; t < norigins; t += k, at->ntasks++) {
            k = plan_piece(&q, norigins, norigins - t);
            to[at->ntasks] = {(int)t, (int)(t + k)};
        }
        cudaMemcpyAsync(at->d_tasks, to, (size_t)at->ntasks * sizeof *to, cudaMemcpyHostToDevice,
                        at->on.stream);
        slot_kernels(e, at, &p, &q);
    }
    for (size_t k = 0; k < slot.size(); k++) {
        cudaSetDevice(slot[k].device);
        cudaEventRecord(end[k], slot[k].on.stream);
        cudaStreamWaitEvent(slot[0].on.stream, end[k], 0);
    }
    cudaSetDevice(slot[0].device);
    cudaEventRecord(last, slot[0].on.stream);
    cudaEventSynchronize(last);
    cudaEventElapsedTime(&total, begin, last);
    cudaEventDestroy(begin);
    cudaEventDestroy(last);
    for (cudaEvent_t v : end)
        cudaEventDestroy(v);
    return total;
}

/* Returns the median device time of an N x T run in ms, or reports a failure and returns < 0. */
static double time_run(const struct sample &s, const struct g4_params &p, size_t steps, int small,
                       size_t *span)
{
    struct err e = {};
    struct g4_plan q;
    struct g4_task *task = NULL;
    int list[GPU_MAX_DEVICES], devices = gpu_probe(p.devices, list, &e);
    std::vector<struct g4_slot> slot(devices < 0 ? 0 : 2 * (size_t)devices);
    bool good = devices >= 0 && !plan_make(&e, &p, small, &s.box, &q);
    for (size_t k = 0; k < slot.size() && good; k++)
        good = !load_slot(&e, &slot[k], list[k % (size_t)devices], s, p, q);
    if (!good) {
        printf("%s\n", e.text);
        return -1;
    }
    *span = q.span;
    cudaMallocHost(&task, (steps + q.span - 1) / q.span * q.max_tasks * sizeof *task);
    std::vector<float> ms;
    double products = 0.5 * (double)s.n * (double)(s.n - 1) * (double)steps * (double)p.lags;
    for (int rep = 0; rep < (products > 1e13 ? 2 : 12) && !e.status; rep++) {
        float total = run_chunks(&e, slot, p, q, steps, task);
        if (rep)
            ms.push_back(total);
    }
    cudaError_t rc = cudaDeviceSynchronize();
    if (e.status || rc != cudaSuccess) {
        printf("%s\n", e.status ? e.text : cudaGetErrorString(rc));
        return -1;
    }
    cudaFreeHost(task);
    for (struct g4_slot &k : slot)
        slot_close(&k);
    return median(ms);
}

/* how: "", "f32", "small", "all" devices. */
static int time_factored(size_t n, size_t steps, size_t lags, const char *how)
{
    struct sample s = make_sample(n, steps < 4096 ? steps : 4096, CUBE);
    struct g4_params p = params(s, lags, FRAME_F32);
    size_t span = 0;
    char text[8];
    p.accumulate_f32 = !strcmp(how, "f32");
    p.devices = strcmp(how, "all") ? NULL : how;
    double t = time_run(s, p, steps, !strcmp(how, "small"), &span),
           products = 0.5 * (double)n * (double)(n - 1) * (double)steps * (double)lags;
    if (t < 0)
        return 3;
    printf("factored %sN %zu T %zu lags %zu (chunks of %zu): %.3f ms device, %.2f T products/s\n",
           *how ? strcat(strcpy(text, how), " ") : "", n, steps, lags, span, t,
           products / t * 1e-9);
    return 0;
}

/* Compares the times of mic, taper and ewald, and of one and five components, in one run. */
static int time_sums(size_t n, size_t steps, size_t lags)
{
    struct sample s = make_sample(n, steps < 4096 ? steps : 4096, CUBE);
    struct g4_params p = params(s, lags, FRAME_F32);
    double ms[SUM_KINDS][2];
    size_t span;
    for (int c = 0; c < 5; c++)
        p.component[c] = c, p.coef[c] = beta_coef(c, 3.4, 3.0);
    for (int kind = 0; kind < SUM_KINDS; kind++)
        for (int five = 0; five < 2; five++) {
            p.sum.kind = (enum sum_kind)kind;
            p.ncomp = five ? 5 : 1;
            if ((ms[kind][five] = time_run(s, p, steps, 0, &span)) < 0)
                return 3;
        }
    for (int kind = 0; kind < SUM_KINDS; kind++)
        printf("sum %-5s N %zu T %zu lags %zu: %.3f ms device, %.2f of mic; five components %.3f "
               "ms, %.2f of one\n",
               sum_rows[kind].name, n, steps, lags, ms[kind][0], ms[kind][0] / ms[SUM_MIC][0],
               ms[kind][1], ms[kind][1] / ms[kind][0]);
    return 0;
}

/*
 * A taper from 9 to 12 Å at the density of a liquid, and where it can be of use by all pairs; ms a
 * frame. Atoms go
 * as far apart in a window as those of argon at 90 K in frames of 10 fs (2.4 cm²/s 1e-5). mesh: the
 * same with all images, A_i from a mesh.
 */
static int time_lists(size_t n, size_t steps, size_t lags, const char *devices, int mesh)
{
    struct sample s = make_sample(n, 1, CUBE); /* in later steps, all atoms jump together */
    struct g4_params p = params(s, lags, FRAME_F32);
    struct lists_plan l;
    size_t span = 0;
    s.walk.resize(3 * n);
    for (float &w : s.walk) /* steps of variance 2 D dt, from four uniform numbers */
        w = (float)(sqrt(3.0 * 2 * 0.24 * 0.01) * ((double)rand() + rand() - rand() - rand()) /
                    (double)RAND_MAX);
    p.sum.kind = SUM_TAPER;
    p.sum.r1 = 9.0, p.sum.r2 = 12.0;
    if (mesh)
        with_mesh(&p, 1e-6);
    p.devices = devices;
    lists_plan(&p, &s.box, &l);
    for (int how = n < 20000 && !mesh ? -1 : 2; how <= 2; how += 3) {
        g4_gpu_lists = how;
        double t = time_run(s, p, steps, 0, &span);
        if (t < 0)
            return 3;
        printf("%s N %zu T %zu lags %zu (windows of %zu origins)%s: %.3f ms device a frame\n",
               how < 0 ? "all pairs"
               : mesh  ? "mesh     "
                       : "lists    ",
               n, steps, lags, span, how < 0 == !l.groups ? ", chosen" : "", t / (double)steps);
    }
    g4_gpu_lists = 0;
    return 0;
}

/* * Compares one N x T run of the method direct with the published scheme for the same G4, both on
 * the device. */
static int time_direct(size_t n, size_t steps, size_t lags)
{
    struct err e = {};
    struct sample s = make_sample(n, steps, CUBE);
    struct g4_params p = params(s, lags, FRAME_F32);
    p.method = G4_DIRECT;
    struct g4_plan q;
    struct g4_slot slot = {};
    int list[GPU_MAX_DEVICES];
    if (gpu_probe(NULL, list, &e) < 0 || plan_make(&e, &p, 0, NULL, &q) ||
        slot_open(&e, &slot, 0, &p, &q) || steps > q.span) {
        printf("%s\n", e.text);
        return 3;
    }
    if (slot_put(&e, &slot, &q, NULL, steps, s.x.data(), s.boxes.data())) {
        printf("%s\n", e.text);
        return 3;
    }
    ((struct g4_task *)slot.h_tasks)[0] = {0, (int)steps};
    slot.ntasks = 1;
    slot.cols = (int)steps;
    std::vector<float> ms;
    cudaEvent_t a, b;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    for (int rep = 0; rep < 4; rep++) {
        float one = 0;
        if (slot_start(&e, &slot, &p, &q) || slot_wait(&e, &slot))
            break;
        cudaEventRecord(a, slot.on.stream);
        slot_kernels(&e, &slot, &p, &q);
        cudaEventRecord(b, slot.on.stream);
        cudaEventSynchronize(b);
        cudaEventElapsedTime(&one, a, b);
        ms.push_back(one);
    }
    if (e.status) {
        printf("%s\n", e.text);
        return 3;
    }
    double tuned = ((const double *)slot.h_out)[2 * lags + 1 % lags],
           per = median(ms) / (double)lags;
    size_t P = n * (n - 1) / 2;
    vec table = betas(p, s, 0);
    std::vector<float> beta(P * steps);
    for (size_t t = 0; t < steps; t++)
        for (size_t k = 0; k < P; k++)
            beta[k * steps + t] = (float)table[P * t + k];
    float naive_ms = 0;
    double naive = naive_g4(beta, (int)P, (int)n, (int)steps, 1 % (int)lags, &naive_ms);
    printf("direct   N %zu T %zu: tuned %.3f ms a lag (%.2f T products/s), published scheme %.1f "
           "ms a lag, ratio %.0f; "
           "G4 %.9g and %.9g\n",
           n, steps, per, (double)P * (double)P * (double)steps / per * 1e-9, naive_ms,
           naive_ms / per, tuned, naive);
    slot_close(&slot);
    return fabs(naive / tuned - 1) < 0.05
               ? 0
               : 1; /* the scheme adds in single precision: a few per cent of cancelled sums */
}

/* Times all lags by fft in the given number of blocks, with positions on the device. */
static int time_fft(size_t n, size_t steps, size_t nblocks)
{
    struct err e = {};
    size_t have = steps < 2048 ? steps : 2048;
    struct sample s = make_sample(n, have, CUBE);
    struct g4_params p = params(s, steps, FRAME_F32);
    p.method = G4_FFT;
    p.blocks = nblocks;
    std::vector<float> x(3 * n * steps);
    std::vector<struct box> box(steps, s.box);
    for (size_t t = 0; t < steps; t++)
        memcpy(&x[3 * n * t], &s.x[3 * n * (t % have)], 12 * n);
    std::vector<float> ms;
    int list[GPU_MAX_DEVICES], rc = gpu_probe(NULL, list, &e) < 0;
    for (int rep = 0; rep < 4 && !rc; rep++) {
        struct stats_blocks b;
        double one = 0;
        stats_blocks_init(&b, stats_blocks_max(nblocks), steps * G4_NFUNCTIONS, 0);
        rc = stats_blocks_reach(&b, steps) ||
             fft_finish(&e, &p, list, 1, x.data(), box.data(), steps, steps, &b, &one);
        stats_blocks_free(&b);
        ms.push_back((float)one);
    }
    if (rc) {
        printf("%s\n", e.text);
        return 3;
    }
    printf(
        "fft      N %zu T %zu all lags, %zu block%s: %.2f ms from positions on the device to sums "
        "on the host\n",
        n, steps, nblocks, nblocks > 1 ? "s" : "", median(ms));
    return 0;
}
