/** Everyday tasks from the first request to the last: with real files and commands, and no request or byte too many. */
import { EverydayTasks, ScriptedServer } from "@belay/testkit"
import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { alone, folder } from "./support/cli.ts"

interface Ran {
  readonly requests: ReadonlyArray<any>
  readonly bytes: number
  readonly workspace: string
}

const run = async ({ files, runs, scripts }: EverydayTasks.EverydayTask): Promise<Ran> => {
  const server = await ScriptedServer.startServer({ tasks: scripts })
  try {
    const workspace = folder()
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true })
      writeFileSync(path.join(workspace, name), text)
    }
    const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
    for (const { args, code } of runs) {
      const ended = await alone(args, env, workspace)
      assert.strictEqual(ended.code, code, ended.stderr.join("\n"))
    }
    const requests = server.requests.filter(({ path }) => path === "/v1/messages")
    return {
      requests: requests.map(({ body }) => body),
      bytes: requests.reduce((sum, { raw }) => sum + Buffer.byteLength(raw), 0),
      workspace
    }
  } finally {
    await server.close()
  }
}

/** What the model was told as errors, once each. */
const errors = (requests: ReadonlyArray<any>): ReadonlyArray<string> => {
  const blocks = requests.flatMap(({ messages }) => messages.flatMap(({ content }: any) => content))
  const failed = blocks.filter(({ is_error, type }: any) => type === "tool_result" && is_error === true)
  return [...new Set(failed.map(({ content }: any) => content.map(({ text }: any) => text).join("")))]
}

describe("an everyday task", () => {
  it.each(EverydayTasks.all)("$name is done in its requests and bytes", async (task) => {
    const { bytes, requests, workspace } = await run(task)
    process.stdout.write(`${task.name}: ${requests.length} requests, ${(bytes / 1000).toFixed(1)} kB\n`)
    assert.strictEqual(requests.length, task.requests)
    assert.isAtMost(bytes, task.mostBytes)
    // Nothing went wrong but the checks that had to fail.
    for (const error of errors(requests)) assert.match(error, /\n\d+ failed\n[^]*exit code 1$/)
    const checked = spawnSync(process.execPath, ["test/run.js"], { cwd: workspace, encoding: "utf8" })
    assert.strictEqual(checked.status, 0, checked.stdout)
  })
})
