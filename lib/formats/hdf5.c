/* SPDX-License-Identifier: MIT */
#ifdef HDF5_LIBRARY /* the Makefile found its header, and so it is called here */
#include "formats/hdf5.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define REHEARSAL_SECONDS 60

_Static_assert(sizeof(hid_t) == sizeof(int64_t), "HDF5 1.10 or later");

/* clang-format off */
#define FUNCTIONS(X) X(H5open) X(H5free_memory) X(H5Eset_auto2) X(H5Ewalk2) X(H5Fopen) X(H5Fclose) \
    X(H5Lexists) X(H5Lget_name_by_idx) X(H5Oopen) X(H5Oclose) X(H5Gget_objinfo) X(H5Dopen2) \
    X(H5Dclose) X(H5Dget_space) X(H5Dget_type) X(H5Dread) X(H5Dvlen_reclaim) \
    X(H5Dget_create_plist) X(H5Pcreate) X(H5Pget_chunk) X(H5Pset_chunk_cache) X(H5Pclose) \
    X(H5Screate_simple) X(H5Sget_simple_extent_ndims) X(H5Sget_simple_extent_dims) \
    X(H5Sget_simple_extent_npoints) X(H5Sselect_hyperslab) X(H5Sclose) X(H5Tget_class) \
    X(H5Tget_size) X(H5Tget_native_type) X(H5Tis_variable_str) X(H5Tget_nmembers) \
    X(H5Tget_member_name) X(H5Tget_member_value) X(H5Tconvert) X(H5Tget_super) X(H5Tclose) \
    X(H5Aexists) X(H5Aopen) X(H5Aget_space) X(H5Aget_type) X(H5Aread) X(H5Aclose)
/* clang-format on */
#define VARIABLES(X)                                                                               \
    X(H5T_NATIVE_FLOAT) X(H5T_NATIVE_DOUBLE) X(H5T_NATIVE_INT64) X(H5P_CLS_DATASET_ACCESS_ID)
/* no macro calls the library behind the pointers */
#undef H5OPEN
#undef H5CHECK
#define H5OPEN
#define H5CHECK
#undef H5T_NATIVE_FLOAT
#undef H5T_NATIVE_DOUBLE
#undef H5T_NATIVE_INT64

static struct {
    void *library;
#define X(f) __typeof__(f) *f;
    FUNCTIONS(X)
#undef X
#define X(v) hid_t v;
    VARIABLES(X)
#undef X
} h5;

static int load(struct err *e)
{
    static const char *const names[] = {
#define X(f) #f,
        FUNCTIONS(X)
#undef X
    };
    if (h5.library)
        return 0;
    void *library = dlopen(HDF5_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE), *f = library;
    for (size_t k = 0; f && k < sizeof names / sizeof *names; k++) {
        f = dlsym(library, names[k]);
        memcpy((char *)&h5 + sizeof h5.library + k * sizeof f, &f, sizeof f);
    }
    if (!f || h5.H5open() < 0)
        return err_set(e, ERR_BAD, "is HDF5, and there is no %s here that reads it (%s)",
                       HDF5_LIBRARY,
                       library ? "another version" : "Debian: libhdf5-103, libhdf5-310");
#define X(v)                                                                                       \
    if ((f = dlsym(library, #v "_g")) != NULL)                                                     \
        memcpy(&h5.v, f, sizeof h5.v);
    VARIABLES(X)
#undef X
    h5.H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* nothing on stderr: what is wrong comes from here */
    h5.library = library;
    return 0;
}

static herr_t innermost(unsigned n, const H5E_error2_t *error, void *text)
{
    if (n == 0)
        snprintf(text, 200, "%s", error->desc ? error->desc : "");
    return 0;
}

/* "PATH: expected ...: what libhdf5 says". Returns -1. */
static int fail(struct err *e, const char *path, const char *expected)
{
    char why[200] = "";
    h5.H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, innermost, why);
    h5.H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, why);
    return err_set(e, ERR_BAD,
                   "%s%sexpected %s, found none that libhdf5 reads (cut, or damaged?): %s", path,
                   *path ? ": " : "", expected, why);
}

int64_t hdf5_open(const char *path, struct err *e)
{
    if (load(e) != 0)
        return -1;
    hid_t file = h5.H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    return file >= 0 ? file : fail(e, "", "an HDF5 file");
}

int hdf5_rehearse(void (*look)(void *ctx), void *ctx, struct err *e)
{
    int status = 0;
    pid_t child;
    if (load(e) != 0)
        return -1;
    if ((child = fork()) == 0) {
        int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (null >= 0)
            dup2(null, STDERR_FILENO);
        signal(SIGALRM, SIG_DFL);
        alarm(REHEARSAL_SECONDS);
        look(ctx);
        _exit(0); /* it has come through, and leaves nothing to be flushed */
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return status == 0 ? 0
                       : err_set(e, ERR_BAD,
                                 "expected an HDF5 file, found a damaged one, of which libhdf5 %s",
                                 WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "finds no end"
                                                                                    : "crashes");
}

void hdf5_close(int64_t file, struct hdf5_set *sets, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (sets[k].id > 0)
            h5.H5Dclose(sets[k].id);
    if (file >= 0)
        h5.H5Fclose(file);
}

bool hdf5_has(int64_t file, const char *path)
{
    char part[HDF5_PATH];
    for (size_t n = strcspn(path, "/");; n += 1 + strcspn(path + n + 1, "/")) {
        snprintf(part, sizeof part, "%.*s", (int)n, path);
        if (h5.H5Lexists(file, part, H5P_DEFAULT) <= 0)
            return false;
        if (!path[n])
            return true;
    }
}

int hdf5_member(int64_t file, const char *group, uint64_t k, char name[HDF5_WORD], uint64_t *who)
{
    H5G_stat_t stat = {0};
    char path[HDF5_PATH];
    name[0] = '\0';
    if (!hdf5_has(file, group))
        return -1;
    if (h5.H5Lget_name_by_idx(file, group, H5_INDEX_NAME, H5_ITER_INC, k, name, HDF5_WORD,
                              H5P_DEFAULT) < 0)
        return 0;
    snprintf(path, sizeof path, "%s/%s", group, name);
    *who = h5.H5Gget_objinfo(file, path, true, &stat) < 0 ? 0 : stat.objno[0];
    return 0;
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

int hdf5_set(int64_t file, const char *path, struct hdf5_set *s, struct err *e)
{
    hsize_t shape[H5S_MAX_RANK] = {0};
    memset(s, 0, sizeof *s);
    snprintf(s->path, sizeof s->path, "%s", path);
    if (!hdf5_has(file, path))
        return err_set(e, ERR_BAD, "expected the data set %s, found none", path);
    hid_t id = h5.H5Dopen2(file, path, H5P_DEFAULT);
    if (id < 0)
        return fail(e, path, "a data set");
    s->id = id;
    hid_t space = h5.H5Dget_space(id), type = h5.H5Dget_type(id);
    s->rank = h5.H5Sget_simple_extent_ndims(space);
    int bad = s->rank < 0 || type < 0 || h5.H5Sget_simple_extent_dims(space, shape, NULL) < 0;
    if (!bad) {
        s->kind = kind_of(type);
        s->bytes = h5.H5Tget_size(type);
        for (int k = 0; k < s->rank && k < HDF5_RANK; k++)
            s->shape[k] = shape[k];
    }
    h5.H5Sclose(space);
    h5.H5Tclose(type);
    if (bad)
        return fail(e, path, "a data set");
    return s->rank <= HDF5_RANK ? 0
                                : err_set(e, ERR_BAD, "%s: expected at most %d axes, found %d",
                                          path, HDF5_RANK, s->rank);
}

int hdf5_keep_chunks(struct hdf5_set *s, int64_t file, size_t max_mem, struct err *e)
{
    hsize_t chunk[H5S_MAX_RANK];
    hid_t list = h5.H5Dget_create_plist(s->id), access;
    int rank = h5.H5Pget_chunk(list, H5S_MAX_RANK, chunk);
    double one = (double)s->bytes, side = 1.0;
    h5.H5Pclose(list);
    if (rank != s->rank || rank < 1)
        return 0; /* contiguous */
    for (int k = 0; k < rank; k++) {
        one *= (double)chunk[k];
        side *= k ? (double)((s->shape[k] + chunk[k] - 1) / chunk[k]) : 1.0;
    }
    /* a chunk as it is in the file, inflated, and the row of them that is kept */
    if (err_over(e, one * (side + 2.0), max_mem ? max_mem : SIZE_MAX / 2, NULL, "chunks of %s",
                 s->path))
        return -1;
    access = h5.H5Pcreate(h5.H5P_CLS_DATASET_ACCESS_ID);
    h5.H5Pset_chunk_cache(access, (size_t)(side * 100.0) % 1000003 + 101, (size_t)(one * side),
                          1.0);
    h5.H5Dclose(s->id);
    hid_t id = h5.H5Dopen2(file, s->path, access);
    h5.H5Pclose(access);
    s->id = id < 0 ? 0 : id;
    return id < 0 ? fail(e, s->path, "a data set") : 0;
}

int hdf5_read(const struct hdf5_set *s, int64_t row, enum hdf5_as as, void *to, struct err *e)
{
    const hid_t types[] = {h5.H5T_NATIVE_FLOAT, h5.H5T_NATIVE_DOUBLE, h5.H5T_NATIVE_INT64};
    hsize_t from[HDF5_RANK] = {0}, count[HDF5_RANK];
    hid_t file = H5S_ALL, memory = H5S_ALL;
    int bad = 0;
    if (row != HDF5_ALL && s->rank > 0) {
        from[0] = (hsize_t)row;
        for (int k = 0; k < s->rank; k++)
            count[k] = k ? s->shape[k] : 1;
        file = h5.H5Dget_space(s->id);
        memory = h5.H5Screate_simple(s->rank, count, NULL);
        bad =
            memory < 0 || h5.H5Sselect_hyperslab(file, H5S_SELECT_SET, from, NULL, count, NULL) < 0;
    }
    bad = bad || h5.H5Dread(s->id, types[as], memory, file, H5P_DEFAULT, to) < 0;
    if (bad)
        fail(e, s->path, "numbers");
    if (file != H5S_ALL) {
        h5.H5Sclose(file);
        h5.H5Sclose(memory);
    }
    return bad ? -1 : 0;
}

/* n texts of this type that an attribute or set (H5Aread, H5Dread) holds. */
static int read_texts(hid_t id, bool attribute, hid_t space, hid_t type, size_t n,
                      char (*to)[HDF5_WORD])
{
    bool variable = h5.H5Tis_variable_str(type) > 0;
    size_t size = h5.H5Tget_size(type);
    char *raw = n < SIZE_MAX / 2 / size ? calloc(n, size) : NULL;
    int bad = !raw || (attribute ? h5.H5Aread(id, type, raw)
                                 : h5.H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw)) < 0;
    for (size_t k = 0; k < n && !bad; k++) {
        const char *s = raw + k * size;
        if (variable)
            memcpy(&s, raw + k * size, sizeof s);
        size_t len = s ? strnlen(s, variable ? HDF5_WORD - 1 : size) : 0;
        while (!variable && len && s[len - 1] == ' ')
            len--;
        len = len < HDF5_WORD - 1 ? len : HDF5_WORD - 1;
        memcpy(to[k], s ? s : "", len);
        to[k][len] = '\0';
    }
    if (!bad && variable)
        h5.H5Dvlen_reclaim(type, space, H5P_DEFAULT, raw);
    free(raw);
    return bad ? -1 : 0;
}

/* An attribute of what is at path; negative: there is none. */
static hid_t attribute_of(int64_t file, const char *path, const char *name)
{
    hid_t object = hdf5_has(file, path) ? h5.H5Oopen(file, path, H5P_DEFAULT) : -1, id = -1;
    if (object >= 0 && h5.H5Aexists(object, name) > 0)
        id = h5.H5Aopen(object, name, H5P_DEFAULT);
    if (object >= 0)
        h5.H5Oclose(object);
    return id;
}

char (*hdf5_texts(int64_t file, const char *path, const char *attribute, size_t *n))[HDF5_WORD]
{
    char(*to)[HDF5_WORD] = NULL;
    hid_t id =
        attribute ? attribute_of(file, path, attribute) : h5.H5Dopen2(file, path, H5P_DEFAULT);
    *n = 0;
    if (id < 0)
        return NULL;
    hid_t space = attribute ? h5.H5Aget_space(id) : h5.H5Dget_space(id),
          type = attribute ? h5.H5Aget_type(id) : h5.H5Dget_type(id);
    hssize_t points = h5.H5Sget_simple_extent_npoints(space);
    if (points > 0 && points < 1 << 26 && kind_of(type) == HDF5_TEXT && h5.H5Tget_size(type) > 0)
        to = calloc((size_t)points, HDF5_WORD);
    if (to && read_texts(id, attribute, space, type, (size_t)points, to) != 0) {
        free(to);
        to = NULL;
    }
    *n = to ? (size_t)points : 0;
    h5.H5Tclose(type);
    h5.H5Sclose(space);
    if (attribute)
        h5.H5Aclose(id);
    else
        h5.H5Dclose(id);
    return to;
}

double hdf5_number(int64_t file, const char *path, const char *attribute, double none)
{
    double v = none;
    hid_t id = attribute_of(file, path, attribute);
    if (id < 0)
        return none;
    hid_t space = h5.H5Aget_space(id);
    if (h5.H5Sget_simple_extent_npoints(space) == 1 && h5.H5Aread(id, h5.H5T_NATIVE_DOUBLE, &v) < 0)
        v = none;
    h5.H5Sclose(space);
    h5.H5Aclose(id);
    return v;
}

int hdf5_enum(const struct hdf5_set *s, unsigned k, char name[HDF5_WORD], int64_t *value)
{
    hid_t type = h5.H5Dget_type(s->id), base = h5.H5Tget_super(type);
    char *member = NULL, raw[16] = {0};
    int n = h5.H5Tget_nmembers(type);
    bool got = n > 0 && k < (unsigned)n && h5.H5Tget_size(base) <= 8 &&
               (member = h5.H5Tget_member_name(type, k)) != NULL &&
               h5.H5Tget_member_value(type, k, raw) >= 0 &&
               h5.H5Tconvert(base, h5.H5T_NATIVE_INT64, 1, raw, NULL, H5P_DEFAULT) >= 0;
    if (got) {
        snprintf(name, HDF5_WORD, "%s", member);
        memcpy(value, raw, sizeof *value);
    }
    if (member)
        h5.H5free_memory(member);
    h5.H5Tclose(base);
    h5.H5Tclose(type);
    return got ? 0 : -1;
}
#endif
