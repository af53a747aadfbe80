/** A conversation's view as a person sees it: its own frame in the window. */
import type { Frame, Locator, Page } from "playwright-core"

export interface View {
  readonly frame: Frame
  readonly composer: Locator
  readonly dock: Locator
  /** The entry that shows a text. */
  readonly row: (text: string | RegExp) => Locator
  readonly button: (name: string | RegExp) => Locator
  /** Writes to the task that is shown, and sends it. */
  readonly send: (text: string) => Promise<void>
  /** Pastes or drops a file, as base64, on the message. */
  readonly give: (how: "paste" | "drop", name: string, data: string) => Promise<unknown>
}

const isView = (frame: Frame): Promise<boolean> =>
  frame.evaluate("document.querySelector('.app[data-loaded]') !== null").then(
    (found) => found === true,
    () => false
  )

export const of = (frame: Frame): View => {
  const composer = frame.locator("textarea")
  return {
    frame,
    composer,
    dock: frame.locator(".dock"),
    row: (text) => frame.locator("[role=article]").filter({ hasText: text }).first(),
    button: (name) => frame.getByRole("button", { name }),
    send: async (text) => {
      await composer.fill(text)
      await composer.press("Enter")
    },
    give: (how, name, data) =>
      frame.evaluate(`(() => {
        const given = new DataTransfer()
        const bytes = Uint8Array.from(atob(${JSON.stringify(data)}), (byte) => byte.charCodeAt(0))
        given.items.add(new File([bytes], ${JSON.stringify(name)}))
        const same = { bubbles: true, cancelable: true }
        const event = ${how === "paste"}
          ? new ClipboardEvent("paste", { ...same, clipboardData: given })
          : new DragEvent("drop", { ...same, dataTransfer: given })
        document.querySelector("textarea").dispatchEvent(event)
      })()`)
  }
}

/** The views that have loaded, the first one that is found as soon as there is one. */
export const find = async (page: Page, fits: (view: View) => Promise<boolean> = async () => true): Promise<View> => {
  const deadline = performance.now() + 40_000
  while (performance.now() < deadline) {
    for (const frame of page.frames()) {
      if (!(await isView(frame))) continue
      const view = of(frame)
      // A frame may go while it is looked at.
      if (await fits(view).catch(() => false)) return view
    }
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(resolve))")
  }
  throw new Error("waited for a conversation's view in vain")
}
