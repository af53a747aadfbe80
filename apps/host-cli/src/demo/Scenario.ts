/**
 * What the built-in model says, as data for the scripted server.
 *
 * In each subtask only the answer that is held has text: its first words tell that the subtask is halfway, with work
 * behind it and work ahead of it. The gate opens after the kill, so a killed process never gets that answer.
 */
import type { Scenario } from "@belay/testkit"
import * as Sample from "./Sample.ts"

export const prompt = "Fix the cart: the total ignores quantities"

const plan = `1. Count the quantity in ${Sample.cart}.
2. Check it with ${Sample.testCommand}.
3. Give a README and one more test to subtasks.`

/** The gate at which both subtasks wait. */
export const halfway = "halfway"

const documentation = "Write the README"
const emptyCart = "Test the empty cart"

/** How many subtasks the model asks for. */
export const subtasks = 2

/** How long an answer takes when somebody watches, in ms. */
const answerMs = 950

type Block = Scenario.BlockSpec

const say = (text: string): Block => ({ type: "text", text })
const use = (name: string, input: object): Block => ({ type: "tool_use", name, input })
const readFile = (path: string): Block => use("read_file", { path })
const writeFile = (path: string, content: string): Block => use("write_to_file", { path, content })
const complete = (result: string): Block => use("attempt_completion", { result })
const runTests = (progress?: string): Block =>
  use("execute_command", {
    command: Sample.testCommand,
    ...(progress === undefined ? {} : { task_progress: progress })
  })

/** Roughly the events that the server sends for an answer, of which each is delayed. */
const eventsOf = (blocks: ReadonlyArray<Block>): number =>
  blocks.reduce((count, block) => count + 3 + Math.ceil(JSON.stringify(block).length / 12), 4)

const steps = ["See the test fail", `Fix ${Sample.cart}`, "See the test pass", "README and one more test, by subtasks"]

/** The checklist with so many steps done. */
const progress = (done: number): string =>
  steps.map((step, index) => `- [${index < done ? "x" : index === done ? "-" : " "}] ${step}`).join("\n")

const documentationText = `# Shop

\`total(items)\` adds price times quantity of every item.
`

const emptyTestText = `import assert from "node:assert"
import { test } from "node:test"
import { total } from "../src/cart.js"

test("an empty cart costs nothing", () => {
  assert.strictEqual(total([]), 0)
})
`

/** `paced`: slow enough to be read. */
export const scenario = (paced: boolean): Scenario.Scenario => {
  const answer = (...content: ReadonlyArray<Block>): Scenario.Answer => ({
    content,
    ...(paced ? { delayMs: Math.max(1, Math.round(answerMs / eventsOf(content))) } : {})
  })
  const held = (...content: ReadonlyArray<Block>): Scenario.Answer => ({ ...answer(...content), hold: halfway })
  return {
    tasks: [
      {
        match: { prompt },
        answers: [
          answer(say("I read the code first."), readFile(Sample.cart), readFile(Sample.cartTest)),
          answer(use("plan_mode_respond", { response: plan })),
          answer(runTests(progress(0))),
          answer(
            use("replace_in_file", {
              path: Sample.cart,
              diff: `------- SEARCH\n${Sample.wrongLine}\n=======\n${Sample.rightLine}\n+++++++ REPLACE`,
              task_progress: progress(1)
            })
          ),
          answer(runTests(progress(2))),
          answer(
            use("new_task", {
              message: `${documentation}\nSay in ${Sample.readme} what total() in ${Sample.cart} does.`,
              task_progress: progress(3)
            }),
            use("new_task", {
              message: `${emptyCart}\nAdd ${Sample.emptyTest} and run ${Sample.testCommand}.`
            })
          ),
          answer(runTests(progress(4))),
          answer(complete("The total is right, all tests pass, there is a README."))
        ]
      },
      {
        match: { prompt: documentation },
        answers: [
          answer(readFile(Sample.cart)),
          held(say("Now I write it."), writeFile(Sample.readme, documentationText)),
          answer(complete(`${Sample.readme} says what total() does.`))
        ]
      },
      {
        match: { prompt: emptyCart },
        answers: [
          answer(writeFile(Sample.emptyTest, emptyTestText)),
          held(say("Now I run it."), runTests()),
          answer(complete(`An empty cart costs 0, and ${Sample.emptyTest} says so.`))
        ]
      }
    ]
  }
}
