/** A conversation's view as a person sees it: its own frame in the window. */
import { once } from "node:events"
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

/** Ends the process of a view, which is its own where webviews have origins of their own. */
export const crash = async (page: Page, { frame }: View): Promise<void> => {
  const ended = Promise.withResolvers<void>()
  // Playwright takes the end of any process for that of the window, and holds up what starts next: it is not told.
  const { _connection: connection } = page as any
  const { _sessions: sessions } = connection.toImpl(page).delegate
  for (const session of sessions.values()) Object.assign(session, { _onTargetCrashed: ended.resolve })
  const session = await page.context().newCDPSession(frame.parentFrame() ?? frame)
  // It is never answered.
  session.send("Page.crash").catch(() => undefined)
  await ended.promise
}

const look = async (page: Page, fits: (view: View) => Promise<boolean>, over: AbortSignal): Promise<View> => {
  while (!over.aborted) {
    for (const frame of page.frames()) {
      if (!(await isView(frame))) continue
      const view = of(frame)
      // A frame may go while it is looked at.
      if (await fits(view).catch(() => false)) return view
    }
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(resolve))")
  }
  throw over.reason
}

/** The views that have loaded, the first one that is found as soon as there is one. */
export const find = async (page: Page, fits: (view: View) => Promise<boolean> = async () => true): Promise<View> => {
  const inVain = new Error("waited for a conversation's view in vain")
  const over = AbortSignal.timeout(90_000)
  // A frame whose process has ended never says what it is.
  const late = once(over, "abort").then(() => Promise.reject(inVain))
  return Promise.race([look(page, fits, over), late])
}
