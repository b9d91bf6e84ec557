set -u
cp cuda/g4/g4_gpu_lag_mma.cuh .lag_old
rm -rf /tmp/new; mkdir /tmp/new; cp -r . /tmp/new/ 2>/dev/null; cp .lag_new /tmp/new/cuda/g4/g4_gpu_lag_mma.cuh
L=build/tests/bench/g4_ladder
(cd /tmp/new && make -j12 CUDA_ARCH=90 $L >$OUT/new.log 2>&1) &
make -j16 CUDA_ARCH=90 programs $L >$OUT/old.log 2>&1 || { tail -20 $OUT/old.log; exit 1; }
wait
date +%T
for n in 1 2 3; do for v in . /tmp/new; do echo "$v $( (cd $v; $L time 256 20000 48; $L sums 256 20000 48; $L lists 100000 1024 48; $L time 4000 2048 48) | grep -o '[0-9.]* ms device' | tr '\n' ' ')"; done; done | tee $OUT/ladder.txt
keep=$(awk '$1 == "." { for (k = 2; k < NF; k++) if ($k ~ /^[0-9.]+$/) o[k] = (k in o && o[k] < $k) ? o[k] : $k } $1 != "." { for (k = 2; k < NF; k++) if ($k ~ /^[0-9.]+$/) w[k] = (k in w && w[k] < $k) ? w[k] : $k } END { ok = 1; for (k in o) { printf "%d: %.3f ", k, w[k] / o[k] >"/dev/stderr"; if (w[k] > 1.015 * o[k]) ok = 0 } print ok }' $OUT/ladder.txt)
echo "keep new: $keep"
if [ "$keep" = 1 ]; then cp .lag_new cuda/g4/g4_gpu_lag_mma.cuh; make -j16 CUDA_ARCH=90 programs >>$OUT/old.log 2>&1; fi
date +%T
export BIN=$PWD/build/bin
(REQUIRE_GPU=1 timeout 300 tests/emu/gpu-sanitize.sh >$OUT/san.log 2>&1; tail -3 $OUT/san.log) &
GPU=1 CHECK_ALL=1 timeout 330 tests/check build >$OUT/check.log 2>&1
wait
grep -E "^    not ok|^    #|passed" $OUT/check.log | grep -v "# skip" | head -50
