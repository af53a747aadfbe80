/** Compilers, build tools, checkers and runners of tests: what they run is code of the project. */
import { bins } from "./checkers.ts"
import { gradle, mvn } from "./java.ts"
import { native } from "./native.ts"
import { python } from "./python.ts"
import { ran, runner, tool } from "../table/rows.ts"
import type { Spec } from "../table/spec.ts"

const cargoFlags =
  "--release -r -p: --package: --workspace --all --exclude: --lib --bins --bin: --tests --test: --examples --example: --benches --bench: --features: -F: --all-features --no-default-features --all-targets --no-run --no-fail-fast -q --quiet -v -vv --verbose --offline --locked --frozen --message-format: -j: --jobs: --keep-going --check --depth: -e: --edges: --doc --no-deps --open --document-private-items --profile= --target= --color: --timings? --ignore-rust-version --future-incompat-report --fix --allow-dirty --allow-staged --allow-no-vcs --dev --build --optional --no-dedupe -d --duplicates -i: --invert: --prefix: --charset: --format: -f: --edition: --name: --vcs: --bin --dry-run -n --aggressive --precise: --recursive --rename: --branch: --tag: --rev: --edit-script --all-crates -E: --filter-expr: --run-ignored= --retries: --test-threads: --nocapture --no-capture --failure-output= --success-output= --status-level= --final-status-level= --fail-fast --max-fail: --partition: --no-tests= --ignored --lcov --html --summary-only --workspace-only --ignore-filename-regex: --fail-under-lines: --no-clean --text --json --manifest-path< --format-version: --filter-platform: --no-metadata"

const cargoBefore =
  "--version -V --list -q --quiet -v -vv --verbose --offline --locked --frozen --color: --explain: --help -h -C< "

const cargo = tool({
  flags: cargoBefore,
  harmless: cargoFlags,
  runs: "build b check c test t run r bench clippy fmt doc clean update add remove rm install fix nextest tree metadata search locate-project pkgid publish yank generate-lockfile fetch vendor new init package audit outdated deny llvm-cov machete expand udeps info report hack insta",
  reads: "version help"
})

const goFlags =
  "-coverprofile> -v -race -short -run: -count: -timeout: -cover -covermode: -coverpkg: -bench: -benchmem -parallel: -failfast -p: -x -n -a -m -json -u -e -f: -deps -tags: -cpu: -list: -benchtime: -skip: -shuffle: -vet: -mod= -trimpath -buildvcs? -asan -msan -test -versions -retracted -compat= -go= -t -d -s -fullpath -artifacts -work -linkshared -find -compiled -modcacherw -cache -testcache -modcache -fuzzcache -r -why -all -src -short -cmd -w -diff -fix?"

const go = tool({
  flags: "-C<",
  harmless: goFlags,
  runs: "test build run vet fmt install generate get mod clean work tool fix list",
  reads: "version doc",
  long: true
})

/** What the linker and the compiler are told: no program of another name. */
const linked = /^(?:all=)?(?:-(?:s|w|X [\w./-]+=[\w.:/-]*|N|l|m|B|buildid=)(?: |$))*$/

/** The program that is built is written where it is told. */
const goBuild: Spec = {
  ...ran(`${goFlags} -o/ -ldflags: -gcflags:`, { long: true }),
  always: (words, findings) => {
    for (const [index, word] of words.entries()) {
      const [, name, value] = /^--?(ldflags|gcflags|asmflags)(?:=(.*))?$/s.exec(word.text ?? "") ?? []
      const given = value ?? words[index + 1]?.text ?? ""
      if (name !== undefined && !linked.test(given)) findings.hazard(word.at, "its value may name a program")
    }
  }
}

/** Behind the package are the arguments of its program. */
const goRun = ran(goFlags, { long: true, passes: "first" })

/** Of `go tool cover`; what follows the name of another tool is judged as its flags, too. */
const ranTool = ran(`${goFlags} -func< -html< -o>`, { long: true })

/** `cover -func=FILE` only shows. */
const goTool: Spec = {
  readOnly: true,
  read: (words, findings) => {
    const [tool, profile, ...others] = words
    const shown = profile?.glob === false ? /^-func=(.+)$/s.exec(profile.text ?? "")?.[1] : undefined
    if (tool?.text === "cover" && profile !== undefined && shown !== undefined && others.length === 0)
      return findings.target({ ...profile, text: shown }, "read")
    findings.hazard((tool?.at ?? 2) - 1, "it runs code of the project")
    ranTool.read?.(words, findings)
  }
}

/** `go env -w` changes what later builds run. */
const goEnv: Spec = {
  named: "it shows settings of the environment",
  flags: "-json -changed",
  long: true,
  operands: "text"
}

const formatter = (reads: string, writes: string): Spec => ({
  flags: `${reads} ${writes}`,
  readOnly: true,
  operands: ({ flags, operands }, findings) => {
    const isWritten = writes.split(" ").some((flag) => flags.has(flag))
    if (isWritten) {
      findings.changes()
      findings.takes()
    }
    for (const word of operands) findings.target(word, isWritten ? "mention" : "read")
  }
})

const named = { named: "it runs code of the project" } as const

const dotnetFlags =
  "-c: --configuration: -f: --framework: -r: --runtime: --no-build --no-restore --no-incremental --no-dependencies --force --interactive -v: --verbosity: --nologo --filter: --logger= -l= -t --list-tests --blame --collect= --project< --no-launch-profile --launch-profile: --self-contained? --sc --no-self-contained --os: -a: --arch: --verify-no-changes --severity: --diagnostics: --include: --exclude: --no-cache --outdated --deprecated --vulnerable --include-transitive --version: --prerelease -n: --name: --dry-run --check -o/ --output/ --results-directory/ --artifacts-path/ --source= --locked-mode --use-lock-file --tl? --disable-build-servers --ucr"

export const builds: Readonly<Record<string, Spec>> = {
  ...bins,
  ...python,
  ...native,
  cargo,
  go: { ...go, sub: { ...go.sub, build: goBuild, run: goRun, install: goBuild, tool: goTool, env: goEnv } },
  rustc: runner(
    "--version -V -vV --print: --explain: --edition: --crate-type: --emit= -O -g --test --crate-name: -o> --out-dir/"
  ),
  rustfmt: runner(
    "--check --edition: --emit= --color: -l --files-with-diff -v --verbose -q --quiet --version -V --config-path< --backup --print-config:"
  ),
  "cargo-nextest": runner("--version"),
  "wasm-pack": {
    flags: "--version -q -v",
    hides: true,
    sub: {
      build: runner(
        "--target: -t: --dev --release --profiling --no-typescript --scope: -d/ --out-dir/ --out-name: --no-pack",
        named
      ),
      test: runner("--node --headless --chrome --firefox", named)
    }
  },
  trunk: {
    flags: "--version -v",
    hides: true,
    sub: {
      build: runner("--release -d/ --dist/ --public-url:", named),
      serve: runner("--port: --release --no-autoreload", named)
    }
  },
  javac: runner(
    "-version --version -Xlint? -g -d/ -cp: -classpath: --class-path: -source: -target: --release: -encoding: -parameters -nowarn -verbose -Werror -deprecation --enable-preview -proc:none -sourcepath< --source-path<",
    { long: true }
  ),
  gofmt: formatter("-l -d -s -e -r:", "-w"),
  goimports: formatter("-l -d -e -v -local: -srcdir< -format-only", "-w"),
  gofumpt: formatter("-l -d -e -extra -version", "-w"),
  golines: formatter("--dry-run -m: --max-len: --shorten-comments", "-w --write-output"),
  shfmt: formatter(
    "-l -d -s -i: -ci -bn -sr -kp -fn -ln: -f --version --list --diff --simplify --indent:",
    "-w --write"
  ),
  staticcheck: runner(
    "-checks: -tests? -go: -f= -explain: -matrix -merge -show-ignored -fail: -debug.version -version",
    { long: true }
  ),
  govulncheck: runner("-test -json -mode: -show: -tags: -C<", { long: true }),
  golint: runner("-min_confidence: -set_exit_status", { long: true }),
  revive: runner("-set_exit_status -formatter= -exclude: -version", { long: true }),
  gotestsum: runner(
    "--format: -f: --format-hide-empty-pkg --hide-summary: --no-color --packages: --rerun-fails? --watch --version --junitfile> --jsonfile>"
  ),
  "golangci-lint": {
    flags: "--version -v --verbose --color: -h --help",
    hides: true,
    sub: {
      run: runner(
        "--fix --fast --fast-only -v --verbose --timeout: -E: --enable: -D: --disable: --enable-all --disable-all --default: --build-tags: --new --new-from-rev: --new-from-merge-base: --out-format= --output-format= --tests? --max-issues-per-linter: --max-same-issues: --concurrency: -j: --color: --no-config --allow-parallel-runners --print-issued-lines? --issues-exit-code: --modules-download-mode: --show-stats? --path-mode: --whole-files --go:",
        named
      ),
      fmt: runner("-d --diff -E: --enable: -v", named),
      linters: runner("", named),
      version: { readOnly: true },
      cache: runner("", named)
    }
  },
  buf: {
    flags: "--version",
    hides: true,
    sub: Object.fromEntries(
      "build lint breaking format generate"
        .split(" ")
        .map((name) => [name, ran("-w --write -d --diff --exit-code --against< --path< --error-format: -o>")])
    )
  },
  bundle: tool({
    flags: "--version -v",
    harmless:
      "-q --quiet --jobs: -j: --local --without: --with: --deployment --frozen --path/ --retry: --full-index --paths --outdated --strict --parseable --groups",
    runs: "install update add list show check outdated lock info clean config",
    launches: "exec"
  }),
  rspec: runner(
    "-f: --format= -e: --example: -t: --tag: --fail-fast? --next-failure --only-failures -n -b --backtrace --seed: --order: -c --color --no-color --force-color --dry-run --profile? -w --warnings -P: --pattern: --version -v --bisect"
  ),
  rubocop: runner(
    "-a -A --autocorrect --autocorrect-all --auto-correct --auto-correct-all -x --fix-layout -l --lint --only: --except: -f= --format= -F --fail-fast --fail-level: -P --parallel --no-parallel -D -S -E --display-cop-names --extra-details --force-exclusion -C: --cache: -L --list-target-files --version -V -v --color --no-color --disable-pending-cops --enable-pending-cops --stdin:"
  ),
  rake: runner(
    "-T --tasks -P --prereqs -n --dry-run -q --quiet -s --silent -t --trace -j: --jobs: -m --multitask -A --all -D --describe: --version -V -N"
  ),
  phpunit: runner(
    "--filter: --testsuite: --group: --exclude-group: --stop-on-failure --stop-on-error --stop-on-defect --testdox --colors? --no-coverage --coverage-text --debug --verbose -v --list-tests --list-suites --order-by: --random-order --no-progress --display-warnings --display-deprecations --fail-on-warning --version"
  ),
  phpstan: {
    flags: "--version -V --ansi --no-ansi -n --no-interaction",
    hides: true,
    sub: Object.fromEntries(
      "analyse analyze"
        .split(" ")
        .map((name) => [
          name,
          ran(
            "-l: --level: --no-progress --memory-limit: --error-format= --debug -v -vv -vvv --xdebug --ansi --no-ansi -n -q"
          )
        ])
    )
  },
  bats: runner(
    "-r --recursive -f: --filter: -p --pretty -t --tap -T --timing -j: --jobs: --print-output-on-failure --show-output-of-passing-tests --verbose-run -x --trace -c --count --filter-tags: --filter-status: --no-tempdir-cleanup --version -v -F= --formatter="
  ),
  hadolint: runner(
    "-t: --failure-threshold: --ignore: --no-fail --no-color --format= -f= --strict-labels --error: --warning: --info: --style: --trusted-registry: --disable-ignore-pragma -v --version"
  ),
  actionlint: runner("-color -no-color -ignore: -oneline -verbose -version -shellcheck= -pyflakes=", { long: true }),
  yamllint: runner("-f: --format: -s --strict --no-warnings -v --version --list-files -d:"),
  shellcheck: {
    flags:
      "-x -a -e: -i: -f: -s: -S: -o: -W: -C? -V --version --exclude: --include: --format: --shell: --severity: --color? --check-sourced --external-sources --enable: --list-optional --wiki-link-count: --norc -P<",
    readOnly: true,
    operands: "read"
  },
  gradle,
  gradlew: gradle,
  mvn,
  mvnw: mvn,
  mvnd: mvn,
  ktlint: runner(
    "-F --format --relative -l: --log-level: --color --color-name: --code-style: --disabled_rules: --limit: --reporter= --editorconfig< --version -V --experimental"
  ),
  detekt: runner(
    "-i< --input< --parallel --all-rules --build-upon-default-config --auto-correct --debug --excludes: -ex: --includes: -in: --version",
    { long: true }
  ),
  "google-java-format": runner(
    "-i --replace -n --dry-run --set-exit-if-changed --aosp -a --skip-sorting-imports --skip-removing-unused-imports --skip-javadoc-formatting --version",
    { long: true }
  ),
  ktfmt: runner("--kotlinlang-style --google-style --meta-style --dry-run -n --set-exit-if-changed", { long: true }),
  dotnet: tool({
    flags: "--version --info --list-sdks --list-runtimes -h --help -d",
    harmless: dotnetFlags,
    runs: "build test run restore clean format publish pack list add remove new sln tool watch build-server workload nuget ef",
    reads: "help"
  }),
  swiftlint: runner("--fix --strict --quiet --format --no-cache --reporter= --config<"),
  swiftformat: runner("--lint --dryrun --quiet --verbose --swiftversion: --rules: --disable: --enable: --exclude:"),
  mix: tool({
    flags: "--version -v",
    harmless:
      "--trace --cover --failed --stale --only: --exclude: --include: --seed: --max-failures: --warnings-as-errors --force --check-formatted --dry-run --slowest: --color --no-color --all --strict --format= --no-deps-check --no-compile",
    runs: "test compile format credo dialyzer deps.get deps.compile deps.update deps.tree deps clean xref ecto.migrate phx.routes phx.digest hex.outdated",
    reads: "help"
  })
}
