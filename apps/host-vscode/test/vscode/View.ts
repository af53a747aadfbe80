/** A conversation's view as a person sees it: a document of its own in the window, whatever frame it is shown in. */
import { setTimeout as after } from "node:timers/promises"
import type { Frame, FrameLocator, Locator, Page } from "playwright-core"
import { patience } from "./VSCode.ts"

/** The document as it is when it is asked for something: one that is replaced meanwhile is found again. */
export interface Inside extends Pick<Frame, "locator" | "getByRole" | "getByText" | "getByTestId"> {
  readonly evaluate: <A = unknown>(expression: string) => Promise<A>
}

export interface View {
  /** What holds the document in the window. */
  readonly place: Locator
  readonly frame: Inside
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

/** The editor loads a document beside the one that is shown, and then puts it in its place. */
const inside = (frame: FrameLocator): Inside => ({
  locator: (selector, options) => frame.locator(selector, options),
  getByRole: (role, options) => frame.getByRole(role, options),
  getByText: (text, options) => frame.getByText(text, options),
  getByTestId: (id) => frame.getByTestId(id),
  evaluate: (expression) => frame.locator(":root").evaluate(expression)
})

export const of = (place: Locator, frame: Inside): View => {
  const composer = frame.locator("textarea")
  return {
    place,
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

const shownIn = (page: Page, frames: string): View => {
  const place = page.locator(`iframe.webview${frames}`)
  return of(place, inside(place.contentFrame().frameLocator("#active-frame")))
}

/** Ends the process of a view, which is its own where webviews have origins of their own. */
export const crash = async (page: Page, { place }: View): Promise<void> => {
  const ended = Promise.withResolvers<void>()
  // Playwright takes the end of any process for that of the window, and holds up what starts next: it is not told.
  const { _connection: connection } = page as any
  const { _sessions: sessions } = connection.toImpl(page).delegate
  for (const session of sessions.values()) Object.assign(session, { _onTargetCrashed: ended.resolve })
  const frame = await (await place.elementHandle())?.contentFrame()
  const session = await page.context().newCDPSession(frame ?? page)
  // It is never answered.
  session.send("Page.crash").catch(() => undefined)
  await ended.promise
}

/** Of each frame what stays the same for as long as its view is there: in the side bar even when it is hidden. */
const frames = `[...document.querySelectorAll("iframe.webview")].map((frame) => {
  const { positionAnchor } = frame.parentElement.style
  const beside = [...document.querySelectorAll(".part.auxiliarybar .pane-body")]
  const origin = new URL(frame.src).searchParams.get("origin")
  return beside.some(({ style }) => style.anchorName === positionAnchor)
    ? { isBeside: true, selector: '[src*="origin=' + origin + '"]' }
    : { isBeside: false, selector: '[name="' + frame.name + '"]' }
})`

interface Found {
  readonly isBeside: boolean
  readonly selector: string
}

interface Wanted {
  readonly isIn: (found: Found) => boolean
  readonly fits: (view: View) => Promise<boolean>
}

const look = async (page: Page, { fits, isIn }: Wanted, found: (view: View) => void, over: AbortSignal) => {
  const asked = new Set<string>()
  const ask = async (selector: string): Promise<void> => {
    asked.add(selector)
    const view = shownIn(page, selector)
    const isIt = async () => (await view.frame.locator(".app[data-loaded]").count()) === 1 && (await fits(view))
    // A frame may go while it is looked at.
    if (await isIt().catch(() => false)) found(view)
    asked.delete(selector)
  }
  while (!over.aborted) {
    const all = await page.evaluate<ReadonlyArray<Found>>(frames)
    // One whose process has ended never says what it is, and is in nobody's way.
    for (const one of all) if (isIn(one) && !asked.has(one.selector)) void ask(one.selector)
    await after(50)
  }
}

const first = async (page: Page, wanted: Wanted): Promise<View> => {
  const found = Promise.withResolvers<View>()
  const over = new AbortController()
  const late = setTimeout(() => found.reject(new Error("waited for a conversation's view in vain")), patience)
  void look(page, wanted, found.resolve, over.signal).catch((error: unknown) => found.reject(error))
  return found.promise.finally(() => {
    clearTimeout(late)
    over.abort()
  })
}

const any = async () => true

/** The view in the side bar once it has loaded; where it is said what fits, the first of all that does. */
export const find = (page: Page, fits?: Wanted["fits"]): Promise<View> =>
  first(page, { isIn: ({ isBeside }) => fits !== undefined || isBeside, fits: fits ?? any })

/** The first one in an editor that fits. */
export const inEditor = (page: Page, fits: Wanted["fits"] = any): Promise<View> =>
  first(page, { isIn: ({ isBeside }) => !isBeside, fits })
