/** What a program without effects sees of one: values, the very errors, and the reasons of its signals. */
import { assert, describe, it } from "@effect/vitest"
import { iterate, run, runIn, streamOf } from "@belay/machine/promise"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"

const thrown = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail("it did not reject"),
    (cause: unknown) => cause
  )

class Broken extends Data.TaggedError("Broken") {}

describe("a promise of an effect", () => {
  it("has its value, or rejects with the very error or defect", async () => {
    const broken = new Broken()
    assert.strictEqual(await run(Effect.succeed(1)), 1)
    assert.strictEqual(await thrown(run(Effect.fail(broken))), broken)
    assert.strictEqual(await thrown(run(Effect.die(broken))), broken)
  })

  it("rejects with the reason of the signal, and begins nothing after an abort", async () => {
    const reason = new Error("enough")
    let begun = false
    const begin = Effect.sync(() => {
      begun = true
    })
    assert.strictEqual(await thrown(run(begin, { signal: AbortSignal.abort(reason) })), reason)
    assert.isFalse(begun)
    const controller = new AbortController()
    const running = run(Effect.andThen(begin, Effect.never), { signal: controller.signal })
    controller.abort(reason)
    assert.strictEqual(await thrown(running), reason)
  })

  it("keeps the error that came before the abort", async () => {
    const controller = new AbortController()
    const failing = Effect.suspend(() => {
      controller.abort(new Error("later"))
      return Effect.uninterruptible(Effect.fail(new Broken()))
    })
    assert.instanceOf(await thrown(run(failing, { signal: controller.signal })), Broken)
  })

  it("has the services of its runtime", async () => {
    class Name extends Context.Service<Name, string>()("test/Name") {}
    const runtime = ManagedRuntime.make(Layer.succeed(Name, "belay"))
    const runHere = runIn(runtime)
    assert.strictEqual(await runHere(Name.use(Effect.succeed)), "belay")
    const reason = new Error("enough")
    assert.strictEqual(await thrown(runHere(Effect.never, { signal: AbortSignal.abort(reason) })), reason)
    await runtime.dispose()
  })
})

describe("an iterable of a stream", () => {
  const all = async (values: AsyncIterable<unknown>) => {
    const found: Array<unknown> = []
    for await (const value of values) found.push(value)
    return found
  }

  it("gives its values and throws its error", async () => {
    assert.deepStrictEqual(await all(iterate(Stream.make(1, 2))), [1, 2])
    const broken = new Broken()
    assert.strictEqual(await thrown(all(iterate(Stream.fail(broken)))), broken)
  })

  it("throws the reason of the signal, and releases what the stream holds", async () => {
    const controller = new AbortController()
    const reason = new Error("enough")
    let isHeld = false
    const held = Stream.callback<number>((queue) => {
      isHeld = true
      void queue
      return Effect.addFinalizer(() =>
        Effect.sync(() => {
          isHeld = false
        })
      )
    })
    const stream = Stream.concat(Stream.make(1), held)
    const seen = async () => {
      for await (const value of iterate(stream, { signal: controller.signal }))
        if (value === 1) controller.abort(reason)
    }
    assert.strictEqual(await thrown(seen()), reason)
    assert.isFalse(isHeld)
  })

  it("is a stream of what another iterable gives, which hears of the end", async () => {
    let ended = false
    const foreign = async function* (signal: AbortSignal) {
      signal.addEventListener("abort", () => {
        ended = true
      })
      yield 1
      yield 2
    }
    const stream = streamOf(foreign, () => new Broken())
    assert.deepStrictEqual(await all(iterate(Stream.take(stream, 1))), [1])
    assert.isTrue(ended)
    const failing = streamOf(
      async function* (): AsyncGenerator<number> {
        yield 1
        throw new Error("wire")
      },
      () => new Broken()
    )
    assert.instanceOf(await thrown(all(iterate(failing))), Broken)
  })
})
