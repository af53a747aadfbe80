/** What is measured: a task that reads one small file a turn and then completes, as a scenario and as files. */
import { mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"

const FILES = 1000

const nameOf = (turn: number): string => `notes/${String(turn % FILES).padStart(3, "0")}.md`

/** About 600 bytes each, all different. */
export const writeFiles = (folder: string): void => {
  mkdirSync(path.join(folder, "notes"), { recursive: true })
  for (let turn = 0; turn < FILES; turn++) {
    const lines = Array.from(
      { length: 10 },
      (_, line) => `- note ${turn}.${line}: a line of text as people write it down\n`
    )
    writeFileSync(path.join(folder, nameOf(turn)), lines.join(""))
  }
}

export const promptOf = (turns: number): string => `read ${turns} notes.`

const read = (turn: number) => ({
  content: [
    { type: "text", text: `Reading note ${turn} next.` },
    { type: "tool_use", name: "read_file", input: { path: nameOf(turn) } }
  ]
})

const complete = {
  content: [{ type: "tool_use", name: "attempt_completion", input: { result: "All notes were read." } }]
}

const scriptOf = (turns: number) => ({
  match: { prompt: promptOf(turns) },
  shared: true,
  answers: [...Array.from({ length: turns }, (_, turn) => read(turn)), complete]
})

/** One script for each length; without delays. */
export const scenarioOf = (lengths: ReadonlyArray<number>, record: boolean) => ({
  record,
  tasks: lengths.map(scriptOf)
})
