/** What is in the data folder is its owner's alone, whatever the umask is, and also in a folder that was there before. */
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { execFile } from "node:child_process"
import { ScriptedServer } from "@belay/testkit"
import { afterAll, assert, describe, it } from "vitest"
import { completes, use } from "./support/asking.ts"
import * as Built from "./support/Built.ts"
import { folder } from "./support/cli.ts"

const { NODE_COMPILE_CACHE: _, ...inherited } = process.env

/** The command as it is installed, under a umask that takes nothing away; its output and what it says besides. */
const open = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>, cwd: string) =>
  new Promise<{ readonly stdout: string; readonly stderr: string }>((resolve) => {
    const text = 'umask 0; exec "$0" "$@"'
    const words = ["-c", text, process.execPath, Built.entry("belay"), ...args]
    const run = execFile("/bin/sh", words, { cwd, env: { ...inherited, ...env } }, (_, stdout, stderr) =>
      resolve({ stdout, stderr })
    )
    run.stdin?.end()
  })

const modeOf = (file: string): number => statSync(file).mode & 0o777

/** Everything that others may read, write or enter, with its rights. */
const openToOthers = (root: string): ReadonlyArray<string> =>
  ["", ...readdirSync(root, { recursive: true }).map(String)]
    .filter((name) => (modeOf(path.join(root, name)) & 0o077) !== 0)
    .map((name) => `${modeOf(path.join(root, name)).toString(8)} ${name}`)

describe.skipIf(process.platform === "win32")("the data folder", () => {
  it("has nothing that others can read, under a umask that takes nothing away", async () => {
    const many = use("execute_command", { command: "seq 1 60000" })
    const write = use("write_to_file", { path: "a.txt", content: "a" })
    const server = await ScriptedServer.startServer({
      tasks: [{ match: { prompt: "Work" }, shared: true, answers: [write, many, completes("Done.")] }]
    })
    afterAll(() => server.close())
    const home = path.join(folder(), "data")
    const workspace = folder()
    const env = { BELAY_HOME: home, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "test-key" }
    // It was there before, for everybody, with a history.
    mkdirSync(home)
    for (const name of ["belay.db", "belay.db-wal"]) {
      writeFileSync(path.join(home, name), "")
      chmodSync(path.join(home, name), 0o666)
    }
    chmodSync(home, 0o777)
    const first = await open(["run", "Work", "--approvals", "all", "--sandbox", "off"], env, workspace)
    assert.include(first.stdout, "Done.")
    const said = "Private from now on: others could read the data folder"
    assert.strictEqual(first.stderr.split(said).length, 2, first.stderr)
    writeFileSync(path.join(workspace, "AGENTS.md"), "rule")
    for (const args of [
      ["config", "set", "sandbox", "off"],
      ["trust", "--yes"],
      ["mcp", "add", "x", "--", "true"],
      ["history", "doctor", "--repair"],
      ["task", "list"]
    ]) {
      assert.notInclude((await open(args, env, workspace)).stderr, said, "it is said once")
    }
    const names = readdirSync(home, { recursive: true }).map(String)
    for (const part of ["belay.db", "settings.json", "trust.json", "mcp.json", "cache", "checkpoints", "tasks"]) {
      assert.isTrue(
        names.some((name) => name.startsWith(part)),
        `${part} of ${names.slice(0, 20).join(" ")}`
      )
    }
    assert.deepStrictEqual(openToOthers(home), [])
    assert.strictEqual(modeOf(path.join(workspace, "a.txt")), 0o644, "of the workspace nothing is made private")
  })
})
