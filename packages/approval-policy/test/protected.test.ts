/** What `protected` of the approvals lets through, and what it never does. */
import { assert, describe, it } from "@effect/vitest"
import { Approvals, ApprovalPolicy, type PathFact, ProtectedPath } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import { command, edit, file, input, listing } from "./fixtures.ts"

const open: Approvals.Approvals = { ...Approvals.all, protected: "allow" }

const judged = (fact: PathFact.PathFact, approvals: Approvals.Approvals, more: object = {}) => {
  const { decision, grants, rule } = ApprovalPolicy.decide(edit(fact, { approvals, ...more }))
  return `${decision} ${rule}${grants.length === 0 ? "" : ` ${grants.join(" ")}`}`
}

const executed = [
  "package.json",
  "apps/web/package.json",
  "Makefile",
  ".github/workflows/ci.yml",
  "Cargo.toml",
  "vite.config.ts",
  "tools/BUILD",
  "Dockerfile",
  "PACKAGE.JSON"
]

const kept = [
  ".belay/settings.json",
  ".belay/rules/a.md",
  ".belay/package.json",
  ".belayignore",
  "AGENTS.md",
  "packages/a/CLAUDE.md",
  ".claude/settings.json",
  ".claude/Makefile",
  ".codex/config.toml",
  ".cursor/mcp.json",
  ".clinerules/package.json",
  ".aider.conf.yml",
  ".github/prompts/a.md",
  ".git/hooks/pre-commit",
  ".git/package.json",
  ".gitattributes",
  ".husky/pre-commit",
  ".vscode/tasks.json",
  "a.code-workspace",
  ".bashrc",
  "packag~1.jso"
]

const secret = [".env", ".npmrc", "certs/a.pem", ".docker/config.json"]

describe("protected names that a later command executes", () => {
  it("ask in every preset, and where nothing is said", () => {
    for (const [name, approvals] of Object.entries(Approvals.presets)) {
      assert.isTrue(approvals.protected === undefined, name)
      for (const path of executed)
        assert.strictEqual(judged(file(path, "write"), approvals), "ask path.protected", path)
    }
  })

  it("follow `edit` and `paths` where the approvals say allow", () => {
    const asks: Approvals.Approvals = { ...Approvals.ask, protected: "allow" }
    const entry: Approvals.Approvals = { ...open, paths: [{ pattern: "**/package.json", edit: "deny" }] }
    for (const path of executed) {
      assert.strictEqual(judged(file(path, "write"), open), "allow edit", path)
      assert.strictEqual(judged(file(path, "write"), asks), "ask edit task always", path)
      assert.strictEqual(judged(file(path, "write"), { ...open, edit: "deny" }), "deny edit", path)
    }
    assert.strictEqual(judged(file("apps/web/package.json", "write"), entry), "deny path.pattern")
    assert.strictEqual(judged(file("package.json", "write"), open, { mode: "plan" }), "deny mode.plan")
  })

  it("our own settings, rules of agents, git, editors, shells and secrets ask whatever it says", () => {
    for (const path of kept) assert.strictEqual(judged(file(path, "write"), open), "ask path.protected", path)
    for (const path of secret) assert.strictEqual(judged(file(path, "write"), open), "ask path.secret", path)
  })

  it("every kept name asks at any place, also beside one that commands execute", () => {
    const names = ProtectedPath.protectedNames.filter(
      (name) => ProtectedPath.match(`/ws/proj/${name}`, "write")?.executed !== true
    )
    assert.isAbove(names.length, 120)
    for (const name of names) {
      assert.match(judged(file(`a/${name}/package.json`, "write"), open), /^ask path\.(?:protected|secret)$/u, name)
    }
  })

  it("a link from one name to another is judged by the stricter one", () => {
    const resolved = { resolved: "/ws/proj/.git/config" }
    assert.strictEqual(judged(file("package.json", "write", resolved), open), "ask path.protected")
    assert.strictEqual(
      judged(file(".vscode/a", "write", { resolved: "/ws/proj/Makefile" }), open),
      "ask path.protected"
    )
    assert.strictEqual(judged(file("src/a", "write", { resolved: "/ws/proj/Makefile" }), open), "allow edit")
    assert.strictEqual(judged(file("package.json", "write", { links: 2 }), open), "ask path.links")
  })

  it("outside the workspace, in Belay's own data and where git takes its hooks they ask", () => {
    assert.strictEqual(judged(file("/else/package.json", "write"), open), "ask path.protected")
    assert.strictEqual(judged(file("package.json", "write"), open, { home: "/ws/proj" }), "ask path.secret")
    const gitFolders = ["/ws/proj/.ci"]
    assert.strictEqual(judged(file(".ci/pre-commit", "write"), open, { gitFolders }), "ask path.protected")
  })

  it("a command that writes one asks as before", () => {
    const approvals: Approvals.Approvals = { ...listing("cp", "sed -i"), edit: "allow", protected: "allow" }
    for (const text of ["cp a.txt Makefile", "echo x > package.json", "sed -i s/a/b/ package.json"]) {
      assert.strictEqual(ApprovalPolicy.decide(command(text, { approvals })).rule, "path.protected", text)
    }
  })

  it("the reason says which field lets edits of such a file run, and says it of no other", () => {
    const reasonOf = (path: string) =>
      ApprovalPolicy.decide(edit(file(path, "write"), { approvals: Approvals.all })).reason
    assert.strictEqual(
      reasonOf("package.json"),
      `'package.json' is protected: it can change what tools, agents or later commands do. With "protected": "allow" in the approvals, edits of such files follow "edit".`
    )
    for (const path of [...kept, ...secret, "/else/package.json"]) assert.notInclude(reasonOf(path), "follow", path)
  })

  it("a child has it only when it and its parent have it", () => {
    const sides = [undefined, "ask", "allow"] as const
    const of = (value: (typeof sides)[number]): Approvals.Approvals =>
      value === undefined ? Approvals.all : { ...Approvals.all, protected: value }
    for (const child of sides) {
      for (const parent of sides) {
        const both = child === "allow" && parent === "allow"
        const found = judged(file("package.json", "write"), Approvals.narrow(of(child), of(parent)))
        assert.strictEqual(found, both ? "allow edit" : "ask path.protected", `${child} ${parent}`)
      }
    }
  })

  it.effect("nothing but ask and allow can be set", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Approvals.decode({ protected: "allow" })).protected, "allow")
      for (const value of ["deny", true, null]) {
        const error = yield* Effect.flip(Approvals.decode({ protected: value }))
        assert.strictEqual(error.field, "protected")
      }
      const approvals = { ...Approvals.all, protected: "yes" } as unknown as Approvals.Approvals
      assert.strictEqual(
        ApprovalPolicy.decide(input({ category: "edit", facts: { paths: [file("package.json", "write")] }, approvals }))
          .decision,
        "deny"
      )
    })
  )
})

describe("a file that a command would write outside of the workspace", () => {
  const reasonOf = (text: string) => ApprovalPolicy.decide(command(text, { approvals: Approvals.all })).reason

  it("is refused with where it may write", () => {
    assert.strictEqual(
      reasonOf("npm test > /tmp/out.txt"),
      "'a redirection' may change '/tmp/out.txt', which may lie outside the workspace. Write to a path in the workspace instead."
    )
    assert.notInclude(reasonOf("rm -rf /tmp/x"), "instead")
  })
})
