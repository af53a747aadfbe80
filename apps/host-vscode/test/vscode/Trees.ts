/** The extension's trees as a person sees them in the window. */
import type { Locator, Page } from "playwright-core"

/** A view by its title. */
export type View = "Needs you" | "Tasks" | "Checklist" | "MCP servers"

export interface Tree {
  readonly root: Locator
  /** The row that shows a text in its label or description. */
  readonly row: (text: string | RegExp) => Locator
  /** Presses an inline action of a row. */
  readonly act: (row: string | RegExp, action: string) => Promise<void>
}

export const tree = (page: Page, view: View): Tree => {
  const root = page.locator(".pane").filter({ has: page.locator(".pane-header", { hasText: view }) })
  const row = (text: string | RegExp) => root.locator(".monaco-list-row").filter({ hasText: text }).first()
  return {
    root,
    row,
    act: async (text, action) => {
      const button = row(text).locator(`.actions a[aria-label^="${action}"]`)
      // A row may move away from under the pointer, and shows its actions below it only.
      do await row(text).hover()
      while (!(await button.isVisible()))
      await button.click()
    }
  }
}
