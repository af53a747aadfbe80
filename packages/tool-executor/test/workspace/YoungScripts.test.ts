import { assert, describe, it } from "@effect/vitest"
import * as shell from "@belay/approval-policy/shell"
import * as Effect from "effect/Effect"
import * as Confinement from "../../src/Confinement.ts"
import * as CommandFiles from "../../src/workspace/CommandFiles.ts"
import * as YoungScripts from "../../src/workspace/YoungScripts.ts"
import * as Workspace from "./fixtures/Workspace.ts"

describe("scripts that came while Belay runs", () => {
  it.live("are unseen, unless all that they do is to compute and print", () =>
    Effect.gen(function* () {
      const { root, write } = yield* Workspace.make
      write("evil.js", 'require("fs").rmSync("/", { recursive: true })\n')
      write("fine.js", 'console.log("x")\n')
      write("evil.sh", "rm -rf /\n")
      write("compound.sh", "for f in *; do rm $f; done\n")
      write("fine.sh", "#!/bin/sh\nls | wc -l\n")
      write("large.js", "1\n".repeat(40_000))
      write("run", "#!/bin/sh\nls\n")
      const unseen = (text: string, since?: number) => {
        const reading = shell.read(text, { folder: root })
        const files = CommandFiles.resolve(reading.targets, { workspace: root, home: "/nowhere", folder: root })
        return YoungScripts.unseen(reading, files, shell, since)
      }
      const commands = [
        "node evil.js",
        "sh evil.sh",
        ". ./evil.sh",
        "bash compound.sh",
        "node large.js",
        "./run",
        "sh e*.sh",
        "env node evil.js",
        "ls && sh evil.sh"
      ]
      assert.deepStrictEqual(
        commands.filter((command) => unseen(command).length === 0),
        []
      )
      const fine = ["node fine.js", "sh fine.sh", "cat evil.sh", "npm test", "ls"]
      assert.deepStrictEqual(
        fine.flatMap((command) => unseen(command)),
        []
      )
      assert.deepStrictEqual(
        commands.flatMap((command) => unseen(command, Date.now() + 60_000)),
        []
      )
    })
  )
})

describe("code that no rule has seen", () => {
  const seen = {
    decision: "allow",
    rule: "commands.other",
    reason: "Others: allow.",
    grants: [],
    resolved: {}
  } as const
  const decision = { ...seen, unseen: "What 'node' does with what it is given is not seen." }
  const boxed = { _tag: "Confined", by: "bubblewrap" } as const
  const none = { _tag: "Unavailable", reason: "There is none." } as const

  it("runs in a sandbox only, and asks where there is none or it is off", () => {
    const rule = (state: Confinement.State, setting: Confinement.Setting, given = decision) => {
      const { decision: verdict, rule } = Confinement.judge(given, state, setting)
      return `${verdict} ${rule}`
    }
    assert.strictEqual(rule(boxed, "preferred"), "allow commands.other")
    assert.strictEqual(rule(boxed, "required"), "allow commands.other")
    assert.strictEqual(rule(boxed, "off"), "ask command.unseen")
    assert.strictEqual(rule(none, "preferred"), "ask command.unseen")
    assert.strictEqual(rule(none, "off"), "ask command.unseen")
    assert.strictEqual(rule(none, "required"), "ask sandbox")
    assert.strictEqual(rule(none, "off", { ...decision, decision: "ask" } as never), "ask commands.other")
    assert.strictEqual(Confinement.judge(seen, none, "off").decision, "allow")
  })
})
