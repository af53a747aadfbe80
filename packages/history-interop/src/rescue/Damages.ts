/** What is damaged in a task that was read, and whether it can be put right. Pure. */
import type { Linked } from "../Links.ts"
import * as Links from "../Links.ts"
import * as Layout from "../internal/layout.ts"
import type { Summary } from "../Summary.ts"
import type * as Found from "./Found.ts"

type Damage = Found.Damage

const fileCodes: ReadonlyArray<readonly [RegExp, string]> = [
  [/zeros/u, "file.zeros"],
  [/empty/u, "file.empty"],
  [/lines/u, "line.torn"],
  [/permission|link|not a file|disk/u, "file.unreadable"],
  [/not whole|nested/u, "file.torn"]
]

const codeOf = (reason: string): string => fileCodes.find(([pattern]) => pattern.test(reason))?.[1] ?? "file.other"

const filesOf = ({ damage, notes, turns }: Summary): ReadonlyArray<Damage> => {
  const replaced = notes.filter(({ rule }) => rule === "salvaged").map(({ detail }) => detail)
  const files = damage.map(({ path, reason }): Damage => {
    const code = codeOf(reason)
    const name = path.split(/[\\/]/u).at(-1) ?? path
    const isWhole = replaced.some(
      (detail) => detail.startsWith(`${name}: its `) || detail.startsWith(`${name}: it was taken`)
    )
    const repair = isWhole ? "exact" : code === "file.unreadable" || turns === 0 ? "none" : "lossy"
    return { class: "B", code, file: path, evidence: reason, repair }
  })
  const damaged = new Set(damage.map(({ path }) => path.split(/[\\/]/u).at(-1)))
  const newer = replaced.flatMap((detail): ReadonlyArray<Damage> => {
    const [name = ""] = detail.split(":")
    if (damaged.has(name) || !/ (?:came from|was taken from) /u.test(detail)) return []
    return [{ class: "B", code: "file.unfinished", evidence: detail, repair: "exact" }]
  })
  return [...files, ...newer]
}

const rules: Readonly<Record<string, Omit<Damage, "evidence">>> = {
  rebuilt: { class: "B", code: "conversation.gone", repair: "lossy" },
  numberedTwice: { class: "B", code: "codex.ordinal", repair: "exact" },
  handoffUnknown: { class: "E", code: "handoff.unknown", repair: "none" },
  reparented: { class: "C", code: "claude.dangling-parent", repair: "exact" }
}

const notesOf = ({ damage, notes, prompt, turns }: Summary, layout: Layout.Layout): ReadonlyArray<Damage> =>
  notes.flatMap(({ detail, rule }): ReadonlyArray<Damage> => {
    const known = rules[rule]
    if (known !== undefined) {
      const code = rule === "reparented" && layout === "trees" ? "pi.dangling-parent" : known.code
      return [{ ...known, code, evidence: detail }]
    }
    if (rule === "recordMissing" && layout === "tasks" && detail.startsWith("its record was rebuilt")) {
      if (turns === 0 && prompt === "") return []
      const isThere = damage.some(({ path }) => path.endsWith("history_item.json"))
      const evidence = isThere ? "its record cannot be read" : "it has a conversation and no record"
      return [{ class: "A", code: "record.missing", evidence, repair: "lossy" }]
    }
    if (rule !== "callUnanswered" || !/had no result|without a call/u.test(detail)) return []
    return [
      {
        class: "D",
        code: "call.unanswered",
        evidence: detail.replace(/^\w/u, (first) => first.toLowerCase()),
        repair: "exact"
      }
    ]
  })

const stateOf = (child: Links.Child, summary: Summary | undefined): Found.Child["state"] => {
  switch (child.state) {
    case "told":
      return "undelivered"
    case "waiting":
      if (summary === undefined) return "lost"
      return Links.isFinished(summary) ? "undelivered" : "stopped"
    default:
      return child.state
  }
}

/** Its subtasks, with those that it waits for and that are not there. */
export const childrenOf = (
  linked: Linked,
  ref: (id: string) => string,
  byId: (id: string) => Summary | undefined
): ReadonlyArray<Found.Child> => {
  const known = new Set(linked.children.map(({ id }) => id))
  const waits = linked.summary.item.status === "completed" ? undefined : linked.item.awaitingChildId
  // What is no id names nobody.
  const gone =
    waits === undefined || !Layout.isSafe(waits) || known.has(waits) || byId(waits) !== undefined ? [] : [waits]
  return [
    ...linked.children.map((child): Found.Child => ({
      ref: ref(child.id),
      state: stateOf(child, byId(child.id)),
      ...(child.callId === undefined || child.callId === "" ? {} : { callId: child.callId })
    })),
    ...gone.map((id): Found.Child => ({ ref: ref(id), state: "lost" }))
  ]
}

/** What is wrong between a task and its subtasks: as the parent has it. */
const subtasksOf = (linked: Linked, children: ReadonlyArray<Found.Child>): ReadonlyArray<Damage> =>
  children.flatMap((child): ReadonlyArray<Damage> => {
    const link = linked.children.find(({ id }) => child.ref.endsWith(`:${id}`))
    const named = `subtask ${child.ref}`
    switch (child.state) {
      case "undelivered":
        return [
          {
            class: "E",
            code: "subtask.undelivered",
            evidence: `${named} has ended; its result was never delivered`,
            repair: "exact"
          }
        ]
      case "stopped":
        return link?.found === true
          ? [
              {
                class: "E",
                code: "subtask.released",
                evidence: `it went on without ${named}, which stopped half-way`,
                repair: "exact"
              }
            ]
          : []
      case "lost":
        return [
          { class: "E", code: "subtask.gone", evidence: `it waits for ${named}, which is not there`, repair: "none" }
        ]
      default:
        return []
    }
  })

/** It waits, and nothing is there or named that it could wait for. */
const waitsForNobody = ({ summary: { item } }: Linked, children: ReadonlyArray<Found.Child>): ReadonlyArray<Damage> =>
  item.status !== "delegated" || children.some(({ state }) => state !== "delivered" && state !== "detached")
    ? []
    : [
        {
          class: "E",
          code: "subtask.none",
          evidence: "it waits, and has no subtask that it could wait for",
          repair: "exact"
        }
      ]

/** Its own link to a parent that is there was lost. */
const orphaned = ({ parent, summary }: Linked): ReadonlyArray<Damage> => {
  if (parent === undefined || summary.item.parentTaskId === parent.id || !summary.isReadable) return []
  return [
    {
      class: "E",
      code: "subtask.parent-lost",
      evidence: "its parent waits for it, and it does not name its parent",
      repair: "exact"
    }
  ]
}

/** What is being written now: of the task itself, or of a subtask of it, too. */
export interface Use {
  readonly own: boolean
  readonly any: boolean
}

/** All that is damaged in a task. Of what is being written nothing is said. */
export const of = (
  linked: Linked,
  children: ReadonlyArray<Found.Child>,
  layout: Layout.Layout,
  inUse: Use
): ReadonlyArray<Damage> => [
  ...(inUse.own ? [] : [...filesOf(linked.summary), ...notesOf(linked.summary, layout), ...orphaned(linked)]),
  ...(inUse.any ? [] : [...subtasksOf(linked, children), ...waitsForNobody(linked, children)])
]
