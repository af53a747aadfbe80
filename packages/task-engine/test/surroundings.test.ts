import { Approvals } from "@belay/approval-policy"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import * as Conditions from "../src/Conditions.ts"
import { Person } from "../src/index.ts"
import { calls, completes, make, requestsOf, resume, run, script } from "./world.ts"

const environmentOf = (request: any): ReadonlyArray<string> =>
  request.messages[0].content
    .map(({ text }: any) => text)
    .find((text: string) => text.startsWith("<environment>"))
    .split("\n")

const notesOf = (request: any): ReadonlyArray<string> =>
  request.messages.flatMap(({ content }: any) =>
    content.flatMap(({ text = "" }: any) => (/^\[(?:It is|The approvals are)/u.test(text) ? [text] : []))
  )

const asks = calls(["ask_followup_question", { question: "?" }])

const nobody = "nobody is there to answer: what asks is denied, and a question ends the run"
const somebody = "the user is there to answer"

const attended = Layer.succeed(Person, {
  attended: true,
  approve: () => Effect.succeed({ decision: "allow" as const }),
  answer: () => Effect.succeed({ text: "Go on" })
})

/** The clock of a later day. */
const later = (days: number) =>
  Effect.updateService(Clock.Clock, (clock) => {
    const ms = days * 24 * 3_600_000
    const other: Clock.Clock = Object.assign(Object.create(clock), {
      currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + ms),
      currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + ms
    })
    return other
  })

describe("what runs without asking", () => {
  it("is told in one line, with who answers", () => {
    const line = (given: Approvals.Approvals) => Conditions.approvals(given, true)
    assert.strictEqual(
      Conditions.approvals(Approvals.ask, false),
      `reads and commands that only read run; edits in the working directory, other commands, web pages and paths outside ask; ${nobody}`
    )
    assert.strictEqual(
      line(Approvals.edits),
      `reads, edits in the working directory and commands that only read run; other commands, web pages and paths outside ask; ${somebody}`
    )
    assert.strictEqual(
      line(Approvals.all),
      `reads, edits in the working directory, commands, web pages and paths outside run; ${somebody}`
    )
    assert.strictEqual(
      line({ ...Approvals.all, fetch: "deny", enabled: false }),
      `reads, edits in the working directory, commands and paths outside ask; web pages are denied; ${somebody}`
    )
    const careful = { ...Approvals.ask, commands: { ...Approvals.ask.commands, readOnly: "ask" as const } }
    assert.strictEqual(
      line(careful),
      `reads run; edits in the working directory, commands, web pages and paths outside ask; ${somebody}`
    )
  })

  it("says how commands run: confined with which hosts, or not", () => {
    const confined = { _tag: "Confined", by: "bubblewrap" } as const
    const none = { sandbox: "preferred", allowedDomains: [] } as const
    const rest = "writes only in the working directory); what the user approves runs without it"
    assert.strictEqual(Conditions.commands(none, confined), `in a sandbox (no network, ${rest}`)
    assert.strictEqual(
      Conditions.commands({ ...none, allowedDomains: ["a.example", "b.example"] }, confined),
      `in a sandbox (no network but a.example, b.example, ${rest}`
    )
    assert.strictEqual(Conditions.commands({ ...none, sandbox: "off" }, confined), "without a sandbox")
    const missing = { _tag: "Unavailable", reason: "There is none." } as const
    assert.strictEqual(Conditions.commands(none, missing), "without a sandbox")
    assert.strictEqual(
      Conditions.commands({ ...none, sandbox: "required" }, missing),
      "each asks: a sandbox is required, and there is none"
    )
  })
})

describe("a task", () => {
  it.live("is told its surroundings once, and later only what has changed, which changes nothing that was sent", () =>
    Effect.gen(function* () {
      const world = yield* make([script("here", asks, asks, calls(["list_files", {}]), completes("done"))])
      const { id } = yield* world.session(run(world.task("here", {}, { sandbox: "off" })))
      const again = yield* world.session(resume(id, { message: "Go on" }))
      assert.strictEqual(again.record.status, "interrupted")
      const { record } = yield* later(400)(world.session(resume(id, { message: "Go on" }), { person: attended }))
      assert.strictEqual(record.status, "completed")
      const requests = requestsOf(world, "here")
      const [first] = requests.map(environmentOf)
      assert.includeMembers(
        [...(first ?? [])],
        [
          `Working directory: ${world.workspace}`,
          "Commands: without a sandbox",
          `Approvals: reads, edits in the working directory, commands, web pages and paths outside run; ${nobody}`
        ]
      )
      const day = first?.find((line) => line.startsWith("Date: "))?.slice("Date: ".length) ?? ""
      const next = new Date(Date.parse(day) + 400 * 24 * 3_600_000).toISOString().slice(0, 10)
      const told = [
        `[It is ${next} now.]`,
        `[The approvals are now: reads, edits in the working directory, commands, web pages and paths outside run; ${somebody}.]`
      ]
      assert.deepStrictEqual(requests.map(notesOf), [[], [], told, told])
      for (const request of requests) assert.deepStrictEqual(environmentOf(request), first)
    })
  )
})
