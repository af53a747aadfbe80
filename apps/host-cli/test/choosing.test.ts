import type { Grant } from "@belay/approval-policy"
import type { Ask } from "@belay/task-engine"
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import * as Always from "../src/settings/Always.ts"
import { choices, choose } from "../src/Terminal.ts"
import { folder } from "./support/cli.ts"
import { id } from "./support/states.ts"

const ask = (task: Ask["grants"][number]): Ask => ({
  taskId: id(1),
  title: "Release 2.0",
  askId: "k",
  kind: "approval",
  grants: [{ scope: "once", allowed: true, rules: [] }, task]
})

const offered = ask({ scope: "task", allowed: true, rules: ["edits of 'src/**'"] })
const refused = ask({ scope: "task", allowed: false, rules: [], reason: "It is protected.\u001B[2J" })

describe("the choices of an approval", () => {
  it("keep their places, 1 to 3 to allow and 4 and 5 to refuse, and say what is allowed beyond this call", () => {
    assert.deepStrictEqual(choices(offered), [
      "1 Allow once",
      "2 Allow for this task: edits of 'src/**'",
      "4 Deny",
      "5 Deny, say why"
    ])
    assert.strictEqual(choices(refused)[1], String.raw`- Cannot be allowed for this task: It is protected.\u{1b}[2J`)
  })

  it("have always in the third place, with the very entry that is stored, or the reason why not", () => {
    const entry = '{"commands":{"allow":["=npm test"]}}'
    const always = (offer: Partial<Ask["grants"][number]>) => ({
      ...offered,
      grants: [...offered.grants, { scope: "always" as const, allowed: true, rules: [entry], ...offer }]
    })
    assert.strictEqual(choices(always({}))[2], `3 Allow always, in your settings: ${entry}`)
    assert.deepStrictEqual(choose("3", always({})), { decision: "allow", grant: "always" })
    const no = always({ allowed: false, rules: [], reason: "It always asks." })
    assert.strictEqual(choices(no)[2], "- Cannot be allowed always: It always asks.")
    assert.isUndefined(choose("3", no))
  })

  it("are stored for always as they were shown, also beside a preset, and come back out", async () => {
    const home = folder()
    const file = path.join(home, "settings.json")
    const before = process.env["BELAY_HOME"]
    process.env["BELAY_HOME"] = home
    try {
      const kept = (setting: Grant.Setting) => Effect.runPromise(Always.keep(setting))
      for (const start of [undefined, { approvals: "edits", model: { act: "m" } }, { approvals: { read: "ask" } }]) {
        if (start !== undefined) writeFileSync(file, JSON.stringify(start))
        const undo = await kept({ commands: { allow: ["=npm test"] } })
        await kept({ commands: { allow: ["=npm test"] }, paths: [{ pattern: "src/**", edit: "allow" }] })
        const { approvals } = JSON.parse(readFileSync(file, "utf8"))
        assert.deepStrictEqual(
          [approvals.commands.allow, approvals.paths],
          [["=npm test"], [{ pattern: "src/**", edit: "allow" }]]
        )
        assert.strictEqual(undo, `belay config set approvals '${JSON.stringify(start?.approvals ?? null)}'`)
      }
      writeFileSync(file, '{"nonsense":1}')
      assert.isUndefined(await kept({ commands: { allow: ["ls"] } }))
      assert.strictEqual(readFileSync(file, "utf8"), '{"nonsense":1}')
    } finally {
      if (before === undefined) delete process.env["BELAY_HOME"]
      else process.env["BELAY_HOME"] = before
    }
  })

  it("are taken by their number alone: nothing else that is typed answers", () => {
    assert.deepStrictEqual(choose("1", offered), { decision: "allow" })
    assert.deepStrictEqual(choose("2", offered), { decision: "allow", grant: "task" })
    assert.deepStrictEqual(choose("4", offered), { decision: "deny" })
    assert.strictEqual(choose("5", offered), "why")
    for (const line of ["", "3", "6", "yes", "1 ", "12"]) assert.isUndefined(choose(line, offered), line)
    assert.isUndefined(choose("2", refused))
  })
})
