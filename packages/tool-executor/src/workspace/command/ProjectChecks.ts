/**
 * The checks that the manifests of a project name: tests, linters, builds and checks of types, as entries of
 * `commands.allow` are spelt, with the files that decide what each of them runs.
 *
 * Guarantees: nothing is a check that no manifest of the project stands for; a script that publishes or deploys is none,
 * and neither is one that only a name of the project's own tells apart from any other.
 */
import * as path from "node:path"

export type Kind = "node" | "cargo" | "go" | "python" | "make" | "gradle" | "maven" | "dotnet"

export interface Found {
  readonly entry: string
  /** The manifest, relative to the workspace. */
  readonly from: string
  readonly kind: Kind
  /** A program of the project that it runs. */
  readonly program?: string
}

const patterns: Readonly<Record<Kind, RegExp>> = {
  node: /^(?:package\.(?:json5?|yaml)|\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.[cm]js|\.pnp\..+|pnpm-workspace\.yaml|turbo\.jsonc?|nx\.json|lerna\.json|project\.json|biome\.jsonc?|(?:jest|babel)\.config\.json|.+\.config\.[cm]?[jt]s|(?:vitest|jest)[.-]setup\.[cm]?[jt]sx?|\.(?:eslint|mocha|babel|prettier|swc|oxlint)rc.*)$/,
  cargo: /^(?:cargo\.toml|build\.rs|rust-toolchain(?:\.toml)?|\.cargo\/config(?:\.toml)?)$/,
  go: /^(?:go\.mod|go\.work|\.golangci\..+)$/,
  python:
    /^(?:pyproject\.toml|setup\.(?:py|cfg)|\.?pytest\.(?:ini|toml)|tox\.(?:ini|toml)|noxfile\.py|conftest\.py|sitecustomize\.py|\.?mypy\.ini|\.flake8|\.?pylintrc.*|ruff\.toml|requirements.*\.txt|poetry\.toml|uv\.toml)$/,
  make: /^(?:(?:gnu|bsd)?makefile(?:\..+)?|.+\.(?:mk|mak))$/,
  gradle:
    /^(?:gradlew(?:\.bat)?|.+\.gradle(?:\.kts)?|gradle\.properties|gradle\/(?:wrapper\/gradle-wrapper\.(?:properties|jar)|libs\.versions\.toml))$/,
  maven:
    /^(?:pom\.xml|mvnw(?:\.cmd)?|\.mvn\/(?:jvm\.config|maven\.config|extensions\.xml|wrapper\/maven-wrapper\.properties))$/,
  dotnet: /^(?:.+\.(?:[cfv](?:s|b)proj|slnx?|props|targets)|global\.json|nuget\.config|directory\..+\.rsp)$/
}

const kinds = Object.keys(patterns) as ReadonlyArray<Kind>

/** Folders whose files count with the folder above them. */
export const beside: ReadonlyArray<string> = [".cargo", ".mvn", ".mvn/wrapper", "gradle", "gradle/wrapper"]

/** What a manifest decides about; nothing for any other file. `name` is relative to the folder of the project. */
export const kindOf = (name: string): Kind | undefined => kinds.find((kind) => patterns[kind].test(name.toLowerCase()))

/** Of a path in the workspace, whichever folder of it is that of the project. */
export const kindAt = (file: string): Kind | undefined => {
  const parts = file.split("/")
  return [1, 2, 3].map((count) => kindOf(parts.slice(-count).join("/"))).find((kind) => kind !== undefined)
}

const outward = /publish|deploy|release|upload|push|login/i
const checking =
  /^(?:test|tests|lint|build|compile|typecheck|type-check|check-types|types|tsc|check|checks|unit|e2e|coverage|fmt|format|vet|verify)(?:[:.-].*)?$/

const isCheck = (name: string): boolean => checking.test(name) && /^[\w:.-]+$/.test(name) && !outward.test(name)

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {}

/** Programs of packages that only check and build, by the package that brings them. */
const tools: ReadonlyArray<readonly [name: string, program: string]> = [
  ...["vitest", "jest", "mocha", "ava", "tap", "eslint", "oxlint", "stylelint", "vue-tsc", "svelte-check", "xo"].map(
    (name) => [name, name] as const
  ),
  ["typescript", "tsc"],
  ["@biomejs/biome", "biome"],
  ["@playwright/test", "playwright"]
]

type One = Omit<Found, "from" | "kind">

const ofNode = (text: string): ReadonlyArray<One> => {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return []
  }
  const { dependencies, devDependencies, scripts: named } = recordOf(parsed)
  const scripts = Object.entries(recordOf(named)).filter(([name]) => isCheck(name))
  const own = new Set(Object.keys({ ...recordOf(dependencies), ...recordOf(devDependencies) }))
  const spoken = scripts.map(([, script]) => String(script)).join("\n")
  const runs = scripts.flatMap(([name]) =>
    ["npm", "pnpm", "yarn"].map((manager) => ({ entry: `${manager} run ${name}` }))
  )
  const locals = tools
    .filter(
      ([name, program]) => own.has(name) || new RegExp(`(?:^|[\\s;&|])${program}(?:$|[\\s;&|])`, "m").test(spoken)
    )
    .flatMap(([, program]) => {
      const file = `node_modules/.bin/${program}`
      return [file, `npx ${program}`, `pnpm exec ${program}`, `yarn ${program}`].map((entry) => ({
        entry,
        program: file
      }))
    })
  return [...runs, ...locals, ...(/\bnode --test\b/.test(spoken) ? [{ entry: "node --test" }] : [])]
}

const entries = (text: string): ReadonlyArray<One> => text.split(", ").map((entry) => ({ entry }))

const venvs = [".venv/bin", "venv/bin", "env/bin", ".venv/Scripts", "venv/Scripts"]
const pythonTools = [
  "pytest",
  "mypy",
  "ruff check",
  "ruff format",
  "flake8",
  "pyright",
  "pylint",
  "tox",
  "nox",
  "black --check"
]

const python: ReadonlyArray<One> = [
  ...entries(
    "python -m pytest, python3 -m pytest, python -m unittest, python3 -m unittest, python -m mypy, python3 -m mypy, uv run pytest, poetry run pytest, pipenv run pytest, hatch test"
  ),
  ...pythonTools.map((entry) => ({ entry })),
  ...venvs.flatMap((folder) => [
    ...pythonTools.map((tool) => ({ entry: `${folder}/${tool}`, program: `${folder}/${tool.split(" ")[0] ?? tool}` })),
    ...["python", "python3"].flatMap((name) =>
      ["pytest", "unittest", "mypy"].map((module) => ({
        entry: `${folder}/${name} -m ${module}`,
        program: `${folder}/${name}`
      }))
    )
  ])
]

const ofMake = (text: string): ReadonlyArray<One> =>
  [...text.matchAll(/^([A-Za-z][\w.-]*(?: [A-Za-z][\w.-]*)*)\s*:(?![=:])/gm)]
    .flatMap(([, targets = ""]) => targets.split(" "))
    .filter(isCheck)
    .flatMap((target) => [{ entry: `make ${target}` }, { entry: `gmake ${target}` }])

const each = (programs: ReadonlyArray<string>, tasks: string): ReadonlyArray<One> =>
  programs.flatMap((program) =>
    tasks.split(" ").map((task) => ({
      entry: `${program} ${task}`,
      ...(program.startsWith("./") ? { program: program.slice(2) } : {})
    }))
  )

const gradle = each(
  ["./gradlew", "gradle"],
  "test check build assemble classes testClasses compileJava compileTestJava compileKotlin lint ktlintCheck detekt spotlessCheck checkstyleMain jar"
)

const of: Readonly<Record<Kind, (name: string, text: string) => ReadonlyArray<One>>> = {
  node: (name, text) => (name === "package.json" ? ofNode(text) : []),
  cargo: (name) =>
    name === "Cargo.toml"
      ? entries(
          "cargo test, cargo t, cargo build, cargo b, cargo check, cargo c, cargo clippy, cargo fmt, cargo nextest run"
        )
      : [],
  go: (name) =>
    /^go\.(?:mod|work)$/.test(name) ? entries("go test, go build, go vet, go fmt, gofmt, golangci-lint run") : [],
  python: () => python,
  make: (name, text) => (/^(?:GNU)?[Mm]akefile$/.test(name) ? ofMake(text) : []),
  gradle: (name) => (/^(?:build|settings)\.gradle(?:\.kts)?$|^gradlew$/.test(name) ? gradle : []),
  maven: (name) =>
    name === "pom.xml"
      ? each(["./mvnw", "mvn"], "test verify compile test-compile package checkstyle:check spotless:check")
      : [],
  dotnet: (name) => (/proj$|\.slnx?$/.test(name) ? entries("dotnet test, dotnet build, dotnet format") : [])
}

/** The checks of one manifest; `file` is relative to the workspace. */
export const ofManifest = (file: string, text: string): ReadonlyArray<Found> => {
  const name = path.posix.basename(file)
  const kind = kindOf(name)
  if (kind === undefined) return []
  const above = path.posix.dirname(file)
  return of[kind](name, text).flatMap(({ entry, program }): ReadonlyArray<Found> => {
    const own = { entry, from: file, kind, ...(program === undefined ? {} : { program }) }
    if (program === undefined || above === ".") return [own]
    // From another folder the program has another name.
    const [first = "", ...rest] = entry.split(" ")
    const isCalled = first.replace(/^\.\//, "") === program
    const at = `${above}/${program}`
    return [{ ...own, program: at, entry: isCalled ? [at, ...rest].join(" ") : entry }]
  })
}
