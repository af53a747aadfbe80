/** How the window and a conversation's view look: in every kind of theme, in every state. */
import type { View as Protocol } from "@belay/task-engine/protocol"
import * as Axe from "./Axe.ts"
import * as States from "./States.ts"
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

/** Gives the side bar so many pixels. */
export const widen = async ({ page }: OpenWindow, width: number): Promise<void> => {
  const box = await page.locator(".part.sidebar").boundingBox()
  if (box === null) throw new Error("there is no side bar")
  await page.mouse.move(box.x + box.width, box.y + box.height / 2)
  await page.mouse.down()
  await page.mouse.move(box.x + width, box.y + box.height / 2, { steps: 3 })
  await page.mouse.up()
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

/** Shows again what the host has to tell: a number is missing, so the view asks for it. */
export const leave = (view: View): Promise<void> => tell(view, { type: "change", task: null, n: -1 })

interface Walk {
  /** What can be used and got no focus. */
  readonly missed: ReadonlyArray<string>
  /** What had the focus and did not show it. */
  readonly unseen: ReadonlyArray<string>
}

/** Goes through the view by Tab, from its beginning until the focus leaves it. */
export const walk = async ({ page }: OpenWindow, { frame }: View): Promise<Walk> => {
  await frame.evaluate(`(() => {
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
      start.remove()
      return { missed, unseen }
    }
  })()`)
  const inside = () => frame.evaluate("document.hasFocus()")
  do await page.keyboard.press("Tab")
  while ((await inside()) === true)
  return (await frame.evaluate("walked()")) as Walk
}

/** What is wider than a narrow view with letters of double size, other than code and tables. */
export const tooWide = ({ frame }: View): Promise<ReadonlyArray<string>> =>
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

/** What is wrong with the view in any state and theme. */
export const faults = async (vs: OpenWindow, view: View): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const theme of names) {
    await wear(vs, theme, view)
    for (const [name, state] of States.all) {
      await enter(view, state)
      const note = (what: string, all: ReadonlyArray<string>) =>
        found.push(...all.map((one) => `${name}, ${theme}, ${what}: ${one}`))
      // Of what axe looks at, colours alone depend on the theme.
      note("axe", await Axe.check(view.frame, theme === names[0] ? undefined : ["color-contrast"]))
      if (theme !== names[0]) continue
      const { missed, unseen } = await walk(vs, view)
      note("not reached by Tab", missed)
      note("focus is not seen", unseen)
      note("too wide", await tooWide(view))
      note("moves", (await view.frame.evaluate("document.getAnimations().map(String)")) as ReadonlyArray<string>)
    }
  }
  return found
}
