import type { View } from "@belay/task-engine/protocol"
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest"
import * as PlainView from "./vscode/PlainView.ts"
import * as States from "./vscode/States.ts"
import { approvals } from "./vscode/StatesOfAsks.ts"

const command = approvals["command"]?.[0]

describe("what asks in a conversation", () => {
  let plain: PlainView.PlainView
  const dock = () => plain.view.dock
  const answered = async () => [...(await plain.sent("verdict")), ...(await plain.sent("answer"))]
  const ask = async (...asks: ReadonlyArray<View.Ask>): Promise<void> => {
    await plain.tell(States.whole("t", { header: States.header("needsYou", { queues: true }), asks }))
    await dock().waitFor()
  }
  /** The clock of the page stands still but for this. */
  const pass = (ms: number) => plain.page.clock.runFor(ms)

  beforeAll(async () => {
    plain = await PlainView.open(400, 700)
    await plain.page.clock.install({ time: 0 })
    await plain.page.clock.pauseAt(1000)
  })
  afterAll(() => plain.close())
  beforeEach(() => plain.reload())

  it("is answered by nothing that is pressed in its first moments, or in those after the window came back, and then once", async () => {
    if (command === undefined) throw new Error("no command")
    await ask(command)
    await pass(1000)
    const press = async (...keys: ReadonlyArray<string>): Promise<void> => {
      for (const key of keys) await plain.page.keyboard.press(key)
    }
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
    assert.deepEqual(await answered(), [{ type: "verdict", task: "t", askId: "ask", verdict: "once" }])
  })

  it("is said to be waited for while a model is silent, and from the twentieth second on that it is", async () => {
    await plain.tell(
      States.whole("t", { header: States.header("running"), rows: [States.said("a", "assistant", "Hm")] })
    )
    await plain.page.getByText("Waiting for the model", { exact: true }).waitFor()
    await pass(19_000)
    await plain.page.getByText("Waiting for the model · 19s", { exact: true }).waitFor()
    await pass(1000)
    await plain.page.getByText("Still waiting · 20s. The service has not answered yet.", { exact: true }).waitFor()
    await plain.tell({ type: "change", task: "t", n: 2, live: { text: "Now", whole: false } })
    await plain.page.getByTestId("live").waitFor()
    assert.equal(await plain.page.getByText("Still waiting").count(), 0)
  })
})
