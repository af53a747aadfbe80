/** The host over HTTP is killed while it asks; the next one goes on with the task, and a request answers. */
import { ScriptedServer } from "@belay/testkit"
import { type ChildProcessByStdio, spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { Readable } from "node:stream"
import { afterEach, assert, beforeEach, it } from "vitest"

const source = path.resolve(import.meta.dirname, "../src/http-host.ts")

let place = ""
let model: ScriptedServer.ScriptedServer
let host: ChildProcessByStdio<null, Readable, null> | undefined

beforeEach(async () => {
  place = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "http-host-")))
  fs.mkdirSync(path.join(place, "project"))
  const call = (id: string, name: string, input: object) => ({
    content: [{ type: "tool_use" as const, id, name, input }]
  })
  model = await ScriptedServer.startServer({
    tasks: [
      {
        match: { prompt: "Write a greeting" },
        answers: [
          call("one", "write_to_file", { path: "greeting.txt", content: "Hello!\n" }),
          call("two", "attempt_completion", { result: "The greeting is written." })
        ]
      }
    ]
  })
})

const end = async (): Promise<void> => {
  if (host === undefined || host.exitCode !== null || host.signalCode !== null) return
  host.kill("SIGKILL")
  await once(host, "exit")
}

afterEach(async () => {
  await end()
  await model.close()
  fs.rmSync(place, { recursive: true, force: true })
})

/** Starts the program, and gives what asks it. */
const start = async () => {
  const env = {
    ...process.env,
    DATA: path.join(place, "data"),
    KEY: "any",
    MODEL_URL: model.url,
    WORKSPACE: path.join(place, "project")
  }
  host = spawn(process.execPath, ["--conditions=@belay/source", source], { env, stdio: ["ignore", "pipe", "inherit"] })
  const [line] = await once(host.stdout.setEncoding("utf8"), "data")
  const { port } = JSON.parse(String(line))
  return async (method: string, what: string, body?: object): Promise<any> => {
    const init = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const response = await fetch(`http://127.0.0.1:${port}/${what}`, init)
    return response.ok ? response.json() : assert.fail(await response.text())
  }
}

/** Asks again until there is an answer that fits: the host works beside. */
const until = async <A>(ask: () => Promise<A>, fits: (found: A) => boolean): Promise<A> => {
  for (;;) {
    const found = await ask()
    if (fits(found)) return found
  }
}

it("a host over HTTP goes on after kill -9, with what it had asked", async () => {
  assert.isAtMost(fs.readFileSync(source, "utf8").trimEnd().split("\n").length, 25)
  const first = await start()
  const { id } = await first("POST", "tasks", { prompt: "Write a greeting" })
  const [asked] = await until(
    () => first("GET", "asks"),
    (found) => found.length > 0
  )
  assert.strictEqual(asked.taskId, id)
  await end()

  const second = await start()
  const [ask] = await until(
    () => second("GET", "asks"),
    (found) => found.length > 0
  )
  assert.strictEqual(ask.taskId, id)
  await second("POST", `asks/${ask.askId}`, { decision: "allow" })
  const { record } = await until(
    () => second("GET", `tasks/${id}`),
    (found) => found.record.status === "completed"
  )
  assert.strictEqual(record.result, "The greeting is written.")
  assert.strictEqual(fs.readFileSync(path.join(place, "project", "greeting.txt"), "utf8"), "Hello!\n")
})
