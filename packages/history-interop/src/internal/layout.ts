/** The ways in which programs lay their tasks out on a disk, told by what lies there, and where each task is. */
import * as path from "node:path"
import * as Files from "./files.ts"
import * as Opencode from "./opencode.ts"

/**
 * `tasks`: a folder for each task, with two logs, of Cline until 3, Roo Code, Zoo Code and Kilo Code. `sessions`: a folder for
 * each session with the logs of its agents, of Cline since 4. `transcripts`: a file of lines for each session, in a folder
 * for each project, of Claude Code. `rollouts`: a file of lines for each session, in a folder for each day, of Codex, where
 * files can be compressed. `trees`: a file of lines for each session, in a folder for each workspace, of pi. `messages`: databases
 * or a file for each message, of opencode.
 */
export type Layout = "tasks" | "sessions" | "transcripts" | "rollouts" | "trees" | "messages"

/** Where one task lies. */
export interface Source {
  readonly folder: string
  /** Its files begin with this; empty where the folder is the task. */
  readonly stem: string
  /** The task whose session it is part of. */
  readonly parent?: string
}

export interface Listing {
  readonly sources: ReadonlyMap<string, Source>
  /** What is no task's: not safe, a link, or no folder. */
  readonly others: ReadonlyArray<{ readonly path: string; readonly reason: string }>
}

const logs = ["api_conversation_history.json", "ui_messages.json", "claude_messages.json", "history_item.json"]

/** A folder of one task, with at least one of its logs. */
export const holdsTask = (folder: string): boolean => {
  const names = new Set(Files.names(folder))
  return logs.some((name) => names.has(name))
}

/** Its own files and what programs leave while they write. */
const isOwn = (name: string): boolean =>
  name.startsWith("_") || name.startsWith(".") || name.endsWith(".json") || name.endsWith(".lock")

/** A name that can be the id of a task. */
export const isSafe = (name: string): boolean => /^[A-Za-z0-9][\w-]{0,63}$/u.test(name)

const safeName = "its name is not safe as an id"
const noFolder = "it is a link or not a folder"

const whyNot = (root: string, name: string): string | undefined => {
  if (!isSafe(name)) return safeName
  return Files.isFolder(Files.at(root, name)) ? undefined : noFolder
}

const tasksIn = (root: string, names: ReadonlyArray<string>): Listing => {
  const sources = new Map<string, Source>()
  const others: Array<Listing["others"][number]> = []
  for (const name of names.filter((one) => !isOwn(one))) {
    const reason = whyNot(root, name)
    const path = Files.at(root, name)
    if (reason === undefined) sources.set(name, { folder: path, stem: "" })
    else others.push({ path, reason })
  }
  return { sources, others }
}

const messages = ".messages.json"

/** An id of its own that is safe, whatever the name of the agent is. */
const idOf = (session: string, agent: string): string => `${session}__${agent}`.replaceAll(/[^\w-]/gu, "_").slice(0, 64)

const sessionsIn = (root: string, names: ReadonlyArray<string>): Listing => {
  const sources = new Map<string, Source>()
  const others: Array<Listing["others"][number]> = []
  for (const name of names.filter((one) => !isOwn(one))) {
    const folder = Files.at(root, name)
    const reason = whyNot(root, name)
    if (reason !== undefined) {
      others.push({ path: folder, reason })
      continue
    }
    sources.set(name, { folder, stem: name })
    for (const file of Files.names(folder)) {
      const stem = file.endsWith(messages) ? file.slice(0, -messages.length) : name
      if (stem !== name && !file.startsWith(".")) sources.set(idOf(name, stem), { folder, stem, parent: name })
    }
  }
  return { sources, others }
}

const lines = ".jsonl"

/** The end of a file of lines that is compressed. */
export const packed = ".zst"

/** Names of files of lines in a folder, without their end. */
const stemsIn = (folder: string): ReadonlyArray<string> =>
  Files.names(folder).flatMap((name) =>
    name.endsWith(lines) && !name.startsWith(".") ? [name.slice(0, -lines.length)] : []
  )

/** The same, of files that are compressed, too. */
const packedStemsIn = (folder: string): ReadonlyArray<string> => [
  ...new Set([
    ...stemsIn(folder),
    ...Files.names(folder).flatMap((name) =>
      name.endsWith(lines + packed) && !name.startsWith(".") ? [name.slice(0, -(lines + packed).length)] : []
    )
  ])
]

/** The agents of a session: in its folder, and in folders of its workflows. */
const agentsIn = (folder: string): ReadonlyArray<{ readonly folder: string; readonly stem: string }> => [
  ...stemsIn(folder).flatMap((stem) => (stem.startsWith("agent-") ? [{ folder, stem }] : [])),
  ...Files.names(folder)
    .map((name) => Files.at(folder, name))
    .filter((inside) => Files.isFolder(inside))
    .flatMap((inside) => agentsIn(inside))
]

/** Folders below that may not be looked into. */
const deniedIn = (folders: ReadonlyArray<string>): Listing["others"] =>
  folders
    .filter((folder) => Files.isFolder(folder) && Files.isDenied(folder))
    .map((path) => ({ path, reason: Files.denied }))

const transcriptsIn = (root: string): Listing => {
  const sources = new Map<string, Source>()
  const projects = stemsIn(root).length > 0 ? [root] : Files.names(root).map((name) => Files.at(root, name))
  const others = [...deniedIn(projects)]
  for (const folder of projects.filter((one) => Files.isFolder(one))) {
    for (const stem of stemsIn(folder)) {
      if (!isSafe(stem)) {
        others.push({ path: Files.at(folder, stem + lines), reason: safeName })
        continue
      }
      if (!sources.has(stem)) sources.set(stem, { folder, stem })
      for (const agent of agentsIn(Files.at(folder, stem, "subagents"))) {
        if (isSafe(agent.stem) && !sources.has(agent.stem)) sources.set(agent.stem, { ...agent, parent: stem })
      }
    }
  }
  return { sources, others }
}

const rollout = /^rollout-.*-(?<id>[0-9a-f]{8}-[0-9a-f-]{27})$/u

/** Folders of days lie in those of months and years. */
const deepest = 3

const datesIn = (folder: string): ReadonlyArray<string> =>
  Files.names(folder)
    .filter((name) => /^\d{2,4}$/u.test(name))
    .map((name) => Files.at(folder, name))

const rolloutsBelow = (folder: string, depth = 0): ReadonlyArray<Source & { readonly id: string }> => [
  ...packedStemsIn(folder).flatMap((stem) => {
    const id = rollout.exec(stem)?.groups?.["id"]
    return id === undefined ? [] : [{ folder, stem, id }]
  }),
  ...(depth === deepest ? [] : datesIn(folder).flatMap((inside) => rolloutsBelow(inside, depth + 1)))
]

const deniedBelow = (folder: string, depth = 0): Listing["others"] =>
  depth === deepest
    ? []
    : datesIn(folder).flatMap((inside) => [...deniedIn([inside]), ...deniedBelow(inside, depth + 1)])

const rolloutsIn = (root: string): Listing => ({
  sources: new Map(rolloutsBelow(root).map(({ folder, id, stem }) => [id, { folder, stem }])),
  others: deniedBelow(root)
})

const tree = /^\d{4}-\d{2}-\d{2}T[\d-]+Z_(?<id>[0-9a-f]{8}-[0-9a-f-]{27})$/u

const treesIn = (root: string): Listing => ({
  sources: new Map(
    [root, ...Files.names(root).map((name) => Files.at(root, name))]
      .filter((folder) => Files.isFolder(folder))
      .flatMap((folder) =>
        stemsIn(folder).flatMap((stem): ReadonlyArray<readonly [string, Source]> => {
          const id = tree.exec(stem)?.groups?.["id"]
          return id === undefined ? [] : [[id, { folder, stem }]]
        })
      )
  ),
  others: deniedIn(Files.names(root).map((name) => Files.at(root, name)))
})

/** Where the tasks of a folder lie. */
export const listed = (layout: Layout, root: string, names: ReadonlyArray<string>): Listing => {
  if (layout === "tasks") return tasksIn(root, names)
  if (layout === "rollouts") return rolloutsIn(root)
  if (layout === "trees") return treesIn(root)
  // Its databases tell.
  if (layout === "messages") return { sources: new Map(), others: [] }
  return layout === "sessions" ? sessionsIn(root, names) : transcriptsIn(root)
}

const isSession = (folder: string): boolean => {
  const name = path.basename(folder)
  const names = Files.names(folder)
  return names.includes(`${name}.json`) || names.includes(name + messages)
}

const isTranscript = (stem: string): boolean => /^(?:[0-9a-f]{8}-[0-9a-f-]{27}|agent-[0-9a-z]+)$/u.test(stem)

/** What is in a folder; undefined when it holds nothing that is known. Of thousands of folders the first that tells is looked at. */
export const of = (root: string): Layout | undefined => {
  if (Opencode.holds(root)) return "messages"
  const names = Files.names(root)
  const isIn = (holds: (folder: string) => boolean): boolean =>
    names.some((name) => {
      const folder = Files.at(root, name)
      return Files.isFolder(folder) && holds(folder)
    })
  if (isIn(holdsTask)) return "tasks"
  if (isIn(isSession)) return "sessions"
  if (rolloutsBelow(root).length > 0) return "rollouts"
  const hasTree = (folder: string): boolean => stemsIn(folder).some((stem) => tree.test(stem))
  if (hasTree(root) || isIn(hasTree)) return "trees"
  const hasTranscript = (folder: string): boolean => stemsIn(folder).some(isTranscript)
  if (hasTranscript(root) || isIn(hasTranscript)) return "transcripts"
  if (datesIn(root).some(Files.isDenied)) return "rollouts"
  if (path.basename(root) === "projects" && isIn(Files.isDenied)) return "transcripts"
  return path.basename(root) === "tasks" ? "tasks" : undefined
}
