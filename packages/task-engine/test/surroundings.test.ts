import { Approvals } from "@belay/approval-policy"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { execFileSync } from "node:child_process"
import * as Conditions from "../src/prompt/Conditions.ts"
import type { Settings } from "@belay/settings"
import { UserPort } from "../src/index.ts"
import { calls, completes, make, requestsOf, resume, run, script, type World } from "./world.ts"

const environmentOf = (request: any): ReadonlyArray<string> =>
  request.messages[0].content
    .map(({ text }: any) => text)
    .find((text: string) => text.startsWith("<environment>"))
    .split("\n")

const notesOf = (request: any): ReadonlyArray<string> =>
  request.messages.flatMap(({ content }: any) =>
    content.flatMap(({ text = "" }: any) => (/^\[(?:It is|The approvals are)/u.test(text) ? [text] : []))
  )

const asks = calls(["ask_followup_question", { question: "?" }])

const nobody = "nobody is there to answer: what asks is denied, and a question ends the run"
const somebody = "the user is there to answer"

const attended = Layer.succeed(UserPort, {
  attended: true,
  approve: () => Effect.succeed({ decision: "allow" as const }),
  answer: () => Effect.succeed({ text: "Go on" })
})

/** The clock of a later day. */
const later = (days: number) =>
  Effect.updateService(Clock.Clock, (clock) => {
    const ms = days * 24 * 3_600_000
    const other: Clock.Clock = Object.assign(Object.create(clock), {
      currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + ms),
      currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + ms
    })
    return other
  })

describe("what runs without asking", () => {
  it("is told in one line, with who answers", () => {
    const line = (given: Approvals.Approvals) => Conditions.approvals(given, true)
    assert.strictEqual(
      Conditions.approvals(Approvals.ask, false),
      `reads and commands that only read run; edits in the working directory, other commands, web pages and paths outside ask; ${nobody}`
    )
    assert.strictEqual(
      line(Approvals.edits),
      `reads, edits in the working directory and commands that only read run; other commands, edits of what later commands execute (package.json, Makefile, CI ...), web pages and paths outside ask; ${somebody}`
    )
    assert.strictEqual(
      line(Approvals.all),
      `reads, edits in the working directory, commands, web pages and paths outside run; edits of what later commands execute (package.json, Makefile, CI ...) and commands that change what lies outside ask; ${somebody}`
    )
    assert.strictEqual(
      line({ ...Approvals.all, protected: "allow" }),
      `reads, edits in the working directory, commands, web pages and paths outside run; commands that change what lies outside ask; ${somebody}`
    )
    assert.strictEqual(
      line({ ...Approvals.all, fetch: "deny", enabled: false }),
      `reads, edits in the working directory, commands and paths outside ask; web pages are denied; ${somebody}`
    )
    const careful = { ...Approvals.ask, commands: { ...Approvals.ask.commands, readOnly: "ask" as const } }
    assert.strictEqual(
      line(careful),
      `reads run; edits in the working directory, commands, web pages and paths outside ask; ${somebody}`
    )
  })

  it("says how commands run: confined with which hosts, or not", () => {
    const confined = { _tag: "Confined", by: "bubblewrap" } as const
    const none = { sandbox: "preferred", allowedDomains: [], approvals: Approvals.ask } as const
    const rest = "writes only in the working directory); what the user approves runs without it"
    assert.strictEqual(Conditions.commands(none, confined), `in a sandbox (no network, ${rest}`)
    assert.strictEqual(
      Conditions.commands({ ...none, allowedDomains: ["a.example", "b.example"] }, confined),
      `in a sandbox (no network but a.example, b.example, ${rest}`
    )
    const added = { ...Approvals.edits, folders: ["/lib"] }
    assert.include(
      Conditions.commands({ ...none, approvals: added }, confined),
      "only in the working directory and /lib);"
    )
    // macOS has no /tmp of its own for a box.
    assert.include(
      Conditions.commands(none, { _tag: "Confined", by: "seatbelt" }),
      "only in the working directory and $TMPDIR (not /tmp));"
    )
    assert.strictEqual(Conditions.commands({ ...none, sandbox: "off" }, confined), "without a sandbox")
    const missing = { _tag: "Unavailable", reason: "There is none." } as const
    assert.strictEqual(Conditions.commands(none, missing), "without a sandbox")
    assert.strictEqual(
      Conditions.commands({ ...none, sandbox: "required" }, missing),
      "each asks: a sandbox is required, and there is none"
    )
  })
})

describe("a task", () => {
  const git = (cwd: string, ...args: ReadonlyArray<string>) =>
    execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@y", ...args], { cwd, stdio: "ignore" })

  const linesOf = (world: World, settings: Partial<Settings.TaskSettings> = {}) =>
    Effect.gen(function* () {
      yield* world.session(run(world.task("here", {}, { sandbox: "off", ...settings })))
      return (environmentOf(requestsOf(world, "here").at(-1)) ?? []).filter((line) => /^(?:Git|Folder): /u.test(line))
    })

  it.live("is told what git knows of its folder and what stands there, as far as it may be read", () =>
    Effect.gen(function* () {
      const world = yield* make([{ ...script("here", completes("done")), shared: true }])
      assert.deepStrictEqual(yield* linesOf(world), ["Git: no repository"])
      for (const name of [
        "a.ts",
        "src/b.ts",
        "src/c.ts",
        "src/deep/d.ts",
        "with blank",
        "node_modules/x/y.js",
        "<z>"
      ]) {
        world.write(name, "1")
      }
      world.write(".gitignore", "node_modules\n")
      git(world.workspace, "init", "--quiet", "--initial-branch", "trunk")
      const folder = 'Folder: .gitignore ‹z> a.ts src/ (3) "with blank"'
      assert.deepStrictEqual(yield* linesOf(world), ["Git: branch trunk, 5 not tracked", folder])
      git(world.workspace, "add", ".")
      git(world.workspace, "commit", "--quiet", "-m", "first")
      assert.deepStrictEqual(yield* linesOf(world), ["Git: branch trunk, nothing changed", folder])
      world.write("a.ts", "2")
      world.write("src/b.ts", "2")
      world.write("src/new.ts", "2")
      assert.include(yield* linesOf(world), "Git: branch trunk, 2 files changed, 1 not tracked")
      git(world.workspace, "checkout", "--quiet", "--detach")
      assert.include(yield* linesOf(world), "Git: no branch, 2 files changed, 1 not tracked")
      // Its settings start programs: git is not asked.
      git(world.workspace, "config", "filter.trap.clean", "./trap.sh")
      assert.deepStrictEqual(yield* linesOf(world), [folder.replace("(3)", "(4)")])
      assert.deepStrictEqual(yield* linesOf(world, { approvals: { ...Approvals.all, read: "ask" } }), [])
    })
  )

  it.live("is told no more of a full folder than fits a line", () =>
    Effect.gen(function* () {
      const world = yield* make([script("here", completes("done"))])
      for (let at = 0; at < 100; at++) world.write(`file-${at}`, "")
      const [, folder = ""] = yield* linesOf(world)
      assert.match(folder, /^Folder: file-0 file-1 .* and 40 more$/u)
    })
  )

  it.live("is told its surroundings once, and later only what has changed, which changes nothing that was sent", () =>
    Effect.gen(function* () {
      const world = yield* make([script("here", asks, asks, calls(["list_files", {}]), completes("done"))])
      const { id } = yield* world.session(run(world.task("here", {}, { sandbox: "off" })))
      const again = yield* world.session(resume(id, { message: "Go on" }))
      assert.strictEqual(again.record.status, "interrupted")
      const { record } = yield* later(400)(world.session(resume(id, { message: "Go on" }), { person: attended }))
      assert.strictEqual(record.status, "completed")
      const requests = requestsOf(world, "here")
      const [first] = requests.map(environmentOf)
      assert.includeMembers(
        [...(first ?? [])],
        [
          `Working directory: ${world.workspace}`,
          "Commands: without a sandbox",
          `Approvals: reads, edits in the working directory, commands, web pages and paths outside run; edits of what later commands execute (package.json, Makefile, CI ...) and commands that change what lies outside ask; ${nobody}`
        ]
      )
      const day = first?.find((line) => line.startsWith("Date: "))?.slice("Date: ".length) ?? ""
      const next = new Date(Date.parse(day) + 400 * 24 * 3_600_000).toISOString().slice(0, 10)
      const told = [
        `[It is ${next} now.]`,
        `[The approvals are now: reads, edits in the working directory, commands, web pages and paths outside run; edits of what later commands execute (package.json, Makefile, CI ...) and commands that change what lies outside ask; ${somebody}.]`
      ]
      assert.deepStrictEqual(requests.map(notesOf), [[], [], told, told])
      for (const request of requests) assert.deepStrictEqual(environmentOf(request), first)
    })
  )
})
