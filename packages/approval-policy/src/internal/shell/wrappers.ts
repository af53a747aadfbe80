/** Programs that run the program in their arguments, and shells and interpreters that run text or files. */
import { type Findings, type Spec, unnamed, type Word } from "./spec.ts"

export const inertNames: ReadonlySet<string> = new Set(["NODE_ENV", "CI", "FORCE_COLOR", "NO_COLOR", "LC_ALL", "TZ"])

interface Form {
  /** Flags without a value, and with one in the next word. */
  readonly switches: RegExp
  readonly values: RegExp
  /** Operands before the program. */
  readonly operands: number
  /** Never allowed by a rule for the wrapper and one for the program. */
  readonly always?: string
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
    if (form.values.test(text)) index++
    else if (!form.switches.test(text)) findings.hazard(word.at, `its flag ${text} may change what runs`)
  }
  const glob = words.slice(0, index + form.operands).find((word) => word.glob)
  if (glob !== undefined) findings.hazard(unnamed, `what ${glob.written} stands for may be a program`)
  return words.slice(index + form.operands)
}

const wrapper = (form: Form): Spec => ({
  read: (words, findings) => {
    const inner = rest(words, form, findings)
    const first = inner[0]
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
      const name = /^([A-Za-z_]\w*)=/.exec(text)?.[1]
      if (name !== undefined) {
        if (!inertNames.has(name)) findings.hazard(word.at, `${name} may change what runs`)
        continue
      }
      if (!text.startsWith("-")) break
      findings.hazard(word.at, `its flag ${text} may change what runs`)
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

/** A shell: `-c text`, or a script file. */
const shell: Spec = {
  read: (words, findings) => {
    findings.changes()
    const at = words.findIndex(({ text }) => text === null || !/^[-+]/.test(text))
    const flags = at < 0 ? words : words.slice(0, at)
    const first = at < 0 ? undefined : words[at]
    const last = words.at(-1)
    if (first === undefined) {
      findings.hazard(unnamed, "a shell runs what it is given")
      return
    }
    findings.hazard(first.at, "a shell runs what it is given")
    if (flags.some(({ text }) => text !== null && /^-[a-z]*c/.test(text))) findings.script(first)
    else findings.target(first, "read")
    for (const word of flags)
      if (!/^-[ceux]+$/.test(word.text ?? "")) findings.hazard(last?.at ?? 0, "its flags may change what runs")
    for (const word of words.slice(at + 1)) findings.target(word, "mention")
  }
}

/** Languages that are not read here: nothing but a person's word covers what they run. */
const foreign: Spec = {
  read: (words, findings) => {
    findings.changes()
    findings.floor("foreign")
    findings.hazard(unnamed, "what cmd and PowerShell make of a text cannot be told")
    for (const word of words) findings.target(word, "mention")
  }
}

const evaluate: Spec = {
  read: (words, findings) => {
    findings.changes()
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
    findings.hazard(unnamed, "it runs a file in the shell itself")
    findings.target(words[0], "read")
  }
}

/** An interpreter: allowed by a rule that names the file; with a flag for code, by a rule that names the code. */
const isFlag = ({ text }: Word): boolean => text?.startsWith("-") === true

const interpreter = (harmless: string, edits = false): Spec => {
  const switches = new Set(harmless.split(" "))
  return {
    read: (words, findings) => {
      const at = words.findIndex(({ text }) => text === null || !text.startsWith("-"))
      const only = words[0]
      if (words.length === 1 && only !== undefined && switches.has(only.text ?? "")) return
      findings.changes()
      const tests = words.some(({ text }) => text === "--test")
      if (at < 0 && !tests) findings.hazard(unnamed, "an interpreter runs what it is given")
      const inPlace = edits && words.some(({ text }) => text !== null && /^-[a-zA-Z0-9]*i/.test(text))
      for (const [index, word] of words.entries()) {
        const isFile = index === at && !inPlace
        if (index <= at) findings.hazard(word.at, "an interpreter runs what it is given")
        // With -i they are changed in place.
        findings.target(word, isFile ? "read" : inPlace && !isFlag(word) ? "tree" : "mention")
      }
      const flagged = words.findIndex(
        ({ text }) => text !== null && /^-(?:[a-zA-Z]*[eprcmME]|-(?:eval|print|require|import))/.test(text)
      )
      const code = flagged >= 0 && (flagged < at || at < 0) ? words[flagged + 1] : undefined
      if (code !== undefined) findings.hazard(code.at, "an interpreter runs what it is given")
      // A module has flags of its own.
      const flag = words[flagged]?.text ?? ""
      if (flag === "-m" && code !== undefined) findings.inner(words.slice(flagged + 1), false)
      else if (/^-[a-zA-Z]*m/.test(flag)) findings.hazard(unnamed, "an interpreter runs what it is given")
    }
  }
}

const builtins =
  "let declare typeset local readonly export unset read readarray mapfile wait ulimit umask alias unalias set shopt enable hash bind complete compgen compopt getopts fc history logout return shift suspend disown bg fg jobs kill pushd popd dirs coproc caller"

const stateful: Spec = {
  read: (words, findings) => {
    findings.changes()
    findings.hazard(unnamed, "it changes the shell itself")
    for (const word of words) findings.target(word, "mention")
  }
}

/** What it keeps runs when the shell ends. */
const trap: Spec = {
  read: (words, findings) => {
    findings.changes()
    findings.hazard(unnamed, "it runs text as a command")
    const script = words.find(({ text }) => text?.startsWith("-") !== true)
    if (script !== undefined) findings.script(script)
  }
}

const fetching = wrapper({
  switches: /^(?:--no-install|--no|--yes|-y)$/,
  values: none,
  operands: 0,
  always: "it runs a program that it may fetch first"
})

export const wrappers: Readonly<Record<string, Spec>> = {
  env,
  command,
  builtin: wrapper({ switches: none, values: none, operands: 0, always: "it changes what a name means" }),
  exec: wrapper({ switches: none, values: none, operands: 0, always: "it replaces the shell" }),
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
  time: wrapper({ switches: /^-[pv]$/, values: none, operands: 0 }),
  sudo: wrapper({ switches: /^-[nEHSkb]+$/, values: /^-[ugpC]$/, operands: 0, always: "it runs with other rights" }),
  doas: wrapper({ switches: /^-[ns]+$/, values: /^-[uC]$/, operands: 0, always: "it runs with other rights" }),
  parallel: wrapper({
    switches: /^$/,
    values: /^-[jnI]$/,
    operands: 0,
    always: "it builds commands from what it reads"
  }),
  busybox: wrapper({
    switches: none,
    values: none,
    operands: 0,
    always: "its programs differ from those of the table"
  }),
  toybox: wrapper({ switches: none, values: none, operands: 0, always: "its programs differ from those of the table" }),
  watch: wrapper({ switches: /^-[dtgbe]+$/, values: /^-n$/, operands: 0, always: "it runs text as a command" }),
  npx: fetching,
  bunx: fetching,
  uvx: fetching,
  eval: evaluate,
  trap,
  ...Object.fromEntries(["cmd", "powershell", "pwsh", "wscript", "cscript", "mshta"].map((name) => [name, foreign])),
  source,
  ".": source,
  ...Object.fromEntries(["sh", "bash", "dash", "zsh", "ksh", "fish", "rbash", "ash"].map((name) => [name, shell])),
  ...Object.fromEntries(
    ["python", "python3", "python2", "pypy3"].map((name) => [name, interpreter("--version -V -VV --help")])
  ),
  ...Object.fromEntries(
    ["node", "deno", "bun", "tsx", "ts-node", "php", "lua", "Rscript", "osascript", "java"].map((name) => [
      name,
      interpreter("--version -v --help -version")
    ])
  ),
  ...Object.fromEntries(["perl", "ruby"].map((name) => [name, interpreter("--version -v --help", true)])),
  ...Object.fromEntries(builtins.split(" ").map((name) => [name, stateful]))
}
