/** A task of the window that works on a branch and in a folder of its own. */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as InProcess from "./vscode/InProcess.ts"
import { completes, task, writes } from "./vscode/Scripts.ts"

vi.mock("vscode", () => import("./vscode/StandIn.ts"))

describe("a new task in a worktree", () => {
  let vs: InProcess.InProcess
  const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd: vs.workspace, encoding: "utf8" })

  beforeAll(async () => {
    vs = await InProcess.open({
      settings: { "belay.approvals.edit": "allow" },
      tasks: [task("Style the page", writes("page.css", "a {}\n"), completes("Styled"))]
    })
  })
  afterAll(() => vs.close())

  it("is refused with one line where there is no repository, and no task begins", async () => {
    await vs.run("belay.newTaskInWorktree", "Style the page")
    await vs.told("This is not a git repository")
    assert.deepEqual(await vs.rows("belay.tasks"), [])
  })

  it("writes there and not in the folder of the window, and how to merge it is told", async () => {
    const who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    git("init", "--quiet")
    writeFileSync(path.join(vs.workspace, "page.html"), "<p>\n")
    git("add", "page.html")
    git(...who, "commit", "--quiet", "-m", "A page")
    writeFileSync(path.join(vs.workspace, "note"), "")
    await vs.run("belay.newTaskInWorktree", "Style the page")
    const { line } = await vs.told("Works in a worktree of its own")
    const at = path.join(`${vs.workspace}.worktrees`, "style-the-page")
    assert.include(line, `: ${at} (branch `)
    assert.include(line, "Merge it: belay worktree merge style-the-page. It does not have your changes to 1 file that")
    await vs.row("Style the page", "Done: Styled")
    assert.equal(readFileSync(path.join(at, "page.css"), "utf8"), "a {}\n")
    assert.isFalse(existsSync(path.join(vs.workspace, "page.css")))
  })
})
