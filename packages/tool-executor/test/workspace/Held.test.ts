/**
 * When the scope of a command closes, nothing of it is left: one contract for each way in which a system holds processes
 * together. The jobs of Windows are served by a helper that does on Linux what the real one does there.
 */
import { Machine } from "@belay/machine"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { readFileSync } from "node:fs"
import * as CommandRunner from "../../src/workspace/command/CommandRunner.ts"
import * as ExecuteCommand from "../../src/workspace/tools/ExecuteCommand.ts"
import * as ProcessGroup from "../../src/workspace/process/ProcessGroup.ts"
import * as Sandbox from "../../src/workspace/sandbox/Sandbox.ts"
import type { Jobs } from "../../src/workspace/process/WindowsJobs.ts"
import { jobs, windows } from "./fixtures/Jobs.ts"
import * as Workspace from "./fixtures/Workspace.ts"

const isDead = (pid: number): boolean => {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
  } catch {
    return true
  }
}

/** A line of a shell in a scope, once it has named as many processes as it should. */
const started = Effect.fnUntraced(function* (line: string, machine: Machine.Machine, held?: Jobs) {
  const scope = yield* Scope.make()
  const known = yield* Deferred.make<ReadonlyArray<number>>()
  let said = ""
  const group = yield* ProcessGroup.spawn({
    program: "/bin/sh",
    args: ["-c", `read go; ${line}`],
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "" },
    input: true,
    ...(held === undefined ? {} : { jobs: held }),
    onOutput: (text) => {
      said += text
      const pids = [...said.matchAll(/pid=(\d+)/g)].map(([, pid]) => Number(pid))
      if (said.includes("all\n")) Deferred.doneUnsafe(known, Effect.succeed(pids))
    }
  }).pipe(Effect.provideService(Scope.Scope, scope), Effect.provideService(Machine.Current, machine))
  yield* Effect.promise(() => group.write("go\n"))
  const pids = yield* Deferred.await(known)
  return { group, pids, close: Scope.close(scope, Exit.void) }
})

const lines: ReadonlyArray<readonly [string, string]> = [
  ["in a pipe", "sleep 300 | (echo pid=$$; sh -c 'echo pid=$$; echo all; exec sleep 300')"],
  ["in the background", "sleep 300 & echo pid=$!; echo pid=$$; echo all; wait"],
  ["in the background of a shell that has ended", "sleep 300 >/dev/null 2>&1 & echo pid=$!; echo all"],
  ["in a session of its own", "setsid sleep 300 & echo pid=$!; echo all; wait"],
  ["deep below", "sh -c 'sh -c \"sleep 300 & echo pid=\\$!; echo all; wait\"; true'; true"]
]

const systems: ReadonlyArray<readonly [string, Machine.Machine, () => Jobs | undefined]> = [
  ["by its group", Machine.host, () => undefined],
  ["by a job of Windows", windows, () => jobs()]
]

for (const [how, machine, make] of systems) {
  describe.skipIf(process.platform !== "linux")(`a command that is held together ${how}`, () => {
    const held = make()

    it.live.each(lines)("leaves nothing %s", ([, line]) =>
      Effect.gen(function* () {
        const { close, group, pids } = yield* started(line, machine, held)
        assert.isNotEmpty(pids)
        assert.isTrue(group.isWhole)
        assert.isTrue(yield* group.isAlive)
        yield* close
        assert.deepStrictEqual(
          pids.filter((pid) => !isDead(pid)),
          []
        )
        assert.isFalse(yield* group.isAlive)
      })
    )

    it.live("that has ended by itself is known to have", () =>
      Effect.gen(function* () {
        const { close, group } = yield* started("echo all", machine, held)
        assert.deepStrictEqual(yield* group.exit, { _tag: "Exited", code: 0 })
        assert.isFalse(yield* group.isAlive)
        yield* close
      })
    )
  })
}

describe.skipIf(process.platform !== "linux")("a command on Windows without a job", () => {
  it.live.each([
    ["refuses", undefined],
    ["babbles", 500],
    ["silent", 500],
    ["dies", undefined]
  ] as const)("is ended alone, and it is known that others may live on: its helper %s", ([mode, patience]) =>
    Effect.gen(function* () {
      const { close, group, pids } = yield* started(
        "echo pid=$$; echo all; exec sleep 300",
        windows,
        jobs(mode, patience)
      )
      assert.isFalse(group.isWhole)
      assert.isTrue(yield* group.isAlive)
      yield* close
      assert.deepStrictEqual(
        pids.filter((pid) => !isDead(pid)),
        []
      )
      assert.isFalse(yield* group.isAlive)
    })
  )

  it.live("is ended, too, when its helper goes in the middle, and a job that keeps some of it says so", () =>
    Effect.gen(function* () {
      for (const mode of ["leaves", "keeps"]) {
        const { close, group, pids } = yield* started("echo pid=$$; echo all; exec sleep 300", windows, jobs(mode))
        yield* close
        if (mode === "keeps") assert.isTrue(yield* group.isAlive)
        assert.deepStrictEqual(
          pids.filter((pid) => !isDead(pid)),
          [],
          mode
        )
      }
    })
  )

  it.live("says to the model that processes may still run", () =>
    Effect.gen(function* () {
      const { context } = yield* Workspace.make
      const runner = CommandRunner.make({ sandbox: Sandbox.unavailable("none") })
      const tool = ExecuteCommand.make({ home: "/", runner })
      const output = yield* tool.execute({ command: "sleep 300", timeout: 1 }, context)
      assert.strictEqual(
        Workspace.textOf(output),
        "(no output)\n[Processes that it started may still run: this system could not hold them together.]\ntimed out after 1 s; the command was ended"
      )
    }).pipe(Effect.provideService(Machine.Current, windows))
  )
})
