import type { View as Protocol } from "@belay/interaction"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Axe from "./vscode/Axe.ts"
import * as PlainView from "./vscode/PlainView.ts"
import * as States from "./vscode/States.ts"

/** One pixel. */
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGM4IScHAAK2AQU0pnWqAAAAAElFTkSuQmCC"

const header: Protocol.Header = {
  id: "t",
  title: "Tidy up",
  state: "running",
  glyph: "●",
  label: "Running",
  tone: "blue",
  detail: "",
  cost: "$0.01",
  deeds: ["stop"],
  above: [],
  mode: "act",
  model: "m",
  context: { tokens: 0 },
  queues: true,
  done: false,
  bars: [],
  children: {}
}

const item = (insert: string, detail: string): Protocol.Completion => ({ insert, label: insert.slice(2), detail })

describe("a message that is being written", () => {
  let plain: PlainView.PlainView
  const area = () => plain.view.composer
  const sends = async () => (await plain.sent("send")).length
  const wellFormed = async () => assert.deepEqual(await Axe.check(plain.view.frame), [])
  const offer = async (n: number, ...items: ReadonlyArray<Protocol.Completion>) =>
    plain.tell({ type: "completions", task: "t", n, from: 8, items })
  const option = (name: string) => plain.page.getByRole("option", { name })

  beforeAll(async () => {
    plain = await PlainView.open(400, 700)
    await plain.tell({
      type: "snapshot",
      task: "t",
      n: 1,
      header,
      welcome: null,
      asks: [],
      queued: [{ id: "q", text: "Wait for me", pictures: 0 }],
      pictures: [],
      rows: [{ id: "m1.0", ts: 0, kind: "said", by: "you", text: "Said before", pictures: ["1.1"] }],
      live: "",
      draft: ""
    })
    await area().waitFor()
  })
  afterAll(() => plain.close())

  it("is completed by the answer to its last letter, by keys that send nothing, and goes on into a folder", async () => {
    await area().pressSequentially("look at @pa")
    const asked = (await plain.sent("complete")).at(-1)
    assert.deepInclude(asked, { line: "look at @pa", at: 0 })
    await offer((asked?.n ?? 0) - 1, item("@/old.ts", "File"))
    await offer(asked?.n ?? 0, item("@/parse.ts", "File"), item("@/pages/", "Folder"))
    await option("parse.ts").waitFor()
    assert.equal(await option("old.ts").count(), 0)
    await wellFormed()
    await area().press("ArrowDown")
    const active = await area().getAttribute("aria-activedescendant")
    assert.equal(await option("pages/").getAttribute("id"), active)
    await area().press("Enter")
    assert.equal(await area().inputValue(), "look at @/pages/")
    const further = (await plain.sent("complete")).at(-1)
    assert.equal(further?.line, "look at @/pages/")
    // What is shown is old: Enter chooses nothing and sends nothing.
    await area().press("Enter")
    await offer(further?.n ?? 0, item("@/pages/a.ts", "File"))
    await option("pages/a.ts").waitFor()
    await area().press("Tab")
    assert.equal(await area().inputValue(), "look at @/pages/a.ts ")
    assert.isTrue(await area().evaluate((element) => element.matches(":focus")))
    await area().pressSequentially("@p")
    await offer((await plain.sent("complete")).at(-1)?.n ?? 0, item("@problems", ""))
    await option("roblems").waitFor()
    await area().press("Escape")
    await option("roblems").waitFor({ state: "detached" })
    assert.equal(await sends(), 0)
  })

  it("is not sent by the Enter that ends a composition", async () => {
    const cdp = await plain.page.context().newCDPSession(plain.page)
    await cdp.send("Input.imeSetComposition", { text: "に", selectionStart: 1, selectionEnd: 1 })
    await area().press("Enter")
    await cdp.send("Input.insertText", { text: "日" })
    assert.include(await area().inputValue(), "日")
    assert.equal(await sends(), 0)
  })

  it("takes images, tells of what is none, and sends those that are shown", async () => {
    await area().fill("Look")
    await plain.view.give("paste", "dot.png", dot)
    const { data, id, name } = await plain.next("attach", 0)
    assert.deepEqual([name, data], ["dot.png", dot])
    await plain.tell({ type: "change", task: "t", n: 2, pictures: [{ id, name }] })
    for (const of of ["1.1", id])
      await plain.tell({ type: "picture", task: "t", of, mediaType: "image/png", data: dot })
    const images = plain.page.locator("img")
    await images.nth(1).waitFor()
    for (const image of await images.all()) assert.match((await image.getAttribute("src")) ?? "", /^blob:/)
    await plain.view.give("drop", "words.txt", "bm8gaW1hZ2U=")
    await plain.page.getByText('"words.txt" was not attached: it is not a PNG, JPEG, GIF or WebP image.').waitFor()
    assert.equal(await area().inputValue(), "Look")
    await wellFormed()
    await area().press("Enter")
    assert.deepInclude(await plain.next("send", 0), { text: "Look", pictures: [id] })
    assert.equal((await plain.sent("attach")).length, 1)
    await plain.tell({ type: "change", task: "t", n: 3, pictures: [] })
  })

  it("has the host name what is dropped from the editor's lists, and takes none of its text by itself", async () => {
    const addresses = ["file:///w/a%20b.ts", "vscode-remote://host/w/dot.png"]
    const drop = (list: string) =>
      plain.page.evaluate(`(() => {
        const dataTransfer = new DataTransfer()
        dataTransfer.setData("application/vnd.code.uri-list", ${JSON.stringify(list)})
        dataTransfer.setData("text/plain", "/w/a b.ts")
        const same = { bubbles: true, cancelable: true, dataTransfer }
        return ["dragover", "drop"].map((name) => document.querySelector("textarea").dispatchEvent(new DragEvent(name, same)))
      })()`)
    assert.deepEqual(await drop(addresses.join("\r\n")), [false, false])
    assert.deepEqual(await plain.next("point", 0), { type: "point", task: "t", addresses })
    await drop("command:belay.stopAll\njavascript:alert(1)")
    assert.lengthOf(await plain.sent("point"), 1)
    assert.equal(await area().inputValue(), "")
  })

  it("is the queued one again by Up, once, then what was said before, and keeps what comes back beside what is there", async () => {
    await area().press("ArrowUp")
    await plain.view.button("Remove queued message").click()
    await area().press("ArrowUp")
    assert.deepEqual(await plain.sent("unqueue"), [{ type: "unqueue", task: "t", id: "q", edit: true }])
    assert.equal(await area().inputValue(), "Said before")
    await plain.tell({ type: "returned", task: "t", text: "Wait for me" })
    await plain.tell({ type: "told", task: "t", line: "This was delivered." })
    await plain.page.getByRole("alert").getByText("This was delivered.").waitFor()
    assert.equal(await area().inputValue(), "Said before Wait for me")
    await area().fill("")
  })

  it("waits with its images for the end of the turn, and is taken back once to be changed, from where it stands", async () => {
    const queue = plain.page.locator(".queue")
    const queued = [
      { id: "one", text: "And look at @/parse.ts", pictures: 1 },
      { id: "two", text: "Then stop", pictures: 0 }
    ]
    await plain.tell({ type: "change", task: "t", n: 4, queued })
    await queue.getByText("1 image").waitFor()
    await wellFormed()
    const before = (await plain.sent("unqueue")).length
    await queue.getByRole("button", { name: "Edit queued message: And look" }).dblclick()
    assert.deepEqual((await plain.sent("unqueue")).slice(before), [
      { type: "unqueue", task: "t", id: "one", edit: true }
    ])
    assert.isTrue(await area().evaluate((element) => element.matches(":focus")))
    await plain.tell({
      type: "change",
      task: "t",
      n: 5,
      queued: queued.slice(1),
      pictures: [{ id: "p", name: "dot.png" }]
    })
    await plain.tell({ type: "returned", task: "t", text: "And look at @/parse.ts" })
    await plain.view.button("Remove dot.png").waitFor()
    assert.equal(await area().inputValue(), "And look at @/parse.ts")
    await plain.tell({ type: "change", task: "t", n: 6, header: { ...header, queues: false }, pictures: [] })
    await queue.getByText("Will be sent when the task goes on.").waitFor()
    await plain.view.button("Send").waitFor()
    await plain.tell({ type: "change", task: "t", n: 7, header, queued: [] })
    await plain.view.button("Queue").waitFor()
    await area().fill("")
  })

  it("shows one word for a long text that is pasted, and keeps and sends the text", async () => {
    const text = Array.from({ length: 300 }, (_, at) => `line ${at}`).join("\n")
    await area().focus()
    await plain.page.evaluate(`(() => {
      const clipboardData = new DataTransfer()
      clipboardData.setData("text/plain", ${JSON.stringify(text)})
      document.activeElement.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData }))
    })()`)
    await plain.page.getByRole("button", { name: "Pasted text 1 · 300 lines", exact: true }).waitFor()
    await wellFormed()
    await area().press("Enter")
    assert.equal((await plain.next("send", 1)).text, text)
    assert.equal(await area().inputValue(), "")
  })

  it("is beside its buttons and the mode of its task, by name and by arrow keys, and fits a narrow view", async () => {
    await plain.view.button("Attach").click()
    assert.equal((await plain.sent("choose")).length, 1)
    await plain.view.button("Mention").click()
    assert.deepInclude((await plain.sent("complete")).at(-1), { line: "@", at: 0 })
    await area().fill("")
    await plain.page.getByRole("radio", { name: "Act, mode of Tidy up" }).focus()
    await plain.page.keyboard.press("ArrowLeft")
    assert.deepEqual(await plain.sent("mode"), [{ type: "mode", task: "t", mode: "plan" }])
    await plain.tell({ type: "help", task: "t", commands: [item("/compact", "Condense this conversation")] })
    await plain.page.getByRole("region", { name: "Help" }).getByText("Condense").waitFor()
    await plain.page.setViewportSize({ width: 220, height: 700 })
    await wellFormed()
    assert.isFalse(await plain.page.evaluate("document.documentElement.scrollWidth > innerWidth"))
    await area().press("Escape")
    await plain.page.getByRole("region", { name: "Help" }).waitFor({ state: "detached" })
  })
  it("is kept for its task at once when another one is shown, which has its own", async () => {
    await area().fill("Half")
    const other = States.whole("u", { header: States.header("running"), draft: "Of the other" })
    // No time passes between the last letters and the other task.
    await plain.page.evaluate(`
      document.execCommand("insertText", false, " a")
      document.execCommand("insertText", false, " thought")
      postMessage(${JSON.stringify(other)}, "*")`)
    await plain.page.locator("h1", { hasText: "Release 2.0" }).waitFor()
    assert.equal(await area().inputValue(), "Of the other")
    assert.deepEqual((await plain.sent("draft")).at(-1), { type: "draft", task: "t", text: "Half a thought" })
  })
})
