/** What comes hard and late: kills at any moment, a task that is taken over meanwhile, and a history of many tasks. */
import * as path from "node:path"
import { existsSync, readFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { full } from "../crash/steps.ts"
import { use } from "../support/asking.ts"
import { belay, folder } from "../support/cli.ts"
import { holdFrames, open, says } from "../support/Interactive.ts"
import { owner, started, stopped } from "../support/states.ts"

const kills = full ? 50 : 2
const tasks = full ? 10_000 : 250

/** A linear congruential generator: the same moments in every run. */
let seed = 4711
const random = (most: number): number => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return Math.floor(seed / 65_536) % most
}

const count = (text: string, part: string | RegExp): number => text.split(part).length - 1

describe("an interface that is killed", () => {
  it("at any moment is opened again with each row once and the draft, and nothing ran twice", async () => {
    const runs = use("execute_command", { command: "echo once >> ran.txt" })
    const answers = [{ content: [{ type: "text" as const, text: "I begin.\n\n" }, ...runs.content] }, says("The end.")]
    for (let n = 0; n < kills; n += 1) {
      // oxlint-disable-next-line no-await-in-loop
      const first = await open(answers, { args: ["--approvals", "all"] })
      first.screen.type("Work\r")
      const from = first.screen.written().length
      const moment = random(2200)
      // oxlint-disable-next-line no-await-in-loop
      await first.screen.seen((text) => first.screen.written().length - from > moment || text.includes("The end."))
      first.screen.type("half a thought")
      // oxlint-disable-next-line no-await-in-loop
      await first.screen.seen("half a thought")
      first.screen.kill()
      // oxlint-disable-next-line no-await-in-loop
      await first.screen.exit
      // oxlint-disable-next-line no-await-in-loop
      const { code } = await belay(["task", "show", "last"], { BELAY_HOME: first.home }, first.cwd)
      // oxlint-disable-next-line no-await-in-loop
      await first.server.close()
      if (code !== 0) continue
      // oxlint-disable-next-line no-await-in-loop
      const next = await open(answers, { of: first, args: ["-c", "--approvals", "all"] })
      // oxlint-disable-next-line no-await-in-loop
      await next.screen.seen("── Work ──")
      // What was typed in the moment of the kill may not be stored yet: no more than that is lost.
      next.screen.type("\u0003\r")
      // oxlint-disable-next-line no-await-in-loop
      const text = await next.screen.seen(/The end\.[^]*Act ›/)
      assert.strictEqual(count(text, /^› Work$/m), 1, text)
      assert.isAtMost(count(text, /^ {2}I begin\.$/m), 2, text)
      const file = path.join(first.cwd, "ran.txt")
      assert.isAtMost(existsSync(file) ? count(readFileSync(file, "utf8"), "once") : 0, 1)
      // What the killed one left is reset first.
      holdFrames(next.screen.written().replace("\u001B[0m", ""))
      next.screen.kill()
      // oxlint-disable-next-line no-await-in-loop
      await next.server.close()
    }
  })
})

describe("a task that is taken over while its interface is suspended", () => {
  it("is not written to, and one line says who took it", async () => {
    const { cwd, home, screen, server } = await open([{ ...says("It goes on and on."), hold: "rest", holdAt: 3 }], {
      shell: true
    })
    screen.type("Work\r")
    await server.waitForRequests(1)
    await screen.seen(/● Running/)
    screen.type("\u001A")
    await screen.seen(/A task stands still until then\.\n[^]*shell> /)
    const db = new DatabaseSync(path.join(home, "belay.db"), { timeout: 30_000 })
    db.exec("UPDATE owner SET machine_id = 'another', host = 'laptop'")
    const task = String(db.prepare("SELECT id FROM task").get()?.["id"])
    const taken = await belay(["task", "interrupt", task, "--take-over"], { BELAY_HOME: home }, cwd)
    assert.strictEqual(taken.code, 0, taken.stderr.join("\n"))
    const events = () => Number(db.prepare("SELECT count(*) AS n FROM timeline").get()?.["n"])
    const before = events()
    screen.type("fg\r")
    await screen.seen(/"Work" was taken over|taken over by/)
    assert.strictEqual(events(), before)
    db.close()
    screen.kill()
  })
})

describe(`a history of ${tasks} tasks`, () => {
  it("has each of them in the list, by what is typed of it", async () => {
    const home = folder()
    const cwd = folder()
    const dead = await owner(home)
    for (let n = 1; n <= tasks; n += 250) {
      const many = Array.from({ length: Math.min(250, tasks - n + 1) }, (_, at) => n + at)
      // oxlint-disable-next-line no-await-in-loop
      await dead.commit(...many.map((one) => [...started(one, `Task number ${one} of many`, cwd), stopped(one)]))
    }
    await dead.close()
    const { screen } = await open([], { of: { cwd, home, url: "" } })
    await screen.seen("? keys")
    screen.type("\u0014")
    await screen.seen(/^Open ›/m)
    screen.type(`number ${tasks - 7} of`)
    await screen.seen(new RegExp(`^> . Task number ${tasks - 7} of many .*\\n {2}type to filter`, "m"))
    screen.type("\r")
    await screen.seen(`── Task number ${tasks - 7} of many ──`)
    holdFrames(screen.written())
    screen.kill()
  })
})
