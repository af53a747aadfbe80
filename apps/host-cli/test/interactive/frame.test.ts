/** Frames, by random sequences: what an emulator shows is what a model of all lines says. */
import xterm from "@xterm/headless"
import { assert, describe, it } from "vitest"
import * as Frame from "../../src/interactive/screen/Frame.ts"
import { truncate } from "../../src/output/DisplayWidth.ts"

/** A linear congruential generator: the same sequence in every run. */
const generator = (begin: number) => {
  let seed = begin
  return (most: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    // Its lower bits repeat soon.
    return Math.floor(seed / 65_536) % most
  }
}

type Random = ReturnType<typeof generator>

/** The emulator has no widths of emoji without an addition. */
const words = ["word", "日本語", "x", "한국", "é", "longer-than-others", "\u001B[1mbold\u001B[22m", "─"]

const lineOf = (random: Random, id: string, columns: number): string => {
  const text = [id, ...Array.from({ length: random(9) }, () => words[random(words.length)] ?? "")].join(" ")
  // oxlint-disable-next-line no-control-regex
  return Frame.widthOf(text) < columns ? text : truncate(text.replaceAll(/\u001B\[\d+m/g, ""), columns - 1)
}

const plain = (line: string): string =>
  line
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/\u001B\[\d+m/g, "")
    .trimEnd()

const written = (terminal: xterm.Terminal, bytes: string) =>
  new Promise<void>((resolve) => terminal.write(bytes, resolve))

/** All rows, those that go on in the next one joined, without the blanks at their ends. */
const rowsOf = ({ buffer: { active } }: xterm.Terminal): ReadonlyArray<string> => {
  const rows: Array<string> = []
  for (let n = 0; n < active.length; n += 1) {
    const line = active.getLine(n)
    const text = line?.translateToString(active.getLine(n + 1)?.isWrapped !== true) ?? ""
    if (line?.isWrapped === true) rows[rows.length - 1] += text
    else rows.push(text)
  }
  while (rows.at(-1) === "") rows.pop()
  return rows.map((row) => row.trimEnd())
}

/** A wide character that did not fit into a row has left a blank there. */
const unparted = (row: string): string => row.replaceAll(" ", "")

// oxlint-disable-next-line no-control-regex
const forbidden = /\u001B\[[23]J|\u001B\[\?10|\u001B\[\d*;?\d*r|\u001B\[\d*[STLM]|\u001B[Mc]/

const terminalOf = ({ columns: cols, rows }: Frame.Size) =>
  new xterm.Terminal({ cols, rows, scrollback: 5000, allowProposedApi: true })

const sizeOf = (random: Random): Frame.Size => ({ columns: 40 + random(160), rows: 12 + random(48) })

/** Some lines that stay, other live lines, of which the first may be long, and a caret in them. */
const step = (random: Random, id: string, size: Frame.Size, shown: Frame.Shown): Frame.Next => {
  const commit = Array.from({ length: random(3) === 0 ? random(5) : 0 }, (_, n) =>
    lineOf(random, `c${id}.${n}`, Math.min(size.columns, 100))
  )
  const count = 1 + random(Math.min(14, size.rows - 2))
  const lines = Array.from({ length: count }, (_, n) =>
    random(2) === 0
      ? (shown.lines[n] ?? `l${n}`)
      : lineOf(random, `l${id}.${n}`, Math.min(size.columns, n === 0 ? 100 : 40))
  ).map((line) => (Frame.widthOf(line) < size.columns ? line : `l${id}`))
  const row = random(count)
  return {
    commit,
    lines,
    caret: { row, column: random(Math.min(size.columns, Frame.widthOf(lines[row] ?? "") + 1)) },
    size
  }
}

describe("a frame", () => {
  it("shows what a model of all lines shows, with the cursor at the caret", async () => {
    for (let round = 0; round < 100; round += 1) {
      const random = generator(round)
      const size = sizeOf(random)
      const terminal = terminalOf(size)
      const committed: Array<string> = []
      let shown = Frame.nothing(size)
      for (let n = 0; n < 12; n += 1) {
        const next = step(random, `${round}.${n}`, size, shown)
        const made = Frame.frame(shown, next)
        shown = made.shown
        committed.push(...next.commit)
        assert.notMatch(made.bytes, forbidden)
        assert.isTrue(made.bytes === "" || (made.bytes.startsWith(Frame.begin) && made.bytes.endsWith(Frame.end)))
        assert.strictEqual(Frame.frame(shown, { ...next, commit: [] }).bytes, "", "nothing changed, nothing is written")
        // oxlint-disable-next-line no-await-in-loop
        await written(terminal, made.bytes)
        const { active } = terminal.buffer
        const expected = [...committed, ...next.lines].map(plain)
        while (expected.at(-1) === "") expected.pop()
        assert.deepStrictEqual(rowsOf(terminal), expected, `round ${round}, step ${n}`)
        const at = active.baseY + active.cursorY
        assert.deepStrictEqual([at, active.cursorX], [committed.length + next.caret.row, next.caret.column])
      }
      terminal.dispose()
    }
  })

  it("has each line that stays once and in order, and the live lines once, whatever sizes the terminal gets", async () => {
    for (let round = 0; round < 100; round += 1) {
      const random = generator(1000 + round)
      let size = sizeOf(random)
      const terminal = terminalOf(size)
      const committed: Array<string> = []
      let shown = Frame.nothing(size)
      for (let n = 0; n < 15; n += 1) {
        if (random(3) === 0) {
          size = sizeOf(random)
          terminal.resize(size.columns, size.rows)
        }
        const next = step(random, `${round}.${n}`, size, shown)
        const made = Frame.frame(shown, next)
        shown = made.shown
        committed.push(...next.commit.map((line) => unparted(plain(line))))
        assert.notMatch(made.bytes, forbidden)
        // oxlint-disable-next-line no-await-in-loop
        await written(terminal, made.bytes)
      }
      const rows = rowsOf(terminal).map(unparted)
      const ids = new Set(committed)
      const kept = rows.filter((row) => ids.has(row))
      assert.deepStrictEqual(kept, committed, `round ${round}`)
      const ours = shown.lines.map((line) => unparted(plain(line)))
      assert.deepStrictEqual(rows.slice(-ours.length), ours, `round ${round}`)
      terminal.dispose()
    }
  })

  it("writes one row for a key, and leaves nothing but lines that stay when it is over", async () => {
    const size = { columns: 80, rows: 24 }
    const lines = ["── Task ──", "Act › a", "status"]
    const first = Frame.frame(Frame.nothing(size), { commit: ["head"], lines, caret: { row: 1, column: 7 }, size })
    const typed = Frame.frame(first.shown, {
      commit: [],
      lines: ["── Task ──", "Act › ab", "status"],
      caret: { row: 1, column: 8 },
      size
    })
    assert.isAtMost(typed.bytes.length, 80)
    assert.notInclude(typed.bytes, "status")
    const over = Frame.frame(typed.shown, {
      commit: ["Go on with: belay -c"],
      lines: [],
      caret: { row: 0, column: 0 },
      size
    })
    const terminal = terminalOf(size)
    await written(terminal, first.bytes + typed.bytes + over.bytes)
    assert.deepStrictEqual(rowsOf(terminal), ["head", "Go on with: belay -c"])
    assert.deepStrictEqual([terminal.buffer.active.cursorY, terminal.buffer.active.cursorX], [2, 0])
  })
})
