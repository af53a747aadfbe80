import { AskFacts } from "@belay/interaction/tasks"
import type { Event, History } from "@belay/history-store"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { afterAll, assert, describe, it } from "vitest"

const approval = (tool: string, args: unknown, more: Partial<History.Ask["payload"]> = {}): History.Ask => ({
  askId: "a",
  kind: "approval",
  attempt: 1,
  callId: "c",
  payload: { question: `${tool} ${JSON.stringify(args)}`, grants: [], ...more },
  open: true,
  decision: null,
  text: null,
  by: null,
  process: null
})

describe("what is known of an ask", () => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "belay-facts-")))
  const workspace = path.join(folder, "workspace")
  const outside = path.join(folder, "outside")
  for (const name of [workspace, outside]) mkdirSync(name)
  symlinkSync(outside, path.join(workspace, "link"))
  afterAll(() => rmSync(folder, { recursive: true }))
  const factsOf = (ask: History.Ask, said = "") => {
    const { facts, heading } = AskFacts.of(ask, workspace, said)
    return { heading, known: new Map(facts.map(({ label, text }) => [label, text])), last: facts.at(-1) }
  }

  it("is what will really happen, escaped and by its rule, and last what the model says, which passes for no fact", () => {
    const command = "printf '\u001B[31m\u202E\u{E0041}' > printed.txt"
    const shown = "printf '\\u{1b}[31m\\u{202e}\\u{e0041}' > printed.txt"
    const { heading, known, last } = factsOf(
      approval(
        "execute_command",
        { command, cwd: "." },
        {
          reason: `The command contains characters that cannot be seen: ${command}`,
          rule: "command.unreadable",
          resolved: { programs: ["printf"], writes: [path.join(workspace, "printed.txt")], sandbox: "confined" }
        }
      ),
      "It only prints.\nWhy asked: it is safe\u001B[2K"
    )
    assert.equal(heading, `Run ${shown}`)
    assert.equal(known.get("Command"), shown)
    assert.equal(known.get("In"), workspace)
    assert.equal(known.get("Writes"), "printed.txt")
    assert.equal(
      known.get("Why asked"),
      `The command contains characters that cannot be seen: ${shown} (command.unreadable)`
    )
    assert.deepEqual(last, { label: "The model says", text: '"It only prints.\nWhy asked: it is safe\\u{1b}[2K"' })
  })

  it("names the server, the tool and the very arguments of a call of a server", () => {
    const args = { to: "all\u202E", amount: 3, deep: { list: [1, "two"] } }
    const { heading, known } = factsOf(approval("use_mcp_tool", { server: "bank", tool: "pay", arguments: args }))
    assert.include(heading, "bank")
    assert.equal(known.get("Server"), "bank")
    assert.equal(known.get("Tool"), "pay")
    const shown = known.get("Arguments") ?? ""
    assert.notInclude(shown, "\u202E")
    assert.deepEqual(JSON.parse(shown), args)
    const read = factsOf(approval("access_mcp_resource", { server: "bank", uri: "bank://x" })).known
    assert.deepEqual([read.get("Resource"), read.has("Tool")], ["bank://x", false])
  })

  it("says where a link leads, of a folder and of what is changed, and why it may not be allowed always", () => {
    const target = path.join(outside, "target.txt")
    const edit = { path: "link/target.txt", resolved: target, exists: true, added: 1, removed: 1 }
    const grants: ReadonlyArray<Event.GrantOffer> = [
      { scope: "task", allowed: true, rules: ["link/target.txt"] },
      { scope: "always", allowed: false, reason: "It is outside of the folder.", rules: [] }
    ]
    const { known } = factsOf(approval("write_to_file", { path: "link/target.txt" }, { edits: [edit], grants }))
    assert.include(known.get("Changes"), `-> ${target}`)
    assert.equal(known.get("Always is not offered"), "It is outside of the folder.")
    assert.isUndefined(known.get("Allow for this task is not offered"))
    assert.equal(
      factsOf(approval("execute_command", { command: "ls", cwd: "link" })).known.get("In"),
      `link -> ${outside}`
    )
  })
})
