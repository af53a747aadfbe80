// The drawing of the packages as data, and the check that every import follows it.
//
// Guarantee: an import is found whatever its form (see imports.ts), and a dependency exists exactly where an import
// needs it. AGENTS.md shows the same drawing to people.
import { readFileSync } from "node:fs"
import { builtinModules } from "node:module"
import * as path from "node:path"
import { importsOf, type Import } from "./imports.ts"
import { readManifest, shown, sourceFiles, workspacePackages, type WorkspacePackage } from "./workspace.ts"

interface Place {
  readonly layer: "core" | "domain" | "orchestration" | "presentation" | "app"
  /** The packages of this workspace that its sources may import. */
  readonly may: ReadonlyArray<string>
  /** Paths (a file, or a folder with "/") without Node and without effect's unstable modules. */
  readonly pure?: ReadonlyArray<string>
  /** Paths below those which may use Node all the same: entries of their own. */
  readonly withNode?: ReadonlyArray<string>
  /** Paths without Node: they also run in a web view. */
  readonly withoutNode?: ReadonlyArray<string>
  /** Set if nothing but these packages may be imported. */
  readonly only?: ReadonlyArray<string>
  /** Dependencies of which files are needed at run time although no source of this package imports them. */
  readonly unbundled?: ReadonlyArray<string>
  /** Modules that the program provides in which it runs; nobody installs them. */
  readonly provided?: ReadonlyArray<string>
}

const core = ["task-state", "machine"]
const domain = [
  "git-runner",
  "approval-policy",
  "tool-executor",
  "message-state",
  "model-client",
  "focus-chain",
  "modes",
  "prompt-context",
  "checkpoints",
  "history-store",
  "history-interop",
  "settings"
]
const packages = [...core, ...domain, "task-engine", "interaction"]

/** Who may import whom: down only, and between domain packages only what is named here. */
export const drawing: Readonly<Record<string, Place>> = {
  "task-state": { layer: "core", may: [], pure: ["src/"], only: ["effect"] },
  machine: { layer: "core", may: [], only: ["effect"] },
  "git-runner": { layer: "domain", may: core },
  "approval-policy": {
    layer: "domain",
    may: [...core, "git-runner"],
    pure: ["src/"],
    withNode: ["src/facts.ts", "src/facts/", "src/node.ts"]
  },
  "tool-executor": {
    layer: "domain",
    may: [...core, "approval-policy", "git-runner"],
    unbundled: ["@vscode/tree-sitter-wasm"]
  },
  "message-state": { layer: "domain", may: core, pure: ["src/"] },
  "model-client": { layer: "domain", may: [...core, "message-state"] },
  "focus-chain": { layer: "domain", may: core, pure: ["src/Checklist.ts"] },
  modes: { layer: "domain", may: core, pure: ["src/"] },
  "prompt-context": { layer: "domain", may: [...core, "git-runner"] },
  checkpoints: { layer: "domain", may: [...core, "git-runner"] },
  "history-store": { layer: "domain", may: [...core, "message-state", "focus-chain", "tool-executor"] },
  "history-interop": { layer: "domain", may: [...core, "history-store"] },
  settings: {
    layer: "domain",
    may: [
      ...core,
      "approval-policy",
      "message-state",
      "model-client",
      "prompt-context",
      "tool-executor",
      "history-store"
    ]
  },
  "task-engine": {
    layer: "orchestration",
    may: [...core, ...domain],
    withoutNode: ["src/text.ts", "src/text/"]
  },
  interaction: {
    layer: "presentation",
    may: [
      ...core,
      "approval-policy",
      "focus-chain",
      "message-state",
      "prompt-context",
      "tool-executor",
      "history-store",
      "task-engine"
    ],
    withoutNode: ["src/index.ts", "src/view.ts", "src/text/", "src/conversation/", "src/view/"]
  },
  testkit: { layer: "orchestration", may: [...core, ...domain] },
  "host-cli": { layer: "app", may: [...packages, "testkit"], unbundled: ["@vscode/ripgrep"] },
  // Its templates are projects of their own, with dependencies of their own.
  "create-belay": {
    layer: "app",
    may: [],
    unbundled: [...core, ...domain, "sdk", "task-engine"].map((id) => `@belay/${id}`)
  },
  sdk: {
    layer: "presentation",
    may: [...core, ...domain, "task-engine"],
    unbundled: ["@vscode/ripgrep", "@vscode/tree-sitter-wasm", "web-tree-sitter"]
  },
  examples: { layer: "app", may: [...packages, "testkit", "sdk"] },
  "host-vscode": { layer: "app", may: packages, unbundled: ["@vscode/ripgrep"], provided: ["vscode"] }
}

/** Effect's modules without a stability promise; every module in a lower-case folder (`effect/sql`, ...) is one, too. */
const unstableModules = new Set(
  (
    "Arbitrary Csv ErrorReporter FileSystem Glob Ini LayerMap LayerRef Ndjson PartitionedSemaphore Path " +
    "PlatformError SchemaBinary Sse Stdio Tar Terminal TextDiff Toml TxChunk TxQueue Xml Yaml Zip"
  ).split(" ")
)

const builtins = new Set(builtinModules)
const isWithin = (paths: ReadonlyArray<string> | undefined, file: string): boolean =>
  (paths ?? []).some((p) => (p.endsWith("/") ? file.startsWith(p) : file === p))
const packageOf = (specifier: string): string => specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/")
const isPure = ({ local, place }: SourceFile): boolean =>
  isWithin(place.pure, local) && !isWithin(place.withNode, local)
const isUnstable = (specifier: string): boolean => {
  const module = specifier.split("/")[1] ?? ""
  return /^[a-z]/.test(module) || unstableModules.has(module)
}

interface SourceFile {
  readonly owner: WorkspacePackage
  readonly place: Place
  readonly file: string
  /** Relative to the package, with forward slashes. */
  readonly local: string
  readonly part: "src" | "test"
}

/** Everything in packages and apps that is against the drawing, one sentence each. */
export function checkDrawing(root: string): ReadonlyArray<string> {
  const all = workspacePackages(root)
  const byName = new Map(all.map((p) => [p.name, p]))
  const rootDev = Object.keys(readManifest(root).devDependencies ?? {})
  const violations: Array<string> = []
  for (const owner of all) {
    const place = drawing[owner.id]
    const where = shown(root, owner.folder)
    // `npm create belay` looks for a name without a scope.
    const name = owner.id.startsWith("create-") ? owner.id : `@belay/${owner.id}`
    if (owner.name !== name) violations.push(`${where}: its name must be ${name}.`)
    if (place === undefined) {
      violations.push(`${where} is not in the drawing (scripts/checks/drawing.ts).`)
      continue
    }
    const used = { src: new Set<string>(), test: new Set<string>() }
    for (const part of ["src", "test"] as const) {
      for (const file of sourceFiles(owner.folder, part)) {
        const source = { owner, place, file, local: shown(owner.folder, file), part }
        for (const found of importsOf(file, readFileSync(file, "utf8"))) {
          const reason = against(source, found, byName, rootDev)
          if (reason !== undefined) violations.push(`${shown(root, file)}:${found.line} ${reason}`)
          if (found.specifier !== undefined) used[part].add(packageOf(found.specifier))
        }
      }
    }
    violations.push(...unusedDependencies(owner, place, used).map((reason) => `${where}/package.json: ${reason}`))
  }
  return [...violations, ...cycles(all)]
}

/** Why one import is against the drawing, or undefined. */
function against(
  source: SourceFile,
  { specifier }: Import,
  byName: ReadonlyMap<string, WorkspacePackage>,
  rootDev: ReadonlyArray<string>
): string | undefined {
  if (specifier === undefined) return "imports a computed path, which no check can follow."
  if (specifier.startsWith(".")) return againstRelative(source, specifier)
  if (path.isAbsolute(specifier) || specifier.includes(":\\")) return `imports the absolute path ${specifier}.`
  if (specifier.startsWith("node:") || builtins.has(specifier)) return againstNode(source, specifier)
  const name = packageOf(specifier)
  const target = byName.get(name)
  if (target !== undefined) return againstWorkspace(source, specifier, target)
  if (name.startsWith("@belay/")) return `imports ${name}, which does not exist.`
  if (source.place.provided?.includes(name) === true) return undefined
  if (name === "effect") {
    const reason = againstEffect(source, specifier)
    if (reason !== undefined) return reason
  }
  if (source.part === "src" && source.place.only !== undefined && !source.place.only.includes(name)) {
    return `imports ${name}: ${source.owner.id} imports ${source.place.only.join(", ")} and nothing else.`
  }
  return isDeclared(source, name, rootDev) ? undefined : `imports ${name}, which its package.json does not declare.`
}

function againstRelative(source: SourceFile, specifier: string): string | undefined {
  const target = path.resolve(path.dirname(source.file), specifier)
  const local = shown(source.owner.folder, target)
  // What all packages' tests share lies beside the packages.
  const isForTests = /^\.\.\/\.\.\/scripts\/shared\/(?:readme|materials|debian)\.ts$/.test(local)
  if (source.part === "test" && isForTests) return undefined
  if (local.startsWith("../")) return `leaves its package by ${specifier}: use the package's name.`
  if (source.part === "src" && !local.startsWith("src/") && local !== "package.json") {
    return `leaves src by ${specifier}.`
  }
  return source.part === "src" && local === "src/index.ts" ? "imports its own index." : undefined
}

function againstNode(source: SourceFile, specifier: string): string | undefined {
  if (!specifier.startsWith("node:")) return `imports ${specifier}: write node:${specifier}.`
  if (isPure(source)) return `imports ${specifier}: this file is pure.`
  return isWithin(source.place.withoutNode, source.local)
    ? `imports ${specifier}: this file also runs without Node.`
    : undefined
}

function againstEffect(source: SourceFile, specifier: string): string | undefined {
  if (source.part !== "src") return undefined
  if (specifier === "effect") return 'imports the "effect" barrel: import the module, as in "effect/Effect".'
  return isPure(source) && isUnstable(specifier) ? `imports the unstable ${specifier}: this file is pure.` : undefined
}

function againstWorkspace(source: SourceFile, specifier: string, target: WorkspacePackage): string | undefined {
  const { owner, part, place } = source
  const own = target.id === owner.id
  if (own && part === "src") return `imports its own package by name (${specifier}).`
  if (target.kind === "apps" && !own && !place.may.includes(target.id)) return `imports the app ${target.name}.`
  const allowed = own || place.may.includes(target.id) || (part === "test" && target.id === "testkit")
  if (!allowed)
    return `imports ${target.name}, against the drawing: ${owner.id} may import ${place.may.join(", ") || "none"}.`
  const entry = `.${specifier.slice(target.name.length)}`
  if (typeof target.manifest.exports?.[entry] !== "object")
    return `imports ${specifier}, which ${target.name} does not export.`
  return own || isDeclared(source, target.name, [])
    ? undefined
    : `imports ${target.name}, which its package.json does not declare.`
}

/** Sources run on what is installed with them; what an app bundles, and what tests need, may be a devDependency. */
function isDeclared(source: SourceFile, name: string, rootDev: ReadonlyArray<string>): boolean {
  const { dependencies, devDependencies, peerDependencies } = source.owner.manifest
  if (name in { ...dependencies, ...peerDependencies }) return true
  if (source.part === "src" && source.owner.kind === "packages") return false
  return name in { ...devDependencies } || (source.part === "test" && rootDev.includes(name))
}

function unusedDependencies(
  owner: WorkspacePackage,
  place: Place,
  used: Readonly<Record<"src" | "test", ReadonlySet<string>>>
): ReadonlyArray<string> {
  const { dependencies, devDependencies, peerDependencies } = owner.manifest
  const installed = Object.keys({ ...dependencies, ...peerDependencies })
    .filter((name) => !used.src.has(name) && !place.unbundled?.includes(name))
    .map((name) => `depends on ${name}, which no source imports.`)
  const dev = Object.keys(devDependencies ?? {})
    .filter(
      (name) => name.startsWith("@belay/") && !used.test.has(name) && !(owner.kind !== "packages" && used.src.has(name))
    )
    .filter((name) => !place.unbundled?.includes(name))
    .map((name) => `has the devDependency ${name}, which no test imports.`)
  return [...installed, ...dev]
}

/** Cycles among packages, tests included: turbo could not order them. */
function cycles(all: ReadonlyArray<WorkspacePackage>): ReadonlyArray<string> {
  const edges = new Map(
    all.map(({ name, manifest: m }) => [
      name,
      Object.keys({ ...m.dependencies, ...m.devDependencies }).filter((dependency) => dependency.startsWith("@belay/"))
    ])
  )
  const done = new Set<string>()
  const found: Array<string> = []
  const walk = (name: string, trail: ReadonlyArray<string>): void => {
    const start = trail.indexOf(name)
    if (start >= 0) found.push(`packages depend on each other: ${[...trail.slice(start), name].join(" -> ")}.`)
    if (start >= 0 || done.has(name)) return
    for (const next of edges.get(name) ?? []) walk(next, [...trail, name])
    done.add(name)
  }
  for (const { name } of all) walk(name, [])
  return found
}
