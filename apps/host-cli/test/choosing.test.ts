import type { Ask } from "@belay/task-engine"
import { assert, describe, it } from "vitest"
import { choices, choose } from "../src/terminal/Choice.ts"
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
  it("have a letter each, and say what is allowed beyond this call", () => {
    assert.deepStrictEqual(choices(offered), [
      "y  Once",
      "a  For this task: edits of 'src/**'",
      "n  No; or type what to do instead"
    ])
    assert.strictEqual(choices(refused)[1], String.raw`-  Not for this task: It is protected.\u{1b}[2J`)
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
      "p  Always in this project (folder shop): the command 'npm test' in 'packages/a'"
    )
    for (const line of ["p", "3"]) {
      assert.deepStrictEqual(choose(line, always({})), { decision: "allow", grant: "always" })
    }
    const no = always({ allowed: false, rules: [], reason: "It always asks." })
    assert.strictEqual(choices(no)[2], "-  Not always: It always asks.")
    for (const line of ["p", "3"]) assert.isUndefined(choose(line, no))
  })

  it("do not repeat the reason that was just given", () => {
    const reason = "'.env' may hold secrets."
    const said = ask({ scope: "task", allowed: false, rules: [], reason: `${reason} (rule: path.secret)` })
    assert.strictEqual(
      choices({ ...said, reason, rule: "path.secret" })[1],
      "-  Not for this task, for the reason above"
    )
    assert.strictEqual(choices(said)[1], `-  Not for this task: ${reason} (rule: path.secret)`)
  })

  it("do not say a long command again that is the very one which is asked for", () => {
    const command = `node scripts/release.ts --channel next --dry-run && echo ${"x".repeat(20)}`
    const grant = { scope: "task" as const, allowed: true, rules: [`the command '${command}'`] }
    const long = { ...ask(grant), question: `execute_command ${JSON.stringify({ command })}` }
    assert.strictEqual(choices(long)[1], "a  For this task: this very command")
    assert.include(choices({ ...long, question: 'execute_command {"command":"ls"}' })[1], command)
  })

  it("are taken by their letter or number, and words are a no with a reason", () => {
    for (const line of ["y", "Y", "yes", "1", " 1 "])
      assert.deepStrictEqual(choose(line, offered), { decision: "allow" })
    for (const line of ["a", "2"]) assert.deepStrictEqual(choose(line, offered), { decision: "allow", grant: "task" })
    for (const line of ["n", "no", "4"]) assert.deepStrictEqual(choose(line, offered), { decision: "deny" })
    assert.deepStrictEqual([choose("5", offered), choose("v", offered)], ["why", "view"])
    assert.deepStrictEqual(choose("use npm ci", offered), { decision: "deny", text: "use npm ci" })
    assert.deepStrictEqual(choose("yes, but only once", offered), { decision: "deny", text: "yes, but only once" })
    // Neither a choice nor words: asked again.
    for (const line of ["", "3", "p", "6", "12", "x", "?"]) assert.isUndefined(choose(line, offered), line)
    for (const line of ["a", "2"]) assert.isUndefined(choose(line, refused))
  })
})
