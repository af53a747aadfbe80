/** What a checkpoint of a large workspace costs, beside the calls of git that any such copy needs. */
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { mkdirSync, utimesSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { Checkpoints, type RecordRequest } from "../../packages/checkpoints/src/index.ts"
import type { Figure } from "./figures/figure.ts"
import { single, spread } from "./figures/spread.ts"
import { now } from "./programs/clock.ts"
import type { Options } from "./programs/programs.ts"

const FILES = 10_000

const taskId = "bench" as RecordRequest["taskId"]

interface Times {
  readonly first: number
  readonly unchanged: ReadonlyArray<number>
  readonly changed: ReadonlyArray<number>
  readonly floor: ReadonlyArray<number>
}

/** About 1 kB each, all different, a hundred in a folder; older than any index, as files of a project are. */
const writeFiles = (workspace: string): void => {
  for (let file = 0; file < FILES; file++) {
    const name = path.join(workspace, `folder-${Math.floor(file / 100)}`, `file-${file}.ts`)
    if (file % 100 === 0) mkdirSync(path.dirname(name), { recursive: true })
    writeFileSync(name, `export const value${file} = "a line of a source file"\n`.repeat(20))
    utimesSync(name, 1_700_000_000, 1_700_000_000)
  }
}

/** The same by hand: an index and a store of its own, `add`, `write-tree`, `commit-tree`. */
const byHand = (folder: string, workspace: string): (() => void) => {
  const store = path.join(folder, "by-hand")
  const env = {
    PATH: process.env["PATH"],
    GIT_DIR: store,
    GIT_WORK_TREE: workspace,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "bench",
    GIT_AUTHOR_EMAIL: "bench@localhost",
    GIT_COMMITTER_NAME: "bench",
    GIT_COMMITTER_EMAIL: "bench@localhost"
  }
  const git = (...args: ReadonlyArray<string>): string => {
    const { status, stderr, stdout } = spawnSync("git", args, { cwd: workspace, encoding: "utf8", env })
    if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`)
    return stdout.trim()
  }
  git("init", "--quiet")
  return () => {
    git("add", "--all")
    git("commit-tree", "-m", "checkpoint", git("write-tree"))
  }
}

const time = async (temporary: string, runs: number): Promise<Times> => {
  const folder = path.join(temporary, "checkpoints")
  const workspace = path.join(folder, "workspace")
  mkdirSync(workspace, { recursive: true })
  writeFiles(workspace)
  const manual = byHand(folder, workspace)
  manual()
  const taken = Effect.gen(function* () {
    const checkpoints = yield* Checkpoints
    let messageIndex = 0
    const record = Effect.gen(function* () {
      const started = now()
      yield* checkpoints.record({ taskId, workspace, messageIndex: messageIndex++, moment: "before" })
      return now() - started
    })
    const first = yield* record
    const unchanged: Array<number> = []
    const changed: Array<number> = []
    const floor: Array<number> = []
    for (let run = 0; run <= runs; run++) {
      unchanged.push(yield* record)
      const started = now()
      manual()
      floor.push(now() - started)
      writeFileSync(path.join(workspace, "folder-7", "file-742.ts"), `${run}`)
      changed.push(yield* record)
    }
    return { first, unchanged: unchanged.slice(1), changed: changed.slice(1), floor: floor.slice(1) }
  })
  const environment = { PATH: process.env["PATH"], HOME: path.join(temporary, "home") }
  const layer = Checkpoints.layerNode({ directory: path.join(folder, "data"), environment })
  return await Effect.runPromise(Effect.provide(taken, layer))
}

export const measureCheckpoints = async ({ runs, temporary }: Options): Promise<ReadonlyArray<Figure>> => {
  const { changed, first, floor, unchanged } = await time(temporary, runs)
  const files = `of ${FILES} files, ms`
  return [
    { name: `first checkpoint ${files}`, belay: single(first), limit: { within: 15_000 }, digits: 0 },
    {
      name: `checkpoint ${files} (floor: git add, write-tree, commit-tree)`,
      belay: spread(unchanged),
      floor: spread(floor),
      limit: { within: 300 },
      digits: 0
    },
    { name: `checkpoint with 1 changed ${files}`, belay: spread(changed), limit: { within: 300 }, digits: 0 }
  ]
}
