import type { Ask } from "@belay/task-engine"
import { assert, describe, it } from "vitest"
import { choices, choose } from "../src/Terminal.ts"
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

  it("have always in the third place, with what is allowed and the only folder where it holds, or the reason why not", () => {
    const rules = ["the command 'npm test' in 'packages/a'"]
    const always = (offer: Partial<Ask["grants"][number]>) => ({
      ...offered,
      grants: [
        ...offered.grants,
        { scope: "always" as const, allowed: true, rules, folder: "/projects/shop", ...offer }
      ]
    })
    assert.strictEqual(
      choices(always({}))[2],
      "3 Always in this project (folder shop): the command 'npm test' in 'packages/a'"
    )
    assert.deepStrictEqual(choose("3", always({})), { decision: "allow", grant: "always" })
    const no = always({ allowed: false, rules: [], reason: "It always asks." })
    assert.strictEqual(choices(no)[2], "- Cannot be allowed always: It always asks.")
    assert.isUndefined(choose("3", no))
  })

  it("do not repeat the reason that was just given", () => {
    const reason = "'.env' may hold secrets."
    const said = ask({ scope: "task", allowed: false, rules: [], reason: `${reason} (rule: path.secret)` })
    assert.strictEqual(
      choices({ ...said, reason, rule: "path.secret" })[1],
      "- Cannot be allowed for this task, for the reason above"
    )
    assert.strictEqual(choices(said)[1], `- Cannot be allowed for this task: ${reason} (rule: path.secret)`)
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
