/** What every history does with what is asked of a task's owner. */
import { Inbox } from "../history/Inbox.ts"
import { Message } from "@belay/message-state"
import * as assert from "./assertions.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { commit, id, lifecycle, messagesOf, started } from "./scenario.ts"
import { type Made, p, type Runner, testing } from "./contract.ts"

export const inbox = (runner: Runner, name: string, make: () => Made): void => {
  const { describe, test } = testing(runner, make)

  describe(name, () => {
    test(
      "keeps a request to the owner of a task once, for the attempt it is meant for, until it is carried out",
      Effect.gen(function* () {
        const inbox = yield* Inbox
        yield* commit(started("p"), started("q"))
        const request = { id: "r1", taskId: p, attempt: 1, kind: "interrupt" as const, by: "cli" }
        yield* inbox.post(request)
        yield* inbox.post({ ...request, by: "again" })
        yield* inbox.post({ ...request, id: "r2", taskId: id("q"), attempt: 9 })
        yield* inbox.post({ ...request, id: "r3", taskId: id("nobody") })
        assert.deepStrictEqual(yield* inbox.pending, [request])
        yield* commit({ _tag: "RequestApplied", requestId: "r1" })
        assert.deepStrictEqual(yield* inbox.pending, [])
        yield* inbox.post(request)
        assert.deepStrictEqual(yield* inbox.pending, [])
      })
    )

    test(
      "keeps what a request asks for, whatever it is; one for another attempt is pending only when it is a message",
      Effect.gen(function* () {
        const inbox = yield* Inbox
        yield* commit(started("p"))
        const of = { taskId: p, attempt: 1, by: "cli" }
        const requests = [
          { ...of, id: "r1", kind: "message", text: "hurry" },
          { ...of, id: "r2", kind: "answer", askId: "a1", decision: "allow", text: "yes" },
          { ...of, id: "r3", kind: "mode", mode: "plan" }
        ] as const
        for (const request of requests) yield* inbox.post(request)
        const old = { ...of, id: "r4", kind: "message", attempt: 9, text: "from before" } as const
        yield* inbox.post(old)
        yield* inbox.post({ ...of, id: "r5", kind: "mode", mode: "act", attempt: 9 })
        yield* inbox.post({ ...of, id: "r6", kind: "answer", askId: "a1", decision: "deny", attempt: 9 })
        assert.deepStrictEqual(yield* inbox.pending, [...requests, old])
        assert.isTrue(Option.isNone(yield* inbox.reply("r3")))
        yield* commit({ _tag: "RequestApplied", requestId: "r3" })
        assert.deepStrictEqual(yield* inbox.reply("r3"), Option.some({ _tag: "applied" as const }))
        assert.isTrue(Option.isNone(yield* inbox.reply("nobody")))
      })
    )

    test(
      "queues a message to a task that nobody runs; the next one who takes it delivers it, once",
      Effect.gen(function* () {
        const inbox = yield* Inbox
        yield* commit(started("p"))
        yield* commit(lifecycle({ _tag: "Interrupt", taskId: p, attempt: 1, reason: "user" }))
        yield* inbox.post({ id: "r1", taskId: p, attempt: 1, by: "cli", kind: "message", text: "hurry" })
        assert.deepStrictEqual(yield* inbox.pending, [])
        const waiting = Effect.map(inbox.queued(p), (all) => all.map(({ id, text }) => [id, text]))
        assert.deepStrictEqual(yield* waiting, [["r1", "hurry"]])
        yield* commit(lifecycle({ _tag: "Resume", taskId: p }))
        assert.strictEqual((yield* inbox.pending).length, 1)
        const deliver = { _tag: "Deliver", taskId: p, attempt: 2 } as const
        yield* commit(deliver, deliver)
        const said = (yield* messagesOf("p")).slice(1)
        assert.deepStrictEqual(
          said.map(({ content }) => content),
          [[{ type: "text", text: "hurry" }]]
        )
        assert.deepStrictEqual(yield* inbox.reply("r1"), Option.some({ _tag: "applied" as const }))
        assert.deepStrictEqual(yield* waiting, [])
        yield* commit({ _tag: "Say", taskId: p, attempt: 2, id: "m1", text: "later", queued: true })
        assert.deepStrictEqual(yield* waiting, [["m1", "later"]])
        assert.strictEqual((yield* messagesOf("p")).length, 2)
        yield* commit(deliver)
        assert.strictEqual((yield* messagesOf("p")).length, 3)
      })
    )

    test(
      "gives a message that is not delivered back to its sender, once, and then delivers it to nobody",
      Effect.gen(function* () {
        const inbox = yield* Inbox
        yield* commit(started("p"))
        const attached = [{ type: "text" as const, text: "a file" }]
        const of = { taskId: p, attempt: 1, by: "user", kind: "message" } as const
        yield* inbox.post({ ...of, id: "r1", text: "hurry", attached })
        yield* inbox.post({ ...of, id: "r2", text: "and this" })
        const deliver = { _tag: "Deliver", taskId: p, attempt: 1 } as const
        const back = Option.some({ text: "hurry", attached })
        assert.deepStrictEqual(yield* inbox.withdraw("r1", "first"), back)
        // The same attempt may be made again, when it is not known what became of it.
        assert.deepStrictEqual(yield* inbox.withdraw("r1", "first"), back)
        assert.isTrue(Option.isNone(yield* inbox.withdraw("r1", "second")))
        assert.deepStrictEqual(
          (yield* inbox.queued(p)).map(({ id }) => id),
          ["r2"]
        )
        assert.strictEqual((yield* inbox.pending).length, 1)
        yield* commit(deliver)
        const texts = (yield* messagesOf("p")).slice(1).map((one) => Message.textOf(one))
        assert.deepStrictEqual(texts, ["and this"])
        assert.isTrue(Option.isNone(yield* inbox.withdraw("r2", "third")))
        yield* commit(deliver)
        assert.strictEqual((yield* messagesOf("p")).length, 2)
        yield* inbox.post({ ...of, id: "r3", kind: "interrupt" })
        assert.isTrue(Option.isNone(yield* inbox.withdraw("r3", "fourth")))
      })
    )
  })
}
