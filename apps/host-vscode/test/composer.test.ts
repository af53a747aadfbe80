import { QueuedMessage } from "@belay/interaction/unstable/feed"
import { Inbox, type Step, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { Picture, type Row, View } from "@belay/interaction"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { layerMemory } from "./history.ts"
import * as KeptPictures from "../src/conversation/pictures/KeptPictures.ts"
import { blockOf, Pictures } from "../src/conversation/pictures/Pictures.ts"
import * as completion from "../src/webview/composer/completion.ts"
import * as pastes from "../src/webview/composer/pastes.ts"
import * as recall from "../src/webview/composer/recall.ts"

const item = (insert: string): View.Completion => ({ insert, label: insert, detail: "" })

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0])

describe("what is offered while a person types", () => {
  it("is asked for where a mention or a command may stand, with what stands before the caret in its line", () => {
    assert.deepEqual(completion.question("look at @src/pa and", 15), { line: "look at @src/pa", at: 0 })
    assert.deepEqual(completion.question('one\ntwo @"/my no', 16), { line: 'two @"/my no', at: 4 })
    assert.deepEqual(completion.question("/pl", 3), { line: "/pl", at: 0 })
    const others: ReadonlyArray<readonly [string, number]> = [
      ["", 0],
      ["me@example.com", 14],
      ["@/a.ts ", 7],
      ["go /pl", 6],
      ["\n/pl", 4],
      ["@src", 0]
    ]
    for (const [text, caret] of others) assert.isUndefined(completion.question(text, caret), text)
  })

  it("is the answer to the last question, and nothing else", () => {
    const asked = completion.typed(completion.initial, true)
    const again = completion.typed(asked, true)
    assert.equal(completion.answered(again, { n: asked.n, from: 0, items: [item("@/old")] }), again)
    const open = completion.answered(again, { n: again.n, from: 0, items: [item("@/a"), item("@/b")] })
    assert.deepEqual(open.list, { from: 0, items: [item("@/a"), item("@/b")], active: 0, isStale: false })
    const closed = completion.closed(completion.typed(open, true))
    assert.isUndefined(completion.answered(closed, { n: open.n + 1, from: 0, items: [item("@/a")] }).list)
    assert.isUndefined(completion.typed(open, false).list)
    assert.isUndefined(completion.answered(completion.typed(open, true), { n: open.n + 1, from: 0, items: [] }).list)
  })

  it("stays while its answer is on its way, and is known to be old", () => {
    const asked = completion.typed(completion.initial, true)
    const open = completion.answered(asked, { n: asked.n, from: 0, items: [item("@/a"), item("@/b")] })
    assert.equal(completion.moved(completion.moved(open, -1), 1).list?.active, 0)
    assert.equal(completion.moved(open, -1).list?.active, 1)
    assert.deepInclude(completion.typed(open, true).list, { isStale: true })
  })

  it("goes on behind a folder, and ends with a blank behind everything else", () => {
    assert.deepEqual(completion.inserted("", item("@/src/")), { text: "@/src/", goesOn: true })
    assert.deepEqual(completion.inserted("", item("@/a.ts")), { text: "@/a.ts ", goesOn: false })
    assert.deepEqual(completion.inserted(" and", item("@/a.ts")), { text: "@/a.ts", goesOn: false })
  })
})

describe("a long text that is pasted", () => {
  const text = Array.from({ length: 214 }, (_, at) => `line ${at} $& [Pasted text 1 · 214 lines]`).join("\n")

  it("is one word in the message and the whole in what is sent, byte for byte", () => {
    const paste = pastes.of(text, 1)
    assert.equal(paste?.token, "[Pasted text 1 · 214 lines]")
    assert.equal(pastes.expanded(`see ${paste?.token}!`, paste === undefined ? [] : [paste]), `see ${text}!`)
    assert.isUndefined(pastes.of("x".repeat(2000), 1))
    assert.equal(pastes.of("x".repeat(2001), 2)?.token, "[Pasted text 2 · 1 line]")
  })

  it("is no more than what it reads where the word was changed, or was typed", () => {
    const paste = pastes.of(text, 1)
    for (const typed of ["[Pasted text 1 · 213 lines]", "[Pasted text 7 · 2 lines]"]) {
      assert.equal(pastes.expanded(typed, paste === undefined ? [] : [paste]), typed)
    }
  })
})

describe("what was said before", () => {
  const said = (id: string, text: string, more: object = {}): Row.Row => ({
    id,
    ts: 0,
    kind: "said",
    by: "you",
    text,
    ...more
  })

  it("comes back from new to old and to an empty message again, each once, and in the place of nothing of one's own", () => {
    const rows = [said("1", "one"), said("2", "two"), said("3", "one"), said("4", "cut", { cut: 9 }), said("5", "")]
    const texts = recall.saidBefore([...rows, { ...said("6", "hers"), by: "assistant" } as Row.Row])
    assert.deepEqual(texts, ["one", "two"])
    assert.equal(recall.recalled(texts, "", 1), "one")
    assert.equal(recall.recalled(texts, "one", 1), "two")
    assert.isUndefined(recall.recalled(texts, "two", 1))
    assert.equal(recall.recalled(texts, "two", -1), "one")
    assert.equal(recall.recalled(texts, "one", -1), "")
    assert.isUndefined(recall.recalled(texts, "", -1))
    assert.isUndefined(recall.recalled(texts, "mine", 1))
    assert.isUndefined(recall.recalled([], "", 1))
  })
})

describe("an image of a message", () => {
  const refusal = (of: Partial<Parameters<typeof Picture.refusal>[0]>) =>
    Picture.refusal({ name: "a.png", size: 12, head: png, count: 0, ...of })

  it("is what its bytes say, and what is none, too large or too many is refused in one sentence", () => {
    assert.isUndefined(refusal({}))
    assert.isUndefined(refusal({ size: Picture.largest, count: Picture.most - 1 }))
    assert.equal(
      refusal({ head: new TextEncoder().encode("<svg onload=") }),
      '"a.png" was not attached: it is not a PNG, JPEG, GIF or WebP image.'
    )
    assert.equal(refusal({ size: 7_210_000 }), '"a.png" was not attached: it has 7.2 MB, and 5 MB is the most.')
    assert.equal(refusal({ count: Picture.most }), '"a.png" was not attached: a message takes 10 images at most.')
    assert.include(refusal({ name: "\u202Egnp.exe\n", head: new Uint8Array() }), '"\\u{202e}gnp.exe')
    const heads = ["\xff\xd8\xff\xe0", "GIF89a", "RIFF\0\0\0\0WEBP"].map((text) =>
      Uint8Array.from(text, (c) => c.charCodeAt(0))
    )
    assert.deepEqual(heads.map(Picture.typeOf), ["image/jpeg", "image/gif", "image/webp"])
  })

  /** The images of a window, which knows nothing but what was kept. */
  const opened = (folder: string) =>
    Effect.runPromise(Effect.provide(Effect.service(Pictures), Pictures.layerIn(folder)))
  const temporary = (): string => {
    const folder = mkdtempSync(path.join(tmpdir(), "belay-pictures-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    return folder
  }
  const run = Effect.runPromise
  const data = Buffer.from(png).toString("base64")

  it("is kept with the draft of its task alone, whatever a view says that it is", async () => {
    const pictures = await opened(temporary())
    assert.isUndefined(await run(pictures.attach("a", { id: "1", name: "one.svg", bytes: png })))
    const others = [new TextEncoder().encode("<svg/>"), Buffer.concat([png, Buffer.alloc(Picture.largest)])]
    for (const bytes of others) assert.isString(await run(pictures.attach("a", { id: "2", name: "two.png", bytes })))
    assert.deepInclude((await run(pictures.of("a")))[0], { id: "1", name: "one.svg", mediaType: "image/png", data })
    assert.lengthOf(await run(pictures.of("a")), 1)
    assert.deepEqual(await run(pictures.of("b")), [])
    await run(pictures.detach("b", ["1"]))
    assert.lengthOf(await run(pictures.of("a")), 1)
    await run(pictures.detach("a", ["1"]))
    assert.deepEqual(await run(pictures.of("a")), [])
  })

  it("is there again in its place when the window comes back, until it is sent or removed", async () => {
    const folder = temporary()
    const before = await opened(folder)
    for (const [task, id] of [
      ["a", "../../one"],
      ["a", "two"],
      ["a", "three"],
      [null, "first"]
    ] as const) {
      await run(before.attach(task, { id, name: `${id}.png`, bytes: png }))
    }
    await run(before.detach("a", ["two"]))
    const after = await opened(folder)
    assert.deepEqual(
      (await run(after.of("a"))).map(({ id }) => id),
      ["../../one", "three"]
    )
    assert.deepInclude((await run(after.of(null)))[0], { id: "first", name: "first.png", mediaType: "image/png", data })
    assert.isUndefined(await run(after.attach("a", { id: "four", name: "four.png", bytes: png })))
    await run(after.detach("a", ["../../one", "three"]))
    await run(after.detach(null, ["first"]))
    const last = await opened(folder)
    assert.deepEqual(
      (await run(last.of("a"))).map(({ id }) => id),
      ["four"]
    )
    assert.lengthOf(readdirSync(folder), 1)
  })

  it("is not taken from a file that is damaged or holds something else", async () => {
    const folder = temporary()
    await run((await opened(folder)).attach("a", { id: "1", name: "a.png", bytes: png }))
    const [draft = ""] = readdirSync(folder)
    const bad = ["{", "{}", JSON.stringify({ at: 2, id: "2", name: "b.png", data: "PHN2Zy8+" })]
    for (const [at, text] of bad.entries()) writeFileSync(path.join(folder, draft, `${at}.json`), text)
    assert.deepEqual(
      (await run((await opened(folder)).of("a"))).map(({ id }) => id),
      ["1"]
    )
  })

  it("gives way to those of other drafts when all of them are too much, that of the oldest draft first", async () => {
    const folder = temporary()
    const size = JSON.stringify({ at: 1, id: "a", name: "a.png", data }).length
    const kept = KeptPictures.make(folder, 2 * size)
    for (const [at, id] of ["a", "b", "c"].entries()) {
      await run(kept.write(id, { at: 1, id, name: `${id}.png`, data }))
      for (const draft of readdirSync(folder)) {
        for (const file of readdirSync(path.join(folder, draft))) {
          const name = path.join(folder, draft, file)
          if (JSON.parse(readFileSync(name, "utf8")).id === id) utimesSync(name, at, at)
        }
      }
    }
    const left = await Promise.all(["a", "b", "c"].map((task) => run(kept.read(task))))
    assert.deepEqual(
      left.map(({ length }) => length),
      [0, 1, 1]
    )
  })
})

describe("a message that waits to be read", () => {
  const task = TaskId.TaskId.make("t")
  const meta = { title: "t", workspace: "/", mode: "act", model: "m", host: "test", settings: {} } as const
  const begun: ReadonlyArray<Step.Step> = [
    { _tag: "Lifecycle", request: { _tag: "Create", taskId: task } },
    { _tag: "Describe", taskId: task, meta, prompt: Message.user(Message.text("Begin")) },
    { _tag: "Lifecycle", request: { _tag: "Start", taskId: task } }
  ]

  it("comes back once to who said it, and not when it was delivered meanwhile or is no word of a person", async () => {
    const program = Effect.gen(function* () {
      const inbox = yield* Inbox
      const { commit } = yield* TaskHistory
      yield* commit(begun)
      const of = { taskId: task, attempt: 1, by: "user", kind: "message" } as const
      const image = blockOf({ mediaType: "image/png", data: "aGk=" })
      const attached = [image, Message.text("a file")]
      yield* inbox.post({ ...of, id: "1", text: "One", attached })
      yield* inbox.post({ ...of, id: "2", text: "Two" })
      const report = "[task x: succeeded] A report"
      yield* commit([
        { _tag: "Say", taskId: task, attempt: 1, id: "3", text: report, from: "engine.background", queued: true }
      ])
      yield* inbox.post({ ...of, id: "4", text: "[WIP] Mine" })
      const take = (id: string) => QueuedMessage.takeBack(inbox, task, id)
      assert.deepEqual(yield* take("1"), { _tag: "Back", text: "One\n\na file", images: [image] })
      assert.deepEqual(yield* take("1"), { _tag: "Gone" })
      yield* take("3")
      assert.deepEqual(yield* take("4"), { _tag: "Back", text: "[WIP] Mine", images: [] })
      yield* commit([{ _tag: "Deliver", taskId: task, attempt: 1 }])
      assert.deepEqual(yield* take("2"), { _tag: "Delivered" })
      const said = (yield* (yield* TaskHistory).messages(task)).map(Message.textOf)
      assert.deepEqual(said, ["Begin", "Two", report])
    })
    await Effect.runPromise(Effect.provide(program, layerMemory))
  })
})

describe("what a view says about its message", () => {
  const decode = Schema.decodeUnknownOption(View.FromView)
  it("is decoded, and is nothing where it is too long or says another thing", () => {
    const good = [
      { type: "complete", task: "t", n: 1, line: "@src", at: 0 },
      { type: "unqueue", task: "t", id: "m", edit: true },
      { type: "attach", task: null, id: "1", name: "a.png", data: "aGk=" },
      { type: "send", task: "t", text: "", pictures: ["1"] },
      { type: "picture", task: "t", of: "12.0" },
      { type: "point", task: null, addresses: ["file:///a.ts"] }
    ]
    for (const one of good) assert.equal(decode(one)._tag, "Some", one.type)
    const bad = [
      { type: "complete", task: "t", n: 1, line: "x".repeat(5000), at: 0 },
      { type: "complete", task: "t", n: -1, line: "@", at: 0 },
      { type: "unqueue", task: "t", id: "m" },
      { type: "point", task: "t", addresses: Array.from({ length: 101 }, () => "file:///a.ts") },
      { type: "attach", task: null, id: "x".repeat(65), name: "a.png", data: "" },
      { type: "attach", task: null, id: "1", name: "a.png", data: "x".repeat(7_000_000) }
    ]
    for (const one of bad) assert.equal(decode(one)._tag, "None", one.type)
  })
})
