/** A long log is read in pieces, and a look at it says the same as all of it does. */
import { Folder, Import } from "@belay/history-interop"
import { TaskHistory } from "@belay/history-store"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import * as SourceTask from "../src/SourceTask.ts"
import * as Summary from "../src/Summary.ts"
import {
  assistant,
  at,
  call,
  contents,
  files,
  type Files,
  imports,
  optionsOf,
  result,
  told,
  user,
  withFolder
} from "./support/folders.ts"

const long = "y".repeat(10_000)
const reads = Array.from({ length: 450 }, (_, n) => [
  assistant(`${n} ${long}`, call(`r${n}`, "read_file", { path: long.slice(0, 300) })),
  result(`r${n}`, `${n} ${long}`)
]).flat()

const turns = [
  user(`Do P ${long}`),
  assistant(call("s1", "new_task", { message: `Do A ${long}` })),
  result("s1", `A has ended: ${long}`),
  ...reads,
  user(`The subtask said ${long}`),
  assistant(call("s2", "new_task", { message: `Do B ${long}` })),
  result("s2", `B has ended: ${long}`),
  ...reads.slice(0, 200),
  assistant(call("s3", "new_task", { message: "Do C" }))
]

const events = [
  { ts: at, type: "say", say: "text", text: `Do P ${long}` },
  { ts: at, type: "ask", ask: "tool", text: JSON.stringify({ tool: "newTask", content: long }) },
  { ts: at, type: "say", say: "subtask_result", text: `C has ended: ${long}` },
  ...Array.from({ length: 900 }, () => ({ ts: at, type: "say", say: "reasoning", text: long }))
]

const session = "76e23499-0000-4000-8000-000000000001"
const rows = turns.map((turn, n) =>
  JSON.stringify({
    type: turn.role,
    uuid: `u${n}`,
    parentUuid: n === 0 ? null : `u${n - 1}`,
    sessionId: session,
    message: { ...turn, id: `m${n}` }
  })
)

const logs: Readonly<Record<string, readonly [Files, string, string]>> = {
  "of a list": [{ ...files("P", {}, turns), "tasks/P/ui_messages.json": events }, "old/tasks", "P"],
  "of lines": [{ [`projects/-ws/${session}.jsonl`]: rows.join("\n") }, "old/projects", session]
}

for (const [name, [given, place, id]] of Object.entries(logs)) {
  it.effect(`a look sees ${name} what all of it says`, () =>
    withFolder(given, (root) =>
      Effect.gen(function* () {
        const folder = yield* Folder.open(`${root}/${place}`)
        const [whole, brief] = (["whole", "brief"] as const).map((extent) =>
          SourceTask.read(folder, id, at + 60_000, "", extent)
        )
        if (whole === undefined || brief === undefined) return assert.fail("it was not read")
        assert.deepStrictEqual(Summary.of(brief), Summary.of(whole))
        assert.lengthOf(Summary.of(brief).delegations, 3)
        assert.isBelow(JSON.stringify(brief.transcript).length, JSON.stringify(whole.transcript).length / 4)
      })
    )
  )
}

const bytesOf = (value: unknown): number => JSON.stringify(value).length

for (const [name, [given, place, own]] of Object.entries(logs)) {
  it.effect(`an import of one ${name} holds one message of it at a time, and stores every word`, () =>
    withFolder(given, (root) =>
      Effect.gen(function* () {
        const folder = yield* Folder.open(`${root}/${place}`)
        const task = SourceTask.read(folder, own, at + 60_000, "", "left")
        assert.isBelow(bytesOf(task.transcript), bytesOf(turns) / 10)
        const { log } = SourceTask.logOf(task, { waiting: new Set(), requested: new Set(), completed: false })
        const said = log.flatMap((entry) => ("message" in entry ? [JSON.stringify(entry.message)] : [])).join()
        for (const words of ["Do P", "A has ended", "The subtask said", "B has ended", "449 y"])
          assert.include(said, words)
        assert.strictEqual(said.split(long).length, JSON.stringify(turns).split(long).length)
        yield* Import.run(yield* Import.plan(`${root}/${place}`), optionsOf(root))
        const stored = JSON.stringify(yield* contents(own))
        assert.strictEqual(stored.split(long).length, JSON.stringify(turns).split(long).length)
      })
    )
  )
}

it.effect("a log that is written over while it is stored is not taken, and the next import takes it", () =>
  withFolder({ ...files("P", {}, turns), ...files("Q", {}) }, (root) =>
    Effect.gen(function* () {
      const history = yield* TaskHistory
      const log = `${root}/old/tasks/P/api_conversation_history.json`
      const late: TaskHistory["Service"] = {
        ...history,
        commit: (steps) => {
          const [step] = steps
          if (step?._tag === "Import" && step.task.record.id === "P")
            writeFileSync(log, JSON.stringify(turns.slice(0, 9)))
          return history.commit(steps)
        }
      }
      const plan = yield* Import.plan(`${root}/old`)
      const report = yield* Effect.provideService(Import.run(plan, optionsOf(root)), TaskHistory, late)
      assert.deepStrictEqual(told(report).imported, ["Q:interrupted"])
      assert.include(report.skipped.map(({ reason }) => reason).join(), "it changed while it was read")
      assert.deepStrictEqual(told(yield* imports(root)).imported, ["P:interrupted"])
    })
  )
)
