import { Outbox } from "@belay/interaction/unstable/feed"
import type { Row, View } from "@belay/interaction"
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest"
import * as Axe from "./vscode/Axe.ts"
import * as PlainView from "./vscode/PlainView.ts"
import * as States from "./vscode/States.ts"
import { approvals } from "./vscode/StatesOfAsks.ts"

const said = (at: number): Row.Row => States.said(`m${at}`, "assistant", `Entry **${at}**\n\n- \`one\`\n- two`)
const some = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => said(from + at))

type Numbered<Message = View.ToView> = Message extends { readonly n: number } ? Omit<Message, "n" | "task"> : never

describe("a conversation that is read", () => {
  let plain: PlainView.PlainView
  let n = 0
  const numbered = (message: Numbered): View.ToView => ({ ...message, task: "t", n: (n += 1) })
  const snapshot = (part: Partial<States.Snapshot> = {}): View.ToView => {
    n = 1
    return States.whole("t", { header: States.header("running", { queues: true }), rows: some(0, 100), ...part })
  }
  /** Until the view has heard each of them, and drawn it. */
  const tell = (...messages: ReadonlyArray<View.ToView>): Promise<unknown> =>
    plain.page.evaluate(`(async () => {
      for (const message of ${JSON.stringify(messages)}) {
        // A frame may come before what was sent.
        await new Promise((resolve) => {
          addEventListener("message", resolve, { once: true })
          postMessage(message, "*")
        })
        await new Promise((resolve) => requestAnimationFrame(resolve))
      }
    })()`)
  const row = (at: number) => plain.page.getByTestId(`row-m${at}`)
  const topOf = (at: number) => row(at).evaluate((element) => Math.round(element.getBoundingClientRect().top))
  const scroller = () => plain.page.locator(".scroller")
  const scrollBy = async (by: number): Promise<void> => {
    await scroller().evaluate((element, by) => element.scrollBy(0, by), by)
  }
  const belowSight = () =>
    scroller().evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight)
  /** Until nothing moves any more. */
  const atRest = (): Promise<unknown> =>
    plain.page.evaluate(`(async () => {
      const scroller = document.querySelector(".scroller")
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
      for (let before = -1, same = 0; same < 5; before = scroller.scrollTop) {
        await frame()
        same = scroller.scrollTop === before ? same + 1 : 0
      }
    })()`)

  beforeAll(async () => {
    plain = await PlainView.open(400, 700)
  })
  afterAll(() => plain.close())
  beforeEach(() => plain.anew())

  it("of 5,000 entries has only those in the document that are in sight, and asks for earlier ones when they are near", async () => {
    await tell(snapshot({ rows: some(4900, 5000), earlier: 4900 }))
    await row(4999).waitFor()
    assert.deepEqual(await plain.sent("earlier"), [])
    const goToTop = async (isThere: () => Promise<boolean>): Promise<void> => {
      do {
        // What was read before is put above what is seen, which stays in its place, in a busy window later.
        await atRest()
        await scroller().evaluate((element) => element.scrollTo(0, 0))
      } while (!(await isThere()))
    }
    for (let [page, before] = [0, 4900]; before > 0; page += 1) {
      await goToTop(async () => (await plain.sent("earlier")).length > page)
      assert.equal((await plain.next("earlier", page)).before, before)
      const from = before - 980
      await tell(numbered({ type: "page", before, rows: some(from, before), ...(from > 0 && { earlier: from }) }))
      before = from
    }
    await goToTop(() => row(0).isVisible())
    assert.equal(await row(0).getAttribute("aria-setsize"), "5000")
    assert.isBelow(await plain.page.evaluate("document.querySelectorAll('*').length"), 3000)
  })

  it("does not move while an answer and entries arrive below, counts these, and goes back to the end by its key", async () => {
    await tell(snapshot())
    await row(99).waitFor()
    await atRest()
    assert.isAtMost(await belowSight(), 1)
    await plain.page.mouse.move(200, 300)
    const scrolled = "new Promise((resolve) => document.querySelector('.scroller').addEventListener('scroll', resolve))"
    await plain.page.evaluate(`globalThis.scrolled = ${scrolled}, undefined`)
    await plain.page.mouse.wheel(0, -500)
    await plain.page.evaluate("scrolled.then(() => undefined)")
    await atRest()
    const place = await scroller().evaluate((element) => element.scrollTop)
    const text = (at: number) => `word ${at} `.repeat(10)
    const live = Array.from({ length: 60 }, (_, at) =>
      numbered({ type: "change", live: { text: text(at), whole: false } })
    )
    await tell(...live)
    await tell(...Array.from({ length: 12 }, (_, at) => numbered({ type: "change", rows: [said(100 + at)] })))
    await plain.view.button("12 new, go to end").waitFor()
    assert.equal(await scroller().evaluate((element) => element.scrollTop), place)
    await row(90).focus()
    await plain.page.keyboard.press("End")
    await plain.page.locator(".to-end").waitFor({ state: "detached" })
    await atRest()
    assert.isAtMost(await belowSight(), 1)
    assert.equal(await plain.page.evaluate("document.activeElement.getAttribute('role')"), "feed")
  })

  it("is left by the wheel while an answer grows in every frame, and not gone back to by it", async () => {
    await tell(snapshot())
    await row(99).waitFor()
    await atRest()
    await plain.page.mouse.move(200, 300)
    const words = "words that fill more than a line of it, so that each of them makes it longer. "
    await plain.page.evaluate(`
      const grow = async () => {
        let left = Infinity
        addEventListener("wheel", () => (left = 20), { passive: true })
        for (let n = 2; left > 0; [n, left] = [n + 1, left - 1]) {
          postMessage({ type: "change", task: "t", n, live: { text: ${JSON.stringify(words)}, whole: false } }, "*")
          await new Promise((resolve) => requestAnimationFrame(resolve))
        }
      }
      globalThis.grown = grow()
      undefined`)
    await plain.page.getByTestId("live").waitFor()
    await plain.page.mouse.wheel(0, -500)
    await plain.page.evaluate("grown")
    await atRest()
    assert.isAbove(await belowSight(), 500)
  })

  it("shows every character of an answer once and in order, and takes what is typed meanwhile as it is typed", async () => {
    await tell(snapshot({ rows: some(0, 3) }))
    const text = Array.from({ length: 2000 }, (_, at) => `${at} `).join("")
    const deltas = text.match(/.{1,10}/gsu) ?? []
    assert.isAtLeast(deltas.length, 800)
    // As many at once as arrive between two frames.
    const messages = Array.from({ length: Math.ceil(deltas.length / 8) }, (_, at) =>
      numbered({ type: "change", live: { text: deltas.slice(at * 8, at * 8 + 8).join(""), whole: false } })
    )
    const typed = "what a person types while an answer arrives, sixty characters"
    await plain.view.composer.focus()
    await Promise.all([tell(...messages), plain.page.keyboard.type(typed)])
    assert.equal(await plain.view.composer.inputValue(), typed)
    const live = plain.page.getByTestId("live").locator("p")
    assert.equal((await live.allInnerTexts()).join(" ").trim(), text.trim())
    assert.deepEqual((await plain.sent("shown")).at(-1)?.n, n)
  })

  it("takes what is typed between the messages of a task that does hundreds of things, and loses nothing of both", async () => {
    const outbox = new Outbox.Outbox((message) => void plain.tell(message))
    outbox.restart()
    outbox.snapshot(States.whole("t", { header: States.header("running", { queues: true }) }))
    await plain.next("shown", 0)
    await plain.view.composer.focus()
    const task = { ended: false }
    const rows: Array<Row.Row> = []
    /** As the extension does: what a view has not shown yet is not told more, and too much of it is told anew. */
    const keepUp = async (): Promise<void> => {
      for (let at = 0; outbox.isWaiting || outbox.isStale || !task.ended; at += 1) {
        outbox.shown((await plain.next("shown", at)).n)
        if (outbox.isStale)
          outbox.snapshot(States.whole("t", { header: States.header("running", { queues: true }), rows: [...rows] }))
        outbox.flush()
      }
    }
    const work = async (): Promise<void> => {
      for (let at = 0; at < 400; at += 1) {
        const row = States.call(`c${at}`, "read_file", `many/${at}.txt`)
        rows.push(row)
        outbox.change({ rows: [row] })
        outbox.flush()
        if (at % 8 === 7) await plain.page.evaluate("undefined")
      }
      task.ended = true
      const end = States.said("end", "assistant", "All was read")
      rows.push(end)
      outbox.change({ rows: [end] })
      outbox.flush()
    }
    const typed = "what a person types while it reads "
    await Promise.all([work(), keepUp(), plain.page.keyboard.type(typed.repeat(3))])
    await plain.view.row("Read 400 files").waitFor()
    await plain.view.row("All was read").waitFor()
    assert.equal(await plain.view.composer.inputValue(), typed.repeat(3))
  })

  it("is shown where it was left, with its draft, after it was hidden while its task went on", async () => {
    await tell(snapshot())
    await row(99).waitFor()
    await atRest()
    await scrollBy(-2000)
    await atRest()
    const first = await plain.page.evaluate(`(() => {
      const top = document.querySelector(".scroller").getBoundingClientRect().top
      const below = (one) => Math.round(one.getBoundingClientRect().top - top)
      const row = [...document.querySelectorAll("[data-testid^=row-m]")].find((one) => below(one) >= 0)
      return [Number(row.dataset.testid.slice(5)), below(row)]
    })()`)
    const [at, below] = first as readonly [number, number]
    assert.isBelow(at, 95)
    const top = await topOf(at)
    // Where it came to rest: it may have been kept on its way, too.
    await plain.kept(({ place }, here) => place?.row === here.row && place.below === here.below, {
      row: `m${at}`,
      below
    })
    // A view ends without a word: what was begun is kept before.
    await plain.view.composer.fill("Half a sentence")
    assert.equal((await plain.sent("draft")).at(-1)?.text, "Half a sentence")
    // So much was added that it comes with an earlier page.
    for (const rows of [some(0, 140), some(96, 196)]) {
      await plain.reload()
      await tell(snapshot({ rows, draft: "Half a sentence", ...(rows[0]?.id === "m0" ? {} : { earlier: 96 }) }))
      if (rows[0]?.id !== "m0") {
        await plain.next("earlier", 0)
        await tell(numbered({ type: "page", before: 96, rows: some(0, 96) }))
      }
      await row(at).waitFor()
      await atRest()
      assert.equal(await topOf(at), top)
      assert.equal(await plain.view.composer.inputValue(), "Half a sentence")
    }
    // Another task begins at its end.
    await tell(States.whole("u", { header: States.header("running"), rows: some(0, 100) }))
    await row(99).waitFor()
    await plain.kept(({ task }) => task === "u")
    assert.isFalse(await row(at).isVisible())
  })

  it("keeps where it was left while it goes there, however long its frames take", async () => {
    await tell(snapshot())
    await row(99).waitFor()
    await atRest()
    await scrollBy(-2000)
    await atRest()
    await plain.kept(({ place }) => place !== undefined)
    await plain.reload()
    // Its frames come after all that it waits for.
    await plain.page.evaluate(`
      const [frame, after, waiting] = [requestAnimationFrame, setTimeout, []]
      globalThis.requestAnimationFrame = (draw) => waiting.push(draw)
      globalThis.moved = new Promise((resolve) => {
        globalThis.setTimeout = (does, ms) => (ms < 200 ? after(does, ms) : after(() => resolve(does()), ms))
      })
      globalThis.draw = () => {
        globalThis.requestAnimationFrame = frame
        waiting.forEach((draw) => frame(draw))
      }`)
    const before = await plain.page.evaluate("kept()")
    await plain.tell(snapshot())
    await plain.page.evaluate("moved")
    assert.deepEqual(await plain.page.evaluate("kept()"), before)
    await plain.page.evaluate("draw()")
    await atRest()
    const { place } = before as { readonly place: { readonly row: string; readonly below: number } }
    const top = await scroller().evaluate((element) => Math.round(element.getBoundingClientRect().top))
    assert.equal((await topOf(Number(place.row.slice(1)))) - top, place.below)
  })

  it("has the entries open that were open before it was hidden, and none of another task", async () => {
    const rows: ReadonlyArray<Row.Row> = [
      { id: "m0", ts: 0, kind: "thinking", text: "Parts first" },
      States.call("m1", "execute_command", "npm test", { output: "All green" }),
      States.call("m2", "read_file", "a.ts", { output: "one" }),
      States.call("m3", "read_file", "b.ts", { output: "two" })
    ]
    const show = (task: string) => tell(States.whole(task, { header: States.header("running"), rows }))
    const inside = ["Parts first", "All green", "b.ts"]
    const open = async (): Promise<ReadonlyArray<string>> => {
      const feed = await plain.page.locator("[data-region=feed]").innerText()
      return inside.filter((text) => feed.includes(text))
    }
    await show("t")
    assert.deepEqual(await open(), [])
    for (const name of [/Thinking/u, /npm test/u, /Read 2 files/u]) await plain.view.button(name).click()
    assert.deepEqual(await open(), inside)
    await plain.view.button(/npm test/u).click()
    await plain.reload()
    await show("t")
    assert.deepEqual(await open(), ["Parts first", "b.ts"])
    await show("u")
    await plain.view.button(/Thinking/u).waitFor()
    assert.deepEqual(await open(), [])
  })

  it("says of a call that failed why, in its line, and shows no empty place for what it was about", async () => {
    const failed = States.call("f", "execute_command", "npm run lint", {
      state: "failed",
      output: "1 problem\nin a.ts"
    })
    const refused = States.call("g", "attempt_completion", "", { state: "failed", output: "Not in Plan mode." })
    await plain.anew()
    await plain.tell(States.whole("t", { header: States.header("running"), rows: [failed, refused] }))
    await plain.view.row("Failed · 1 problem").waitFor()
    await plain.view.row("Failed · Not in Plan mode.").waitFor()
    assert.equal(await plain.view.row("Not in Plan mode.").locator("code").count(), 0)
  })

  it("is gone round by one key, and through by others", async () => {
    await tell(snapshot({ asks: approvals["command"] ?? [] }))
    await row(99).waitFor()
    const go = async (key: string, to: string): Promise<void> => {
      await plain.page.keyboard.press(key)
      await plain.page.locator(`${to}:focus`).waitFor()
    }
    await plain.view.composer.focus()
    const regions = ["h1", "[role=feed]", ".dock h2", "textarea"]
    for (const region of regions) await go("F6", region)
    for (const region of ["h1", "[role=feed]", ".dock h2"].toReversed()) await go("Shift+F6", region)
    await go("Shift+F6", "textarea")
    await go("F6", "h1")
    await go("F6", "[role=feed]")
    await go("PageUp", "[role=article]")
    assert.deepEqual(await Axe.check(plain.view.frame), [])
    const at = () => plain.page.evaluate<string>("document.activeElement.dataset.testid")
    const last = await at()
    await go("PageUp", `[role=article]:not([data-testid="${last}"])`)
    await go("PageDown", `[data-testid="${last}"]`)
    await go("End", "[role=feed]")
    await go("Escape", "textarea")
  })

  it("shows the other entries when one cannot be shown, and that one as text", async () => {
    const broken = { ...said(1), text: null } as unknown as Row.Row
    const nameless = { id: "m3", ts: 0, kind: "call", name: "read", subject: null } as unknown as Row.Row
    await tell(snapshot({ rows: [said(0), broken, said(2), nameless, said(4)] }))
    for (const at of [0, 2, 4]) await row(at).getByText(`Entry ${at}`).waitFor()
    for (const at of [1, 3]) await row(at).getByText("This entry could not be shown.").waitFor()
    assert.deepEqual(await Axe.check(plain.view.frame), [])
    await row(3).getByRole("button", { name: "Show as text" }).click()
    assert.deepEqual(await plain.sent("deed"), [{ type: "deed", task: "t", deed: "openTranscriptAsText" }])
  })

  it("offers a terminal for a command while it runs, and for no other call", async () => {
    const rows = [
      States.call("m0", "execute_command", "npm test", { state: "running" }),
      States.call("m1", "execute_command", "npm test"),
      States.call("m2", "write_to_file", "a.txt", { state: "running" })
    ]
    await tell(snapshot({ rows }))
    await row(2).waitFor()
    await plain.view.button("Show in a terminal").click()
    assert.deepEqual(await plain.sent("deed"), [{ type: "deed", task: "t", deed: "showCommands" }])
  })

  it("says in one sentence that a task could not be shown, and shows it or another one as soon as that is possible", async () => {
    const sentence = plain.page.getByRole("alert").getByText("This task could not be shown. It is not affected.")
    const broken = { header: { ...States.header("running"), above: null } as unknown as View.Header }
    await tell(snapshot(broken))
    await sentence.waitFor()
    assert.deepEqual(await Axe.check(plain.view.frame), [])
    // The host still hears what it sent and that the view lives: it stops nothing and reloads nothing.
    await tell({ type: "ping", task: "t" }, numbered({ type: "change", rows: [said(100)] }))
    await plain.next("pong", 0)
    assert.deepEqual((await plain.sent("shown")).at(-1)?.n, 2)
    await plain.view.button("Show again").click()
    assert.lengthOf(await plain.sent("ready"), 2)
    await tell(snapshot(broken))
    await sentence.waitFor()
    await tell(snapshot())
    await row(99).waitFor()
    await tell(snapshot(broken))
    await sentence.waitFor()
    await tell(States.whole("u", { header: States.header("running"), rows: some(0, 1) }))
    await row(0).waitFor()
    assert.lengthOf(await plain.sent("ready"), 2)
  })
})
