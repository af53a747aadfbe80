/**
 * Flags that a runner passes on to a program it does not name: those that are harmless for every program that may be
 * behind it, a test runner, a checker, a compiler, a bundler or `node` itself.
 *
 * Sources: the manuals of vitest, jest, mocha, ava, playwright, cypress, node, tsc, eslint, prettier, vite, webpack,
 * turbo, libtest, rustc (lints), pytest. What loads code or settings (`--import`, `--require`, `-r`, `--loader`,
 * `--config`, `-c`, `--env`, `--globalSetup`, a reporter by its path), writes where it is told, or opens a port, is not here.
 */
import type { Findings, Word } from "./spec.ts"

const split = (text: string): ReadonlySet<string> => new Set(text.split(" "))

const switches = split(
  "--watch --watchAll --no-watch --coverage --no-coverage --silent --verbose --quiet -q -v -vv -vvv --ci --bail -b --fail-fast --failFast --passWithNoTests --pass-with-no-tests --runInBand --run-in-band -i --updateSnapshot --update-snapshots --update -u --onlyChanged --changed --listTests --list --detectOpenHandles --forceExit --exit --no-color --color --colors --expand --noStackTrace --no-cache --cache --recursive --parallel --serial --fix --no-fix --check --write --list-different --fix-dry-run --noEmit --pretty --strict --incremental --listFiles -w --help -h --version -V --headed --headless --sourcemap --source-maps --minify --no-minify --production --prod --dev --development --dry-run --dry --nocapture --no-capture --show-output --ignored --include-ignored --exact --last-failed --single-run --once --stats --trace-warnings --no-warnings --all --full --only --if-present --stream --continue --no-daemon --offline --locked --frozen --release --no-fail-fast --no-interactive --short --race --lf --ff -x -s"
)

/** With a value in the next word or behind `=`: a text that is compared or shown. */
const texts = split(
  "-t --testNamePattern --test-name-pattern -g --grep --match --fgrep --testPathPattern --testPathPatterns --testPathIgnorePatterns --filter --scope --skip -k --name --tag --tags --grep-invert --ignore-pattern --exclude --include"
)

/** With a value that is a number or a plain word: never a path. */
const words = split(
  "--watch --watchAll --coverage --coverage.enabled --bail --maxWorkers --max-workers --minWorkers --workers -j --jobs --concurrency --retries --retry --repeat-each --repeats --timeout --testTimeout --test-timeout --hookTimeout --slow --shard --seed --project --projects --browser --mode --port --max-warnings --log-level --logLevel --level --test-threads --maxfail --durations --tb --color --colors --cache --parallel --target --module --jsx --pool --isolate --fileParallelism --threads --verbose --silent --ext --locale --lang --last-failed --update-snapshots --runInBand --ci --count --times -n --depth --limit"
)

/** Reporters of test runners that are built in; any other name is a module. */
const reporters =
  /^(?:default|verbose|dot|json|spec|basic|tap|tap-flat|junit|min|list|line|nyan|progress|github|github-actions|hanging-process|summary|agent|tree|html|stylish|compact|unix|codeframe|pretty|minimal|terse)$/

const plain = /^[A-Za-z0-9][\w,:-]*$|^\d+(?:\.\d+)?%?$|^\d+\/\d+$|^\.[a-z]{1,4}(?:,\.[a-z]{1,4})*$/
const lint = /^(?:[a-z][\w:-]*)$/

/** Lints of rustc and clippy, whose levels are one letter: `-D warnings`. */
const lints = /^-[DWAF]/

/** How many words a flag takes that is harmless; undefined for any other. */
const taken = (text: string, next: Word | undefined): number | undefined => {
  const equals = text.indexOf("=")
  const name = equals < 0 ? text : text.slice(0, equals)
  const value = equals < 0 ? next?.text : text.slice(equals + 1)
  const width = equals < 0 ? 2 : 1
  // A name behind `--run` is a script to node, and nothing to others.
  if (name === "--run") return equals >= 0 || (typeof value === "string" && /^[^-][^./]*$/.test(value)) ? undefined : 1
  if (lints.test(text)) {
    const level = text.length > 2 ? text.slice(2) : (next?.text ?? "")
    return lint.test(level) ? (text.length > 2 ? 1 : 2) : undefined
  }
  if (name === "--reporter" || name === "--reporters") return reporters.test(value ?? "") ? width : undefined
  if (equals < 0 && switches.has(text)) return 1
  if (texts.has(name)) return typeof value === "string" && !next?.glob && !value.startsWith("-") ? width : undefined
  if (words.has(name)) {
    return typeof value === "string" && plain.test(value) ? width : undefined
  }
  return undefined
}

/** The words behind `--`, or behind a script of a runner that passes all of them on. */
export const judgePassed = (own: ReadonlyArray<Word>, findings: Findings): void => {
  for (let at = 0; at < own.length; at++) {
    const word = own[at]
    if (word === undefined) continue
    const { glob, text } = word
    if (text !== null && (!text.startsWith("-") || text === "-") && !(glob && /^[*?]/.test(text))) {
      if (/^@[^/]*$/.test(text)) findings.hazard(word.at, "its arguments may come from a file")
      findings.target(word, "mention")
      continue
    }
    const width = text === null || glob ? undefined : taken(text, own[at + 1])
    if (width === undefined) {
      findings.hazard(word.at, `its argument ${text ?? word.written} may run code or write a file`)
      const value = text?.slice(text.indexOf("=") + 1)
      findings.target(value === undefined ? word : { ...word, text: value }, "mention")
      continue
    }
    for (let index = at; index < at + width; index++) {
      const passed = own[index]
      if (passed !== undefined) findings.neutral(passed.at)
      if (passed !== undefined && index > at) findings.target(passed, "mention")
    }
    at += width - 1
  }
}
