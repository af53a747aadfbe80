import { existsSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Asks from "./vscode/Asks.ts"
import * as Cli from "./vscode/Cli.ts"
import * as Lists from "./vscode/Lists.ts"
import { completes, task, use, writes } from "./vscode/Scripts.ts"
import * as View from "./vscode/View.ts"
import * as VSCode from "./vscode/VSCode.ts"

const hidden = "\u001b[31m\u202e\u{e0041}"
const shown = "\\u{1b}[31m\\u{202e}\\u{e0041}"
const strange = `printf '%s' '${hidden}' > printed.txt`
const plans = (response: string) => use("plan_mode_respond", { response })
const runs = (command: string) => use("execute_command", { command })

describe("an approval", () => {
  let vs: VSCode.VSCode
  let phased: string
  let planned: string
  const file = (name: string): string => path.join(vs.workspace, name)
  const isOpen = async (id: string): Promise<boolean> => (await Asks.rows(vs)).some((row) => row.id === id)

  beforeAll(async () => {
    vs = await VSCode.open({
      tasks: [
        task(
          "Print",
          {
            content: [
              { type: "text", text: "It only prints.\nWhy asked: it is safe" },
              ...(runs(strange).content ?? [])
            ]
          },
          completes("Printed")
        ),
        task("Know the system", runs("id -u"), runs("id -u"), completes("Known")),
        task(
          "Know the kernel",
          runs("id -g"),
          runs("id -g"),
          { ...runs("id -g"), hold: "kernel" },
          completes("Known, too")
        ),
        task("One", writes("one.txt", "1"), completes("Wrote one")),
        task("Two", writes("two.txt", "2"), completes("Wrote two")),
        task("Three", writes("three.txt", "3"), completes("Wrote three")),
        task("Quiet", writes("quiet1.txt", "1"), writes("quiet2.txt", "2"), completes("Wrote both")),
        task("Loud", writes("loud.txt", "!"), completes("Wrote it loudly")),
        task("Shown", completes("Shown")),
        task("Held", { ...writes("held.txt", "held"), hold: "held" }, completes("Wrote held")),
        task("Talk first", plans("A first plan"), plans("A better plan"), completes("Built")),
        task("Rename it", use("ask_followup_question", { question: "Rename what?" })),
        task("Left open", writes("left.txt", "left"), completes("Wrote left"))
      ]
    })
    await vs.showTrees()
  })
  afterAll(() => vs.close())

  it("shows what will really happen, grants no more than it offers, and runs exactly that", async () => {
    await Asks.begin(vs, "Print")
    const { facts, id, label } = await Asks.waiting(vs, "Run printf")
    assert.equal(label, `Run ${strange.replace(hidden, shown)}`)
    const known = new Map(facts)
    assert.equal(known.get("Command"), strange.replace(hidden, shown))
    assert.match(known.get("Why asked") ?? "", /cannot be seen.*\(command\.unreadable\)$/)
    assert.isDefined(known.get("Always is not offered"))
    assert.deepEqual(facts.at(-1), ["The model says", '"It only prints. ⏎ Why asked: it is safe"'])
    await vs.host(async (vscode, ask) => void vscode.commands.executeCommand("belay.answer", ask), id)
    await Lists.row(vs, "1  Allow once").waitFor()
    const labels = await Lists.open(vs)
      .locator(".monaco-list-row", { hasText: /^\s*[1-5] {2}/ })
      .allInnerTexts()
    assert.deepEqual(
      labels.map((text) => text.split("\n")[0]?.trim()),
      ["1  Allow once", "2  Allow for this task", "3  Always…", "4  Deny", "5  Deny, say why…"]
    )
    await vs.page.keyboard.press("Escape")
    await Asks.run(vs, "allowAlways", id)
    await vs.notification("This cannot be allowed always")
    assert.isTrue(await isOpen(id))
    assert.isFalse(existsSync(file("printed.txt")))
    await Asks.run(vs, "allowOnce", id)
    await Asks.ended(vs, "Print")
    assert.equal(readFileSync(file("printed.txt"), "utf8"), hidden)
  })

  it("for always shows what is allowed and in which folder alone, allows exactly that, and can be undone", async () => {
    await Asks.begin(vs, "Know the system")
    const { id } = await Asks.waiting(vs, "Run id -u")
    await vs.host(async (vscode, ask) => void vscode.commands.executeCommand("belay.allowAlways", ask), id)
    await Lists.row(vs, "and in no other folder").waitFor()
    await Lists.press(vs, `Always in this project (folder ${path.basename(vs.workspace)}): the command 'id -u'`)
    await vs.notification("You allowed the command 'id -u' always in this project")
    await Asks.ended(vs, "Know the system")
    const settings = await vs.host(
      (vscode) => vscode.workspace.getConfiguration("belay").inspect("approvals.commands")?.globalValue ?? null
    )
    assert.isNull(settings)
    const allowed = async () => (await Cli.json(vs, ["allowed"])).allowed.map(({ text }: { text: string }) => text)
    assert.deepEqual(await allowed(), ["the command 'id -u'"])
    await vs.notification("You allowed the command 'id -u' always in this project")
    await vs.page.locator(".notifications-center").getByRole("button", { name: "Undo" }).click()
    while ((await allowed()).length > 0);
  })

  it("for this task is listed, holds until it is taken back, and then it is asked again", async () => {
    const taskId = await Asks.begin(vs, "Know the kernel")
    const { id } = await Asks.waiting(vs, "Run id -g")
    const requests = vs.model.requests.length
    await Asks.run(vs, "allowForTask", id)
    await vs.model.waitForRequests(requests + 2)
    await vs.host(async (vscode, task) => void vscode.commands.executeCommand("belay.showAllowed", task), taskId)
    await Lists.row(vs, "id -g").waitFor()
    await Lists.row(vs, "id -g").hover()
    await Lists.row(vs, "id -g").locator('a[aria-label="Do not allow any more"]').click()
    await Lists.row(vs, "Nothing was allowed beyond one call.").waitFor()
    await vs.page.keyboard.press("Escape")
    vs.model.release("kernel")
    const again = await Asks.waiting(vs, "Run id -g", id)
    await Asks.run(vs, "deny", again.id)
    await Asks.ended(vs, "Know the kernel")
  })

  it("of three tasks at once is three rows, and each first answer reaches its own: a second one is told that it came late", async () => {
    const names = ["One", "Two", "Three"]
    const tasks: Array<string> = []
    for (const name of names) tasks.push(await Asks.begin(vs, name))
    const asks = []
    for (const name of names) asks.push(await Asks.waiting(vs, `Write ${name.toLowerCase()}.txt`))
    await vs.page.locator(".activitybar .badge-content", { hasText: "3" }).waitFor()
    // The last one is shown; the message about the others offers to look, and no answer.
    await vs.notification("2 tasks need you")
    const message = vs.page.locator(".notification-list-item", { hasText: "2 tasks need you" })
    assert.deepEqual(await message.locator(".monaco-button").allInnerTexts(), ["Review"])
    const [one = "", two = "", three = ""] = asks.map(({ id }) => id)
    await Asks.run(vs, "deny", three)
    await Asks.run(vs, "allowOnce", one)
    await Promise.all([Asks.run(vs, "allowOnce", two), Asks.run(vs, "deny", two)])
    await vs.notification("This was already answered.")
    const late = Cli.start(vs, ["task", "answer", tasks[0] ?? "", "--ask", one, "--deny"])
    late.endInput()
    assert.notEqual((await late.exit).code, 0)
    for (const name of names) await Asks.ended(vs, name)
    assert.deepEqual(
      ["one", "three"].map((name) => existsSync(file(`${name}.txt`))),
      [true, false]
    )
  })

  it("of a task that was muted is told by no message any more", async () => {
    await Asks.begin(vs, "Quiet")
    const first = await Asks.waiting(vs, "Write quiet1.txt")
    await Asks.begin(vs, "Shown")
    await vs.notification('"Quiet" needs you: Write quiet1.txt')
    await vs.page.locator(".notifications-center").getByRole("button", { name: "Mute for this task" }).click()
    await Asks.run(vs, "allowOnce", first.id)
    const second = await Asks.waiting(vs, "Write quiet2.txt")
    // Of both there would be one message that counts them.
    await Asks.begin(vs, "Loud")
    const loud = await Asks.waiting(vs, "Write loud.txt")
    await Asks.begin(vs, "Shown")
    await vs.notification('"Loud" needs you: Write loud.txt')
    for (const { id } of [second, loud]) await Asks.run(vs, "deny", id)
    for (const name of ["Quiet", "Loud"]) await Asks.ended(vs, name)
  })

  it("that appears while somebody types is not answered by what they type", async () => {
    await vs.host(async (vscode) => {
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: "" }))
    })
    await Asks.begin(vs, "Held")
    await vs.page.locator(".editor-instance .monaco-editor .view-lines").click()
    await vs.page.locator(".editor-instance .monaco-editor.focused").waitFor()
    await vs.page.keyboard.type("1 yes y 2\n")
    vs.model.release("held")
    const { id } = await Asks.waiting(vs, "Write held.txt")
    await vs.page.keyboard.type("1 yes y 2\n")
    await vs.until("all that was typed", (vscode) => {
      const text = vscode.window.activeTextEditor?.document.getText()
      return text === "1 yes y 2\n1 yes y 2\n" || undefined
    })
    await vs.tree("Needs you").row("Write held.txt").click()
    await vs.page.keyboard.type("1y2")
    await vs.page.keyboard.press("Enter")
    assert.isTrue(await isOpen(id))
    assert.isFalse(existsSync(file("held.txt")))
    await Asks.run(vs, "deny", id)
    await Asks.ended(vs, "Held")
  })

  it("that a closed window left open is asked anew, and nothing was carried out", async () => {
    phased = await Asks.begin(vs, "/deep-planning Rename it")
    await Asks.waiting(vs, "Rename what?")
    planned = await Asks.begin(vs, "/plan Talk first")
    await Asks.waiting(vs, "A first plan")
    const taskId = await Asks.begin(vs, "Left open")
    const before = await Asks.waiting(vs, "Write left.txt")
    await vs.reload()
    await vs.showTrees()
    await Asks.ended(vs, "Left open", "Needs you")
    assert.isFalse(existsSync(file("left.txt")))
    await Asks.run(vs, "allowOnce", before.id)
    await vs.notification("is stopped. Resume it")
    await Asks.run(vs, "resume", taskId)
    const after = await Asks.waiting(vs, "Write left.txt", before.id)
    assert.isFalse(existsSync(file("left.txt")))
    await Asks.run(vs, "allowOnce", after.id)
    await Asks.ended(vs, "Left open")
    assert.equal(readFileSync(file("left.txt"), "utf8"), "left")
  })

  it("of a plan that a closed window left open waits as it was, takes an answer as planning on, and words with a switch", async () => {
    const modeOf = async (): Promise<string> => (await Cli.json(vs, ["task", "show", planned])).mode
    const last = () => JSON.stringify(vs.model.requests.at(-1)?.body)
    const answer = (ask: string, row: string) => {
      void Asks.run(vs, "answer", ask)
      return Lists.press(vs, row)
    }
    await Asks.run(vs, "openTask", phased)
    const { frame } = await View.find(vs.page)
    await frame.getByRole("region", { name: "Planning 2 of 4: questions" }).waitFor()
    const { id } = await Asks.waiting(vs, "A first plan")
    await answer(id, "Keep planning…")
    await vs.input("Ask about tests")
    const better = await Asks.waiting(vs, "A better plan")
    assert.include(last(), "Ask about tests")
    assert.equal(await modeOf(), "plan")
    await answer(better.id, "Switch to Act, with your message…")
    await vs.input("Tests come first")
    await Asks.ended(vs, "Talk first")
    assert.equal(await modeOf(), "act")
    assert.include(last(), "Tests come first")
  })
})
