/* SPDX-License-Identifier: MIT */
/* Device times of the engine's kernels: positions lie on the device, no copies counted. Included by g4_ladder.cu only. */

static double median(std::vector<float> v)
{
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

/* All chunks of an N x T run, one after the other on one stream, with the first chunk's data in each. how: "", "f32", "small". */
static int time_factored(size_t n, size_t steps, size_t lags, const char *how)
{
    struct gpu_err e = {};
    size_t have = steps < 4096 ? steps : 4096;
    struct sample s = make_sample(n, have, 0);
    struct g4_params p = params(s, lags, FRAME_F32);
    p.accumulate_f32 = !strcmp(how, "f32");
    struct g4_plan q;
    struct g4_slot slot = {};
    int list[GPU_MAX_DEVICES];
    if (gpu_probe(NULL, list, e.text, sizeof e.text) < 0 || plan_make(&e, &p, !strcmp(how, "small"), &q) ||
        slot_open(&e, &slot, 0, &p, &q)) {
        printf("%s\n", e.text);
        return 3;
    }
    for (size_t t = 0; t < q.window; t++)
        memcpy((char *)slot.h_raw + t * q.step_bytes, &s.x[3 * n * (t % have)], q.step_bytes);
    for (size_t t = 0; t < q.ld; t++)
        ((struct box *)slot.h_box)[t] = s.box;
    std::vector<float> ms;
    cudaEvent_t a, b;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    double products = 0.5 * (double)n * (double)(n - 1) * (double)steps * (double)lags;
    for (int rep = 0; rep < (products > 1e13 ? 2 : 6); rep++) {
        float total = 0;
        for (size_t first = 0; first < steps; first += q.span) {
            size_t norigins = steps - first < q.span ? steps - first : q.span;
            struct g4_task *task = (struct g4_task *)slot.h_tasks;
            slot.cols = (int)(steps - first < q.window ? steps - first : q.window);
            slot.ntasks = 0;
            for (size_t t = 0; t < norigins; t += q.piece, slot.ntasks++)
                task[slot.ntasks] = {(int)t, (int)(t + q.piece < norigins ? t + q.piece : norigins)};
            float one;
            if (slot_start(&e, &slot, &p, &q) || slot_wait(&e, &slot)) /* the data is there now */
                break;
            cudaEventRecord(a, slot.stream);
            slot_kernels(&e, &slot, &p, &q);
            cudaEventRecord(b, slot.stream);
            cudaEventSynchronize(b);
            cudaEventElapsedTime(&one, a, b);
            total += one;
        }
        if (rep)
            ms.push_back(total);
    }
    if (e.status) {
        printf("%s\n", e.text);
        return 3;
    }
    double t = median(ms);
    printf("factored %sN %zu T %zu lags %zu (chunks of %zu): %.3f ms device, %.2f T products/s\n", *how ? *how == 'f' ? "f32 " : "small " : "", n, steps,
           lags, q.span, t, products / t * 1e-9);
    slot_close(&slot);
    return 0;
}

/* One N x T run of method direct against the published scheme, both on the device, the same G4 asked of both. */
static int time_direct(size_t n, size_t steps, size_t lags)
{
    struct gpu_err e = {};
    struct sample s = make_sample(n, steps, 0);
    struct g4_params p = params(s, lags, FRAME_F32);
    p.method = G4_DIRECT;
    struct g4_plan q;
    struct g4_slot slot = {};
    int list[GPU_MAX_DEVICES];
    if (gpu_probe(NULL, list, e.text, sizeof e.text) < 0 || plan_make(&e, &p, 0, &q) || slot_open(&e, &slot, 0, &p, &q) ||
        steps > q.span) {
        printf("%s\n", e.text);
        return 3;
    }
    memcpy(slot.h_raw, s.x.data(), steps * q.step_bytes);
    for (size_t t = 0; t < q.ld; t++)
        ((struct box *)slot.h_box)[t] = s.box;
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
        cudaEventRecord(a, slot.stream);
        slot_kernels(&e, &slot, &p, &q);
        cudaEventRecord(b, slot.stream);
        cudaEventSynchronize(b);
        cudaEventElapsedTime(&one, a, b);
        ms.push_back(one);
    }
    if (e.status) {
        printf("%s\n", e.text);
        return 3;
    }
    double tuned = ((const double *)slot.h_out)[2 * lags + 1 % lags], per = median(ms) / (double)lags;
    size_t P = n * (n - 1) / 2;
    vec row(P);
    std::vector<float> beta(P * steps);
    for (size_t t = 0; t < steps; t++) {
        betas(p, s, t, 0, row.data());
        for (size_t k = 0; k < P; k++)
            beta[k * steps + t] = (float)row[k];
    }
    float naive_ms = 0;
    double naive = naive_g4(beta, (int)P, (int)n, (int)steps, 1 % (int)lags, &naive_ms);
    printf("direct   N %zu T %zu: tuned %.3f ms a lag (%.2f T products/s), published scheme %.1f ms a lag, ratio %.0f; "
           "G4 %.9g and %.9g\n", n, steps, per, (double)P * (double)P * (double)steps / per * 1e-9, naive_ms, naive_ms / per,
           tuned, naive);
    slot_close(&slot);
    return fabs(naive / tuned - 1) < 0.05 ? 0 : 1; /* the scheme adds in single precision: a few per cent of cancelled sums */
}

/* All lags by fft, positions on the device, plans made. */
static int time_fft(size_t n, size_t steps)
{
    struct gpu_err e = {};
    size_t have = steps < 2048 ? steps : 2048;
    struct sample s = make_sample(n, have, 0);
    struct g4_params p = params(s, steps, FRAME_F32);
    p.method = G4_FFT;
    std::vector<float> x(3 * n * steps);
    std::vector<struct box> box(steps, s.box);
    for (size_t t = 0; t < steps; t++)
        memcpy(&x[3 * n * t], &s.x[3 * n * (t % have)], 12 * n);
    std::vector<float> ms;
    int list[GPU_MAX_DEVICES], rc = gpu_probe(NULL, list, e.text, sizeof e.text) < 0;
    for (int rep = 0; rep < 4 && !rc; rep++) {
        struct g4_blocks b;
        double one = 0;
        g4_blocks_init(&b, 1, steps * G4_NFUNCTIONS);
        rc = g4_blocks_reach(&b, steps) || fft_finish(&e, &p, list, 1, x.data(), box.data(), steps, steps, &b, &one);
        g4_blocks_free(&b);
        ms.push_back((float)one);
    }
    if (rc) {
        printf("%s\n", e.text);
        return 3;
    }
    printf("fft      N %zu T %zu all lags: %.2f ms from positions on the device to sums on the host\n", n, steps, median(ms));
    return 0;
}
