/** Runs a task in the folder `project`, and asks you in the terminal: `npm start "what is to be done"`. */
import { createBelay } from "@belay/sdk"
import { mkdirSync } from "node:fs"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { model } from "./model.ts"

const terminal = createInterface({ input: process.stdin })
const lines = terminal[Symbol.asyncIterator]()
let asking: Promise<string> = Promise.resolve("")

/** Asks one thing after the other; where the input has ended, nothing is said. */
const ask = (text: string): Promise<string> => {
  asking = asking.then(async () => {
    process.stdout.write(text)
    const { done, value } = await lines.next()
    return done === true ? "" : value.trim()
  })
  return asking
}

const workspace = path.resolve("project")
mkdirSync(workspace, { recursive: true })

const belay = await createBelay({
  directory: "data",
  model,
  kind: "task",
  person: {
    approve: async ({ edits = [], reason = "It asks.", title }) => {
      const files = edits.map(({ path: file }) => `\n  ${file}`).join("")
      const said = await ask(`${title}: ${reason}${files}\nAllow it? (y/n) `)
      return { decision: said === "y" ? "allow" : "deny" }
    },
    answer: ({ options = [], question = "What now?" }) => ask(`${[question, ...options].join("\n  ")}\n> `)
  }
})

// What a process left that was killed goes on; else a new task starts.
const [left] = await belay.recover()
const prompt = process.argv[2] ?? "Write a greeting"
const task = left ?? (await belay.start({ prompt, workspace, limits: { maxRequests: 50 } }))
if (left !== undefined) console.log(`Going on with task ${left.id}.`)

for await (const event of task.events()) {
  if (event.type === "tool.finished") console.log(`${event.name}: ${event.isError ? "error" : "ok"}`)
}
const { failure, record } = await task.result
console.log(failure?.message ?? (record.status === "completed" ? record.result : record.status))
terminal.close()
await belay.close()
