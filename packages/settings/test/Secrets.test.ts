import { Secrets } from "@belay/model-client"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs"
import { rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { layerNode, type Options, place } from "../src/SecretsNode.ts"

const temporary = mkdtempSync(path.join(tmpdir(), "belay-secrets-"))
afterAll(() => rmSync(temporary, { recursive: true, force: true }))

let folders = 0
const folder = (): string => path.join(temporary, String(folders++))

const use = <A, E>(options: Options, work: (secrets: Secrets.Secrets["Service"]) => Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.result(Effect.provide(Effect.flatMap(Secrets.Secrets, work), layerNode(options))))

const plain = (directory: string): Options => ({ directory, keychain: false })

const key = (text: string) => Redacted.make(text)

const shown = (found: Result.Result<Option.Option<Redacted.Redacted>, unknown>) =>
  Option.getOrUndefined(Option.map(Result.getOrThrow(found), (value) => Redacted.value(value)))

const problem = (found: Result.Result<unknown, { readonly problem?: string }>) =>
  Result.isFailure(found) ? found.failure.problem : "none"

describe("the file of keys", () => {
  it("keeps a key for one host and gives it to no other", async () => {
    const directory = folder()
    const place = await use(plain(directory), (secrets) => secrets.set("api.anthropic.com", key("sk-one")))
    assert.strictEqual(Result.getOrThrow(place), path.join(directory, "keys.json"))
    const get = (host: string) => use(plain(directory), (secrets) => secrets.get(host))
    assert.strictEqual(shown(await get("api.anthropic.com")), "sk-one")
    for (const other of ["api.anthropic.com:8080", "anthropic.com", "evil.example", "__proto__", "constructor"]) {
      assert.strictEqual(shown(await get(other)), undefined, other)
    }
  })

  it("holds the other hosts when one is replaced or removed, and is gone with the last one", async () => {
    const directory = folder()
    const done = await use(plain(directory), (secrets) =>
      Effect.gen(function* () {
        yield* secrets.set("a", key("one"))
        yield* secrets.set("b", key("two"))
        yield* secrets.set("a", key("three"))
        const a = yield* secrets.get("a")
        const removed = yield* secrets.remove("a")
        const b = yield* secrets.get("b")
        yield* secrets.remove("b")
        return [
          Option.map(a, Redacted.value),
          removed.length,
          Option.map(b, Redacted.value),
          yield* secrets.remove("b")
        ]
      })
    )
    assert.deepStrictEqual(Result.getOrThrow(done), [Option.some("three"), 1, Option.some("two"), []])
    assert.deepStrictEqual(readdirSync(directory), [])
  })

  it.skipIf(process.platform === "win32")(
    "is only its user's, whatever the umask, and so is a new folder",
    async () => {
      const directory = folder()
      const before = process.umask(0)
      await use(plain(directory), (secrets) => secrets.set("a", key("one")))
      process.umask(before)
      assert.strictEqual(statSync(path.join(directory, "keys.json")).mode & 0o777, 0o600)
      assert.strictEqual(statSync(directory).mode & 0o777, 0o700)
    }
  )

  it.skipIf(process.platform === "win32")(
    "is refused when others can read it, and says so without the key",
    async () => {
      for (const mode of [0o640, 0o604, 0o620, 0o601]) {
        const directory = folder()
        await use(plain(directory), (secrets) => secrets.set("a", key("sk-exposed")))
        chmodSync(path.join(directory, "keys.json"), mode)
        const found = await use(plain(directory), (secrets) => secrets.get("a"))
        assert.strictEqual(problem(found), "exposed")
        const said = Result.isFailure(found) ? String(found.failure) + JSON.stringify(found.failure) : ""
        assert.notInclude(said, "sk-exposed")
        assert.strictEqual(problem(await use(plain(directory), (secrets) => secrets.set("b", key("two")))), "exposed")
      }
    }
  )

  it("is never read or written through a link", async () => {
    const directory = folder()
    const elsewhere = path.join(folder(), "theirs.json")
    mkdirSync(directory)
    mkdirSync(path.dirname(elsewhere))
    writeFileSync(elsewhere, JSON.stringify({ a: "planted" }), { mode: 0o600 })
    symlinkSync(elsewhere, path.join(directory, "keys.json"))
    assert.strictEqual(problem(await use(plain(directory), (secrets) => secrets.get("a"))), "symlink")
    assert.strictEqual(problem(await use(plain(directory), (secrets) => secrets.set("a", key("mine")))), "symlink")
    assert.include(readFileSync(elsewhere, "utf8"), "planted")
  })

  it("is refused when it is a folder or holds something else, and stays as it is", async () => {
    const directory = folder()
    mkdirSync(path.join(directory, "keys.json"), { recursive: true })
    assert.strictEqual(problem(await use(plain(directory), (secrets) => secrets.get("a"))), "notAFile")
    for (const text of ["", "[]", "null", '{"a":1}', "{"]) {
      const other = folder()
      mkdirSync(other)
      writeFileSync(path.join(other, "keys.json"), text, { mode: 0o600 })
      assert.strictEqual(problem(await use(plain(other), (secrets) => secrets.get("a"))), "damaged")
      assert.strictEqual(problem(await use(plain(other), (secrets) => secrets.set("a", key("one")))), "damaged")
      assert.strictEqual(readFileSync(path.join(other, "keys.json"), "utf8"), text)
    }
  })
})

/** A tool that keeps its arguments and its input, as `secret-tool` and `security` would. */
const tool = (body: string): { readonly program: string; readonly log: string; readonly kept: string } => {
  const directory = folder()
  mkdirSync(directory)
  const [program, log, kept] = ["tool", "log", "kept"].map((name) => path.join(directory, name)) as [
    string,
    string,
    string
  ]
  writeFileSync(program, `#!/bin/sh\nLOG='${log}'\nKEPT='${kept}'\nprintf '%s\\n' "$*" >> "$LOG"\n${body}`, {
    mode: 0o755
  })
  return { program, log, kept }
}

const secretTool = `case "$1" in
store) cat > "$KEPT" ;;
lookup) [ -f "$KEPT" ] && cat "$KEPT" ;;
clear) rm -f "$KEPT" ;;
esac`

const security = `case "$1" in
-i) sed 's/.*-X //' > "$KEPT" ;;
find-generic-password) [ -f "$KEPT" ] && node -e 'process.stdout.write(Buffer.from(require("fs").readFileSync(process.argv[1], "utf8").trim(), "hex"))' "$KEPT" ;;
delete-generic-password) rm "$KEPT" ;;
esac`

/** As PowerShell would answer: what it protects it reads back for the same host only, and on stdin it gets everything. */
const powershell = `node -e '
const [what, host, data] = require("fs").readFileSync(0, "utf8").trim().split("\\n")
const text = Buffer.from(data, "base64").toString("utf8")
if (what === "protect") process.stdout.write(Buffer.from("blob " + host + " " + data).toString("base64"))
else if (text.startsWith("blob " + host + " ")) process.stdout.write(text.split(" ")[2])
else process.exit(1)
'`

describe.skipIf(process.platform === "win32")("the keychain", () => {
  it("of Windows is a file of blobs, each for its host and read back by the same user alone", async () => {
    const directory = folder()
    const { log, program } = tool(powershell)
    const options: Options = { directory, keychain: true, tool: { platform: "win32", program } }
    const file = path.join(directory, "keys.protected.json")
    assert.deepStrictEqual(place(options), { place: `${file}, protected by Windows`, isProtected: true })
    await use(options, (secrets) => Effect.andThen(secrets.set("a", key("sk-canary")), secrets.set("b", key("other"))))
    const text = readFileSync(file, "utf8")
    assert.notInclude(text, "sk-canary")
    assert.strictEqual(shown(await use(options, (secrets) => secrets.get("a"))), "sk-canary")
    // A key is sent to the host that it is for, whatever the file says.
    const { a, b } = JSON.parse(text)
    writeFileSync(file, JSON.stringify({ a: b, b: a }), { mode: 0o600 })
    for (const host of ["a", "b"]) assert.isUndefined(shown(await use(options, (secrets) => secrets.get(host))))
    assert.notMatch(
      readFileSync(log, "utf8"),
      new RegExp(`canary|${Buffer.from("sk-canary").toString("base64")}|protect\\n`)
    )
    await use(options, (secrets) => Effect.andThen(secrets.remove("a"), secrets.remove("b")))
    assert.deepStrictEqual(readdirSync(directory), [])
  })

  it.each([
    ["fails", "exit 1"],
    ["says something else", "echo This program is blocked by group policy."],
    ["gives back another key", "cat >/dev/null; printf YWJj"]
  ])("of Windows that %s leaves keys in the file, as it is said", async (_, body) => {
    const directory = folder()
    const { program } = tool(body)
    const options: Options = { directory, keychain: true, tool: { platform: "win32", program } }
    const file = path.join(directory, "keys.json")
    assert.deepStrictEqual(place(options), { place: file, isProtected: false })
    const kept = await use(options, (secrets) => Effect.andThen(secrets.set("a", key("one")), secrets.get("a")))
    assert.strictEqual(shown(kept), "one")
    assert.deepStrictEqual(readdirSync(directory), ["keys.json"])
    const without: Options = { ...options, tool: { platform: "win32", program: path.join(directory, "gone") } }
    assert.isFalse(place(without).isProtected)
    assert.strictEqual(shown(await use(without, (secrets) => secrets.get("a"))), "one")
  })

  it.each([
    ["linux", secretTool],
    ["darwin", security],
    ["win32", powershell]
  ] as const)("of %s keeps the key, which is never among the arguments", async (platform, body) => {
    const directory = folder()
    const { log, program } = tool(body)
    const done = await use({ directory, keychain: true, tool: { platform, program } }, (secrets) =>
      Effect.gen(function* () {
        const place = yield* secrets.set("api.anthropic.com", key(`sk-"'$(x) \\-canary`))
        const found = yield* secrets.get("api.anthropic.com")
        const removed = yield* secrets.remove("api.anthropic.com")
        return [place, Option.map(found, Redacted.value), removed, yield* secrets.get("api.anthropic.com")] as const
      })
    )
    const [place, found, removed, after] = Result.getOrThrow(done)
    assert.deepStrictEqual(found, Option.some(`sk-"'$(x) \\-canary`))
    assert.deepStrictEqual(removed, [place])
    assert.deepStrictEqual(after, Option.none())
    assert.isFalse(existsSync(path.join(directory, "keys.json")))
    assert.notMatch(readFileSync(log, "utf8"), /canary|63616e617279/)
  })

  it("that fails leaves the key in the file", async () => {
    const directory = folder()
    const { program } = tool("exit 1")
    const done = await use({ directory, keychain: true, tool: { platform: "linux", program } }, (secrets) =>
      Effect.gen(function* () {
        const place = yield* secrets.set("a", key("one"))
        return [place, Option.map(yield* secrets.get("a"), Redacted.value)] as const
      })
    )
    assert.deepStrictEqual(Result.getOrThrow(done), [path.join(directory, "keys.json"), Option.some("one")])
  })

  it("that begins to work takes the key out of the file", async () => {
    const directory = folder()
    const { program } = tool(secretTool)
    await use(plain(directory), (secrets) => secrets.set("a", key("old")))
    const options: Options = { directory, keychain: true, tool: { platform: "linux", program } }
    await use(options, (secrets) => secrets.set("a", key("new")))
    assert.isFalse(existsSync(path.join(directory, "keys.json")))
    assert.strictEqual(shown(await use(options, (secrets) => secrets.get("a"))), "new")
  })
})
