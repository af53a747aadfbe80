/** What is said while a task works. */
import { assert, it } from "vitest"
import { completes, task, use } from "../vscode/Scripts.ts"
import { dot } from "./dot.ts"
import type { Place } from "./Place.ts"

const long = Array.from({ length: 400 }, (_, at) => `word ${at}`).join(" ")

/** Turns that read twenty files each, and the files. */
const turns = Array.from({ length: 20 }, (_, turn) => Array.from({ length: 20 }, (_, at) => `many/${turn}-${at}.txt`))
const reading = turns.map((files, turn) => ({
  content: files.flatMap((path) => use("read_file", { path }).content ?? []),
  ...(turn === 0 ? { hold: "all" } : {})
}))

export const tasks = [
  task(
    "Say much",
    { content: [{ type: "text", text: long }, ...(completes("Said").content ?? [])], hold: "much", holdAt: 6 },
    completes("Heard it")
  ),
  task("Read it all", ...reading, { ...completes("All was read"), hold: "end" })
]

export const files = Object.fromEntries(turns.flat().map((file) => [file, "Nothing.\n"]))

export const stories = (place: Place): void => {
  it("shows an answer while it arrives, keeps a draft for each task, and queues what is said meanwhile", async () => {
    const { begin, title, view, vs, wellFormed } = place
    await view.composer.fill("A thought for later")
    const id = await begin("Say much")
    await title("Say much")
    await view.frame.getByTestId("live").getByText("word 0").waitFor()
    assert.equal(await view.composer.inputValue(), "")
    await view.button("Queue").waitFor()
    const queue = view.frame.locator(".queue")
    await view.composer.pressSequentially("And look at @pars")
    const option = view.frame.getByRole("option", { name: "parse.ts" })
    await option.waitFor()
    assert.equal(await view.composer.getAttribute("aria-activedescendant"), await option.getAttribute("id"))
    await wellFormed()
    await view.composer.press("Enter")
    assert.equal(await view.composer.inputValue(), "And look at @/parse.ts ")
    await view.give("paste", "dot.png", dot)
    await view.frame.locator(".attachments img").waitFor()
    await view.give("drop", "words.txt", "bm8gaW1hZ2U=")
    await view.frame.getByText('"words.txt" was not attached: it is no PNG, JPEG, GIF or WebP image.').waitFor()
    await wellFormed()
    await view.composer.press("Enter")
    await queue.getByText("And look at @/parse.ts").waitFor()
    await queue.getByText("1 image").waitFor()
    await view.frame.locator(".attachments").waitFor({ state: "detached" })
    await wellFormed()
    await queue.getByRole("button", { name: "Edit" }).click()
    await queue.waitFor({ state: "detached" })
    await view.frame.locator(".attachments img").waitFor()
    await view.composer.press("End")
    await view.composer.pressSequentially("now")
    await view.composer.press("Enter")
    await queue.getByText("@/parse.ts now").waitFor()
    await view.composer.press("ArrowUp")
    await queue.waitFor({ state: "detached" })
    assert.equal(await view.composer.inputValue(), "And look at @/parse.ts now")
    await view.composer.press("Enter")
    await queue.getByText("@/parse.ts now").waitFor()
    await view.send("/help")
    await view.frame.getByRole("region", { name: "Help" }).getByText("/deep-planning").waitFor()
    await wellFormed()
    await view.composer.press("Escape")
    await view.frame.getByRole("region", { name: "Help" }).waitFor({ state: "detached" })
    vs.model.release("much")
    await view.row(/word 399$/).waitFor()
    await view.frame.getByTestId("live").waitFor({ state: "detached" })
    await queue.waitFor({ state: "detached" })
    await view.row("Heard it").or(view.row("Said")).first().waitFor()
    assert.include(await view.row("word 0 word 1").innerText(), long)
    await view.row("And look at @/parse.ts now").locator("img").waitFor()
    const heard = JSON.stringify(vs.model.requests.at(-1)?.body)
    for (const part of [dot, "And look at @/parse.ts now", "export {}"]) assert.include(heard, part)
    assert.notInclude(heard, "/help")
    await vs.tree("Tasks").row("Tell what you read").click()
    await title("Tell what you read")
    assert.equal(await view.composer.inputValue(), "A thought for later")
    assert.isString(id)
  })

  it("takes what is typed between the messages of a task that does a thousand things, and loses nothing of both", async () => {
    const { begin, title, view, vs } = place
    await begin("Read it all")
    await title("Read it all")
    await view.button("Queue").waitFor()
    await view.composer.focus()
    // How many messages there were at each key, and between it and the picture that shows it.
    await view.frame.evaluate(`(() => {
      let messages = 0
      globalThis.keys = []
      addEventListener("message", () => (messages += 1), true)
      document.querySelector("textarea").addEventListener("input", () => {
        const at = messages
        requestAnimationFrame(() => globalThis.keys.push([at, messages - at]))
      })
    })()`)
    // Somebody types from before the first file to after the last, however long the machine takes.
    let typed = ""
    const type = async (word: string): Promise<void> => {
      await vs.page.keyboard.type(word)
      typed += word
    }
    await type("what is typed while it reads")
    vs.model.release("all")
    const message = "new Promise((resolve) => addEventListener('message', resolve, { once: true }))"
    const all = view.row("Read 400 files")
    while (!(await all.isVisible())) {
      await Promise.race([all.waitFor(), view.frame.evaluate(message)])
      await type(" on")
    }
    assert.equal(await view.composer.inputValue(), typed)
    const keys = (await view.frame.evaluate(
      "new Promise((resolve) => requestAnimationFrame(() => resolve(keys)))"
    )) as ReadonlyArray<readonly [at: number, until: number]>
    assert.equal(keys.length, typed.length)
    assert.isAbove(keys.at(-1)?.[0] ?? 0, keys[0]?.[0] ?? 0)
    assert.isAtMost(Math.max(...keys.map(([, until]) => until)), 3)
    vs.model.release("end")
    await view.row("All was read").waitFor()
    await view.composer.fill("")
  })
}
