/** Folders that a command takes as a whole, and paths that an earlier program of the line may have led elsewhere. */
import { assert, describe, it } from "@effect/vitest"
import { ApprovalPolicy, Approvals, type PathFact } from "@belay/approval-policy"
import { command } from "./fixtures.ts"

const approvals: Approvals.Approvals = {
  ...Approvals.edits,
  commands: { allow: ["rm", "mv", "cp", "ln", "cat", "grep", "find", "xargs", "git rm"], deny: [], other: "ask" }
}

/** What lies in each folder of the command. */
const decide = (text: string, below: PathFact.Below = {}, more: Partial<Approvals.Approvals> = {}) => {
  const call = command(text, { approvals: { ...approvals, ...more } })
  const found = call.facts.command
  if (found === undefined) throw new Error("no command")
  const files = found.files.map((facts) => facts.map((fact) => (fact.kind === "directory" ? { ...fact, below } : fact)))
  return ApprovalPolicy.decide({ ...call, facts: { paths: [], command: { ...found, files } } })
}

const decisionOf = (text: string, below?: PathFact.Below, more?: Partial<Approvals.Approvals>): string => {
  const { decision, rule } = decide(text, below, more)
  return `${decision} ${rule}`
}

describe("a folder that is read as a whole", () => {
  it("asks for what its names say, also where its exact text or everything is allowed", () => {
    const all = { ...Approvals.all, commands: { allow: ["grep -r x src"], deny: [], other: "allow" as const } }
    for (const text of ["grep -r x src", "find src -type f -exec cat {} +", "find src | xargs cat"]) {
      assert.strictEqual(decide(text).decision, "allow", text)
      assert.strictEqual(decisionOf(text, { secret: "a/.env" }), "ask path.secret", text)
      assert.strictEqual(decisionOf(text, { secret: "a/.env" }, all), "ask path.secret", text)
      assert.strictEqual(decide(text, { more: true }).decision, "ask", text)
      assert.strictEqual(decisionOf(text, { outside: "link" }), "ask path.outside", text)
    }
    assert.include(decide("grep -r x src", { secret: "a/.env" }).reason, "'src/a/.env'")
  })

  it("asks for strange names only where they are taken apart", () => {
    assert.strictEqual(decide("find src | xargs cat", { strange: "a b" }).decision, "ask")
    assert.strictEqual(decide("find src -print0 | xargs -0 cat", { strange: "a b" }).decision, "allow")
  })

  it("asks where nobody has looked at it", () => {
    const call = command("grep -r x src", { approvals })
    const found = call.facts.command
    const files = (found?.files ?? []).map((facts) => facts.map(({ below: _, ...fact }) => fact))
    const blind = { ...call, facts: { paths: [], ...(found === undefined ? {} : { command: { ...found, files } }) } }
    assert.strictEqual(ApprovalPolicy.decide(blind).decision, "ask")
  })
})

describe("a folder that is copied, moved or removed as a whole", () => {
  it("asks for the protected names and secrets in it", () => {
    for (const text of ["cp -r src lib", "mv src lib", "cp -rT src ."]) {
      assert.strictEqual(decide(text).decision, "allow", text)
      assert.strictEqual(decisionOf(text, { protected: "a/.npmrc" }), "ask path.protected", text)
      assert.strictEqual(decisionOf(text, { secret: "a/.env" }), "ask path.secret", text)
    }
    assert.strictEqual(decisionOf("rm -r src", { secret: "a/.env" }), "ask path.secret")
  })

  it("asks for what patterns keep below it", () => {
    const deny = { paths: [{ pattern: "src/kept/**", edit: "deny" as const }] }
    for (const text of ["rm -r src", "rm -r src/kept", "mv src lib", "git rm -r ./", "rm -r src/kept/deep"])
      assert.strictEqual(decide(text, {}, deny).decision, "deny", text)
    assert.strictEqual(decide("rm -r lib", {}, deny).decision, "allow")
    assert.strictEqual(decide("rm -r src", {}, { paths: [{ pattern: "**/*.lock", edit: "ask" }] }).decision, "ask")
  })
})

describe("find with -L", () => {
  it("leads through links to folders, and so does what it runs", () => {
    const follows = (text: string) =>
      command(text, { approvals: Approvals.all }).facts.command?.reading.targets.flatMap(
        ({ below }) => below?.follows ?? []
      )
    assert.deepStrictEqual(follows("find -L -name '*.json' -exec head {} ;"), ["all"])
    assert.deepStrictEqual(follows("find src -follow -type f -exec cat {} +"), ["all"])
    assert.deepStrictEqual(follows("find src -name '*.json' -exec head {} ;"), ["files"])
  })
})

describe("a path after a program that may have led it elsewhere", () => {
  it("asks, in the same pipe, too, and only below what that program changed", () => {
    for (const text of [
      "mv src b && cat b/c",
      "mv src b | cat b/c",
      "cat b/c | mv src b",
      "cp -r a b; cat b",
      "ln -s src l && cat l/x"
    ])
      assert.strictEqual(decisionOf(text), "ask command.order", text)
    for (const text of [
      "ln -s src l && mv l b && cat b",
      "mv l b | ln -sf src l; cat b",
      "ln -s src l | mv l b; mv b c && cat c"
    ])
      assert.strictEqual(decide(text).decision, "ask", text)
    for (const text of ["mv src b && rm b/c", "cp -r a b && cp x b/y"])
      assert.strictEqual(decide(text).rule, "floor.outside", text)
    for (const text of [
      "cat b/c && mv src b",
      "mv src b && cat x/c",
      "cp a b && cat b",
      "mv a b && cat b",
      "mv a b && mv b c && cat c"
    ])
      assert.strictEqual(decide(text).decision, "allow", text)
  })

  it("asks in the next round of a loop whose word stands for several", () => {
    for (const text of [
      "for i in $(seq 1 2); do cat b/c; mv src b; done",
      "for f in *.md; do cat b/c; mv src b; done",
      "for f in $(git ls-files); do cat b/c; mv src b; done",
      "git ls-files | while read -r f; do cat b/c; mv src b; done",
      "for f in *.md; do cp x b/c; cp -r src b; done"
    ])
      assert.match(decisionOf(text), /^ask (?:command\.order|floor\.outside)$/, text)
    assert.strictEqual(decide("for i in $(seq 1 2); do cat b/c; cat x; done").decision, "allow")
  })

  it("asks for a pattern whose folder was changed", () => {
    assert.strictEqual(decisionOf("mv src b && cat b/*"), "ask command.order")
    assert.strictEqual(decisionOf("mv src b && cat */c"), "ask command.order")
  })
})
