/** Shells and other languages: programs that run text or files. */
import { runner } from "../table/rows.ts"
import { apply } from "../table/apply.ts"
import { type Spec, unnamed, type Word } from "../table/spec.ts"

/** Flags of shells with a value in the next word. */
const valued = /^(?:[-+][a-z]*[oO]|--rcfile|--init-file)$/

/** Where the first word begins that is no flag: a text behind `-c`, else a file. */
const operandOf = (words: ReadonlyArray<Word>): number => {
  for (let at = 0; at < words.length; at++) {
    const text = words[at]?.text
    if (text === undefined) break
    if (text === null || !/^[-+]/.test(text)) return at
    if (valued.test(text)) at++
  }
  return -1
}

/** `-c text`, a script file, or what it reads. */
const shell: Spec = {
  read: (words, findings) => {
    findings.changes()
    findings.hides()
    const at = operandOf(words)
    const flags = at < 0 ? words : words.slice(0, at)
    const first = words[at]
    const takes = flags.some(({ text }) => text !== null && /^-[a-z]*c/.test(text))
    if (first === undefined || (!takes && flags.some(({ text }) => text !== null && /^-[a-z]*s/.test(text)))) {
      findings.hazard(unnamed, "a shell runs what it is given")
      findings.input()
      return
    }
    findings.hazard(first.at, "a shell runs what it is given")
    if (takes) findings.script(first)
    else findings.target(first, "read")
    for (const word of flags)
      if (!/^-[ceux]+$/.test(word.text ?? "")) findings.hazard(words.at(-1)?.at ?? 0, "its flags may change what runs")
    for (const word of words.slice(at + 1)) findings.target(word, "mention")
  }
}

/** `-n` only reads the script. */
const checking: Spec = {
  readOnly: true,
  read: (words, findings) => {
    const [first, ...files] = words
    const checks =
      first?.text === "-n" &&
      files.length > 0 &&
      files.every(({ glob, text }) => text !== null && !(glob ? /^[-+*?]/ : /^[-+]/).test(text))
    if (!checks) return shell.read?.(words, findings)
    for (const file of files) findings.target(file, "read")
  }
}

/** Languages that are not read here: nothing but a person's word covers what they run. */
const foreign: Spec = {
  read: (words, findings) => {
    findings.changes()
    findings.hides()
    findings.floor("foreign")
    findings.hazard(unnamed, "what cmd and PowerShell make of a text cannot be told")
    for (const word of words) findings.target(word, "mention")
  }
}

/** An interpreter: allowed by a rule that names the file; with a flag for code, by a rule that names the code. */
const isFlag = ({ text }: Word): boolean => text?.startsWith("-") === true

export const interpreter = (harmless: string, edits = false): Spec => {
  const switches = new Set(harmless.split(" "))
  return {
    read: (words, findings) => {
      const at = words.findIndex(({ text }) => text === null || !text.startsWith("-"))
      const only = words[0]
      if (words.length === 1 && only !== undefined && switches.has(only.text ?? "")) return
      findings.changes()
      findings.hides()
      const tests = words.some(({ text }) => text === "--test")
      if (at < 0 && !tests) findings.hazard(unnamed, "an interpreter runs what it is given")
      const inPlace = edits && words.some(({ text }) => text !== null && /^-[a-zA-Z0-9]*i/.test(text))
      for (const [index, word] of words.entries()) {
        const isFile = index === at && !inPlace && !/[\s()]/.test(word.text ?? "")
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

const nodeTests = runner(
  "--test --test-name-pattern: --test-skip-pattern: --test-only --test-concurrency: --test-timeout: --test-shard: --test-force-exit --test-update-snapshots --watch --experimental-test-coverage --experimental-strip-types --experimental-transform-types --experimental-test-module-mocks --enable-source-maps --no-warnings --trace-warnings"
)

/** With `--test` first it runs the tests of the project: a rule names that. With `--check` it only reads. */
const node: Spec = {
  read: (words, findings) => {
    const [first, ...files] = words
    const isPlain = files.every(({ glob, text }) => !glob && text?.startsWith("-") === false)
    if (/^(?:-c|--check)$/.test(first?.text ?? "") && files.length > 0 && isPlain) {
      for (const file of files) findings.target(file, "read")
      return
    }
    if (first?.text !== "--test") return interpreter("--version -v --help -version").read?.(words, findings)
    findings.changes()
    findings.hides()
    findings.hazard(first.at, "it runs code of the project")
    apply(words.slice(1), nodeTests, findings)
  }
}

/** `php -l` only reads the file. */
const php: Spec = {
  readOnly: true,
  read: (words, findings) => {
    const [first, ...files] = words
    const checks =
      first?.text === "-l" &&
      files.length > 0 &&
      files.every(({ glob, text }) => !glob && text?.startsWith("-") === false)
    if (!checks) return interpreter("--version -v --help -version").read?.(words, findings)
    for (const file of files) findings.target(file, "read")
  }
}

const each = (names: string, spec: Spec): Readonly<Record<string, Spec>> =>
  Object.fromEntries(names.split(" ").map((name) => [name, spec]))

export const interpreters: Readonly<Record<string, Spec>> = {
  ...each("sh bash dash", checking),
  ...each("zsh ksh fish rbash ash csh tcsh mksh pdksh oksh yash posh nu elvish xonsh", shell),
  ...each("cmd powershell pwsh wscript cscript mshta wsl forfiles", foreign),
  ...each("python python2 python3 pypy pypy3 ipython", interpreter("--version -V -VV --help")),
  ...each(
    "tsx ts-node lua luajit R Rscript osascript java julia tclsh wish elixir iex escript erl ghc ghci runghc runhaskell ocaml guile racket sbcl clojure clj bb groovy kotlin kotlinc scala raku jupyter octave matlab gjs qjs jshell",
    interpreter("--version -v --help -version")
  ),
  ...each("node nodejs", node),
  php,
  ...each("perl ruby", interpreter("--version -v --help", true))
}
