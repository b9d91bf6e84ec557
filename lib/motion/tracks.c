/* SPDX-License-Identifier: MIT */
#include "motion/tracks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/real.h"
#include "motion/axes.h"
#include "select/masses.h"

#define SPAN_BYTES ((size_t)32 << 20)   /* approximate size of the steps transposed at a time */
#define CHUNKS_BYTES ((size_t)16 << 20) /* chunks allocated together */
enum { SPAN_MIN = 16, SPAN_MAX = 64, KINDS = 64, STEPS_A_TASK = 8, SERIES_A_TASK = 192 };

struct tracks_own {
    struct tracks_choice c;
    struct pool *pool;
    struct pair_names names;
    struct molecules molecules;
    size_t natoms;
    bool f64, wide;   /* f64: atoms are f64; wide: points are f64 */
    uint32_t *row;    /* [points] atom or molecule, or NULL for the same index */
    double *atom;     /* [natoms] mass of each atom, or NULL if all are equal */
    double *group;    /* [natoms] masses of the atoms of c.drift_of and 0, or NULL */
    double mass[256]; /* mass of each species, if weighed */
    bool weighed;
    struct analysis_track track;
    /* members of the block just taken */
    const struct traj_block *b;
    const char *data;   /* positions or velocities, [nsteps][natoms][3] */
    const void *points; /* [nsteps][points][3], which is data or room */
    void *capacity;
    size_t rooms;       /* capacity of data in steps */
    double (*drift)[3]; /* [steps so far], or NULL if not subtracted */
    size_t drifts;      /* capacity of drift */
    uint64_t *jumped;   /* [drifts] 1 + the atom that jumped, or 0 */
    void *before;       /* [natoms][3]: last step of the previous block */
    bool look;          /* whether to look for jumps */
    struct axes axes;   /* used instead of positions unless n is 0 */
    bool apart;         /* points are stored separately from data */
    bool images;        /* positions were unwrapped by image flags */
    struct box cell;    /* cell of the first step */
    /* members of the kept data */
    size_t lo, hi;           /* range of kept points */
    size_t span;             /* steps per chunk */
    void **chunk;            /* [chunks][3 (hi - lo)][span] */
    size_t chunks, together; /* together: chunks per piece of memory */
    char *stage;             /* [span][3 (hi - lo)]: steps of an incomplete chunk */
    size_t staged;
    uint64_t stored;
    double *origin; /* [3 points] */
    bool has_origin;
};

/* ---- atoms and points */

static int read_names(struct tracks_own *o, const struct meta *m, struct err *e)
{
    static const char *const every[] = {"all"};
    return pair_names_open(&o->names, m, o->natoms, every, meta_get(m, "sys.species") ? 1 : 0, e);
}

int tracks_drift(int choice, size_t points, size_t natoms, const struct meta *m, bool velocities,
                 char note[TRACKS_NOTE], struct err *e)
{
    unsigned long long all = 0;
    const char *was = meta_get(m, "data.drift");
    bool some = meta_get_u64(m, "sys.selected_of", &all) == 1 && all > natoms, one = points == 1;
    bool done = !velocities && was && strcmp(was, "subtracted") == 0;
    char what[96] = "one point";
    *note = '\0';
    if (choice == TRACKS_KEEP ||
        (choice == TRACKS_AUTO && done && (some || one || meta_get(m, "data.drift_of"))))
        return 0;
    if (!some && !one)
        return 1;
    if (some)
        snprintf(what, sizeof what, "%zu of %llu atoms, a selection", natoms, all);
    if (choice == TRACKS_SUBTRACT && one)
        return err_bad(e,
                       "--drift subtract: expected all atoms of the system, found %s: no motion "
                       "would remain (use --drift keep)",
                       what);
    if (choice == TRACKS_SUBTRACT)
        snprintf(note, TRACKS_NOTE,
                 "--drift subtract: expected all atoms of the system, found %s. Subtracting the "
                 "mean motion of these atoms makes the result too small by a fraction of about "
                 "%.2g (use --drift keep)",
                 what, 1.0 / (double)points);
    else
        snprintf(note, TRACKS_NOTE,
                 "the drift is kept, because all atoms of the system are needed to subtract it, "
                 "found %s (--drift keep silences this warning%s)",
                 what,
                 some && !velocities
                     ? "; to remove the drift, use unwrap --drift subtract before you select atoms"
                     : "");
    return choice == TRACKS_SUBTRACT;
}

static int weigh(struct tracks *t, struct err *e)
{
    struct tracks_own *o = t->own;
    const struct tracks_choice *c = &o->c;
    double *mass = o->mass;
    const char *what = c->weigh       ? "--vacf-weights mass"
                       : c->molecules ? "the centre of mass of a molecule"
                       : c->drift_of  ? "--drift-of"
                                      : "the drift of the centre of mass (or --drift keep)";
    bool alike = o->names.nspecies == 1 || (c->drift_of && !strchr(c->drift_of, ','));
    bool several = (t->subtracts && !alike) || (c->molecules && o->names.nspecies > 1);
    if (!c->weigh && !several && !c->masses.n)
        return 0;
    if (masses_find(&c->masses, &o->names, what, mass, e) != 0)
        return -1;
    o->weighed = c->weigh || several;
    o->atom = malloc((o->natoms + 1) * sizeof *o->atom);
    for (size_t i = 0; o->atom && i < o->natoms; i++)
        o->atom[i] = mass[o->names.species[i]];
    return o->atom ? 0 : err_memory(e, "masses");
}

/* Finds the masses of the atoms whose drift is subtracted. Returns 0 or -1. */
static int weigh_group(struct tracks_own *o, struct err *e)
{
    double mass[256];
    if (!o->c.drift_of)
        return 0;
    for (int a = 0; a < o->names.nspecies; a++)
        mass[a] = o->atom ? o->mass[a] : 1.0;
    if (masses_drift_of(o->c.drift_of, &o->names, mass, e) != 0)
        return -1;
    o->group = malloc((o->natoms + 1) * sizeof *o->group);
    for (size_t i = 0; o->group && i < o->natoms; i++)
        o->group[i] = mass[o->names.species[i]];
    return o->group ? 0 : err_memory(e, "masses");
}

/* Writes the name of a molecule, such as OH2, from its numbers of atoms of each species. */
static void formula(const struct tracks_own *o, const size_t *of, char name[16])
{
    size_t n = 0;
    for (int a = 0; a < o->names.nspecies && n < 16; a++)
        if (of[a] == 1)
            n += (size_t)snprintf(name + n, 16 - n, "%s", o->names.name[a]);
        else if (of[a])
            n += (size_t)snprintf(name + n, 16 - n, "%s%zu", o->names.name[a], of[a]);
}

/* Sets kind[n], the kind of every molecule, from its composition. Returns 0 or -1. */
static int compositions(struct tracks *t, unsigned char *kind, struct err *e)
{
    const struct tracks_own *o = t->own;
    const struct molecules *m = &o->molecules;
    size_t ns = (size_t)o->names.nspecies, (*of)[256] = calloc(KINDS + 1, sizeof *of);
    int bad = of ? 0 : err_memory(e, "molecules");
    for (size_t k = 0; !bad && k < m->n; k++) {
        size_t *mine = of[t->kinds], i = 0;
        memset(mine, 0, ns * sizeof *mine);
        for (size_t a = m->first[k]; a < m->first[k + 1]; a++)
            mine[o->names.species[m->atom[a]]]++;
        while (memcmp(of[i], mine, ns * sizeof *mine) != 0)
            i++;
        if (i == KINDS)
            bad = err_bad(e, "--molecules: expected at most %d kinds of molecules, found more",
                          KINDS);
        else if (i == t->kinds)
            formula(o, mine, t->name[t->kinds++]);
        kind[k] = (unsigned char)i;
    }
    free(of);
    return bad;
}

/* Finds the kinds of points and their order. Returns 0 or -1. */
static int sort_points(struct tracks *t, struct err *e)
{
    struct tracks_own *o = t->own;
    bool whole = o->c.molecules != NULL, sorted = true;
    t->points = whole ? o->molecules.n : o->natoms;
    unsigned char *kind = whole ? calloc(t->points + 1, 1) : o->names.species;
    t->name = calloc(256, sizeof *t->name);
    t->first = calloc(258, sizeof *t->first);
    o->row = malloc((t->points + 1) * sizeof *o->row);
    if (!kind || !t->name || !t->first || !o->row)
        return err_memory(e, "atoms");
    if (!whole) {
        t->kinds = (size_t)o->names.nspecies;
        memcpy(t->name, o->names.name, t->kinds * sizeof *t->name);
    } else if (compositions(t, kind, e) != 0) {
        free(kind);
        return -1;
    }
    for (size_t i = 0; i < t->points; i++)
        t->first[kind[i] + 2]++;
    for (size_t k = 1; k <= t->kinds; k++)
        t->first[k + 1] += t->first[k];
    for (size_t i = 0; i < t->points; i++)
        o->row[t->first[kind[i] + 1]++] = (uint32_t)i;
    for (size_t i = 0; i < t->points; i++)
        sorted = sorted && o->row[i] == i;
    if (whole)
        free(kind);
    if (sorted && !whole) {
        free(o->row);
        o->row = NULL;
    }
    return 0;
}

static int weigh_points(struct tracks *t, struct err *e)
{
    const struct tracks_own *o = t->own;
    const struct molecules *m = &o->molecules;
    if (!o->atom)
        return 0;
    t->mass = calloc(t->points + 1, sizeof *t->mass);
    if (!t->mass)
        return err_memory(e, "masses");
    for (size_t i = 0; i < t->points; i++) {
        size_t from = o->row ? o->row[i] : i;
        if (!o->c.molecules)
            t->mass[i] = o->atom[from];
        else
            for (size_t a = m->first[from]; a < m->first[from + 1]; a++)
                t->mass[i] += o->atom[m->atom[a]];
        if (o->c.molecules && !(t->mass[i] > 0.0))
            return err_bad(e,
                           "--molecules: expected a positive mass for each molecule, found 0 for "
                           "the molecule of atom %zu, counted from 0 (give --masses)",
                           (size_t)m->atom[m->first[from]]);
    }
    return 0;
}

/* Finds the axes and describes their points. Returns 0, or -1 and sets e. */
static int axis_points(struct tracks *t, const struct meta *m, struct err *e)
{
    static const char names[AXES_KINDS][16] = {"M_1", "M_2", "C_1", "C_2"};
    struct tracks_own *o = t->own;
    if (axes_open(&o->axes, o->c.axis, &o->molecules, &o->names, m, e) != 0)
        return -1;
    t->kinds = AXES_KINDS;
    t->name = malloc(sizeof names);
    t->first = calloc(AXES_KINDS + 1, sizeof *t->first);
    if (!t->name || !t->first)
        return err_memory(e, "axes");
    memcpy(t->name, names, sizeof names);
    t->first[1] = 1;
    t->first[2] = AXES_FIRST;
    t->first[3] = t->stored = AXES_FIRST + o->axes.n;
    t->first[4] = t->points = t->stored + axes_points(o->axes.n);
    return 0;
}

int tracks_open(struct tracks *t, const struct tracks_choice *c, const struct analysis_input *in,
                struct pool *pool, struct err *e)
{
    const struct traj_info *info = traj_info(in->traj);
    struct tracks_own *o = calloc(1, sizeof *o);
    *t = (struct tracks){.own = o, .dt_ps = info->dt_ps};
    if (!o)
        return err_memory(e, "tracks");
    o->c = *c;
    o->pool = pool;
    o->natoms = info->natoms;
    o->f64 = info->dtype == FRAME_F64;
    o->wide = o->f64 || (c->molecules && !c->axis);
    o->look = c->wrapped && !c->velocities && !meta_get(in->meta, "data.unwrapped") &&
              (info->box.pbc[0] || info->box.pbc[1] || info->box.pbc[2]);
    const char *how = meta_get(in->meta, "data.unwrapped");
    o->images = !c->velocities && how && strcmp(how, "images") == 0;
    if (info->natoms == 0)
        return err_bad(e, "expected at least one atom, found none");
    if (read_names(o, in->meta, e) != 0 ||
        (c->molecules && molecules_open(&o->molecules, "--molecules", c->molecules, in->meta,
                                        o->natoms, MOLECULES_APART, 0, e) != 0))
        return -1;
    if (c->axis) {
        if (axis_points(t, in->meta, e) != 0)
            return -1;
        o->apart = true;
        tracks_keep(t, 0, t->points);
        return 0;
    }
    int drift = c->drift_of ? 1
                            : tracks_drift(c->drift, c->molecules ? o->molecules.n : o->natoms,
                                           o->natoms, in->meta, c->velocities, t->note, e);
    t->subtracts = drift > 0;
    if (drift < 0 || weigh(t, e) != 0 || weigh_group(o, e) != 0 || sort_points(t, e) != 0 ||
        weigh_points(t, e) != 0)
        return -1;
    o->apart = o->row != NULL;
    t->stored = t->points;
    tracks_keep(t, 0, t->points);
    return 0;
}

void tracks_close(struct tracks *t)
{
    struct tracks_own *o = t->own;
    if (o) {
        tracks_forget(t);
        pair_names_close(&o->names);
        molecules_close(&o->molecules);
        axes_close(&o->axes);
        free(o->row);
        free(o->atom);
        free(o->group);
        free(o->capacity);
        free(o->drift);
        free(o->jumped);
        free(o->before);
        free(o->chunk);
        free(o->stage);
        free(o->origin);
    }
    free(o);
    free(t->first);
    free(t->name);
    free(t->mass);
    *t = (struct tracks){0};
}

int tracks_meta(const struct tracks *t, struct meta *m)
{
    const struct tracks_own *o = t->own;
    return (o->weighed ? weights_meta(m, "data.masses", o->names.name, (size_t)o->names.nspecies,
                                      o->mass, NULL)
                       : 0) |
           meta_set(m, "data.drift_of", o->c.drift_of) |
           (o->c.molecules ? molecules_meta(&o->molecules, m) : 0);
}

bool tracks_wide(const struct tracks *t)
{
    return t->own->wide;
}

size_t tracks_step_bytes(const struct tracks *t)
{
    const struct tracks_own *o = t->own;
    return 3 * (o->hi - o->lo) * (o->wide ? 8 : 4) + (t->subtracts ? 24 : 0);
}

double tracks_spare_bytes(const struct tracks *t)
{
    const struct tracks_own *o = t->own;
    return 2.0 * (double)o->span * 3.0 * (double)(o->hi - o->lo) * (o->wide ? 8.0 : 4.0);
}

void tracks_keep(struct tracks *t, size_t first, size_t last)
{
    struct tracks_own *o = t->own;
    size_t end = t->stored; /* points from `end` on follow from the vectors u */
    o->lo = first < end ? first : AXES_FIRST + 3 * (first - end) / AXES_RANK2;
    o->hi = last <= end   ? last
            : first < end ? end
                          : AXES_FIRST + (3 * (last - end) + AXES_RANK2 - 1) / AXES_RANK2;
    o->hi = o->hi < end ? o->hi : end;
    size_t step = 3 * (o->hi - o->lo) * (o->wide ? 8 : 4), span = SPAN_BYTES;
    if (o->c.max_mem && o->c.max_mem / 16 < span)
        span = (size_t)(o->c.max_mem / 16);
    span /= step + 1;
    o->span = span < SPAN_MIN ? SPAN_MIN : span > SPAN_MAX ? SPAN_MAX : span / SPAN_MIN * SPAN_MIN;
}

/* ---- a block */

static const void *step_of(const struct tracks_own *o, size_t s)
{
    return o->data + s * 3 * o->natoms * (o->f64 ? 8 : 4);
}

static const void *scalars_of(const struct tracks_own *o, size_t s)
{
    return (const char *)o->b->scalars + s * o->natoms * o->axes.charge.each * (o->f64 ? 8 : 4);
}

/* Returns the bytes per step of the points that tracks_now() returns. */
static size_t step_bytes(const struct tracks *t)
{
    return 3 * (t->all ? t->points : t->stored) * (t->own->wide ? 8 : 4);
}

/* Computes the centre of mass of all atoms, or of the group. */
static inline __attribute__((always_inline)) void centre(const struct tracks_own *o, const void *p,
                                                         bool f64, double to[3])
{
    const double *mass = o->group ? o->group : o->atom;
    double sum[3] = {0.0, 0.0, 0.0}, all = 0.0;
    for (size_t i = 0; i < o->natoms; i++) {
        double w = mass ? mass[i] : 1.0;
        for (size_t a = 0; a < 3; a++)
            sum[a] += w * real_at(p, f64, 3 * i + a);
        all += w;
    }
    for (int a = 0; a < 3; a++)
        to[a] = sum[a] / all;
}

/* Returns the move of atom i along a cell vector, as a fraction of the vector. */
static inline __attribute__((always_inline)) double reach(const double inv[3][3], const void *was,
                                                          const void *is, bool f64, size_t i)
{
    double d[3], s = 0.0;
    for (size_t a = 0; a < 3; a++)
        d[a] = real_at(is, f64, 3 * i + a) - real_at(was, f64, 3 * i + a);
    for (int k = 0; k < 3; k++) {
        double one = fabs(d[0] * inv[0][k] + d[1] * inv[1][k] + d[2] * inv[2][k]);
        s = one > s ? one : s;
    }
    return s;
}

/* Returns 0, or 1 plus the index of the first atom that moves more than half the cell along a
 * periodic vector. */
static inline __attribute__((always_inline)) uint64_t
jump(const struct tracks_own *o, const struct box *box, const void *was, const void *is, bool f64)
{
    double inv[3][3], max = 0.0;
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++)
            inv[a][k] = box->pbc[k] ? box->inv[a][k] : 0.0;
    for (size_t i = 0; i < o->natoms; i++) {
        double s = reach(inv, was, is, f64, i);
        max = s > max ? s : max;
    }
    for (size_t i = 0; max > 0.5 && i < o->natoms; i++)
        if (reach(inv, was, is, f64, i) > 0.5)
            return i + 1;
    return 0;
}

static void put_point(const struct tracks_own *o, size_t p, const void *step, void *to)
{
    const struct molecules *m = &o->molecules;
    size_t from = o->row ? o->row[p] : p;
    if (!o->c.molecules) {
        for (size_t a = 0; a < 3; a++)
            real_set(to, o->f64, 3 * p + a, real_at(step, o->f64, 3 * from + a));
        return;
    }
    double sum[3] = {0.0, 0.0, 0.0}, all = 0.0;
    for (size_t k = m->first[from]; k < m->first[from + 1]; k++) {
        size_t i = m->atom[k];
        double w = o->atom ? o->atom[i] : 1.0;
        for (size_t a = 0; a < 3; a++)
            sum[a] += w * real_at(step, o->f64, 3 * i + a);
        all += w;
    }
    for (size_t a = 0; a < 3; a++)
        ((double *)to)[3 * p + a] = sum[a] / all;
}

static void take_steps(void *ctx, size_t from, size_t to, int thread)
{
    const struct tracks *t = ctx;
    const struct tracks_own *o = t->own;
    (void)thread;
    for (size_t s = from; s < to; s++) {
        const void *step = step_of(o, s), *was = s ? step_of(o, s - 1) : o->before;
        if (o->drift) {
            double *d = o->drift[t->steps + s];
            if (o->f64)
                centre(o, step, true, d);
            else
                centre(o, step, false, d);
        }
        if (o->look)
            o->jumped[s] = !was     ? 0
                           : o->f64 ? jump(o, &o->b->box[s], was, step, true)
                                    : jump(o, &o->b->box[s], was, step, false);
        if (o->axes.n)
            o->jumped[s] = axes_put(&o->axes, step, scalars_of(o, s), o->f64, &o->b->box[s],
                                    (char *)o->capacity + s * step_bytes(t), t->all);
        else if (o->points == o->capacity)
            for (size_t p = 0; p < t->points; p++)
                put_point(o, p, step, (char *)o->capacity + s * step_bytes(t));
    }
}

static int make_room(struct tracks *t, size_t nsteps, struct err *e)
{
    struct tracks_own *o = t->own;
    size_t need = (size_t)t->steps + nsteps;
    if (t->subtracts && need > o->drifts) {
        size_t more = need + need / 2 + 64;
        void *p = realloc(o->drift, more * sizeof *o->drift);
        if (!p)
            return err_memory(e, "the drift");
        o->drift = p;
        o->drifts = more;
    }
    if (nsteps <= o->rooms)
        return 0;
    free(o->capacity);
    free(o->jumped);
    o->capacity = o->apart ? malloc(nsteps * step_bytes(t)) : NULL;
    o->jumped = malloc(nsteps * sizeof *o->jumped);
    o->rooms = nsteps;
    if (o->look && !o->before) {
        o->before = malloc(3 * o->natoms * sizeof(double));
        if (!o->before)
            return err_memory(e, "a step");
    }
    return (o->apart && !o->capacity) || !o->jumped ? err_memory(e, "a block of points") : 0;
}

/* Refuses a block whose positions look wrapped. Returns 0, or -1 and sets e. */
static int look_for_jumps(struct tracks *t, const struct traj_block *b, struct err *e)
{
    struct tracks_own *o = t->own;
    for (size_t s = t->steps ? 0 : 1; s < b->nsteps; s++)
        if (o->jumped[s])
            return err_bad(
                e,
                "frame %llu: expected unwrapped positions, found atom %llu more than half the cell "
                "from its previous position (use unwrap(1), or traj2bin --unwrap if the file has "
                "image flags; use --unwrapped if the atom did move that far)",
                (unsigned long long)(t->from + t->steps + s), (unsigned long long)o->jumped[s] - 1);
    if (o->look)
        memcpy(o->before, step_of(o, b->nsteps - 1), 3 * o->natoms * (o->f64 ? 8 : 4));
    return 0;
}

int tracks_take(struct tracks *t, const struct traj_block *b, struct err *e)
{
    struct tracks_own *o = t->own;
    if (!o->c.uneven && analysis_follows(&o->track, b, t->dt_ps, e) != 0)
        return -1;
    if (o->c.velocities && !b->velocities)
        return err_bad(e,
                       "frame %llu: expected velocities (VELO), found none (traj2bin --velocities "
                       "keeps the velocities of a file)",
                       (unsigned long long)(t->from + t->steps));
    if (make_room(t, b->nsteps, e) != 0)
        return -1;
    if (o->images && t->steps == 0 && b->nsteps)
        o->cell = b->box[0];
    for (size_t s = 0; s < b->nsteps && o->images && !t->breathes; s++)
        t->breathes = memcmp(b->box[s].h, o->cell.h, sizeof o->cell.h) != 0;
    o->b = b;
    o->data = o->c.velocities ? b->velocities : b->data;
    o->points = o->apart ? o->capacity : o->data;
    bool first = t->steps == 0;
    if (first && o->look) /* no earlier step */
        memcpy(o->before, o->data, 3 * o->natoms * (o->f64 ? 8 : 4));
    pool_pieces(o->pool, take_steps, t, b->nsteps, STEPS_A_TASK);
    for (size_t s = 0; o->axes.n && s < b->nsteps; s++)
        if (o->jumped[s]) {
            axes_fail(&o->axes, (size_t)o->jumped[s] - 1, step_of(o, s), scalars_of(o, s), o->f64,
                      &b->box[s], e);
            return err_frame(e, t->from + t->steps + s);
        }
    if (o->look && look_for_jumps(t, b, e) != 0)
        return -1;
    if (first && !o->has_origin && tracks_origin(t, NULL, e) != 0)
        return -1;
    t->steps += b->nsteps;
    return 0;
}

const void *tracks_now(const struct tracks *t, const double (**drift)[3])
{
    const struct tracks_own *o = t->own;
    if (drift)
        *drift = o->drift ? (const double(*)[3])(o->drift + (t->steps - o->b->nsteps)) : NULL;
    return o->points;
}

int tracks_origin(struct tracks *t, const struct traj_block *b, struct err *e)
{
    struct tracks_own *o = t->own;
    if (b) { /* takes the block, then discards it */
        int bad = tracks_take(t, b, e);
        t->steps = 0;
        o->track = (struct analysis_track){0};
        return bad;
    }
    if (!(o->origin = calloc(3 * t->points + 1, sizeof *o->origin)))
        return err_memory(e, "points");
    for (size_t k = 0; k < 3 * t->points && !o->c.velocities && !o->axes.n; k++)
        o->origin[k] = real_at(o->points, o->wide, k) - (o->drift ? o->drift[0][k % 3] : 0.0);
    o->has_origin = true;
    return 0;
}

int tracks_begin_as(struct tracks *t, const struct tracks *like, struct err *e)
{
    struct tracks_own *o = t->own;
    t->from = like->from;
    if (!(o->origin = malloc((3 * t->points + 1) * sizeof *o->origin)))
        return err_memory(e, "points");
    memcpy(o->origin, like->own->origin, 3 * t->points * sizeof *o->origin);
    o->has_origin = true;
    return 0;
}

/* ---- kept steps */

void tracks_forget(struct tracks *t)
{
    struct tracks_own *o = t->own;
    for (size_t k = 0; k < o->chunks; k += o->together)
        free(o->chunk[k]);
    o->chunks = o->staged = 0;
    o->stored = 0;
}

struct turn {
    const struct tracks_own *o;
    const char *from; /* source of [span] steps */
    size_t stride;    /* bytes from step to step */
    char *to;
};

static inline __attribute__((always_inline)) void turn(const struct turn *w, size_t from, size_t to,
                                                       size_t size)
{
    size_t span = w->o->span;
    for (size_t c = from; c < to; c += 16)
        for (size_t s = 0; s < span; s++) {
            const char *in = w->from + s * w->stride;
            for (size_t k = c; k < c + 16 && k < to; k++)
                memcpy(w->to + (k * span + s) * size, in + k * size, size);
        }
}

static void turn_series(void *ctx, size_t from, size_t to, int thread)
{
    const struct turn *w = ctx;
    (void)thread;
    if (w->o->wide)
        turn(w, from, to, 8);
    else
        turn(w, from, to, 4);
}

/* Allocates a chunk. Small chunks share large pages. Returns NULL if memory runs out. */
static void *chunk_room(struct tracks_own *o, size_t bytes)
{
    if (o->chunks == 0)
        o->together =
            o->c.max_mem && o->c.max_mem / 64 < CHUNKS_BYTES ? 1 : CHUNKS_BYTES / (bytes + 1) + 1;
    size_t k = o->chunks % o->together;
    if (k)
        return (char *)o->chunk[o->chunks - k] + k * bytes;
    void *p = malloc(o->together * bytes + 1);
    if (p)
        memory_large_pages(p, o->together * bytes);
    return p;
}

/* Stores `span` steps as one more chunk. Returns 0 or -1. */
static int add_chunk(struct tracks_own *o, const void *from, size_t stride, uint64_t limit,
                     const char *help, struct err *e)
{
    size_t series = 3 * (o->hi - o->lo), bytes = series * o->span * (o->wide ? 8 : 4);
    if (err_over(e, (double)bytes * (double)(o->chunks + 1), limit, help,
                 "%llu steps of %zu series", (unsigned long long)(o->stored + o->span), series))
        return -1;
    if (o->chunks % 64 == 0) {
        void *p = realloc(o->chunk, (o->chunks + 64) * sizeof *o->chunk);
        if (!p)
            return err_memory(e, "tracks");
        o->chunk = p;
    }
    struct turn w = {.o = o, .from = from, .stride = stride, .to = chunk_room(o, bytes)};
    if (!w.to)
        return err_memory(e, "tracks");
    o->chunk[o->chunks++] = w.to;
    pool_pieces(o->pool, turn_series, &w, series, SERIES_A_TASK);
    return 0;
}

int tracks_store(struct tracks *t, uint64_t limit, const char *help, struct err *e)
{
    struct tracks_own *o = t->own;
    size_t size = o->wide ? 8 : 4, series = 3 * (o->hi - o->lo), step = step_bytes(t), n;
    const char *from = (const char *)o->points + 3 * o->lo * size;
    if (!o->stage && !(o->stage = malloc(o->span * series * size + 1)))
        return err_memory(e, "tracks");
    for (size_t s = 0; s < o->b->nsteps; s += n, o->stored += n) {
        n = o->b->nsteps - s;
        if (o->staged == 0 && n >= o->span) {
            n = o->span;
            if (add_chunk(o, from + s * step, step, limit, help, e) != 0)
                return -1;
            continue;
        }
        n = n < o->span - o->staged ? n : o->span - o->staged;
        for (size_t k = 0; k < n; k++)
            memcpy(o->stage + (o->staged + k) * series * size, from + (s + k) * step,
                   series * size);
        o->staged += n;
        if (o->staged == o->span) {
            if (add_chunk(o, o->stage, series * size, limit, help, e) != 0)
                return -1;
            o->staged = 0;
        }
    }
    return 0;
}

/* Writes n steps of a series of a type to x, minus `shift`. Steps are `stride` numbers apart. */
static inline __attribute__((always_inline)) void part(const void *a, bool f64, size_t stride,
                                                       size_t n, double shift, double *x)
{
    for (size_t k = 0; k < n; k++)
        x[k] = real_at(a, f64, k * stride) - shift;
}

/* Writes n steps of component c of Q to x. The two coordinates of u are a and b. */
static inline __attribute__((always_inline)) void
part_rank2(size_t c, const void *a, const void *b, bool f64, size_t stride, size_t n, double *x)
{
    for (size_t k = 0; k < n; k++)
        x[k] = axes_rank2(c, real_at(a, f64, k * stride), real_at(b, f64, k * stride));
}

/* Returns the address of stored step `step` of series k. Sets n to the number of steps, at most
 * `end` - step, that begin there and are evenly spaced in memory. */
static const char *row_at(const struct tracks_own *o, size_t k, uint64_t step, uint64_t end,
                          size_t *n, size_t *stride)
{
    size_t size = o->wide ? 8 : 4, series = 3 * (o->hi - o->lo), chunk = (size_t)(step / o->span),
           at = (size_t)(step % o->span);
    *n = o->span - at < end - step ? o->span - at : (size_t)(end - step);
    *stride = chunk < o->chunks ? 1 : series;
    return chunk < o->chunks ? (const char *)o->chunk[chunk] + (k * o->span + at) * size
                             : o->stage + (at * series + k) * size;
}

/* Writes steps [step, end) of number s of the components Q of all axes, or zeros after the last
 * component, to x. */
static void rank2(const struct tracks_own *o, size_t s, uint64_t step, uint64_t end, double *x)
{
    size_t c = s % AXES_RANK2, k = 3 * (AXES_FIRST + s / AXES_RANK2 - o->lo), n, stride;
    if (s / AXES_RANK2 >= o->axes.n) {
        memset(x, 0, (size_t)(end - step) * sizeof *x);
        return;
    }
    for (; step < end; step += n, x += n) {
        const char *a = row_at(o, k + axes_first[c], step, end, &n, &stride),
                   *b = row_at(o, k + axes_second[c], step, end, &n, &stride);
        if (o->wide)
            part_rank2(c, a, b, true, stride, n, x);
        else if (stride == 1)
            part_rank2(c, a, b, false, 1, n, x);
        else
            part_rank2(c, a, b, false, stride, n, x);
    }
}

void tracks_series(const struct tracks *t, size_t a, uint64_t from, uint64_t to, double *x)
{
    const struct tracks_own *o = t->own;
    if (a >= 3 * t->stored) { /* follows from the stored points */
        rank2(o, a - 3 * t->stored, from - t->from, to - t->from, x);
        return;
    }
    size_t n, stride;
    double shift = o->origin[a];
    for (uint64_t step = from - t->from, end = to - t->from; step < end; step += n, x += n) {
        const char *p = row_at(o, a - 3 * o->lo, step, end, &n, &stride);
        if (o->wide)
            part(p, true, stride, n, shift, x);
        else if (stride == 1)
            part(p, false, 1, n, shift, x);
        else
            part(p, false, stride, n, shift, x);
        for (size_t k = 0; o->drift && k < n; k++)
            x[k] -= o->drift[step + k][a % 3];
    }
}
