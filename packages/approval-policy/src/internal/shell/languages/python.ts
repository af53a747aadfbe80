/** Runners of tests, checkers and package managers of Python. */
import { mentioned, ran, runner, tool } from "../table/rows.ts"
import type { Spec } from "../table/spec.ts"

const named = { named: "it runs code of the project" } as const

const pip = tool({
  flags: "--version -V --help --no-color --disable-pip-version-check --no-input -q --quiet -v",
  harmless:
    "-v -q --quiet --verbose --format: -o --outdated --uptodate -l --local --user -U --upgrade --upgrade-strategy: -r< --requirement< -c< --constraint< -e< --editable< --no-deps --pre --no-cache-dir --no-color --disable-pip-version-check --no-input --dry-run --require-hashes --only-binary: --prefer-binary --no-build-isolation --progress-bar: -y --yes --all --not-required --exclude: --files -f --force-reinstall --ignore-installed --timeout: --retries:",
  runs: "install uninstall download wheel",
  reads: "list show freeze check help index inspect"
})

/** `-p no:name` leaves a plugin out; any other loads one. */
const pytest = runner(
  "-p: -# -v -vv -vvv -q -qq -x -s -k: -m: -l --showlocals -rA -ra -rs -rf -rx -rxX -r: --lf --ff --nf --last-failed --failed-first --new-first --maxfail: --tb: --co --collect-only -n: --numprocesses: --dist: --durations: --durations-min: --no-header --no-summary --exitfirst --verbose --quiet --verbosity: --stepwise --sw --stepwise-skip --version -V --disable-warnings -W: --cov? --no-cov --cov-report= --cov-branch --cov-fail-under: --cov-append --timeout: --color: --capture: --runxfail --strict-markers --strict-config --strict --ignore: --ignore-glob: --deselect: --cache-clear --cache-show? --setup-show --setup-only --setup-plan --fixtures --fixtures-per-test --markers --help -h --import-mode: --reruns: --reruns-delay: --random-order --randomly-seed: --full-trace --keep-duplicates --doctest-modules --asyncio-mode: --benchmark-only --benchmark-skip --benchmark-disable --snapshot-update --force-sugar --create-db --reuse-db --nomigrations --show-capture: --log-level: --log-cli-level: --code-highlight: --rootdir< --lfnf:",
  {
    operands: ({ flags, operands }, findings) => {
      for (const value of flags.get("-p") ?? [])
        if (value !== undefined && !/^no:[\w.-]+$/.test(value.text ?? ""))
          findings.hazard(value.at, "it loads a plugin")
      mentioned(operands, findings)
    }
  }
)

const mypy = runner(
  "--strict --ignore-missing-imports --show-error-codes --hide-error-codes --pretty --no-pretty --no-incremental --version -V --help -p: --package: -m: --module: --follow-imports: --warn-unused-ignores --warn-unreachable --warn-return-any --warn-redundant-casts --warn-unused-configs --disallow-untyped-defs --disallow-any-generics --disallow-untyped-calls --check-untyped-defs --no-implicit-optional --no-strict-optional --show-column-numbers --show-error-context --no-error-summary --no-color-output --namespace-packages --explicit-package-bases --exclude: --python-version: --platform: --install-types --non-interactive --disable-error-code: --enable-error-code: --local-partial-types --scripts-are-modules --skip-cache-mtime-checks -v --verbose --no-site-packages --allow-untyped-defs --implicit-reexport --no-implicit-reexport"
)

const ruffCheck = runner(
  "--fix --unsafe-fixes --no-unsafe-fixes --show-fixes --no-fix --fix-only --diff -q --quiet -s --silent -v --verbose --select: --extend-select: --ignore: --extend-ignore: --fixable: --unfixable: --per-file-ignores: --exclude: --extend-exclude: --statistics --output-format: --watch -w -n --no-cache --preview --no-preview --target-version: --line-length: --add-noqa --exit-zero -e --exit-non-zero-on-fix --show-files --show-settings --respect-gitignore --force-exclude --stdin-filename: --isolated",
  named
)

const ruff: Spec = {
  flags: "--version -V --help -q --quiet -v --verbose --isolated",
  hides: true,
  sub: {
    check: ruffCheck,
    format: runner(
      "--check --diff -q --quiet -s --silent -v --exclude: --line-length: --target-version: --preview --no-cache -n --respect-gitignore --force-exclude --stdin-filename: --range: --isolated",
      named
    ),
    rule: { flags: "--all --output-format:", operands: "text", readOnly: true },
    linter: { readOnly: true },
    version: { readOnly: true }
  }
}

const unittest = runner(
  "-v -q -f -b -c -k: -s< -p: -t< --start-directory< --pattern: --top-level-directory< --verbose --quiet --failfast --buffer --catch --locals --durations:"
)

const coverage: Spec = {
  flags: "--version --help",
  hides: true,
  sub: {
    run: {
      ...named,
      read: (words, findings) => {
        findings.changes()
        const at = words.findIndex(
          ({ text }) =>
            text === null ||
            !/^(?:-[apm]|--(?:branch|append|parallel-mode|pylib|source=[\w./,-]+|omit=[\w./,*-]+|include=[\w./,*-]+))$/.test(
              text
            )
        )
        const isModule = words.slice(0, at).some(({ text }) => text === "-m")
        for (const word of at < 0 ? words : words.slice(0, at)) findings.neutral(word.at)
        const first = words[at]
        if (first === undefined) return
        findings.hazard(first.at, "it runs the program that follows")
        if (isModule) findings.inner(words.slice(at), false)
        else for (const word of words.slice(at)) findings.target(word, "mention")
      }
    },
    report: {
      flags:
        "-m --show-missing --skip-covered --skip-empty --fail-under: --precision: --sort: --format: -i --include: --omit:",
      readOnly: true
    },
    combine: ran("-a --append --keep -q"),
    html: ran("--skip-covered --skip-empty --show-contexts --fail-under: --title: -q -d/ --directory/"),
    xml: ran("-q -o>"),
    json: ran("-q --pretty-print -o>"),
    erase: ran("")
  }
}

const black = runner(
  "--check --diff --color --no-color -q --quiet -v --verbose --line-length: -l: --fast --safe --version --target-version: -t: --skip-string-normalization -S --skip-magic-trailing-comma -C --include: --exclude: --extend-exclude: --force-exclude: --preview --pyi --workers: -W: --help -h --stdin-filename:"
)

const isort = runner(
  "--check --check-only -c --diff --profile: -q --quiet -v --verbose --version -l: --line-length: --skip: -s: --skip-glob: --filter-files --atomic --only-modified --show-files --show-settings -w: --float-to-top --sp< --src< -p: --project: --color --gitignore --df -rc --force-single-line-imports"
)

export const python: Readonly<Record<string, Spec>> = {
  pip,
  pytest,
  "py.test": pytest,
  unittest,
  coverage,
  mypy,
  dmypy: { sub: { run: runner("--"), status: runner(""), stop: runner(""), restart: runner("") } },
  pyright: runner(
    "--version --stats --outputjson --warnings --watch -w --verbose --level: --pythonversion: --pythonplatform: --threads? --skipunannotated -p< --project< --dependencies --help"
  ),
  basedpyright: runner("--version --stats --outputjson --warnings --level: -p< --project<"),
  ty: {
    flags: "--version",
    sub: {
      check: runner(
        "--watch -W --error-on-warning --exit-zero --output-format: -q -v --quiet --verbose --python-version: --color:",
        named
      )
    }
  },
  ruff,
  black,
  isort,
  flake8: runner(
    "--max-line-length: --max-complexity: --select: --extend-select: --ignore: --extend-ignore: --per-file-ignores: --exclude: --extend-exclude: --filename: --count --statistics --version --show-source --format= --exit-zero -q --quiet -v --verbose --benchmark -j: --jobs: --max-doc-length: --doctests --color:"
  ),
  pylint: runner(
    "--disable: --enable: -d: -e: --errors-only -E -j: --jobs: --score: --reports: -r: -s: --output-format= -f= --max-line-length: --fail-under: --fail-on: --ignore: --ignore-patterns: --recursive: --version --help --verbose -v --persistent: --py-version: --confidence: --msg-template:"
  ),
  bandit: runner(
    "-r --recursive -q --quiet -v --verbose -l -ll -lll -i -ii -iii --severity-level: --confidence-level: -s: --skip: -t: --tests: -x: --exclude: -f= --format= -n: --number: --exit-zero --version --ini<"
  ),
  pycodestyle: runner(
    "--max-line-length: --ignore: --select: --exclude: --statistics --count --first --show-source --diff --version -q -v"
  ),
  pydocstyle: runner("--convention: --select: --ignore: --count --explain --source -e -s --version"),
  vulture: runner("--min-confidence: --exclude: --ignore-names: --ignore-decorators: --sort-by-size --version"),
  autopep8: runner(
    "-i --in-place -r --recursive -d --diff -a --aggressive --max-line-length: --select: --ignore: --version --exit-code"
  ),
  autoflake: runner(
    "-i --in-place -r --recursive -c --check --remove-all-unused-imports --remove-unused-variables --exclude: --imports: --ignore-init-module-imports --quiet --version"
  ),
  pyupgrade: runner(
    "--py3-plus --py36-plus --py37-plus --py38-plus --py39-plus --py310-plus --py311-plus --py312-plus --keep-percent-format"
  ),
  compileall: runner("-q -f -l -j: -r: -x:"),
  "json.tool": {
    flags: "--sort-keys --no-ensure-ascii --json-lines --indent: --tab --compact",
    readOnly: true,
    operands: ({ operands: [first, second] }, findings) => {
      findings.target(first, "read")
      if (second !== undefined) findings.hazard(second.at, "its second file is written")
      if (second !== undefined) findings.target(second, "write")
    }
  },
  tox: runner(
    "-e: -q -v -vv -p: --parallel: -r --recreate --notest -l --listenvs --skip-missing-interpreters: -f: --version -s:"
  ),
  nox: runner(
    "-s: --session: --sessions: -t: --tags: -k: -p: --python: --pythons: -r --reuse-existing-virtualenvs -R -l --list -x --stop-on-first-error --no-venv -v --verbose --version"
  ),
  "pre-commit": {
    flags: "--version --help",
    sub: {
      run: ran(
        "-a --all-files -v --verbose --files --show-diff-on-failure --hook-stage: --from-ref: --to-ref: -s: -o: --color:"
      ),
      install: ran("--install-hooks"),
      autoupdate: ran("")
    }
  },
  uv: tool({
    flags:
      "--version -V --help -q --quiet -v --verbose --no-progress --offline --no-cache -n --color: --directory< --project<",
    harmless:
      "-q -v --quiet --verbose --frozen --locked --no-sync --all-extras --extra: --no-dev --dev --only-dev --group: --no-group: --only-group: --all-groups --no-default-groups --upgrade -U --upgrade-package: -P: --python: -p: --package: --all-packages --inexact --exact --no-install-project --no-editable --no-build --no-build-isolation --refresh --reinstall --dry-run --check --depth: --outdated --universal --optional: --editable --raw -e< -r< --requirements< --requirement< --system --seed --output-format: --format: --offline --no-cache --no-progress --resolution: --prerelease: --with: --isolated",
    runs: "sync add remove lock pip tool venv tree build publish export init python cache",
    reads: "version",
    launches: "run"
  }),
  poetry: tool({
    flags:
      "--version -V --help -q --quiet -v -vv -vvv -n --no-interaction --ansi --no-ansi -C< --directory< --project<",
    harmless:
      "-q -v -n --no-interaction --with: --without: --only: --only-root --no-root --sync --all-extras --extras: -E: --no-dev --all-groups --compile --dry-run --no-cache --no-update --regenerate --group: -G: -D --dev --lock --tree -t --latest -l --outdated -o --top-level -T --all -a --why --no-ansi --strict --next-phase -s --short --format: -f:",
    runs: "install add remove update lock build show check publish env config init version sync export about",
    launches: "run"
  }),
  pdm: tool({
    flags: "--version -V --help -q -v -p<",
    harmless:
      "-q -v -G: --group: -d --dev --prod --no-self --frozen-lockfile --check --no-lock --no-sync --update-reuse --tree --graph --json",
    runs: "install add remove update lock build list sync test lint format",
    launches: "run"
  }),
  hatch: tool({
    flags: "--version -q -v -e: --env:",
    harmless: "-q -v -e: --env: -a --all -c --cover -i: -x: -p --parallel -r --randomize --check --diff --fix",
    runs: "test fmt build env version clean dep",
    launches: "run"
  }),
  rye: tool({
    flags: "--version -q -v",
    harmless: "-q -v -a --all -p: --no-lock --features:",
    runs: "sync add remove lock test lint fmt build show",
    launches: "run"
  }),
  pipenv: tool({
    flags: "--version -q -v",
    harmless: "-q -v -d --dev --deploy --system --ignore-pipfile --skip-lock",
    runs: "install uninstall lock sync update graph check",
    launches: "run"
  }),
  alembic: {
    flags: "--version -x:",
    hides: true,
    sub: Object.fromEntries(
      "current history heads show check upgrade revision stamp downgrade"
        .split(" ")
        .map((name) => [name, ran("-v --verbose -m: --message: --autogenerate --sql -i --indicate-current --rev-id:")])
    )
  }
}
