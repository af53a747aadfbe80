/** What a look says of each kind of damage that folders of Roo Code and Zoo Code have on real disks; it writes nothing, and a copy is repaired. */
import { Agent, Rescue } from "@belay/history-interop"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { readdirSync, utimesSync } from "node:fs"
import { join } from "node:path"
import {
  assistant,
  at,
  call,
  files,
  type Files,
  fingerprint,
  item,
  result,
  temporary,
  user,
  write
} from "./support/folders.ts"

const done = (words: string) => [user("Do C"), assistant(call("d", "attempt_completion", { result: words }))]
const open = [user("Do P"), assistant(call("c1", "new_task", { message: "Do C" }))]
const heard = [...open, result("c1", "Subtask C completed.\n\nResult:\n9"), assistant("Well")]
const events = [{ ts: at, type: "say", say: "text", text: "Do P" }]
const handoff = { kind: "set", version: 1, mode: "code", profileName: "x" }
const torn = (value: unknown): string => JSON.stringify(value).slice(0, -9)
const waits = { status: "delegated", awaitingChildId: "C", delegatedToId: "C", childIds: ["C"] }

/** Each with what is found: the task, the class, the code, and whether it can be repaired. */
const cases: Readonly<Record<string, readonly [Files, ReadonlyArray<string>]>> = {
  "1 a name that stands for none": [files("P", { task: "Task #1 (No messages)" }), []],
  "2 no size": [files("P", { size: 0 }), []],
  "3 no words of what was asked for": [files("P", { task: "  " }), []],
  "4 no record": [files("P", null), ["P A record.missing lossy"]],
  "5 a record that is no JSON": [
    { ...files("P", null), "tasks/P/history_item.json": '{"id":"P","numb' },
    ["P B file.torn lossy"]
  ],
  "5 a conversation that is torn off": [
    files("P", {}, torn([user("Do P"), assistant("Well")])),
    ["P B file.torn lossy"]
  ],
  "5 events that are torn off": [
    { ...files("P", {}), "tasks/P/ui_messages.json": torn(events) },
    ["P B file.torn lossy"]
  ],
  "5 an index that is torn off": [
    { ...files("P", {}), "tasks/_index.json": torn({ version: 1, entries: [item("P")] }) },
    []
  ],
  "6 a parent that is not there": [files("P", { parentTaskId: "ghost" }), []],
  "7 no events in the file": [{ ...files("P", {}), "tasks/P/ui_messages.json": [] }, []],
  "8 no turns in the file": [
    { ...files("P", {}, []), "tasks/P/ui_messages.json": events },
    ["P B conversation.gone lossy"]
  ],
  "9 a list that names what is not there": [
    { ...files("P", {}), "tasks/_index.json": { entries: [item("gone")] } },
    ["gone H task.gone none"]
  ],
  "12 an answer without results at the end": [files("P", {}, [user("Do P"), assistant(call("c1", "read_file"))]), []],
  "13 no tokens": [files("P", { tokensIn: 0, tokensOut: 0, totalCost: 0 }), []],
  "16 no events": [files("P", {}), []],
  "17 a subtask that is not there, and nobody waits for": [files("P", { childIds: ["dead"] }), []],
  "18 it waits for nobody": [
    files("P", { status: "delegated", awaitingChildId: "", delegatedToId: "stale" }),
    ["P E subtask.none exact"]
  ],
  "19 it waits for what is not there": [
    files("P", { status: "delegated", awaitingChildId: "no" }, open),
    ["P E subtask.gone none"]
  ],
  "20 a subtask that has ended": [
    {
      ...files("P", waits, open),
      ...files("C", { status: "completed", parentTaskId: "P", completionResultSummary: "9" })
    },
    ["P E subtask.undelivered exact"]
  ],
  "21 the same without a summary": [
    { ...files("P", waits, open), ...files("C", { status: "completed", parentTaskId: "P" }, done("9")) },
    ["P E subtask.undelivered exact"]
  ],
  "22 a subtask that was running": [
    { ...files("P", waits, open), ...files("C", { status: "active", parentTaskId: "P" }) },
    []
  ],
  "23 the same without a status": [{ ...files("P", waits, open), ...files("C", { parentTaskId: "P" }) }, []],
  "25 a subtask that was interrupted": [
    { ...files("P", waits, open), ...files("C", { status: "interrupted", parentTaskId: "P" }) },
    []
  ],
  "26 a chain whose last is not there": [
    {
      ...files("P", waits, open),
      ...files("C", { status: "delegated", awaitingChildId: "X", parentTaskId: "P" }, open)
    },
    ["C E subtask.gone none"]
  ],
  "30 a parent that was released": [
    {
      ...files("P", { status: "active", childIds: ["C"] }, open),
      ...files("C", { status: "interrupted", parentTaskId: "P" })
    },
    ["P E subtask.released exact"]
  ],
  "31 a subtask that forgot its parent": [
    { ...files("P", waits, open), ...files("C", { status: "interrupted" }) },
    ["C E subtask.parent-lost exact"]
  ],
  "32 a subtask that was given up": [
    {
      ...files("P", { status: "active", childIds: ["C"] }, [
        ...open,
        result("c1", "It was interrupted before it ended"),
        assistant("Well")
      ]),
      ...files("C", { status: "interrupted", parentTaskId: "P" })
    },
    []
  ],
  "34 two that it waits for, and one of them in its record": [
    {
      ...files("P", { ...waits, childIds: ["B", "C"] }, [
        user("Do P"),
        assistant(call("c0", "new_task", { message: "Do B" }), call("c1", "new_task", { message: "Do C" }))
      ]),
      ...files("B", { status: "active", parentTaskId: "P" }),
      ...files("C", { status: "active", parentTaskId: "P" })
    },
    []
  ],
  "35 a name that was left behind": [
    {
      ...files("P", { status: "active", delegatedToId: "C", completedByChildId: "C", childIds: ["C"] }, heard),
      ...files("C", { status: "completed", parentTaskId: "P" }, done("9"))
    },
    []
  ],
  "38 two parents that wait for one": [
    {
      ...files("P", waits, open),
      ...files("Q", waits, [user("Do Q"), assistant(call("q", "new_task", { message: "Do C" }))]),
      ...files("C", { status: "active", parentTaskId: "P" })
    },
    ["Q E subtask.none exact"]
  ],
  "39 it has ended and still waits": [
    {
      ...files("P", { ...waits, status: "completed" }, heard),
      ...files("C", { status: "completed", parentTaskId: "P" }, done("9"))
    },
    []
  ],
  "11 people saw fewer turns than there are": [
    {
      ...files("P", {}, [user("Do P"), assistant("a"), user("b"), assistant("c")]),
      "tasks/P/ui_messages.json": events
    },
    []
  ],
  "24 a subtask that another window runs": [
    {
      ...files("P", waits, open),
      ...files("C", { status: "active", parentTaskId: "P" }),
      "tasks/C/lease.json": { bootId: "b1", pid: 4711, attempt: 0, expiresAt: at + 9e9 }
    },
    []
  ],
  "36 it waits for one and names another": [
    {
      ...files("P", { ...waits, delegatedToId: "B" }, open),
      ...files("B", { status: "active", parentTaskId: "P" }),
      ...files("C", { status: "active", parentTaskId: "P" })
    },
    []
  ],
  "41 one has ended, and it waits for the next": [
    {
      ...files("P", { ...waits, awaitingChildId: "B", delegatedToId: "B", childIds: ["C", "B"] }, [
        ...open,
        result("c1", "Subtask C completed.\n\nResult:\n9"),
        assistant(call("c2", "new_task", { message: "Do B" }))
      ]),
      ...files("C", { status: "completed", parentTaskId: "P", completionResultSummary: "9" }, done("9")),
      ...files("B", { status: "active", parentTaskId: "P" })
    },
    []
  ],
  "42 it was stopped while it waits": [
    {
      ...files("P", { ...waits, status: "interrupted" }, open),
      ...files("C", { status: "active", parentTaskId: "P" })
    },
    []
  ],
  "43 a subtask of which its parent's record has not heard": [
    {
      ...files("P", { status: "active" }, open),
      ...files("C", { status: "active", parentTaskId: "P", pendingHandoff: handoff }, [])
    },
    ["P E subtask.released exact"]
  ],
  "44 the mark of a subtask that has begun": [
    {
      ...files("P", waits, open),
      ...files("C", { status: "active", parentTaskId: "P", pendingHandoff: handoff })
    },
    []
  ],
  "45 a mark that is not known": [
    {
      ...files("P", waits, open),
      ...files("C", { status: "active", parentTaskId: "P", pendingHandoff: { kind: "set", version: 9 } })
    },
    ["C E handoff.unknown none"]
  ],
  "47 a result that waits for its approval": [
    {
      ...files("P", waits, open),
      ...files(
        "C",
        {
          status: "interrupted",
          parentTaskId: "P",
          pendingAction: { kind: "finish_subtask", actionId: "a2", parentTaskId: "P", result: "9" }
        },
        done("9")
      )
    },
    []
  ],
  "51 two results of one call": [
    files("P", {}, [
      user("Do P"),
      assistant(call("a", "read_file")),
      result("a", "one"),
      result("a", "two"),
      assistant("Well")
    ]),
    []
  ],
  "54 a repair that would release the parent": [
    {
      ...files("P", waits, open),
      ...files("C", { status: "interrupted", parentTaskId: "P" }),
      "tasks/_delegation_repair_intent.json": { version: 1, operationId: "o", parentTaskId: "P", childTaskId: "C" }
    },
    []
  ],
  "54 a repair that released the parent": [
    {
      ...files("P", { status: "active" }, open),
      ...files("C", { status: "interrupted" }),
      "tasks/_delegation_repair_intent.json": { version: 1, operationId: "o", parentTaskId: "P", childTaskId: "C" }
    },
    ["C E subtask.parent-lost exact", "P E subtask.released exact"]
  ],
  "54 a repair that is torn off": [
    {
      ...files("P", waits, open),
      ...files("C", { status: "interrupted", parentTaskId: "P" }),
      "tasks/_delegation_repair_intent.json": '{"version":1,"operationId":"o","paren'
    },
    []
  ],
  "55 a status of a newer program": [files("P", { status: "paused" }), []],
  "56 a root that is not the top": [
    {
      ...files("P", waits, open),
      ...files("C", { status: "active", parentTaskId: "P", rootTaskId: "X" })
    },
    []
  ],
  "58 a record that is torn off, with a copy": [
    {
      ...files("P", null),
      "tasks/P/history_item.json": '{"id":"P","numb',
      "tasks/P/.history_item.json.bak_1_a.tmp": item("P")
    },
    ["P B file.torn exact"]
  ],
  "59 a record of zeros": [
    { ...files("P", null), "tasks/P/history_item.json": "\0".repeat(4096) },
    ["P A record.missing lossy", "P B file.zeros lossy"]
  ],
  "59 an empty record": [
    { ...files("P", null), "tasks/P/history_item.json": "" },
    ["P A record.missing lossy", "P B file.empty lossy"]
  ],
  "61 links that are no ids": [
    files("P", { status: "active", awaitingChildId: "../../etc", childIds: ["C:\\x", ""] }),
    []
  ],
  "62 a mark of the byte order": [
    { ...files("P", null), "tasks/P/history_item.json": `\uFEFF${JSON.stringify(item("P"))}` },
    []
  ],
  "63 a lock that a dead process left": [{ ...files("P", {}), "tasks/P/history_item.json.lock/x": "" }, []],
  "65 a list that lacks the newest": [{ ...files("P", {}), "tasks/_index.json": { entries: [] } }, []],
  "67 a log that was saved before it was read": [files("P", {}, []), []],
  "70 a folder in which nothing was written": [
    { "tasks/P/api_conversation_history.json": [] },
    ["P H conversation.none none"]
  ],
  "71 a value of another kind": [files("P", {}, { a: 1 }), ["P B file.other none"]],
  "74 a record that only a list has": [
    {
      "tasks/P/api_conversation_history.json": [user("Do P"), assistant("Well")],
      "tasks/_index.json": { entries: [item("P")] }
    },
    []
  ],
  "76 a conversation of the oldest version": [
    { ...files("P", {}, undefined), "tasks/P/claude_messages.json": [user("Do P"), assistant("Well")] },
    []
  ],
  "78 a time to come": [files("P", { ts: at + 9e11 }, [{ ...user("Do P"), ts: at + 9e11 }, assistant("Well")]), []],
  "D a call whose result was never written": [
    files("P", { childIds: ["gone"] }, [
      user("Do P"),
      assistant(call("a", "read_file")),
      user("Stop"),
      assistant("Well")
    ]),
    ["P D call.unanswered exact"]
  ],
  "B a file that its writer had finished": [
    {
      "tasks/P/history_item.json": item("P"),
      "tasks/P/.api_conversation_history.json.new_1_a.tmp": [user("Do P"), assistant("Well")]
    },
    ["P B file.unfinished exact"]
  ]
}

const settle = (root: string): void => {
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" }))
    utimesSync(join(root, name), at / 1000, at / 1000)
}

describe.each(["roo", "zoo"] as const)("a look at a history of %s finds", (agent) => {
  for (const [name, [given, expected]] of Object.entries(cases)) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const root = yield* temporary
        const place = join(root, "home", Agent.folders[agent])
        write(place, given)
        settle(root)
        yield* TestClock.setTime(at + 86_400_000)
        const before = fingerprint(place)
        const looked = yield* Rescue.Look.at([{ agent, path: place }])
        const { tasks } = Rescue.Look.report(looked)
        const found = tasks.flatMap(({ damages, id }) =>
          damages.map(({ class: kind, code, repair }) => `${id} ${kind} ${code} ${repair}`)
        )
        assert.deepStrictEqual(found.toSorted(), expected)
        const target = join(root, "rescued")
        yield* Rescue.Copy.run(target, looked, new Set(tasks.map(({ ref }) => ref)))
        assert.strictEqual(fingerprint(place), before)
        settle(target)
        const copy = yield* Rescue.Look.at([{ agent, path: join(target, agent) }], { deep: true })
        const left = Rescue.Look.report(copy).tasks.flatMap(({ damages }) =>
          damages.filter(({ repair }) => repair !== "none")
        )
        assert.deepStrictEqual(left, [])
      }).pipe(Effect.scoped)
    )
  }
})
