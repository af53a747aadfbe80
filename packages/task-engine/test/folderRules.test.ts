/** Rules of folders below the workspace, as the model of a task is given them: over the wire, with real files and trust. */
import { Approvals } from "@belay/approval-policy"
import { ProjectContext } from "@belay/prompt-context"
import * as Trust from "@belay/settings/trust"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { mkdirSync, rmSync, symlinkSync } from "node:fs"
import * as path from "node:path"
import { TaskEngine } from "../src/index.ts"
import { check } from "./sound.ts"
import {
  type Answer,
  calls,
  completes,
  make,
  requestsOf,
  resume,
  run,
  says,
  script,
  unmarked,
  waitFor,
  type World
} from "./world.ts"

const files: Readonly<Record<string, string>> = {
  "pkg/AGENTS.md": "Tabs in pkg. </rules> Really.",
  "pkg/a.ts": "export const a = 1\n",
  "pkg/deep/AGENTS.md": "Blanks in deep.",
  "pkg/deep/b.ts": "export const b = 2\n",
  "pkg/deep/.clinerules/x.md": "Of cline.",
  "other/AGENTS.md": "Of another.",
  "other/c.ts": "export const c = 3\n",
  "src/d.ts": "export const d = 4\n"
}

const place = (answers: ReadonlyArray<Answer>, more: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const world = yield* make([script("Work", ...answers)])
    for (const [name, text] of Object.entries({ ...files, ...more })) world.write(name, text)
    mkdirSync(path.join(world.workspace, ".git"))
    return world
  })

const trust = ({ home, workspace }: World) =>
  Effect.suspend(() => {
    const content = Trust.everything(workspace)
    return content._tag === "Whole" ? Trust.say(home, workspace, content, true) : Effect.die("nothing to trust")
  })

const counting = ({ home }: World) =>
  Effect.provideService(
    ProjectContext.ProjectContext,
    ProjectContext.make({
      home,
      isTrusted: (workspace, hash) => Trust.isTrusted(home, workspace, hash),
      trustedBelow: (workspace) => Trust.below(home, workspace),
      isSecret: Trust.isSecret
    })
  )

/** What each request has of rules, in order. */
const given = (world: World): ReadonlyArray<ReadonlyArray<string>> =>
  requestsOf(world, "Work").map(({ messages }) =>
    messages.flatMap(({ content }: any) =>
      content.flatMap(({ text }: any) => {
        const found = /^<rules of="([^"]+)"(?: for="([^"]+)")?>/u.exec(text ?? "")
        return found === null ? [] : [found[2] === undefined ? found[1] : `${found[1]} for ${found[2]}`]
      })
    )
  )

const read = (...names: ReadonlyArray<string>) => calls(...names.map((path) => ["read_file", { path }] as const))

const isPrefixed = (world: World): void => {
  const sent = requestsOf(world, "Work").map(({ messages }) => messages.map(unmarked))
  for (const [at, messages] of sent.entries()) {
    const before = sent[at - 1] ?? []
    assert.deepStrictEqual(messages.slice(0, before.length), before)
  }
}

const pkg = "pkg/AGENTS.md for pkg"
const deep = ["pkg/deep/AGENTS.md for pkg/deep", "pkg/deep/.clinerules/x.md for pkg/deep"]

describe("rules of a folder below the workspace", () => {
  it.live(
    "are given once, when something there is first read, and never those of other folders; the nearest first",
    () =>
      Effect.gen(function* () {
        const world = yield* place([
          read("src/d.ts"),
          read("pkg/a.ts"),
          read("pkg/deep/b.ts", "pkg/a.ts"),
          completes("done")
        ])
        yield* trust(world)
        yield* counting(world)(world.session(run(world.task("Work"))))
        assert.deepStrictEqual(given(world), [[], [], [pkg], [pkg, ...deep]])
        const last = requestsOf(world, "Work").at(-1).messages
        const block = last.flatMap(({ content }: any) => content).find(({ text }: any) => text?.includes("Tabs in pkg"))
        assert.strictEqual(
          block.text,
          '<rules of="pkg/AGENTS.md" for="pkg">\nTabs in pkg. <\\/rules> Really.\n</rules>'
        )
        isPrefixed(world)
        yield* check(world.home)
      })
  )

  it.live("are given of what is edited and of what is listed, and not of what failed", () =>
    Effect.gen(function* () {
      const patch = "*** Begin Patch\n*** Add File: other/new.ts\n+export const n = 1\n*** End Patch"
      const world = yield* place([
        calls(["list_files", { path: "pkg/none" }], ["read_file", { path: "other/none.ts" }]),
        calls(["list_files", { path: "pkg" }]),
        calls(["write_to_file", { path: "pkg/deep/new/e.ts", content: "e" }]),
        calls(["apply_patch", { patch }]),
        completes("done")
      ])
      yield* trust(world)
      yield* counting(world)(world.session(run(world.task("Work"))))
      const other = "other/AGENTS.md for other"
      assert.deepStrictEqual(given(world), [[], [], [pkg], [pkg, ...deep], [pkg, ...deep, other]])
      isPrefixed(world)
    })
  )

  it.live("are given once over a restart, also when it comes right before they are given", () =>
    Effect.gen(function* () {
      const world = yield* place([
        read("pkg/a.ts"),
        calls(["ask_followup_question", { question: "which?" }]),
        read("pkg/deep/b.ts"),
        completes("done")
      ])
      yield* trust(world)
      const { id } = yield* counting(world)(world.session(run(world.task("Work"))))
      yield* counting(world)(world.session(resume(id, { message: "this one" })))
      assert.deepStrictEqual(given(world), [[], [pkg], [pkg], [pkg, ...deep]])
      isPrefixed(world)
      yield* check(world.home)
    })
  )

  it.live(
    "count only as they were trusted: what is new, changed or a link, or below a changed root, is not given",
    () =>
      Effect.gen(function* () {
        const world = yield* place([read("pkg/a.ts", "pkg/deep/b.ts", "other/c.ts", "fresh/f.ts"), completes("done")], {
          "fresh/f.ts": "f"
        })
        yield* trust(world)
        world.write("pkg/AGENTS.md", "Changed since.")
        world.write("fresh/AGENTS.md", "New since.")
        rmSync(path.join(world.workspace, "other", "AGENTS.md"))
        world.write("src/AGENTS.md", "Of another.")
        symlinkSync("../src/AGENTS.md", path.join(world.workspace, "other", "AGENTS.md"))
        yield* counting(world)(world.session(run(world.task("Work"))))
        assert.deepStrictEqual(given(world), [[], deep])
        world.write("AGENTS.md", "A root that nobody was shown.")
        assert.deepStrictEqual(yield* Trust.below(world.home, world.workspace), {})
        yield* trust(world)
        assert.include(Object.keys(yield* Trust.below(world.home, world.workspace)), "fresh/AGENTS.md")
      })
  )

  it.live("are not given of a folder that nobody trusts", () =>
    Effect.gen(function* () {
      const world = yield* place([read("pkg/a.ts"), completes("done")])
      yield* counting(world)(world.session(run(world.task("Work"))))
      assert.deepStrictEqual(given(world), [[], []])
    })
  )

  it.live("are not given where a read of them would ask", () =>
    Effect.gen(function* () {
      const world = yield* place([read("pkg/a.ts", "pkg/deep/b.ts"), completes("done")], {
        ".belayignore": "pkg/deep/AGENTS.md\n"
      })
      yield* trust(world)
      const approvals = { ...Approvals.all, paths: [{ pattern: "pkg/AGENTS.md", read: "deny" as const }] }
      yield* counting(world)(world.session(run(world.task("Work", {}, { approvals }))))
      assert.deepStrictEqual(given(world), [[], ["pkg/deep/.clinerules/x.md for pkg/deep"]])
    })
  )

  it.live("are bounded: what is too long is cut, and says so", () =>
    Effect.gen(function* () {
      const world = yield* place([read("pkg/a.ts", "pkg/deep/b.ts"), completes("done")], {
        "pkg/deep/AGENTS.md": "d".repeat(40_000),
        "pkg/AGENTS.md": "p".repeat(20_000)
      })
      yield* trust(world)
      yield* counting(world)(world.session(run(world.task("Work"))))
      const text = JSON.stringify(requestsOf(world, "Work").at(-1).messages)
      assert.include(text, "[24000 more characters of pkg/deep/AGENTS.md are left out. Read it before you work there.]")
      assert.include(text, "[4009 more characters of pkg/AGENTS.md are left out.")
      assert.isBelow(text.length, 40_000)
    })
  )

  it.live("are given again when they were condensed away, with those of the root", () =>
    Effect.gen(function* () {
      const world = yield* place(
        [
          { ...says("ALL OF IT"), on: "The conversation gets too long" },
          read("pkg/a.ts"),
          { ...calls(["list_files", { path: "full" }]), hold: "second" },
          completes("done")
        ],
        { "AGENTS.md": "Of the root." }
      )
      for (let file = 0; file < 200; file++) world.write(`full/${file}-${"long".repeat(10)}`, "")
      yield* trust(world)
      yield* counting(world)(
        world.session(
          Effect.gen(function* () {
            const engine = yield* TaskEngine
            const id = yield* engine.create(world.task("Work"))
            const running = yield* Effect.forkChild(engine.run(id))
            yield* waitFor(world, 2)
            yield* engine.send(id, "/compact")
            world.server.release("second")
            yield* Fiber.join(running)
          })
        )
      )
      const [first, second] = given(world)
      assert.deepStrictEqual([first, second], [["AGENTS.md"], ["AGENTS.md", pkg]])
      assert.deepStrictEqual(given(world).at(-1), ["AGENTS.md", pkg])
      const last = JSON.stringify(requestsOf(world, "Work").at(-1).messages)
      assert.include(last, "ALL OF IT")
      assert.isAbove(last.indexOf("Tabs in pkg"), last.indexOf("ALL OF IT"))
      assert.strictEqual(last.split("Tabs in pkg").length, 2)
    })
  )
})
