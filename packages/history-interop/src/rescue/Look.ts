/**
 * Looks for the histories of this computer and says what is damaged in them. Nothing is written, no lock is taken, and no
 * program has to be closed.
 *
 * Every task is glanced at; those are read whole of which something speaks for damage or for a link to another task, or all
 * when asked to. A place that cannot be read hides no other one.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as path from "node:path"
import * as Folder from "../Folder.ts"
import { fieldsOf } from "../internal/fields.ts"
import * as Files from "../internal/files.ts"
import { parse, textOf } from "../internal/json.ts"
import * as Opencode from "../internal/opencode.ts"
import * as Links from "../Links.ts"
import type * as Places from "../Places.ts"
import * as SourceTask from "../SourceTask.ts"
import * as Summary from "../Summary.ts"
import * as Damages from "./Damages.ts"
import type * as Found from "./Found.ts"
import * as Glance from "./Glance.ts"

/** One folder of tasks that was looked into, with what a copy or an import needs of it. */
export interface Looked {
  readonly place: Found.Place
  readonly folder: Folder.Folder | undefined
  readonly links: ReadonlyMap<string, Links.Linked>
  readonly tasks: ReadonlyArray<Found.Task>
}

/** Says how much is read. */
export interface Options {
  /** Every task is read whole. */
  readonly deep?: boolean
  /** Told after each task. */
  readonly progress?: (done: number, total: number, place: string) => Effect.Effect<void>
}

/** ms of a day. */
const day = 86_400_000

/** Days after which Claude Code deletes a session, unless its settings say otherwise. */
const kept = 30

/** Days that Claude Code keeps sessions. */
const daysOf = (root: string): number => {
  const found = Files.read(Files.at(path.dirname(root), "settings.json"))
  const value = found._tag === "Bytes" ? parse(textOf(found.bytes)) : undefined
  const days = fieldsOf(value !== undefined && Result.isSuccess(value) ? value.success : undefined)["cleanupPeriodDays"]
  return typeof days === "number" && days > 0 ? days : kept
}

const iso = (ms: number): string => new Date(ms).toISOString()

/** Characters of a title. */
const longest = 80

const titleOf = (words: string): string => words.trim().split("\n")[0]?.slice(0, longest) ?? ""

/** Those that have to be read whole: the suspects, all that they name, and all that name them. */
const toRead = (glances: ReadonlyArray<Glance.Glance>, deep: boolean): ReadonlySet<string> => {
  const ids = new Set<string>()
  for (const { id, isSuspect, related } of glances) {
    if (!deep && !isSuspect) continue
    ids.add(id)
    for (const other of related) ids.add(other)
  }
  return ids
}

const summariesOf = (
  folder: Folder.Folder,
  ids: ReadonlySet<string>,
  now: number,
  done: (id: string) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const summaries: Array<Summary.Summary> = []
    for (const id of folder.tasks.filter((one) => ids.has(one))) {
      summaries.push(Summary.of(SourceTask.read(folder, id, now, "", "brief")))
      yield* done(id)
      yield* Effect.yieldNow
    }
    return summaries
  })

const isUnreadable = (summary: Summary.Summary | undefined): boolean =>
  summary !== undefined && (!summary.isReadable || (summary.prompt === "" && summary.turns === 0))

const nothingLeft = (layout: Found.Place["kind"]): Found.Damage => ({
  class: "H",
  code: layout === "transcripts" ? "claude.no-conversation" : "conversation.none",
  evidence: "no conversation is left of it",
  repair: "none"
})

const elsewhere = (place: string): Found.Damage => ({
  class: "G",
  code: "opencode.other-store",
  evidence: `it is in ${place}, and its program does not look there`,
  repair: "none"
})

const inFolder = (folder: Folder.Folder, options: Options) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const parents = new Set([...folder.sources.values()].flatMap(({ parent }) => parent ?? []))
    const glances: Array<Glance.Glance> = []
    const total = folder.tasks.length
    for (const id of folder.tasks) {
      glances.push(Glance.at(folder, id, parents, now))
      if (glances.length % 50 === 0) yield* options.progress?.(glances.length, total, folder.root) ?? Effect.yieldNow
    }
    const ids = toRead(glances, options.deep === true)
    let count = 0
    const summaries = yield* summariesOf(folder, ids, now, () =>
      ++count % 20 === 0 ? (options.progress?.(count, ids.size, folder.root) ?? Effect.void) : Effect.void
    )
    const links = Links.resolve(summaries)
    const byId = new Map(summaries.map((summary) => [summary.id, summary]))
    const ref = (id: string) => `${folder.agent}:${id}`
    const used = new Set(glances.flatMap(({ id, inUse }) => (inUse ? [ref(id)] : [])))
    const days = folder.layout === "transcripts" ? daysOf(folder.root) : undefined
    const tasks = glances.map((glance): Found.Task => {
      const linked = links.get(glance.id)
      const summary = linked?.summary
      const children = linked === undefined ? [] : Damages.childrenOf(linked, ref, (id) => byId.get(id))
      const isGone = isUnreadable(summary) && !glance.inUse
      // What a subtask that is in use has found may be on its way.
      const inUse = { own: glance.inUse, any: glance.inUse || children.some((child) => used.has(child.ref)) }
      const session = folder.sessions.get(glance.id)
      const other = session === undefined ? undefined : Opencode.elsewhere(session, folder.sessions)
      const found = [
        ...(linked === undefined ? [] : Damages.of(linked, children, folder.layout, inUse)),
        ...(other === undefined ? [] : [elsewhere(other)])
      ]
      const damages = isGone && found.length === 0 ? [nothingLeft(folder.layout)] : found
      const isOwn = folder.sources.get(glance.id)?.parent === undefined
      return {
        ref: ref(glance.id),
        agent: folder.agent,
        place: folder.root,
        id: glance.id,
        title: titleOf(glance.title === "" ? (summary?.prompt ?? "") : glance.title),
        workspace: glance.workspace === "" ? (summary?.item.workspace ?? "") : glance.workspace,
        createdAt: iso(summary?.createdAt ?? glance.createdAt),
        updatedAt: iso(summary?.updatedAt ?? glance.updatedAt),
        turns: summary?.turns ?? null,
        state: isGone ? "unreadable" : damages.length > 0 ? "damaged" : "sound",
        ...(glance.inUse ? { inUse: true } : {}),
        ...(linked?.parent === undefined ? {} : { parent: ref(linked.parent.id) }),
        children,
        damages,
        ...(days === undefined || !isOwn ? {} : { expiresAt: iso(glance.updatedAt + days * day) })
      }
    })
    const bytes = glances.reduce((sum, glance) => sum + glance.bytes, 0)
    return { links, tasks, bytes }
  })

/** Tasks that a list names and that have no folder: either deleted, or never written. */
const unfounded = (folder: Folder.Folder): ReadonlyArray<string> => {
  const present = new Set([...folder.tasks, ...folder.others.map((one) => path.basename(one.path))])
  return [...folder.listed.keys()].filter((id) => !present.has(id))
}

const goneOf = (folder: Folder.Folder, id: string): Found.Task => {
  const item = fieldsOf(folder.listed.get(id))
  const at = typeof item["ts"] === "number" ? item["ts"] : 0
  const title = typeof item["task"] === "string" ? titleOf(item["task"]) : ""
  return {
    ref: `${folder.agent}:${id}`,
    agent: folder.agent,
    place: folder.root,
    id,
    title,
    workspace: typeof item["workspace"] === "string" ? item["workspace"] : "",
    createdAt: iso(at),
    updatedAt: iso(at),
    turns: null,
    state: "unreadable",
    children: [],
    damages: [{ class: "H", code: "task.gone", evidence: "a list names it, and it has no folder", repair: "none" }]
  }
}

/** How programs lay out what cannot be read. */
const kinds: Readonly<Record<string, Found.Place["kind"]>> = {
  claude: "transcripts",
  codex: "rollouts",
  pi: "trees",
  opencode: "messages"
}

const placeOf = (place: Places.Place, root: string, more: Partial<Found.Place>): Found.Place => ({
  agent: place.agent,
  path: root,
  kind: kinds[place.agent] ?? "tasks",
  tasks: 0,
  bytes: 0,
  state: "empty",
  ...more
})

const nothingAt = (place: Found.Place): Looked => ({ place, folder: undefined, links: new Map(), tasks: [] })

const atRoot = (place: Places.Place, root: string, options: Options) =>
  Effect.gen(function* () {
    const opened = yield* Effect.result(Folder.open(root, place.agent))
    if (Result.isFailure(opened)) {
      return [nothingAt(placeOf(place, root, { state: opened.failure.reason === Files.denied ? "denied" : "empty" }))]
    }
    const folder = opened.success
    const { bytes, links, tasks } = yield* inFolder(folder, options)
    const all = [...tasks, ...unfounded(folder).map((id) => goneOf(folder, id))]
    const state = folder.tasks.length === 0 ? "empty" : "read"
    const read: Looked = {
      place: placeOf(place, folder.root, { kind: folder.layout, tasks: folder.tasks.length, bytes, state }),
      folder,
      links,
      tasks: all
    }
    const shut = folder.others.filter(({ reason }) => reason === Files.denied)
    return [
      read,
      ...shut.map((other) => nothingAt(placeOf(place, other.path, { kind: folder.layout, state: "denied" })))
    ]
  })

/** Looks into places, one after the other. */
export const at = (places: ReadonlyArray<Places.Place>, options: Options = {}): Effect.Effect<ReadonlyArray<Looked>> =>
  Effect.map(
    Effect.forEach(places, (place) =>
      Effect.forEach(Folder.within(place.path), (root) => atRoot(place, root, options))
    ),
    (looked) => looked.flat(2)
  )

/** The report on what was looked into, the newest first. */
export const report = (looked: ReadonlyArray<Looked>): Found.Found => ({
  version: 1,
  places: looked.map(({ place }) => place),
  tasks: looked.flatMap(({ tasks }) => tasks).toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1)),
  written: []
})
