/**
 * A folder that a command takes as a whole, where our own data folder lies in it or behind a link: nothing of the data is
 * read without asking, by whatever way the command comes to it, and what lies beside it is read as before.
 */
import { CommandFiles, PathResolver } from "@belay/approval-policy/facts"
import { assert, describe, it } from "@effect/vitest"
import { ApprovalPolicy, Approvals, type Decision } from "@belay/approval-policy"
import { read } from "@belay/approval-policy/shell"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll } from "vitest"

const base = fs.realpathSync.native(fs.mkdtempSync(path.join(os.tmpdir(), "belay-whole-")))
const home = path.join(base, "home")
const data = path.join(home, "share/belay")
const workspace = path.join(base, "project")

const write = (file: string) => {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, "{}\n")
}

write(path.join(data, "state.json"))
write(path.join(data, "deep/notes.md"))
write(path.join(home, "share/other/state.json"))
write(path.join(home, "locked/.ssh/known.txt"))
write(path.join(home, "plain/notes.md"))
write(path.join(workspace, "docs/guide.md"))
write(path.join(workspace, "plain/a.txt"))
fs.symlinkSync(path.join(home, "share"), path.join(workspace, "link"))
fs.symlinkSync(data, path.join(workspace, "docs/more"))
fs.symlinkSync(path.join(home, "plain"), path.join(workspace, "plain/more"))
fs.mkdirSync(path.join(workspace, "keys"))
fs.symlinkSync(path.join(home, "locked/.ssh"), path.join(workspace, "keys/more"))

afterAll(() => fs.rmSync(base, { recursive: true, force: true }))

const decide = (text: string): Decision.Decision => {
  const reading = read(text, { home, folder: workspace })
  const files = CommandFiles.resolve(reading.targets, { workspace, home, data, folder: workspace })
  const cwd = PathResolver.resolve(".", { workspace, home, access: "read" })
  return ApprovalPolicy.decide({
    tool: "execute_command",
    category: "command",
    args: { command: text },
    mode: "act",
    readOnly: false,
    approvals: Approvals.all,
    facts: { paths: [], command: { text, cwd, reading, files } },
    workspace,
    known: true,
    home: data
  })
}

const asks = (text: string) => assert.include(decide(text), { decision: "ask", rule: "path.secret" }, text)
const runs = (text: string) => assert.strictEqual(decide(text).decision, "allow", text)

describe("WholeFolder", () => {
  it("asks for every way to our own data", () => {
    for (const text of [
      "find link/ -name '*.json' -exec grep '' {} \\;",
      "find link/ -name '*.json' | xargs cat",
      "grep -r '' link/",
      "grep -r --include='*.json' '' link/",
      "grep -R '' docs",
      "grep -R --include='*.md' '' docs",
      "find -L docs -name '*.md' -exec cat {} +",
      "find link/belay/deep -name '*.md' -exec cat {} +",
      "cat link/belay/state.json"
    ]) {
      asks(text)
    }
  })

  it("asks for secrets behind a link that is followed, whatever its name", () => {
    asks("grep -R --include='*.txt' '' keys")
    asks("find -L keys -name '*.txt' -exec cat {} +")
  })

  it("runs what reads beside them", () => {
    for (const text of [
      "find link/other -name '*.json' -exec cat {} +",
      "cat link/other/state.json",
      "grep -r '' docs",
      "find docs -name '*.md' -exec cat {} +"
    ]) {
      runs(text)
    }
  })
})
