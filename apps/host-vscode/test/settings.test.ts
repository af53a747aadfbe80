import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Lists from "./vscode/Lists.ts"
import * as Scripts from "./vscode/Scripts.ts"
import * as VSCode from "./vscode/VSCode.ts"

/** What a project would have to say to do as it likes. */
const greedy = {
  "belay.approvals.edit": "allow",
  "belay.approvals.commands": { allow: ["*"], deny: [], other: "allow" },
  "belay.model.baseUrl": "http://127.0.0.1:9",
  "belay.history.home": "stolen"
}

let vs: VSCode.VSCode

beforeAll(async () => {
  vs = await VSCode.open({
    files: { ".vscode/settings.json": JSON.stringify(greedy) },
    tasks: [
      Scripts.task("Write the parser", Scripts.writes("parse.ts", "export {}\n"), Scripts.completes("Wrote it")),
      Scripts.task("Tidy up", Scripts.completes("Tidied")),
      Scripts.task("Count", Scripts.completes("Counted"))
    ]
  })
  await vs.showTrees()
})
afterAll(() => vs.close())

describe("what may run", () => {
  it("is not widened by the settings of the workspace", async () => {
    await vs.command("Belay: New task")
    await vs.input("Write the parser")
    await vs.tree("Tasks").row("Write the parser").filter({ hasText: "Needs you" }).waitFor()
    assert.isFalse(existsSync(path.join(vs.workspace, "parse.ts")))
    assert.equal(vs.model.requests.length, 1)
  })

  it("is a machine's setting, and what a project may set widens nothing", async () => {
    const open = await vs.host((vscode) => {
      const manifest = vscode.extensions.getExtension("belay.belay")?.packageJSON
      const all: Array<[string, { readonly scope: string }]> = Object.entries(
        manifest.contributes.configuration.properties
      )
      return all.filter(([, { scope }]) => scope !== "machine").map(([name]) => name)
    })
    const lists = ["enabled", "remindAfter", "completionNeedsAllDone"].map((name) => `belay.focusChain.${name}`)
    assert.deepEqual(open, lists)
  })

  it("is asked again of nobody when the person has denied it", async () => {
    await vs.tree("Needs you").act("parse.ts", "Deny")
    await vs.tree("Tasks").row("Write the parser").filter({ hasText: "Done" }).waitFor()
    assert.isFalse(existsSync(path.join(vs.workspace, "parse.ts")))
    assert.include(JSON.stringify(vs.model.requests.at(-1)?.body), "rejected this call")
  })
})

describe("the settings", () => {
  /** `null` takes it back. */
  const set = (name: string, value: unknown) =>
    vs.host(
      async (vscode, name, value) => {
        // `undefined` travels as `null`.
        await vscode.workspace.getConfiguration("belay").update(name, value ?? undefined, true)
      },
      name,
      value
    )

  it("are each described, with a type and a default", async () => {
    const bare = await vs.host((vscode) => {
      const { contributes } = vscode.extensions.getExtension("belay.belay")?.packageJSON ?? {}
      const all: Array<[string, Record<string, unknown>]> = Object.entries(contributes.configuration.properties)
      return all
        .filter(([, of]) => ["markdownDescription", "type", "default", "scope"].some((name) => of[name] === undefined))
        .map(([name]) => name)
    })
    assert.deepEqual(bare, [])
  })

  /** The id of a task, unless it is refused. */
  const begin = () =>
    vs.host(
      async (vscode) => (await vscode.commands.executeCommand<string | undefined>("belay.newTask", "Tidy up")) ?? null
    )

  it("that cannot be used are named", async () => {
    const wrong: ReadonlyArray<readonly [string, unknown]> = [
      ["approvals.commands", { allow: "git *;" }],
      ["budget.maxCostUsd", "much"]
    ]
    for (const [name, value] of wrong) {
      await set(name, value)
      assert.isNull(await begin())
      await set(name, null)
      await vs.notification(`the setting belay.${name}`)
      await vs.host(async (vscode) => void (await vscode.commands.executeCommand("notifications.clearAll")))
    }
  })

  it("that cannot be used stop a task before it starts", async () => {
    const wrong: ReadonlyArray<readonly [string, unknown]> = [
      ["tasks.concurrency", 0],
      ["sandbox", "yolo"],
      ["budget.maxRequests", 1.5],
      ["model.baseUrl", "somewhere"]
    ]
    const before = vs.model.requests.length
    for (const [name, value] of wrong) {
      await set(name, value)
      assert.isNull(await begin(), name)
      await set(name, null)
    }
    assert.equal(vs.model.requests.length, before)
  })

  it("that are right again let it start", async () => {
    assert.isString(await begin())
    await vs.tree("Tasks").row("Tidy up").filter({ hasText: "Done: Tidied" }).waitFor()
  })

  it("name the model of tasks that begin from now on", async () => {
    await vs.host((vscode) => void vscode.commands.executeCommand("belay.chooseModel"))
    await Lists.press(vs, "Model of Plan")
    await Lists.press(vs, "Another model…")
    await vs.input("model-2")
    await vs.until("the setting", (vscode) =>
      vscode.workspace.getConfiguration("belay").get("model.plan") === "model-2" ? true : undefined
    )
    await set("model.plan", null)
  })

  it("let a result wait for a person's yes, unless they say otherwise", async () => {
    await set("completion", null)
    await vs.host((vscode) => void vscode.commands.executeCommand("belay.newTask", "Tidy up again"))
    const row = vs.tree("Tasks").row("Tidy up again")
    await row.filter({ hasText: "Needs you: Tidied" }).waitFor()
    await vs.host((vscode) => void vscode.commands.executeCommand("belay.answer"))
    await Lists.press(vs, "1  Accept")
    await row.filter({ hasText: "Done: Tidied" }).waitFor()
    await set("completion", "auto")
  })

  it("have the prices of models from the file of both hosts, so that cost can be limited", async () => {
    const file = path.join(vs.env["BELAY_HOME"] ?? "", "settings.json")
    const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }
    const begin = () =>
      vs.host(async (vscode) => {
        await vscode.commands.executeCommand("belay.newTask", "Count")
      })
    await set("budget.maxCostUsd", 5)
    writeFileSync(file, JSON.stringify({ models: { "claude-sonnet-5-5": { price: "little" } } }))
    await begin()
    await vs.notification('the setting models.claude-sonnet-5-5.price cannot be "little"')
    writeFileSync(file, JSON.stringify({ models: { "claude-sonnet-5-5": { price } } }))
    await begin()
    await vs.tree("Tasks").row("Count").filter({ hasText: "Done: Counted" }).waitFor()
  })
})

describe("an import", () => {
  it("says what it would do, does it when a person says so, and is over the second time", async () => {
    const old = path.join(vs.workspace, "..", "rooveterinaryinc.roo-cline")
    const store = (name: string, content: string) => {
      mkdirSync(path.join(old, "tasks", path.dirname(name)), { recursive: true })
      writeFileSync(path.join(old, "tasks", name), content)
    }
    store("kept/history_item.json", JSON.stringify({ id: "kept", ts: 1_784_332_598_169, task: "Bring the old tasks" }))
    const turns = [{ role: "user", content: "Bring the old tasks" }]
    store("kept/api_conversation_history.json", JSON.stringify(turns))
    store("torn/history_item.json", "\0")
    const imports = () =>
      vs.host(
        async (vscode, folder) => (await vscode.commands.executeCommand("belay.importHistory", folder)) ?? null,
        old
      )
    // What was said before stands above what is said now, and the list shows few.
    await vs.host(async (vscode) => void (await vscode.commands.executeCommand("notifications.clearAll")))
    const importing = imports()
    await vs.notification("Found 2 tasks. 1 can be imported, 1 is damaged (copies are kept).")
    assert.isFalse(existsSync(path.join(vs.env["BELAY_HOME"] ?? "", "quarantine")))
    const message = vs.page.locator(".notification-list-item", { hasText: "Found 2 tasks" })
    await message.getByRole("button", { name: "Details" }).click()
    await vs.page.locator(".editor-group-container").getByText("it holds nothing but zeros").waitFor()
    await vs.notification("Found 2 tasks")
    await message.getByRole("button", { name: "Import" }).click()
    assert.deepNestedInclude(await importing, { "imported[0].taskId": "kept", "imported[0].status": "interrupted" })
    await vs.tree("Tasks").row("Bring the old tasks").filter({ hasText: "Interrupted" }).waitFor()
    assert.isNull(await imports())
    await vs.notification("Found 2 tasks. 1 was imported before, 1 is damaged")
  })
})
