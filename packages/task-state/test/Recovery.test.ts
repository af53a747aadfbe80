import { Recovery } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"

const { answerOver, input, request, serviceFailed, success } = Recovery
const mistake = Recovery.mistake("no such file")
const wrong = [mistake, answerOver]
const right = [success, answerOver]
const Events = Schema.Array(Schema.Literals(["Request", "ServiceFailed", "Mistake", "Success", "AnswerOver", "Input"]))
const events = (tags: typeof Events.Type): ReadonlyArray<Recovery.Event> =>
  tags.map((_tag) => (_tag === "Mistake" ? mistake : { _tag }))
const times = (count: number, answer: ReadonlyArray<Recovery.Event>): ReadonlyArray<Recovery.Event> =>
  Array.from({ length: count }, () => answer).flat()

describe("recovery", () => {
  it("needs guidance with the fifth answer in a row that brought nothing, and not before", () => {
    const tags = [1, 3, 4, 5, 6].map((count) => Recovery.replay(times(count, wrong))._tag)
    assert.deepStrictEqual(tags, ["Working", "Working", "Working", "NeedsGuidance", "NeedsGuidance"])
  })

  it("counts one answer as one mistake, however many of its calls failed, and none before it is over", () => {
    const four = times(4, [mistake, mistake, mistake, answerOver])
    assert.deepInclude(Recovery.replay([...four, mistake, mistake]), { _tag: "Working", mistakes: 4 })
    assert.deepInclude(Recovery.replay([...four, mistake, answerOver]), { _tag: "NeedsGuidance", mistakes: 5 })
  })

  it("clears the count with a success in the answer, before or after its mistakes, and with the user's word", () => {
    for (const clears of [right, [success, ...wrong], [mistake, ...right], [input]]) {
      const state = Recovery.replay([...times(4, wrong), ...clears, ...times(4, wrong)])
      assert.deepInclude(state, { _tag: "Working", mistakes: 4 })
    }
    assert.deepStrictEqual(Recovery.replay([...times(5, wrong), input]), Recovery.initial)
  })

  it("does not count an answer that brought nothing to count", () => {
    assert.deepInclude(Recovery.replay([...times(4, wrong), ...times(9, [answerOver])]), { mistakes: 4 })
  })

  it("knows the last mistake, and how many answers in a row made it", () => {
    const other = [Recovery.mistake("no such tool"), mistake, answerOver]
    assert.deepInclude(Recovery.replay([...times(2, wrong), ...times(3, other)]), { why: "no such tool", times: 3 })
    assert.deepInclude(Recovery.replay([...times(4, other), ...wrong]), { why: "no such file", times: 1 })
  })

  it("repeats a request once, and each request anew", () => {
    assert.deepInclude(Recovery.replay([request, serviceFailed]), { _tag: "Working", didAutomaticallyRetry: true })
    assert.strictEqual(Recovery.replay([request, serviceFailed, serviceFailed])._tag, "NeedsService")
    const next = [request, serviceFailed, request]
    assert.deepInclude(Recovery.replay(next), { _tag: "Working", didAutomaticallyRetry: false })
    assert.deepStrictEqual(Recovery.replay([...next, serviceFailed, serviceFailed, input]), Recovery.initial)
  })

  it("does not count a failure of the service as a mistake of the model, nor forget mistakes over it", () => {
    const failed = [request, serviceFailed, serviceFailed, request]
    assert.deepInclude(Recovery.replay([...times(3, wrong), ...failed, ...wrong]), { _tag: "Working", mistakes: 4 })
  })

  it("makes no request while guidance is needed", () => {
    assert.strictEqual(Recovery.replay([...times(5, wrong), request, serviceFailed])._tag, "NeedsGuidance")
  })

  it.prop("is plain data that survives storing, and needs guidance above the threshold alone", [Events], ([tags]) => {
    const state = Recovery.replay(events(tags))
    const stored: unknown = JSON.parse(JSON.stringify(state))
    assert.deepStrictEqual(Schema.decodeUnknownSync(Recovery.State)(stored), state)
    return (state._tag === "NeedsGuidance") === state.mistakes > Recovery.threshold
  })

  it("lets no 5,000 random answers go on past the fifth in a row that brought nothing", () => {
    let random = 7
    let inARow = 0
    let state = Recovery.initial
    for (let at = 0; at < 5000; at++) {
      random = (random * 48_271) % 2_147_483_647
      const isWrong = random % 4 !== 0
      state = [request, ...(isWrong ? wrong : right)].reduce(Recovery.step, state)
      inARow = isWrong ? inARow + 1 : 0
      assert.strictEqual(state._tag === "NeedsGuidance", inARow === 5)
      if (state._tag !== "NeedsGuidance") continue
      state = Recovery.step(state, input)
      inARow = 0
    }
  })
})
