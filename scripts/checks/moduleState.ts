// What modules keep.
//
// Guarantee: no module of a package or app has a variable that changes, or a collection that is filled later, but those
// that are named here: caches, which may be emptied at any time without a difference but in time, and what belongs to the
// whole process or page, whoever asks. Everything else is a service, whose layer a program makes as often as it wants.
import { readFileSync } from "node:fs"
import { type Node, programOf } from "./imports.ts"
import { shown, sourceFiles, workspacePackages } from "./workspace.ts"

/** What was computed, read or loaded before, by what it was computed of. */
const caches: Readonly<Record<string, ReadonlyArray<string>>> = {
  "apps/host-cli/src/lineage/OfTask.ts": ["found"],
  "apps/host-cli/src/output/DisplayWidth.ts": ["segmenter"],
  "apps/host-vscode/src/settings/TrustDocument.ts": ["contents"],
  "apps/host-vscode/src/webview/state/clock.ts": ["made"],
  "packages/approval-policy/src/ProtectedPath.ts": ["known"],
  "packages/approval-policy/src/internal/commandRules.ts": ["known"],
  "packages/approval-policy/src/internal/shell/table/flags.ts": ["parsedFlags"],
  "packages/checkpoints/src/internal/known.ts": ["tasks"],
  "packages/checkpoints/src/internal/snapshot.ts": ["written"],
  "packages/history-store/src/internal/database/statements.ts": ["texts"],
  "packages/history-store/src/internal/process/machine.ts": ["known"],
  "packages/history-store/src/internal/records/rows.ts": ["decoded"],
  "packages/message-state/src/Condense.ts": ["known"],
  "packages/message-state/src/Message.ts": ["unthoughts"],
  "packages/model-client/src/ModelTable.ts": ["found"],
  "packages/model-client/src/internal/encode.ts": ["logs", "texts"],
  "packages/model-client/src/internal/prepare.ts": ["known"],
  "packages/model-client/src/internal/tunnel.ts": ["agents"],
  "packages/task-engine/src/model/ThinkingBlocks.ts": ["digests", "asked"],
  "packages/approval-policy/src/facts/GitFolders.ts": ["known"],
  "packages/tool-executor/src/workspace/command/Manifests.ts": ["known"],
  "packages/approval-policy/src/facts/BelayIgnore.ts": ["known"],
  "packages/approval-policy/src/facts/PathResolver.ts": ["folding"],
  "packages/approval-policy/src/facts/CommandFacts.ts": ["grammar"]
}

/** What belongs to the process or the page, and why no two parts of it may have it twice. */
const ofProcess: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "apps/host-cli/src/output/DetachedChannel.ts": { hasBegun: "the process has one channel to whoever started it" },
  "apps/host-cli/src/tasks/Reading.ts": { said: "a process says it once" },
  "apps/host-cli/src/terminal/Echo.ts": { state: "the process has one terminal" },
  "apps/host-cli/src/terminal/Signals.ts": { isIgnored: "signals come to the process" },
  "apps/host-vscode/src/commands/workspace/answer.ts": { last: "the window steps through its asks" },
  "apps/host-vscode/src/extension.ts": { seats: "the editor activates and deactivates the module" },
  "apps/host-vscode/src/vscode/TextPrompt.ts": { drafts: "what a person typed outlives what was asked for" },
  "apps/host-vscode/src/webview/composer/files.ts": { underWay: "a page has one composer" },
  "apps/host-vscode/src/webview/composer/unqueue.ts": { asked: "a page has one composer" },
  "apps/host-vscode/src/webview/state/store.ts": {
    kept: "a page has one state",
    listeners: "a page has one state",
    state: "a page has one state",
    written: "a page has one composer"
  },
  "packages/history-interop/src/internal/opencode.ts": {
    copies: "a copy of a database is there until the process ends, and is made once"
  },
  "packages/tool-executor/src/workspace/command/Manifests.ts": {
    watches: "what a command of any task changed is known for all tasks of the workspace"
  },
  "packages/tool-executor/src/workspace/paths/ApprovalBinding.ts": {
    bound: "a part of the arguments of one call, gone with them",
    judged: "a part of the arguments of one call, gone with them"
  },
  "packages/tool-executor/src/workspace/paths/OwnWrites.ts": {
    listeners: "no command may be blamed for a write of this process",
    written: "no command may be blamed for a write of this process"
  },
  "packages/tool-executor/src/workspace/process/ProcessReaper.ts": { survivor: "one program outlives the process" },
  "packages/tool-executor/src/workspace/process/WindowsJobs.ts": { system: "one helper holds the jobs of the process" },
  "packages/tool-executor/src/workspace/sandbox/BoxJournal.ts": {
    begun: "no box of this process is taken for one that was left"
  }
}

export function checkModuleState(root: string): ReadonlyArray<string> {
  const allowed = (file: string): ReadonlyArray<string> => [
    ...(caches[file] ?? []),
    ...Object.keys(ofProcess[file] ?? {})
  ]
  const files = new Map(
    workspacePackages(root)
      .flatMap(({ folder }) => sourceFiles(folder, "src"))
      .map((file) => [shown(root, file), file] as const)
  )
  const gone = [...new Set([...Object.keys(caches), ...Object.keys(ofProcess)])].filter((file) => !files.has(file))
  return [
    ...[...files].flatMap(([name, file]) =>
      stateViolations(name, stateOf(file, readFileSync(file, "utf8")), allowed(name))
    ),
    ...gone.map((file) => `${file} is not there any more: take what it kept out of the list.`)
  ]
}

export interface Kept {
  readonly name: string
  readonly line: number
}

export function stateViolations(
  file: string,
  found: ReadonlyArray<Kept>,
  allowed: ReadonlyArray<string>
): ReadonlyArray<string> {
  return [
    ...found
      .filter(({ name }) => !allowed.includes(name))
      .map(({ line, name }) => `${file}:${line}: the module keeps ${name}: make it a part of a service.`),
    ...allowed
      .filter((name) => found.every((one) => one.name !== name))
      .map((name) => `${file}: the module keeps no ${name} any more: take it out of the list.`)
  ]
}

const collections = new Set(["Map", "Set", "WeakMap", "WeakSet"])

/** The variables of a module that change, and its collections that are empty at first and not read-only. */
export function stateOf(file: string, text: string): ReadonlyArray<Kept> {
  const { body } = programOf(file, text) as { readonly body: ReadonlyArray<Node> }
  return body.flatMap((statement) => {
    const declared = statement.type === "ExportNamedDeclaration" ? (statement["declaration"] as Node | null) : statement
    if (declared?.type !== "VariableDeclaration" || declared["declare"] === true) return []
    return (declared["declarations"] as ReadonlyArray<Node>).flatMap(({ id, init }) => {
      const { name = "", typeAnnotation } = id as { readonly name?: string; readonly typeAnnotation?: Node }
      const changes =
        declared["kind"] !== "const" || (isFilledLater(init as Node | null) && !isReadonly(typeAnnotation))
      return changes ? [{ name, line: text.slice(0, declared.start).split("\n").length }] : []
    })
  })
}

function isFilledLater(value: Node | null): boolean {
  if (value?.type === "ArrayExpression") return (value["elements"] as ReadonlyArray<Node>).length === 0
  if (value?.type !== "NewExpression") return false
  const { name = "" } = value["callee"] as { readonly name?: string }
  return collections.has(name) && (value["arguments"] as ReadonlyArray<Node>).length === 0
}

function isReadonly(annotation: Node | undefined): boolean {
  const type = annotation?.["typeAnnotation"] as Node | undefined
  const { name = "" } = (type?.["typeName"] ?? {}) as { readonly name?: string }
  return name.startsWith("Readonly")
}
