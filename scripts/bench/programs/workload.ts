/** What is measured: a task that reads one small file a turn and then completes, as a scenario and as files. */
import { mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"

const FILES = 1000

/** The file that is read in this turn. */
export const readOf = (turn: number): string => `notes/${String(turn % FILES).padStart(3, "0")}.md`

/** About 600 bytes each, all different. */
export const writeFiles = (folder: string): void => {
  mkdirSync(path.join(folder, "notes"), { recursive: true })
  for (let turn = 0; turn < FILES; turn++) {
    const lines = Array.from(
      { length: 10 },
      (_, line) => `- note ${turn}.${line}: a line of text as people write it down\n`
    )
    writeFileSync(path.join(folder, readOf(turn)), lines.join(""))
  }
}

export const promptOf = (turns: number): string => `read ${turns} notes.`

/** The same for a program whose tools have other names. */
export const otherPromptOf = (turns: number): string => `look at ${turns} notes.`

export type Reads = (file: string) => { readonly name: string; readonly input: unknown }

const ours: Reads = (file) => ({ name: "read_file", input: { path: file } })

const read = (turn: number, reads: Reads) => ({
  content: [
    { type: "text", text: `Reading note ${turn} next.` },
    { type: "tool_use", ...reads(readOf(turn)) }
  ]
})

const result = "All notes were read."
const complete = { content: [{ type: "tool_use", name: "attempt_completion", input: { result } }] }
const says = { content: [{ type: "text", text: result }] }

/** One script for each length; without delays. */
export const scenarioOf = (lengths: ReadonlyArray<number>, record: boolean, others?: Reads) => ({
  record,
  tasks: lengths.flatMap((turns) => {
    const script = (prompt: string, reads: Reads, last: unknown) => ({
      match: { prompt },
      shared: true,
      answers: [...Array.from({ length: turns }, (_, turn) => read(turn, reads)), last]
    })
    const mine = script(promptOf(turns), ours, complete)
    return others === undefined ? [mine] : [mine, script(otherPromptOf(turns), others, says)]
  })
})
