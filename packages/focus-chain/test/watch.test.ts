import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Fiber, Option, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as fs from "node:fs"
import { dirname } from "node:path"
import { Checklist, FocusChain, maxBytes, type SeenChecklist } from "@belay/focus-chain"
import { makeFile } from "../src/FocusChainFile.ts"
import { one, task, two } from "./contract.ts"
import { temporary } from "./temporary.ts"

const texts = (seen: ReadonlyArray<SeenChecklist>) =>
  seen.map((one) => (one._tag === "Edited" ? one.stored.text : one._tag === "Unreadable" ? one.error.reason : one._tag))

/** What is seen while `during` runs; `settle` lets everything be seen. */
const seenDuring = <E>(
  chain: FocusChain["Service"],
  during: (settle: Effect.Effect<void>) => Effect.Effect<unknown, E>
) =>
  Effect.gen(function* () {
    const seen: Array<SeenChecklist> = []
    const watching = yield* Effect.forkChild(
      Stream.runForEach(chain.watch(task), (one) => Effect.sync(() => void seen.push(one))),
      { startImmediately: true }
    )
    const settle = TestClock.adjust("2 seconds")
    yield* settle
    yield* during(settle)
    yield* settle
    yield* Fiber.interrupt(watching)
    return seen
  })

type Act =
  | { readonly by: "us"; readonly items: ReadonlyArray<Checklist.Item> }
  | { readonly by: "user"; readonly text: string | undefined }

const act: Arbitrary.Arbitrary<Act> = Arbitrary.map(
  Arbitrary.all({ n: Arbitrary.schema(Schema.Natural), m: Arbitrary.schema(Schema.Natural) }),
  ({ m, n }): Act => {
    const items = [one, two].slice(0, m % 3)
    if (n % 2 === 0) return { by: "us", items }
    const choices = [undefined, "", "# Mine\n- [x] by hand <!-- one -->\n", "- [ ] other\n"]
    return { by: "user", text: choices[m % choices.length] }
  }
)

describe("what a watcher sees", () => {
  it.effect.prop(
    "is every content that somebody else left, in order and once, and never what was written here",
    [Arbitrary.array(act, { maxLength: 8 })],
    ([acts]) => {
      const files = new Map<string, string>()
      return Effect.gen(function* () {
        const chain = yield* FocusChain
        const path = chain.path(task)
        const expected: Array<string> = []
        let known = files.get(path)
        const seen = yield* seenDuring(chain, (settle) =>
          Effect.forEach(acts, (act) =>
            Effect.gen(function* () {
              if (act.by === "us") yield* chain.write(task, "T", act.items)
              else if (act.text === undefined) files.delete(path)
              else files.set(path, act.text)
              yield* settle
              const now = files.get(path)
              if (act.by === "user" && now !== known) expected.push(now ?? "Deleted")
              known = now
            })
          )
        )
        assert.deepStrictEqual(texts(seen), expected)
      }).pipe(Effect.provide(FocusChain.layerMemoryOf(files)))
    },
    { arbitrary: { runs: 100 } }
  )

  it.effect("is nothing while it is being saved, and nothing when it is as before", () => {
    const files = new Map<string, string>()
    return Effect.gen(function* () {
      const chain = yield* FocusChain
      const { path } = yield* chain.write(task, "T", [one])
      const before = files.get(path) ?? ""
      const seen = yield* seenDuring(chain, () =>
        Effect.gen(function* () {
          for (const text of ["a", "ab", "abc"]) {
            files.set(path, text)
            yield* TestClock.adjust("200 millis")
          }
          yield* TestClock.adjust("1 second")
          // Saved by deleting and creating, with the same content in the end.
          files.delete(path)
          yield* TestClock.adjust("200 millis")
          files.set(path, "abc")
          yield* TestClock.adjust("1 second")
          files.set(path, before)
        })
      )
      assert.deepStrictEqual(texts(seen), ["abc", before])
    }).pipe(Effect.provide(FocusChain.layerMemoryOf(files)))
  })

  it.effect("is a file that cannot be read once, with its reason, and the same list afterwards is no edit", () => {
    const files = new Map<string, string>()
    return Effect.gen(function* () {
      const chain = yield* FocusChain
      const { path } = yield* chain.write(task, "T", [one])
      const before = files.get(path) ?? ""
      const seen = yield* seenDuring(chain, (settle) =>
        Effect.gen(function* () {
          files.set(path, "x".repeat(maxBytes + 1))
          yield* settle
          files.set(path, "x".repeat(maxBytes + 2))
          yield* settle
          files.set(path, before)
          yield* settle
        })
      )
      assert.deepStrictEqual(texts(seen), ["tooLarge"])
    }).pipe(Effect.provide(FocusChain.layerMemoryOf(files)))
  })
})

const mine = (n: number) => `# Mine\n- [x] edit ${n}\n`

/** Every way in which an editor saves, and what is there afterwards. */
const saves: ReadonlyArray<readonly [name: string, save: (path: string, text: string) => Effect.Effect<unknown>]> = [
  ["in place", (path, text) => Effect.sync(() => fs.writeFileSync(path, text))],
  [
    "by renaming over it",
    (path, text) =>
      Effect.sync(() => {
        fs.writeFileSync(`${path}~`, text)
        fs.renameSync(`${path}~`, path)
      })
  ],
  [
    "by deleting and creating",
    (path, text) =>
      Effect.sync(() => {
        fs.rmSync(path)
        fs.writeFileSync(path, text)
      })
  ],
  [
    "in a folder that was replaced",
    (path, text) =>
      Effect.sync(() => {
        fs.renameSync(dirname(path), `${dirname(path)}.old`)
        fs.mkdirSync(dirname(path))
        fs.writeFileSync(path, text)
      })
  ]
]

describe.concurrent("a file on disk", () => {
  for (const [kind, events] of [
    ["with events", true],
    ["without events", false]
  ] as const) {
    it.live(`is followed ${kind}, however it is saved, from before there is a folder on`, () =>
      Effect.gen(function* () {
        const chain = makeFile(temporary(), events)
        const path = chain.path(task)
        const seen: Array<SeenChecklist> = []
        let wake = Promise.withResolvers<void>()
        const watching = yield* Effect.forkChild(
          Stream.runForEach(chain.watch(task), (one) =>
            Effect.sync(() => {
              seen.push(one)
              wake.resolve()
            })
          ),
          { startImmediately: true }
        )
        const next = Effect.gen(function* () {
          yield* Effect.promise(() => wake.promise)
          wake = Promise.withResolvers()
        })
        yield* chain.write(task, "T", [one])
        for (const [n, [, save]] of saves.entries()) {
          yield* save(path, mine(n))
          yield* next
          yield* chain.write(task, "T", [{ ...one, text: `ours ${n}` }])
        }
        fs.rmSync(path)
        yield* next
        fs.symlinkSync(`${path}.nowhere`, path)
        yield* next
        yield* Fiber.interrupt(watching)
        assert.deepStrictEqual(texts(seen), [...saves.map((_, n) => mine(n)), "Deleted", "symlink"])
        assert.isTrue(Option.isNone(yield* Effect.option(chain.read(task))))
      })
    )
  }
})
