/** A run that goes on in a process of its own, and what is left of it when that one is killed. */
import { ScriptedServer } from "@belay/testkit"
import { existsSync, readFileSync, readlinkSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { completes, use } from "./support/asking.ts"
import { alone, belay, folder, json } from "./support/cli.ts"

const write = use("write_to_file", { path: "one.txt", content: "1" }, "w")
const asks = use("ask_followup_question", { question: "Which?" }, "q")

describe("run --detach", () => {
  const home = folder()
  const cwd = folder()
  let server: Awaited<ReturnType<typeof ScriptedServer.startServer>>
  let env: { readonly BELAY_HOME: string; readonly ANTHROPIC_BASE_URL: string }
  const pids = new Set<number>()

  beforeAll(async () => {
    server = await ScriptedServer.startServer({
      tasks: [
        { match: { prompt: "Alpha job" }, shared: true, answers: [write, asks, completes("Done.")] },
        { match: { prompt: "Beta job" }, shared: true, answers: [asks, completes("Went on.")] }
      ]
    })
    env = { BELAY_HOME: home, ANTHROPIC_BASE_URL: server.url }
  })
  afterAll(async () => {
    for (const pid of pids) {
      try {
        process.kill(pid, "SIGKILL")
      } catch {
        // It has ended.
      }
    }
    await server.close()
  })

  const show = async (id: string) => json((await belay(["task", "show", id, "--output", "json"], env)).stdout)

  /** Looks until it is so; the test has a limit of its own. */
  const until = async (id: string, fits: (task: any) => boolean): Promise<any> => {
    for (;;) {
      const task = await show(id)
      if (typeof task.lease?.pid === "number") pids.add(task.lease.pid)
      if (fits(task)) return task
    }
  }

  const isOpen = (kind: string) => (task: any) => task.asks.some((ask: any) => ask.open && ask.kind === kind)

  const begin = async (prompt: string) => {
    const { code, stderr, stdout } = await alone(["run", "--detach", prompt, "--output", "json"], env, cwd)
    assert.deepStrictEqual([code, stdout.length], [0, 1], stderr.join("\n"))
    assert.match(stderr.join("\n"), /^At most 250 requests, since nobody is there/m)
    const { outcome, taskId } = json(stdout)
    assert.isNull(outcome)
    return String(taskId)
  }

  it("goes on by itself, waits for answers from elsewhere, and ends with the task", async () => {
    const id = await begin("Alpha job")
    const { asks: open, lease } = await until(id, isOpen("approval"))
    assert.deepStrictEqual([lease.alive, lease.kind], [true, "cli"])
    if (process.platform === "linux") {
      const stat = readFileSync(`/proc/${lease.pid}/stat`, "utf8")
      const [, , , session, terminal] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      assert.deepStrictEqual([session, terminal], [String(lease.pid), "0"], "a session of its own, without a terminal")
      const streams = [1, 2].map((fd) => readlinkSync(`/proc/${lease.pid}/fd/${fd}`))
      assert.deepStrictEqual(streams, ["/dev/null", "/dev/null"])
    }
    assert.isFalse(existsSync(path.join(cwd, "one.txt")))
    assert.strictEqual((await belay(["task", "answer", id, open[0].askId, "--allow"], env)).code, 0)
    await until(id, isOpen("question"))
    assert.strictEqual(readFileSync(path.join(cwd, "one.txt"), "utf8"), "1")
    assert.strictEqual((await belay(["task", "answer", id, "--text", "this one"], env)).code, 0)
    const done = await until(id, (task) => task.status === "completed" && task.lease === null)
    assert.deepStrictEqual([done.outcome, done.result], ["succeeded", "Done."])
  })

  it("is resumable when its process is killed, as after a crash", async () => {
    const id = await begin("Beta job")
    const { lease } = await until(id, isOpen("question"))
    process.kill(lease.pid, "SIGKILL")
    await until(id, (task) => task.derived === "orphaned" || task.lease?.alive === false || task.lease === null)
    const resumed = await alone(["task", "resume", id, "--detach"], env, cwd)
    assert.strictEqual(resumed.code, 2, "a flag of run alone")
    const again = await alone(["run", "--resume", id, "--detach"], env, cwd)
    assert.strictEqual(again.code, 0, again.stderr.join("\n"))
    assert.deepStrictEqual(again.stdout, [
      `Runs on by itself as ${id.slice(-6)}.`,
      `  Follow it:  belay task watch ${id.slice(-6)}`,
      `  Answer it:  belay task answer ${id.slice(-6)} --allow (what asks waits for 24 hours)`,
      `  Stop it:    belay task interrupt ${id.slice(-6)}`
    ])
    await until(id, (task) => task.lease?.alive === true && isOpen("question")(task))
    assert.strictEqual((await belay(["task", "interrupt", id], env)).code, 0)
    const stopped = await until(id, (task) => task.lease === null)
    assert.deepStrictEqual([stopped.status, stopped.interruption.reason], ["interrupted", "user"])
    assert.isTrue(isOpen("question")(stopped), "its ask stays open")
  })

  it("says what keeps it from beginning, with the same code, and leaves nothing", async () => {
    const refusals: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
      [["Work", "--mode", "sideways"], /^belay: --mode cannot be "sideways"\./],
      [["Work", "--output", "stream-json"], /^belay: --output stream-json follows a run that --detach leaves\./],
      [["Work", "--input", "stream-json"], /^belay: --input answers a run that --detach leaves\./],
      [["--resume", "nothing"], /^belay: no task "nothing"\./]
    ]
    for (const [args, said] of refusals) {
      const { code, stderr, stdout } = await alone(["run", "--detach", ...args], env, cwd)
      assert.strictEqual(code, 2, stderr.join("\n"))
      if (!args.includes("--output")) assert.deepStrictEqual(stdout, [])
      assert.match(stderr.at(-1) ?? "", said)
    }
  })
})
