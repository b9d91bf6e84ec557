#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# sanitize
# gzip input, read by ISA-L or, in the sanitized programs, by zlib: the bytes and the messages about
# damage are the same.
load ../helpers

# rows FILE [OPTIONS]: the data rows "step t atom x y z".
rows() { xyz2bin "$@" | bin2txt | grep -v '^#'; }

@test "gzip by content: any name, several members, cut, damaged, garbage behind" {
    gzip -c "$DATA/argon8.xyz" >a.xyz
    rows "$DATA/argon8.xyz" >want
    rows a.xyz | cmp - want
    { head -n 10 "$DATA/argon8.xyz" | gzip -c; tail -n +11 "$DATA/argon8.xyz" | gzip -1c; head -c 512 /dev/zero; } >b.xyz
    rows b.xyz | cmp - want
    head -c 60 a.xyz >c.xyz
    fails 2 xyz2bin -o out.mbf c.xyz
    [[ $output == *"c.xyz: frame 0: line "*": truncated: the gzip data is incomplete"* ]]
    { cat a.xyz; echo trailing; } >c.xyz
    fails 2 xyz2bin -o out.mbf c.xyz
    [[ $output == *"corrupt: bytes that are not gzip follow the compressed data"* ]]
    { head -c 100 a.xyz; printf '\377\377\377\377\377\377'; tail -c +107 a.xyz; } >c.xyz
    fails 2 xyz2bin -o out.mbf c.xyz
    [ ! -e out.mbf ]
    # a wrong checksum at the very end
    { head -c -8 a.xyz; printf '\0\0\0\0'; tail -c 4 a.xyz; } >c.xyz
    fails 2 xyz2bin -o out.mbf c.xyz
    [[ $output == *"corrupt gzip data"* ]]
}

@test "a gzip file cut after its first byte, and between members, is truncated" {
    printf '\037' >a.xyz
    fails 2 xyz2bin -o out.mbf a.xyz
    [ "$output" = "xyz2bin: a.xyz: frame 0: line 1: truncated: the gzip data is incomplete" ]
    { gzip -c "$DATA/argon8.xyz"; printf '\037'; } >b.xyz
    fails 2 xyz2bin -o out.mbf b.xyz
    [[ $output == *"truncated: the gzip data is incomplete"* ]]
}

@test "a large .gz: one member or many, the same bytes for any number of threads; cut or damaged, why" {
    py forge/gzip_large
    o=(-q --dt 1 --cell 90 --unsorted-ok --dtype f64)
    xyz2bin "${o[@]}" -t 1 - <run.xyz -o want
    for f in one zeros many mixed; do
        for t in 1 2 5; do
            xyz2bin "${o[@]}" -t $t - <$f.gz -o got
            cmp got want
        done
    done
    for f in cut:"truncated: the gzip data is incomplete" trailer:"incorrect data check" length:"incorrect length check" behind:"not gzip follow"; do
        fails 2 xyz2bin "${o[@]}" -t 3 "${f%%:*}.gz" -o out.mbf
        [[ $output == *"${f#*:}"* && ! -e out.mbf ]]
    done
}

@test "heads of gzip members in any piece, and what is wrong with a member, in words" {
    py forge/gzip_members
    o=(-q --dt 1 --cell 90 --unsorted-ok)
    xyz2bin "${o[@]}" - <text -o want
    for f in good-*; do
        xyz2bin "${o[@]}" - <$f -o got
        cmp got want
        { for k in $(seq 40); do head -c 1; done; cat; } <$f | xyz2bin "${o[@]}" -o got
        cmp got want
    done
    fails 2 xyz2bin "${o[@]}" flags
    [[ $output == *"before byte 4:"* ]]
    for f in flags:"unknown header flags set" method:"unknown compression method" crc16:"header crc mismatch" block:"invalid block" \
        far:"invalid distance too far back" data:"incorrect data check" length:"incorrect length check"; do
        fails 2 xyz2bin "${o[@]}" "${f%%:*}" -o out.mbf
        [[ $output == "xyz2bin: ${f%%:*}: corrupt gzip data before byte "*": ${f#*:}"* && ! -e out.mbf ]] || { echo "$f: $output"; false; }
    done
}

@test "--version says what inflates" {
    for t in xyz2bin traj2bin txt2bin; do
        [[ $($t --version) == *$'\ngzip by '?*" "[0-9]* ]] || { $t --version; false; }
    done
}
