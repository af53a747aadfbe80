import { ApprovalPolicy, Approvals, Grant, type PathFact, type PolicyInput } from "@belay/approval-policy"
import * as Schema from "effect/Schema"
import { assert, describe, it } from "vitest"
import { fact } from "./fixtures.ts"

const path = (relative: string, changes: Partial<PathFact.PathFact> = {}): PathFact.PathFact => ({
  given: relative,
  displayed: `/projects/app/${relative}`,
  resolved: `/projects/app/${relative}`,
  access: "write",
  inside: true,
  kind: "file",
  links: 1,
  insensitive: false,
  relative,
  ...changes
})

const edit = (...paths: ReadonlyArray<PathFact.PathFact>): PolicyInput.PolicyInput => ({
  tool: "write_to_file",
  category: "edit",
  args: {},
  mode: "act",
  readOnly: false,
  approvals: Approvals.ask,
  facts: { paths },
  workspace: "/projects/app",
  known: true
})

const decide = (call: PolicyInput.PolicyInput, rules: ReadonlyArray<Grant.Rule>) =>
  Grant.decide(ApprovalPolicy.decide(call), rules, call)

const src = Grant.rulesFor(edit(path("src/a.ts")))

describe("a grant for edits", () => {
  it("is a yes to every file below the folder, by components, and to no other", () => {
    assert.deepStrictEqual(src, [{ type: "path", access: "write", path: "/projects/app/src", below: true }])
    for (const [file, decision] of [
      ["src/a.ts", "allow"],
      ["src/deep/b.ts", "allow"],
      ["src2/a.ts", "ask"],
      ["a.ts", "ask"],
      ["src", "ask"]
    ] as const) {
      assert.strictEqual(decide(edit(path(file)), src).decision, decision, file)
    }
    assert.strictEqual(decide(edit(path("src/a.ts"), path("other/b.ts")), src).decision, "ask")
    assert.strictEqual(decide(edit(path("src/link", { resolved: "/projects/app/other/b.ts" })), src).decision, "ask")
  })

  it("is for one file where the folder is the workspace itself or lies outside", () => {
    for (const fact of [path("a.ts"), path("x", { resolved: "/shared/x", inside: false })]) {
      const [rule] = Grant.rulesFor(edit(fact))
      assert.deepStrictEqual(rule, { type: "path", access: "write", path: fact.resolved, below: false })
    }
  })

  it("never lets a protected file, a denied one or plan mode through, and is not offered for them", () => {
    const everything: ReadonlyArray<Grant.Rule> = [
      { type: "path", access: "write", path: "/projects/app", below: true }
    ]
    for (const file of [".git/config", "package.json", "src/.env"]) {
      const call = edit(path(file))
      assert.strictEqual(decide(call, everything).decision, "ask", file)
      const [once, task, always] = Grant.offers(ApprovalPolicy.decide(call), call)
      assert.deepStrictEqual([once?.allowed, task?.allowed, always?.allowed], [true, false, false], file)
      assert.match(task?.reason ?? "", /\(rule: /)
    }
    const denied = { ...edit(path("src/a.ts")), approvals: { ...Approvals.ask, edit: "deny" as const } }
    assert.strictEqual(decide(denied, everything).decision, "deny")
    assert.strictEqual(decide({ ...edit(path("src/a.ts")), mode: "plan" }, everything).decision, "deny")
  })

  it("says in exact words what is kept and, for always, the one folder in which it holds", () => {
    const offered = (call: PolicyInput.PolicyInput, notKept?: string) =>
      Grant.offers(ApprovalPolicy.decide(call), call, notKept).map(({ allowed, folder, rules }) =>
        allowed ? [rules, folder] : "refused"
      )
    const call = edit(path("src/a.ts"))
    const rules = ["edits of 'src/**'"]
    assert.deepStrictEqual(offered(call), [
      [[], undefined],
      [rules, undefined],
      [rules, "/projects/app"]
    ])
    assert.deepStrictEqual(offered(call, "This folder is restricted.").at(-1), "refused")
    assert.deepStrictEqual(offered(edit(path("s*c/a.ts"))).at(-1), [["edits of 's*c/**'"], "/projects/app"])
  })

  it("is a yes of its own scope alone", () => {
    const call = edit(path("src/a.ts"))
    const decision = ApprovalPolicy.decide(call)
    assert.strictEqual(Grant.decide(decision, src, call, "always").rule, "grant.folder")
    assert.strictEqual(Grant.decide({ ...decision, grants: ["task"] }, src, call, "always").decision, "ask")
    assert.strictEqual(Grant.decide({ ...decision, grants: ["always"] }, src, call, "task").decision, "ask")
  })
})

describe("a grant for a command", () => {
  const command = (text: string, cwd = "/projects/app"): PolicyInput.PolicyInput => {
    const folder = path("", { given: cwd, displayed: cwd, resolved: cwd, access: "read", kind: "directory" })
    return {
      ...edit(),
      tool: "execute_command",
      category: "command",
      // What only reads would need no grant.
      approvals: { ...Approvals.ask, commands: { ...Approvals.ask.commands, readOnly: "ask" } },
      facts: { paths: [], command: fact(text, folder) }
    }
  }
  const rules = Grant.rulesFor(command("npm test"))

  it("is a yes to its very text in its very folder", () => {
    assert.strictEqual(decide(command("npm test"), rules).decision, "allow")
    for (const other of [command("npm test "), command("npm test -- -u"), command("npm test", "/projects/app/api")]) {
      assert.strictEqual(decide(other, rules).decision, "ask")
    }
  })

  it("is this text and no other, also where it could be a rule", () => {
    for (const text of ["npm test", "git log --oneline", "make -j4", "npm test && ls", "=x", "sh -c 'ls'"]) {
      const given = Grant.rulesFor(command(text))
      assert.strictEqual(decide(command(text), given).decision, "allow", text)
      for (const other of [`${text} -v`, `${text} x`, `${text} && ls`, `${text} > out`, ` ${text}`]) {
        assert.strictEqual(decide(command(other), given).decision, "ask", other)
      }
    }
  })

  it("is not offered for what is always asked", () => {
    const call = command("rm -rf ~/")
    assert.strictEqual(decide(call, Grant.rulesFor(call)).decision, "ask")
  })

  it("survives being stored", () => {
    const all: ReadonlyArray<Grant.Rule> = [
      ...rules,
      ...src,
      { type: "mcp", name: "files/read" },
      { type: "mcp", name: "files/read", definition: "d" },
      { type: "resource", server: "files", uri: "read", definition: "d" }
    ]
    const stored: unknown = JSON.parse(JSON.stringify(all))
    assert.deepStrictEqual(Schema.decodeUnknownSync(Schema.Array(Grant.Rule))(stored), all)
    assert.deepStrictEqual(Grant.read({ other: 1, grants: stored }), all)
    for (const settings of [null, {}, { grants: [{ type: "everything" }] }]) {
      assert.deepStrictEqual(Grant.read(settings), [])
    }
  })
})
