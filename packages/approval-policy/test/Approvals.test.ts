import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ApprovalPolicy, Approvals, CommandRule } from "@belay/approval-policy"
import { command, edit, fact, input, file as path, read } from "./fixtures.ts"

const { decide } = ApprovalPolicy

const fails = (value: unknown) => Effect.flip(Approvals.decode(value))

describe("Approvals", () => {
  it.effect("the presets are the JSON of the command line reference", () =>
    Effect.gen(function* () {
      const all = yield* Approvals.decode({
        enabled: true,
        read: "allow",
        readOutside: "allow",
        edit: "allow",
        editOutside: "allow",
        delegate: "allow",
        fetch: "allow",
        modeSwitch: "allow",
        commands: { allow: [], deny: [], other: "allow" },
        mcp: { "*": "allow" },
        tools: { "*": "allow" },
        checkInRequests: 0
      })
      assert.deepStrictEqual(all, Approvals.all)
      assert.deepStrictEqual(yield* Approvals.decode({}), Approvals.ask)
      assert.deepStrictEqual(yield* Approvals.decode({ edit: "allow" }), Approvals.edits)
      for (const name of ["ask", "edits", "project", "all"] as const) {
        assert.deepStrictEqual(yield* Approvals.decode(name), Approvals.presets[name])
        assert.deepStrictEqual(
          yield* Approvals.decode(Approvals.written(Approvals.presets[name])),
          Approvals.presets[name]
        )
        assert.strictEqual(Approvals.presetOf(Approvals.presets[name]), name)
      }
      assert.deepStrictEqual(Approvals.project, {
        ...Approvals.edits,
        commands: { ...Approvals.edits.commands, checks: "allow" }
      })
      for (const wide of [Approvals.all, Approvals.edits, Approvals.project]) {
        const { checks } = Approvals.narrow(Approvals.project, wide).commands
        assert.strictEqual(checks, wide === Approvals.project ? "allow" : undefined)
      }
    })
  )

  it.effect("reads the documented JSON form", () =>
    Effect.gen(function* () {
      const form = {
        enabled: true,
        read: "allow",
        readOutside: "ask",
        edit: "ask",
        editOutside: "ask",
        delegate: "allow",
        fetch: "ask",
        modeSwitch: "ask",
        commands: { allow: ["git status", "npm test"], deny: ["curl"], other: "ask" },
        mcp: { "server/tool": "allow", "*": "ask" },
        tools: { deploy: "ask", lint: "allow" },
        paths: [{ pattern: "src/**", edit: "allow" }],
        checkInRequests: 0
      }
      assert.deepStrictEqual<unknown>(yield* Approvals.decode(form), form)
    })
  )

  it.effect("fields left out of a part have the value of ask", () =>
    Effect.gen(function* () {
      const decoded = yield* Approvals.decode({ commands: { allow: ["ls"] } })
      assert.deepStrictEqual(decoded, { ...Approvals.ask, commands: { allow: ["ls"], deny: [], other: "ask" } })
    })
  )

  it.effect("names the field that is wrong, on one line", () =>
    Effect.gen(function* () {
      const rows: ReadonlyArray<readonly [unknown, string]> = [
        [{ comands: {} }, "comands"],
        [{ commands: { other: "yes" } }, "commands.other"],
        [{ commands: { allow: [" "] } }, "commands.allow.0"],
        [{ commands: { alow: [] } }, "commands.alow"],
        [{ paths: [{ pattern: "src/**", write: "allow" }] }, "paths.0.write"],
        [{ paths: [{ pattern: "/etc/**", read: "deny" }] }, "paths.0.pattern"],
        [{ paths: [{ pattern: "!src/**", edit: "allow" }] }, "paths.0.pattern"],
        [{ paths: [{ pattern: "../x", edit: "allow" }] }, "paths.0.pattern"],
        [{ mcp: { "a/b": true } }, "mcp.a/b"],
        [{ tools: { deploy: "yes" } }, "tools.deploy"],
        [{ mcp: { "resource:a": "allow" } }, "mcp.resource:a"],
        [{ mcp: { "resource:/x": "allow" } }, "mcp.resource:/x"],
        [{ checkInRequests: -1 }, "checkInRequests"],
        [{ enabled: "no" }, "enabled"],
        ["everything", ""],
        [null, ""],
        [[], ""]
      ]
      for (const [value, field] of rows) {
        const error = yield* fails(value)
        assert.strictEqual(error._tag, "InvalidApprovals")
        assert.strictEqual(error.field, field, JSON.stringify(value))
        assert.notInclude(error.message, "\n")
        assert.include(error.message, field)
      }
    })
  )

  it("the strictest of the matching path entries replaces the general setting, in any order", () => {
    const paths = [
      { pattern: "src/**", edit: "allow" },
      { pattern: "src/generated/**", edit: "deny" }
    ] as const
    for (const entries of [paths, paths.toReversed()]) {
      const approvals = { ...Approvals.ask, paths: entries }
      const decision = (file: string) => decide(edit(path(file, "write"), { approvals })).decision
      assert.deepStrictEqual(
        [decision("src/a.ts"), decision("src/generated/a.ts"), decision("lib/a.ts")],
        ["allow", "deny", "ask"]
      )
    }
  })

  it("a file that is reached through a link is judged by both names", () => {
    const approvals: Approvals.Approvals = { ...Approvals.edits, paths: [{ pattern: "vault/**", edit: "deny" }] }
    const linked = edit(path("src/link", "write", { resolved: "/ws/proj/vault/x" }), { approvals })
    const from = edit(path("vault/link", "write", { resolved: "/ws/proj/src/x" }), { approvals })
    assert.deepStrictEqual([decide(linked).decision, decide(from).decision], ["deny", "deny"])
  })

  it("entries fold case where the file system does", () => {
    const approvals: Approvals.Approvals = { ...Approvals.edits, paths: [{ pattern: "vault/**", edit: "deny" }] }
    const decision = (insensitive: boolean) =>
      decide(edit(path("VAULT/x", "write", { insensitive }), { approvals })).decision
    assert.deepStrictEqual([decision(true), decision(false)], ["deny", "allow"])
  })

  it("the most specific MCP key decides, and the name of a server cannot forge another key", () => {
    const approvals: Approvals.Approvals = { ...Approvals.ask, mcp: { "a/b/c": "allow", "a/*": "deny", "*": "ask" } }
    const decision = (server: string, tool: string) =>
      decide(input({ category: "mcp", args: { server, tool }, approvals })).decision
    assert.deepStrictEqual(
      [decision("a", "b/c"), decision("a", "x"), decision("b", "x"), decision("a/b", "c")],
      ["allow", "deny", "ask", "ask"]
    )
    assert.strictEqual(
      decide(input({ category: "mcp", args: { server: "a" }, approvals: Approvals.all })).decision,
      "deny"
    )
  })

  it("enabled: false makes reads ask and leaves the conversation alone", () => {
    const approvals = { ...Approvals.all, enabled: false }
    assert.strictEqual(decide(read(path("a", "read"), { approvals })).rule, "enabled")
    const talk = (tool: string) => decide(input({ category: "internal", tool, approvals })).decision
    assert.deepStrictEqual(
      [talk("ask_followup_question"), talk("plan_mode_respond"), talk("list_tasks")],
      ["allow", "allow", "ask"]
    )
  })

  it("plan mode refuses edits, commands, MCP, children and the completion whatever the settings", () => {
    const plan = { mode: "plan", approvals: Approvals.all } as const
    for (const category of ["edit", "mcp", "delegate"] as const) {
      assert.strictEqual(decide(input({ category, args: { server: "s", tool: "t" }, ...plan })).rule, "mode.plan")
    }
    assert.strictEqual(decide(input({ category: "internal", tool: "attempt_completion", ...plan })).decision, "deny")
    assert.strictEqual(decide(input({ category: "internal", tool: "plan_mode_respond", ...plan })).decision, "allow")
  })

  it("plan mode says of a refused command what runs there, and what of it may change something", () => {
    const reasonOf = (text: string, more: object = {}) => {
      const call = command(text, { mode: "plan", approvals: Approvals.all })
      const { command: fact } = call.facts
      return decide({ ...call, facts: { paths: [], ...(fact === undefined ? {} : { command: { ...fact, ...more } }) } })
        .reason
    }
    const head = "In plan mode only commands that change nothing run (git log, ls, rg ...), and"
    assert.strictEqual(reasonOf("npm test"), `${head} 'npm test' may change something.`)
    assert.strictEqual(reasonOf("git log | head && npm test"), `${head} 'npm test' may change something.`)
    assert.match(
      reasonOf("ls $(cat x)"),
      /and it cannot be told what 'ls \$\(cat x\)' does: it has a command substitution\.$/
    )
    assert.strictEqual(
      reasonOf("git log", { gitPrograms: ["core.fsmonitor"] }),
      `${head} settings of the repository make git run programs: 'core.fsmonitor'.`
    )
    assert.strictEqual(
      decide(edit(path("a", "write"), { mode: "plan", approvals: Approvals.all })).reason,
      "'write_to_file' may change something, and in plan mode nothing is changed."
    )
  })

  it("plan mode runs a command only when all of it reads", () => {
    const reads = ["git status", "git diff HEAD~1 -- src", "git log --oneline -5", "ls -la src", "head -n 5 a", "pwd"]
    const pipes = ["cat a | sort | uniq -c", "git branch --list", "sed -n 1,20p src/a.ts", "ls > /dev/null 2>&1"]
    const others = ["ls;id -x", "ls $X", "git log --output=x", "git branch -D x", "git branch x", "ls > x", "uniq a b"]
    const more = [
      "git diff --ext-diff",
      "git -c a=b status",
      "LS",
      "npm test",
      "sed -i s/a/b/ x",
      "find . -delete",
      "ls &"
    ]
    assert.deepStrictEqual(
      [...reads, ...pipes].filter((text) => !CommandRule.isReadOnly(fact(text))),
      []
    )
    assert.deepStrictEqual(
      [...others, ...more].filter((text) => CommandRule.isReadOnly(fact(text))),
      []
    )
  })

  it("an unknown tool asks, and nothing may be remembered", () => {
    const decision = decide(input({ category: "internal", tool: "x", known: false, approvals: Approvals.all }))
    assert.deepStrictEqual([decision.decision, decision.rule, decision.grants], ["ask", "unknown", []])
  })

  it("a prompt shows resolved targets, and hides nothing behind control characters", () => {
    const decision = decide(edit(path("a\u202eb", "write", { resolved: "/etc/a\u001b[2J" })))
    assert.deepStrictEqual(decision.resolved.writes, ["/etc/a\u001b[2J"])
    assert.include(decision.reason, "\\u{1b}")
    assert.deepStrictEqual(decision.grants, ["task"])
  })

  it.effect("the service is the same function", () =>
    Effect.gen(function* () {
      const policy = yield* ApprovalPolicy.ApprovalPolicy
      const call = read(path("a", "read"))
      assert.deepStrictEqual(policy.decide(call), decide(call))
    }).pipe(Effect.provide(ApprovalPolicy.ApprovalPolicy.layer))
  )
})
