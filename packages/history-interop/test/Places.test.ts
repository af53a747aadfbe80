import { Agent, Places } from "@belay/history-interop"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { temporary } from "./support/folders.ts"

it.effect("finds the folders of every editor that hold tasks, each once, and looks into none", () =>
  Effect.gen(function* () {
    const home = yield* temporary
    const own = join(home, "elsewhere")
    const storage = (...names: ReadonlyArray<string>) => join(home, ...names, "User", "globalStorage")
    const expected: ReadonlyArray<Places.Place> = [
      { agent: "zoo", path: join(own, Agent.folders.zoo) },
      { agent: "cline", path: join(storage(".vscode-server", "data"), Agent.folders.cline) },
      { agent: "roo", path: join(storage(".local", "share", "code-server"), Agent.folders.roo) },
      { agent: "cline", path: join(home, ".cline", "data") }
    ]
    for (const place of expected) mkdirSync(join(place.path, "tasks"), { recursive: true })
    mkdirSync(join(storage(".vscode-server", "data"), Agent.folders.roo), { recursive: true })
    assert.deepStrictEqual(Places.find([own, own], {}, home), expected)
    for (const { agent, path } of expected) assert.strictEqual(Agent.ofPath(path), agent)
  }).pipe(Effect.scoped)
)
