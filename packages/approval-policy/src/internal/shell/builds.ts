/** Compilers, build tools, checkers and runners of tests: what they run is code of the project. */
import { assigned, runner, tool } from "./rows.ts"
import type { Findings, Parsed, Spec } from "./spec.ts"

const cargo = tool({
  flags: "--version -V -q --quiet -v --verbose --offline --locked --list",
  harmless:
    "--release -r -p: --package: --workspace --all --lib --bins --bin: --tests --test: --examples --example: --benches --features: -F: --all-features --no-default-features --all-targets --no-run --no-fail-fast -q --quiet -v --verbose --offline --locked --frozen --message-format: -j: --jobs: --keep-going --check --depth: -e: --edges:",
  runs: "build b check c test t run r bench clippy fmt doc clean update add remove install fix nextest tree metadata search locate-project pkgid publish yank",
  reads: "version"
})

const go = tool({
  flags: "",
  harmless:
    "-v -race -short -run: -count: -timeout: -cover -bench: -benchmem -parallel: -failfast -p: -x -n -a -m -json -u -e -f: -deps -tags: -cpu: -list: -benchtime:",
  runs: "test build run vet fmt install generate get mod clean work version list doc env",
  long: true
})

const pip = tool({
  flags: "--version -V",
  harmless: "-v -q --format: -o --outdated -l --local --user -U --upgrade",
  runs: "install uninstall download wheel",
  reads: "list show freeze check help index"
})

const plugins = ({ operands }: Parsed, findings: Findings): void => {
  for (const word of operands) {
    if (word.text?.includes(":") !== false) findings.hazard(word.at, "it runs a plugin by its name")
    if (word.text?.startsWith("deploy") === true) findings.floor("remote")
    findings.target(word, "mention")
  }
}

const make: Spec = {
  flags:
    "-# -k -s -n -B -j? -i -q -w --silent --dry-run --always-make --keep-going --version --no-print-directory --jobs?",
  operands: assigned
}

/** Their own flags may load plugins and write anywhere. */
const compiler = runner("-c -g -S -E -v -O? -W= -f= -I: -D: -o> --version")

export const builds: Readonly<Record<string, Spec>> = {
  tsc: runner(
    "--noEmit -p< --project< -b --build --watch -w --pretty? --version -v --listFiles --skipLibCheck --strict --incremental --showConfig --target: --module:"
  ),
  eslint: runner(
    "--fix --ext: --max-warnings: --quiet --cache --no-cache -f= --format= --color --no-color --report-unused-disable-directives --version --fix-dry-run"
  ),
  prettier: runner("--check -c --write -w -l --list-different --log-level: --no-color --ignore-unknown -u --version"),
  oxlint: runner("--fix --quiet --deny-warnings --type-aware --format= -f= --version"),
  biome: runner("--write --fix --version"),
  vitest: runner(
    "--run -t: --testNamePattern: --reporter= --watch -w --no-color --bail? --coverage --silent --version -u --update --project: --no-coverage"
  ),
  jest: runner(
    "-t: --testNamePattern: --watch --watchAll --coverage --ci --verbose --silent -i --runInBand --bail -u --updateSnapshot --no-coverage --passWithNoTests --maxWorkers: --version --listTests -o --onlyChanged"
  ),
  mocha: runner("-g: --grep: -b --bail -w --watch --timeout: -t: --recursive --parallel --exit --version"),
  pytest: runner(
    "-v -vv -vvv -q -x -s -k: -m: -l -rA -ra --lf --ff --last-failed --failed-first --maxfail: --tb: --co --collect-only -n: --durations: --no-header --exitfirst --verbose --quiet --stepwise --sw --version --disable-warnings -W: --cov? --no-cov --cov-report= --timeout: --color:"
  ),
  mypy: runner("--strict --ignore-missing-imports --show-error-codes --pretty --no-incremental --version"),
  ruff: {
    flags: "--version",
    sub: {
      check: runner(
        "--fix --diff -q --select: --ignore: --statistics --show-fixes --output-format: --watch -n --no-cache"
      ),
      format: runner("--check --diff -q")
    }
  },
  black: runner("--check --diff -q -v --line-length: -l: --fast --version"),
  flake8: runner("--max-line-length: --select: --ignore: --count --statistics --version"),
  make,
  gmake: make,
  bmake: make,
  nmake: make,
  cmake: { flags: "--version", operands: assigned },
  ninja: { flags: "-j: -v -n -k: --version", operands: assigned },
  cargo,
  go,
  rustc: runner("--version -V -vV"),
  gcc: compiler,
  "g++": compiler,
  cc: compiler,
  "c++": compiler,
  clang: compiler,
  "clang++": compiler,
  ld: runner("--version"),
  javac: runner("-version --version -Xlint"),
  gofmt: { flags: "-l -d -s -e", operands: "read", readOnly: true },
  pip,
  uv: tool({
    flags: "--version",
    harmless: "-q -v --frozen --locked --all-extras --group:",
    runs: "sync add remove lock pip tool venv tree build publish",
    reads: "version",
    launches: "run"
  }),
  poetry: tool({
    flags: "--version",
    harmless: "-q -v",
    runs: "install add remove update lock build show check publish",
    reads: "version",
    launches: "run"
  }),
  bundle: tool({
    flags: "--version",
    harmless: "-q",
    runs: "install update add list show check outdated",
    launches: "exec"
  }),
  gradle: runner("-q --info --offline --no-daemon --stacktrace --version -v"),
  mvn: { flags: "-q -B -o -v --version -ntp --offline", long: true, operands: plugins },
  dotnet: tool({
    flags: "--version --info --list-sdks --list-runtimes",
    harmless: "-c: --configuration: --no-build --no-restore -v: --verbosity: --nologo",
    runs: "build test run restore clean format publish",
    reads: "help"
  })
}
