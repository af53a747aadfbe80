/** Programs that run the program in their arguments, and builtins of the shell. */
import { commandOf, runs } from "../table/programSettings.ts"
import { isSigningVariable } from "../table/signingSettings.ts"
import { written } from "../table/flags.ts"
import { type Findings, type Spec, unnamed, type Word } from "../table/spec.ts"
import { isWritten, pathsOf, problemOf } from "../table/variables.ts"

interface Form {
  /** Flags without a value, and with one in the next word. */
  readonly switches: RegExp
  readonly values: RegExp
  /** Operands before the program. */
  readonly operands: number
  /** Flags with a value in the next word, which a rule has to name. */
  readonly risky?: RegExp
  /** Never allowed by a rule for the wrapper and one for the program. */
  readonly always?: string
  /** What runs may be another program than the one that is named. */
  readonly hides?: true
}

const rest = (words: ReadonlyArray<Word>, form: Form, findings: Findings): ReadonlyArray<Word> => {
  let index = 0
  for (; index < words.length; index++) {
    const word = words[index]
    const text = word?.text
    if (word === undefined || text === undefined || text === null || !text.startsWith("-")) break
    if (text === "--") {
      index++
      break
    }
    findings.neutral(word.at)
    if (form.values.test(text)) findings.neutral(word.at + 1)
    if (form.risky?.test(text) === true) {
      findings.hazard(word.at, `its flag ${text} may change what runs or write a file`)
      written(word, words[index + 1], findings)
      index++
    } else if (form.values.test(text)) index++
    else if (!form.switches.test(text)) {
      findings.hazard(word.at, `its flag ${text} may change what runs`)
      written(word, words[index + 1], findings)
    }
  }
  for (const word of words.slice(index, index + form.operands)) findings.neutral(word.at)
  const glob = words.slice(0, index + form.operands).find((word) => word.glob)
  if (glob !== undefined) findings.hazard(unnamed, `what ${glob.written} stands for may be a program`)
  return words.slice(index + form.operands)
}

const wrapper = (form: Form): Spec => ({
  read: (words, findings) => {
    const inner = rest(words, form, findings)
    const first = inner[0]
    if (form.hides === true) findings.hides()
    if (form.always !== undefined || first === undefined) findings.changes()
    if (form.always !== undefined && first !== undefined) findings.hazard(first.at, form.always)
    if (first !== undefined) findings.inner(inner, false)
  }
})

const none = /^$/

const env: Spec = {
  read: (words, findings) => {
    let at = 0
    for (; at < words.length; at++) {
      const word = words[at]
      const text = word?.text
      if (word === undefined || text === undefined || text === null) break
      const [, name, setting = ""] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? []
      if (name !== undefined) {
        const given = { text: setting, glob: word.glob, written: setting }
        const program = words.slice(at).find((next) => !/^\w+=/.test(next.text ?? ""))?.text
        const problem = problemOf(name, given, program ?? undefined)
        if (problem === undefined) findings.neutral(word.at)
        else findings.hazard(word.at, problem)
        for (const path of pathsOf(name, given)) findings.target({ ...word, ...path }, "read")
        if (isWritten(name)) findings.target({ ...word, ...given }, "output")
        runs({ ...word, ...given }, commandOf(name, given.text), findings)
        if (isSigningVariable(name, setting)) findings.floor("keys")
        continue
      }
      if (!text.startsWith("-")) break
      findings.hazard(word.at, `its flag ${text} may change what runs`)
      const value = words[at + 1]
      if (/^(?:-[a-z]*S|--split-string)$/.test(text) && value !== undefined) findings.script(value)
      if (text.startsWith("--split-string=")) findings.script({ ...word, text: text.slice(15) })
      if (/^(?:-[a-z]*[uCPS]|--unset|--chdir|--split-string)$/.test(text)) at++
    }
    const inner = words.slice(at)
    if (inner.length === 0) findings.hazard(words.at(-1)?.at ?? 0, "it shows the environment")
    else findings.inner(inner, false)
  }
}

const command: Spec = {
  read: (words, findings) => {
    const [first, ...others] = words
    if (first?.text === "-v" || first?.text === "-V") return
    if (first?.text?.startsWith("-") === true) findings.hazard(first.at, "its flags may change what runs")
    findings.inner(first?.text?.startsWith("-") === true ? others : words, false)
  }
}

const evaluate: Spec = {
  read: (words, findings) => {
    findings.changes()
    findings.hides()
    findings.hazard(unnamed, "it runs text as a command")
    const values = words.map(({ text }) => text)
    const first = words[0]
    if (first === undefined) return
    findings.script({ ...first, text: values.includes(null) ? null : values.join(" ") })
  }
}

const source: Spec = {
  read: (words, findings) => {
    findings.changes()
    findings.hides()
    findings.hazard(unnamed, "it runs a file in the shell itself")
    findings.target(words[0], "read")
  }
}

const builtins =
  "let declare typeset local readonly export unset read readarray mapfile wait ulimit umask unalias set shopt enable hash bind complete compgen compopt getopts fc history logout return shift suspend disown bg fg jobs kill pushd popd dirs coproc caller"

const stateful: Spec = {
  read: (words, findings) => {
    findings.changes()
    findings.hazard(unnamed, "it changes the shell itself")
    for (const word of words) {
      findings.target(word, "mention")
      const [, name = "", value = ""] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word.text ?? "") ?? []
      if (isWritten(name)) findings.target({ ...word, text: value }, "output")
      runs(word, commandOf(name, value), findings)
      if (isSigningVariable(name, value)) findings.floor("keys")
    }
  }
}

/** Variables for all that follows: harmless ones only. */
const exported: Spec = {
  readOnly: true,
  read: (words, findings) => {
    const isHarmless = words.every(({ glob, text }) => {
      const [, name, value = ""] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text ?? "") ?? []
      return name !== undefined && problemOf(name, { text: value, glob }, undefined) === undefined
    })
    if (words.length === 0 || !isHarmless) return stateful.read?.(words, findings)
  }
}

/** A name that stands for text. */
const alias: Spec = {
  read: (words, findings) => {
    stateful.read?.(words, findings)
    for (const word of words) {
      const value = word.text?.split(/=(.*)/s)[1]
      if (value !== undefined) findings.script({ ...word, text: value })
    }
  }
}

/** What it keeps runs when the shell ends. */
const trap: Spec = {
  read: (words, findings) => {
    findings.changes()
    findings.hides()
    findings.hazard(unnamed, "it runs text as a command")
    const script = words.find(({ text }) => text?.startsWith("-") !== true)
    if (script !== undefined) findings.script(script)
  }
}

const fetching = wrapper({
  switches: /^(?:--no-install|--no|--yes|-y|--quiet|-q|--offline|--prefer-offline)$/,
  values: none,
  operands: 0,
  always: "it runs a program that it may fetch first",
  hides: true
})

export const wrappers: Readonly<Record<string, Spec>> = {
  env,
  command,
  builtin: wrapper({ switches: none, values: none, operands: 0, always: "it changes what a name means" }),
  exec: wrapper({ switches: /^-[cl]+$/, values: none, risky: /^-a$/, operands: 0, always: "it replaces the shell" }),
  timeout: wrapper({
    switches: /^(?:-v|--verbose|--foreground|--preserve-status|-[ks].+|--(?:kill-after|signal)=.*)$/,
    values: /^(?:-k|-s|--kill-after|--signal)$/,
    operands: 1
  }),
  nohup: wrapper({ switches: none, values: none, operands: 0, always: "it may go on in the background" }),
  nice: wrapper({ switches: /^-n?\d+$/, values: /^-n$/, operands: 0 }),
  ionice: wrapper({ switches: /^-[cn]\d$/, values: /^-[cn]$/, operands: 0 }),
  stdbuf: wrapper({
    switches: /^-[ioe].+$/,
    values: /^-[ioe]$/,
    operands: 0,
    always: "it changes what a program loads"
  }),
  setsid: wrapper({ switches: /^-[cfw]+$/, values: none, operands: 0, always: "it leaves the group of the command" }),
  valgrind: wrapper({
    switches:
      /^(?:-q|-v|--quiet|--verbose|--(?:tool|leak-check|show-leak-kinds|track-origins|error-exitcode|errors-for-leak-kinds|num-callers|undef-value-errors|show-reachable|trace-children|gen-suppressions)=[\w,-]+)$/,
    values: none,
    operands: 0
  }),
  time: wrapper({ switches: /^-[pv]$/, values: none, risky: /^-[of]$/, operands: 0 }),
  sudo: wrapper({
    switches: /^-[nEHSkb]+$/,
    values: /^(?:-[ugpC]|--user|--group)$/,
    operands: 0,
    always: "it runs with other rights"
  }),
  doas: wrapper({ switches: /^-[ns]+$/, values: /^-[uC]$/, operands: 0, always: "it runs with other rights" }),
  busybox: wrapper({
    switches: none,
    values: none,
    operands: 0,
    always: "its programs differ from those of the table"
  }),
  toybox: wrapper({ switches: none, values: none, operands: 0, always: "its programs differ from those of the table" }),
  npx: fetching,
  bunx: fetching,
  uvx: fetching,
  eval: evaluate,
  trap,
  alias,
  source,
  ".": source,
  ...Object.fromEntries(builtins.split(" ").map((name) => [name, stateful])),
  export: exported,
  // In a loop; elsewhere they do nothing.
  break: { readOnly: true, operands: "text" },
  continue: { readOnly: true, operands: "text" }
}
