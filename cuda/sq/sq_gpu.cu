/* SPDX-License-Identifier: MIT */
/* sq_gpu.cu: the CUDA engine of sq_engine.h: waves_sum.h on a device. */
#include "base/gpu.h"
#include "sq/sq_engine.h"
#include "waves/waves_sum.h"

/* The engine is the sum itself. */
static struct waves_sum *sum_of(struct sq_engine *s)
{
    return (struct waves_sum *)s;
}

extern "C" const char *sq_engine_name(void)
{
    return gpu_name(0);
}

extern "C" int sq_probe(const char *devices, struct err *e)
{
    return gpu_probe(devices, NULL, e) < 0 ? -1 : 0;
}

extern "C" struct sq_engine *sq_open(const struct sq_setup *p, struct err *e)
{
    struct waves_setup w = {};
    w.dtype = p->dtype;
    w.natoms = p->natoms;
    w.species = p->species;
    w.nspecies = p->nspecies;
    w.threads = p->threads;
    w.max_mem = p->max_mem;
    w.devices = p->devices;
    return (struct sq_engine *)waves_sum_open(&w, e);
}

extern "C" int sq_waves(struct sq_engine *s, const struct waves *w)
{
    return waves_sum_waves(sum_of(s), w);
}

extern "C" int sq_sum(struct sq_engine *s, size_t nsteps, const void *pos, const struct box *box,
                      double *rho)
{
    return waves_sum_steps(sum_of(s), nsteps, pos, NULL, box, rho);
}

extern "C" const struct err *sq_error(const struct sq_engine *s)
{
    return waves_sum_error((const struct waves_sum *)s);
}

extern "C" void sq_close(struct sq_engine *s)
{
    waves_sum_close(sum_of(s));
}
