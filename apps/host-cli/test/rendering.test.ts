import { TaskHistory } from "@belay/history-store"
import { StateText } from "@belay/interaction/tasks"
import { TaskNode } from "@belay/task-engine/remote"
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Appearance from "../src/output/Appearance.ts"
import { displayWidth, pad, truncate } from "../src/output/DisplayWidth.ts"
import { linesOf, listText } from "../src/tasks/ListText.ts"
import { treeText } from "../src/tasks/TreeText.ts"
import { belay, folder } from "./support/cli.ts"
import { everyState, id, started } from "./support/states.ts"
import { layerReader } from "./support/history.ts"

const home = folder()
let live: Awaited<ReturnType<typeof everyState>>
let nodes: ReadonlyArray<TaskNode.TaskNode>

const tasks = [12, 11, 3, 6, 7, 8, 9, 10, 1, 15]

beforeAll(async () => {
  live = await everyState(home)
  await live.commit(started(15, "Über 日本語のタスク \u001B[31m\tred\n\u202Eevil 👩‍💻", "/projects/宽"))
  const load = (n: number) =>
    Effect.gen(function* () {
      const history = yield* TaskHistory
      return yield* TaskNode.whole(Option.getOrThrow(yield* history.row(id(n))))
    })
  nodes = await Effect.runPromise(
    Effect.forEach(tasks, load).pipe(Effect.provide(layerReader({ directory: home, kind: "test" })))
  )
})
afterAll(() => live.close())

const wide: Appearance.Appearance = { color: false, ascii: false, plain: false, width: 120 }

// oxlint-disable-next-line no-control-regex
const sgr = /\u001B\[\d+m/g

/** As if every task were four minutes old. */
const list = (look: Appearance.Appearance, of = nodes): ReadonlyArray<string> =>
  listText(of.flatMap(linesOf), Math.max(...of.map((node) => node.row.updatedAt)) + 245_000, look)

const of = (...wanted: ReadonlyArray<number>) =>
  nodes.filter((node) => wanted.some((n) => node.row.record.id === id(n)))

describe("a list of tasks", () => {
  it("has this form at 120, 80 and 40 columns, and where there is no terminal", () => {
    const whole = [
      "  ID      STATE          TASK                          WHERE  STEPS   COST  AGE",
      "⊘ 000003  Blocked        Wait for a stopped part       api        –  $0.21   4m",
      "└ 000004  ‖ Interrupted  Stopped part: you stopped it             –      –   4m",
      "‖ 000006  Interrupted    Upgrade eslint: you stopped it  web        –      –   4m"
    ]
    assert.deepStrictEqual(list(wide, of(3)), whole.slice(0, 3))
    assert.deepStrictEqual(list({ ...wide, width: undefined }, of(3)), whole.slice(0, 3))
    assert.deepStrictEqual(list({ ...wide, width: 70 }, of(3)), [
      "  ID      STATE          TASK                 WHERE  STEPS   COST  AGE",
      "⊘ 000003  Blocked        Wait for a stopped…  api        –  $0.21   4m",
      "└ 000004  ‖ Interrupted  Stopped part: you…              –      –   4m"
    ])
    assert.deepStrictEqual(list({ ...wide, width: 40 }, of(3)), [
      "  ID      STATE          TASK",
      "⊘ 000003  Blocked        Wait for a sto…",
      "└ 000004  ‖ Interrupted  Stopped part:…"
    ])
  })

  it("is never wider than the terminal, and never loses an id or a state", () => {
    for (const width of [120, 80, 60, 40]) {
      const lines = list({ ...wide, width })
      for (const line of lines) assert.isAtMost(displayWidth(line), width, line)
      const ids = lines.map((line) => line.slice(2, 8))
      for (const n of tasks) assert.include(ids, id(n).slice(-6))
      for (const node of nodes) assert.include(lines.join("\n"), StateText.of(node).label)
    }
  })

  it("has every state with a glyph of its own, and seven bits where the locale has no more", () => {
    const states = new Set(
      nodes.flatMap((node) => [node, ...TaskNode.descendants(node)]).map((node) => StateText.of(node).state)
    )
    // What is listed runs in another process than the one that lists, and can be read.
    assert.deepStrictEqual([...states, "running", "unreadable"].toSorted(), Object.keys(Words.signs).toSorted())
    const seven = list({ ...wide, ascii: true }, of(12, 3, 7, 8, 9, 10, 1)).join("\n")
    assert.match(seven, /^[\n\x20-\x7E]*$/)
    assert.match(seven, /^w 00000c {2}Waiting for 2/m)
    assert.match(seven, /^` 00000e {2}! Needs you/m)
  })

  it.each([
    ["1️⃣", 2],
    ["नमस्ते", 4],
    ["👨‍👩‍👧", 2],
    ["🇩🇪", 2],
    ["日本語", 6],
    ["e\u0301", 1],
    ["\u200B", 0],
    ["☁", 1],
    ["☁️", 2],
    ["… ─ ●", 5]
  ])("counts the columns that terminals show: %s", (text, columns) => {
    assert.strictEqual(displayWidth(text), columns)
    assert.strictEqual(displayWidth(pad(text, 8)), 8)
    assert.isAtMost(displayWidth(truncate(`${text}${text}${text}`, 5)), 5)
  })

  it("keeps its columns whatever a title holds, and shows what would steer the terminal", () => {
    const [header = "", row = ""] = list(wide, of(15))
    assert.strictEqual(displayWidth(row), displayWidth(header))
    assert.include(row, String.raw`Über 日本語のタスク \u{1b}[31m red\u{a}\u{202e}evil`)
    assert.include(row, "  宽")
    const [, plain = ""] = list({ ...wide, plain: true }, of(15))
    assert.strictEqual(plain.split("\t").length, 7)
  })

  it("colours states with the 16 colours, and only them", () => {
    const coloured = list({ ...wide, color: true }).join("\n")
    assert.deepStrictEqual(
      new Set(coloured.match(sgr)),
      new Set(["34", "39", "33", "32", "31"].map((n) => `\u001B[${n}m`))
    )
    assert.strictEqual(coloured.replaceAll(sgr, "").replaceAll(/ +$/gm, ""), list(wide).join("\n"))
  })
})

describe("a tree of tasks", () => {
  it("fits 120, 80 and 40 columns with every state whole", () => {
    const waiting = of(3)[0] ?? assert.fail("no such task")
    const references = new Map([[id(4), "000004"]])
    for (const width of [120, 80, 40]) {
      const lines = treeText(waiting, new Map(), references, { ...wide, width })
      for (const line of lines) assert.isAtMost(displayWidth(line), Math.max(width, 46), line)
      assert.match(lines[1] ?? "", /^└─ ‖ Stopped pa.* Interrupted/)
    }
    const plain = treeText(waiting, new Map(), references, { ...wide, plain: true, ascii: true })
    assert.match(plain.join("\n"), /^[\n\x20-\x7E]*$/)
  })

  it("has the items of each list in their order, each with the subtask that it names, and the other subtasks last", () => {
    const root = of(12)[0] ?? assert.fail("no such task")
    const item = (text: string, state: "open" | "done") => ({ id: text, text, state })
    const lists = new Map([
      [id(12), [item("tidy\u001B[2J", "done"), item("publish", "open"), item("announce", "open")]],
      [id(14), [item("pack", "done")]]
    ])
    const lines = treeText(root, lists, new Map(), wide).map((line) => line.replace(/ {2,}[A-Z].*$/, ""))
    assert.deepStrictEqual(lines, [
      "◐ Release 2.0",
      String.raw`├─ [x] tidy\u{1b}[2J`,
      "├─ [ ] publish",
      "│  └─ ◆ Publish",
      "│     └─ [x] pack",
      "├─ [ ] announce",
      "└─ ◉ Write the parser"
    ])
    for (const line of treeText(root, lists, new Map(), { ...wide, width: 20 }).filter((one) => one.includes("["))) {
      assert.isAtMost(displayWidth(line), 20)
    }
  })
})

describe("the appearance", () => {
  const terminal = { env: { LANG: "C.UTF-8" }, isTerminal: true, columns: 80, platform: "linux" } as const
  const coloured = (env: NodeJS.ProcessEnv, flags: { color?: string; plain?: boolean } = {}, isTerminal = true) =>
    Appearance.decide(flags, { ...terminal, env, isTerminal }).color

  it("has colours on a terminal that wants them", () => {
    assert.isTrue(coloured({}))
    assert.isFalse(coloured({}, {}, false))
    assert.isFalse(coloured({ NO_COLOR: "1" }))
    assert.isTrue(coloured({ NO_COLOR: "" }))
    assert.isTrue(coloured({ FORCE_COLOR: "1" }, {}, false))
    assert.isFalse(coloured({ FORCE_COLOR: "1", NO_COLOR: "1" }))
    assert.isFalse(coloured({ TERM: "dumb" }))
    assert.isFalse(coloured({ CI: "true" }))
    assert.isFalse(coloured({ FORCE_COLOR: "1" }, { color: "never" }))
    assert.isTrue(coloured({}, { color: "always" }, false))
  })

  it("has glyphs in a UTF-8 locale, by the variable that counts first", () => {
    const ascii = (env: NodeJS.ProcessEnv) => Appearance.decide({}, { ...terminal, env }).ascii
    assert.deepStrictEqual(
      [
        { LANG: "de_DE.utf8" },
        { LANG: "C.UTF-8", LC_ALL: "C" },
        {},
        { LANG: "C.UTF-8", BELAY_ASCII: "1" },
        { LC_CTYPE: "en_US.UTF-8" }
      ].map(ascii),
      [false, true, true, true, false]
    )
  })

  it("has no width where there is no terminal", () => {
    assert.isUndefined(Appearance.decide({}, { ...terminal, isTerminal: false }).width)
    assert.strictEqual(Appearance.decide({}, { ...terminal, columns: undefined }).width, 80)
  })

  it("is taken from the environment by a command", async () => {
    const env = { BELAY_HOME: home }
    const [forced, ascii] = await Promise.all([
      belay(["task", "list", "--all"], { ...env, FORCE_COLOR: "1" }),
      belay(["task", "tree", "000003"], { ...env, FORCE_COLOR: "1", NO_COLOR: "1", LANG: "C" })
    ])
    assert.include(forced.stdout.join("\n"), "\u001B[32m✓\u001B[39m 000007")
    assert.match(ascii.stdout.join("\n"), /^[\n\x20-\x7E]*$/)
  })
})

describe("the width of a text", () => {
  it("is what a terminal takes for it", () => {
    const widths: ReadonlyArray<readonly [string, number]> = [
      ["", 0],
      ["abc", 3],
      ["日本", 4],
      ["e\u0301", 1],
      ["👩‍💻", 2],
      ["한글", 4],
      ["❤️", 2],
      ["🇩🇪", 2],
      ["Ａ", 2],
      ["◆✓‖", 3]
    ]
    for (const [text, width] of widths) assert.strictEqual(displayWidth(text), width, text)
  })

  it("is kept by cutting and filling, which split no character", () => {
    assert.deepStrictEqual(
      [truncate("日本語", 4), truncate("日本語", 6), truncate("abc", 2, "..")],
      ["日…", "日本語", ".."]
    )
    assert.deepStrictEqual([pad("日", 4), pad("1", 3, "right")], ["日  ", "  1"])
  })
})
