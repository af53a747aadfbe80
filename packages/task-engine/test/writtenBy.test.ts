/** What a person wrote is theirs whatever it begins with, by whatever way it comes. */
import { TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { UserPort } from "../src/index.ts"
import { calls, completes, make, requestsOf, run, script } from "./world.ts"

const mentioned = (request: any): ReadonlyArray<string> =>
  request.messages
    .flatMap(({ content }: any) => content)
    .flatMap((block: any) => (block.type === "text" ? [block.text] : []))
    .filter((text: string) => text.startsWith("<mention of="))

describe("words that begin as the engine's do", () => {
  it.live.each(["[WIP] Look at @/a.txt", "<b>Look</b> at @/a.txt", "[task 7: done] See @/a.txt"])(
    "have the files that they mention, and are stored as a person's: %s",
    (prompt) =>
      Effect.gen(function* () {
        const world = yield* make([{ ...script("a.txt", completes("done")), shared: true }])
        world.write("a.txt", "hello")
        const messages = yield* world.session(
          Effect.gen(function* () {
            const { id } = yield* run(world.task(prompt))
            return yield* Effect.flatMap(TaskHistory, (history) => history.messages(id))
          })
        )
        assert.lengthOf(mentioned(requestsOf(world, "a.txt")[0]), 1)
        assert.deepStrictEqual(messages[0]?.from, ["user", "engine.environment"])
        assert.isTrue(
          messages.every((message) => message.role === "assistant" || message.from?.includes("unknown") === false)
        )
        assert.isTrue(messages.every(({ content }) => content.every((block) => !("from" in block))))
      })
  )

  it.live("have them in the answer to a question, too", () =>
    Effect.gen(function* () {
      const world = yield* make([
        { ...script("Ask", calls(["ask_followup_question", { question: "Which?" }]), completes("done")), shared: true }
      ])
      world.write("a.txt", "hello")
      const person = Layer.succeed(UserPort, {
        attended: true,
        approve: () => Effect.never,
        answer: () => Effect.succeed({ text: "[this one] @/a.txt" })
      })
      yield* world.session(run(world.task("Ask")), { person })
      assert.lengthOf(mentioned(requestsOf(world, "Ask")[1]), 1)
    })
  )
})
