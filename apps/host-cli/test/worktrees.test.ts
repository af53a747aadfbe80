/** Tasks that work apart, on a branch and in a folder of their own, and two that do not. */
import { ScriptedServer } from "@belay/testkit"
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { completes, use } from "./support/asking.ts"
import { belay, folder, json, start } from "./support/cli.ts"

const write = (content: string) => use("write_to_file", { path: "two.txt", content }, "w")

describe("run --worktree", () => {
  const home = folder()
  const cwd = path.join(folder(), "api")
  let env: { readonly BELAY_HOME: string; readonly ANTHROPIC_BASE_URL: string }
  let server: Awaited<ReturnType<typeof ScriptedServer.startServer>>

  const running = new Set<ReturnType<typeof start>>()
  const begin = (prompt: string) => {
    const run = start(["run", prompt], env, cwd)
    running.add(run)
    return run
  }

  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", ["-c", "user.name=U", "-c", "user.email=u@localhost", ...args], { cwd, encoding: "utf8" })
  const read = (root: string) => readFileSync(path.join(root, "two.txt"), "utf8")

  beforeAll(async () => {
    server = await ScriptedServer.startServer({
      tasks: [
        { match: { prompt: "Improve it" }, shared: true, answers: [write("theirs"), completes("Done.")] },
        { match: { prompt: "Alpha job" }, shared: true, answers: [{ ...completes("Alpha done."), hold: "alpha" }] },
        { match: { prompt: "Beta job" }, shared: true, answers: [{ ...completes("Beta done."), hold: "beta" }] }
      ]
    })
    env = { BELAY_HOME: home, ANTHROPIC_BASE_URL: server.url }
    execFileSync("git", ["init", "--quiet", cwd])
    git("config", "user.name", "U")
    git("config", "user.email", "u@localhost")
    writeFileSync(path.join(cwd, "one.txt"), "ours")
    git("add", "--all")
    git("commit", "--quiet", "--message=base")
  })
  afterAll(async () => {
    await Promise.all([...running].map((one) => one.kill()))
    await server.close()
  })

  it("writes in a folder of its own, whose work is merged whole and then removed", async () => {
    writeFileSync(path.join(cwd, "notes.txt"), "mine")
    const ran = await belay(["run", "--worktree", "Improve it", "--approvals", "edits"], env, cwd)
    const at = `${cwd}.worktrees/improve-it`
    assert.strictEqual(ran.code, 0, ran.stderr.join("\n"))
    const said = `Works in a worktree of its own: ${at} (branch belay/improve-it). Merge it: belay worktree merge improve-it`
    assert.includeMembers([...ran.stderr], [said, "It does not have your changes to 1 file that are not committed."])
    assert.deepStrictEqual([existsSync(path.join(cwd, "two.txt")), read(at)], [false, "theirs"])
    const { worktrees } = json((await belay(["worktree", "list", "--output", "json"], env, cwd)).stdout)
    assert.deepInclude(worktrees[0], { name: "improve-it", folder: at, commits: 0, changed: 1 })
    const listed = await belay(["worktree", "list"], env, cwd)
    assert.match(listed.stdout[1] ?? "", /^ {2}improve-it +0 +1 {2}Improve it \(done\) /)
    const kept = await belay(["worktree", "remove", "improve-it"], env, cwd)
    assert.deepStrictEqual([kept.code, kept.stdout], [2, []])
    assert.match(
      kept.stderr[0] ?? "",
      /^belay: "improve-it" has work that is not merged \(1 changed file\)\. Merge it: /
    )
    const merged = await belay(["worktree", "merge", "improve-it"], env, cwd)
    assert.match(
      merged.stdout[0] ?? merged.stderr.join(),
      /^Merged "improve-it" into \S+: 1 commit, with 1 file committed for it\. Remove it: belay worktree remove improve-it$/
    )
    assert.deepStrictEqual([read(cwd), git("log", "-1", "--format=%s").trim()], ["theirs", "Improve it"])
    const removed = await belay(["worktree", "remove", "improve-it"], env, cwd)
    assert.deepStrictEqual([removed.code, existsSync(path.dirname(at))], [0, false], removed.stderr.join())
    assert.strictEqual(git("branch", "--list", "belay/*"), "")
  })

  it("is refused in one line where there is no repository, and of a task that goes on", async () => {
    const plain = folder()
    for (const [args, said] of [
      [["run", "--worktree", "Improve it"], /^belay: this is not a git repository \(/],
      [["run", "--worktree=a b", "Improve it"], /^belay: (?:"a b" cannot be|this is not)/],
      [["run", "-c", "--worktree"], /^belay: a task that goes on stays in its folder\./],
      [["worktree", "merge", "none"], /^belay: this is not a git repository \(/]
    ] as const) {
      const { code, stderr, stdout } = await belay(args, env, plain)
      assert.deepStrictEqual([code, stdout], [2, []], stderr.join("\n"))
      assert.match(stderr[0] ?? "", said)
    }
  })

  it("is offered to both of two runs that write in one folder, once each", async () => {
    const alpha = begin("Alpha job")
    await server.waitForRequests((all) => JSON.stringify(all.at(-1)?.body ?? {}).includes("Alpha job"))
    const second = begin("Beta job")
    const offer = (title: string) => new RegExp(`^.*"${title}" \\(\\w+\\) works in this folder, too: .*--worktree`)
    await second.waitForLine((line) => offer("Alpha job").test(line), "stderr")
    await alpha.waitForLine((line) => offer("Beta job").test(line), "stderr")
    server.release("alpha")
    server.release("beta")
    const [first, other] = await Promise.all([alpha.exit, second.exit])
    for (const { code, stderr } of [first, other]) {
      assert.strictEqual(code, 0, stderr.join("\n"))
      assert.strictEqual(stderr.filter((line) => line.includes("works in this folder, too")).length, 1)
    }
  })
})
