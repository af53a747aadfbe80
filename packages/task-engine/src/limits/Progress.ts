/**
 * What each call of an answer has brought, as it is counted: by the loop guard, and as a success or a mistake of the answer.
 *
 * Nothing is brought by a call that is refused or fails, by a failing command that says what an earlier one has said, and
 * by the same call from the third time on, unless it looks after something that goes on.
 */
import { Message } from "@belay/message-state"
import { LoopGuard, Recovery } from "@belay/task-state"
import { Pipeline, type Tool } from "@belay/tool-executor"
import type { ActiveTask } from "../active/ActiveTask.ts"
import * as Transitions from "../active/Transitions.ts"

/** Characters of a mistake that are named. */
const longest = 100

const textOf = (content: ReadonlyArray<Message.ContentBlock>): string =>
  content.map((block) => (block.type === "text" && block.text !== LoopGuard.warning ? block.text : "")).join("\n")

/** The first sentence of what the model was told. */
const inWords = (text: string): string => {
  const [line = ""] = text.trim().split("\n")
  const [sentence = line] = /^.*?[.!?](?=\s|$)/u.exec(line) ?? []
  const words = sentence.replace(/[.:\s]+$/u, "")
  return words.length <= longest ? words : `${words.slice(0, longest).trimEnd()}…`
}

type Output = Pick<Tool.ToolOutput, "content" | "isError">

/** The model made this call or answer wrong, or it may not. */
export const mistaken = (running: ActiveTask, text: string): void =>
  Transitions.noted(running, Recovery.mistake(inWords(text)))

/** Counts a call; its verdict holds before it runs. */
export const observe = (running: ActiveTask, call: Pipeline.Call) =>
  LoopGuard.observe(running.progress.loopGuard, { name: call.name, args: call.input })

/** With the warning, for a call that repeats itself. */
export const warned = <A extends Output>(output: A, verdict: LoopGuard.Verdict): A =>
  verdict === "ok" ? output : { ...output, content: [...output.content, Message.text(LoopGuard.warning)] }

/** A call that is not run: what the model is told, with the warning when it repeats itself. */
export const refused = <A extends Output>(running: ActiveTask, call: Pipeline.Call, output: A): A => {
  const { state, verdict } = observe(running, call)
  Transitions.counted(running, state)
  mistaken(running, textOf(output.content))
  return warned(output, verdict)
}

/** A call that ran, with the verdict from before it. */
export const ran = (
  running: ActiveTask,
  tool: Pick<Tool.Tool, "category" | "goesOn" | "name">,
  { content, isError }: Output,
  verdict: LoopGuard.Verdict
): void => {
  const text = textOf(content)
  // To look again is no repetition, and there is an end of it: each such look waits.
  if (!isError && tool.goesOn?.(text.trimEnd()) === true) {
    Transitions.counted(running)
    return Transitions.noted(running, Recovery.success)
  }
  const said = Pipeline.sha256(text)
  const isNews = !isError || (Transitions.failedWith(running, said) && tool.category === "command")
  if (!isNews) mistaken(running, text)
  else if (verdict === "ok") Transitions.noted(running, Recovery.success)
  else mistaken(running, `${tool.name} was called again with the same arguments.`)
}
