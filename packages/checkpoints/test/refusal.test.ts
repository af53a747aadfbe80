import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as fs from "node:fs"
import * as path from "node:path"
import { Checkpoints, type CheckpointsOptions as Options } from "@belay/checkpoints"
import { appears, environmentOf, realGit, wrapped, write } from "./folders.ts"
import { folders, optionsOf, task, test, worldOf } from "./service.ts"

const isWindows = process.platform === "win32"

const failing = (
  statement: string,
  reason: string,
  sentence: RegExp,
  of: (made: ReturnType<typeof folders>) => Options
) =>
  it.live(statement, () => {
    const made = folders()
    return Effect.gen(function* () {
      const checkpoints = yield* Checkpoints
      const request = { taskId: task, workspace: made.workspace, messageIndex: 1, moment: "before" as const }
      const error = yield* Effect.flip(checkpoints.record(request))
      assert.strictEqual(error.reason, reason)
      assert.match(error.message, sentence)
      assert.isFalse(fs.existsSync(path.join(made.directory, "checkpoints")))
    }).pipe(Effect.provide(Checkpoints.layerNode(of(made))))
  })

describe("a checkpoint is refused", () => {
  failing("in the home folder", "homeFolder", /^Checkpoints are off: this folder is your home folder\.$/, (made) => ({
    ...optionsOf(made),
    environment: environmentOf(made.workspace)
  }))

  failing("in a folder that holds the home folder", "rootFolder", /holds your home folder\.$/, (made) => ({
    ...optionsOf(made),
    environment: environmentOf(path.join(made.workspace, "user"))
  }))

  failing("in the data folder", "dataFolder", /holds the history itself\.$/, (made) => ({
    ...optionsOf(made),
    directory: made.home,
    environment: environmentOf(path.join(made.home, "user"))
  }))

  failing("without git", "noGit", /^Checkpoints are off: git was not found\. Install git 2\.32/, (made) => ({
    ...optionsOf(made),
    environment: { ...environmentOf(made.home), PATH: "" }
  }))

  failing("when the only git lies in the workspace", "noGit", /git was not found/, (made) => {
    write(made.workspace, { "bin/git": "#!/bin/sh\n", "bin/git.exe": "" })
    fs.chmodSync(path.join(made.workspace, "bin", "git"), 0o755)
    return {
      ...optionsOf(made),
      environment: { ...environmentOf(made.home), PATH: path.join(made.workspace, "bin") }
    }
  })

  describe.skipIf(isWindows)("by a git", () => {
    failing("that is too old", "oldGit", /git 2\.31\.9 is too old\. Install git 2\.32 or newer\.$/, (made) => {
      write(made.home, { git: "#!/bin/sh\necho git version 2.31.9\n" })
      fs.chmodSync(path.join(made.home, "git"), 0o755)
      return { ...optionsOf(made), git: path.join(made.home, "git") }
    })
  })

  test("in a root folder and in a folder that is not there", ({ checkpoints, place, workspace }) =>
    Effect.gen(function* () {
      const reasonOf = (folder: string) =>
        Effect.map(
          Effect.flip(checkpoints.record({ ...place, workspace: folder, messageIndex: 1, moment: "before" })),
          (error) => error.reason
        )
      assert.strictEqual(yield* reasonOf(path.parse(workspace).root), "rootFolder")
      assert.strictEqual(yield* reasonOf(path.join(workspace, "nowhere")), "noFolder")
    }))

  it.effect.skipIf(isWindows)("after 15 seconds, and nothing of it is left behind", () => {
    const made = folders()
    const reached = path.join(made.home, "reached")
    // Stops in the middle of its work, as on a disk that does not answer.
    const script = `case "$*" in *write-tree*) mkfifo ${reached}.fifo; touch ${reached}; exec cat ${reached}.fifo;; esac\nexec ${realGit()} "$@"`
    const program = wrapped(made.home, script)
    write(made.workspace, { "a.txt": "1" })
    return Effect.gen(function* () {
      const { checkpoints, place } = worldOf(yield* Checkpoints, made)
      const request = { ...place, messageIndex: 1, moment: "before" as const }
      const fiber = yield* Effect.forkChild(Effect.flip(checkpoints.record(request)))
      yield* appears(reached)
      yield* TestClock.adjust("15 seconds")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error.reason, "tooSlow")
      assert.strictEqual(error.message, "The checkpoint took more than 15 s and was left out.")
      assert.deepStrictEqual(yield* checkpoints.list(place), [])
    }).pipe(Effect.provide(Checkpoints.layerNode({ ...optionsOf(made), git: program })))
  })
})
