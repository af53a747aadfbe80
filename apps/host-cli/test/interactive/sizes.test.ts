/** What is live, in every state and size: it fits, and the caret stands in what is written. */
import { assert, describe, it } from "vitest"
import { Words } from "@belay/interaction"
import * as Draw from "../../src/interactive/Draw.ts"
import type { Asked } from "../../src/interactive/asks/AskFrame.ts"
import { unknown } from "../../src/interactive/Known.ts"
import { widthOf } from "../../src/interactive/screen/Frame.ts"
import type { Line } from "../../src/interactive/tasks/TaskTree.ts"
import { idle } from "../../src/interactive/transcript/Underway.ts"

const long = "日本語 👨‍👩‍👧 and a rather long text that goes on ".repeat(4)

const header = (state: Words.State): Draw.State["header"] => ({
  id: "1",
  title: long,
  state,
  glyph: "",
  label: Words.signs[state].label ?? state,
  tone: "yellow",
  detail: long,
  cost: "$0.42",
  checklist: "3/7",
  deeds: [],
  above: [],
  mode: "act",
  model: "a-model-with-a-long-name-4-8",
  context: { tokens: 38_000, limit: 100_000 },
  queues: false,
  done: false,
  bars: [],
  children: {}
})

const ask = (kind: Asked["ask"]["kind"]): Asked => ({
  ask: {
    askId: kind,
    kind,
    heading: `Run ${long}`,
    command: `npm publish ${long}`,
    facts: [{ label: "Writes", text: long }],
    isEdit: false,
    grants: [
      { scope: "task", rules: [long] },
      { scope: "always", refused: long, rules: [] }
    ],
    options: [long, "no"]
  },
  body: Array.from({ length: 30 }, (_, n) => ({ text: `${n} ${long}`, kind: "context" as const })),
  place: long
})

const line = (n: number): Line => ({
  id: String(n),
  guide: n === 0 ? "" : "│ ├ ",
  sign: Words.signs.running,
  title: `${n} ${long}`,
  isShown: n === 3,
  steps: "3/5",
  cost: "$12.50",
  own: n === 0 ? "$0.05" : "",
  detail: long,
  since: 0,
  took: undefined,
  rank: n
})

const base: Draw.State = {
  ...unknown,
  label: undefined,
  live: idle,
  offered: () => [],
  answering: undefined,
  hint: "",
  now: 100_000
}

const running = { head: `$ ${long}`, since: 0, output: [long, long, long, long, long] }

const states: Readonly<Record<string, Partial<Draw.State>>> = {
  nothing: {},
  hint: { hint: long },
  running: {
    header: header("running"),
    live: { open: ["  words", "  words", "  words"], running: [running, running], waits: [] }
  },
  waiting: { header: header("waiting"), live: { ...idle, waits: [{ head: long, since: 0 }] } },
  "your turn": { header: header("needsYou"), isYourTurn: true },
  interrupted: { header: header("interrupted"), others: 3 },
  queued: { queued: Array.from({ length: 9 }, (_, n) => ({ id: String(n), pictures: 0, text: long })) },
  "one ask": { asks: [ask("approval")] },
  answering: { asks: [ask("approval"), ask("question")], answering: { ask: ask("approval"), place: undefined } },
  chosen: { asks: [ask("approval")], answering: { ask: ask("approval"), place: 4 } },
  question: { asks: [ask("question")], answering: { ask: ask("question"), place: 1 } },
  plan: { mode: "plan", asks: [ask("plan")], answering: { ask: ask("plan"), place: undefined } },
  limit: { asks: [ask("limit")], answering: { ask: ask("limit"), place: 1 } },
  tree: { header: header("waiting"), tree: Array.from({ length: 12 }, (_, n) => line(n)) },
  offered: { offered: (columns) => Array.from({ length: 9 }, () => long.slice(0, columns / 2)) },
  all: {
    header: header("running"),
    live: { open: ["  words"], running: [running], waits: [] },
    asks: [ask("approval")],
    queued: [{ id: "1", pictures: 0, text: long }],
    tree: Array.from({ length: 5 }, (_, n) => line(n)),
    hint: long,
    others: 2
  }
}

const sizes = [1, 4, 12, 25, 30, 40, 59, 60, 78, 80, 100, 160, 300].flatMap((columns) =>
  [1, 5, 8, 14, 24, 50].map((rows) => ({ columns, rows }))
)

describe.each(Object.entries(states))("what is live in the state: %s", (_, state) => {
  it(`fits into ${sizes.length} sizes, with and without colours`, () => {
    for (const size of sizes) {
      for (const look of [
        { color: true, ascii: false, plain: false, width: size.columns },
        { color: false, ascii: true, plain: false, width: size.columns }
      ]) {
        const rows = ["what is written", long.slice(0, Math.max(1, size.columns / 4))]
        const { caret, lines } = Draw.draw({ ...base, ...state }, look, size, () => ({
          rows,
          caret: { row: 1, column: 2 }
        }))
        const said = `${size.columns}x${size.rows}: ${lines.join("\n")}`
        assert.isAtMost(lines.length, Math.max(1, size.rows - 2), said)
        assert.isAtLeast(lines.length, 1)
        assert.isBelow(caret.row, lines.length, said)
        // Of fewer columns than a label has nothing is asked but that it ends.
        if (size.columns < 25) continue
        for (const one of lines) assert.isBelow(widthOf(one), size.columns, said)
        assert.isBelow(caret.column, size.columns, said)
      }
    }
  })
})
