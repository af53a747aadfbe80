/** Compilers and build tools of C and C++, and what is written in it: what they run is code of the project. */
import { assigned, named, reader, runner } from "../table/rows.ts"
import { parseFlags } from "../table/flags.ts"
import type { Findings, Spec, Word } from "../table/spec.ts"

const makeFlags =
  "-# -k -s -n -B -j? -i -q -w -d -p -r -R -S -t -W: -l? -O? --silent --quiet --dry-run --just-print --always-make --keep-going --no-keep-going --ignore-errors --version -v --help --no-print-directory --print-directory --jobs? --load-average? --output-sync? --trace --debug? --question --touch --no-builtin-rules --no-builtin-variables --warn-undefined-variables"

/** Another folder or file of rules: whoever allows a goal allows it here. */
const placed = /^(?:-[Cf]|--(?:directory|file|makefile)=)(.*)$|^--(?:directory|file|makefile)$/s

const make: Spec = {
  hides: true,
  read: (words, findings) => {
    findings.changes()
    const own: Array<Word> = []
    for (let at = 0; at < words.length; at++) {
      const word = words[at]
      if (word === undefined) continue
      const found = word.glob ? null : placed.exec(word.text ?? "")
      if (found === null) own.push(word)
      else
        findings.target(found[1] === undefined || found[1] === "" ? words[++at] : { ...word, text: found[1] }, "read")
    }
    assigned(parseFlags(own, { flags: makeFlags, hides: true }, findings), findings)
  }
}

/** A variable of a build that is a switch, a number or the name of a kind: no path and no program. */
const switched =
  /^(?:ON|OFF|TRUE|FALSE|YES|NO|0|1|\d+|Debug|Release|RelWithDebInfo|MinSizeRel|c\+\+\d\d|gnu\d\d|Thread|Address)$/i

/** Variables of CMake that name a program, a file or flags, whatever they are set to. */
const programs =
  /COMPILER|LAUNCHER|TOOLCHAIN|PROGRAM|EXECUTABLE|COMMAND|PREFIX|PATH|_DIR$|DIRECTORY|FLAGS|LINKER|RULE|PROJECT_.*INCLUDE|MODULE|EMULATOR|SHELL/i

const defined = (value: Word, findings: Findings): void => {
  const [, name = "", setting = ""] = /^([\w.-]+)(?::[A-Z]+)?=(.*)$/s.exec(value.text ?? "") ?? []
  if (name === "" || (programs.test(name) && !/^CMAKE_EXPORT_COMPILE_COMMANDS$/.test(name)) || !switched.test(setting))
    findings.hazard(value.at, "a variable may change what runs")
}

const cmakeFlags =
  "-S< -B/ -G: -A: -T: -D: -U: -L -LA -LH -LAH -Wdev -Wno-dev -Wno-error=dev -Werror=dev -N --fresh --log-level: --trace --warn-uninitialized --no-warn-unused-cli --version --help --list-presets? --preset: -j? --parallel? -t: --target: --config: --clean-first -v --verbose --use-stderr --resolve-package-references: --component: --strip --default-directory-permissions: --install-prefix/ --prefix/"

const cmake: Spec = {
  hides: true,
  read: (words, findings) => {
    findings.changes()
    const mode = words[0]?.text
    // `-P` runs a script, `-E` a command of its own, `-C` loads settings.
    if (
      mode === "-E" ||
      words.some(({ text }) => text === "-P" || text === "-C" || text?.startsWith("--open") === true)
    ) {
      for (const word of words) {
        findings.hazard(word.at, "it runs the command that follows")
        findings.target(word, word.text?.startsWith("-") === true ? "mention" : "output")
      }
      if (mode === "-E" && words.length > 1) findings.inner(words.slice(1))
      return
    }
    const modes = words.filter(({ text }) => text === "--build" || text === "--install" || text === "--workflow")
    const [builds] = modes
    const dashes = words.findIndex(({ text }) => text === "--")
    for (const word of dashes < 0 ? [] : words.slice(dashes + 1))
      if (!/^(?:-j\d*|-[kvsn]|VERBOSE=1|\d+|[A-Za-z]\w*)$/.test(word.text ?? ""))
        findings.hazard(word.at, "it is passed on to the build tool")
    for (const { at } of modes) findings.neutral(at)
    const own = words.slice(0, dashes < 0 ? words.length : dashes).filter((word) => !modes.includes(word))
    const { flags, operands } = parseFlags(own, { flags: cmakeFlags, hides: true }, findings)
    for (const value of flags.get("-D") ?? []) if (value !== undefined) defined(value, findings)
    // A number belongs to the flag before it.
    for (const word of operands.filter(({ text }) => !/^\d+$/.test(text ?? "")))
      findings.target(word, builds === undefined ? "read" : "tree")
  }
}

const ctest = runner(
  "-# -V -VV --verbose --extra-verbose --output-on-failure --stop-on-failure --progress -R: --tests-regex: -E: --exclude-regex: -L: --label-regex: -LE: --label-exclude: -C: --build-config: -j? --parallel? -N --show-only? -I: -U --rerun-failed --repeat: --repeat-until-fail: --timeout: --schedule-random --test-dir< --preset: --list-presets -Q --quiet --no-tests? --stop-time: --max-width: --print-labels -F --version --help --no-label-summary --no-subproject-summary"
)

/** Their own flags may load plugins and write anywhere. */
const compiler = runner(
  "-c -g -ggdb -g3 -S -E -v -O? -W= -std? -f= -m? -march? -I: -D: -U: -L: -l: -M -MM -MMD -MD -MP -MF> -MT: -pthread -shared -static -pedantic -pedantic-errors -ansi -w -s -r -x: -o> --version -dumpversion -dumpmachine -dM -dD -H -P -C -isystem: -include< -nostdlib -ffreestanding -fsyntax-only -pipe -rdynamic --std? -fsanitize? -fdiagnostics-color? -Wno-error? -fno-omit-frame-pointer --help -iquote:"
)

/** They show what is in a program. */
const reading = (flags: string): Spec => reader(flags, { operands: "read" })

/** `//folder:target`, of this repository or of another one that it names: no path of the file system. */
const label = /^-?(?:@{0,2}[\w.+~-]*)?\/\/(?![./]*\.\.\/)([\w./+-]*)(?::[\w./+@=,-]*)?$/

const labelled: Spec = {
  read: (words, findings) => {
    const own = words.map((word) => {
      const folder = label.exec(word.text ?? "")?.[1]
      return folder === undefined || word.glob ? word : { ...word, text: folder.replace(/\/?\.\.\.$/, "") || "." }
    })
    named("it runs code of the project", "bazel")["bazel"]?.read?.(own, findings)
  }
}

export const native: Readonly<Record<string, Spec>> = {
  make,
  gmake: make,
  bmake: make,
  nmake: make,
  cmake,
  ctest,
  ninja: {
    hides: true,
    flags: "-C< -j: -v --verbose -n -k: -l: -d: -t= --quiet --version",
    operands: assigned
  },
  meson: {
    flags: "--version --help",
    hides: true,
    sub: {
      setup: runner(
        "--buildtype: --wipe --reconfigure --backend: --default-library: --prefix/ --werror --warnlevel: --strip --unity: --wrap-mode:",
        { named: "it runs code of the project" }
      ),
      compile: runner("-C< -j: -v --verbose --clean --vs-args:", { named: "it runs code of the project" }),
      test: runner(
        "-C< -v --verbose -q --quiet --list --suite: --no-suite: --repeat: --no-rebuild --num-processes: -j: -t: --print-errorlogs --timeout-multiplier: --maxfail: --benchmark",
        { named: "it runs code of the project" }
      ),
      configure: runner("--buildtype: --clearcache", { named: "it runs code of the project" })
    }
  },
  gcc: compiler,
  "g++": compiler,
  cc: compiler,
  "c++": compiler,
  clang: compiler,
  "clang++": compiler,
  bazel: labelled,
  bazelisk: labelled,
  ld: runner("--version"),
  "clang-format": runner(
    "-i --in-place -n --dry-run --Werror -Werror --style: -style= --verbose --version --dump-config --sort-includes --assume-filename: --fallback-style: --lines: --files<",
    { long: true }
  ),
  "clang-tidy": runner(
    "-p< --fix -fix --fix-errors --checks: -checks: --quiet -quiet --header-filter: --warnings-as-errors: --format-style: --list-checks --version --use-color --system-headers -system-headers --extra-arg-before=",
    { long: true }
  ),
  cppcheck: runner(
    "--enable: --std: --language: -I: -D: -U: -j: -q --quiet --error-exitcode: --inline-suppr --suppress: --force -f --max-configs: --platform= --template: --verbose -v --version --check-level: --xml --inconclusive --project<"
  ),
  doxygen: runner("-v --version -q"),
  nm: reading("-a -C -D -g -u -n -S --demangle --defined-only --undefined-only --version"),
  objdump: reading(
    "-d -D -t -T -x -h -s -S -C -f -r -l -p -j: -M: --demangle --disassemble --disassemble= --no-show-raw-insn --no-addresses --source --line-numbers --full-contents --syms --all-headers --file-headers --section-headers --reloc --section: --start-address: --stop-address: --version"
  ),
  readelf: reading("-a -h -l -S -s -d -r -n -V -W --wide --version"),
  size: reading("-A -B -d -x -t --format: --version"),
  ldd: runner("-v --version")
}
