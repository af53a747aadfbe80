import { TaskHistory } from "@belay/history-store"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { layerSqlite } from "./support/history.ts"
import { belay, folder, json } from "./support/cli.ts"
import { created, everyState, id, owner, started, stopped } from "./support/states.ts"

const home = folder()
const env = { BELAY_HOME: home }
let live: Awaited<ReturnType<typeof everyState>>

beforeAll(async () => {
  live = await everyState(home)
})
afterAll(() => live.close())

const objects = async (...args: ReadonlyArray<string>) => json((await belay([...args, "--output", "json"], env)).stdout)

describe("task list", () => {
  it("prints every open state with its word and glyph, subtasks below their root, finished tasks as a count", async () => {
    const { code, stdout } = await belay(["task", "list"], env)
    const text = stdout.join("\n")
    assert.strictEqual(code, 0)
    const rows: ReadonlyArray<readonly [RegExp, string]> = [
      [/◑ 000001 {2}Ready /, "Collect the results"],
      [/⊘ 000003 {2}Blocked /, "Wait for a stopped part"],
      [/└ 000004 {2}‖ Interrupted /, "Stopped part: you stopped it"],
      [/‖ 000005 {2}Interrupted /, "Left by a dead process: the process ended"],
      [/○ 00000a {2}Queued /, "Not begun"],
      [/◉ 00000b {2}Running elsewhere /, `Fix the flaky test (process ${process.pid})`],
      [/◐ 00000c {2}Waiting for 2 /, "Release 2.0 · subtask needs you"],
      [/└ 00000e {2}◆ Needs you /, "Publish: Run npm publish?"]
    ]
    for (const [row, title] of rows) {
      assert.match(text, row)
      assert.include(stdout.find((line) => row.test(line)) ?? "", title)
    }
    assert.match(stdout[1] ?? "", /Release 2\.0/, "what needs a person comes first")
    assert.notInclude(text, "Dropped")
    assert.strictEqual(stdout.at(-1), "10 open. 4 finished: belay task list --all")
  })

  it("prints finished tasks with --all, TAB-separated with whole ids with --plain", async () => {
    const { stderr, stdout } = await belay(["task", "list", "--all", "--plain"], env)
    const cells = stdout.map((line) => line.split("\t"))
    assert.deepStrictEqual(cells[0], ["ID", "STATE", "TASK", "WHERE", "STEPS", "COST", "AGE"])
    const states = new Map(cells.map(([taskId, state]) => [taskId, state]))
    assert.deepStrictEqual(
      [7, 8, 9].map((n) => states.get(id(n))),
      ["Done", "Failed", "Cancelled"]
    )
    assert.ok(cells.every((row) => row.length === 7))
    assert.deepStrictEqual(stderr, [])
  })

  it("answers the object of the contract, newest event first, and pages through all without a gap", async () => {
    const first = await objects("task", "list", "--limit", "8")
    const second = await objects("task", "list", "--limit", "8", "--cursor", first.nextCursor)
    assert.notProperty(second, "nextCursor")
    const tasks = [...first.tasks, ...second.tasks]
    assert.strictEqual(new Set(tasks.map((task) => task.id)).size, 14)
    const times = tasks.map((task) => task.updatedAt)
    assert.ok(times.every((time, index) => index === 0 || time <= times[index - 1]))
    const child = tasks.find((task) => task.id === id(4))
    const { createdAt, updatedAt, usage, ...fixed } = child
    assert.deepStrictEqual(fixed, {
      id: id(4),
      parentId: id(3),
      rootId: id(3),
      status: "interrupted",
      derived: null,
      outcome: null,
      interruption: { reason: "user" },
      title: "Stopped part",
      mode: "act",
      model: "model-1",
      workspace: "/projects/api",
      checklist: null
    })
    assert.strictEqual(new Date(createdAt).toISOString(), createdAt)
    assert.strictEqual(usage.costUsd, 0)
    assert.isAtLeast(Date.parse(updatedAt), Date.parse(createdAt))
    const of = (n: number) => tasks.find((task) => task.id === id(n))
    assert.deepStrictEqual(
      [1, 3, 5, 10, 12].map((n) => of(n).derived),
      ["ready", "blocked", "orphaned", "queued", "running"]
    )
    assert.deepStrictEqual(
      [of(8).outcome, of(8).interruption, of(11).checklist],
      ["failed", null, { done: 1, total: 2 }]
    )
  })

  it("filters by status, roots, time and folder", async () => {
    const [completed, roots, recent, none] = await Promise.all([
      objects("task", "list", "--status", "completed"),
      objects("task", "list", "--root"),
      objects("task", "list", "--since", "7d"),
      objects("task", "list", "--cwd", home)
    ])
    assert.deepStrictEqual(completed.tasks.map((task: any) => task.title).toSorted(), [
      "Bad",
      "Dropped",
      "Finished part",
      "Good"
    ])
    assert.ok(roots.tasks.every((task: any) => task.parentId === null))
    assert.strictEqual(roots.tasks.length, 10)
    assert.strictEqual(recent.tasks.length, 14)
    assert.deepStrictEqual(none, { tasks: [] })
  })

  it("refuses what it does not understand with one line and exit 2", async () => {
    const wrong = [
      ["--status", "asleep"],
      ["--cursor", "x"],
      ["--limit", "0"],
      ["--since", "soon"],
      ["--output", "xml"],
      ["--cwd", path.join(home, "nowhere")]
    ]
    for (const flags of wrong) {
      const { code, stderr, stdout } = await belay(["task", "list", ...flags], env)
      assert.deepStrictEqual([code, stdout, stderr.length], [2, [], 1], flags.join(" "))
    }
  })
})

describe("task show", () => {
  it("answers the record with lease, legacy, asks, calls and checklist", async () => {
    const shown = await objects("task", "show", "00000b", "--messages", "--context")
    assert.deepStrictEqual(
      [shown.id, shown.status, shown.attempt, shown.derived, shown.mode, shown.model],
      [id(11), "active", 1, "running", "act", "model-1"]
    )
    assert.deepStrictEqual([shown.lease.pid, shown.lease.kind, shown.lease.alive], [process.pid, "test", true])
    assert.deepStrictEqual(shown.legacy, { status: "active", childIds: [], rootTaskId: id(11) })
    assert.deepStrictEqual(shown.focusChain, {
      path: path.join(home, "tasks", id(11), `focus_chain_taskid_${id(11)}.md`),
      items: [
        { id: "a", text: "read", state: "done" },
        { id: "b", text: "write", state: "open" }
      ],
      updatedByUser: true
    })
    assert.deepStrictEqual([shown.checkpoints, shown.metrics.messageCount, shown.metrics.usage.costUsd], [[], 2, 0.21])
    assert.deepStrictEqual(
      shown.messages.map((message: any) => [message.index, message.role]),
      [
        [0, "user"],
        [1, "assistant"]
      ]
    )
    assert.deepStrictEqual(
      shown.context.messages.map((message: any) => message.role),
      ["user", "assistant"]
    )
    assert.include(shown.context.system[0].text, "You are a coding agent.")
    const asking = await objects("task", "show", id(14))
    assert.deepInclude(asking.asks[0], {
      askId: "ask-14",
      kind: "question",
      open: true,
      options: ["yes", "no"],
      decision: null
    })
    const waiting = await objects("task", "show", id(12))
    assert.deepStrictEqual(
      waiting.toolCalls.map((call: any) => [call.callId, call.name]),
      [
        ["call-13", "new_task"],
        ["call-14", "new_task"]
      ]
    )
    assert.strictEqual(new Date(waiting.awaiting[id(13)].since).toISOString(), waiting.awaiting[id(13)].since)
    assert.strictEqual(waiting.legacy.awaitingChildId, id(13))
  })

  it("says in words what it is, why it stopped and what to type, which then works as printed", async () => {
    const { stdout } = await belay(["task", "show", "000006"], env)
    assert.deepStrictEqual(stdout.slice(0, 2), ["‖ Upgrade eslint", "  Interrupted: you stopped it"])
    assert.strictEqual(stdout.at(-1), "Next: belay task resume 000006")
    const asking = await belay(["task", "show", "00000e"], env)
    assert.match(
      asking.stdout.join("\n"),
      /Asks\n {2}Run npm publish\?\n {2}It cannot be undone\.\n {4}ask \S+\n {4}1 yes\n {4}2 no/
    )
    assert.strictEqual(asking.stdout.at(-1), 'Next: belay task answer 00000e "..."')
    const done = await belay(["task", "show", "00000c/000007"], env)
    assert.include(done.stdout.join("\n"), "Result\n  All done.\n  More.")
  })
})

describe("task tree", () => {
  it("answers list objects with children in call order", async () => {
    const tree = await objects("task", "tree", "00000c")
    assert.deepStrictEqual(
      tree.children.map((child: any) => [child.id, child.parentId, child.children]),
      [
        [id(13), id(12), []],
        [id(14), id(12), []]
      ]
    )
    assert.strictEqual(tree.derived, "running")
  })

  it("prints states, guides and the commands that go on", async () => {
    const { stdout } = await belay(["task", "tree", "000003"], env)
    assert.match(stdout[0] ?? "", /^⊘ Wait for a stopped part {2}Blocked /)
    assert.match(stdout[2] ?? "", /^└─ ‖ Stopped part {3,}Interrupted: you stopped it /)
    assert.deepStrictEqual(stdout.slice(3), [
      '     "Wait for a stopped part" waits for it.',
      "     go on:       belay task resume 000004",
      "     give it up:  belay task abandon 000004",
      "     restart:     belay task restart 000004"
    ])
  })
})

describe("what stands for a task", () => {
  it("is refused when it is unknown, ambiguous, or last without tasks", async () => {
    const cases: ReadonlyArray<readonly [string, RegExp]> = [
      ["zzz", /^belay: no task "zzz"\. See "belay task list --all"\.$/],
      ["018b", /^belay: "018b" matches several tasks: .*, …\. Give more characters\.$/],
      ["last", /^belay: no task in this workspace \(.*\)\. /]
    ]
    for (const [reference, line] of cases) {
      const { code, stderr } = await belay(["task", "show", reference], env, home)
      assert.strictEqual(code, 2)
      assert.strictEqual(stderr.length, 1)
      assert.match(stderr[0] ?? "", line)
      assert.isAtMost(stderr[0]?.length ?? 0, 200)
    }
    const { code, stdout } = await belay(["task", "tree", "zzz", "--output", "json"], env)
    assert.deepStrictEqual([code, json(stdout).error.tag, json(stdout).taskId], [2, "UsageError", null])
  })

  it("may be last: the root with the newest event in the folder, finished or not", async () => {
    const own = folder()
    const tasks = await owner(own)
    await tasks.commit(started(20, "Older", own), stopped(20))
    await tasks.commit(started(21, "Newer", own))
    await tasks.close()
    const { stdout } = await belay(["task", "show", "last"], { BELAY_HOME: own }, own)
    assert.strictEqual(stdout[0], "‖ Newer")
  })
})

describe("without a history", () => {
  it("reads as empty and creates nothing", async () => {
    const missing = path.join(folder(), "home")
    const nothing = { BELAY_HOME: missing }
    const [list, objectsOf, show, watch, stop] = await Promise.all([
      belay(["task", "list"], nothing),
      belay(["task", "list", "--output", "json"], nothing),
      belay(["task", "show", "x"], nothing),
      belay(["task", "watch", "last"], nothing),
      belay(["task", "interrupt", "x"], nothing)
    ])
    assert.deepStrictEqual([list.code, list.stdout], [0, []])
    assert.deepStrictEqual([objectsOf.code, json(objectsOf.stdout)], [0, { tasks: [] }])
    assert.deepStrictEqual([show.code, watch.code, stop.code], [2, 2, 2])
    assert.isFalse(existsSync(missing))
  })
})

describe("a task that cannot be read", () => {
  it("is named by the list, which shows the others, and by its own command, in one line", async () => {
    const damaged = folder()
    await Effect.runPromise(
      TaskHistory.use(({ commit }) => commit([...created(1, "Whole"), ...created(2, "Damaged")])).pipe(
        Effect.provide(layerSqlite({ directory: damaged, kind: "test" }))
      )
    )
    const db = new DatabaseSync(path.join(damaged, "belay.db"))
    db.prepare("UPDATE task SET settings = '{' WHERE id = ?").run(id(2))
    db.close()
    const at = { BELAY_HOME: damaged }
    const listed = await belay(["task", "list"], at)
    assert.strictEqual(listed.code, 0)
    assert.include(listed.stdout.join("\n"), "Whole")
    assert.include(listed.stdout, "? Could not be read (000002)")
    const { tasks, unreadable } = json((await belay(["task", "list", "--output", "json"], at)).stdout)
    assert.deepStrictEqual([tasks.map((task: any) => task.id), unreadable], [[id(1)], [id(2)]])
    const shown = await belay(["task", "show", "000002"], at)
    assert.deepStrictEqual([shown.code, shown.stdout, shown.stderr.length], [5, [], 1])
    assert.include(shown.stderr[0], `task ${id(2)} cannot be read completely`)
    assert.strictEqual((await belay(["task", "show", "000001"], at)).code, 0)
  })
})

describe("task search", () => {
  it("finds tasks by the beginnings of words of titles and messages, and says where", async () => {
    const found = await objects("task", "search", "flak", "test")
    assert.deepStrictEqual(
      found.map(({ messageIndex, snippet, taskId, title }: any) => [taskId, title, messageIndex, snippet]),
      [[id(11), "Fix the flaky test", 0, "Fix the flaky test"]]
    )
    for (const [typed, said] of [
      [["is:stuck"], /no filter "is:stuck", is: takes open, needs-you, .*To search for its words, write: is stuck/],
      [["words", "state:open"], /no filter "state:open", there are is:, in:, after:/],
      [["foo:bar words"], /no filter "foo:bar", there are is:, .*To search for its words, write: foo bar/],
      [["two words after:monday"], /no filter "after:monday", after: takes a day such as/]
    ] as const) {
      const wrong = await belay(["task", "search", ...typed], env)
      assert.deepStrictEqual([wrong.code, wrong.stdout], [2, []])
      assert.match(wrong.stderr.join(""), said)
    }
    for (const text of ["https://example.com", "see https://example.com here", "TypeError: x", "error: x"]) {
      assert.strictEqual((await belay(["task", "search", text], env)).code, 0, text)
    }
    const { code, stdout } = await belay(["task", "search", "is:interrupted", "eslint"], env)
    assert.strictEqual(code, 0)
    assert.match(stdout[1] ?? "", /‖ 000006 {2}Interrupted /)
    assert.strictEqual(stdout[2], "    Upgrade eslint")
  })

  it("says what was searched when nothing is found, and creates no history", async () => {
    const empty = { BELAY_HOME: path.join(folder(), "none") }
    for (const where of [env, empty]) {
      const { code, stderr, stdout } = await belay(["task", "search", "no such words"], where)
      assert.deepStrictEqual([code, stdout], [0, []])
      assert.match(
        stderr[0] ?? "",
        /^No task matches "no such words"\. Titles, messages and file names were searched\.$/
      )
    }
    assert.isFalse(existsSync(empty.BELAY_HOME))
  })
})

describe("the checklists of subtasks", () => {
  it("stand under the item that has their name", async () => {
    const item = (key: string, text: string, state: "open" | "done") => ({ id: key, text, state })
    await live.commit(
      [
        { _tag: "ChecklistEdited", taskId: id(3), items: [item("a", "stopped part", "open"), item("b", "end", "open")] }
      ],
      [{ _tag: "ChecklistEdited", taskId: id(4), items: [item("a", "look", "done")] }]
    )
    const { stdout } = await belay(["task", "show", "000003"], env)
    assert.include(stdout.join("\n"), "Checklist\n  [ ] stopped part\n      [x] look\n  [ ] end\n")
    const tree = await objects("task", "tree", "000003")
    assert.deepStrictEqual(tree.items, [
      { ...item("a", "stopped part", "open"), taskId: id(4) },
      { ...item("b", "end", "open"), taskId: null }
    ])
    assert.deepStrictEqual(tree.children[0].items, [{ ...item("a", "look", "done"), taskId: null }])
  })
})
