import { writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Scripts from "./vscode/Scripts.ts"
import * as VSCode from "./vscode/VSCode.ts"

describe("the settings", () => {
  let vs: VSCode.VSCode
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

  beforeAll(async () => {
    vs = await VSCode.open({
      tasks: [Scripts.task("Tidy up", Scripts.completes("Tidied")), Scripts.task("Count", Scripts.completes("Counted"))]
    })
    await vs.showTrees()
  })
  afterAll(() => vs.close())

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
      ["mode", "yolo"],
      ["budget.maxRequests", 1.5],
      ["model.baseUrl", "somewhere"]
    ]
    for (const [name, value] of wrong) {
      await set(name, value)
      assert.isNull(await begin(), name)
      await set(name, null)
    }
    assert.equal(vs.model.requests.length, 0)
  })

  it("that are right again let it start", async () => {
    assert.isString(await begin())
    await vs.tree("Tasks").row("Tidy up").filter({ hasText: "Done: Tidied" }).waitFor()
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
