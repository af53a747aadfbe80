/** Commands and paths of a real folder, judged in one call. */
import { assert, describe, it } from "@effect/vitest"
import { InvalidApprovals, judgeCommand, judgePaths } from "@belay/approval-policy/node"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, beforeAll } from "vitest"

let root = ""
let workspace = ""
let outside = ""

beforeAll(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "judge-")))
  workspace = path.join(root, "project")
  outside = path.join(root, "other.txt")
  fs.mkdirSync(path.join(workspace, "src"), { recursive: true })
  fs.writeFileSync(outside, "private")
  fs.writeFileSync(path.join(workspace, "a.ts"), "")
  fs.writeFileSync(path.join(workspace, "b.ts"), "")
  fs.writeFileSync(path.join(workspace, ".env"), "KEY=1")
  fs.symlinkSync(outside, path.join(workspace, "innocent.txt"))
})
afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

const said = async (text: string, more: Partial<Parameters<typeof judgeCommand>[1]> = {}) => {
  const { decision, rule } = await judgeCommand(text, {
    workspace,
    environment: { ...process.env, HOME: root },
    ...more
  })
  return `${decision} ${rule}`
}

describe("judgeCommand", () => {
  it("lets a command run that only reads files of the workspace, by their names or by a pattern", async () => {
    assert.strictEqual(await said("cat a.ts"), "allow commands.readOnly")
    assert.strictEqual(await said("cat *.ts"), "allow commands.readOnly")
  })

  it("asks where a link leads out of the workspace, by whatever name it is found", async () => {
    assert.match(await said("cat innocent.txt"), /^ask /)
    for (const text of ["cat inn*", "head -5 *.txt", "cat ?nnocent.txt", "cat ./inn*", "cat *"])
      assert.match(await said(text), /^ask /, text)
  })

  it("asks for what a word hides, and for secrets that a pattern finds", async () => {
    for (const text of ["cat .e*", "cat {.env,a.ts}", "cat ~/other.txt", "cat $(ls)", "cat ../*.txt", 'cat "$X"'])
      assert.match(await said(text), /^ask /, text)
  })

  it("follows the settings that are given, and refuses changes in plan mode", async () => {
    const approvals = { edit: "allow", commands: { allow: ["touch"], deny: ["curl"] } }
    assert.strictEqual(await said("touch src/c.ts", { approvals }), "allow commands.allow")
    assert.strictEqual(await said("curl example.org", { approvals }), "deny commands.deny")
    assert.strictEqual(await said("touch src/c.ts", { approvals, mode: "plan" }), "deny mode.plan")
    assert.strictEqual(await said("rm -rf ~/", { approvals: "all" }), "ask floor.outside")
  })

  it("asks in a repository whose own settings name a program that git would start", async () => {
    const repository = path.join(workspace, "repository")
    fs.mkdirSync(repository)
    childProcess.execFileSync("git", ["init", "-q", repository])
    assert.strictEqual(await said("git log", { cwd: "repository" }), "allow commands.readOnly")
    fs.appendFileSync(path.join(repository, ".git", "config"), "[core]\n\tsshCommand = ./a\n[diff]\n\texternal = ./a\n")
    assert.strictEqual(await said("git diff", { cwd: "repository" }), "ask command.git")
  })

  it("takes a program of the workspace for code of the project, wherever PATH leads", async () => {
    const bin = path.join(workspace, "bin")
    fs.mkdirSync(bin)
    fs.writeFileSync(path.join(bin, "cat"), "#!/bin/sh\n", { mode: 0o755 })
    assert.match(await said("cat a.ts", { environment: { PATH: `${bin}:/usr/bin:/bin` } }), /^ask /)
  })

  it("denies where it cannot look, and rejects settings that cannot be read", async () => {
    assert.strictEqual(await said("cat a.ts", { workspace: path.join(root, "missing") }), "deny path.unresolved")
    assert.strictEqual(await said("cat a.ts", { workspace: outside }), "deny path.unresolved")
    assert.strictEqual(await said("cat a.ts", { workspace: "." }), "deny path.unresolved")
    assert.strictEqual(await said("cat a.ts", { cwd: "missing\0" }), "deny path.unresolved")
    const wrong = judgeCommand("ls", { workspace, approvals: { reads: "allow" } })
    const refused: unknown = await wrong.catch((cause: unknown) => cause)
    assert.isTrue(refused instanceof InvalidApprovals)
  })

  it("rejects with the reason of the signal", async () => {
    const reason = new Error("enough")
    const rejected = judgeCommand("ls", { workspace, signal: AbortSignal.abort(reason) })
    assert.strictEqual(await rejected.catch((cause: unknown) => cause), reason)
  })
})

describe("judgePaths", () => {
  const paths = async (given: string, access: "read" | "write", approvals: "ask" | "edits") => {
    const { decision, rule } = await judgePaths([{ path: given, access }], { workspace, approvals })
    return `${decision} ${rule}`
  }

  it("judges files by where they lead", async () => {
    assert.strictEqual(await paths("a.ts", "read", "ask"), "allow read")
    assert.strictEqual(await paths("a.ts", "write", "ask"), "ask edit")
    assert.strictEqual(await paths("a.ts", "write", "edits"), "allow edit")
    assert.strictEqual(await paths("innocent.txt", "read", "edits"), "ask path.outside")
    assert.strictEqual(await paths("package.json", "write", "edits"), "ask path.protected")
    assert.strictEqual(await paths(".env", "read", "edits"), "ask path.secret")
  })

  it("denies an empty list of paths", async () => {
    assert.strictEqual((await judgePaths([], { workspace, approvals: "edits" })).decision, "deny")
  })
})
