#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# sanitize
# gzip in, by ISA-L or, in the sanitized programs, by zlib: the same bytes, the same words for what is damaged.
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
    [[ $output == *"c.xyz: frame 0: line "*": truncated: the gzip data ends in the middle"* ]]
    { cat a.xyz; echo trailing; } >c.xyz
    fails 2 xyz2bin -o out.mbf c.xyz
    [[ $output == *"corrupt: something that is not gzip follows the compressed data"* ]]
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
    [ "$output" = "xyz2bin: a.xyz: frame 0: line 1: truncated: the gzip data ends in the middle" ]
    { gzip -c "$DATA/argon8.xyz"; printf '\037'; } >b.xyz
    fails 2 xyz2bin -o out.mbf b.xyz
    [[ $output == *"truncated: the gzip data ends in the middle"* ]]
}

@test "a large .gz: one member or many, the same bytes for any number of threads; cut or damaged, why" {
    python3 - <<'PY'
import os, zlib
digits = bytes(48 + k % 10 for k in range(256))
n, frames = 1000, 120
with open("run.xyz", "wb") as out:
    for f in range(frames):
        d = os.urandom(27 * n).translate(digits)
        rows = b"".join(b"Ar 3.%b 1.%b 2.%b\n" % (d[k:k + 9], d[k + 9:k + 18], d[k + 18:k + 27]) for k in range(0, 27 * n, 27))
        out.write(b"%d\nstep %d\n%b" % (n, f, rows))
raw = open("run.xyz", "rb").read()
def gz(b, level=1, strategy=0):
    c = zlib.compressobj(level, zlib.DEFLATED, 31, 8, strategy)
    return c.compress(b) + c.flush()
one, half = gz(raw), len(raw) // 2
def out(name, b): open(name, "wb").write(b)
out("one.gz", one)
out("zeros.gz", one + bytes(3000000)) # as a tape has it
out("many.gz", b"".join(gz(raw[k:k + 65280]) for k in range(0, len(raw), 65280)))
out("mixed.gz", gz(raw[:half], 1, zlib.Z_FIXED) + gz(raw[half:], 0))
out("cut.gz", one[:-3000])
out("trailer.gz", one[:-8] + bytes([one[-8] ^ 1]) + one[-7:])
out("length.gz", one[:-4] + bytes([one[-4] ^ 1]) + one[-3:])
out("behind.gz", one + b"more")
PY
    o=(-q --dt 1 --cell 90 --unsorted-ok --dtype f64)
    xyz2bin "${o[@]}" -t 1 - <run.xyz -o want
    for f in one zeros many mixed; do
        for t in 1 2 5; do
            xyz2bin "${o[@]}" -t $t - <$f.gz -o got
            cmp got want
        done
    done
    for f in cut:"truncated: the gzip data ends" trailer:"incorrect data check" length:"incorrect length check" behind:"not gzip follows"; do
        fails 2 xyz2bin "${o[@]}" -t 3 "${f%%:*}.gz" -o out.mbf
        [[ $output == *"${f#*:}"* && ! -e out.mbf ]]
    done
}

@test "heads of gzip members in any piece, and what is wrong with a member, in words" {
    python3 - <<'PY'
import struct, zlib
raw = b"".join(b"2\nstep %d\nAr 1.%d 2 3\nAr 4 5 6.%d\n" % (k, k, k) for k in range(200))
def out(name, *parts): open(name, "wb").write(b"".join(parts))
def head(flags): return b"\x1f\x8b\x08" + bytes([flags]) + bytes(6)
c = zlib.compressobj(6, zlib.DEFLATED, -15)
body = c.compress(raw) + c.flush()
crc, size = struct.pack("<I", zlib.crc32(raw)), struct.pack("<I", len(raw))
end, crc16 = crc + size, struct.pack("<H", zlib.crc32(head(2)) & 0xffff)
long = struct.pack("<H", 65535) + bytes(65535) + b"n" * 300000 + b"\0" + b"c" * 300000 + b"\0" # more than is read at once
out("text", raw)
out("good-head", head(2), crc16, body, end)
out("good-long", head(28), long, body, end, head(28), long, b"\x03\0", bytes(8))
out("flags", head(64), body, end)
out("method", b"\x1f\x8b\x07", head(0)[3:], body, end)
out("crc16", head(2), b"no", body, end)
out("block", head(0), b"\7", body[1:], end)
out("far", head(0), b"\x03\x02", bytes(9)) # a match, and nothing before it
out("data", head(0), body, b"none", size)
out("length", head(0), body, crc, b"none")
PY
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
