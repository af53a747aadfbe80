/** The list or input that is open in the middle of the window. */
import type { Locator } from "playwright-core"
import type { VSCode } from "./VSCode.ts"

export const open = (vs: VSCode): Locator => vs.page.locator(".quick-input-widget:visible")

/** The last row that shows a text. */
export const row = (vs: VSCode, text: string): Locator =>
  open(vs).locator(".monaco-list-row").filter({ hasText: text }).last()

/** Presses a row until the list takes it: a list takes nothing in its first moments. */
export const press = async (vs: VSCode, text: string): Promise<void> => {
  await row(vs, text).waitFor()
  while (await row(vs, text).isVisible()) {
    // It may go away meanwhile.
    await row(vs, text)
      .click({ timeout: 1000 })
      .catch(() => undefined)
  }
}
