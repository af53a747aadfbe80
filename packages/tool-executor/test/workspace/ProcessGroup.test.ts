import { assert, describe, it } from "@effect/vitest"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { createReadStream, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { install } from "./fixtures/Bubblewrap.ts"

install()

/** Kills the owner of a command that holds a pipe open, and waits for the pipe to be let go. */
const killed = async (script: string) => {
  const folder = mkdtempSync(path.join(tmpdir(), "belay-group-"))
  const pipe = path.join(folder, "alive")
  spawnSync("mkfifo", [pipe])
  const holds = path.join(import.meta.dirname, "fixtures", script)
  const owner = spawn(process.execPath, ["--conditions=@belay/source", holds, pipe], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const alive = createReadStream(pipe, "utf8")
  const [[started]] = await Promise.all([once(alive, "data"), once(owner.stdout, "data")])
  assert.strictEqual(started, "started\n")
  owner.kill("SIGKILL")
  await once(alive, "end")
  rmSync(folder, { recursive: true })
}

describe("a process group", () => {
  it("ends with the process that started it, also when that is killed", () => killed("holds.ts"))

  it.skipIf(process.platform !== "linux")("and so does what has left it, without a sandbox", () =>
    killed("holdsStray.ts")
  )

  it.skipIf(process.platform !== "linux")("and so does what is in a job of Windows", () => killed("holdsJob.ts"))

  it("and so does a command in the background", () => killed("holdsBackground.ts"))

  it("of a confined command does so, too, with what has left it", () => killed("holdsConfined.ts"))
})
