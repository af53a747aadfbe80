/** One window of the editor as a person uses it: the palette, the lists, the trees. */
import type { Page } from "playwright-core"
import * as Trees from "./Trees.ts"

export interface Window {
  readonly page: Page
  readonly tree: (view: Trees.View) => Trees.Tree
  /** Runs a command through the palette, by its title. */
  readonly command: (title: string) => Promise<void>
  /** Types into the input or the list that is open, and confirms. */
  readonly input: (text: string) => Promise<void>
}

export const of = (page: Page): Window => {
  const quickInput = page.locator(".quick-input-widget:visible")
  return {
    page,
    tree: (view) => Trees.tree(page, view),
    command: async (title) => {
      // A title can be a part of another one.
      const exactly = `.monaco-list-row:is([aria-label="${title}"], [aria-label^="${title},"])`
      const choose = async (): Promise<boolean> => {
        await page.keyboard.press("F1")
        const patience = { timeout: 3000 }
        await quickInput.locator("input").fill(`>${title}`, patience)
        const row = quickInput.locator(exactly).first()
        await row.click(patience)
        // A list takes nothing in its first moments; it goes with the press that it takes.
        while (await row.isVisible()) await row.click({ timeout: 1000 }).catch(() => undefined)
        return true
      }
      // A window that is busy loses a key, and lists a command once its condition holds.
      while (!(await choose().catch(() => false)));
    },
    input: async (text) => {
      const input = quickInput.locator("input")
      await input.fill(text)
      // What took the focus meanwhile is not what is confirmed.
      await input.press("Enter")
    }
  }
}
