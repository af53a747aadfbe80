/** Runners of tests, checkers, compilers and bundlers of JavaScript: what they load is code of the project. */
import { launcher, ran, runner } from "../table/rows.ts"
import type { Spec } from "../table/spec.ts"

const vite =
  "--version -v --help -h -m: --mode: --port: --strictPort --open? --logLevel: -l: --clearScreen --force --minify? --sourcemap? --ssr? --watch -w --emptyOutDir --manifest? --outDir/ --assetsDir: --target: --profile --debug? -d?"

const playwright: Spec = {
  flags: "--version -V --help",
  hides: true,
  sub: {
    test: runner(
      "-g: --grep: --grep-invert: --project: --workers: -j: --retries: --repeat-each: --reporter= --headed --debug --ui --list --last-failed --max-failures: -x --forbid-only --fully-parallel --timeout: --shard: --trace: --update-snapshots? -u --pass-with-no-tests --quiet --only-changed? --no-deps --tsconfig< --help",
      { named: "it runs code of the project" }
    ),
    "show-report": runner("--host: --port:", { named: "it opens a server" })
  }
}

const nx: Spec = {
  flags: "--version --help",
  sub: Object.fromEntries(
    "run run-many affected test build lint serve e2e graph show reset format format:check format:write"
      .split(" ")
      .map((name) => [
        name,
        ran(
          "-t: --target: --targets: -p: --projects: --all --parallel? --skip-nx-cache --skipNxCache --base: --head: --files: --exclude: --configuration= -c= --prod --verbose --outputStyle= --nxBail --dryRun --uncommitted --untracked --watch --coverage --ci --codeCoverage"
        )
      ])
  )
}

export const bins: Readonly<Record<string, Spec>> = {
  tsc: runner(
    "--noEmit -p< --project< -b --build --watch -w --pretty? --version -v --listFiles --listFilesOnly --skipLibCheck --strict --incremental --showConfig --target: -t: --module: -m: --moduleResolution: --lib: --jsx: --esModuleInterop --allowJs --checkJs --declaration -d --emitDeclarationOnly --declarationMap --sourceMap --inlineSourceMap --removeComments --noEmitOnError --noImplicitAny --noUnusedLocals --noUnusedParameters --noImplicitReturns --strictNullChecks --resolveJsonModule --isolatedModules --composite --force -f --verbose --dry --clean --stopBuildOnErrors --diagnostics --extendedDiagnostics --traceResolution --explainFiles --all --help -h --types: --downlevelIteration --experimentalDecorators --allowImportingTsExtensions --erasableSyntaxOnly --noErrorTruncation --preserveWatchOutput --outDir/ --declarationDir/"
  ),
  "vue-tsc": runner("--noEmit -p< --project< -b --build --force --watch -w --skipLibCheck --pretty? --version"),
  "svelte-check": runner("--tsconfig< --workspace< --watch --fail-on-warnings --threshold: --output= --no-tsconfig"),
  eslint: runner(
    "--fix --ext: --max-warnings: --quiet --cache --no-cache --cache-strategy: -f= --format= --color --no-color --report-unused-disable-directives --report-unused-disable-directives-severity: --version -v --help -h --fix-dry-run --fix-type: --no-error-on-unmatched-pattern --pass-on-no-patterns --ignore-pattern: --no-ignore --no-inline-config --rule: --env: --global: --stdin --stdin-filename: --debug --env-info --print-config< --exit-on-fatal-error --no-warn-ignored --stats --concurrency: --no-eslintrc"
  ),
  prettier: runner(
    "--check -c --write -w -l --list-different --log-level: --loglevel: --no-color --color --ignore-unknown -u --version --help --cache --no-config --no-editorconfig --ignore-path< --parser= --print-width: --tab-width: --use-tabs --no-semi --single-quote --jsx-single-quote --trailing-comma: --no-bracket-spacing --prose-wrap: --end-of-line: --arrow-parens: --stdin-filepath: --no-error-on-unmatched-pattern --with-node-modules --find-config-path< --file-info< --support-info --insert-pragma --require-pragma"
  ),
  oxlint: runner(
    "--fix --fix-suggestions --quiet --deny-warnings --type-aware --format= -f= --version -V --help -A: -D: -W: --allow: --deny: --warn: --max-warnings: --import-plugin --react-plugin --jest-plugin --vitest-plugin --node-plugin --promise-plugin --jsx-a11y-plugin --nextjs-plugin --tsconfig< --silent --threads: --rules --ignore-pattern: --no-ignore --report-unused-disable-directives"
  ),
  biome: {
    flags: "--version --help",
    sub: Object.fromEntries(
      "check lint format ci"
        .split(" ")
        .map((name) => [
          name,
          runner(
            "--write --fix --unsafe --apply --apply-unsafe --changed --staged --since: --error-on-warnings --max-diagnostics: --diagnostic-level: --no-errors-on-unmatched --files-ignore-unknown? --verbose --colors: --reporter= --only: --skip: --formatter-enabled? --linter-enabled? --assist-enabled? --log-level: --log-kind: --indent-style: --indent-width: --line-width: --stdin-file-path:",
            { named: "it runs code of the project" }
          )
        ])
    )
  },
  vitest: runner(
    "--run -t: --testNamePattern: --reporter= --watch? -w --no-color --color --bail? --coverage? --coverage.enabled? --coverage.reporter= --coverage.provider= --coverage.all? --coverage.include: --coverage.exclude: --silent? --version -v -u --update? --project: --no-coverage --changed? --shard: --retry: --testTimeout: --hookTimeout: --pool= --poolOptions.threads.singleThread --poolOptions.forks.singleFork --maxWorkers: --minWorkers: --no-file-parallelism --fileParallelism? --isolate? --no-isolate --threads? --no-threads --globals --dom --environment= --passWithNoTests --allowOnly --dangerouslyIgnoreUnhandledErrors --mode: --hideSkippedTests --expandSnapshotDiff --disable-console-intercept --logHeapUsage --typecheck? --typecheck.only --sequence.shuffle? --sequence.seed: --sequence.concurrent? --no-watch --standalone --help -h --dir< -r< --root< --exclude: --slowTestThreshold: --tags-filter: --ui? --open? --printConsoleTrace --clearCache"
  ),
  jest: runner(
    "-t: --testNamePattern: --watch? --watchAll? --coverage? --ci --verbose --silent -i --runInBand --bail? -b? -u --updateSnapshot --no-coverage --passWithNoTests --maxWorkers: -w: --version -v --listTests -o --onlyChanged -f --onlyFailures --findRelatedTests --testPathPattern: --testPathPatterns: --testPathIgnorePatterns: --runTestsByPath --no-cache --cache --clearCache --detectOpenHandles --forceExit --testTimeout: --expand -e --color --colors --no-color --changedSince: --lastCommit --shard: --seed: --showSeed --randomize --selectProjects: --ignoreProjects: --collectCoverageFrom: --coverageReporters= --json --logHeapUsage --maxConcurrency: --no-watchman --watchman? --debug --errorOnDeprecated --notify --noStackTrace --showConfig --useStderr --injectGlobals? --workerThreads --detectLeaks --help -h --testRegex: --testMatch: --no-watch"
  ),
  mocha: runner(
    "-g: --grep: -f: --fgrep: -i --invert -b --bail -w --watch --timeout: -t: --slow: -s: --recursive --parallel -p -j: --jobs: --exit --version -V --forbid-only --forbid-pending --retries: --full-trace --no-color --color -c --colors --inline-diffs --diff --no-diff --sort -S --check-leaks --dry-run --extension: --ignore: --exclude: --list-files --delay --allow-uncaught -A --async-only --pass-on-failing-test-suite --help -h"
  ),
  ava: runner(
    "--match: -m: --verbose -v --fail-fast --serial -s --update-snapshots -u --watch -w --timeout: -T: --concurrency: -c: --tap -t --color --no-color --version"
  ),
  c8: launcher,
  nyc: launcher,
  playwright,
  cypress: {
    flags: "--version -v --help",
    sub: {
      run: runner(
        "--browser= -b= --headless --headed --spec: -s: --component --e2e --quiet -q --no-exit --record? --parallel --group: --tag: -t: --port: --reporter=",
        { named: "it runs code of the project" }
      ),
      verify: { readOnly: true },
      info: { readOnly: true }
    }
  },
  turbo: {
    flags: "--version --help --no-color --color --verbosity: -v",
    hides: true,
    sub: {
      run: ran(
        "--filter: -F: --force? --concurrency: --continue? --parallel --dry-run? --dry? --graph? --no-cache --no-daemon --output-logs: --log-order: --log-prefix: --summarize? --affected --only --ui: --env-mode: --cache: --remote-only? --scope: --since: --include-dependencies --no-deps --verbosity: -v --color --no-color --daemon --framework-inference?"
      ),
      ls: { flags: "--filter: --affected", operands: "mention" },
      query: ran("")
    }
  },
  nx,
  vite: {
    flags: vite,
    hides: true,
    sub: {
      build: runner(vite, { named: "it runs code of the project" }),
      dev: runner(vite, { named: "it opens a server" }),
      serve: runner(vite, { named: "it opens a server" }),
      preview: runner(vite, { named: "it opens a server" })
    }
  },
  webpack: runner(
    "--mode: --watch -w --progress --stats= --json --version --help --devtool= -d= --no-color --color --profile --bail --analyze"
  ),
  rollup: runner(
    "--watch -w --silent --sourcemap? -m? --format= -f= --failAfterWarnings --version -v --help -d/ --dir/"
  ),
  esbuild: runner(
    "--bundle --minify --sourcemap? --watch? --platform? --target? --format? --loader? --tree-shaking? --splitting --log-level? --color? --version --help --jsx? --external? --keep-names --analyze? --outdir/ --outfile>"
  ),
  tsup: runner(
    "--watch? --dts --format: --minify --sourcemap --clean --treeshake --target: --silent --version --out-dir/ -d/"
  ),
  rolldown: runner("--watch -w --minify --sourcemap --format= --silent --version -d/ --dir/"),
  swc: runner("--watch -w --sync -s --source-maps --quiet -q --version --out-dir/ -d/"),
  stylelint: runner(
    "--fix --cache --quiet -q --max-warnings: --formatter= -f= --color --no-color --version --allow-empty-input --ignore-pattern: --report-needless-disables"
  ),
  knip: runner(
    "--production --strict --include: --exclude: --dependencies --exports --files --no-progress --reporter= --max-issues: --no-exit-code --cache --debug --version --workspace: -W: --fix"
  ),
  depcheck: runner("--json --ignores: --skip-missing? --ignore-dirs: --oneline --quiet"),
  madge: runner(
    "--circular -c --extensions: --json -j --summary -s --orphans --leaves --ts-config< --no-spinner --warning"
  ),
  "tsc-alias": runner("-p< --project< -w --watch -v --verbose"),
  publint: runner("--strict --level: --pack:"),
  attw: runner("--pack --profile: --format: -f: --quiet -q --no-color --ignore-rules:"),
  "size-limit": runner("--json --silent --highlight-less"),
  next: {
    flags: "--version -v --help",
    sub: Object.fromEntries(
      "build dev lint start info".split(" ").map((name) => [
        name,
        runner(
          "-p: --port: --turbo --turbopack --debug -d --profile --no-lint --no-mangling --fix --quiet --max-warnings: --strict --dir: -d: --file: --verbose --experimental-build-mode:",
          {
            named: "it runs code of the project"
          }
        )
      ])
    )
  },
  storybook: {
    flags: "--version",
    sub: {
      build: ran("--quiet --test --docs --disable-telemetry -o/ --output-dir/"),
      dev: ran("-p: --port: --ci --no-open --quiet")
    }
  },
  markdownlint: runner("--fix -f --dot -d --json -j --quiet -q --ignore: -i: --disable: --enable: --version"),
  "markdownlint-cli2": runner("--fix --no-globs --version"),
  commitlint: runner("--from: -f: --to: -t: --last -l --verbose -V --strict -s --color --version -v --edit<"),
  "lint-staged": runner(
    "--verbose -v --quiet -q --debug -d --no-stash --allow-empty --relative --concurrent: --diff: --version"
  )
}
