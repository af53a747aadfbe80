import { Attention } from "@belay/history-store"
import { readdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Cli from "./vscode/Cli.ts"
import * as Package from "./vscode/Package.ts"
import { completes, task, writes } from "./vscode/Scripts.ts"
import * as VSCode from "./vscode/VSCode.ts"

describe("the start of the editor", () => {
  let vs: VSCode.VSCode
  const badge = (text: string) => vs.page.locator(".activitybar .badge-content", { hasText: text })
  const home = (): ReadonlyArray<string> => readdirSync(vs.env["BELAY_HOME"] ?? "")

  beforeAll(async () => {
    vs = await VSCode.open({
      home: { "attention.json": Attention.format({ tasks: 3, asks: 4, interrupted: 0, oldest: [] }) },
      tasks: [task("Cut the release", writes("release.md", "2.0\n"), completes("Released"))]
    })
  })
  afterAll(() => vs.close())

  it("shows from one small file how many tasks need a person, and opens nothing", async () => {
    await badge("3").waitFor()
    assert.isTrue(await vs.host((vscode) => vscode.extensions.getExtension("belay.belay")?.isActive === true))
    assert.deepEqual(home(), ["attention.json"])
  })

  it("reads at most 20 kB of code", () => {
    assert.isBelow(Package.entrySize(), 20_000)
  })

  it("follows what the command line asks, while nothing is loaded", async () => {
    const run = Cli.start(vs, ["run", "Cut the release", "--input", "stream-json", "--output", "stream-json"])
    await badge("1").waitFor()
    await run.kill()
  })

  it("leaves the rest to the first look at a view, which counts for itself", async () => {
    writeFileSync(
      path.join(vs.env["BELAY_HOME"] ?? "", "attention.json"),
      Attention.format({ tasks: 9, asks: 9, interrupted: 0, oldest: [] })
    )
    await badge("9").waitFor()
    await vs.showTrees()
    await vs.tree("Tasks").row("Cut the release").waitFor()
    await badge("9").waitFor({ state: "detached" })
  })
})
