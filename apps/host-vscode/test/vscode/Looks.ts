/** How the window and a conversation's view look: in every kind of theme, in every state. */
import type { View as Protocol } from "@belay/interaction"
import type { Locator, Page } from "playwright-core"
import * as Axe from "./Axe.ts"
import * as States from "./States.ts"
import type * as Trees from "./Trees.ts"
import type { View } from "./View.ts"
import type { OpenWindow } from "./VSCode.ts"

/** By its name: the theme as the settings call it, and its kind as the window and a view call it. */
export const themes = {
  light: ["Default Light Modern", "vs", "vscode-light"],
  dark: ["Default Dark Modern", "vs-dark", "vscode-dark"],
  "light-contrast": ["Default High Contrast Light", "hc-light", "vscode-high-contrast-light"],
  "dark-contrast": ["Default High Contrast", "hc-black", "vscode-high-contrast"]
} as const

export type Theme = keyof typeof themes

export const names = Object.keys(themes) as ReadonlyArray<Theme>

/** The view that is given has it then, too. */
export const wear = async (vs: OpenWindow, theme: Theme, view?: View): Promise<void> => {
  const [name, kind, inView] = themes[theme]
  await vs.host(async (vscode, name) => {
    const settings = vscode.workspace.getConfiguration("workbench")
    await settings.update("colorTheme", name, vscode.ConfigurationTarget.Global)
  }, name)
  await vs.page.locator(`.monaco-workbench.${kind}`).waitFor()
  await view?.frame.locator(`body[data-vscode-theme-kind="${inView}"]`).waitFor()
}

const drag = async (
  { mouse }: OpenWindow["page"],
  x: number,
  y: number,
  by: readonly [number, number]
): Promise<void> => {
  await mouse.move(x, y)
  await mouse.down()
  await mouse.move(x + by[0], y + by[1], { steps: 3 })
  await mouse.up()
}

const boxOf = async (of: Locator) => {
  const box = await of.boundingBox()
  if (box === null) throw new Error("it is not there")
  return box
}

/** Gives the bar of the conversation so many pixels. */
export const widen = async ({ page }: OpenWindow, width: number): Promise<void> => {
  const box = await boxOf(page.locator(".part.auxiliarybar"))
  await drag(page, box.x, box.y + box.height / 2, [box.width - width, 0])
  await page.mouse.move(box.x, box.y)
}

/** Moves the beginning of a view down, so that the one above it is longer. */
export const lengthen = async ({ page }: OpenWindow, above: Trees.View, by: number): Promise<void> => {
  const box = await boxOf(page.locator(".pane-header", { hasText: new RegExp(`^\\s*${above}`, "u") }).first())
  await drag(page, box.x + box.width / 2, box.y, [0, by])
  await page.mouse.move(box.x, box.y)
}

const drawn = "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))"

const tell = async ({ frame }: View, message: Protocol.ToView): Promise<void> => {
  const data = JSON.stringify(message)
  await frame.evaluate(`dispatchEvent(new MessageEvent("message", { origin: location.origin, data: ${data} }))`)
}

/** Tells the view what a host would tell it, and waits until it is drawn and its dead time is over. */
export const enter = async (view: View, state: States.Snapshot): Promise<void> => {
  const { frame } = view
  await tell(view, state)
  await frame.evaluate(drawn)
  if (state.asks.length > 0) await frame.locator(".dock:not(.waits)").waitFor()
}

interface Walk {
  /** What can be used and got no focus. */
  readonly missed: ReadonlyArray<string>
  /** What had the focus and did not show it. */
  readonly unseen: ReadonlyArray<string>
}

/** Goes through the view by Tab, from its beginning until the focus leaves it. */
const walk = async (page: Page, { frame }: View): Promise<Walk> => {
  const count = await frame.evaluate(`(() => {
    const usable = () => [...document.querySelectorAll("button, textarea, input, [tabindex='0']")].filter(
      (one) => !one.disabled && one.tabIndex === 0 && one.checkVisibility()
    )
    const start = document.createElement("span")
    start.tabIndex = 0
    document.body.prepend(start)
    const before = new Set(usable())
    const seen = new Set([start])
    const unseen = []
    const name = (one) => one.outerHTML.slice(0, 120)
    addEventListener("focusin", ({ target }) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(target)
      if (target !== start && (outlineStyle === "none" || outlineWidth === "0px")) unseen.push(name(target))
      seen.add(target)
    })
    start.focus()
    globalThis.walked = () => {
      // Rows may come and go as they are scrolled to.
      const missed = usable().filter((one) => before.has(one) && !seen.has(one)).map(name)
      return { missed, unseen }
    }
    globalThis.over = () => start.remove()
    return before.size
  })()`)
  const tabs = async (): Promise<Walk> => {
    for (let n = 0; n <= Number(count); n += 1) await page.keyboard.press("Tab")
    return (await frame.evaluate("walked()")) as Walk
  }
  // Rows that came meanwhile were gone through as well.
  const first = await tabs()
  const walked = first.missed.length === 0 ? first : await tabs()
  await frame.evaluate("over()")
  return walked
}

/** What is wider than a narrow view with letters of double size, other than code and tables. */
const tooWide = ({ frame }: View): Promise<ReadonlyArray<string>> =>
  frame.evaluate(`(() => {
    const { documentElement: root, body } = document
    const [size, width] = [root.style.getPropertyValue("--vscode-font-size"), 220]
    root.style.setProperty("--vscode-font-size", "26px")
    body.style.width = width + "px"
    const wide = [...document.querySelectorAll(".app *")].filter(
      (one) => one.closest("pre, .table, .unseen") === null && one.getBoundingClientRect().right > width + 1
    )
    const found = wide.map((one) => one.outerHTML.slice(0, 120))
    root.style.setProperty("--vscode-font-size", size)
    body.style.width = ""
    return found
  })()`)

const whole = process.env["BELAY_PROOF"] !== undefined

/** What is shown in a theme: each state in one of them, or in all that show colours of their own. */
const shownIn = (theme: Theme) =>
  States.all.filter(([name], at) => {
    if (!whole) return names[at % names.length] === theme
    return theme === names[0] || !States.likeOthers.has(name)
  })

/** What is wrong with the view in any state and theme, which `wear` gives it. */
export const faults = async (
  page: Page,
  view: View,
  wear: (theme: Theme) => Promise<void>
): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const theme of names) {
    await wear(theme)
    for (const [name, state] of shownIn(theme)) {
      await enter(view, state)
      const note = (what: string, all: ReadonlyArray<string>) =>
        found.push(...all.map((one) => `${name}, ${theme}, ${what}: ${one}`))
      // Of what is looked at, colours alone depend on the theme.
      const again = whole && theme !== names[0]
      note("axe", await Axe.check(view.frame, again ? ["color-contrast"] : undefined))
      if (again) continue
      const { missed, unseen } = await walk(page, view)
      note("not reached by Tab", missed)
      note("focus is not seen", unseen)
      note("too wide", await tooWide(view))
      note("moves", await view.frame.evaluate<ReadonlyArray<string>>("document.getAnimations().map(String)"))
    }
  }
  return found
}
