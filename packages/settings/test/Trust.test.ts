import { Machine } from "@belay/machine"
import { windows } from "@belay/machine/testing"
import { ProjectContext } from "@belay/prompt-context"
import * as Trust from "@belay/settings/trust"
import { assert, describe, it } from "vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

describe("the configuration of a folder", () => {
  it("with a link in it is never trusted, and is not walked through: links may lead round in circles", () => {
    const root = realpathSync(mkdtempSync(path.join(tmpdir(), "belay-trust-")))
    mkdirSync(path.join(root, ".belay", "deep"), { recursive: true })
    writeFileSync(path.join(root, ".belay", "settings.json"), "{}")
    assert.strictEqual(Trust.content(root)._tag, "Whole")
    symlinkSync(".", path.join(root, ".belay", "a"))
    symlinkSync("..", path.join(root, ".belay", "deep", "b"))
    const found = Trust.content(root)
    assert.strictEqual(found._tag, "Unreadable")
    assert.match(found._tag === "Unreadable" ? found.why : "", /^\.belay has a link \([ab]\)$/)
    rmSync(root, { recursive: true })
  })

  it("is another one when a script changes that its hooks run", () => {
    const root = realpathSync(mkdtempSync(path.join(tmpdir(), "belay-trust-")))
    const command = '"$CLAUDE_PROJECT_DIR"/guards/guard.sh --strict'
    const hooks = { PreToolUse: [{ hooks: [{ type: "command", command }] }] }
    for (const folder of [".belay", "guards"]) mkdirSync(path.join(root, folder))
    writeFileSync(path.join(root, ".belay", "settings.json"), JSON.stringify({ hooks }))
    const hashOf = () => {
      const found = Trust.content(root)
      return found._tag === "Whole" ? found.hash : assert.fail(found._tag)
    }
    const seen = new Set([hashOf()])
    for (const text of ["exit 2", "exit 0"]) {
      writeFileSync(path.join(root, "guards", "guard.sh"), text)
      seen.add(hashOf())
      const found = Trust.content(root)
      assert.include(found._tag === "Whole" ? Trust.listing(found) : "", text)
    }
    assert.strictEqual(seen.size, 3)
    writeFileSync(path.join(root, "guards", "other.sh"), "")
    assert.isTrue(seen.has(hashOf()))
    rmSync(path.join(root, "guards", "guard.sh"))
    symlinkSync("other.sh", path.join(root, "guards", "guard.sh"))
    assert.deepStrictEqual(Trust.content(root), {
      _tag: "Unreadable",
      why: "guards/guard.sh cannot be read, or is a link"
    })
    rmSync(root, { recursive: true })
  })

  it("has the scripts of its hooks however these are written", () => {
    const root = realpathSync(mkdtempSync(path.join(tmpdir(), "belay-trust-")))
    mkdirSync(path.join(root, ".belay"))
    writeFileSync(path.join(root, "guard.py"), "exit(2)")
    const settings = (command: string) =>
      writeFileSync(
        path.join(root, ".belay", "settings.json"),
        JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command }] }] } }).replace(
          "hooks",
          "\\u0068ooks"
        )
      )
    const names = () => {
      const found = Trust.content(root)
      return found._tag === "Whole" ? found.texts.map(({ name }) => name) : found
    }
    settings("python3 guard.py")
    assert.deepStrictEqual(names(), [".belay/settings.json", "guard.py"])
    settings(`node -e '${"1/1+".repeat(2000)}1'`)
    assert.deepStrictEqual(names(), [".belay/settings.json"])
    rmSync(root, { recursive: true })
  })

  it("that was trusted by another spelling of its folder on Windows is trusted, and a no by any spelling counts", async () => {
    const root = realpathSync(mkdtempSync(path.join(tmpdir(), "belay-trust-")))
    const machine = windows({ folder: path.join(root, "volume"), shortNames: { "JOHNDO~1": "John Doe" } })
    machine.fs.mkdirSync("C:\\John Doe\\p", { recursive: true })
    const [workspace, hash] = ["C:\\John Doe\\p", "h"]
    const said = () =>
      Effect.runPromise(Trust.said(root, workspace, hash).pipe(Effect.provideService(Machine.Current, machine)))
    const say = (spelling: string, trusted: boolean) => Effect.runPromise(Trust.say(root, spelling, { hash }, trusted))
    await say("c:\\john doe\\p", true)
    assert.isTrue(await said())
    assert.isUndefined(await Effect.runPromise(Trust.said(root, workspace, hash)))
    await say("C:\\JOHNDO~1\\p", false)
    assert.isFalse(await said())
    await say(workspace, true)
    assert.isTrue(await said())
    rmSync(root, { recursive: true })
  })

  it("lists everything that a yes is for, and nothing counts that is not listed", async () => {
    const root = realpathSync(mkdtempSync(path.join(tmpdir(), "belay-trust-")))
    const [home, workspace] = [path.join(root, "home"), path.join(root, "work")]
    for (const folder of [home, path.join(workspace, ".belay", "rules"), path.join(workspace, ".git")])
      mkdirSync(folder, { recursive: true })
    for (let at = 0; at < 250; at++) {
      writeFileSync(path.join(workspace, ".belay", "rules", `r${String(at).padStart(3, "0")}.md`), `rule ${at}`)
    }
    writeFileSync(path.join(workspace, "AGENTS.md"), "beside")
    const content = Trust.content(workspace)
    if (content._tag !== "Whole") return assert.fail(content._tag)
    const listed = Trust.listing(content)
    for (let at = 0; at < 250; at++) assert.include(listed, `\n  rule ${at}\n`.trimEnd())
    const counting = ProjectContext.make({
      home,
      isTrusted: (of, hash) => Trust.isTrusted(home, of, hash),
      isSecret: Trust.isSecret
    }).content(workspace)
    await Effect.runPromise(Trust.say(home, workspace, content, true))
    const { rules } = await Effect.runPromise(counting)
    assert.isAbove(rules.length, 100)
    for (const { text } of rules) assert.include(listed, text)
    assert.isAtMost(rules.length, 200, "as many as the hash of what is told holds")
    assert.isFalse(await Effect.runPromise(Trust.isTrusted(home, workspace, "another hash")))
    rmSync(root, { recursive: true })
  })

  it("has the servers that programs share in .mcp.json, which are trusted with it, and never by a link", async () => {
    const root = realpathSync(mkdtempSync(path.join(tmpdir(), "belay-trust-")))
    const [home, workspace] = [path.join(root, "home"), path.join(root, "ws")]
    for (const folder of [home, workspace]) mkdirSync(folder)
    const servers = () => Effect.runPromise(Trust.servers(home, workspace, "Trust it."))
    const trust = async () => {
      const content = Trust.content(workspace)
      if (content._tag !== "Whole") return assert.fail(content._tag)
      assert.include(Trust.listing(content, 3), "first")
      await Effect.runPromise(Trust.say(home, workspace, content, true))
    }
    assert.deepStrictEqual(await servers(), { _tag: "None" })
    const file = path.join(workspace, ".mcp.json")
    writeFileSync(file, '{ "mcpServers": { "first": { "command": "a" } } }')
    assert.deepInclude(await servers(), { _tag: "Untrusted", text: "", shared: readFileSync(file, "utf8") })
    await trust()
    assert.deepStrictEqual(await servers(), { _tag: "Trusted", text: "", shared: readFileSync(file, "utf8") })
    writeFileSync(file, '{ "mcpServers": { "first": { "command": "b" } } }')
    assert.strictEqual((await servers())._tag, "Untrusted")
    await trust()
    assert.strictEqual((await servers())._tag, "Trusted")
    // The same bytes as another file of the folder are another content.
    rmSync(file)
    mkdirSync(path.join(workspace, ".belay"))
    writeFileSync(path.join(workspace, ".belay", "mcp.json"), '{ "mcpServers": { "first": { "command": "b" } } }')
    assert.strictEqual((await servers())._tag, "Untrusted")
    symlinkSync(path.join(workspace, ".belay", "mcp.json"), file)
    assert.deepInclude(await servers(), { _tag: "Untrusted", text: "" })
    assert.strictEqual(Trust.content(workspace)._tag, "Unreadable")
    rmSync(root, { recursive: true })
  })

  it("says how much more there is of a file that is shortened, and shows settings and servers whole", () => {
    const root = realpathSync(mkdtempSync(path.join(tmpdir(), "belay-trust-")))
    mkdirSync(path.join(root, ".belay", "rules"), { recursive: true })
    const hosts = Array.from({ length: 30 }, (_, at) => `"h${at}.example"`)
    writeFileSync(path.join(root, ".belay", "settings.json"), `{ "allowedDomains": [\n${hosts.join(",\n")}\n] }\n`)
    const servers = Array.from({ length: 30 }, (_, at) => `"s${at}": { "command": "run${at}" }`)
    writeFileSync(path.join(root, ".belay", "mcp.json"), `{ "mcpServers": {\n${servers.join(",\n")}\n} }\n`)
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at}\n`)
    writeFileSync(path.join(root, ".belay", "rules", "r.md"), lines.join(""))
    const content = Trust.content(root)
    if (content._tag !== "Whole") return assert.fail(content._tag)
    const listed = Trust.listing(content, 3)
    for (const text of [...hosts, ...servers, "line 2", "… 27 more lines"]) assert.include(listed, text)
    assert.notInclude(listed, "line 3")
    rmSync(root, { recursive: true })
  })
})
