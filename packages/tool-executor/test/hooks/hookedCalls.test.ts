/** Hooks between the policy and the person: what becomes of a call. */
import { ApprovalPolicy, Approvals } from "@belay/approval-policy"
import { Pipeline, ToolCatalog, ToolExecutor } from "@belay/tool-executor"
import type { HookCombination, HookOutput } from "@belay/tool-executor/hooks"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { context, textOf } from "../fixtures/Tools.ts"
import * as Workspace from "../workspace/fixtures/Workspace.ts"

const layer = ToolExecutor.layer.pipe(
  Layer.provide([ToolCatalog.layer(Workspace.all), ApprovalPolicy.ApprovalPolicy.layer])
)

const ran = (answer: HookOutput.Answer, hook: Partial<HookCombination.Ran["hook"]> = {}): HookCombination.Ran => ({
  answer,
  hook: { event: "PreToolUse", command: "guard", timeoutSeconds: 60, onFailure: "ask", source: "user", ...hook }
})

const answers = (answer: Omit<Extract<HookOutput.Answer, { readonly _tag: "Answered" }>, "_tag">) =>
  ran({ _tag: "Answered", ...answer })

const prepared = (
  command: string,
  found: ReadonlyArray<HookCombination.Ran>,
  more: Partial<Pipeline.TaskContext> = {}
) =>
  Effect.gen(function* () {
    const { root: workspace } = yield* Workspace.make
    const asked: Array<Pipeline.Judged> = []
    const hooks = (judged: Pipeline.Judged) => Effect.sync(() => (asked.push(judged), found))
    const { prepare } = yield* ToolExecutor
    const call = { callId: "toolu_1", name: "execute_command", input: { command } }
    const given = yield* prepare(call, { ...context, sandbox: "off", workspace, hooks, ...more })
    return { given, asked }
  }).pipe(Effect.provide(layer))

const decisionOf = ({ given }: { readonly given: Pipeline.Prepared }) => given.decision?.decision

describe("a call that hooks look at", () => {
  it.live("comes to them once, when the policy does not deny it", () =>
    Effect.gen(function* () {
      const { asked, given } = yield* prepared("touch a", [answers({})])
      assert.deepStrictEqual(
        asked.map(({ args, call, tool }) => [tool.name, call.callId, args]),
        [["execute_command", "toolu_1", { command: "touch a" }]]
      )
      assert.strictEqual(given.decision?.decision, "ask")
      const never = { ...Approvals.ask, commands: { ...Approvals.ask.commands, deny: ["touch"] } }
      const denied = yield* prepared("touch a", [answers({ decision: "allow" })], { approvals: never })
      assert.deepStrictEqual([denied.asked.length, decisionOf(denied)], [0, "deny"])
    })
  )

  it.live("is refused with their reason", () =>
    Effect.gen(function* () {
      const { given } = yield* prepared("ls", [answers({}), answers({ decision: "deny", reason: "not today" })])
      if (given._tag === "Ready") return assert.fail("it was not refused")
      assert.include(textOf(given.output), "Not run: The check guard denies it: not today (rule: hook).")
    })
  )

  it.live("asks where they ask, and where one has no answer", () =>
    Effect.gen(function* () {
      const failed = yield* prepared("ls", [ran({ _tag: "Failed", why: "it ended with 1" })])
      assert.deepInclude(failed.given.decision, {
        decision: "ask",
        rule: "hook.failed",
        reason: "The check guard failed: it ended with 1.",
        grants: []
      })
      assert.strictEqual(decisionOf(yield* prepared("ls", [answers({ decision: "ask" })])), "ask")
    })
  )

  it.live("is allowed by the user's own hook, and never past the hard floor or by a project's", () =>
    Effect.gen(function* () {
      const allow = answers({ decision: "allow" })
      const project = ran(allow.answer, { source: "project" })
      assert.strictEqual(decisionOf(yield* prepared("touch a", [allow])), "allow")
      assert.strictEqual(decisionOf(yield* prepared("touch a", [project])), "ask")
      for (const by of [allow, project]) {
        assert.strictEqual(decisionOf(yield* prepared("git push --force", [by])), "ask")
        assert.strictEqual(decisionOf(yield* prepared("touch a", [by], { mode: "plan" })), "deny")
        assert.strictEqual(decisionOf(yield* prepared("touch a", [by], { mode: "plan", strictPlanMode: false })), "ask")
      }
    })
  )

  it.live("is decoded, judged and bound again as they change it", () =>
    Effect.gen(function* () {
      const changed = (command: unknown) => [answers({ decision: "allow", updatedInput: { command } })]
      const { given } = yield* prepared("ls", changed("git push --force"))
      if (given._tag === "Refused") return assert.fail("it was refused")
      assert.deepStrictEqual(given.args, { command: "git push --force" })
      assert.strictEqual(given.decision.decision, "ask")
      const same = yield* prepared("ls", [])
      assert.notStrictEqual(given.hash, same.given._tag === "Ready" ? same.given.hash : given.hash)
      assert.deepStrictEqual(given.told, ['A check changed this call to {"command":"git push --force"}.'])
      const long = yield* prepared("ls", changed(`echo ${"a".repeat(5000)}`))
      assert.isBelow(long.given._tag === "Ready" ? (long.given.told?.[0]?.length ?? 9999) : 9999, 2100)
      for (const odd of ["", 1, null]) {
        const { given } = yield* prepared("ls", changed(odd))
        assert.deepInclude(given.decision, { decision: "ask", rule: "hook.failed" })
        assert.deepStrictEqual(given._tag === "Ready" ? given.args : undefined, { command: "ls" })
      }
    })
  )

  it.live(
    "is not allowed as it was changed by who has seen it as it was, and asks where a project's hook changes it then",
    () =>
      Effect.gen(function* () {
        const allow = answers({ decision: "allow" })
        const writes = { updatedInput: { command: "touch b" } }
        const decided = (found: ReadonlyArray<HookCombination.Ran>, command = "touch a") =>
          Effect.map(prepared(command, found), ({ given }) => [
            given.decision?.decision,
            given._tag === "Ready" ? given.args.command : undefined
          ])
        const project = (answer: Parameters<typeof answers>[0]) => ran(answers(answer).answer, { source: "project" })
        assert.deepStrictEqual(yield* decided([allow, project(writes)]), ["ask", "touch b"])
        assert.deepStrictEqual(yield* decided([allow, project({ ...writes, decision: "allow" })]), ["ask", "touch b"])
        assert.deepStrictEqual(yield* decided([allow, answers(writes)]), ["ask", "touch b"])
        assert.deepStrictEqual(yield* decided([answers({}), answers({ ...writes, decision: "allow" })]), [
          "allow",
          "touch b"
        ])
        const listed = { updatedInput: { command: "ls -l" } }
        assert.deepStrictEqual(yield* decided([project(listed)], "ls"), ["allow", "ls -l"])
        assert.deepStrictEqual(yield* decided([answers({}), project(listed)], "ls"), ["ask", "ls -l"])
      })
  )

  it.live("tells the model what they add", () =>
    Effect.gen(function* () {
      const { given } = yield* prepared("true", [answers({ decision: "allow", context: "It is Friday." })])
      if (given._tag === "Refused") return assert.fail("it was refused")
      const { run } = yield* ToolExecutor
      const { root: workspace } = yield* Workspace.make
      const output = yield* run(given, { ...context, sandbox: "off", workspace })
      assert.deepStrictEqual(output.content.at(-1), { type: "text", text: "It is Friday." })
    }).pipe(Effect.provide(layer))
  )
})
