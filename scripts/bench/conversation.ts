/** What a turn costs in a conversation of 2,000 messages and 5 MB that is condensed as it goes, in a process of its own. */
import { spawnSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import * as path from "node:path"

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

export const time = (temporary: string): Times => {
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
