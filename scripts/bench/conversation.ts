/** What a turn costs in a conversation of 2,000 messages and 5 MB that is condensed as it goes, in a process of its own. */
import { spawnSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import * as path from "node:path"
import type { Figure } from "./figures/figure.ts"
import { single, spread } from "./figures/spread.ts"
import type { Options } from "./programs/programs.ts"

export interface Times {
  readonly messages: number
  readonly megabytes: number
  /** Ms of single turns at the beginning and at the end. */
  readonly early: ReadonlyArray<number>
  readonly late: ReadonlyArray<number>
  /** MB of heap after a collection, at a fifth of the way and at the end. */
  readonly earlyHeap: number
  readonly lateHeap: number
  readonly condensed: number
}

const time = (temporary: string): Times => {
  const folder = path.join(temporary, "conversation")
  mkdirSync(folder)
  const program = path.join(import.meta.dirname, "conversationRun.ts")
  const ran = spawnSync(process.execPath, ["--expose-gc", "--conditions=@belay/source", program, folder], {
    encoding: "utf8",
    maxBuffer: 16_000_000
  })
  if (ran.status !== 0) throw new Error(`the long conversation failed: ${ran.stderr}`)
  return JSON.parse(ran.stdout) as Times
}

export const measureConversation = async ({ temporary }: Options): Promise<ReadonlyArray<Figure>> => {
  const { early, earlyHeap, late, lateHeap, megabytes, messages } = time(temporary)
  const size = `${messages} messages and ${megabytes.toFixed(1)} MB`
  return [
    {
      name: `a turn after ${size}, ms (floor: a turn at the beginning)`,
      belay: spread(late),
      floor: spread(early),
      limit: { times: 2 },
      digits: 1
    },
    {
      name: `heap after ${size} beyond that after a fifth, MB`,
      belay: single(lateHeap - earlyHeap),
      limit: { most: 20 },
      digits: 1
    }
  ]
}
