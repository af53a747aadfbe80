/**
 * The files that say what a command runs: the manifests of the folders that it works in, the files that its text names,
 * and those that these scripts name in turn.
 *
 * Guarantee: whichever runner a command calls (npm, make, cargo, a shell, ...), a file of the workspace by which it finds
 * what to run is among them, as far as it is a known manifest or hook of a folder that the text names, of one above it or
 * of one of the first 5,000 entries below it, a file that the text names, or code that such a manifest or script names.
 * Nothing is asked of the runner: a file too many makes an approval narrower, and nothing else. What a command only writes,
 * and data that it only reads, is none of them: a log may grow while a person decides. On Windows nothing on another
 * machine's share is looked at, whatever link of the project leads there.
 */
import { type CommandFact, type CommandReading, ProtectedPath } from "@belay/approval-policy"
import { Folder, Machine, Share } from "@belay/machine"
import type * as fs from "node:fs"

const mostEntries = 5000
const mostFolders = 50
const mostFiles = 1000
const mostWords = 200
/** Of a larger script the names in it are not read. In bytes. */
const longestText = 65_536

/** Besides the protected names, which a later command executes: what runners and compilers begin with. */
const manifests = new Set(
  `pnpm-workspace.yaml turbo.json nx.json project.json lerna.json rush.json moon.yml deno.json deno.jsonc bunfig.toml
  .pnp.cjs .pnp.loader.mjs makefile gnumakefile bsdmakefile justfile .justfile taskfile.yml taskfile.yaml
  taskfile.dist.yml taskfile.dist.yaml cargo.toml build.rs rust-toolchain rust-toolchain.toml pyproject.toml setup.py
  setup.cfg tox.ini noxfile.py conftest.py pytest.ini tasks.py dodo.py fabfile.py manage.py pipfile hatch.toml uv.toml
  build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties gradlew gradlew.bat pom.xml mvnw
  mvnw.cmd build.xml build.sbt build.sc cmakelists.txt cmakepresets.json cmakeuserpresets.json configure meson.build
  meson_options.txt sconstruct sconscript build.ninja xmake.lua premake5.lua build build.bazel workspace
  workspace.bazel module.bazel go.mod go.work magefile.go rakefile gemfile guardfile composer.json mix.exs rebar.config
  global.json directory.build.props directory.build.targets nuget.config pubspec.yaml package.swift build.zig
  build.zig.zon stack.yaml cabal.project dune-project dune flake.nix default.nix shell.nix dockerfile containerfile
  docker-compose.yml docker-compose.yaml compose.yml compose.yaml vagrantfile procfile earthfile tiltfile jakefile
  jakefile.js cakefile wscript .mocharc.js .mocharc.cjs .mocharc.json .mocharc.yml .eslintrc.js .eslintrc.cjs
  .babelrc.js .prettierrc.js .prettierrc.cjs`.split(/\s+/)
)

const patterns = [
  /\.config\.(?:[cm]?[jt]sx?|json)$/,
  /^(?:gulp|grunt)file\./,
  /^[^.]+\.(?:mk|mak|gradle|gradle\.kts|csproj|fsproj|vbproj|sln|slnx|gemspec|cabal|sbt|podspec|nimble)$/,
  /^makefile\./
]

/** Below a folder, what belongs to its manifests. */
const beside = [
  ".cargo/config.toml",
  ".cargo/config",
  ".mvn/jvm.config",
  ".mvn/maven.config",
  ".mvn/extensions.xml",
  ".mvn/wrapper/maven-wrapper.properties",
  "gradle/wrapper/gradle-wrapper.properties",
  "gradle/wrapper/gradle-wrapper.jar",
  "gradle/libs.versions.toml",
  "project/build.properties",
  "project/plugins.sbt"
]

/** Folders of programs that a runner looks into for a bare name. */
const programs = ["node_modules/.bin", ".venv/bin", "venv/bin", "vendor/bin", ".bin"]

/** What an interpreter adds to the name of a script or of a module. */
const endings = `.js .mjs .cjs .ts .mts .py .rb .sh /index.js /index.ts /__main__.py /main.go /main.py`.split(" ")

/** What holds code, or says which code runs; a log that a script writes is none. Files without an ending may be code. */
const code =
  /\.(?:[cm]?[jt]sx?|py|rb|pl|pm|php|lua|sh|bash|zsh|fish|ps1|cmd|bat|go|rs|java|kts?|groovy|scala|clj|exs?|erl|hs|ml|jl|r|swift|zig|c|cc|cpp|h|hpp|cs|fs|vb|cmake|mk|mak|gradle|toml|ya?ml|json5?|jsonc|ini|cfg|xml|properties|jar)$/i

/** Folders of hooks that git runs. */
const hooks = [".husky", ".githooks", ".git/hooks"]

/** What is made rather than written, or not the project's own. */
const passed = new Set(
  "node_modules .git .hg .svn dist build out target coverage .venv venv vendor __pycache__ .next .turbo .cache".split(
    " "
  )
)

const isManifest = (name: string): boolean => {
  const folded = name.toLowerCase()
  return (
    manifests.has(folded) ||
    patterns.some((pattern) => pattern.test(folded)) ||
    ProtectedPath.match(name, "write") !== undefined
  )
}

type Kind = "file" | "folder" | "none"

/** What is looked at, and what is not: links that lead to another machine. */
interface Look {
  readonly machine: Machine.Machine
  readonly leadAway: (file: string) => boolean
}

const kindOf = (file: string, { leadAway, machine }: Look): Kind => {
  try {
    if (leadAway(file)) return "none"
    const found = machine.fs.statSync(file, { throwIfNoEntry: false })
    return found?.isFile() === true ? "file" : found?.isDirectory() === true ? "folder" : "none"
  } catch {
    return "none"
  }
}

const entriesOf = (folder: string, { leadAway, machine }: Look): ReadonlyArray<fs.Dirent> => {
  try {
    if (leadAway(folder)) return []
    return machine.fs.readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}

/** A word may be a path, hold one behind `=` or `:`, or have one right after a flag of one letter. */
const spellings = (word: string): ReadonlyArray<string> => {
  const glued = /^-[A-Za-z](?=.)/.test(word) && !word.startsWith("--") ? [word.slice(2)] : []
  const behind = word.includes("=") ? [word.slice(word.indexOf("=") + 1)] : []
  return [word, ...glued, ...behind].filter((text) => text !== "" && text.length < 1024 && !text.includes("\0"))
}

const wordsIn = (text: string): ReadonlyArray<string> => {
  const found = text.split(/[\s'"`;|&<>(){}[\],$]+/)
  return [...new Set(found.flatMap((word) => [...spellings(word), ...word.split(/[=:]/)]))]
    .filter((word) => word !== "" && word !== "." && word !== "/")
    .slice(0, mostWords)
}

/** The words of actions, and what stands in them, such as the text after `bash -c`. */
const wordsOf = (actions: ReadonlyArray<CommandReading.Action>): ReadonlyArray<string> => {
  const words = actions.flatMap(({ argv }) => argv.flatMap((word) => (word === null ? [] : [word])))
  return [...new Set(words.flatMap((word) => [...spellings(word), ...wordsIn(word)]))].slice(0, mostWords)
}

/** What is written and not read or run as well: it may grow all the time. */
const onlyWritten = ({ files, reading }: CommandFact.CommandFact): ReadonlySet<string> => {
  const of = (isWrite: boolean) =>
    reading.targets.flatMap(({ role }, index) =>
      ["write", "tree", "entry"].includes(role) === isWrite ? (files[index] ?? []).map(({ resolved }) => resolved) : []
    )
  const read = new Set(of(false))
  return new Set(of(true).filter((file) => !read.has(file)))
}

/** The folder and those above it, up to the root of the workspace, or of the file system for one outside. */
const upFrom = (folder: string, workspace: string, look: Look): ReadonlyArray<string> => {
  const above = look.machine.path.dirname(folder)
  return folder === workspace || above === folder ? [folder] : [folder, ...upFrom(above, workspace, look)]
}

/** Manifests in a folder, and in those below it as far as there are few. */
const below = (folder: string, left: { entries: number }, look: Look): ReadonlyArray<string> => {
  const { path } = look.machine
  const found: Array<string> = []
  const pending = [folder]
  for (let at = pending.shift(); at !== undefined && left.entries > 0; at = pending.shift()) {
    for (const entry of entriesOf(at, look)) {
      if (left.entries-- <= 0) return found
      if (entry.isDirectory() && !passed.has(entry.name)) pending.push(path.join(at, entry.name))
      else if (!entry.isDirectory() && isManifest(entry.name)) found.push(path.join(at, entry.name))
    }
  }
  return found
}

const own = (folder: string, look: Look): ReadonlyArray<string> => {
  const { path } = look.machine
  return [
    ...entriesOf(folder, look)
      .filter((entry) => !entry.isDirectory() && isManifest(entry.name))
      .map(({ name }) => path.join(folder, name)),
    ...beside.map((name) => path.join(folder, name)),
    ...hooks.flatMap((place) =>
      entriesOf(path.join(folder, place), look)
        .filter(({ name }) => !name.endsWith(".sample"))
        .map(({ name }) => path.join(folder, place, name))
    )
  ]
}

/** What words may mean as files, seen from a folder. None on another machine's share: it is not looked at unasked. */
const named = (words: ReadonlyArray<string>, folder: string, { machine }: Look): ReadonlyArray<string> => {
  const { path } = machine
  return words.flatMap((word) => {
    const file = path.resolve(folder, word)
    if (Share.isForeign(word, [folder], machine) || Share.isForeign(file, [folder], machine)) return []
    const module = /^[\w.]+$/.test(word) ? [`${path.resolve(folder, word.replaceAll(".", "/"))}.py`] : []
    const bare = /^[\w@.-]+$/.test(word) ? programs.map((place) => path.join(folder, place, word)) : []
    return [file, ...endings.map((ending) => file + ending), ...module, ...bare]
  })
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** The part of a manifest or script that says what is run; of package.json its scripts alone. */
const spoken = (file: string, { leadAway, machine }: Look): string => {
  const { fs, path } = machine
  try {
    if (leadAway(file) || fs.statSync(file).size > longestText) return ""
    const text = fs.readFileSync(file, "utf8")
    if (path.basename(file).toLowerCase() !== "package.json") return text
    const parsed: unknown = JSON.parse(text)
    const scripts = isRecord(parsed) && isRecord(parsed["scripts"]) ? parsed["scripts"] : {}
    return Object.values(scripts).join("\n")
  } catch {
    return ""
  }
}

const isCode = (file: string, { machine: { path } }: Look): boolean => code.test(file) || path.extname(file) === ""

/** Files of code that a manifest or script names by their paths. */
const spokenOf = (file: string, look: Look): ReadonlyArray<string> => {
  const { path } = look.machine
  return wordsIn(spoken(file, look))
    .filter((word) => /[./]/.test(word))
    .map((word) => path.resolve(path.dirname(file), word))
    .filter((other) => isCode(other, look))
}

const filesIn = (paths: Iterable<string>, look: Look): ReadonlyArray<string> =>
  [...new Set(paths)].filter((file) => kindOf(file, look) === "file").slice(0, mostFiles)

/** Absolute paths, each once and in order; none for a command that only reads. */
export const of = (
  command: CommandFact.CommandFact,
  workspace: string,
  machine: Machine.Machine = Machine.host
): ReadonlyArray<string> => {
  const { cwd, reading, text } = command
  const { path } = machine
  const look: Look = { machine, ...Share.links([workspace], machine) }
  const isPlain = reading.form === "plain"
  const acting = reading.actions.filter(({ readOnly }) => !readOnly)
  if (isPlain && acting.length === 0) return []
  // What only reads names data, unless more may happen than is known.
  const loose = isPlain ? [] : wordsIn(text)
  const inText = loose.flatMap((word) => (isCode(word, look) ? [word] : []))
  const words = [...new Set([...wordsOf(isPlain ? acting : reading.actions), ...inText])].slice(0, mostWords)
  const places = [...new Set([...wordsOf(reading.actions), ...loose])].slice(0, mostWords)
  const start = cwd.resolved
  const inside = (folder: string): boolean =>
    Folder.contains(workspace, folder, machine) && kindOf(folder, look) === "folder"
  const foldersFrom = (folder: string) => places.map((word) => path.resolve(folder, word)).filter(inside)
  const once = [...new Set([start, ...foldersFrom(start)])].slice(0, mostFolders)
  // `cd a && cd b` leads into a folder that is named from another one.
  const folders = [...new Set([...once, ...once.flatMap(foldersFrom)])].slice(0, mostFolders)
  const around = [...new Set(folders.flatMap((folder) => upFrom(folder, workspace, look)))]
  const written = onlyWritten(command)
  const meant = around.flatMap((folder) => named(words, folder, look)).filter((file) => !written.has(file))
  const first = filesIn([...around.flatMap((folder) => own(folder, look)), ...meant], look)
  const left = { entries: mostEntries }
  const further = folders.flatMap((folder) => below(folder, left, look))
  return filesIn([...first, ...first.flatMap((file) => spokenOf(file, look)), ...further], look).toSorted()
}
