// SPDX-License-Identifier: MIT
// nextflow.groovy FILE PROCESS [NAME=VALUE...]: what FILE, a workflow of Nextflow, starts in PROCESS, read by Groovy, whose language
// that is, where there is no Nextflow: its script with the values put in; and, for status=S, what it does after that exit status.
// Of Nextflow itself (channels, staging) there is nothing here.
def found = [:], params = [:], values = [:]
args.drop(2).each { def (name, value) = it.split('=', 2); values[name] = value }

class Size { long mega; long toMega() { mega } }
Integer.metaClass.getGB = { -> new Size(mega: delegate * 1000) }
Size.metaClass.multiply = { n -> new Size(mega: delegate.mega * n) }

/** What the words in a process mean: values are those of the command line, declarations are kept. */
class Process {
    Map values, params, kept = [:]
    def propertyMissing(String name) {
        if (name == 'params') return params
        if (name in values) return values[name]
        throw new MissingPropertyException(name, Process)
    }
    def methodMissing(String name, given) { kept[name] = given ? given[0] : null }
}

def script = new GroovyShell(new Binding(params: params, nextflow: new Expando(enable: new Expando()))).parse(new File(args[0]))
script.metaClass.methodMissing = { String name, given ->
    if (name == 'process' || name == 'workflow') return given[0]
    found[name] = given[0] // process NAME { } is process(NAME({ }))
    null
}
script.run()
values.each { name, value -> if (name in params) params[name] = value }
def body = found[args[1]]
if (!body) throw new Exception("${args[0]}: no process ${args[1]}")
def process = new Process(values: values + [task: [cpus: 1, attempt: 1, memory: new Size(mega: 1000),
    exitStatus: (values.status ?: '0') as int]], params: params)
body.delegate = process
body.resolveStrategy = Closure.DELEGATE_FIRST
def text = body()
if (values.status) {
    def then = process.kept.errorStrategy
    then.delegate = process
    then.resolveStrategy = Closure.DELEGATE_FIRST
    text = then()
}
println text
