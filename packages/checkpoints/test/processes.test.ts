import { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Checkpoints } from "@belay/checkpoints"
import { git, realGit, repositoriesOf, wrapped, write } from "./folders.ts"
import type { Work } from "./fixtures/worker.ts"
import { folders, optionsOf, worldOf } from "./service.ts"

const isWindows = process.platform === "win32"
const isProof = process.env["BELAY_PROOF"] !== undefined
const rounds = isProof ? 6 : 3
const worker = fileURLToPath(new URL("fixtures/worker.ts", import.meta.url))

/** How the process ended: its exit code, or the signal. */
const run = (work: Work): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const child = spawn(process.execPath, ["--conditions=@belay/source", worker, JSON.stringify(work)], {
      stdio: ["ignore", "ignore", "pipe"]
    })
    let said = ""
    child.stderr.on("data", (chunk) => (said += String(chunk)))
    child.once("close", (code, signal) => {
      resume(Effect.succeed(signal ?? (code === 0 ? "done" : `${code}: ${said}`)))
    })
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** A git that may kill the process which calls it. */
const deadly = (home: string, script: string): string => wrapped(home, `${script}\nexec ${realGit()} "$@"`)

/** The calls that change the store or give out what is put back; the others only look. */
const writing = ["init", "update-index", "write-tree", "commit-tree", "update-ref", "cat-file"]
  .map((command) => `*" ${command} "*`)
  .join("|")

const beginning = { "changed.txt": "first", "removed.txt": "first", "same.txt": "first" }

const begin = () => {
  const made = folders()
  write(made.workspace, beginning)
  git(made.workspace, "init", "--quiet")
  git(made.workspace, "add", "changed.txt")
  return made
}

const textsOf = (workspace: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    fs
      .readdirSync(workspace)
      .filter((name) => name !== ".git")
      .map((name) => [name, fs.readFileSync(path.join(workspace, name), "utf8")])
  )

/** After a kill: the checkpoints that are there are whole, new ones can be made, and the way back is open. */
const isUsable = (made: ReturnType<typeof folders>) =>
  Effect.gen(function* () {
    const world = worldOf(yield* Checkpoints, { ...made })
    const place = { ...world.place, taskId: TaskId.TaskId.make("killed") }
    // What the killed restore was writing is no file of the user's, and goes with the next restore.
    const before = Object.fromEntries(
      Object.entries(textsOf(made.workspace)).filter(([name]) => !name.startsWith(".belay-restore-"))
    )
    const [first] = yield* world.checkpoints.list(place)
    if (first === undefined) assert.deepStrictEqual(before, beginning)
    const recorded = yield* world.checkpoints.record({ ...place, messageIndex: 1, moment: "before" })
    const { kept, undo } = yield* world.checkpoints.restore({ ...place, to: recorded.id })
    assert.deepStrictEqual(kept, [])
    assert.deepStrictEqual(textsOf(made.workspace), beginning)
    yield* world.checkpoints.restore({ ...place, to: undo })
    assert.deepStrictEqual(textsOf(made.workspace), before)
    const names = fs.readdirSync(path.join(made.directory, "checkpoints"))
    assert.deepStrictEqual(
      names.filter((name) => name.endsWith(".new")),
      []
    )
    const store = names.find((name) => !name.includes("."))
    assert.deepStrictEqual(fs.readdirSync(path.join(made.directory, "checkpoints", store ?? "", "work")), [])
  }).pipe(Effect.provide(Checkpoints.layerNode(optionsOf(made))))

/** A turn that is killed after one of its calls of git that write; how many it made. */
const killedAfter = (call: number) =>
  Effect.gen(function* () {
    const made = begin()
    const repository = repositoriesOf(made.workspace)
    const script = `case " $* " in ${writing})
      n=0; while ! mkdir ${made.home}/call-$n 2>/dev/null; do n=$((n+1)); done
      if [ $n = ${call} ]; then ${realGit()} "$@"; kill -9 $PPID; exit 1; fi;;
    esac`
    const end = yield* run({ kind: "turn", ...made, task: "killed", git: deadly(made.home, script) })
    assert.strictEqual(end, call === never ? "done" : "SIGKILL")
    yield* isUsable(made)
    assert.deepStrictEqual(repositoriesOf(made.workspace), repository)
    return fs.readdirSync(made.home).filter((name) => name.startsWith("call-")).length
  })

const never = -1

/** A proof tries every call, a test run a few that are the same each time, spread over all of them. */
const some = (calls: number): ReadonlyArray<number> => {
  const all = Array.from({ length: calls }, (_, call) => call)
  return isProof ? all : all.filter((call) => call % 5 === 3)
}

describe.skipIf(isWindows)("a process that is killed", () => {
  it.live("after any of its calls of git that write leaves the store and the repository as good as before", () =>
    Effect.gen(function* () {
      const calls = yield* killedAfter(never)
      assert.isAbove(calls, 12)
      const killed = yield* Effect.forEach(some(calls), killedAfter, { concurrency: 2 })
      process.stdout.write(
        `proof: killed after a call of git | ${killed.length} of ${calls} calls | every store and repository as good as before\n`
      )
    })
  )

  it.live("in the middle of a file that it puts back leaves the old one or the new one, and no third", () => {
    const made = begin()
    return Effect.gen(function* () {
      const wait = `while [ -d ${made.workspace} ] && ! ls -A ${made.workspace} | grep -q belay-restore; do :; done; kill -9 $PPID; exit 1`
      const script = `case "$*" in *cat-file*) ${realGit()} "$@" | head -c 50; ${wait};; esac`
      const end = yield* run({ kind: "turn", ...made, task: "killed", git: deadly(made.home, script) })
      assert.strictEqual(end, "SIGKILL")
      const { "changed.txt": changed } = textsOf(made.workspace)
      assert.strictEqual(changed, "second")
      const { checkpoints, place } = worldOf(yield* Checkpoints, made)
      const killed = { ...place, taskId: TaskId.TaskId.make("killed") }
      const [first] = yield* checkpoints.list(killed)
      yield* checkpoints.restore({ ...killed, to: first?.id ?? assert.fail("nothing was recorded") })
      assert.deepStrictEqual(textsOf(made.workspace), beginning)
    }).pipe(Effect.provide(Checkpoints.layerNode(optionsOf(made))))
  })
})

describe("processes on one store", () => {
  it.live("record, remove and collect at the same time, and every checkpoint is whole", () => {
    const made = begin()
    return Effect.gen(function* () {
      const { checkpoints, workspace } = worldOf(yield* Checkpoints, made)
      const kinds = { one: "turns", two: "turns", passing: "collect" } as const
      const ends = yield* Effect.forEach(
        Object.entries(kinds),
        ([task, kind]) => run({ kind, ...made, task, rounds }),
        {
          concurrency: "unbounded"
        }
      )
      assert.deepStrictEqual(ends, ["done", "done", "done"])
      for (const task of ["one", "two"]) {
        const place = { workspace, taskId: TaskId.TaskId.make(task) }
        const all = yield* checkpoints.list(place)
        assert.deepStrictEqual(
          all.map(({ messageIndex }) => messageIndex),
          Array.from({ length: rounds }, (_, round) => round + 1)
        )
        for (const { id, messageIndex } of all) {
          yield* checkpoints.restore({ ...place, to: id, paths: [`${task}.txt`] })
          assert.strictEqual(textsOf(workspace)[`${task}.txt`], String(messageIndex))
        }
      }
    }).pipe(Effect.provide(Checkpoints.layerNode(optionsOf(made))))
  })
})
