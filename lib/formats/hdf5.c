/* SPDX-License-Identifier: MIT */
#ifdef HDF5_LIBRARY /* library names separated by spaces, defined if the Makefile found libhdf5 */
#include "formats/hdf5.h"

#include <dlfcn.h>
#include <errno.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/format.h"

#define MAX_DEPTH 4                     /* maximum nesting depth of virtual data sets */
#define CONVERT_BYTES ((size_t)1 << 15) /* cleared by libhdf5 for each converted read */

_Static_assert(sizeof(hid_t) == sizeof(int64_t), "HDF5 1.10 or later");

/* clang-format off */
#define FUNCTIONS(X) X(H5open) X(H5dont_atexit) X(H5free_memory) X(H5Eset_auto2) X(H5Ewalk2) \
    X(H5Fopen) X(H5Fclose) X(H5Lexists) X(H5Lget_info) X(H5Lget_name_by_idx) \
    X(H5Oexists_by_name) X(H5Gopen2) X(H5Gget_objinfo) X(H5Gget_info_by_name) \
    X(H5Dopen2) X(H5Dclose) X(H5Dget_space) X(H5Dget_type) X(H5Dread) X(H5Dvlen_reclaim) \
    X(H5Dget_create_plist) X(H5Dget_space_status) X(H5Dget_num_chunks) \
    X(H5Dget_chunk_storage_size) X(H5Pcreate) X(H5Pget_layout) X(H5Pget_nfilters) X(H5Pget_chunk) \
    X(H5Pget_external_count) X(H5Pget_external) X(H5Pget_virtual_count) \
    X(H5Pget_virtual_filename) X(H5Pget_virtual_dsetname) X(H5Pget_virtual_srcspace) \
    X(H5Pget_virtual_vspace) X(H5Pfill_value_defined) X(H5Pget_fill_value) \
    X(H5Dread_chunk) X(H5Dget_storage_size) X(H5Tequal) X(H5Pset_buffer) \
    X(H5Pset_chunk_cache) X(H5Pset_efile_prefix) \
    X(H5Pset_virtual_prefix) X(H5Pclose) X(H5Screate_simple) X(H5Sget_simple_extent_ndims) X(H5Sget_simple_extent_dims) \
    X(H5Sget_simple_extent_npoints) X(H5Sget_select_npoints) X(H5Sget_select_bounds) X(H5Sget_select_type) \
    X(H5Sselect_hyperslab) X(H5Sclose) X(H5Tget_class) X(H5Tget_size) X(H5Tis_variable_str) \
    X(H5Tget_nmembers) X(H5Tget_member_name) X(H5Tget_member_value) X(H5Tconvert) \
    X(H5Tget_super) X(H5Tclose) X(H5Aexists) X(H5Aopen) X(H5Aget_space) X(H5Aget_type) \
    X(H5Aread)
/* clang-format on */
#define VARIABLES(X)                                                                               \
    X(H5T_NATIVE_FLOAT)                                                                            \
    X(H5T_NATIVE_DOUBLE)                                                                           \
    X(H5T_NATIVE_INT64) X(H5P_CLS_DATASET_ACCESS_ID) X(H5P_CLS_DATASET_XFER_ID) X(H5E_RESOURCE)
/* The macros of hdf5.h must call functions only through the pointers in h5. */
#undef H5OPEN
#undef H5CHECK
#define H5OPEN
#define H5CHECK
#undef H5T_NATIVE_FLOAT
#undef H5T_NATIVE_DOUBLE
#undef H5T_NATIVE_INT64
#undef H5E_RESOURCE

static struct {
    void *library;
#define X(f) __typeof__(f) *f;
    FUNCTIONS(X)
#undef X
#define X(v) hid_t v;
    VARIABLES(X)
#undef X
    hid_t transfer; /* property list of every read */
} h5;

static int load(struct err *e)
{
    static const char *const names[] = {
#define TEXT(f) #f
#define X(f) TEXT(f), /* expands macros that stand for a versioned name */
        FUNCTIONS(X)
#undef X
    };
    if (h5.library)
        return 0;
    unsetenv("HDF5_VDS_PREFIX"); /* names of other files are relative to this file */
    unsetenv("HDF5_EXTFILE_PREFIX");
    errno = 0;
    char list[] = HDF5_LIBRARY, *rest = list, *name;
    void *library = NULL;
    while (!library && (name = strsep(&rest, " ")) != NULL)
        library = dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    void *f = library;
    for (size_t k = 0; f && k < sizeof names / sizeof *names; k++) {
        f = dlsym(library, names[k]);
        if (!f && strcmp(names[k], "H5Lget_info") == 0)
            f = dlsym(library, "H5Lget_info1"); /* the name since 1.12 */
        memcpy((char *)&h5 + sizeof h5.library + k * sizeof f, &f, sizeof f);
    }
    if (f)
        h5.H5dont_atexit(); /* fails if the program already uses HDF5, as with h5py in Python */
    bool loaded = f && h5.H5open() >= 0;
    if (!loaded && err_errno(errno) == ERR_MEMORY)
        return err_memory(e, HDF5_LIBRARY);
    if (!loaded && errno == EIO)
        return err_set(e, ERR_MACHINE, "read error in %s: %s", HDF5_LIBRARY, strerror(errno));
    const char *why = library ? "found another version" : "Debian: libhdf5-103, libhdf5-310";
    if (!loaded)
        return err_bad(e, "this is an HDF5 file, but no usable %s was found (%s)", HDF5_LIBRARY,
                       why);
#define X(v)                                                                                       \
    if ((f = dlsym(library, #v "_g")) != NULL)                                                     \
        memcpy(&h5.v, f, sizeof h5.v);
    VARIABLES(X)
#undef X
    h5.H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* libhdf5 prints no messages; see reason() */
    h5.transfer = h5.H5Pcreate(h5.H5P_CLS_DATASET_XFER_ID);
    if (h5.transfer < 0 || h5.H5Pset_buffer(h5.transfer, CONVERT_BYTES, NULL, NULL) < 0)
        return err_memory(e, HDF5_LIBRARY);
    h5.library = library;
    return 0;
}

/* ---- why libhdf5 failed */

struct why {
    char text[200]; /* text of the innermost failure */
    int error;      /* innermost errno that is stated, or 0 */
    bool memory, locked, any;
};

static herr_t add_reason(unsigned n, const H5E_error2_t *error, void *ctx)
{
    struct why *w = ctx;
    const char *desc = error->desc ? error->desc : "", *p = desc, *last = NULL;
    if (n == 0)
        snprintf(w->text, sizeof w->text, "%s", desc);
    while ((p = strstr(p, "errno = ")) != NULL)
        last = p++;
    if (last && !w->error)
        w->error = atoi(last + 8);
    w->memory |= error->maj_num == h5.H5E_RESOURCE;
    w->locked |= strstr(desc, "lock") && strstr(desc, "file") && last;
    w->locked |= strstr(desc, "already open for") != NULL;
    w->any = true;
    return 0;
}

static bool short_of_memory; /* An allocation failed, which libhdf5 may report only later. */

/* Resets errno before a call after which errno is examined. */
static void begin(void)
{
    short_of_memory |= errno == ENOMEM;
    errno = 0;
}

static struct why reason(void)
{
    struct why w = {.error = 0};
    int saved = errno;
    h5.H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, add_reason, &w);
    /* without memory, libhdf5 cannot store an error either */
    w.memory |= !w.any || (!w.error && (saved == ENOMEM || short_of_memory));
    if (!w.error && (saved == EIO || saved == EMFILE || saved == ENFILE))
        w.error = saved;
    return w;
}

/* Returns true if the machine, not the file, is the cause of this errno. */
static bool of_machine(int error)
{
    static const int of_file[] = {0,      EINVAL, EOVERFLOW, EFBIG, ENOENT,
                                  EACCES, EPERM,  ENOTDIR,   EISDIR};
    for (size_t k = 0; k < sizeof of_file / sizeof *of_file; k++)
        if (error == of_file[k])
            return false;
    return true;
}

/* Sets e after a failure of libhdf5, often to "PATH: expected ..., found ...". Returns -1. */
static int fail(struct err *e, const char *path, const char *expected)
{
    struct why w = reason();
    const char *colon = *path ? ": " : "";
    if (w.memory || w.error == ENOMEM)
        return err_set(e, ERR_MEMORY, "%s%sout of memory for libhdf5 (try a larger --max-mem)",
                       path, colon);
    if (of_machine(w.error))
        return err_set(e, ERR_MACHINE, "%s%sread error: %s", path, colon, strerror(w.error));
    return err_bad(e,
                   "%s%sexpected %s, found nothing that libhdf5 can read (the file may be "
                   "truncated or damaged): %s",
                   path, colon, expected, w.error ? strerror(w.error) : w.text);
}

int hdf5_open(struct hdf5_file *f, struct err *e)
{
    if (load(e) != 0)
        return -1;
    begin();
    if ((f->id = h5.H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT)) >= 0)
        return 0;
    struct why w = reason();
    if (w.locked && !w.memory && w.error != EIO)
        return err_set(
            e, ERR_MACHINE,
            "the file is locked by a program that is writing to it (wait for that program to end, "
            "or set HDF5_USE_FILE_LOCKING=FALSE to read the file now): %s",
            w.error ? strerror(w.error) : w.text);
    return fail(e, "", "an HDF5 file");
}

/* ---- objects */

/* Finds *kind and *who of the object at a path that exists. Returns 0 or -1. */
static int look_at(const struct hdf5_file *f, const char *path, H5G_obj_t *kind, uint64_t *who,
                   struct err *e)
{
    H5G_stat_t root = {0}, stat = {0};
    if (h5.H5Gget_objinfo(f->id, "/", true, &root) < 0 ||
        h5.H5Gget_objinfo(f->id, path, true, &stat) < 0)
        return fail(e, path, "an object");
    if (!f->external && stat.fileno[0] != root.fileno[0])
        return err_bad(
            e,
            "%s: expected data in this file, found a link to another file (--external follows it)",
            path);
    *kind = stat.type;
    *who = stat.objno[0];
    return 0;
}

/* Looks for the link at this path, whose parent is a group. Returns 1, 0 or -1 like hdf5_has(). */
static int has_link(const struct hdf5_file *f, const char *path, struct err *e)
{
    H5L_info_t link;
    htri_t has = h5.H5Lexists(f->id, path, H5P_DEFAULT);
    if (has == 0)
        return 0;
    if (has < 0 || h5.H5Lget_info(f->id, path, &link, H5P_DEFAULT) < 0)
        return fail(e, path, "a link that can be read");
    if (link.type != H5L_TYPE_HARD && link.type != H5L_TYPE_SOFT && !f->external)
        return err_bad(
            e,
            "%s: expected data in this file, found a link to another file (--external follows it)",
            path);
    if (link.type == H5L_TYPE_HARD)
        return 1;
    if (h5.H5Oexists_by_name(f->id, path, H5P_DEFAULT) > 0)
        return 1;
    H5G_stat_t stat; /* this call fails with the actual reason, such as an unreadable file */
    (void)!h5.H5Gget_objinfo(f->id, path, true, &stat);
    return fail(e, path, "the target of this link");
}

int hdf5_has(const struct hdf5_file *f, const char *path, struct err *e)
{
    char part[HDF5_PATH];
    H5G_obj_t kind;
    uint64_t who;
    begin();
    for (size_t n = strcspn(path, "/");; n += 1 + strcspn(path + n + 1, "/")) {
        snprintf(part, sizeof part, "%.*s", (int)n, path);
        int has = has_link(f, part, e);
        if (has != 1)
            return has;
        if (look_at(f, part, &kind, &who, e) != 0)
            return -1;
        if (!path[n])
            return 1;
        if (kind != H5G_GROUP)
            return 0;
    }
}

int hdf5_member(const struct hdf5_file *f, const char *group, uint64_t k, char name[HDF5_WORD],
                uint64_t *who, struct err *e)
{
    H5G_info_t info;
    H5G_obj_t kind;
    char path[HDF5_PATH];
    begin();
    if (h5.H5Gget_info_by_name(f->id, group, &info, H5P_DEFAULT) < 0)
        return fail(e, group, "a group");
    if (k >= info.nlinks)
        return 0;
    if (h5.H5Lget_name_by_idx(f->id, group, H5_INDEX_NAME, H5_ITER_INC, k, name, HDF5_WORD,
                              H5P_DEFAULT) < 0)
        return fail(e, group, "the names of its members");
    snprintf(path, sizeof path, "%s/%s", group, name);
    int has = hdf5_has(f, path, e);
    return has == 1   ? look_at(f, path, &kind, who, e) == 0 ? 1 : -1
           : has == 0 ? err_bad(e, "%s: expected a member of the group, found none", path)
                      : -1;
}

static enum hdf5_kind kind_of(hid_t type)
{
    H5T_class_t c = h5.H5Tget_class(type);
    return c == H5T_FLOAT     ? HDF5_REAL
           : c == H5T_INTEGER ? HDF5_WHOLE
           : c == H5T_ENUM    ? HDF5_ENUM
           : c == H5T_STRING  ? HDF5_TEXT
                              : HDF5_OTHER;
}

/* Opens a data set with a cache of `capacity` bytes for `chunks` chunks, or with the default cache
 * of libhdf5 if `capacity` is negative. Returns the id, or a negative number if the call failed. */
static hid_t open_id(const struct hdf5_file *f, const char *path, double capacity, double chunks)
{
    hid_t access = h5.H5Pcreate(h5.H5P_CLS_DATASET_ACCESS_ID), id = -1;
    if (access >= 0 && h5.H5Pset_efile_prefix(access, "${ORIGIN}") >= 0 &&
        h5.H5Pset_virtual_prefix(access, "${ORIGIN}") >= 0 &&
        (capacity < 0 || h5.H5Pset_chunk_cache(access, (size_t)(chunks * 100.0) % 1000003 + 101,
                                               (size_t)capacity, 1.0) >= 0))
        id = h5.H5Dopen2(f->id, path, access);
    if (id >= 0) /* otherwise, this call would erase the reason of the failure */
        h5.H5Pclose(access);
    return id;
}

/* ---- data in other files */

/* Sets `path` to the path at which libhdf5, with the prefix ${ORIGIN}, searches for the file
 * `name`. Returns 0, or -1 if the name is too long. */
static int beside(const struct hdf5_file *f, const char *name, char path[PATH_MAX])
{
    const char *slash = strrchr(f->path, '/');
    int folder = slash && *name != '/' ? (int)(slash + 1 - f->path) : 0;
    int n = snprintf(path, PATH_MAX, "%.*s%s", folder, f->path, name);
    return n >= 0 && n < PATH_MAX ? 0 : -1;
}

/* Checks that the external files of s exist and are long enough, because libhdf5 reads missing data
 * as zeros. Returns 0 or -1. */
static int check_raw(const struct hdf5_file *f, const struct hdf5_set *s, hid_t list, int count,
                     struct err *e)
{
    double need = (double)s->bytes;
    char name[PATH_MAX], path[PATH_MAX];
    off_t from;
    hsize_t size;
    for (int k = 0; k < s->rank; k++)
        need *= (double)s->shape[k];
    for (int k = 0; k < count; k++) {
        struct stat st = {0};
        name[sizeof name - 1] = '\0';
        if (h5.H5Pget_external(list, (unsigned)k, sizeof name - 1, name, &from, &size) < 0)
            return fail(e, s->path, "the names of other files");
        if (beside(f, name, path) != 0)
            return err_bad(e, "%s: the name of an external file is too long", s->path);
        if (stat(path, &st) != 0)
            return err_set(e, of_machine(errno) ? err_errno(errno) : ERR_BAD,
                           "%s: expected data in the external file %s: %s", s->path, path,
                           strerror(errno));
        double has = (double)(st.st_size - from),
               take = (double)size < need && size != H5F_UNLIMITED ? (double)size : need;
        if (has < take)
            return err_bad(e, "%s: expected %.0f bytes of data in %s, found %.0f bytes", s->path,
                           take, path, has < 0 ? 0.0 : has);
        need -= take;
    }
    return need > 0 ? err_bad(e, "%s: expected %.0f more bytes of data, found no further file",
                              s->path, need)
                    : 0;
}

/* Returns true if the source has all numbers that `from` selects. They are stored at `to`. */
static bool selection_fits(const struct hdf5_set *source, hid_t from, hid_t to)
{
    hsize_t low[H5S_MAX_RANK], high[H5S_MAX_RANK];
    double points = 1;
    for (int k = 0; k < source->rank; k++)
        points *= (double)source->shape[k];
    if (h5.H5Sget_select_type(from) == H5S_SEL_ALL)
        return points == (double)h5.H5Sget_select_npoints(to);
    if (h5.H5Sget_simple_extent_ndims(from) != source->rank ||
        h5.H5Sget_select_bounds(from, low, high) < 0)
        return false;
    for (int k = 0; k < source->rank; k++)
        if (high[k] >= source->shape[k])
            return false;
    return true;
}

/* Checks that a source of a virtual data set exists, is complete and has the selected size, because
 * libhdf5 reads missing data as fill values. Returns 0 or -1. */
static int check_source(const struct hdf5_file *f, const struct hdf5_set *s, const char *file,
                        const char *name, hid_t from, hid_t to, struct err *e)
{
    char path[PATH_MAX];
    struct hdf5_file other = *f;
    struct hdf5_set source = {.id = 0};
    struct err why = {0};
    const char *slash = strrchr(f->path, '/');
    if (strcmp(file, ".") == 0) /* a dot means this file */
        file = slash ? slash + 1 : f->path;
    if (beside(f, file, path) != 0)
        return err_bad(e, "%s: the name of an external file is too long", s->path);
    other.path = path;
    if (++other.depth > MAX_DEPTH)
        return err_bad(e, "%s: expected at most %d links from file to file, found more", s->path,
                       MAX_DEPTH);
    if (hdf5_open(&other, &why) != 0 || hdf5_set(&other, name, &source, &why) != 0)
        return err_set(e, why.status, "%s: source %s: %s", s->path, path, why.text);
    int fit = selection_fits(&source, from, to);
    h5.H5Dclose(source.id);
    h5.H5Fclose(other.id);
    return !fit ? err_bad(e, "%s: source %s: %s: expected more data, found a shorter data set",
                          s->path, path, name)
           : source.written != HDF5_ALL_WRITTEN
               ? err_bad(e, "%s: source %s: %s: expected data, found parts that were never written",
                         s->path, path, name)
               : 0;
}

static int check_sources(const struct hdf5_file *f, const struct hdf5_set *s, hid_t list,
                         struct err *e)
{
    size_t count;
    double want = 1, have = 0;
    char file[PATH_MAX], name[HDF5_PATH];
    for (int k = 0; k < s->rank; k++)
        want *= (double)s->shape[k];
    if (h5.H5Pget_virtual_count(list, &count) < 0)
        return fail(e, s->path, "the sources of a virtual data set");
    if (!f->external)
        return err_bad(e,
                       "%s: expected data in this file, found a virtual data set with %zu sources "
                       "(read the sources with --external)",
                       s->path, count);
    for (size_t k = 0; k < count; k++) {
        if (h5.H5Pget_virtual_filename(list, k, file, sizeof file) < 0 ||
            h5.H5Pget_virtual_dsetname(list, k, name, sizeof name) < 0)
            return fail(e, s->path, "the sources of a virtual data set");
        hid_t from = h5.H5Pget_virtual_srcspace(list, k), to = h5.H5Pget_virtual_vspace(list, k);
        int bad = from < 0 || to < 0 ? fail(e, s->path, "the sources of a virtual data set")
                                     : check_source(f, s, file, name, from, to, e);
        have += bad ? 0.0 : (double)h5.H5Sget_select_npoints(to);
        h5.H5Sclose(from);
        h5.H5Sclose(to);
        if (bad)
            return -1;
    }
    return have == want
               ? 0
               : err_bad(e, "%s: expected %.0f numbers in the sources of this data set, found %.0f",
                         s->path, want, have);
}

/* ---- data sets */

static hid_t type_in_memory(enum hdf5_as as)
{
    return as == HDF5_F32   ? h5.H5T_NATIVE_FLOAT
           : as == HDF5_F64 ? h5.H5T_NATIVE_DOUBLE
                            : h5.H5T_NATIVE_INT64;
}

/* Sets s->as to the type in memory that has the bytes of the type in the file. Returns whether such
 * a type exists. */
static bool same_bytes(struct hdf5_set *s)
{
    hid_t type = h5.H5Dget_type(s->id);
    bool same = false;
    for (enum hdf5_as as = HDF5_F32; as <= HDF5_I64 && !same; as++) {
        same = h5.H5Tequal(type, type_in_memory(as)) > 0;
        s->as = as;
    }
    h5.H5Tclose(type);
    return same;
}

/* Opens s->id again with a cache that holds a row of chunks, and counts the chunks in the file. */
static int open_chunks(const struct hdf5_file *f, struct hdf5_set *s, hid_t list, struct err *e)
{
    hsize_t chunk[H5S_MAX_RANK], found;
    double one = (double)s->bytes, side = 1.0, rows = 1.0;
    s->filtered = h5.H5Pget_nfilters(list) != 0;
    bool whole = !s->filtered; /* contiguous rows need no cache */
    if (h5.H5Pget_chunk(list, H5S_MAX_RANK, chunk) != s->rank || s->rank < 1)
        return fail(e, s->path, "the size of its chunks");
    for (int k = 0; k < s->rank; k++) {
        double n = (double)((s->shape[k] + chunk[k] - 1) / chunk[k]);
        s->chunk[k] = chunk[k];
        one *= (double)chunk[k];
        side *= k ? n : 1.0;
        rows *= k ? 1.0 : n;
        whole = whole && (k == 0 || chunk[k] == s->shape[k]);
    }
    /* memory for a chunk as stored, an inflated chunk, and the row of chunks in the cache */
    if (err_over(e, one * (side + 2.0), f->max_mem ? f->max_mem : SIZE_MAX / 2, NULL,
                 "chunks of %s", s->path))
        return -1;
    h5.H5Dclose(s->id);
    hid_t space = -1;
    if ((s->id = open_id(f, s->path, whole ? 0 : one * side, side)) < 0 ||
        (space = h5.H5Dget_space(s->id)) < 0 || h5.H5Dget_num_chunks(s->id, space, &found) < 0)
        return fail(e, s->path, "the number of its chunks");
    h5.H5Sclose(space);
    /* H5Dread_chunk trusts the sizes of the chunks in the file */
    s->plain = whole && same_bytes(s) && chunk[0] == 1 &&
               (double)h5.H5Dget_storage_size(s->id) == one * (double)found;
    s->written = (double)found >= side * rows ? HDF5_ALL_WRITTEN : HDF5_SOME_WRITTEN;
    return 0;
}

/* Finds where the data are, and whether they exist and were written. Returns 0 or -1. */
static int open_data(const struct hdf5_file *f, struct hdf5_set *s, hid_t list, struct err *e)
{
    H5D_space_status_t status;
    H5D_fill_value_t fill;
    int others = h5.H5Pget_external_count(list);
    H5D_layout_t layout = h5.H5Pget_layout(list);
    if (others < 0 || layout == H5D_LAYOUT_ERROR || h5.H5Pfill_value_defined(list, &fill) < 0)
        return fail(e, s->path, "the place of its data");
    s->has_fill = fill == H5D_FILL_VALUE_USER_DEFINED && s->kind <= HDF5_WHOLE;
    if (s->has_fill && h5.H5Pget_fill_value(list, h5.H5T_NATIVE_DOUBLE, &s->fill) < 0)
        return fail(e, s->path, "its fill value");
    s->has_fill = s->has_fill && s->fill != 0.0;
    if (layout == H5D_CHUNKED)
        return open_chunks(f, s, list, e);
    if (layout == H5D_VIRTUAL)
        return check_sources(f, s, list, e);
    if (others && !f->external)
        return err_bad(e,
                       "%s: expected data in this file, found data in %d other files (read them "
                       "with --external)",
                       s->path, others);
    if (others)
        return check_raw(f, s, list, others, e);
    if (h5.H5Dget_space_status(s->id, &status) < 0)
        return fail(e, s->path, "the place of its data");
    if (status == H5D_SPACE_STATUS_NOT_ALLOCATED)
        s->written = HDF5_NONE_WRITTEN;
    return 0;
}

/* Reads the type and shape of s. Returns 0 or -1. */
static int open_shape(struct hdf5_set *s, struct err *e)
{
    hsize_t shape[H5S_MAX_RANK] = {0};
    hid_t space = h5.H5Dget_space(s->id), type = h5.H5Dget_type(s->id);
    s->rank = h5.H5Sget_simple_extent_ndims(space);
    if (s->rank < 0 || type < 0 || h5.H5Sget_simple_extent_dims(space, shape, NULL) < 0)
        return fail(e, s->path, "a data set");
    s->kind = kind_of(type);
    s->bytes = h5.H5Tget_size(type);
    for (int k = 0; k < s->rank && k < HDF5_RANK; k++)
        s->shape[k] = shape[k];
    h5.H5Sclose(space);
    h5.H5Tclose(type);
    return s->rank <= HDF5_RANK
               ? 0
               : err_bad(e, "%s: expected at most %d axes, found %d", s->path, HDF5_RANK, s->rank);
}

int hdf5_set(const struct hdf5_file *f, const char *path, struct hdf5_set *s, struct err *e)
{
    int has = hdf5_has(f, path, e);
    *s = (struct hdf5_set){.id = 0};
    snprintf(s->path, sizeof s->path, "%s", path);
    if (has != 1)
        return has < 0 ? -1 : err_bad(e, "expected the data set %s, found none", path);
    begin();
    if ((s->id = open_id(f, path, -1, 0)) < 0)
        return fail(e, path, "a data set");
    if (open_shape(s, e) != 0)
        return -1;
    hid_t list = h5.H5Dget_create_plist(s->id);
    int bad = list < 0 ? fail(e, path, "a data set") : open_data(f, s, list, e);
    h5.H5Pclose(list);
    return bad;
}

int hdf5_written(const struct hdf5_set *s, int64_t row, struct err *e)
{
    hsize_t at[HDF5_RANK] = {0}, size;
    if (s->written != HDF5_SOME_WRITTEN || row == HDF5_ALL)
        return s->written == HDF5_ALL_WRITTEN;
    at[0] = (hsize_t)row / s->chunk[0] * s->chunk[0];
    for (int k = 0; k >= 0;) {
        begin();
        if (h5.H5Dget_chunk_storage_size(s->id, at, &size) < 0) {
            struct why w = reason(); /* libhdf5 also reports an absent chunk as an error */
            return w.memory || of_machine(w.error) ? fail(e, s->path, "a chunk") : 0;
        }
        if (size == 0)
            return 0;
        for (k = s->rank - 1; k > 0 && (at[k] += s->chunk[k]) >= s->shape[k]; k--)
            at[k] = 0;
        k = k > 0 ? k : -1;
    }
    return 1;
}

/* Selects rows in *file and *memory, which are H5S_ALL for the whole set. Returns 0 or -1. */
static int select_rows(const struct hdf5_set *s, int64_t row, uint64_t rows, hid_t *file,
                       hid_t *memory)
{
    hsize_t from[HDF5_RANK] = {0}, count[HDF5_RANK];
    *file = *memory = H5S_ALL;
    if (row == HDF5_ALL || s->rank == 0)
        return 0;
    from[0] = (hsize_t)row;
    for (int k = 0; k < s->rank; k++)
        count[k] = k ? s->shape[k] : rows;
    *file = h5.H5Dget_space(s->id);
    *memory = h5.H5Screate_simple(s->rank, count, NULL);
    return *memory < 0 || h5.H5Sselect_hyperslab(*file, H5S_SELECT_SET, from, NULL, count, NULL) < 0
               ? -1
               : 0;
}

static void unselect(hid_t file, hid_t memory)
{
    if (file != H5S_ALL) {
        h5.H5Sclose(file);
        h5.H5Sclose(memory);
    }
}

int hdf5_read(const struct hdf5_set *s, int64_t row, uint64_t rows, enum hdf5_as as, void *to,
              struct err *e)
{
    hid_t file = H5S_ALL, memory = H5S_ALL;
    hsize_t at[HDF5_RANK] = {(hsize_t)row};
    uint32_t filters;
    bool in_place = s->plain && as == s->as && rows == 1 && row != HDF5_ALL;
    begin();
    int bad = in_place
                  ? h5.H5Dread_chunk(s->id, H5P_DEFAULT, at, &filters, to) < 0
                  : select_rows(s, row, rows, &file, &memory) != 0 ||
                        h5.H5Dread(s->id, type_in_memory(as), memory, file, h5.transfer, to) < 0;
    if (bad)
        fail(e, s->path, "numbers");
    unselect(file, memory);
    return bad ? -1 : 0;
}

/* ---- texts and attributes */

/* Describes n texts, in the type of the file. If `set` is NULL, they belong to an attribute. */
struct texts {
    hid_t id, type, space; /* `space` describes the texts in memory. */
    const struct hdf5_set *set;
    int64_t row;
    size_t n, size;
    bool variable;
};

static int read_raw(const struct texts *t, char *raw)
{
    hid_t file, memory;
    if (!t->set)
        return h5.H5Aread(t->id, t->type, raw) < 0 ? -1 : 0;
    int bad = select_rows(t->set, t->row, 1, &file, &memory) != 0 ||
              h5.H5Dread(t->id, t->type, memory, file, H5P_DEFAULT, raw) < 0;
    unselect(file, memory);
    return bad ? -1 : 0;
}

static void copy_text(char to[HDF5_WORD], const char *raw, bool variable, size_t size)
{
    const char *s = raw;
    if (variable)
        memcpy(&s, raw, sizeof s);
    size_t len = s ? strnlen(s, variable ? HDF5_WORD - 1 : size) : 0;
    while (!variable && len && s[len - 1] == ' ')
        len--;
    len = len < HDF5_WORD - 1 ? len : HDF5_WORD - 1;
    memcpy(to, s ? s : "", len);
    to[len] = '\0';
}

/* Reads t into *to. Returns 0, or 1 and sets e if the type is not text, or -1. */
static int read_texts(const struct hdf5_file *f, const char *path, struct texts *t,
                      char (**to)[HDF5_WORD], struct err *e)
{
    int variable = h5.H5Tis_variable_str(t->type);
    if (h5.H5Tget_class(t->type) != H5T_STRING)
        return -err_bad(e, "%s: expected text, found another type", path);
    t->size = h5.H5Tget_size(t->type);
    if (variable < 0 || t->size == 0)
        return fail(e, path, "texts");
    t->variable = variable > 0;
    size_t max = f->max_mem ? f->max_mem : SIZE_MAX / 2;
    if (err_over(e, ((double)t->size * 2 + HDF5_WORD) * (double)t->n, max, NULL, "texts of %s",
                 path))
        return -1;
    char *raw = calloc(t->n, t->size);
    *to = calloc(t->n, HDF5_WORD);
    int bad = !raw || !*to ? err_memory(e, "texts") : read_raw(t, raw) ? fail(e, path, "texts") : 0;
    for (size_t k = 0; k < t->n && !bad; k++)
        copy_text((*to)[k], raw + k * t->size, t->variable, t->size);
    if (!bad && t->variable && t->space >= 0)
        h5.H5Dvlen_reclaim(t->type, t->space, H5P_DEFAULT, raw);
    free(raw);
    if (bad) {
        free(*to);
        *to = NULL;
    }
    return bad;
}

int hdf5_texts(const struct hdf5_file *f, const struct hdf5_set *s, int64_t row,
               char (**to)[HDF5_WORD], size_t *n, struct err *e)
{
    double all = 1;
    *to = NULL;
    begin();
    for (int k = row == HDF5_ALL ? 0 : 1; k < s->rank; k++)
        all *= (double)s->shape[k];
    *n = (size_t)(all < 1e15 ? all : 1e15);
    hsize_t count = *n;
    struct texts t = {.id = s->id, .set = s, .row = row, .n = *n};
    t.type = h5.H5Dget_type(s->id);
    t.space = h5.H5Screate_simple(1, &count, NULL);
    int bad = t.type < 0 || t.space < 0 ? fail(e, s->path, "texts")
              : *n                      ? read_texts(f, s->path, &t, to, e)
                                        : 0;
    h5.H5Sclose(t.space);
    h5.H5Tclose(t.type);
    return bad ? -1 : 0;
}

/* Opens an attribute of the object at `path`. Only a few attributes are opened, so they stay open.
 * Returns 1 and sets id, type, space and n of *t, 0 if absent, or -1. */
static int open_attribute(const struct hdf5_file *f, const char *path, const char *name,
                          struct texts *t, struct err *e)
{
    H5G_obj_t kind;
    uint64_t who;
    *t = (struct texts){.id = -1};
    int has = hdf5_has(f, path, e);
    if (has != 1)
        return has;
    if (look_at(f, path, &kind, &who, e) != 0)
        return -1;
    hid_t object = kind == H5G_GROUP     ? h5.H5Gopen2(f->id, path, H5P_DEFAULT)
                   : kind == H5G_DATASET ? open_id(f, path, -1, 0)
                                         : -1;
    htri_t exists = object < 0 ? -1 : h5.H5Aexists(object, name);
    if (exists == 0)
        return 0;
    if (exists < 0 || (t->id = h5.H5Aopen(object, name, H5P_DEFAULT)) < 0)
        return fail(e, path, name);
    t->space = h5.H5Aget_space(t->id);
    t->type = h5.H5Aget_type(t->id);
    hssize_t points = h5.H5Sget_simple_extent_npoints(t->space);
    if (points < 0 || t->type < 0)
        return fail(e, path, name);
    t->n = (size_t)points;
    return 1;
}

int hdf5_attribute(const struct hdf5_file *f, const char *path, const char *attribute,
                   char (**to)[HDF5_WORD], size_t *n, struct err *e)
{
    struct texts t;
    *to = NULL;
    *n = 0;
    int got = open_attribute(f, path, attribute, &t, e);
    if (got != 1 || t.n == 0)
        return got < 0 ? -1 : 0;
    int bad = read_texts(f, path, &t, to, e);
    *n = bad ? 0 : t.n;
    return bad;
}

int hdf5_number(const struct hdf5_file *f, const char *path, const char *attribute, double *v,
                struct err *e)
{
    struct texts t;
    double x;
    int got = open_attribute(f, path, attribute, &t, e);
    if (got != 1)
        return got;
    enum hdf5_kind kind = kind_of(t.type);
    if (t.n != 1 || (kind != HDF5_REAL && kind != HDF5_WHOLE))
        return err_bad(e, "%s: expected a single number as attribute %s, found another value", path,
                       attribute);
    if (h5.H5Aread(t.id, h5.H5T_NATIVE_DOUBLE, &x) < 0)
        return fail(e, path, attribute);
    *v = kind == HDF5_REAL && h5.H5Tget_size(t.type) == 4 ? format_f32_decimal((float)x) : x;
    return 0;
}

int hdf5_enum(const struct hdf5_set *s, unsigned k, char name[HDF5_WORD], int64_t *value,
              struct err *e)
{
    begin();
    hid_t type = h5.H5Dget_type(s->id), base = h5.H5Tget_super(type);
    char *member = NULL, raw[16] = {0};
    int n = h5.H5Tget_nmembers(type);
    bool none = n == (int)k;
    bool got = !none && n > 0 && h5.H5Tget_size(base) <= 8 &&
               (member = h5.H5Tget_member_name(type, k)) != NULL &&
               h5.H5Tget_member_value(type, k, raw) >= 0 &&
               h5.H5Tconvert(base, h5.H5T_NATIVE_INT64, 1, raw, NULL, H5P_DEFAULT) >= 0;
    int status = none ? 0 : got ? 1 : fail(e, s->path, "names of numbers");
    if (got) {
        snprintf(name, HDF5_WORD, "%s", member);
        memcpy(value, raw, sizeof *value);
    }
    if (member)
        h5.H5free_memory(member);
    h5.H5Tclose(base);
    h5.H5Tclose(type);
    return status;
}
#endif
