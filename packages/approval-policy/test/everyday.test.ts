/**
 * Everyday commands of a language with the entries that a careful person keeps for it: they must not ask.
 *
 * `everyday.txt` has a group for each language, `# name: entry, entry`, and a command from one line to the next that does
 * not go on.
 */
import { assert, describe, it } from "@effect/vitest"
import { ApprovalPolicy, Approvals } from "@belay/approval-policy"
import * as fs from "node:fs"
import { command } from "./fixtures.ts"

interface Group {
  readonly name: string
  readonly allow: ReadonlyArray<string>
  readonly commands: ReadonlyArray<string>
}

/** Behind a backslash, and up to the end of a here-document, a command goes on. */
const split = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const found: Array<string> = []
  let open = false
  for (const line of lines) {
    const last = found.at(-1) ?? ""
    const inText = /<<'EOF'/.test(last) && !/\nEOF(?:\n|$)/.test(last)
    const inQuote = /"\$\(cat <<'EOF'/.test(last) && !/\n\)"[^\n]*$/.test(last)
    if (open || inText || inQuote) found[found.length - 1] = `${last}\n${line}`
    else found.push(line)
    open = line.endsWith("\\")
  }
  return found
}

const groupsOf = (file: string): ReadonlyArray<Group> =>
  fs
    .readFileSync(new URL(file, import.meta.url), "utf8")
    .trim()
    .split(/^# /m)
    .slice(1)
    .map((text) => {
      const [head = "", ...lines] = text.trimEnd().split("\n")
      const [name = "", entries = ""] = head.split(": ")
      return { name, allow: entries.split(", "), commands: split(lines) }
    })

const groups = groupsOf("everyday.txt")

/** Written without a look at the first, with what asks for good reason: other places, the machine, names from a pipe. */
const second = groupsOf("everyday2.txt")

/** Written without a look at the others: seven languages, with the entries that somebody keeps who has not seen the table. */
const third = groupsOf("everyday3.txt")

const asking = ({ allow, commands }: Group, more: Partial<Approvals.Approvals["commands"]> = {}) => {
  const approvals = { ...Approvals.edits, commands: { allow, deny: [], other: "ask" as const, ...more } }
  return commands.flatMap((text) => {
    const { decision, reason } = ApprovalPolicy.decide(command(text, { approvals }))
    return decision === "allow" ? [] : [`${text}: ${reason}`]
  })
}

describe("everyday commands with the entries of a person", () => {
  it("are at least 300", () => {
    assert.isAtLeast(groups.flatMap(({ commands }) => commands).length, 300)
  })

  it.each(groups.map((group) => [group.name, group] as const))("of %s: at most 5 % ask", (_, group) => {
    const asked = asking(group)
    assert.isAtMost(asked.length / group.commands.length, 0.05, asked.join("\n"))
  })

  it("of a second set: at most 6 % ask", () => {
    const asked = second.flatMap((group) => asking(group))
    const all = second.flatMap(({ commands }) => commands)
    assert.isAtLeast(all.length, 500)
    assert.isAtMost(asked.length / all.length, 0.06, asked.join("\n"))
  })

  it("of a third set: at most 6 % ask", () => {
    const asked = third.flatMap((group) => asking(group))
    const all = third.flatMap(({ commands }) => commands)
    assert.isAtLeast(all.length, 120)
    assert.isAtMost(asked.length / all.length, 0.06, asked.join("\n"))
  })

  it("ask without entries, but for those that only read", () => {
    const alone = groups.filter(({ name }) => name !== "Shell and git").map((group) => ({ ...group, allow: [] }))
    const share = alone.flatMap((group) => asking(group)).length / alone.flatMap(({ commands }) => commands).length
    assert.isAtLeast(share, 0.9)
  })

  it("that only read run without an entry, unless the setting asks", () => {
    const shell = groups.filter(({ name }) => name === "Shell and git").map((group) => ({ ...group, allow: [] }))
    const reads = shell.flatMap(({ commands }) => commands).slice(0, 20)
    const group = { name: "", allow: [], commands: reads }
    assert.deepStrictEqual(asking(group), [])
    assert.strictEqual(asking(group, { readOnly: "ask" }).length, reads.length)
  })
})
