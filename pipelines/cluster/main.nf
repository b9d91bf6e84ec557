#!/usr/bin/env nextflow
// SPDX-License-Identifier: MIT
// Computes a spectrum from a trajectory in several parts, with Nextflow (--shares N sets the number of parts):
//   nextflow run pipelines/cluster/main.nf --trajectory argon.mbf --shares 16 --lags 48 [-process.executor slurm]
//   nextflow run ... --trajectory water.mbf --analysis rdf-cpu --options '--bins 500 --pair O-O'    // writes correlation.mbf
// The programs must be on PATH. Options are words of a shell: quote a value that contains blanks. Nextflow escapes blanks in paths.
nextflow.enable.dsl = 2

params.trajectory = 'argon.mbf'
params.shares = 16
params.lags = 48
params.analysis = 'g4-cpu'
params.options = "--lags ${params.lags}"

process index {
    input:
    path trajectory

    output:
    path '*.mbi'

    script:
    """
    frame-index ${trajectory}
    """
}

// The exit status decides: 2 is an error of the user, 4 needs more memory, and all other statuses are system errors.
process share {
    cpus 1
    memory { 1.GB * task.attempt }
    errorStrategy { task.exitStatus == 2 ? 'terminate' : 'retry' }
    maxRetries 3

    input:
    tuple val(k), path(trajectory), path(index)

    output:
    path "${k}-of-${params.shares}.cf"

    script:
    """
    '${params.analysis}' -t ${task.cpus} --max-mem ${task.memory.toMega()}M ${params.options} --shard ${k}/${params.shares} ${trajectory} \
        -o ${k}-of-${params.shares}.cf
    """
}

process merge {
    publishDir '.', mode: 'copy'

    input:
    path parts

    output:
    path 'correlation.mbf'

    script:
    """
    frame-merge ${parts} -o correlation.mbf
    """
}

process spectrum {
    publishDir '.', mode: 'copy'

    input:
    path correlation

    output:
    path 'spectrum.mbf'

    script:
    """
    fft-spectrum -q ${correlation} -o spectrum.mbf
    """
}

workflow {
    trajectory = Channel.fromPath(params.trajectory, checkIfExists: true)
    index(trajectory)
    share(Channel.of(1..params.shares).combine(trajectory).combine(index.out))
    merge(share.out.collect())
    if (params.analysis.startsWith('g4-')) {
        spectrum(merge.out)
    }
}
