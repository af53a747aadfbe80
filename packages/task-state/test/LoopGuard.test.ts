import { LoopGuard } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"

const verdicts = (calls: ReadonlyArray<LoopGuard.Call>): ReadonlyArray<LoopGuard.Verdict> => {
  let state = LoopGuard.initial
  return calls.map((call) => {
    const next = LoopGuard.observe(state, call)
    state = next.state
    return next.verdict
  })
}
const read = (path: string, extra: object = {}): LoopGuard.Call => ({ name: "read_file", args: { path, ...extra } })
const times = <A>(count: number, value: A): ReadonlyArray<A> => Array.from({ length: count }, () => value)

describe("the loop guard", () => {
  it("warns at the third call in a row and asks at the fifth and after", () => {
    assert.deepStrictEqual(verdicts(times(6, read("a"))), ["ok", "ok", "warn", "warn", "ask", "ask"])
  })

  it("starts again after any other call", () => {
    const calls = [read("a"), read("a"), read("b"), read("a"), read("a"), read("a")]
    assert.deepStrictEqual(verdicts(calls), ["ok", "ok", "ok", "ok", "ok", "warn"])
    const named = [read("a"), read("a"), { name: "list_files", args: { path: "a" } }, read("a")]
    assert.deepStrictEqual(verdicts(named), ["ok", "ok", "ok", "ok"])
  })

  it("ignores task_progress and the order of keys, at any depth", () => {
    const calls: ReadonlyArray<LoopGuard.Call> = [
      { name: "t", args: { a: 1, b: { x: [1, 2], y: null }, task_progress: "- [ ] one" } },
      { name: "t", args: { b: { y: null, x: [1, 2] }, a: 1, task_progress: "- [x] one" } },
      { name: "t", args: { b: { y: null, x: [1, 2] }, c: undefined, a: 1 } }
    ]
    assert.strictEqual(verdicts(calls)[2], "warn")
  })

  it("tells apart what is not the same", () => {
    const args: ReadonlyArray<unknown> = [
      { a: [1, 2] },
      { a: [2, 1] },
      { a: "1" },
      { a: 1 },
      { a: null },
      {},
      [],
      "",
      null,
      { b: { task_progress: "1" } },
      { b: { task_progress: "2" } }
    ]
    const doubled = args.flatMap((value) => times(2, { name: "t", args: value }))
    assert.isTrue(verdicts(doubled).every((verdict) => verdict === "ok"))
  })

  it.prop("counts equal arguments as equal and its state survives storing", [Schema.Json, Schema.Json], ([a, b]) => {
    const one = LoopGuard.observe(LoopGuard.initial, { name: "t", args: a }).state
    const stored = Schema.decodeUnknownSync(LoopGuard.State)(JSON.parse(JSON.stringify(one)))
    const again = LoopGuard.observe(stored, { name: "t", args: JSON.parse(JSON.stringify(a)) as unknown })
    const other = LoopGuard.observe(stored, { name: "t", args: { other: b } })
    return again.state.runs[0] === 1 && (other.state.runs[0] ?? 0) <= 1
  })

  it("keeps a small state whatever the arguments", () => {
    const state = times(20, 0).reduce(
      (before: LoopGuard.State, _, at) => LoopGuard.observe(before, read(`${at}`.repeat(100_000))).state,
      LoopGuard.initial
    )
    assert.isAtMost(JSON.stringify(state).length, 200)
  })

  it("counts two calls that take turns as each of them alone", () => {
    const [a, b] = [read("a"), read("b")]
    const both = times(5, 0).flatMap(() => [a, b])
    assert.strictEqual(verdicts(both).join(" "), "ok ok ok ok warn warn warn warn ask ask")
  })

  it.each([3, 4, 5, 6, 7, 8])("counts %i calls that take turns by their rounds", (length) => {
    const round = Array.from({ length }, (_, at) => read(`${at}`))
    const rounds = times(5, round).flat()
    const each: ReadonlyArray<LoopGuard.Verdict> = ["ok", "ok", "warn", "warn", "ask"]
    const expected = each.flatMap((verdict) => times(length, verdict))
    assert.deepStrictEqual(verdicts(rounds), expected)
  })

  it("takes no turns for a round that something new comes between", () => {
    const work = times(9, 0).flatMap((_, at) => [read("a"), read(`new ${at}`), read("b")])
    assert.isTrue(verdicts(work).every((verdict) => verdict === "ok"))
  })

  it("counts anew after a reset", () => {
    const state = times(5, read("a")).reduce((before, call) => LoopGuard.observe(before, call).state, LoopGuard.initial)
    assert.strictEqual(LoopGuard.observe(state, read("a")).verdict, "ask")
    assert.strictEqual(LoopGuard.observe(LoopGuard.reset(), read("a")).verdict, "ok")
    assert.isAbove(LoopGuard.warning.length, 0)
  })
})
