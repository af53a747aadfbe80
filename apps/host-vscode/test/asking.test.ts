import type { View } from "@belay/interaction"
import { AskFacts } from "@belay/interaction/tasks"
import { Sentences } from "@belay/task-engine/text"
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest"
import * as PlainView from "./vscode/PlainView.ts"
import * as States from "./vscode/States.ts"
import { approvals } from "./vscode/StatesOfAsks.ts"

const of = (name: string, more: Partial<View.Ask> = {}): View.Ask => {
  const [ask] = approvals[name] ?? []
  if (ask === undefined) throw new Error(`nothing asks for ${name}`)
  return { ...ask, ...more }
}

/** What is not whole in the view, answers whose words are cut, rows of answers, and whether the view scrolls. */
interface Seen {
  readonly hidden: ReadonlyArray<string>
  readonly cut: number
  readonly rows: number
  readonly scrolls: boolean
}

const once = { type: "verdict", task: "t", askId: "ask", verdict: "once" } as const
const answer = { type: "answer", task: "t", askId: "ask" } as const

describe("what asks in a conversation", () => {
  let plain: PlainView.PlainView
  const dock = () => plain.view.dock
  const answered = async () => [...(await plain.sent("verdict")), ...(await plain.sent("answer"))]
  const press = async (...keys: ReadonlyArray<string>): Promise<void> => {
    for (const key of keys) await plain.page.keyboard.press(key)
  }
  /** All that answers, by its name, with the key that does; what stands behind "Allow more than this" as well. */
  const answers = () =>
    dock()
      .locator("[data-answer], .review")
      .evaluateAll((all) =>
        all
          .map((one) => ({ key: one.getAttribute("data-answer") ?? "", name: one.getAttribute("title") ?? "Review" }))
          .sort((left, right) => (left.key < right.key ? -1 : 1))
          .map(({ key, name }) => `${key} ${name}`.trim())
      )
  const ask = async (...asks: ReadonlyArray<View.Ask>): Promise<void> => {
    await plain.tell(States.whole("t", { header: States.header("needsYou", { queues: true }), asks }))
    await dock().waitFor()
  }
  /** The clock of the page stands still but for this. */
  const pass = (ms: number) => plain.page.clock.runFor(ms)
  /** One that takes answers. */
  const armed = async (...asks: ReadonlyArray<View.Ask>): Promise<void> => {
    await ask(...asks)
    await dock().locator("h2").focus()
    await pass(400)
    await plain.page.locator(".dock:not(.waits)").waitFor()
  }
  const choose = (name: string) => dock().getByRole("button", { name, exact: true }).click()

  beforeAll(async () => {
    plain = await PlainView.open(400, 700)
    await plain.page.clock.install({ time: 0 })
    await plain.page.clock.pauseAt(1000)
  })
  afterAll(() => plain.close())
  beforeEach(() => plain.anew())

  it("is answered by nothing that is pressed in its first moments, or in those after the window came back, and then once", async () => {
    await ask(of("command"))
    await pass(1000)
    const away = () => plain.page.evaluate('dispatchEvent(new Event("blur")); dispatchEvent(new Event("focus"))')
    await dock().locator("h2").focus()
    await pass(399)
    assert.include(await dock().getAttribute("class"), "waits")
    await press("1", "4")
    assert.deepEqual(await answered(), [])
    await pass(1)
    // A key that was meant for another window.
    await away()
    await press("1", "Enter", "4")
    await dock().locator('[data-answer="1"]').focus()
    await press("Enter", "Space")
    await pass(399)
    await press("Enter", "1")
    assert.deepEqual(await answered(), [])
    await pass(1)
    await plain.page.locator(".dock:not(.waits)").waitFor()
    await press("1")
    assert.deepEqual(await answered(), [once])
  })

  it("takes no answer from what is typed elsewhere while it appears, and no focus", async () => {
    await plain.tell(States.whole("t", { header: States.header("running", { queues: true }) }))
    const { composer } = plain.view
    await composer.focus()
    await plain.page.keyboard.type("1 yes y 2 ")
    await plain.tell({ type: "change", task: "t", n: 2, asks: [of("command")] })
    await dock().waitFor()
    await pass(1000)
    await plain.page.keyboard.type("1 yes y 2")
    assert.equal(await composer.inputValue(), "1 yes y 2 1 yes y 2")
    assert.isTrue(await composer.evaluate((element) => element.matches(":focus")))
    assert.deepEqual(await answered(), [])
  })

  it("has the same places from narrow to wide, says why one is not offered, and gives words with a denial alone", async () => {
    await armed(of("command"))
    assert.deepEqual(await answers(), [
      "1 Allow once",
      "2 Allow for this task",
      "3 Always…",
      "4 Deny",
      "5 Deny, say why…"
    ])
    const always = dock().locator('[data-answer="3"]')
    assert.equal(await always.getAttribute("aria-disabled"), "true")
    const why = await always.getAttribute("aria-describedby")
    const line = "Always… is not offered: npm can run programs of the package."
    assert.equal(await plain.page.locator(`[id="${why}"]`).innerText(), line)
    await press("3")
    await dock().getByRole("button", { name: "Allow more than this" }).click()
    await always.click({ force: true })
    assert.deepEqual(await answered(), [])
    await plain.view.composer.fill("Mind the tests")
    await dock().locator("h2").focus()
    await pass(400)
    await press("5")
    await dock().locator("input:focus").waitFor()
    await plain.page.keyboard.type("1 is not today")
    await press("Enter")
    assert.deepEqual(await answered(), [{ ...answer, decision: "deny", text: "1 is not today" }])
    assert.equal(await plain.view.composer.inputValue(), "Mind the tests")
  })

  it("shows a command from its first to its last character and what is known of it, as text, and with an edit its review", async () => {
    const command = `echo first ${"x".repeat(6000)} <b>last</b> \\u{202e}txt`
    await armed(of("command", { command }))
    assert.equal(await dock().locator("pre.command").innerText(), command)
    assert.equal(await dock().locator("b").count(), 0)
    const shown = () => dock().locator("dl > div").allInnerTexts()
    assert.deepEqual(
      (await shown()).map((text) => text.split("\n")[0]),
      ["In", "Writes"]
    )
    // Why it is asked, with all else that is known behind it.
    await choose("no rule allows it (command.other)")
    const facts = (await shown()).slice(2)
    assert.equal(facts[0]?.replaceAll(/\s+/gu, " "), "Runs /usr/bin/npm publish --tag next")
    assert.equal(facts.at(-1)?.replaceAll(/\s+/gu, " "), 'The model says "Publishes the package"')
    await plain.anew()
    await armed(of("edit"))
    assert.deepEqual(await answers(), [
      "Review",
      "1 Apply",
      "2 Apply, and allow for this task",
      "3 Always allow npm publish…",
      "4 Reject",
      "5 Reject, say why…"
    ])
    await choose("Review")
    await press("2")
    assert.deepEqual(
      (await plain.sent("verdict")).map(({ verdict }) => verdict),
      ["review", "task"]
    )
  })

  it("shows of a call of a server which server and tool it is, and the very arguments to the last, with nothing chosen", async () => {
    const args = { to: `${"all ".repeat(900)}last\u202E`, amount: 3, deep: { list: [1, "<b>two</b>"] } }
    const question = `use_mcp_tool ${JSON.stringify({ server: "bank", tool: "pay", arguments: args })}`
    const approval = {
      askId: "ask",
      kind: "approval",
      attempt: 1,
      callId: "c",
      payload: { question, grants: [] }
    } as const
    const asked = { ...approval, open: true, decision: null, text: null, by: null, process: null }
    const { command: _, ...more } = of("command", AskFacts.of(asked, "/work", "It only looks."))
    await ask(more)
    assert.equal(await plain.page.evaluate("document.activeElement.closest('.answers')"), null)
    await dock().locator(".dock-body .fold").click()
    const facts = await dock().locator("dl > div").all()
    const known = new Map<string, string>()
    for (const fact of facts)
      known.set(await fact.locator("dt").innerText(), (await fact.locator("dd").textContent()) ?? "")
    assert.deepEqual([known.get("Server"), known.get("Tool")], ["bank", "pay"])
    assert.deepEqual(JSON.parse(known.get("Arguments") ?? ""), args)
    assert.notInclude(known.get("Arguments"), "\u202E")
    assert.equal(known.get("The model says"), '"It only looks."')
  })

  it("of a call that repeats itself, a question and a limit has their own answers", async () => {
    await armed(of("repeat"))
    assert.deepEqual(await answers(), ["1 Run it again", "4 Do not run it", "5 Do not run it, say why…"])
    await press("2", "3", "1")
    assert.deepEqual(await answered(), [once])
    await plain.anew()
    await armed(of("question"))
    assert.deepEqual(await answers(), ["1 next", "2 latest", "3 A tag of its own, which nobody has used before"])
    await dock().getByText("nobody has moved it since.").waitFor()
    await press("2")
    await choose("latest")
    assert.deepEqual(await answered(), [
      { ...answer, text: "latest" },
      { ...answer, text: "latest" }
    ])
    // Other words are written where all words are.
    assert.equal(await dock().getByRole("textbox").count(), 0)
    await plain.page.getByRole("textbox", { name: "Answer in your own words" }).fill("None at all")
    await press("Enter")
    assert.deepEqual(await plain.sent("send"), [{ type: "send", task: "t", text: "None at all" }])
    await plain.anew()
    await armed(of("limit", { facts: [{ label: "Task", text: "Spend" }] }))
    await dock().getByText("Spend", { exact: true }).waitFor()
    await choose("Answer…")
    assert.deepEqual(await answered(), [once])
  })

  it("of a plan begins it with or without what stands in the composer, and makes of a message its answer", async () => {
    const { composer } = plain.view
    await armed(of("plan", { options: ["Ask first"] }))
    // It does not wait for the end of the turn.
    await plain.view.button("Send").waitFor()
    assert.deepEqual(await answers(), ["1 Switch to Act and start", "2 Ask first"])
    await composer.fill("Tests come first")
    assert.deepEqual(await answers(), ["1 Switch to Act, with your message", "2 Ask first"])
    await choose("Switch to Act, with your message")
    await composer.press("Enter")
    await choose("Switch to Act and start")
    await choose("Ask first")
    assert.deepEqual(await answered(), [
      once,
      { ...answer, decision: "allow", text: "Tests come first" },
      { ...answer, text: "Ask first" }
    ])
    assert.deepEqual(
      (await plain.sent("send")).map(({ text }) => text),
      ["Tests come first"]
    )
    await plain.tell({ type: "change", task: "t", n: 2, asks: [of("plan", { options: [Sentences.handOver] })] })
    await dock().getByRole("button", { name: Sentences.handOver, exact: true }).waitFor()
    await composer.fill("Begin with its tests")
    await dock()
      .getByRole("button", { name: `${Sentences.handOver}, with your message` })
      .waitFor()
  })

  it("shows what is asked and its answers in one row, with the composer, at every size that a side bar has", async () => {
    for (const [width, height] of [
      [297, 690],
      [297, 382],
      [480, 690]
    ] as const) {
      await plain.page.setViewportSize({ width, height })
      for (const name of Object.keys(approvals)) {
        await plain.anew()
        await plain.wear("dark")
        await ask(of(name))
        const seen = await plain.page.evaluate<Seen>(`(() => {
          const whole = (one) => {
            const { bottom, left, right, top } = one.getBoundingClientRect()
            return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth
          }
          const all = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility())
          const wanted = ".dock h2, pre.command, .dock-body dl, .answers > .answer, textarea, .controls > *"
          return {
            hidden: all(wanted).filter((one) => !whole(one)).map((one) => one.outerHTML.slice(0, 100)),
            cut: all(".answers:not(.options) .text").filter((one) => one.scrollWidth > one.clientWidth).length,
            rows: new Set(all(".answers:not(.options) > .answer").map((one) => one.getBoundingClientRect().top)).size,
            scrolls: document.documentElement.scrollHeight > innerHeight
          }
        })()`)
        const where = `${name} at ${width}x${height}`
        assert.deepEqual(seen.hidden, [], where)
        assert.equal(seen.cut, 0, where)
        assert.isAtMost(seen.rows, 1, where)
        assert.isFalse(seen.scrolls, where)
      }
    }
    await plain.page.setViewportSize({ width: 400, height: 700 })
  })

  it("is one of several to step through, and the next one takes no focus and begins with its first moments", async () => {
    const second = of("command", { askId: "second", heading: "Run npm test", command: "npm test" })
    await armed(of("command"), second)
    await dock().getByText("1 of 2").waitFor()
    await choose("Next")
    await plain.page.locator(".dock h2:focus", { hasText: "Run npm test" }).waitFor()
    await choose("Previous")
    await plain.page.locator(".dock h2:focus", { hasText: "Run npm publish" }).waitFor()
    await pass(400)
    await press("1")
    await plain.tell({ type: "change", task: "t", n: 2, asks: [second] })
    await dock().getByText("npm test").first().waitFor()
    assert.equal(await plain.page.evaluate("document.activeElement.closest('.dock')"), null)
    // The keyboard goes on from the conversation, not from nowhere.
    await plain.page.locator("[data-region=feed]:focus").waitFor()
    await dock().locator('[data-answer="1"]').focus()
    await press("Enter")
    assert.deepEqual(await answered(), [once])
    await plain.tell({ type: "told", task: "t", line: "Answered: you allowed it once (Run npm test)." })
    await plain.tell({ type: "change", task: "t", n: 3, asks: [] })
    await dock().waitFor({ state: "detached" })
    await plain.page.getByRole("alert").getByText("Answered: you allowed it once (Run npm test).").waitFor()
  })

  it("can be answered in each way without scrolling where a view has the height of the window", async () => {
    const found: Array<string> = []
    for (const width of [220, 300, 400]) {
      await plain.page.setViewportSize({ width, height: 900 })
      for (const name of Object.keys(approvals)) {
        await ask(of(name))
        const hidden = await plain.page.evaluate<ReadonlyArray<string>>(`
          [...document.querySelectorAll(".dock .answers button, .dock .words *")].flatMap((way) => {
            const { bottom, left, right, top } = way.getBoundingClientRect()
            const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
            return way.contains(there) ? [] : [way.outerHTML]
          })`)
        found.push(...hidden.map((way) => `${name}, ${width}: ${way}`))
      }
    }
    await plain.page.setViewportSize({ width: 400, height: 700 })
    assert.deepEqual(found, [])
  })

  it("is said to be waited for while a model is silent, and from the twentieth second on that it is", async () => {
    await plain.tell(
      States.whole("t", { header: States.header("running"), rows: [States.said("a", "assistant", "Hm")] })
    )
    await plain.tell({ type: "change", task: "t", n: 2, answer: "waiting" })
    await plain.page.getByText("Waiting for the model", { exact: true }).waitFor()
    await pass(19_000)
    await plain.page.getByText("Waiting for the model · 19s", { exact: true }).waitFor()
    await pass(1000)
    await plain.page.getByText("Still waiting · 20s. The service has not answered yet.", { exact: true }).waitFor()
    await plain.tell({ type: "change", task: "t", n: 3, answer: "streaming" })
    await plain.page.getByText("The model is answering", { exact: true }).waitFor()
    await plain.tell({ type: "change", task: "t", n: 4, live: { text: "Now", whole: false } })
    await plain.page.getByTestId("live").waitFor()
    assert.equal(await plain.page.getByText("Still waiting").count(), 0)
  })
})
