import { assert, describe, it } from "@effect/vitest"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { createReadStream, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

const holds = path.join(import.meta.dirname, "fixtures", "holds.ts")

describe("a process group", () => {
  it("ends with the process that started it, also when that is killed", { timeout: 20_000 }, async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "belay-group-"))
    const pipe = path.join(folder, "alive")
    spawnSync("mkfifo", [pipe])
    const owner = spawn(process.execPath, ["--conditions=@belay/source", holds, pipe], { stdio: "inherit" })
    const alive = createReadStream(pipe, "utf8")
    assert.strictEqual((await once(alive, "data"))[0], "started\n")
    owner.kill("SIGKILL")
    await once(alive, "end")
    rmSync(folder, { recursive: true })
  })
})
