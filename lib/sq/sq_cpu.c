/* SPDX-License-Identifier: MIT */
/* sq_cpu.c: the CPU engine of sq_engine.h, which is waves_sum.h. */
#include <stdio.h>

#include "base/simd.h"
#include "sq/sq_engine.h"
#include "waves/waves_sum.h"

/* Converts the engine, which is a waves_sum. */
static struct waves_sum *sum_of(struct sq_engine *s)
{
    return (struct waves_sum *)s;
}

const char *sq_engine_name(void)
{
    static char text[64];
    snprintf(text, sizeof text, "CPU, %s", simd_name());
    return text;
}

int sq_probe(const char *devices, struct err *e)
{
    (void)devices;
    (void)e;
    return 0;
}

struct sq_engine *sq_open(const struct sq_setup *p, struct err *e)
{
    return (struct sq_engine *)waves_sum_open(&(struct waves_setup){.dtype = p->dtype,
                                                                    .natoms = p->natoms,
                                                                    .species = p->species,
                                                                    .nspecies = p->nspecies,
                                                                    .threads = p->threads,
                                                                    .max_mem = p->max_mem},
                                              e);
}

int sq_waves(struct sq_engine *s, const struct waves *w)
{
    return waves_sum_waves(sum_of(s), w);
}

int sq_sum(struct sq_engine *s, size_t nsteps, const void *pos, const struct box *box, double *rho)
{
    return waves_sum_steps(sum_of(s), nsteps, pos, NULL, box, rho);
}

const struct err *sq_error(const struct sq_engine *s)
{
    return waves_sum_error((const struct waves_sum *)s);
}

void sq_close(struct sq_engine *s)
{
    waves_sum_close(sum_of(s));
}
