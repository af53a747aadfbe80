import { readFileSync, statSync } from "node:fs"
import * as path from "node:path"
import vm from "node:vm"
import { assert, describe, it } from "vitest"

const dist = path.resolve(import.meta.dirname, "../dist")
const manifest = JSON.parse(readFileSync(path.join(dist, "package.json"), "utf8"))
const entry = path.join(dist, manifest.browser)

describe("where there is no machine", () => {
  it("the entry is at most 15 kB and reaches for nothing but the editor", () => {
    assert.isAtMost(statSync(entry).size, 15_000)
    const asked = [...readFileSync(entry, "utf8").matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name)
    assert.deepEqual(asked, ["vscode"])
  })

  it("the view says why nothing runs, and every command says it too", () => {
    const contexts: Array<unknown> = []
    const registered = new Map<string, () => unknown>()
    const said: Array<string> = []
    const vscode = {
      commands: {
        executeCommand: (...args: ReadonlyArray<unknown>) => void contexts.push(args),
        registerCommand: (id: string, run: () => unknown) => registered.set(id, run)
      },
      window: {
        registerTreeDataProvider: () => ({}),
        showInformationMessage: (line: string) => void said.push(line)
      }
    }
    const exports: { activate?: (context: unknown) => void } = {}
    vm.runInNewContext(readFileSync(entry, "utf8"), { require: () => vscode, exports })
    exports.activate?.({ extension: { packageJSON: manifest }, subscriptions: [] })
    assert.deepEqual(contexts, [["setContext", "belay.noMachine", true]])
    const commands = manifest.contributes.commands.map(({ command }: { readonly command: string }) => command)
    assert.sameMembers([...registered.keys()], commands)
    registered.get("belay.newTask")?.()
    const welcome = manifest.contributes.viewsWelcome.find(
      ({ when }: { readonly when?: string }) => when === "belay.noMachine"
    )
    assert.isTrue(welcome.contents.startsWith(said[0]))
  })
})
