/* SPDX-License-Identifier: MIT */
#include "md/md_job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "io/decimal.h"
#include "io/fdio.h"
#include "md/md_data.h"
#include "md/md_formulas.h"
#include "stats/drift.h"

/* Number of samples of the temperature without --thermo, so few that they cost no time. */
#define LOOKS 128
#define LOOK_EVERY 200
#define NOTES 3 /* largest number of notes per size */

static int sample(void *ctx, const struct md_sample *s);

/* Returns whether --thermo lines hold means of the pressure tensor over the steps between them. */
static bool averages(const struct md_job *j)
{
    return j->thermo && j->stress && j->stress_every != MD_UNSET;
}

static struct md_samples samples(struct md_part *a)
{
    const struct md_job *j = a->job;
    unsigned totals = j->thermo && j->stress ? MD_WANT_THERMO | MD_WANT_STRESS : MD_WANT_THERMO;
    uint64_t look = j->steps / LOOKS > LOOK_EVERY ? j->steps / LOOKS : LOOK_EVERY;
    unsigned frame = (a->params.precision == MD_DOUBLE ? MD_WANT_F64 : MD_WANT_F32) |
                     (j->velocities ? MD_WANT_VELOCITIES : 0);
    return (struct md_samples){.want = totals | frame,
                               .every = j->every,
                               .thermo_every = !j->thermo    ? look
                                               : averages(j) ? j->stress_every
                                                             : j->thermo_every,
                               .done = j->left.done,
                               .whole = j->steps,
                               .sink = sample,
                               .ctx = a};
}

/* Returns the bytes of the earlier parts on the device of part k. */
static size_t held(struct md_job *j, size_t k)
{
    size_t sum = 0;
    for (size_t i = 0; i < j->nparts; i++) {
        struct md_samples s = samples(&j->part[i]);
        if (i % j->ndevices == k % j->ndevices)
            sum += md_bytes(j->part[i].md, &s, j->steps);
    }
    return sum;
}

size_t md_job_bytes(struct md_job *j)
{
    size_t sum = 0;
    for (size_t k = 0; k < j->ndevices; k++)
        sum += held(j, k);
    return sum;
}

/* ---- start */

int md_parse_atoms(const char *text, void *dst, struct err *e)
{
    static const uint64_t max = 4000000000;
    struct md_job *j = dst;
    size_t n = 0;
    for (const char *end = text - 1; n == 0 || *end;) {
        char one[32];
        text = end + 1;
        end = text + strcspn(text, ",");
        snprintf(one, sizeof one, "%.*s", (int)(end - text < 31 ? end - text : 31), text);
        if (n == MD_SIZES_MAX)
            return err_bad(e, "expected at most %d sizes, found more", MD_SIZES_MAX);
        uint64_t *size = &j->sizes[n++];
        if (decimal_get_u64(one, strlen(one), max, size) != 0 || *size < 1)
            return err_bad(e, "expected a whole number from 1 to %llu, found '%s'",
                           (unsigned long long)max, one);
        for (size_t k = 0; k + 1 < n; k++)
            if (j->sizes[k] == *size)
                return err_bad(e,
                               "expected each size once, found %s twice (--replicas runs several "
                               "systems of one size)",
                               one);
    }
    j->setup->atoms = j->sizes[0];
    j->nsizes = n > 1 ? n : 0;
    return 0;
}

/* Allocates parts and systems. Returns 0, or -1 and sets e. */
static int capacity(struct md_job *j, size_t parts, size_t systems, struct err *e)
{
    j->part = calloc(parts, sizeof *j->part);
    j->out = calloc(systems, sizeof *j->out);
    j->systems = systems;
    return j->part && j->out ? 0 : err_set(e, ERR_MEMORY, "out of memory");
}

/* Returns the number of threads that run parts. A thread of a device only waits for the device. */
static size_t at_once(const struct md_job *j, size_t parts)
{
    size_t threads = j->params.threads > 1 ? (size_t)j->params.threads : 1;
    return md_replicas_max() > 1 || parts < threads ? parts : threads;
}

/* Adds the next of `parts` parts, with n systems that are like s and p. Their state is in b from
 * system `from` on. Returns 0, or -1 and sets e. */
static int add(struct md_job *j, size_t parts, const struct md_setup *s, const struct md_params *p,
               const struct md_start_state *b, size_t from, size_t n, struct err *e)
{
    struct md_part *a = &j->part[j->nparts];
    size_t threads = (size_t)j->params.threads / at_once(j, parts), at = 3 * p->natoms * from;
    a->job = j;
    a->setup = *s;
    a->params = *p;
    a->params.replicas = n;
    a->params.turn = j->nparts;
    a->params.beside = (parts - 1) / j->ndevices + 1;
    a->params.threads = threads ? (int)threads : 1;
    size_t before_it = held(j, j->nparts);
    if (p->max_mem)
        a->params.max_mem = p->max_mem > before_it ? p->max_mem - before_it : 1;
    a->first = j->nparts ? a[-1].first + a[-1].params.replicas : 0;
    a->md = md_open(&a->params, b->r + at, b->v + at, b->step, e);
    if (a->md == NULL)
        return -1;
    for (size_t k = 0; k < n; k++) {
        j->out[a->first + k].part = a;
        stats_blocks_init_levels(&j->out[a->first + k].energy, 1, 2, 0);
    }
    j->nparts++;
    return 0;
}

static int start_sizes(struct md_job *j, struct err *e)
{
    int bad = capacity(j, j->nsizes, j->nsizes, e);
    for (size_t k = 0; k < j->nsizes && !bad; k++) {
        struct md_start_state b = {0};
        struct md_setup s = *j->setup;
        struct md_params p = j->params;
        s.atoms = j->sizes[k];
        bad = md_start_new(&s, &p, &b, e) || add(j, j->nsizes, &s, &p, &b, 0, 1, e);
        if (bad)
            err_set(e, e->status, "%zu atoms: %s", (size_t)s.atoms, e->text);
        md_start_free(&b);
    }
    return bad ? -1 : 0;
}

/* Divides replicas as evenly as possible among the devices. */
static int start_parts(struct md_job *j, const struct md_start_state *b, struct err *e)
{
    size_t n = j->params.replicas, parts = n < j->ndevices ? n : j->ndevices, done = 0;
    if (parts < (n - 1) / md_replicas_max() + 1)
        parts = (n - 1) / md_replicas_max() + 1;
    int bad = capacity(j, parts, n, e);
    for (size_t k = 0; k < parts && !bad; k++) {
        size_t share = n / parts + (k < n % parts);
        bad = add(j, parts, j->setup, &j->params, b, done, share, e);
        done += share;
    }
    return bad;
}

/* Takes the remaining work of a stopped run, unless options state it. Returns 0, or -1. */
static int plan(struct md_job *j, struct err *e)
{
    struct md_left *l = &j->left;
    bool same = l->every > 0 && j->every == MD_UNSET;
    if (l->every == 0) /* the earlier run was not stopped */
        *l = (struct md_left){.steps = 10000, .every = 50, .first = !j->go_on};
    if (j->equilibrate != MD_UNSET)
        l->equilibrate = j->equilibrate;
    if (j->steps != MD_UNSET)
        l->steps = j->steps;
    if (j->every != MD_UNSET)
        l->every = j->every;
    if (j->thermo_every != MD_UNSET || !same)
        l->thermo_every = j->thermo_every != MD_UNSET ? j->thermo_every : l->every;
    j->equilibrate = l->equilibrate;
    j->steps = l->steps;
    j->every = l->every;
    j->thermo_every = l->thermo_every;
    if (!averages(j))
        return 0;
    l->first = 0; /* the first line would be a single sample, and the other lines means */
    return j->thermo_every % j->stress_every == 0
               ? 0
               : err_bad(e,
                         "--stress-every %llu: expected a divisor of the %llu steps between lines "
                         "of the --thermo file",
                         (unsigned long long)j->stress_every, (unsigned long long)j->thermo_every);
}

int md_job_start(struct md_job *j, struct frame_reader *in, struct err *e)
{
    struct md_start_state b = {0};
    if (j->nsizes) {
        return plan(j, e) ? -1 : start_sizes(j, e);
    }
    int bad = j->data      ? md_data_read(j->data, j->setup, &j->params, &b, e)
              : in == NULL ? md_start_new(j->setup, &j->params, &b, e)
              : j->go_on   ? md_restart_read(in, j->setup, &j->params, &b, &j->left, e)
                           : md_start_stream(in, j->setup, &j->params, &b, e);
    if (bad && in)
        err_file(e, frame_name(in));
    j->had_every = j->left.every;
    if (!bad)
        bad = plan(j, e) || start_parts(j, &b, e);
    if (!bad && j->left.done > 0) {
        j->had = b.kept;
        b.kept = NULL;
        j->lost = j->had ? j->had->lost : 0;
    }
    md_start_free(&b);
    return bad;
}

/* ---- notes */

/* Takes the samples for md_job_note(). */
static void watch(struct md_part *a, const struct md_sample *s)
{
    struct md_watch *w = &a->watch;
    struct md_out *o = &a->job->out[a->first + s->replica];
    if (s->thermo && s->step > 0 && stats_blocks_reach(&o->energy, o->looks + 1) == 0) {
        double *sum = stats_blocks_at(&o->energy, o->looks++);
        sum[0] += s->thermo->potential;
        sum[1] += 1.0;
    }
    if (s->replica > 0)
        return;
    bool fcc = !a->job->go_on && a->setup.atoms && a->setup.start != MD_RANDOM;
    if (s->thermo && s->step > 0) {
        w->kinetic += s->thermo->kinetic;
        w->n++;
    }
    if (s->pos && fcc && s->step + a->job->every > a->job->steps)
        w->order = md_fcc_order(&a->params, s->pos);
}

size_t md_job_notes(const struct md_job *j)
{
    return NOTES * (j->nsizes ? j->nparts : 1);
}

/* Writes a note to `text` if U changed in a size or in any replica. Returns false otherwise. */
static bool drift_note(const struct md_job *j, const struct md_part *a, char *text, size_t size)
{
    size_t first = j->nsizes ? a->first : 0, n = j->nsizes ? 1 : j->systems, warned = 0;
    for (size_t k = first; k < first + n; k++) {
        const struct stats_blocks *b = &j->out[k].energy;
        double y[STATS_BLOCKS_MAX], looks[STATS_BLOCKS_MAX];
        char what[80], one[512];
        struct drift d;
        for (size_t i = 0; i < b->n; i++) {
            y[i] = b->v[2 * i] / (double)a->params.natoms;
            looks[i] = b->v[2 * i + 1];
        }
        int at = n > 1 ? snprintf(what, sizeof what, "replica %zu: ", k) : 0;
        snprintf(what + at, sizeof what - (size_t)at, "U per atom%s",
                 a->params.kb == 1.0 ? "" : ", meV,");
        drift_find(&d, b->n, y, looks, false);
        if (drift_print(&d, what, one, sizeof one) && warned++ == 0)
            snprintf(text, size, "%s", one);
    }
    size_t at = warned > 1 ? strlen(text) : size;
    if (at < size)
        snprintf(text + at, size - at, " (%zu of %zu replicas changed)", warned, n);
    return warned > 0;
}

const char *md_job_note(const struct md_job *j, size_t which)
{
    static char text[600];
    const struct md_part *a = &j->part[which / NOTES];
    const struct md_params *p = &a->params;
    const struct md_watch *w = &a->watch;
    int at = j->nsizes ? snprintf(text, sizeof text, "%zu atoms: ", p->natoms) : 0;
    double dof = md_dof(p), t = w->n ? 2.0 * w->kinetic / (dof * p->kb * (double)w->n) : NAN;
    if (which % NOTES == 0 && p->temperature > 0.0 &&
        fabs(t / p->temperature - 1.0) > 0.05 + 2.0 * sqrt(2.0 / dof) &&
        (p->tau > 0.0 || !j->go_on)) {
        const char *unit = p->kb == 1.0 ? "" : " K", *tau = p->kb == 1.0 ? "1" : "0.5",
                   *with = p->tau > 0.0 ? "a longer --equilibrate" : "--equilibrate";
        snprintf(text + at, sizeof text - (size_t)at,
                 "the mean temperature of the run is %.4g%s instead of %.4g (equilibrate with "
                 "--thermostat berendsen:%s and %s)",
                 t, unit, p->temperature, tau, with);
        return text;
    }
    /* the order is about N^-1/2 with a tail in a fluid, and 0.7 in a crystal near melting */
    if (which % NOTES == 1 && w->order > 0.5 && p->natoms >= 32) {
        snprintf(text + at, sizeof text - (size_t)at,
                 "the initial lattice has not melted: its order parameter is %.2f (equilibrate "
                 "longer or at a higher temperature, or use --start random)",
                 w->order);
        return text;
    }
    if (which % NOTES == 2 && drift_note(j, a, text + at, sizeof text - (size_t)at))
        return text;
    return NULL;
}

/* ---- the run: one thread per part */

static bool stopped(const struct md_job *j)
{
    return __atomic_load_n(&j->stop, __ATOMIC_RELAXED);
}

/* Returns whether a line of these totals is due, and writes them to `as`. */
static bool line_due(const struct md_job *j, struct md_out *o, const struct md_thermo *t,
                     struct md_thermo *as)
{
    *as = *t;
    if (!averages(j))
        return true;
    o->nsums++;
    for (int k = 0; k < 6; k++) {
        o->kinetic_ab[k] += t->kinetic_ab[k];
        o->virial_ab[k] += t->virial_ab[k];
    }
    if (o->nsums < j->thermo_every / j->stress_every)
        return false;
    for (int k = 0; k < 6; k++) {
        as->kinetic_ab[k] = o->kinetic_ab[k] / (double)o->nsums;
        as->virial_ab[k] = o->virial_ab[k] / (double)o->nsums;
        o->kinetic_ab[k] = o->virial_ab[k] = 0.0;
    }
    o->nsums = 0;
    return true;
}

static int sample(void *ctx, const struct md_sample *s)
{
    struct md_part *a = ctx;
    struct md_job *j = a->job;
    struct md_out *o = &j->out[a->first + s->replica];
    char line[MD_THERMO_LINE];
    watch(a, s);
    struct md_thermo totals;
    if (s->thermo && o->thermo && line_due(j, o, s->thermo, &totals)) {
        md_thermo_line(&a->setup, &a->params, s->step, &totals, j->stress, line);
        j->line(o->thermo, line);
    }
    if (s->pos == NULL)
        return stopped(j);
    uint64_t index = s->step / j->every > 0 ? s->step / j->every - 1 : 0;
    double time = (double)s->step * a->params.dt;
    if (traj_put(o->traj, index, time, NULL, s->pos, s->vel, NULL) != 0)
        return 1;
    a->frames++;
    if (a == j->part)
        j->progress(s->step - j->begun, j->steps, "steps");
    return stopped(j);
}

/* Records the error of the engine or writers of a part in the part. */
static void settle(struct md_part *a, int bad)
{
    if (bad < 0)
        a->err = md_info(a->md)->err;
    if (bad && !a->err.status)
        (void)md_job_lost(a->job, a->first, a->params.replicas, &a->err);
    if (bad)
        __atomic_store_n(&a->job->stop, 1, __ATOMIC_RELAXED);
}

/* Runs a piece of a part, which belongs to the equilibration or to the production. */
static void run_piece(void *ctx, size_t k, int thread)
{
    struct md_job *j = ctx;
    struct md_part *a = &j->part[k];
    struct md_samples s = samples(a);
    bool warm = j->left.equilibrate > 0;
    double start = fdio_now();
    (void)thread;
    settle(a, md_run(a->md, j->piece, warm ? NULL : &s));
    if (!warm)
        a->seconds += fdio_now() - start;
}

/* Measures the totals of the first step of a new run. */
static void run_first(void *ctx, size_t k, int thread)
{
    struct md_part *a = &((struct md_job *)ctx)->part[k];
    struct md_samples first = samples(a);
    (void)thread;
    first.want &= MD_WANT_THERMO | MD_WANT_STRESS;
    settle(a, md_measure(a->md, &first));
}

static void flush(void *ctx, size_t k, int thread)
{
    struct md_job *j = ctx;
    struct md_part *a = &j->part[k];
    int bad = 0;
    (void)thread;
    for (size_t r = 0; r < a->params.replicas && !bad; r++)
        bad = traj_flush(j->out[a->first + r].traj) != 0;
    settle(a, bad);
}

/* Returns how many of the *left remaining steps to run next, about `wish`. If lines are means, the
 * number is rounded to a line, so that a pause does not divide a mean. */
static uint64_t piece_of(const struct md_job *j, const uint64_t *left, uint64_t wish)
{
    if (averages(j) && left == &j->left.steps)
        wish += j->thermo_every - (j->left.done + wish) % j->thermo_every;
    return wish < *left ? wish : *left;
}

/* Runs *left steps in pieces of about a second, which are shorter at first, or all at once. Returns
 * 0 or MD_STOPPED. */
static int pieces(struct md_job *j, struct pool *pool, uint64_t *left, bool in_pieces)
{
    uint64_t next = 50, total = *left;
    while (*left > 0 && !stopped(j)) {
        double start = fdio_now();
        j->piece = in_pieces ? piece_of(j, left, next) : *left;
        pool_run(pool, run_piece, j, j->nparts);
        *left -= j->piece;
        if (left == &j->left.steps)
            j->left.done += j->piece;
        else
            j->progress(total - *left, total, "equilibration steps");
        double max = 2.0 * (double)j->piece, seconds = fdio_now() - start;
        next = (uint64_t)fmax(1.0, fmin(max, (double)j->piece / fmax(seconds, 1e-9)));
        if (*left > 0 && !stopped(j) && j->pause && j->pause(j))
            return MD_STOPPED;
    }
    return 0;
}

static int run(struct md_job *j, struct pool *pool)
{
    bool warm = j->left.equilibrate > 0;
    if (pieces(j, pool, &j->left.equilibrate, true) != 0)
        return MD_STOPPED;
    for (size_t k = 0; k < j->nparts && warm; k++)
        md_set_step(j->part[k].md, 0);
    if (j->thermo && j->left.first && !stopped(j))
        pool_run(pool, run_first, j, j->nparts);
    j->left.first = 0;
    j->begun = md_info(j->part->md)->step;
    int rc = pieces(j, pool, &j->left.steps, j->pause != NULL);
    if (!stopped(j) && rc == 0) /* the last block of a stopped run is kept for later */
        pool_run(pool, flush, j, j->nparts);
    return rc;
}

int md_job_run(struct md_job *j, struct err *e)
{
    struct pool *pool = pool_team((int)at_once(j, j->nparts)); /* NULL runs one after the other */
    int rc = run(j, pool);
    pool_free(pool);
    for (size_t k = 0; k < j->nparts; k++)
        if (j->part[k].err.status) {
            *e = j->part[k].err;
            return j->nsizes
                       ? err_set(e, e->status, "%zu atoms: %s", j->part[k].params.natoms, e->text)
                       : -1;
        }
    return j->stop ? err_memory(e, "the run") : rc;
}

void md_job_free(struct md_job *j)
{
    for (size_t k = 0; j->out && k < j->systems; k++) {
        traj_writer_free(j->out[k].traj);
        stats_blocks_free(&j->out[k].energy);
        free(j->out[k].frames_name);
        free(j->out[k].thermo_name);
    }
    for (size_t k = 0; k < j->nparts; k++) {
        meta_free(j->part[k].meta);
        md_close(j->part[k].md);
    }
    md_kept_free(j->had, j->systems);
    md_kept_free(j->kept, j->systems);
    free(j->out);
    free(j->part);
    meta_free(j->meta);
}
