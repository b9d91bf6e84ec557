# SPDX-License-Identifier: MIT
# long
# The runs of tests/golden/runs give what tests/golden/runs.txt records: streams, texts, messages.
# tests/README.md states what to do where a result changed on purpose.

load ../helpers

setup_file() {
    numpy_python
    [ -z "${REMAKE:-}" ] || { cd "$BATS_FILE_TMPDIR" && py whole/runs "$BIN" --remake >&3 && return; }
    cd "$BATS_FILE_TMPDIR" && py whole/runs "$BIN" inputs
}

setup() {
    cd "$BATS_FILE_TMPDIR" && numpy_python
}

@test "readers give the recorded streams and messages" { py whole/runs "$BIN" readers; }

@test "files of each format, as other programs write them, give the recorded streams and messages" { left; py whole/runs "$BIN" formats; }

@test "damaged files of each format give the recorded streams and messages" { left; py whole/runs "$BIN" damaged; }

@test "logs and tables give the recorded series, coefficients and messages" { py whole/runs "$BIN" tables; }

@test "selections and joins give the recorded streams and messages" { py whole/runs "$BIN" selections; }

@test "programs of motion give the recorded streams, numbers and messages" { py whole/runs "$BIN" motion; }

@test "programs of waves and bond order give the recorded streams, numbers and messages" { py whole/runs "$BIN" waves; }

@test "programs of pairs give the recorded streams, numbers and messages" { py whole/runs "$BIN" pairs; }

@test "alpha-cpu gives the recorded streams and messages" { py whole/runs "$BIN" polarizability; }

@test "programs of time series and spectra give the recorded streams, numbers and messages" { py whole/runs "$BIN" series; }

@test "texts, verdicts and streams with another META give the recorded numbers and messages" { py whole/runs "$BIN" results; }

@test "too little memory gives the recorded messages" { left; py whole/runs "$BIN" memory; }
