import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Asks from "./vscode/Asks.ts"
import * as Cli from "./vscode/Cli.ts"
import * as Lists from "./vscode/Lists.ts"
import { completes, task, use } from "./vscode/Scripts.ts"
import * as VSCode from "./vscode/VSCode.ts"

const plans = (response: string) => use("plan_mode_respond", { response })
const asks = (question: string, ...options: ReadonlyArray<string>) =>
  use("ask_followup_question", { question, ...(options.length === 0 ? {} : { options }) })
const looks = use("list_files", { path: "." })

describe("what a task asks in words", () => {
  let vs: VSCode.VSCode
  const press = (text: string) => Lists.press(vs, text)
  const act = (command: string, argument: string) =>
    vs.host(async (vscode, id, given) => void vscode.commands.executeCommand(`belay.${id}`, given), command, argument)
  const modeOf = async (id: string): Promise<string> => (await Cli.json(vs, ["task", "show", id])).mode
  const begin = (prompt: string) => Asks.begin(vs, `/plan ${prompt}`)
  const last = () => JSON.stringify(vs.model.requests.at(-1)?.body)

  beforeAll(async () => {
    vs = await VSCode.open({
      tasks: [
        task("Move it", plans("Move the files"), completes("Moved")),
        task("Stay in plan", plans("Something else")),
        task("Go round", ...Array.from({ length: 5 }, () => looks), plans("Stopped going round")),
        task("Spend", looks, plans("Spent")),
        task("Which name", asks("Which name?", "alpha", "beta"), asks("And why?"), plans("Named")),
        task("Edit late", { ...plans("Ready"), hold: "late" })
      ]
    })
    await vs.showTrees()
  })
  afterAll(() => vs.close())

  it("switches one task only, and a switch to Act answers its plan", async () => {
    const other = await begin("Stay in plan")
    const mine = await begin("Move it")
    await Asks.waiting(vs, "Something else")
    const { id } = await Asks.waiting(vs, "Move the files")
    await act("answer", id)
    await Lists.row(vs, "Keep planning…").waitFor()
    await vs.page.keyboard.press("Enter")
    assert.equal(await modeOf(mine), "plan")
    await press("Switch to Act and start")
    await Asks.ended(vs, "Move it")
    assert.deepEqual([await modeOf(mine), await modeOf(other)], ["act", "plan"])
    await Asks.waiting(vs, "Something else")
  })

  it("names the task whose mode it switches, and says from when on", async () => {
    const taskId = await begin("Edit late")
    await Asks.ended(vs, "Edit late", "Running")
    await act("switchMode", taskId)
    await Lists.open(vs).filter({ hasText: 'Mode of "Edit late"' }).waitFor()
    await press("Act from the next step")
    await vs.page.locator(".statusbar-item", { hasText: '"Edit late": Act from the next step' }).waitFor()
    assert.equal(await modeOf(taskId), "act")
    await Asks.run(vs, "stop", taskId)
    vs.model.release("late")
  })

  it("takes an option or own words, loses no word, and Escape answers nothing", async () => {
    await begin("Which name")
    const { id } = await Asks.waiting(vs, "Which name?")
    await act("answer", id)
    await press("beta")
    const second = await Asks.waiting(vs, "And why?")
    assert.include(last(), "beta")
    await act("answer", second.id)
    const input = Lists.open(vs).locator("input")
    await input.fill("Because it is")
    await vs.page.keyboard.press("Escape")
    await Lists.open(vs).waitFor({ state: "hidden" })
    await vs.tree("Needs you").act("And why?", "Answer")
    await input.waitFor()
    assert.equal(await input.inputValue(), "Because it is")
    await vs.page.keyboard.press("Enter")
    await Asks.waiting(vs, "Named")
    assert.include(last(), "Because it is")
  })

  it("lets a call that repeats itself run no more, with what to do instead", async () => {
    await begin("Go round")
    const { facts, id } = await Asks.waiting(vs, "Use list_files: .")
    assert.include(new Map(facts).get("Why asked"), "again and again")
    await act("answer", id)
    await press("5  Do not run it, say why…")
    await vs.input("You have seen it")
    await Asks.waiting(vs, "Stopped going round")
    assert.include(last(), "You have seen it")
  })

  it("goes on after a limit with a higher one", async () => {
    await vs.host(async (vscode) => {
      const config = vscode.workspace.getConfiguration("belay")
      await config.update("budget.maxRequests", 1, vscode.ConfigurationTarget.Global)
    })
    await begin("Spend")
    const { id } = await Asks.waiting(vs, "1 of 1 requests used")
    await act("answer", id)
    await press("Raise the limit to 2 requests and resume")
    await Asks.waiting(vs, "Spent")
  })
})
