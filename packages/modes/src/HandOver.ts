/**
 * What a planning task hands over: the steps of its plan, as the prompt and the first checklist of the task that acts.
 */
import { fileName } from "./PlanDocument.ts"

const line = (text: string): string => text.replaceAll(/\s+/gu, " ").trim()

/** One line each, without the marks and the numbers that a model wrote itself; blank ones are left out. */
export const stepsOf = (given: ReadonlyArray<string>): ReadonlyArray<string> =>
  given.flatMap((text) => {
    const step = line(line(text).replace(/^(?:[-*+] )?(?:\[[ xX-]\] )?(?:step )?(?:\d+[.:)] ?)?/iu, ""))
    return step === "" ? [] : [step]
  })

/** The steps in the message of a call that was meant for a subtask: its list items with a box. */
export const stepsIn = (message: string): ReadonlyArray<string> =>
  stepsOf(message.split("\n").filter((text) => /^\s*[-*+] \[[ xX-]\]/u.test(text)))

/** The steps as the lines of a checklist. */
export const checklist = (steps: ReadonlyArray<string>): string =>
  steps.map((step, index) => `- [ ] Step ${index + 1}: ${step}`).join("\n")

const opening = `Refer to @${fileName} for complete breakdown.\n\n`

/** Returns the first message of the acting task: its checklist with every step open, and the request to act. */
export const prompt = (steps: ReadonlyArray<string>): string =>
  `${opening}task_progress Items:\n${checklist(steps)}\n\nRequest: Switch to act mode`
