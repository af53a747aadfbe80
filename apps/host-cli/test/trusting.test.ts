/** What a person trusts is what they were shown: every file of it, with its text. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { typing } from "./support/asking.ts"
import { attended, belay, folder } from "./support/cli.ts"

const lines = (name: string, count: number): string =>
  Array.from({ length: count }, (_, at) => `${name} line ${at + 1}`).join("\n")

const place = (files: Readonly<Record<string, string>>) => {
  const [home, workspace] = [folder(), folder()]
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true })
    writeFileSync(path.join(workspace, name), text)
  }
  const said = () => Object.values(JSON.parse(readFileSync(path.join(home, "trust.json"), "utf8")))
  return { env: { BELAY_HOME: home }, workspace, said }
}

const rules = Object.fromEntries(
  Array.from({ length: 30 }, (_, at) => [`.belay/rules/r${at}.md`, lines(`r${at}`, 12)] as const)
)

describe("trusting a folder", () => {
  it("shows how many files count, and of each how it begins; all of it with --full", async () => {
    const { env, workspace } = place({
      ...rules,
      ".belay/hook.sh": "rm -rf everything",
      "AGENTS.md": `plain\n\u001B[2Jhidden\u202E`,
      ".belay/settings.json": "{}"
    })
    const short = await belay(["trust"], env, workspace)
    assert.strictEqual(short.code, 2, "nobody is there to say it")
    const text = short.stdout.join("\n")
    assert.match(text, /^This folder has 33 files that count once they are trusted:$/m)
    for (let at = 0; at < 30; at++) {
      assert.include(
        text,
        `.belay/rules/r${at}.md (12 lines)\n  r${at} line 1\n  r${at} line 2\n  r${at} line 3\n  … 9 more lines`
      )
    }
    assert.include(text, "AGENTS.md (2 lines)\n  plain\n  \\u{1b}[2Jhidden\\u{202e}")
    assert.include(text, ".belay/hook.sh (1 line)\n  rm -rf everything")
    assert.notInclude(text, "r29 line 12")
    const end = "Listed above: 33 files.\nIts settings cannot allow more than yours do.\nThe model is told"
    assert.include(short.stdout.slice(-3).join("\n"), end, "what a yes means stands at the end, which a screen shows")
    const full = (await belay(["trust", "--full"], env, workspace)).stdout.join("\n")
    for (let at = 0; at < 30; at++) assert.include(full, `  r${at} line 12`)
    assert.notInclude(full, "more line")
  })

  it("shows servers that programs share, also where there is nothing else, and hooks however they are written", async () => {
    const servers = place({ ".mcp.json": JSON.stringify({ mcpServers: { files: { command: "files" } } }) })
    const warning = "The programs of its MCP servers run on this machine without a sandbox."
    const { stdout } = await belay(["trust"], servers.env, servers.workspace)
    assert.includeMembers([...stdout], [".mcp.json (1 line)", warning])
    const hooks = place({ ".belay/settings.json": '{ "\\u0068ooks": {} }' })
    const shown = await belay(["trust"], hooks.env, hooks.workspace)
    assert.include(shown.stdout, "Its hooks are commands that run before calls, in the sandbox.")
  })

  it("binds to what was shown: what changed before the yes is not trusted", async () => {
    const { env, said, workspace } = place({ "AGENTS.md": "harmless", ".belay/settings.json": "{}" })
    const asked = attended(["trust"], env, workspace)
    await asked.waitForLine((line) => line.includes("1 Trust this content"), "stderr")
    writeFileSync(path.join(workspace, "AGENTS.md"), "evil")
    assert.strictEqual((await typing(asked, "1")).code, 0)
    assert.deepInclude(said()[0], { trusted: true })
    const again = await belay(["trust"], env, workspace)
    assert.include(again.stdout.join("\n"), "evil")
    const list = await belay(["mcp", "test", "none"], env, workspace)
    assert.include(list.stderr.join("\n"), "Restricted: this folder is not trusted.")
  })

  it("shows all of it on request, and takes no empty line for a yes", async () => {
    const { env, said, workspace } = place({ "AGENTS.md": lines("a", 40) })
    const passed = attended(["trust"], env, workspace)
    await passed.waitForLine((line) => line.includes("1 Trust this content"), "stderr")
    await typing(passed, "")
    assert.isFalse(existsSync(path.join(env.BELAY_HOME, "trust.json")), "nothing was said")
    const asked = attended(["trust"], env, workspace)
    await asked.waitForLine((line) => line.includes("3 Show all of it"), "stderr")
    const again = setInterval(() => asked.write("3\n"), 50)
    await asked.waitForLine("  a line 40", "stderr")
    clearInterval(again)
    const { code, stderr } = await typing(asked, "2")
    assert.strictEqual(code, 0)
    assert.include(stderr.join("\n"), "AGENTS.md (40 lines)")
    assert.deepInclude(said()[0], { trusted: false })
  })

  it("is one for the rules of folders below, too: each is shown, and one that is new or other is ignored and named", async () => {
    const { env, said, workspace } = place({ "pkg/AGENTS.md": "of pkg", "pkg/deep/.clinerules": "of deep" })
    const shown = (await belay(["trust", "--yes"], env, workspace)).stdout.join("\n")
    assert.include(shown, "This folder has 2 files that count once they are trusted:")
    for (const text of ["pkg/AGENTS.md (1 line)\n  of pkg", "pkg/deep/.clinerules (1 line)\n  of deep"]) {
      assert.include(shown, text)
    }
    assert.deepStrictEqual(Object.keys((said()[0] as { below: object }).below), [
      "pkg/AGENTS.md",
      "pkg/deep/.clinerules"
    ])
    const advice = async () => (await belay(["policy", "explain", "ls"], env, workspace)).stderr.join("\n")
    assert.notInclude(await advice(), "Restricted")
    writeFileSync(path.join(workspace, "pkg", "AGENTS.md"), "other")
    assert.include(
      await advice(),
      "Restricted: rules in folders below this one are new or have changed, and are ignored. To see and trust them: belay trust"
    )
    assert.include((await belay(["trust", "--yes"], env, workspace)).stdout.join("\n"), "  other")
    assert.notInclude(await advice(), "Restricted")
    await belay(["trust", "--remove"], env, workspace)
    assert.include(await advice(), "Restricted: this folder is not trusted.")
  })
})
