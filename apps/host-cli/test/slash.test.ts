import { mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { belay, folder, json } from "./support/cli.ts"
import { id, owner, started, stopped } from "./support/states.ts"

const home = folder()
mkdirSync(path.join(home, "commands"))
writeFileSync(path.join(home, "commands", "review.md"), "---\ndescription: Review a change\n---\nReview $ARGUMENTS")
const env = { BELAY_HOME: home }

describe("what is typed with a slash", () => {
  it("shows the commands, with those that people have written, and makes no task", async () => {
    const [help, objects] = await Promise.all([
      belay(["run", "/help"], env),
      belay(["run", "/help", "--output", "json"], env)
    ])
    assert.deepStrictEqual([help.code, help.stderr], [0, []])
    for (const name of ["deep-planning", "compact", "plan", "act", "help"]) {
      assert.match(help.stdout.join("\n"), new RegExp(`^  /${name} +\\S`, "m"))
    }
    assert.match(help.stdout.join("\n"), /^ {2}\/review +Review a change$/m)
    assert.deepInclude(json(objects.stdout).commands, { name: "review", description: "Review a change" })
    assert.deepStrictEqual(json((await belay(["task", "list", "--output", "json"], env)).stdout).tasks, [])
  })

  it("shows with /help what of the folder the model reads, and what not, and why", async () => {
    const workspace = folder()
    writeFileSync(path.join(workspace, "CLAUDE.md"), "Read @notes.md and @missing.md")
    writeFileSync(path.join(workspace, "notes.md"), "Be brief.")
    const rows =
      /^Read in this folder once it is trusted \(belay trust\)\n {2}CLAUDE\.md +rules\n {2}notes\.md +rules$/m
    const left = /^Left out\n {2}missing\.md +there is no such file$/m
    const before = (await belay(["run", "/help"], env, workspace)).stdout.join("\n")
    assert.match(before, rows)
    assert.match(before, left)
    const trust = (await belay(["trust", "--yes"], env, workspace)).stdout.join("\n")
    assert.match(trust, left)
    assert.include(trust, "notes.md (1 line)\n  Be brief.")
    const after = (await belay(["run", "/help"], env, workspace)).stdout.join("\n")
    assert.match(after, /^Read in this folder, the first holds\n {2}CLAUDE\.md +rules$/m)
    const object = json((await belay(["run", "/help", "--output", "json"], env, workspace)).stdout)
    assert.deepInclude(object, { trusted: true, leftOut: [{ name: "missing.md", why: "there is no such file" }] })
  })

  it("says nothing to a task with /help; a name that nobody knows is text, and the nearest one is named", async () => {
    const dead = await owner(home)
    await dead.commit(started(1, "Stopped"), stopped(1))
    await dead.close()
    const show = async () =>
      json((await belay(["task", "show", id(1), "--messages", "--output", "json"], env)).stdout).messages
    const before = await show()
    const [sent, resumed] = [
      await belay(["task", "send", id(1), "/help"], env),
      await belay(["task", "resume", id(1), "/help"], env)
    ]
    for (const { code, stdout } of [sent, resumed]) {
      assert.deepStrictEqual([code, stdout.some((line) => line.startsWith("  /review "))], [0, true])
    }
    assert.deepStrictEqual(await show(), before)
    const wrong = await belay(["task", "send", id(1), "/reveiw the parser"], env)
    assert.deepStrictEqual(wrong.stderr, ['No command "/reveiw": sent as text. Did you mean /review?'])
    assert.include(JSON.stringify(await show()), "/reveiw the parser")
  })
})
