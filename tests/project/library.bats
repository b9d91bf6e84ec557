#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The installed library: headers, pkg-config, names; the filters of mbf(3) and mbf(5) built against it, out of the tree.
load ../helpers

setup_file() {
    export P=$BATS_FILE_TMPDIR/p TREE_HERE
    TREE_HERE=$(realpath --relative-to="$ROOT" "${BIN%/bin}")
    make -s -C "$ROOT" O="$TREE_HERE" CUDA=0 install-library install-pages PREFIX="$P" >/dev/null
    export PKG_CONFIG_PATH=$P/lib/pkgconfig LD_LIBRARY_PATH=$P/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
}

# example SECTION: the C of its page
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
    ./center --help | grep -q 'positions around their mean'
}

@test "the same from libmbf.a, with what pkg-config --static adds" {
    example 3 >center.c
    # shellcheck disable=SC2046 # words
    "${CC:-cc}" -o center center.c $(pkg-config --cflags mbf) "$P/lib/libmbf.a" $(pkg-config --static --libs-only-l mbf | sed 's/-lmbf//')
    xyz2bin -q --select 0:3 "$DATA/argon256.xyz.gz" | LD_LIBRARY_PATH= ./center | frame-check
}

@test "each public header compiles alone, as C11 and as C++17, and none but these is installed" {
    cd "$P/include"
    [ "$(find mbf -name '*.h' | wc -l)" -eq 13 ]
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

@test "uninstall leaves no file of the library" {
    make -s -C "$ROOT" O="$TREE_HERE" CUDA=0 install-library DESTDIR="$PWD/to" PREFIX=/usr >/dev/null
    [ -f to/usr/lib/libmbf.a ] && [ -f to/usr/include/mbf/stream/frame.h ]
    [ "$(PKG_CONFIG_PATH=to/usr/lib/pkgconfig pkg-config --modversion mbf)" = "$(xyz2bin --version | sed -n '1s/.* //p')" ]
    make -s -C "$ROOT" O="$TREE_HERE" CUDA=0 uninstall DESTDIR="$PWD/to" PREFIX=/usr
    [ -z "$(find to -type f -o -type l)" ] || { find to -type f; false; }
}
