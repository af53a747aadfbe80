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

describe("where the files are not on this machine", () => {
  interface Welcome {
    readonly view: string
    readonly contents: string
    readonly when?: string
  }

  /** The conditions that are kept to here: words joined by "&&", each possibly negated. */
  const holds = (when: string, keys: ReadonlySet<string>): boolean =>
    when.split(" && ").every((word) => (word.startsWith("!") ? !keys.has(word.slice(1)) : keys.has(word)))

  it("the tasks' view says what they need, and offers no task", () => {
    const keys = new Set(["belay.loaded", "virtualWorkspace", "workspaceFolderCount > 0"])
    const all: ReadonlyArray<Welcome> = manifest.contributes.viewsWelcome
    const shown = all.filter(({ view, when = "" }) => view === "belay.tasks" && holds(when, keys))
    assert.lengthOf(shown, 1)
    assert.include(shown[0]?.contents, "commands need a folder of this machine")
    assert.notInclude(shown[0]?.contents, "belay.newTask")
  })
})
