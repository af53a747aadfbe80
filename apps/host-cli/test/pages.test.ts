/** What the pages of `docs` say about approvals, configuration and repairs is what holds. */
import { Approvals } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as Names from "../src/settings/Names.ts"
import { folder } from "./support/cli.ts"

vi.stubEnv("BELAY_HOME", folder())
afterAll(() => vi.unstubAllEnvs())

/** It looks for the data folder when it is loaded. */
const Explain = await import("../src/policy/Explain.ts")

const root = path.resolve(import.meta.dirname, "..", "..", "..")
const page = (name: string): string => readFileSync(path.join(root, "docs", name), "utf8")
const approvals = page("approvals.md")
const configuration = page("configuration.md")

const sources = (kind: string): ReadonlyArray<string> =>
  readdirSync(path.join(root, kind)).flatMap((id) => {
    const src = path.join(root, kind, id, "src")
    return readdirSync(src, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => readFileSync(path.join(src, name), "utf8"))
  })

const workspace = folder()

beforeAll(() => {
  for (const name of ["notes.md", ".env", "package.json", "a.tar"]) writeFileSync(path.join(workspace, name), "x\n")
  mkdirSync(path.join(workspace, "src"))
  const outside = path.join(folder(), "other.txt")
  writeFileSync(outside, "x\n")
  symlinkSync(outside, path.join(workspace, "link.txt"))
})

const approvalsOf = (text: string): Approvals.Approvals =>
  Approvals.isPreset(text) ? Approvals.presets[text] : Effect.runSync(Approvals.decode(JSON.parse(text)))

const callOf = (text: string) => {
  const [, tool = "execute_command", args] = /^([a-z]+(?:_[a-z]+)+) (\{.*\})$/.exec(text) ?? []
  return { tool, args: args === undefined ? { command: text } : JSON.parse(args) }
}

const rows = [...approvals.matchAll(/^\| `(.+?)` \| `(.+?)` \| (act|plan) \| (allow|ask|deny) \| `(.+?)` \|$/gm)]

describe("docs/approvals.md", () => {
  it("has an example for each row of its table", () => {
    const table = approvals.split("## Examples")[1]?.split("## Rules")[0] ?? ""
    assert.lengthOf(rows, table.match(/^\| `/gm)?.length ?? 0)
    assert.isAbove(rows.length, 25)
  })

  for (const [, call = "", settings = "", mode, decision, rule] of rows) {
    it(`says what the policy decides: ${call} with ${settings} in ${mode} mode`, async () => {
      const found = await Effect.runPromise(
        Effect.provide(
          Explain.explain({
            ...callOf(call),
            mode: mode === "plan" ? "plan" : "act",
            approvals: approvalsOf(settings),
            sandboxSetting: "off",
            allowedDomains: [],
            strictPlanMode: true,
            unconfirmed: [],
            workspace,
            attended: true
          }),
          Explain.layer
        )
      )
      assert.deepStrictEqual([found.decision, found.rule], [decision, rule])
    })
  }

  it("names every rule that there is, and no other", () => {
    const named = /"((?:command|commands|fetch|floor|hook|mcp|mode|path)\.[a-zA-Z]+)"/g
    const sources = ["approval-policy/src", "tool-executor/src/hooks"].map((name) => path.join(root, "packages", name))
    const texts = sources.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => /^(?:[A-Z]\w+|internal[\\/]\w+)\.ts$/.test(name))
        .map((name) => readFileSync(path.join(folder, name), "utf8"))
    )
    const known = texts.flatMap((text) => [...text.matchAll(named)].map(([, rule = ""]) => rule))
    const rules = new Set(known.filter((rule) => !rule.endsWith(".json")))
    const said = new Set(
      [...(approvals.split("## Rules")[1]?.matchAll(/^\|(.+?)\|/gm) ?? [])].flatMap(([, cell = ""]) =>
        [...cell.matchAll(/`([a-zA-Z.]+)`/g)].map(([, rule = ""]) => rule)
      )
    )
    assert.deepStrictEqual([...said].filter((rule) => rule.includes(".")).toSorted(), [...rules].toSorted())
    for (const [, , , , , rule = ""] of rows) assert.isTrue(said.has(rule), rule)
  })
})

describe("docs/configuration.md", () => {
  it("names every setting, and no other", () => {
    const said = [...configuration.matchAll(/^\|(.+?)\|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`([a-z][a-zA-Z]*(?:\.[a-zA-Z]+)*)`/g)].map(([, name = ""]) => name)
    )
    const settings = said.filter((name) => !/\.(?:json|db)$/.test(name))
    assert.deepStrictEqual(
      [...new Set(settings)].toSorted(),
      [...Names.names, "models.ID", "models.ID.price"].toSorted()
    )
  })

  it("names every variable of the environment that begins with BELAY_", () => {
    const built = ["BELAY_VERSION"]
    const read = [...sources("apps"), ...sources("packages")].flatMap((text) =>
      [...text.matchAll(/\bBELAY_[A-Z]+(?:_[A-Z]+)*\b/g)].map(([name]) => name)
    )
    for (const name of new Set(read.filter((name) => !built.includes(name)))) {
      assert.include(configuration, `\`${name}\``)
    }
  })
})

describe("docs/lifecycle.md", () => {
  it("says of every rule of a repair what it does, and of no other", () => {
    const said = [...page("lifecycle.md").matchAll(/^\| `(\w+)` \|.*\| (R\d+b?) \|$/gm)].map(
      ([, rule, number]) => `${number}: "${rule}"`
    )
    const used = sources("packages").flatMap((text) => text.match(/(?<=^ {2})R\d+b?: "\w+"/gm) ?? [])
    assert.deepStrictEqual(said.toSorted(), used.toSorted())
  })
})
