/** Files that an interrupted writer left, that were damaged in the middle, or that are long: nothing of them is lost. */
import { TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, symlinkSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { Elements } from "../src/internal/elements.ts"
import * as Files from "../src/internal/files.ts"
import { Reading } from "../src/internal/stored.ts"
import {
  assistant,
  at,
  call,
  contents,
  files,
  type Files as Given,
  id,
  imports,
  item,
  result,
  row,
  user,
  withFolder,
  write
} from "./support/folders.ts"

const words = (count: number) =>
  Array.from({ length: count }, (_, n) => (n % 2 === 0 ? user(`Word ${n}`) : assistant(`Word ${n}`)))
const log = "tasks/P/api_conversation_history.json"
const beside = (name: string) => `tasks/P/${name}`

const saidIn = (task: string) =>
  Effect.map(contents(task), (messages) =>
    messages.flatMap(({ content }) => content.flatMap((block) => (block.type === "text" ? [block.text] : [])))
  )

const left: Readonly<Record<string, { readonly files: Given; readonly words: number; readonly newer?: string }>> = {
  "a new state of Roo Code, before the old one was moved away": {
    files: { [log]: words(2), [beside(".api_conversation_history.json.new_1784332598170_ab12.tmp")]: words(4) },
    newer: ".api_conversation_history.json.new_1784332598170_ab12.tmp",
    words: 4
  },
  "both states of Roo Code, when neither has the name": {
    files: {
      [beside(".api_conversation_history.json.bak_1784332598171_cd34.tmp")]: words(2),
      [beside(".api_conversation_history.json.new_1784332598170_ab12.tmp")]: words(4)
    },
    words: 4
  },
  "the old state of Roo Code, and a new one that is torn off": {
    files: {
      [beside(".api_conversation_history.json.bak_1784332598171_cd34.tmp")]: words(4),
      [beside(".api_conversation_history.json.new_1784332598170_ab12.tmp")]: JSON.stringify(words(4)).slice(0, 150)
    },
    words: 4
  },
  "the old state of Zoo Code": {
    files: { [beside(".api_conversation_history.json.safeWriteText.bak_1784332598171_cd34.tmp")]: words(4) },
    words: 4
  },
  "a new state of Cline": {
    files: { [beside("api_conversation_history.json.tmp.1784332598171.k3x9q.json")]: words(4) },
    words: 4
  },
  "an old state that is shorter than what is whole of the torn one": {
    files: {
      [log]: JSON.stringify(words(6)).slice(0, -10),
      [beside(".api_conversation_history.json.bak_1_a.tmp")]: words(2)
    },
    words: 5
  },
  "a list that has a bracket too many in its middle": {
    files: {
      [log]: JSON.stringify(words(6)).replace(
        '{"role":"user","content":[{"type":"text","text":"Word 2"',
        '{{"role":"user","content":[{"type":"text","text":"Word 2"'
      )
    },
    words: 6
  },
  "a list that lacks a bracket in its middle": {
    files: { [log]: JSON.stringify(words(6)).replace('"Word 2"}]', '"Word 2"}') },
    words: 5
  },
  "a list with the end of a longer one behind it": {
    files: { [log]: `${JSON.stringify(words(4))}t":"old"}],"ts":1}]` },
    words: 4
  },
  "a list that goes on after its end": {
    files: { [log]: `${JSON.stringify(words(4))},${JSON.stringify(user("Word 4"))}]` },
    words: 5
  }
}

describe("of a conversation is read", () => {
  for (const [name, expected] of Object.entries(left)) {
    it.effect(name, () =>
      withFolder({ "tasks/P/history_item.json": item("P"), ...expected.files }, (root) =>
        Effect.gen(function* () {
          const later = (at + 5000) / 1000
          if (expected.newer !== undefined) {
            utimesSync(join(root, "old", log), at / 1000, at / 1000)
            utimesSync(join(root, "old/tasks/P", expected.newer), later, later)
          }
          yield* imports(root)
          assert.lengthOf(yield* saidIn("P"), expected.words)
        })
      )
    )
  }

  it.effect("the record that a writer of Roo Code left", () =>
    withFolder(
      {
        ...files("P", null),
        "tasks/P/.history_item.json.bak_1784332598171_cd34.tmp": item("P", { workspace: "/kept" })
      },
      (root) =>
        Effect.gen(function* () {
          yield* imports(root)
          assert.strictEqual((yield* row("P")).meta.workspace, "/kept")
        })
    )
  )

  it.effect("a log of more than one piece, as a list and as lines, with every byte as it was", () => {
    const long = "y".repeat(700_000)
    const turns = [user(`${long} 0`), assistant(`${long} 1`), user(`${long} 2`), assistant(`${long} 3`)]
    const lines = turns.map(({ content, role }, n) =>
      JSON.stringify({
        type: role,
        uuid: `u${n}`,
        parentUuid: n === 0 ? null : `u${n - 1}`,
        message: { role, content }
      })
    )
    return withFolder({ ...files("P", {}, turns), "tasks/P.jsonl": lines.join("\n") }, (root) =>
      Effect.sync(() => {
        const elements = new Elements()
        Files.pieces(join(root, "old", log), (bytes) => elements.take(bytes))
        elements.end()
        assert.deepStrictEqual([elements.found, elements.isWhole], [turns, true])
        const { broken, rows } = new Reading(join(root, "old/tasks")).lines("P.jsonl")
        assert.deepStrictEqual([rows.map((row) => JSON.stringify(row)), broken], [lines, 0])
      })
    )
  })

  it("every whole entry, wherever it is torn off and in whatever pieces it comes", () => {
    const quoted = Array.from({ length: 5 }, (_, n) => user(`Word ${n} \\"]} "said" ${"\\".repeat(n)}`))
    const whole = Buffer.from(JSON.stringify({ version: 1, agent: "[lead", note: { messages: [1] }, messages: quoted }))
    for (let end = 0; end <= whole.length; end += 7) {
      const found = [1, 64, whole.length].map((size) => {
        const elements = new Elements()
        for (let from = 0; from < end; from += size) elements.take(whole.subarray(from, Math.min(from + size, end)))
        elements.end()
        return elements.found
      })
      const text = whole.subarray(0, end).toString()
      const complete = text.match(/"ts":\d{13}\}/gu)?.length ?? 0
      for (const one of found) assert.deepStrictEqual(one, quoted.slice(0, complete))
    }
  })
})

describe("a conversation", () => {
  it.effect("shows the model what its program showed: not what a summary stands for", () =>
    withFolder(
      {
        ...files("P", {}, [
          { ...user("Do P"), condenseParent: "s" },
          { ...assistant(call("a", "read_file")), condenseParent: "s" },
          { ...result("a", "Long"), condenseParent: "s" },
          { ...user("It was about P"), isSummary: true, condenseId: "s" },
          assistant("Well")
        ]),
        ...files("Q", { conversationHistoryDeletedRange: [2, 3] }, words(6))
      },
      (root) =>
        Effect.gen(function* () {
          yield* imports(root)
          const history = yield* TaskHistory
          const shown = (yield* history.shown(id("P"))).messages.map(({ content }) => JSON.stringify(content))
          assert.lengthOf(shown, 4)
          assert.notInclude(shown.join(), "Long")
          assert.include(shown.join(), "It was about P")
          assert.include(JSON.stringify(yield* contents("P")), "Long")
          const deleted = (yield* history.shown(id("Q"))).messages.map(({ content }) => JSON.stringify(content)).join()
          assert.deepStrictEqual(
            [0, 1, 2, 3, 4, 5].filter((n) => deleted.includes(`Word ${n}`)),
            [0, 1, 4, 5]
          )
        })
    )
  )

  it.effect("shows what was condensed to a summary that is gone, and not what was condensed to one before it", () =>
    withFolder(
      {
        ...files("P", {}, [user("Do P"), { ...assistant("Word 1"), condenseParent: "gone" }, user("Word 2")]),
        ...files("Q", {}, [
          user("Do Q"),
          { ...user("It was about Q"), isSummary: true, condenseId: "s" },
          { ...assistant("Word 1"), condenseParent: "s" },
          user("Word 2")
        ])
      },
      (root) =>
        Effect.gen(function* () {
          yield* imports(root)
          const history = yield* TaskHistory
          const shown = (task: string) =>
            Effect.map(history.shown(id(task)), ({ messages }) => {
              const said = messages.map(({ content }) => JSON.stringify(content)).join()
              return ["Word 1", "Word 2"].filter((one) => said.includes(one))
            })
          assert.deepStrictEqual(yield* shown("P"), ["Word 1", "Word 2"])
          assert.deepStrictEqual(yield* shown("Q"), ["Word 2"])
        })
    )
  )

  it.effect("keeps what a model thought, and no signature of a service becomes words", () =>
    withFolder(
      files("P", {}, [
        user("Do P"),
        {
          role: "assistant",
          type: "reasoning",
          summary: [{ type: "summary_text", text: "Think" }],
          encrypted_content: "x"
        },
        {
          role: "assistant",
          content: [
            { type: "thoughtSignature", thoughtSignature: "xyz" },
            { type: "text", text: "Well" }
          ]
        }
      ]),
      (root) =>
        Effect.gen(function* () {
          yield* imports(root)
          assert.deepStrictEqual(yield* saidIn("P"), ["Do P", "[thought] Think", "Well"])
        })
    )
  )

  it.effect("has the result of a call that came late", () =>
    withFolder(
      files("P", {}, [
        user("Do P"),
        assistant(call("a", "read_file"), call("b", "read_file")),
        result("a", "First"),
        assistant("Meanwhile"),
        result("b", "Second"),
        assistant("Well")
      ]),
      (root) =>
        Effect.gen(function* () {
          yield* imports(root)
          const text = JSON.stringify(yield* contents("P"))
          assert.include(text, "Second")
          assert.notInclude(text, "not known whether")
        })
    )
  )

  it.effect("without times is as old as its files, and never from 1970", () =>
    withFolder(files("P", { ts: 0 }, [{ role: "user", content: "Do P" }]), (root) =>
      Effect.gen(function* () {
        const written = at - 60_000
        utimesSync(join(root, "old", log), written / 1000, written / 1000)
        yield* imports(root)
        assert.strictEqual((yield* row("P")).createdAt, written)
      })
    )
  )

  it.effect("in a folder of tasks that is a link is read", () =>
    withFolder({}, (root) =>
      Effect.gen(function* () {
        const other = join(root, "other")
        write(other, { "tasks/P/history_item.json": item("P"), "tasks/P/api_conversation_history.json": words(2) })
        mkdirSync(join(root, "named"))
        symlinkSync(join(other, "tasks"), join(root, "named/tasks"))
        const { Import } = yield* Effect.promise(() => import("@belay/history-interop"))
        assert.strictEqual((yield* Import.plan(join(root, "named"))).counts.importable, 1)
      })
    )
  )
})
