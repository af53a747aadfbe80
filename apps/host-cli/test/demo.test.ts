import { TaskHistory } from "@belay/history-store"
import { Processes } from "@belay/testkit"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { parse } from "../src/CommandLine.ts"
import * as LookAround from "../src/demo/LookAround.ts"
import * as DemoOutput from "../src/demo/DemoOutput.ts"
import * as Verdict from "../src/demo/Verdict.ts"
import { layerReader } from "./support/history.ts"

const app = path.resolve(import.meta.dirname, "..")
const manifest = JSON.parse(readFileSync(path.join(app, "package.json"), "utf8"))
const bin = path.join(app, manifest.bin.belay)
const scratch = mkdtempSync(path.join(os.tmpdir(), "belay-demo-test-"))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** A demo with a temporary folder and a home of its own, and traps in the environment. */
const start = (name: string) => {
  const temporary = path.join(scratch, name)
  const home = path.join(temporary, "user-home")
  mkdirSync(home, { recursive: true })
  const env = {
    TMPDIR: temporary,
    TEMP: temporary,
    HOME: home,
    USERPROFILE: home,
    XDG_DATA_HOME: undefined,
    XDG_CACHE_HOME: undefined,
    LANG: "C.UTF-8",
    ANTHROPIC_API_KEY: "sk-of-the-user",
    ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
    HTTPS_PROXY: "http://127.0.0.1:9",
    BELAY_HOME: path.join(home, "of-the-user"),
    BELAY_MODEL: "of-the-user",
    BELAY_FAILPOINT: "complete.commit.before"
  }
  return { temporary, home, process: Processes.spawnNode([bin, "demo"], { env }) }
}

const historyOf = (temporary: string): string => {
  const [folder = ""] = readdirSync(temporary).filter((name) => name.startsWith("belay-demo-"))
  return path.join(temporary, folder, "history")
}

const read = <A>(home: string, effect: Effect.Effect<A, unknown, TaskHistory>): Promise<A> =>
  Effect.runPromise(Effect.scoped(Effect.provide(effect, layerReader({ directory: home, kind: "test" }))))

/** The root and its subtasks with their events. */
const family = Effect.gen(function* () {
  const history = yield* TaskHistory
  const { rows } = yield* history.list({ limit: 2, rootsOnly: true })
  const [root] = rows
  assert(root !== undefined && rows.length === 1)
  const children = yield* history.children(root.record.id)
  const events = yield* Effect.forEach(children, (child) => history.events(child.record.id, 1, 1000))
  return { root, children, events, messages: yield* history.messages(root.record.id) }
})

const promised = [
  "1. Plan",
  "presents its plan",
  "2. Act",
  "checklist: 0 of 4 done",
  "runs node --test: fails (exit 1)",
  "edits src/cart.js",
  "runs node --test: passes",
  "Write the README     starts as a subtask",
  "Test the empty cart  starts as a subtask",
  "3. Kill it",
  "SIGKILL",
  "Waiting for 2",
  "Interrupted",
  "Interrupted",
  "4. Go on",
  "checklist: 4 of 4 done",
  "finishes:",
  "5. Check",
  "killed with SIGKILL while 2 subtasks were at work",
  "exactly once",
  "Nothing ran twice",
  "Done in"
]

describe("belay demo", () => {
  it("keeps its promises with real processes, and touches nothing else", async () => {
    const demo = start("whole")
    const { code, stderr, stdout } = await demo.process.exit
    assert.deepStrictEqual([code, stderr], [0, []])
    const output = stdout.join("\n")
    assert.notMatch(output, /[^\P{Cc}\n]/u)
    let from = 0
    for (const fact of promised) {
      const at = output.indexOf(fact, from)
      assert.notStrictEqual(at, -1, `"${fact}" is told, in its place:\n${output}`)
      from = at + fact.length
    }
    assert.strictEqual(output.split("reports its result to the task").length, 3)

    assert.deepStrictEqual(readdirSync(demo.home), [])
    assert.strictEqual(readdirSync(demo.temporary).length, 2)

    const { children, events, messages, root } = await read(historyOf(demo.temporary), family)
    assert.strictEqual(root.record.status, "completed")
    assert.strictEqual(children.length, 2)
    for (const [index, { record }] of children.entries()) {
      assert(record.status === "completed")
      assert.strictEqual(record.attempt, 2)
      const repairs = events[index]?.flatMap((event) => (event.type === "repaired" ? [event.rule] : []))
      assert.deepStrictEqual(repairs, ["ownerGone"])
      const results = messages
        .flatMap(({ content }) => content)
        .filter((block) => block.type === "tool_result" && block.tool_use_id === record.lineage.originCallId)
      assert.strictEqual(results.length, 1)
      assert.include(JSON.stringify(results), record.result)
    }

    const printed = stdout.filter((line) => line.includes("BELAY_HOME"))
    assert.strictEqual(printed.length, 3)
    for (const line of printed) {
      assert.include(line, bin)
      assert(Result.isSuccess(parse(line.slice(line.indexOf(" task ")).trim().split(" "))), line)
      if (process.platform === "win32") continue
      const shown = spawnSync("sh", ["-c", line], { encoding: "utf8", cwd: scratch })
      assert.deepStrictEqual([shown.status, shown.stderr], [0, ""], line)
      assert.include(shown.stdout, "Write the README", line)
    }
  })

  it.skipIf(process.platform === "win32")("stops at a signal with exit 130 and leaves no process behind", async () => {
    const demo = start("stopped")
    await demo.process.waitForLine((line) => line.includes("edits src/cart.js"))
    const { code } = await demo.process.kill("SIGINT")
    assert.strictEqual(code, 130)
    const { children, root } = await read(historyOf(demo.temporary), family)
    assert.deepStrictEqual(
      [root, ...children].filter((row) => row.lease?.alive === true),
      []
    )
  })
})

const good: Verdict.Facts = {
  untouchedByPlan: true,
  killedBy: "SIGKILL",
  atKill: { state: "waiting", unfinished: 2, begun: 2 },
  outcome: "succeeded",
  reports: ["a", "b"].map((title) => ({
    title,
    outcome: "succeeded",
    attempts: 2,
    repairs: ["ownerGone"],
    collected: 1,
    delivered: 1,
    isItsResult: true
  })),
  calls: [{ name: "read_file", started: 1, answered: 1 }],
  written: true,
  testsPass: true
}

const [report] = good.reports
assert(report !== undefined)
const withReport = (change: Partial<Verdict.ReportFacts>): Verdict.Facts => ({
  ...good,
  reports: [report, { ...report, ...change }]
})

describe("the verdict of the demo", () => {
  const broken: ReadonlyArray<readonly [string, number, Verdict.Facts]> = [
    ["plan mode wrote", 0, { ...good, untouchedByPlan: false }],
    ["the process ended by itself", 1, { ...good, killedBy: null }],
    ["a subtask was done before the kill", 1, { ...good, atKill: { ...good.atKill, unfinished: 1 } }],
    ["a subtask had not begun", 1, { ...good, atKill: { ...good.atKill, begun: 1 } }],
    ["the task waited for nothing", 1, { ...good, atKill: { ...good.atKill, state: "interrupted" } }],
    ["the task did not finish", 2, { ...good, outcome: null }],
    ["nothing was repaired", 2, withReport({ repairs: [] })],
    ["the same process went on", 2, withReport({ attempts: 1 })],
    ["a report came twice", 3, withReport({ delivered: 2 })],
    ["a report never came", 3, withReport({ delivered: 0 })],
    ["a report was collected twice", 3, withReport({ collected: 2 })],
    ["a report is another one", 3, withReport({ isItsResult: false })],
    ["a call ran twice", 4, { ...good, calls: [{ name: "write_to_file", started: 2, answered: 1 }] }],
    ["a call has no answer", 4, { ...good, calls: [{ name: "write_to_file", started: 1, answered: 0 }] }],
    ["a file is missing", 5, { ...good, written: false }],
    ["the tests fail", 5, { ...good, testsPass: false }]
  ]
  const failing = (facts: Verdict.Facts) =>
    Verdict.judge(facts, 2).flatMap(({ holds }, index) => (holds ? [] : [index]))

  it("holds for good facts", () => assert.deepStrictEqual(failing(good), []))
  it.each(broken)("breaks when %s", (_, claim, facts) => assert.deepStrictEqual(failing(facts), [claim]))
  it("breaks when a subtask is missing", () => assert.deepStrictEqual(failing({ ...good, reports: [report] }), [2, 3]))
})

describe("the commands for looking around", () => {
  const folder = path.join(scratch, "bin")
  const entry = path.join(folder, "it's belay.js")
  mkdirSync(folder)
  writeFileSync(entry, "")
  chmodSync(entry, 0o755)
  const nodes = path.join(scratch, "nodes")
  symlinkSync(path.dirname(process.execPath), nodes, "junction")
  const invocation: LookAround.Invocation = {
    execPath: process.execPath,
    execArgv: [],
    entry,
    env: { PATH: nodes },
    platform: "linux"
  }

  it("name the Node that only the checkout has, which a shell does not find", () => {
    const tools = path.join(scratch, ".tools")
    symlinkSync(path.dirname(process.execPath), tools, "junction")
    assert.match(LookAround.program(invocation), /^node /)
    assert.notMatch(LookAround.program({ ...invocation, env: { PATH: tools } }), /^node /)
  })

  it("name the file when the shell would not find this program", () => {
    const quoted = `'${LookAround.program(invocation).slice("node '".length, -1)}'`
    assert.strictEqual(quoted.replaceAll(String.raw`'\''`, "'"), `'${entry}'`)
    assert.match(LookAround.program({ ...invocation, env: {} }), /^'?\//)
  })

  it.skipIf(process.platform === "win32")("say belay when the shell finds this program under that name", () => {
    symlinkSync(entry, path.join(folder, "belay"))
    assert.strictEqual(LookAround.program({ ...invocation, env: { PATH: folder } }), "belay")
  })
})

describe("the demo's paper", () => {
  const shown = (color: boolean, ascii: boolean): string => {
    const lines: Array<string> = []
    const paper = DemoOutput.make((line) => lines.push(line), { color, ascii, plain: false, width: undefined })
    paper.stress(`${paper.branch(true)}${paper.sign("done")}`)
    return lines.join("")
  }
  it("has no control byte without colours", () => assert.strictEqual(shown(false, false), "└ ✓\n"))
  it("is seven bits where the locale has no more", () => assert.strictEqual(shown(false, true), "`-v\n"))
  it("adds colours to signs and takes nothing away", () => {
    assert.strictEqual(shown(true, false), "\u001b[1m└ \u001b[32m✓\u001b[39m\u001b[22m\n")
  })
})
