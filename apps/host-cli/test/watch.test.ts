import { assert, describe, it } from "vitest"
import { belay, folder, json, start } from "./support/cli.ts"
import { held } from "./support/held.ts"
import { begin, delegated, id, owner, started, stopped } from "./support/states.ts"

/** The durable events of each task, as they were printed. */
const durable = (lines: ReadonlyArray<string>) => {
  const tasks = new Map<string, Array<string>>()
  for (const line of lines) {
    const event = JSON.parse(line)
    if (event.seq === undefined) continue
    tasks.set(event.taskId, [...(tasks.get(event.taskId) ?? []), line])
  }
  return Object.fromEntries(tasks)
}

const seqs = (lines: ReadonlyArray<string> | undefined) => (lines ?? []).map((line) => JSON.parse(line).seq)

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe("task watch", () => {
  it("shows a late watcher every durable event of the task and its subtasks, as the run itself printed them", async () => {
    const { child, env, root, run, server } = await held()
    const watcher = start(["task", "watch", root.slice(-6), "--output", "stream-json"], env)
    await watcher.waitForLine((line) => line.includes(`"taskId":"${child}"`))
    assert.isUndefined(watcher.stdout.find((line) => line.includes("task.completed")))
    server.release("parser")
    const [watched, ran] = await Promise.all([watcher.exit, run.exit])
    assert.deepStrictEqual([watched.code, ran.code], [0, 0])
    const events = durable(watched.stdout)
    assert.deepStrictEqual(events, durable(ran.stdout))
    assert.deepStrictEqual(seqs(events[root]), upTo(events[root]?.length ?? 0))
    assert.deepStrictEqual(seqs(events[child]), upTo(events[child]?.length ?? 0))
    assert.ok(watched.stdout.every((line) => JSON.parse(line).seq > 0))

    const [later, text, object] = await Promise.all([
      belay(["task", "watch", root, "--from", "5", "--output", "stream-json"], env),
      belay(["task", "watch", root], env),
      belay(["task", "watch", root, "--output", "json"], env)
    ])
    assert.deepStrictEqual(durable(later.stdout), { [root]: events[root]?.slice(4), [child]: events[child] })
    assert.strictEqual(text.stdout.at(-1), "✓ Done: Released.")
    assert.match(text.stdout[0] ?? "", /^\d\d:\d\d:\d\d start .* "Release 2\.0" {2}act$/)
    assert.deepStrictEqual(
      [json(object.stdout).outcome, json(object.stdout).children[0].result],
      ["succeeded", "Parsed."]
    )
  })

  it("outlives the process that is killed, says so, and writes nothing", async () => {
    const { child, env, root, run } = await held()
    const watcher = start(["task", "watch", root], env)
    await watcher.waitForLine((line) => line.includes(`${root.slice(-6)}/${child.slice(-6)}`))
    await run.kill("SIGKILL")
    const { code, stderr, stdout } = await watcher.exit
    assert.strictEqual(code, 0)
    assert.match(stderr[0] ?? "", /^"Release 2\.0" runs in process \d+ \(cli\)\. Following it, read-only; /)
    assert.strictEqual(stdout.at(-1), `Go on with: belay task resume ${root.slice(-6)}`)
    const shown = json((await belay(["task", "show", child, "--output", "json"], env)).stdout)
    assert.deepStrictEqual([shown.status, shown.derived, shown.lease.alive], ["active", "orphaned", false])
    const ofChild = await belay(["task", "watch", child], env)
    assert.include(ofChild.stdout, "‖ Interrupted: the process ended")
  })

  it("stays until the process of an interrupted task has stopped the subtasks too", async () => {
    const home = folder()
    const live = await owner(home)
    await live.commit(started(1, "Parent"), delegated(1, { 2: "Child" }), begin(2))
    const watcher = start(["task", "watch", "000001", "--output", "stream-json"], { BELAY_HOME: home })
    await watcher.waitForLine('"to":"delegated"')
    await live.commit(stopped(1))
    await watcher.waitForLine('"to":"interrupted"')
    await live.commit(stopped(2))
    const { code, stderr, stdout } = await watcher.exit
    const last = JSON.parse(stdout.at(-1) ?? "{}")
    assert.deepStrictEqual([code, last.taskId, last.to], [0, id(2), "interrupted"])
    assert.deepStrictEqual(stderr, ["‖ Interrupted: you stopped it", "Go on with: belay task resume 000001"])
    await live.close()
  })

  it("leaves the task running when it is stopped itself", async () => {
    const { child, env, root, server, run } = await held()
    const watcher = start(["task", "watch", root], env)
    await watcher.waitForLine((line) => line.includes(child.slice(-6)))
    assert.strictEqual((await watcher.kill("SIGINT")).code, 130)
    server.release("parser")
    assert.strictEqual((await run.exit).code, 0)
  })
})
