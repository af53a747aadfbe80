/**
 * Everyday tasks in a small project, each with what a model that makes no needless request does in it: what they cost is
 * the number and the size of the requests.
 *
 * Plain data, the same every time. The project needs nothing but Node: `node test/run.js` ends with 0 when all is well.
 */
import { feature } from "./internal/tasks/feature.ts"
import { fix } from "./internal/tasks/fix.ts"
import { refactor } from "./internal/tasks/refactor.ts"
import type { Script } from "./Scenario.ts"

/** Arguments of `belay`, and the code that it ends with. */
export interface Run {
  readonly args: ReadonlyArray<string>
  readonly code: number
}

/** One task with its project, its runs and the answers of the model. */
export interface EverydayTask {
  readonly name: string
  /** The project by paths relative to its folder, with `/`. */
  readonly files: Readonly<Record<string, string>>
  /** One after another, in the folder of the project, with a data folder that is empty at first. */
  readonly runs: ReadonlyArray<Run>
  readonly scripts: ReadonlyArray<Script>
  /** The requests that it takes. */
  readonly requests: number
  /** Bytes that the bodies of all requests may have together. */
  readonly mostBytes: number
}

/** Lists all everyday tasks. */
export const all: ReadonlyArray<EverydayTask> = [fix, feature, refactor]
