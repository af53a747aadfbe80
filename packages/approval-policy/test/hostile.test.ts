/** Commands as an attacker would write them, family by family, under rules that a careless user might have. */
import { assert, describe, it } from "@effect/vitest"
import { ApprovalPolicy, Approvals } from "@belay/approval-policy"
import * as fs from "node:fs"
import { command, listing, words } from "./fixtures.ts"

type Row = readonly [allow: string, text: string]

const rowsOf = (name: string): ReadonlyArray<Row> =>
  fs
    .readFileSync(new URL(name, import.meta.url), "utf8")
    .split("\n")
    .flatMap((line): ReadonlyArray<Row> => {
      const [allow = "", text] = line.split("\t")
      return text === undefined || line.startsWith("#") ? [] : [[allow, JSON.parse(text) as string]]
    })

const hostile = rowsOf("hostile.txt")

const decide = ([allow, text]: Row) => ApprovalPolicy.decide(command(text, { approvals: listing(...allow.split(",")) }))

const allowed = (rows: ReadonlyArray<Row>) =>
  rows.filter((row) => decide(row).decision === "allow").map(([allow, text]) => `[${allow}] ${text}`)

/** The first program of the entries names the family. */
const families = Map.groupBy(hostile, ([allow]) => allow.split(/[ ,]/)[0] ?? "")

describe(`${hostile.length} hostile commands`, () => {
  it.each([...families])("of %s run under no rule for their programs", (_, rows) => {
    assert.deepStrictEqual(allowed(rows), [])
  })

  it("run under no rule when they are written without a shell, either", () => {
    const simple = hostile.filter(([, text]) => /^[\w ./:=@+,-]+$/.test(text) && !/^[A-Z_]+=/.test(text))
    assert.isAbove(simple.length, 300)
    const ran = simple.filter(([allow, text]) => {
      const approvals = listing(...allow.split(","))
      return ApprovalPolicy.decide(words(text.split(" "), { approvals })).decision === "allow"
    })
    assert.deepStrictEqual(ran, [])
  })

  it("are denied where nobody is there, and the reason is a sentence", () => {
    for (const row of hostile) {
      const { decision, reason } = ApprovalPolicy.unattended(decide(row))
      assert.strictEqual(decision, "deny", row[1])
      assert.match(reason, /^.{10,}\.$/su)
    }
  })

  it("are not told apart by refusing everything: these run", () => {
    const harmless = rowsOf("harmless.txt")
    assert.deepStrictEqual(
      harmless.filter((row) => decide(row).decision !== "allow").map(([, text]) => text),
      []
    )
  })
})

describe("the hard floor", () => {
  it("asks for these whatever is allowed, also when their exact text is", () => {
    const texts = rowsOf("floor.txt").map(([, text]) => text)
    assert.isAbove(texts.length, 100)
    const silent = texts.filter(
      (text) => ApprovalPolicy.decide(command(text, { approvals: Approvals.all })).decision === "allow"
    )
    assert.deepStrictEqual(silent, [])
    const exact = texts.filter((text) => {
      const approvals = { ...Approvals.all, commands: { allow: [text], deny: [], other: "allow" as const } }
      return ApprovalPolicy.decide(command(text, { approvals })).decision === "allow"
    })
    assert.deepStrictEqual(exact, [])
  })
})
