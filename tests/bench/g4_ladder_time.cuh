/* SPDX-License-Identifier: MIT */
/* Device times of the engine's kernels: positions lie on the device, no copies counted. Included by g4_ladder.cu only. */

static double median(std::vector<float> v)
{
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

/* All chunks of an N x T run, one after the other on one stream, with the first chunk's data in each. */
static int time_factored(size_t n, size_t steps, size_t lags)
{
    struct gpu_err e = {};
    size_t have = steps < 4096 ? steps : 4096;
    struct sample s = make_sample(n, have, 0);
    struct g4_params p = params(s, lags, FRAME_F32);
    struct g4_plan q;
    struct g4_slot slot = {};
    int list[GPU_MAX_DEVICES];
    if (gpu_probe(NULL, list, e.text, sizeof e.text) < 0 || plan_make(&e, &p, &q) || slot_open(&e, &slot, 0, &p, &q)) {
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
    for (int rep = 0; rep < 6; rep++) {
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
    double fma = 0.5 * (double)n * (double)(n - 1) * (double)steps * (double)lags, t = median(ms);
    printf("factored N %zu T %zu lags %zu (chunks of %zu): %.3f ms device, %.2f T products/s\n", n, steps, lags, q.span, t,
           fma / t * 1e-9);
    slot_close(&slot);
    return 0;
}
