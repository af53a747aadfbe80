/** What is allowed always: it holds in its folder alone, and what cannot be read allows nothing and is kept. */
import type { Grant } from "@belay/approval-policy"
import * as FolderGrants from "@belay/task-engine/unstable/folder-grants"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { afterAll } from "vitest"

const folder = (): string => {
  const made = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "belay-grants-")))
  afterAll(() => fs.rmSync(made, { recursive: true, force: true }))
  return made
}

const command = (cwd: string, text = "npm test"): Grant.Rule => ({ type: "command", command: text, cwd })

const filesIn = (home: string): ReadonlyArray<string> => {
  const found = fs.readdirSync(path.join(home, "grants"), { recursive: true, withFileTypes: true })
  return found.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
}

const rulesOf = (home: string, of: string) =>
  Effect.map(FolderGrants.make(home).of(of), ({ entries }) =>
    entries.filter(({ state }) => state === "here").map(({ rule }) => rule)
  )

describe("what is allowed always in a folder", () => {
  it.effect("holds there for every reader, in no other folder, and until it is taken back", () =>
    Effect.gen(function* () {
      const [home, a, b] = [folder(), folder(), folder()]
      const rules = [command(a), command(path.join(a, "api"))]
      yield* FolderGrants.make(home).add(a, rules)
      yield* FolderGrants.make(home).add(a, rules)
      assert.sameDeepMembers(yield* rulesOf(home, a), rules)
      assert.deepStrictEqual(yield* rulesOf(home, b), [])
      assert.deepStrictEqual(yield* rulesOf(home, path.join(a, "api")), [])
      assert.deepStrictEqual(yield* rulesOf(home, path.dirname(a)), [])
      const link = path.join(b, "link")
      fs.symlinkSync(a, link)
      assert.strictEqual((yield* rulesOf(home, link)).length, 2)
      yield* FolderGrants.make(home).remove(a, command(a))
      assert.deepStrictEqual(yield* rulesOf(home, a), [rules[1]])
      const { entries } = yield* FolderGrants.make(home).all
      assert.deepStrictEqual(
        entries.map((entry) => [entry.folder, entry.state]),
        [[a, "here"]]
      )
    })
  )

  it.effect("is readable by this user alone, and nothing of it stands in the folder", () =>
    Effect.gen(function* () {
      const [home, a] = [folder(), folder()]
      yield* FolderGrants.make(home).add(a, [command(a)])
      for (const file of filesIn(home)) {
        assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600, file)
        assert.strictEqual(fs.statSync(path.dirname(file)).mode & 0o777, 0o700, file)
      }
      assert.deepStrictEqual(fs.readdirSync(a), [])
    })
  )

  it.effect("goes neither with a folder that moved nor to one that took its place, and says so", () =>
    Effect.gen(function* () {
      const [home, root] = [folder(), folder()]
      const [a, other] = [path.join(root, "a"), path.join(root, "other")]
      for (const made of [a, other]) fs.mkdirSync(made)
      const grants = FolderGrants.make(home)
      const states = Effect.map(grants.all, ({ entries }) => entries.map(({ state }) => state))
      yield* grants.add(a, [command(a)])
      fs.renameSync(a, path.join(root, "moved"))
      assert.deepStrictEqual([yield* rulesOf(home, path.join(root, "moved")), yield* states], [[], ["gone"]])
      fs.renameSync(other, a)
      assert.deepStrictEqual([yield* rulesOf(home, a), yield* states], [[], ["moved"]])
      yield* grants.add(a, [command(a)])
      assert.deepStrictEqual(yield* rulesOf(home, a), [command(a)])
      fs.rmSync(a, { recursive: true })
      assert.deepStrictEqual(yield* states, ["gone"])
      yield* grants.remove(a, command(a))
      assert.deepStrictEqual(yield* states, [])
    })
  )

  it.effect("that cannot be read, or is of another version or place, allows nothing, is named once and stays", () =>
    Effect.gen(function* () {
      const [home, a, b] = [folder(), folder(), folder()]
      const grants = FolderGrants.make(home)
      yield* grants.add(a, [command(a), command(a, "make")])
      const [first = "", second = ""] = filesIn(home)
      const good = JSON.parse(fs.readFileSync(first, "utf8"))
      const { rule: kept } = JSON.parse(fs.readFileSync(second, "utf8"))
      for (const text of [
        "",
        "{",
        "[]",
        "\0",
        JSON.stringify({ ...good, version: 2 }),
        JSON.stringify({ ...good, more: true }),
        JSON.stringify({ ...good, folder: b }),
        JSON.stringify({ ...good, rule: { type: "everything" } }),
        JSON.stringify({ ...good, rule: command(a, "another") })
      ]) {
        fs.writeFileSync(first, text)
        const { entries, problems } = yield* grants.of(a)
        assert.deepStrictEqual(
          entries.map(({ rule }) => rule),
          [kept],
          text
        )
        assert.strictEqual(problems.length, 1, text)
        assert.include(problems[0], first)
        assert.notInclude(problems[0], "\n")
        const refused = yield* Effect.flip(grants.add(a, [good.rule]))
        assert.include(refused.message, first)
        assert.strictEqual(fs.readFileSync(first, "utf8"), text)
      }
      fs.rmSync(first)
      fs.symlinkSync(second, first)
      assert.strictEqual((yield* grants.of(a)).problems.length, 1)
    })
  )

  it.effect("is nothing where its folder is a file, a link or closed, and nothing is written then", () =>
    Effect.gen(function* () {
      const a = folder()
      for (const spoil of [
        (place: string) => fs.writeFileSync(place, "x"),
        (place: string) => fs.symlinkSync(folder(), place)
      ]) {
        const home = folder()
        spoil(path.join(home, "grants"))
        const grants = FolderGrants.make(home)
        const { entries, problems } = yield* grants.all
        assert.deepStrictEqual([entries, problems.length], [[], 1])
        assert.deepStrictEqual(yield* rulesOf(home, a), [])
        yield* Effect.flip(grants.add(a, [command(a)]))
      }
    })
  )

  it.effect("is lost to nobody when many write at once", () =>
    Effect.gen(function* () {
      const [home, a] = [folder(), folder()]
      const rules = Array.from({ length: 40 }, (_, index) => command(a, `make ${index}`))
      yield* Effect.forEach(rules, (rule) => FolderGrants.make(home).add(a, [rule]), { concurrency: "unbounded" })
      assert.sameDeepMembers(yield* rulesOf(home, a), rules)
    })
  )

  it.prop(
    "is read as it was given, whatever it is",
    [Arbitrary.schema(FolderGrants.Stored)],
    ([stored]) => {
      const text = JSON.stringify(Schema.encodeSync(FolderGrants.Stored)(stored))
      const read = Schema.decodeUnknownSync(FolderGrants.Stored)(JSON.parse(text))
      assert.strictEqual(JSON.stringify(read), text)
    },
    { arbitrary: { runs: 300 } }
  )

  it.effect("of every kind of rule comes back from its file", () =>
    Effect.gen(function* () {
      const [home, a] = [folder(), folder()]
      const rules: Array<Grant.Rule> = [
        command(a, "printf '%s\\n' \"$X\" \u{1F600}"),
        { type: "path", access: "write", path: path.join(a, "src"), below: true },
        { type: "mcp", name: "files/read", definition: "d" },
        { type: "resource", server: "files", uri: "read", definition: "d" }
      ]
      yield* FolderGrants.make(home).add(a, rules)
      assert.sameDeepMembers(yield* rulesOf(home, a), rules)
    })
  )
})
