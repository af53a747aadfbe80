/**
 * Deliberate faults: the production sources with one guard taken out, each of which the checker has to notice.
 *
 * A mutant is text that must occur exactly once in a file of `src` and what takes its place, so production code knows
 * nothing of mutants, and a guard that is rewritten makes the proof fail until its mutant is rewritten too.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as Scopes from "./Scopes.ts"
import type { Scope } from "./Step.ts"
import type { WideScope } from "./Wider.ts"
import type { Subject } from "./Subject.ts"

interface Edit {
  readonly file: string
  readonly find: string
  readonly put: string
}

export interface Mutant {
  readonly name: string
  /** A sentence that the two-process model found. */
  readonly found2p?: true
  readonly edits: ReadonlyArray<Edit>
  readonly scope: Scope | WideScope
}

const mutant = (
  name: string,
  file: string,
  find: string,
  put: string,
  scope: Mutant["scope"] = Scopes.commands,
  ...more: ReadonlyArray<Edit>
): Mutant => ({ name, edits: [{ file, find, put }, ...more], scope })

const twoProcess = (of: Mutant): Mutant => ({ ...of, found2p: true })

export const mutants: ReadonlyArray<Mutant> = [
  twoProcess(
    mutant(
      "a created task of a live process is repaired",
      "reconcile/Owners.ts",
      "if (record.createdBy === facts.me || facts.alive(record.createdBy)) return undefined",
      ""
    )
  ),
  twoProcess(
    mutant(
      "the lease is given up while waiting",
      "protocol/Delegate.ts",
      "{ _tag: request._tag, children, at: view.now })",
      `{ _tag: request._tag, children, at: view.now }, "release")`
    )
  ),
  twoProcess(
    mutant(
      "an interruption drops the edges",
      "internal/edges.ts",
      '...edges,\n  attempt: record.attempt,\n  status: "interrupted"',
      'awaiting: {}, collected: edges.collected,\n  attempt: record.attempt,\n  status: "interrupted"'
    )
  ),
  twoProcess(
    mutant(
      "an interruption stops only the direct children",
      "Descendants.ts",
      "queue.push(child)\n    }\n  }\n  return found",
      "if (current === id) queue.push(child)\n    }\n  }\n  return found"
    )
  ),
  twoProcess(
    mutant(
      "an interruption leaves queued subtasks",
      "Descendants.ts",
      `record.status !== "interrupted" && record.status !== "completed"`,
      `record.status === "active" || record.status === "delegated"`
    )
  ),
  twoProcess(
    mutant(
      "a completed child can be abandoned",
      "protocol/Release.ts",
      `view.task(request.child)?.status === "completed"`,
      "false"
    )
  ),
  twoProcess(
    mutant(
      "a task is deleted while a subtask runs",
      "protocol/Remove.ts",
      "below.some((id) => held(view, id))",
      "false"
    )
  ),
  twoProcess(
    mutant(
      "completed children of a live runner are repaired away",
      "reconcile/Edges.ts",
      "completedChildren: Rule = (record, facts) => {\n  if (live(facts, record.id)) return undefined",
      "completedChildren: Rule = (record, facts) => {"
    )
  ),
  twoProcess(
    mutant(
      "only delegated parents get results in recovery",
      "reconcile/Edges.ts",
      "completedChildren: Rule = (record, facts) => {\n  if (live(facts, record.id)) return undefined",
      `completedChildren: Rule = (record, facts) => {\n  if (live(facts, record.id) || record.status !== "delegated") return undefined`
    )
  ),
  mutant(
    "ownerGone does not notice a dead runner",
    "reconcile/Owners.ts",
    `record.status === "active"\n    ? repair("ownerGone"`,
    `false\n    ? repair("ownerGone"`
  ),
  mutant(
    "ownerGone interrupts what another process runs",
    "reconcile/Repair.ts",
    "lease.ownerId === facts.me ? facts.runners.has(id) : facts.alive(lease.ownerId)",
    "lease.ownerId === facts.me && facts.runners.has(id)"
  ),
  mutant(
    "runnerGone does not notice a lost runner",
    "reconcile/Owners.ts",
    "facts.leases.get(record.id)?.ownerId === facts.me",
    "false",
    Scopes.small
  ),
  mutant(
    "a task is started for a parent that does not wait",
    "protocol/Begin.ts",
    `record.status === "created" && !isAwaited(view, record)`,
    "false"
  ),
  mutant(
    "the attempt is not a fence",
    "protocol/View.ts",
    "record.attempt === attempt && heldHere(view, record.id)",
    "true",
    Scopes.commands,
    {
      file: "protocol/View.ts",
      find: `record.status !== "created" && record.attempt !== request.attempt`,
      put: "false"
    }
  ),
  mutant(
    "taking over does not raise the attempt",
    "Command.ts",
    `case "Resume":\n    case "TakeOver":\n      return Edges.working(record, edges, record.attempt + 1)`,
    `case "Resume":\n      return Edges.working(record, edges, record.attempt + 1)\n    case "TakeOver":\n      return Edges.working(record, edges, record.attempt)`
  ),
  mutant(
    "a task is resumed while another process has it",
    "protocol/Resume.ts",
    "if (heldElsewhere(view, record.id)) return",
    "if (false) return"
  ),
  mutant(
    "an interruption reaches into another process",
    "protocol/End.ts",
    `if (heldElsewhere(view, record.id)) return Decision.reject(request, record, "Owned")`,
    ""
  ),
  mutant(
    "CollectUnowned where a live process waits",
    "protocol/Collect.ts",
    "if (held(view, parent.id))",
    "if (false)"
  ),
  mutant(
    "a parent of another process is released by hand",
    "protocol/View.ts",
    `if (heldElsewhere(view, record.id)) return "Owned"`,
    ""
  ),
  mutant(
    "a task completes over its subtasks",
    "Command.ts",
    `TaskRecord.awaitedIds(record).length > 0 ? "ChildrenPending" : undefined`,
    "undefined",
    Scopes.background
  ),
  mutant(
    "a child that has not completed is collected",
    "protocol/Report.ts",
    `if (child?.status !== "completed" || TaskRecord.awaitedEntry(parent, id) === undefined) return []\n    return [reportOf(child)]`,
    `if (child === undefined) return []\n    return [child.status === "completed" ? reportOf(child) : { id, outcome: "succeeded", summary: "" }]`
  ),
  mutant("a collected child is still awaited", "internal/edges.ts", "    delete awaiting[child.id]\n", ""),
  mutant(
    "abandoning leaves the call open",
    "protocol/Release.ts",
    `here ? "keep" : "release", Decision.delivery(parent, children))`,
    `here ? "keep" : "release")`
  ),
  mutant(
    "restarting leaves the call open",
    "protocol/Release.ts",
    `Decision.change(parent, command, "keep", Decision.delivery(parent, children))`,
    `Decision.change(parent, command, "keep")`
  ),
  mutant(
    "the report of a substitute answers the call again",
    "Command.ts",
    "[command.to], command.at, true)",
    "[command.to], command.at, false)"
  ),
  mutant("a subtask at work is restarted", "protocol/Release.ts", "if (!isStuck(view, child))", "if (false)"),
  mutant(
    "a subtask is restarted while its own subtasks are at work",
    "protocol/Release.ts",
    'stuck && Descendants.toInterrupt(view, id).every((other) => view.task(other)?.status !== "active")',
    "stuck",
    Scopes.nested
  ),
  mutant(
    "a result that nobody has read is deleted",
    "protocol/Remove.ts",
    `record.status === "completed" ? Decision.reject(request, record, "AlreadyDone") : Decision.accepted`,
    "Decision.accepted"
  ),
  mutant("a deleted child reports what it did", "protocol/Report.ts", "TaskRecord.isTombstone(child)\n", "false\n"),
  mutant(
    "a second import brings a deleted task back",
    "Protocol.ts",
    `TaskRecord.isTombstone(record) && request._tag !== "Delete"`,
    "false",
    Scopes.commands,
    {
      file: "protocol/Begin.ts",
      find: "if (existing === undefined) return",
      put: "if (existing === undefined || TaskRecord.isTombstone(existing)) return"
    }
  ),
  mutant(
    "a subtask takes an id that is in use",
    "protocol/Delegate.ts",
    "![...ids].every((id) => isFree(view, parent, id))",
    "false"
  ),
  mutant(
    "a parent released by nobody goes on as active",
    "Command.ts",
    `: Edges.interrupted(record, "ready", edges)`,
    ": Edges.working(record, edges, record.attempt)"
  ),
  mutant("a task is closed over its subtasks", "Command.ts", `case "Complete":\n    case "Close":`, `case "Complete":`),
  mutant(
    "a running task is closed",
    "Transition.ts",
    `Close: {\n    created: reject("NotStarted"),\n    active: reject("StopFirst")`,
    `Close: {\n    created: reject("NotStarted"),\n    active: to("completed")`
  ),
  mutant(
    "an interrupted task is started afresh",
    "Transition.ts",
    `delegated: reject("StillWaiting"),\n    interrupted: reject("NeedsResume"),\n    completed: reject("UseContinue")`,
    `delegated: reject("StillWaiting"),\n    interrupted: to("active"),\n    completed: reject("UseContinue")`
  ),
  mutant(
    "a completed task is resumed",
    "Transition.ts",
    `interrupted: to("active", "delegated"),\n    completed: reject("UseContinue")`,
    `interrupted: to("active", "delegated"),\n    completed: to("active")`
  ),
  mutant(
    "a running task is deleted",
    "Transition.ts",
    `Delete: {\n    created: to("completed"),\n    active: reject("StopFirst")`,
    `Delete: {\n    created: to("completed"),\n    active: to("completed")`
  ),
  mutant(
    "a task that waits in another process is deleted",
    "protocol/Remove.ts",
    "heldElsewhere(view, record.id) || below",
    "below"
  ),
  mutant(
    "a runner that has lost its task interrupts it",
    "protocol/End.ts",
    "request.attempt !== undefined && !holds(view, record, request.attempt)",
    "false"
  ),
  mutant(
    "an interrupted task keeps its lease",
    "protocol/End.ts",
    `reason: request.reason }, "release")`,
    `reason: request.reason }, "keep")`
  ),
  mutant(
    "a completed task keeps its lease",
    "protocol/End.ts",
    `result: request.result }, "release")`,
    `result: request.result }, "keep")`
  ),
  mutant(
    "a subtask is abandoned by a task whose process is gone",
    "protocol/View.ts",
    `return record.status === "active" && !heldHere(view, record.id) ? "InterruptFirst" : undefined`,
    "return undefined",
    Scopes.background
  ),
  mutant(
    "a result is called deleted with its task",
    "protocol/Remove.ts",
    `record.status === "completed" ? reportOf(record) : { id: record.id, outcome: "deleted", summary: deletedSummary }`,
    `{ id: record.id, outcome: "deleted", summary: deletedSummary }`
  ),
  mutant(
    "what is taken back has the revision that it had",
    "internal/edges.ts",
    "{ ...kept.record, rev: record.rev + 1 }",
    "kept.record",
    Scopes.undeleted
  ),
  mutant(
    "a decision is written over a newer record",
    "protocol/Decision.ts",
    "return revOf(id) === (before?.rev ?? null)",
    "return true",
    Scopes.late
  ),
  mutant(
    "a decision ignores that what it read has changed",
    "protocol/Decision.ts",
    "if (decision.reads?.some((read) => revOf(read.taskId) !== read.rev) === true) return false",
    "",
    Scopes.lateReads
  ),
  // No guard of these functions, but what they rely on: an older runner does not join the newer one of its process.
  { name: "an older runner goes on as the newer one", edits: [], scope: { ...Scopes.runners, joins: true } },
  mutant(
    "nobody takes a task from an owner whose death is not known",
    "protocol/Resume.ts",
    `return Decision.change(record, { _tag: "TakeOver" }, "take")`,
    `return Decision.reject(request, record, "Owned")`,
    Scopes.runners
  ),
  mutant(
    "a process is known as the runner, whichever attempt it is of",
    "protocol/View.ts",
    "record.attempt === attempt && heldHere(view, record.id)",
    "heldHere(view, record.id)",
    Scopes.runners,
    {
      file: "protocol/View.ts",
      find: `record.status !== "created" && record.attempt !== request.attempt`,
      put: `record.status === "completed" && record.attempt !== request.attempt`
    }
  ),
  mutant(
    "a wait call's reports are messages, too",
    "protocol/Collect.ts",
    "messages === undefined || byWaitCall ? { settlements }",
    "messages === undefined ? { settlements }",
    Scopes.widest
  ),
  mutant(
    "one of two late writes is written over the other",
    "protocol/Decision.ts",
    "return revOf(id) === (before?.rev ?? null)",
    "return before === undefined || revOf(id) !== null",
    Scopes.writes
  ),
  mutant(
    "a circle is broken at an edge that a stranger has made",
    "reconcile/Edges.ts",
    ".filter((to) => facts.tasks.get(to)?.lineage.parentId === record.id)",
    "",
    Scopes.damaged
  ),
  mutant(
    "a lost subtask is waited for",
    "reconcile/Edges.ts",
    ".map(lost)\n  if (children.length === 0) return undefined",
    ".map(lost)\n  return undefined",
    Scopes.damaged
  ),
  mutant(
    "a stranger's subtask is waited for",
    "reconcile/Edges.ts",
    "if (child === undefined || child.lineage.parentId === record.id) continue",
    "continue",
    Scopes.damaged
  ),
  mutant(
    "a circle is kept",
    "reconcile/Edges.ts",
    "if (edge === undefined) return undefined",
    "return undefined",
    Scopes.damaged
  )
]

const root = fileURLToPath(new URL("..", import.meta.url))

/** Writes the mutant's sources next to the package's own dependencies and loads them. */
export const load = async (mutant: Mutant, index: number): Promise<Subject> => {
  const folder = `${root}.cache/mutants/${index}`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  cpSync(`${root}src`, folder, { recursive: true })
  for (const { file, find, put } of mutant.edits) {
    const text = readFileSync(`${folder}/${file}`, "utf8")
    if (text.split(find).length !== 2) throw new Error(`mutant "${mutant.name}": ${file} does not have its text once`)
    writeFileSync(
      `${folder}/${file}`,
      text.replace(find, () => put)
    )
  }
  return import(pathToFileURL(`${folder}/index.ts`).href)
}
