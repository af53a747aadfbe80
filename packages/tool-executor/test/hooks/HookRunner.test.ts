import type { HookOutput } from "@belay/tool-executor/hooks"
import { HookRunner, Sandbox } from "@belay/tool-executor/workspace"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { isThere } from "../../src/internal/signals.ts"
import * as Workspace from "../workspace/fixtures/Workspace.ts"

const environment = { PATH: process.env["PATH"], HOME: "/users/user", ANTHROPIC_API_KEY: "sk-ant-0123456789abcdef" }

const none = Sandbox.unavailable("No box was built.")

/** A box that says what it confined, and runs it as it is. */
const box = () => {
  const confined: Array<Pick<Sandbox.Request, "allowedDomains" | "cwd">> = []
  const sandbox: Sandbox.Sandbox = {
    state: () => Effect.succeed({ _tag: "Confined", by: "bubblewrap" }),
    lastState: () => Effect.succeed({ _tag: "Confined", by: "bubblewrap" }),
    confine: ({ allowedDomains, args, cwd, env, program }) =>
      Effect.sync(() => {
        confined.push({ allowedDomains, cwd })
        return { program, args, env, setAside: Effect.succeed([]) }
      })
  }
  return { confined, sandbox }
}

const ended = (
  command: string,
  hook: Partial<HookRunner.Request["hook"]> = {},
  { input = {}, sandbox = none }: { readonly input?: unknown; readonly sandbox?: Sandbox.Sandbox } = {}
) =>
  Effect.gen(function* () {
    const { root: workspace } = yield* Workspace.make
    const runner = HookRunner.make({ environment, sandbox })
    const request = { hook: { command, source: "user" as const, timeoutSeconds: 60, ...hook }, input, workspace }
    return { workspace, end: yield* runner.run(request) }
  })

const outputOf = ({ end }: { readonly end: HookOutput.Ended }): string =>
  end._tag === "Exited" ? end.stdout : assert.fail(end.why)

const whyOf = ({ end }: { readonly end: HookOutput.Ended }): string =>
  end._tag === "Failed" ? end.why : assert.fail(`it ended with ${end.code}`)

describe("the command of a hook", () => {
  it.live("is told all of its input, in the workspace, without keys", () =>
    Effect.gen(function* () {
      const input = { text: "é".repeat(300_000) }
      assert.deepStrictEqual(JSON.parse(outputOf(yield* ended("cat", {}, { input }))), input)
      const found = yield* ended('pwd; echo "$CLAUDE_PROJECT_DIR"; echo "$HOME"; env')
      const lines = outputOf(found).split("\n")
      assert.deepStrictEqual(lines.slice(0, 3), [found.workspace, found.workspace, environment.HOME])
      assert.notInclude(lines.join("\n"), "sk-ant")
    })
  )

  it.live("may end before it has read", () =>
    Effect.gen(function* () {
      const { end } = yield* ended("echo no >&2; exit 2", {}, { input: "x".repeat(1_000_000) })
      assert.deepStrictEqual(end, { _tag: "Exited", code: 2, stdout: "", stderr: "no\n" })
      const missing = yield* ended("/nowhere/guard.sh")
      assert.strictEqual(missing.end._tag === "Exited" ? missing.end.code : undefined, 127)
    })
  )

  it.live("has no answer beyond its limits", () =>
    Effect.gen(function* () {
      const late = yield* ended('sleep 60 & echo $! > "$CLAUDE_PROJECT_DIR/../pid"; wait', { timeoutSeconds: 0.3 })
      assert.strictEqual(whyOf(late), "it took longer than 0.3 s")
      const pid = Number(fs.readFileSync(`${late.workspace}/../pid`, "utf8"))
      assert.isFalse(isThere(pid))
      assert.strictEqual(whyOf(yield* ended("head -c 1100000 /dev/zero")), "it wrote more than 1 MB")
      assert.strictEqual(whyOf(yield* ended("kill -9 $$")), "it was ended by SIGKILL")
    })
  )

  it.live("of a project runs in the sandbox without a network, or not at all", () =>
    Effect.gen(function* () {
      const { confined, sandbox } = box()
      const found = yield* ended("echo ran", { source: "project" }, { sandbox })
      assert.strictEqual(outputOf(found), "ran\n")
      assert.deepStrictEqual(confined, [{ allowedDomains: [], cwd: found.workspace }])
      const without = yield* ended("echo ran", { source: "project" })
      assert.strictEqual(whyOf(without), "there is no sandbox for it here")
      assert.strictEqual(outputOf(yield* ended("echo ran", {}, { sandbox })), "ran\n")
      assert.strictEqual(confined.length, 1)
    })
  )
})
