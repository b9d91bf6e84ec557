#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The installed library: headers, pkg-config and names. The filters of mbf(3) and mbf(5) are built
# with it outside the tree.
load ../helpers

setup_file() {
    export P=$BATS_FILE_TMPDIR/p TREE_HERE
    TREE_HERE=$(realpath --relative-to="$ROOT" "${BIN%/bin}")
    make -s -C "$ROOT" O="$TREE_HERE" CUDA=0 install-library install-pages PREFIX="$P" >/dev/null
    export PKG_CONFIG_PATH=$P/lib/pkgconfig LD_LIBRARY_PATH=$P/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
}

# example SECTION: prints the C code of the page in this section
example() { awk '/^\.Bd -literal$/ { on = 1; next } /^\.Ed$/ { on = 0 } on' "$P/share/man/man$1/mbf.$1" | sed 's/\\e/\\/g'; }

@test "the filters of mbf(3) and mbf(5) build with pkg-config alone and run in a pipe" {
    example 3 >center.c
    example 5 >shift.c
    for f in center shift; do
        # shellcheck disable=SC2046 # words
        [ -z "$("${CC:-cc}" -O2 -Wall -Wextra -Wno-sign-compare -o $f $f.c $(pkg-config --cflags --libs mbf) 2>&1)" ]
    done
    readelf -d center | grep -q 'NEEDED.*libmbf\.so\.[0-9]'
    xyz2bin -q --select 0:20 "$DATA/argon256.xyz.gz" -o a.mbf
    for d in f32 f64; do
        xyz2bin -q --dtype $d --select 0:20 "$DATA/argon256.xyz.gz" | ./center -o c.mbf
        frame-check c.mbf
        bin2txt c.mbf | awk '!/^#/ { n[$1]++; for (k = 0; k < 3; k++) s[$1, k] += $(NF - k) }
            END { for (i in n) for (k = 0; k < 3; k++) if ((s[i, k] / n[i]) ^ 2 > 1e-10 || n[i] != 256) exit 1; exit length(n) != 20 }' # f32 near 20 A: 2e-6
    done
    ./center c.mbf | compare --atol 1e-5 - <(./shift 1 2 3 <a.mbf | ./center)
    head -c 20000 a.mbf >cut
    fails 2 ./center cut -o out.mbf
    [[ $output == "center: cut: "*TRUNCATED* && ! -e out.mbf ]] || { echo "$output"; false; }
    ./center --help | grep -q 'mean of the positions to the origin'
}

@test "the same from libmbf.a, with what pkg-config --static adds" {
    example 3 >center.c
    # shellcheck disable=SC2046 # words
    "${CC:-cc}" -o center center.c $(pkg-config --cflags mbf) "$P/lib/libmbf.a" $(pkg-config --static --libs-only-l mbf | sed 's/-lmbf//')
    xyz2bin -q --select 0:3 "$DATA/argon256.xyz.gz" | LD_LIBRARY_PATH= ./center | frame-check
}

@test "each public header compiles alone, as C11 and as C++17, and none but these is installed" {
    cd "$P/include"
    [ "$(find mbf -name '*.h' | wc -l)" -eq 15 ]
    for h in $(find mbf -name '*.h'); do
        # shellcheck disable=SC2046 # words
        echo "#include <$h>" | "${CC:-cc}" -std=c11 -Wall -Werror -fsyntax-only $(pkg-config --cflags mbf) -x c -
        # shellcheck disable=SC2046 # words
        echo "#include <$h>" | c++ -std=c++17 -Wall -Werror -fsyntax-only $(pkg-config --cflags mbf) -x c++ -
    done
}

@test "the library exports what its headers declare, and no other name" {
    (cd "$P/include" && for h in $(find mbf -name '*.h'); do echo "#include <$h>"; done) >all.c
    # shellcheck disable=SC2046 # words
    "${CC:-cc}" -E -P $(pkg-config --cflags mbf) all.c | tr -cs 'a-z0-9_' '\n' | sort -u >words
    nm -D --defined-only "$P/lib/libmbf.so" | awk '{ print $3 }' | sort >shared
    nm -g --defined-only "$P/lib/libmbf.a" | awk 'NF == 3 { print $3 }' | sort >static
    cmp shared static
    [ -z "$(comm -23 shared words)" ] || { comm -23 shared words; false; }
    for name in frame_open frame_next frame_put frame_end meta_get traj_next traj_put series_read cli_parse err_set; do
        grep -qx $name shared || { echo "$name is not exported"; false; }
    done
    ! grep -E '^(queue|pool|codec|wire|reader|gunzip)_' shared
}

@test "a value that no enum has, and a size that no array has, is refused by every function that takes one, and leaves no file" {
    cat >odd.c <<'C'
#include <math.h>
#include <stdio.h>
#include <mbf/stats/series.h>
#include <mbf/stream/traj.h>
static double x[64];
static struct err e;
static int put(struct frame_desc d, const void *data)
{
    struct frame_writer *w = frame_create("odd.mbf", &(struct frame_writer_opts){.tool = "odd"}, &e);
    struct meta *m = meta_new();
    int bad = frame_put_meta(w, m) || frame_put(w, &d, data) || frame_end(w, FRAME_COMPLETE, NULL, NULL);
    meta_free(m);
    if ((frame_close_writer(w, &e) != 0) != (bad != 0))
        printf("put %d, close another\n", bad);
    return bad;
}
#define MUST(what) if (!(what)) printf("taken: %s\n", #what)
int main(void)
{
    const struct frame_desc good = {.type = FRAME_SERI, .dtype = FRAME_F64, .ndim = 2, .dims = {2, 1}};
    struct frame_desc d = good;
    for (int k = -300; k < 300; k++) {
        d = good, d.dtype = k;
        MUST((k >= 0 && k < 8) || put(d, x));
        MUST((frame_dtype_size(k) != 0) == (k >= 0 && k < 8));
        d = good, d.type = k;
        MUST((k >= FRAME_POSN && k <= FRAME_SCAL) || put(d, x));
        d = good, d.ndim = k;
        MUST((k >= 2 && k <= 4) || put(d, x)); // no elements, of 3 and 4
        struct frame_writer *w = frame_create("odd.mbf", &(struct frame_writer_opts){.tool = "odd", .compress = k}, &e);
        MUST(!w == (k < -1 || k > 9));
        struct meta *m = meta_new();
        MUST(!w || frame_put_meta(w, m) == 0);
        MUST(!w || (frame_end(w, k, NULL, NULL) == 0) == (k >= 0 && k < 3));
        meta_free(m);
        frame_close_writer(w, &e);
        remove("odd.mbf");
        struct traj_info i = {.type = k, .dtype = FRAME_F64, .natoms = 2, .ncomp = 1};
        w = frame_create("odd.mbf", &(struct frame_writer_opts){.tool = "odd"}, &e);
        struct traj_writer *t = traj_writer_like(w, &i, 1);
        MUST(!t == (k != FRAME_POSN && k != FRAME_PAIR && k != FRAME_SERI));
        traj_writer_free(t);
        i.type = FRAME_POSN, i.dtype = k;
        t = traj_writer_like(w, &i, 1);
        MUST(!t == (k < 0 || k > 7));
        traj_writer_free(t);
        frame_close_writer(w, &e);
        struct frame_reader *r = frame_open("/dev/null", NULL);
        MUST(!traj_open(r, k, &e));
        frame_close_reader(r);
    }
    d = good, d.dims[3] = 1;
    MUST(put(d, x));
    d = good, d.dims[0] = d.dims[1] = (uint64_t)1 << 40;
    MUST(put(d, x));
    d = good, d.time = INFINITY;
    MUST(put(d, x));
    MUST(put(good, NULL));
    d = good, d.type = FRAME_OTHER;
    MUST(put(d, x)); // no letters
    snprintf(d.code, 5, "POSN");
    MUST(put(d, x));
    snprintf(d.code, 5, "NEWS");
    MUST(put(d, x) == 0);
    remove("odd.mbf");
    d.flags = FRAME_CRITICAL;
    MUST(put(d, x));
    unsigned char species[4];
    char names[1][16];
    struct meta *m = meta_new();
    MUST(meta_set(m, "sys.species", "A 2 B 2") == 0);
    for (int k = -300; k < 2; k++)
        MUST(meta_species(m, 4, species, names, k, &e) < 0);
    meta_free(m);
    return 0;
}
C
    # shellcheck disable=SC2046 # words
    "${CC:-cc}" -g -o odd odd.c $(pkg-config --cflags --libs mbf)
    run ./odd
    [ "$status" -eq 0 ] && [ -z "$output" ] || { echo "$status $output"; false; }
    [ ! -e odd.mbf ]
}

@test "uninstall leaves no file of the library" {
    make -s -C "$ROOT" O="$TREE_HERE" CUDA=0 install-library DESTDIR="$PWD/to" PREFIX=/usr >/dev/null
    [ -f to/usr/lib/libmbf.a ] && [ -f to/usr/include/mbf/stream/frame.h ]
    [ "$(PKG_CONFIG_PATH=to/usr/lib/pkgconfig pkg-config --modversion mbf)" = "$(xyz2bin --version | sed -n '1s/.* //p')" ]
    make -s -C "$ROOT" O="$TREE_HERE" CUDA=0 uninstall DESTDIR="$PWD/to" PREFIX=/usr
    [ -z "$(find to -type f -o -type l)" ] || { find to -type f; false; }
}
