import { Decision } from "@belay/approval-policy"
import { Hook, HookCall, HookCombination, HookConfig, HookMatcher, HookOutput } from "@belay/tool-executor/hooks"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const decode = Schema.decodeUnknownResult(HookConfig.Config, { onExcessProperty: "error" })

const hook = (changes: Partial<Hook.Hook> = {}): Hook.Hook => ({
  event: "PreToolUse",
  command: "guard.sh",
  timeoutSeconds: 60,
  onFailure: "ask",
  source: "user",
  ...changes
})

const wrongOf = (value: unknown): string => {
  const found = decode(value)
  return Result.isFailure(found) ? String(found.failure) : assert.fail("it was taken")
}

describe("hooks in settings", () => {
  it("are read in their order, each with what its file leaves out", () => {
    const found = decode({
      PreToolUse: [
        { matcher: "Bash|Edit", hooks: [{ type: "command", command: "a" }] },
        { hooks: [{ type: "command", command: "b", timeout: 5, onFailure: "block" }] }
      ]
    })
    assert.isTrue(Result.isSuccess(found))
    assert.deepStrictEqual(HookConfig.hooksOf(Result.getOrThrow(found), "project"), [
      hook({ matcher: "Bash|Edit", command: "a", source: "project" }),
      hook({ command: "b", timeoutSeconds: 5, onFailure: "block", source: "project" })
    ])
  })

  it("are refused by their place where they cannot be used", () => {
    const one = (fields: object) => ({ PreToolUse: [{ hooks: [{ type: "command", command: "a", ...fields }] }] })
    for (const type of ["http", "prompt", "agent", "mcp_tool"]) assert.include(wrongOf(one({ type })), '"type"')
    assert.include(wrongOf(one({ command: " " })), '"command"')
    assert.include(wrongOf(one({ onFailure: "pass" })), '"onFailure"')
    assert.include(wrongOf(one({ timeout: 0 })), '"timeout"')
    assert.include(wrongOf(one({ other: 1 })), '"other"')
    assert.include(wrongOf({ PreToolUse: [{ matcher: "(", hooks: [] }] }), '"matcher"')
    assert.include(wrongOf({ BeforeTool: [] }), '"BeforeTool"')
  })
})

describe("a matcher", () => {
  it("takes whole names, or what a regular expression finds", () => {
    const bash = ["Bash", "execute_command"]
    for (const matcher of [undefined, "", "*", "Bash", "Edit|Bash", "Edit | Bash", "execute_command", "Ba.*", "^B"]) {
      assert.isTrue(HookMatcher.matches(matcher, bash), String(matcher))
    }
    for (const matcher of ["bash", "Bas", "Edit", "execute", "^ash"]) {
      assert.isFalse(HookMatcher.matches(matcher, bash), matcher)
    }
    assert.isFalse(HookMatcher.matches("mcp__x", ["mcp__x__y"]))
    assert.isTrue(HookMatcher.matches("mcp__x.*", ["mcp__x__y"]))
  })

  it("that cannot be read looks at everything", () => assert.isTrue(HookMatcher.matches("(", ["Bash"])))

  it("finds the same line of the same file once", () => {
    const others = [hook({ source: "project" }), hook({ command: "other" })]
    const found = HookMatcher.looking([hook(), hook({ matcher: "Bash" }), ...others], "PreToolUse", ["Bash"])
    assert.deepStrictEqual(found, [hook(), ...others])
  })
})

const diff = (...pairs: ReadonlyArray<readonly [string, string]>) =>
  pairs.map(([a, b]) => `------- SEARCH\n${a}\n=======\n${b}\n+++++++ REPLACE`).join("\n")

describe("a call as hooks see it", () => {
  const rows: ReadonlyArray<readonly [tool: string, args: unknown, names: ReadonlyArray<string>, input: unknown]> = [
    ["execute_command", { command: "ls", timeout: 5 }, ["Bash"], { command: "ls", timeout: 5000 }],
    ["execute_command", { program: "a b", args: ["it's", "-x"] }, ["Bash"], { command: "'a b' 'it'\\''s' -x" }],
    ["write_to_file", { path: "a", content: "x" }, ["Write"], { file_path: "/ws/a", content: "x" }],
    [
      "replace_in_file",
      { path: "a", diff: diff(["x", "y"]) },
      ["Edit", "MultiEdit"],
      { file_path: "/ws/a", old_string: "x", new_string: "y" }
    ],
    [
      "replace_in_file",
      { path: "a", diff: diff(["x", "y"], ["1", "2"]) },
      ["MultiEdit", "Edit"],
      {
        file_path: "/ws/a",
        edits: [
          { old_string: "x", new_string: "y" },
          { old_string: "1", new_string: "2" }
        ]
      }
    ],
    ["apply_patch", { patch: "p" }, ["apply_patch", "Edit", "Write"], { command: "p" }],
    ["read_file", { path: "/x", start_line: 3, end_line: 5 }, ["Read"], { file_path: "/x", offset: 3, limit: 3 }],
    ["list_files", {}, ["LS", "Glob"], { path: "/ws" }],
    ["search_files", { regex: "r", file_pattern: "*.ts" }, ["Grep"], { pattern: "r", path: "/ws", glob: "*.ts" }],
    ["fetch_url", { url: "https://a" }, ["WebFetch"], { url: "https://a" }],
    [
      "new_task",
      { message: "Do\nit" },
      ["Agent", "Task"],
      { description: "Do", prompt: "Do\nit", subagent_type: "general-purpose" }
    ],
    ["load_skill", { name: "s" }, ["Skill"], { skill: "s" }],
    ["use_mcp_tool", { server: "s", tool: "t", arguments: { a: 1 } }, ["mcp__s__t"], { a: 1 }],
    ["plan_mode_respond", { response: "p" }, ["ExitPlanMode"], { plan: "p" }],
    ["own_tool", { a: 1 }, [], { a: 1 }]
  ]
  it("has the names and the fields of the table", () => {
    for (const [tool, args, names, input] of rows) {
      const call = HookCall.of(tool, args, "/ws")
      assert.deepStrictEqual(HookCall.namesOf(tool, call), [...new Set([...names, tool])])
      assert.deepStrictEqual(call.input, input)
    }
  })

  it("is the same call where a hook writes back what it was given", () => {
    for (const [tool, args] of rows) {
      assert.deepStrictEqual(HookCall.updated(tool, args, "/ws", HookCall.of(tool, args, "/ws").input), args)
    }
  })

  it("takes what a hook wrote for the fields that mean the same, and nothing else", () => {
    const updated = (tool: string, args: unknown, input: Record<string, unknown>) =>
      HookCall.updated(tool, args, "/ws", input)
    assert.deepStrictEqual(updated("execute_command", { program: "rm", args: ["a"] }, { command: "ls" }), {
      command: "ls"
    })
    assert.deepStrictEqual(updated("execute_command", { command: "a" }, { command: "a", timeout: 1500 }), {
      command: "a",
      timeout: 2
    })
    assert.deepStrictEqual(updated("write_to_file", { path: "a", content: "x" }, { content: "y" }), {
      path: "a",
      content: "y"
    })
    assert.include(updated("replace_in_file", { path: "a", diff: diff(["x", "y"]) }, { new_string: "z" }), "new_string")
    assert.include(updated("execute_command", { command: "a" }, { cwd: "/" }), "cwd")
  })
})

const exited = (stdout: string, code = 0, stderr = "") => HookOutput.read({ _tag: "Exited", code, stdout, stderr })
const says = (own: object, whole: object = {}) => exited(JSON.stringify({ ...whole, hookSpecificOutput: own }))

describe("the answer of a hook", () => {
  it("passes where it ends with 0 and says nothing", () => {
    for (const stdout of ["", "all is well\n", "{}", '{"async":true}', "[1]"]) {
      assert.deepStrictEqual(exited(stdout), { _tag: "Answered" })
    }
  })

  it("is a denial by its exit code, its decision or its stop", () => {
    assert.deepStrictEqual(exited("{", 2, "not that\n"), { _tag: "Answered", decision: "deny", reason: "not that" })
    const denied = { _tag: "Answered", decision: "deny", reason: "no" } as const
    assert.deepStrictEqual(says({ permissionDecision: "deny", permissionDecisionReason: "no" }), denied)
    assert.deepStrictEqual(exited('{"decision":"block","reason":"no"}'), denied)
    assert.deepStrictEqual(exited('{"continue":false,"stopReason":"no","decision":"approve"}'), denied)
  })

  it("is a failure where it is not clearly one", () => {
    const why = (answer: HookOutput.Answer) => (answer._tag === "Failed" ? answer.why : assert.fail("it is an answer"))
    assert.strictEqual(why(exited("", 1, "oops\nmore")), "it ended with 1: oops")
    assert.strictEqual(why(exited("", 127)), "it ended with 127")
    assert.strictEqual(why(exited('{"decision":')), "its output is broken JSON")
    assert.strictEqual(why(HookOutput.read({ _tag: "Failed", why: "late" })), "late")
    for (const odd of ["Allow", "yes", "", 1, null]) why(says({ permissionDecision: odd }))
    for (const odd of ["deny", 1]) why(exited(JSON.stringify({ decision: odd })))
    // Two answers of which one is no are not a yes.
    const both = (old: string, stated: string) =>
      exited(JSON.stringify({ decision: old, hookSpecificOutput: { permissionDecision: stated } }))
    for (const [old, stated] of [
      ["block", "allow"],
      ["approve", "deny"],
      ["approve", "ask"]
    ] as const)
      why(both(old, stated))
    assert.deepStrictEqual(both("block", "deny"), { _tag: "Answered", decision: "deny" })
    why(says({ updatedInput: "ls" }))
    why(exited('{"hookSpecificOutput":[]}'))
  })

  it("is the last object of an output that begins with something else", () => {
    const ask = '{"hookSpecificOutput":{"permissionDecision":"ask"}}'
    const asks = { _tag: "Answered", decision: "ask" } as const
    const pretty = JSON.stringify(JSON.parse(ask), undefined, 2)
    for (const stdout of [ask, `Welcome back\n${ask}\n`, `{}\n${ask}`, `${ask}\nbye`, pretty, `Hello\n${pretty}\n`]) {
      assert.deepStrictEqual(exited(stdout), asks, stdout)
    }
  })
})

const policies = (["allow", "ask", "deny"] as const).flatMap((decision) =>
  (["command.allow", "mode.plan"] as const).flatMap((rule) =>
    ([[], ["task", "always"]] as const).map((grants): Decision.Decision => ({
      decision,
      rule,
      reason: "policy",
      grants,
      resolved: { paths: ["a"] }
    }))
  )
)

const answers: ReadonlyArray<HookOutput.Answer> = [
  { _tag: "Failed", why: "late" },
  { _tag: "Answered" },
  { _tag: "Answered", decision: "allow" },
  { _tag: "Answered", decision: "ask", reason: "sure?" },
  { _tag: "Answered", decision: "deny", reason: "no" }
]

const ran = Arbitrary.array(
  Arbitrary.map(
    Arbitrary.schema(
      Schema.Struct({
        answer: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: answers.length - 1 })),
        source: Hook.Source,
        onFailure: Hook.OnFailure
      })
    ),
    ({ answer, ...fields }): HookCombination.Ran => ({
      hook: hook(fields),
      answer: answers[answer] ?? { _tag: "Answered" }
    })
  ),
  { maxLength: 10 }
)

/** What one hook alone wants: nothing where it passes. */
const wanted = ({ answer, hook: { onFailure } }: HookCombination.Ran): Decision.Setting => {
  if (answer._tag === "Answered") return answer.decision ?? "allow"
  return onFailure === "block" ? "deny" : onFailure === "ask" ? "ask" : "allow"
}

describe("several hooks beside the policy", () => {
  it.prop("come to the strictest of all, save that the user's own may take an ask away", { ran }, ({ ran }) => {
    for (const policy of policies) {
      const found = HookCombination.decide(policy, ran)
      const strictest = ran.map(wanted).reduce(Decision.strictest, policy.decision)
      const mayAllow =
        ran.every((one) => wanted(one) === "allow") &&
        ran.some(
          ({ answer, hook: { source } }) =>
            source === "user" && answer._tag === "Answered" && answer.decision === "allow"
        ) &&
        policy.decision === "ask" &&
        policy.rule !== "mode.plan" &&
        policy.grants.length > 0
      assert.strictEqual(found.decision, mayAllow ? "allow" : strictest)
      assert.deepStrictEqual(found.resolved, policy.resolved)
      // Where a hook asks, no answer is remembered: it asks the next time as well.
      if (ran.some((one) => wanted(one) === "ask") && found.decision === "ask") assert.deepStrictEqual(found.grants, [])
    }
  })

  it.prop("that come from a project never widen", { ran }, ({ ran }) => {
    const own = ran.map((one) => ({ ...one, hook: { ...one.hook, source: "project" as const } }))
    for (const policy of policies) {
      assert.isFalse(Decision.isWider(HookCombination.decide(policy, own).decision, policy.decision))
    }
  })

  it.prop("decide the same in every order", { ran }, ({ ran }) => {
    for (const policy of policies) {
      const [forwards, backwards] = [ran, ran.toReversed()].map((list) => HookCombination.decide(policy, list).decision)
      assert.strictEqual(forwards, backwards)
    }
  })

  it("say every reason for which they ask", () => {
    const [asks = policies[0]] = policies.filter(({ decision, grants }) => decision === "ask" && grants.length > 0)
    if (asks === undefined) return assert.fail("there is no such policy")
    const { reason } = HookCombination.decide(asks, [
      { hook: hook({ command: "a.sh" }), answer: { _tag: "Failed", why: "it ended with 1" } },
      { hook: hook({ command: "b.sh" }), answer: { _tag: "Answered", decision: "ask", reason: "sure?" } }
    ])
    assert.strictEqual(reason, "The check a.sh failed: it ended with 1. policy The check b.sh asks: sure?")
  })

  it("change the call as the last of them says", () => {
    const writes = (command: string) => ({
      hook: hook(),
      answer: { _tag: "Answered" as const, updatedInput: { command } }
    })
    assert.deepStrictEqual(HookCombination.updatedInput([writes("a"), writes("b")]), { command: "b" })
    assert.isUndefined(HookCombination.updatedInput([{ hook: hook(), answer: { _tag: "Answered" } }]))
  })
})
