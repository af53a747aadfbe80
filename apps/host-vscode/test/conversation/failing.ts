/** A service that refuses, limits, fails or breaks off. */
import { assert, it } from "vitest"
import { completes, task } from "../vscode/Scripts.ts"
import type { Place } from "./Place.ts"

export const tasks = [
  task("Ask with a bad key", { error: { status: 401 } }),
  task("Ask too often", { error: { status: 429, retryAfterMs: 59_000 } }),
  task("Ask while it fails", { ...completes("Answered after all"), error: { status: 503 }, times: 1 }),
  task("Ask half", {
    content: [{ type: "text", text: "A half of the answer, and " }, ...(completes("The whole of it").content ?? [])],
    disconnectAtByte: 700,
    times: 1
  })
]

export const stories = (place: Place): void => {
  it("says what a service that refuses, limits, fails or breaks off did, and how the task goes on from it", async () => {
    const { begin, title, view, vs } = place
    const bar = (text: string) => view.frame.locator(".bar", { hasText: text }).first()
    const state = (task: string, text: string) => vs.tree("Tasks").row(task).filter({ hasText: text }).waitFor()
    // What is shown for a moment alone.
    await view.frame.evaluate(`(() => {
      globalThis.told = ""
      const look = () => (globalThis.told += [...document.querySelectorAll(".bar")].map((bar) => bar.textContent).join())
      new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true })
    })()`)
    await begin("Ask with a bad key")
    await title("Ask with a bad key")
    await view.row(/the service refused the key \(401/i).waitFor()
    // The bar says why, with the ways on.
    await bar("The service refused the key (401").getByRole("button", { name: "Change key" }).waitFor()
    await bar("The service refused the key (401").getByRole("button", { name: "Change model" }).waitFor()
    await view.button("Resume").waitFor()
    await state("Ask with a bad key", "Interrupted: the service failed")

    await begin("Ask too often")
    await title("Ask too often")
    await bar("the rate limit is reached (429").waitFor()
    assert.match(await bar("429").innerText(), /Trying again in \d+ s \(1 of \d+\)\./)
    await view.button("Stop").click()
    await bar("You stopped this task. Everything so far is kept.").waitFor()
    await state("Ask too often", "Interrupted: you stopped it")

    for (const [name, result] of [
      ["Ask while it fails", "Answered after all"],
      ["Ask half", "The whole of it"]
    ] as const) {
      await begin(name)
      await title(name)
      await view.row(result).waitFor()
      await state(name, `Done: ${result}`)
    }
    const told = String(await view.frame.evaluate("told"))
    assert.match(told, /the service failed \(503.*Trying again in \d+ s \(1 of \d+\)\./is)
    assert.match(told, /the connection was lost in mid-answer.*Trying again in \d+ s \(1 of \d+\)\./is)
    assert.equal((await view.frame.locator(".scroller").innerText()).split("A half of the answer").length, 2)
  })
}
