/**
 * What a window shows again after a reload. In a browser VS Code saves it every few seconds, and not when it is closed: a
 * story that reloads waits until what it is about is saved.
 */
import type { Page } from "playwright-core"

const isSaved = `async (text) => {
  const named = (await indexedDB.databases()).filter(({ name }) => name.startsWith("vscode-web-state-db"))
  const asked = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
  for (const { name } of named) {
    const database = await asked(indexedDB.open(name))
    const stores = [...database.objectStoreNames]
    const values = stores.includes("ItemTable")
      ? await asked(database.transaction("ItemTable").objectStore("ItemTable").get("memento/workbench.parts.editor"))
      : undefined
    database.close()
    if (String(values).includes(text)) return true
  }
  return false
}`

/** Ends when the editors that are saved hold a text, such as the id of a task. */
export const editors = async (page: Page, text: string): Promise<void> => {
  await page.waitForFunction(`(${isSaved})(${JSON.stringify(text)})`, undefined, { polling: 200 })
}
