import type { Step } from "@belay/history-store"
import { Failpoint } from "@belay/task-state/unstable"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { calls, completes, make, resume, run, script, type SessionOptions } from "./world.ts"

/** What each step stores: its commit has a step or a request of this name. */
const stored: Partial<Record<Failpoint.Step, string>> = {
  "tool.requested": "Answer",
  "tool.started": "CallsStarted",
  "tool.finished": "CallsSettled",
  "delegate.commit": "Delegate",
  "complete.commit": "Complete",
  "complete.collect": "Collect",
  "interrupt.commit": "Interrupt",
  "resume.commit": "Resume"
}

const nameOf = (step: Step.Step): string => (step._tag === "Lifecycle" ? step.request._tag : step._tag)

/** The places that are reached, and between them what was stored, in their order. */
const observed = () => {
  const log: Array<string> = []
  const seen: SessionOptions["seen"] = (history) => ({
    commit: (steps) => Effect.tap(history.commit(steps), () => Effect.sync(() => log.push(...steps.map(nameOf))))
  })
  const options: SessionOptions = { seen, failpoints: (name) => void log.push(name) }
  return { log, options }
}

describe("a place at which a crash is tried", () => {
  it.live("lies before or after what its step stores, each time", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "root",
          calls(["execute_command", { command: "echo one" }, "c1"]),
          calls(["new_task", { message: "part one" }, "n1"]),
          calls(["list_files", { path: "." }, "l1"]),
          completes("done")
        ),
        script("part one", calls(["list_files", { path: "." }, "l2"]), completes("first"))
      ])
      const { log, options } = observed()
      const first = yield* world.session(run(world.task("root", {}, { maxRequests: 2 })), options)
      assert.strictEqual(first.record.status, "interrupted")
      const more = { settings: <A extends object>(settings: A) => ({ ...settings, maxRequests: 20 }) }
      const { record } = yield* world.session(resume(first.id, more), options)
      assert.strictEqual(record.status, "completed")
      for (const [step, what] of Object.entries(stored)) {
        const befores = log.flatMap((name, at) => (name === `${step}.before` ? [at] : []))
        assert.isNotEmpty(befores, `${step} is reached`)
        for (const before of befores) {
          const after = log.indexOf(`${step}.after`, before)
          assert.isAbove(after, before, `${step} is finished`)
          assert.include(log.slice(before, after), what, `${step} stores it between its places`)
        }
      }
    })
  )
})
