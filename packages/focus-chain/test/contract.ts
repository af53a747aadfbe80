import { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option, Result } from "effect"
import { Checklist, FocusChain, type FocusChainError, maxBytes } from "@belay/focus-chain"

export const task = TaskId.TaskId.make("019aa7c2-0000-7000-8000-000000000001")
const other = TaskId.TaskId.make("task_2")
export const one = { id: "one", text: "read the code", state: "doing" } as const
export const two = { id: "two", text: "write the test", state: "open" } as const

export interface Harness {
  readonly layer: Layer.Layer<FocusChain>
  /** What the user's editor does. */
  readonly save: (path: string, text: string) => void
}

/** What every layer of `FocusChain` keeps. */
export const contract = (name: string, make: () => Harness): void => {
  const test = (
    statement: string,
    body: (chain: FocusChain["Service"], save: Harness["save"]) => Effect.Effect<void, FocusChainError>
  ) =>
    it.effect(statement, () => {
      const harness = make()
      return Effect.provide(
        FocusChain.use((chain) => body(chain, harness.save)),
        harness.layer
      )
    })

  describe(name, () => {
    test("has nothing before the first write", (chain) =>
      Effect.gen(function* () {
        assert.isTrue(Option.isNone(yield* chain.read(task)))
      }))

    test("reads what was written, with the hash that the write reported", (chain) =>
      Effect.gen(function* () {
        const written = yield* chain.write(task, "Fix the build", [one, two])
        const stored = Option.getOrThrow(yield* chain.read(task))
        assert.strictEqual(written.path, chain.path(task))
        assert.strictEqual(stored.hash, written.hash)
        assert.match(stored.hash, /^[0-9a-f]{64}$/u)
        assert.deepStrictEqual(stored.items, [one, two])
        assert.isTrue(stored.text.startsWith("# Fix the build\n\n<!--\n"))
        assert.isTrue(stored.text.endsWith("- [-] read the code <!-- one -->\n- [ ] write the test <!-- two -->\n"))
      }))

    test("keeps headings and notes of the user when the items are written again", (chain, save) =>
      Effect.gen(function* () {
        yield* chain.write(task, "T", [one])
        save(chain.path(task), "# Mine\n- [ ] read the code <!-- one -->\nnote\n")
        yield* chain.write(task, "T", [{ ...one, state: "done" }, two])
        const stored = Option.getOrThrow(yield* chain.read(task))
        assert.strictEqual(
          stored.text,
          "# Mine\n- [x] read the code <!-- one -->\n- [ ] write the test <!-- two -->\nnote\n"
        )
      }))

    test("edits one line of the user's file, and begins one where there is none", (chain, save) =>
      Effect.gen(function* () {
        const add = (text: string) => Checklist.edit(text, [{ text: "first" }])
        const begun = yield* chain.edit(task, "T", add)
        assert.isTrue(begun.text.startsWith("# T\n\n<!--\n"))
        save(chain.path(task), "# Mine\n- [ ] read the code\nnote")
        const [item] = Option.getOrThrow(yield* chain.read(task)).items
        const edited = yield* chain.edit(task, "T", (text) =>
          Checklist.edit(text, [{ id: item?.id ?? "", state: "done" }])
        )
        assert.strictEqual(edited.text, `# Mine\n- [x] read the code <!-- ${item?.id} -->\nnote`)
        assert.deepStrictEqual(Option.getOrThrow(yield* chain.read(task)), edited)
      }).pipe(Effect.orDie))

    test("takes a file away, once and for all", (chain) =>
      Effect.gen(function* () {
        yield* chain.write(task, "T", [one])
        yield* chain.write(other, "T", [two])
        yield* chain.remove(task)
        yield* chain.remove(task)
        assert.isTrue(Option.isNone(yield* chain.read(task)))
        assert.isTrue(Option.isSome(yield* chain.read(other)))
      }))

    test("leaves the file when the edit fails", (chain) =>
      Effect.gen(function* () {
        const { hash } = yield* chain.write(task, "T", [one])
        assert.strictEqual(yield* Effect.flip(chain.edit(task, "T", () => Result.fail("no"))), "no")
        assert.strictEqual(Option.getOrThrow(yield* chain.read(task)).hash, hash)
      }).pipe(Effect.orDie))

    test("gives the same hash for the same content and another one for a change", (chain) =>
      Effect.gen(function* () {
        const first = yield* chain.write(task, "T", [one])
        assert.deepStrictEqual(yield* chain.write(task, "T", [one]), first)
        assert.notStrictEqual((yield* chain.write(task, "T", [two])).hash, first.hash)
      }))

    test("keeps the tasks apart", (chain) =>
      Effect.gen(function* () {
        yield* chain.write(task, "T", [one])
        yield* chain.write(other, "T", [two])
        assert.deepStrictEqual(Option.getOrThrow(yield* chain.read(task)).items, [one])
        assert.notStrictEqual(chain.path(task), chain.path(other))
      }))

    test("lets neither a title nor a text break out of its line", (chain) =>
      Effect.gen(function* () {
        yield* chain.write(task, "T\n- [ ] planted <!-- p -->", [{ ...one, text: "a -->\n- [x] planted" }])
        const stored = Option.getOrThrow(yield* chain.read(task))
        assert.deepStrictEqual(stored.items, [{ ...one, text: "a -- > - [x] planted" }])
      }))

    test("reads an empty file as an empty list, and fills it", (chain, save) =>
      Effect.gen(function* () {
        yield* chain.write(task, "T", [one])
        save(chain.path(task), "")
        assert.deepStrictEqual(Option.getOrThrow(yield* chain.read(task)).items, [])
        yield* chain.write(task, "T", [two])
        assert.deepStrictEqual(Option.getOrThrow(yield* chain.read(task)).items, [two])
      }))

    test("refuses a list that would not fit and leaves the old one", (chain) =>
      Effect.gen(function* () {
        const { hash } = yield* chain.write(task, "T", [one])
        const error = yield* Effect.flip(chain.write(task, "T", [{ ...one, text: "x".repeat(maxBytes) }]))
        assert.strictEqual(error.reason, "tooLarge")
        assert.strictEqual(Option.getOrThrow(yield* chain.read(task)).hash, hash)
      }).pipe(Effect.orDie))

    test("neither reads nor overwrites a file of the user that is too large", (chain, save) =>
      Effect.gen(function* () {
        yield* chain.write(task, "T", [one])
        save(chain.path(task), "x".repeat(maxBytes + 1))
        assert.strictEqual((yield* Effect.flip(chain.read(task))).reason, "tooLarge")
        assert.strictEqual((yield* Effect.flip(chain.write(task, "T", [two]))).reason, "tooLarge")
        save(chain.path(task), "x".repeat(maxBytes))
        assert.deepStrictEqual(Option.getOrThrow(yield* chain.read(task)).items, [])
      }).pipe(Effect.orDie))
  })
}
