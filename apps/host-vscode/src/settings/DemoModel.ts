/**
 * The built-in model of the demo: a script, without a key and without a network. What its calls do is real.
 *
 * It looks around, asks for an approval to write one file, gives a subtask away and completes. What it says depends on
 * nothing but the conversation, so a demo that was stopped goes on where it was.
 */
import { Message } from "@belay/message-state"
import type { ModelError, ModelEvent, ModelRequest } from "@belay/model-client"
import * as Stream from "effect/Stream"

export const name = "demo"

export const prompt = "Demo: look around, ask for an approval, use a subtask"

const subtask = "Demo subtask: read hello.md and say what is in it"

const list = (first: string, second: string, third: string): string =>
  `- [${first}] Look around\n- [${second}] Write hello.md\n- [${third}] ${subtask}`

type Call = readonly [tool: string, input: unknown]

const root: ReadonlyArray<readonly [text: string, call: Call]> = [
  [
    "This is a script that plays the model; files, approvals and subtasks are real. First I look around.",
    ["list_files", { path: ".", task_progress: list("-", " ", " ") }]
  ],
  [
    "Writing a file asks you first. Answer under Needs you, or stop the task and resume it: nothing is lost.",
    [
      "write_to_file",
      { path: "hello.md", content: "# Hello\n\nBelay keeps the rope.\n", task_progress: list("x", "-", " ") }
    ]
  ],
  ["A part of the work goes to a subtask.", ["new_task", { message: subtask, task_progress: list("x", "x", "-") }]],
  [
    "The subtask has reported.",
    [
      "attempt_completion",
      { result: "The demo is done. Close the window and look: it is still here.", task_progress: list("x", "x", "x") }
    ]
  ]
]

const child: ReadonlyArray<readonly [text: string, call: Call]> = [
  ["I read the file.", ["read_file", { path: "hello.md" }]],
  ["I report back.", ["attempt_completion", { result: "hello.md is a greeting, when you allowed it to be written." }]]
]

const isChild = ({ messages: [first] }: ModelRequest.ModelRequest): boolean =>
  first !== undefined && Message.textOf(first).includes(subtask)

/** The answer that comes next in the script; its last one again, when the conversation is longer. */
const answerOf = (request: ModelRequest.ModelRequest): Message.Message => {
  const script = isChild(request) ? child : root
  const turn = request.messages.filter(({ role }) => role === "assistant").length
  const [text, [tool, input]] = script[Math.min(turn, script.length - 1)] ?? [
    "",
    ["attempt_completion", { result: "Done." }]
  ]
  const call = { type: "tool_use", id: `demo-${turn}`, name: tool, input } as const
  return { role: "assistant", content: [Message.text(text), call] }
}

const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

export const stream = (
  request: ModelRequest.ModelRequest
): Stream.Stream<ModelEvent.ModelEvent, ModelError.ModelError> => {
  const message = answerOf(request)
  const blocks = message.content.flatMap((block, index): ReadonlyArray<ModelEvent.ModelEvent> => [
    {
      _tag: "BlockStarted",
      index,
      type: block.type,
      ...(block.type === "tool_use" ? { callId: block.id, name: block.name } : {})
    },
    ...(block.type === "text" ? [{ _tag: "TextDelta", index, text: block.text } as const] : []),
    { _tag: "BlockFinished", index, block }
  ])
  return Stream.fromIterable<ModelEvent.ModelEvent>([
    ...blocks,
    { _tag: "Finished", message, stopReason: "tool_use", spoiled: [], usage, model: name }
  ])
}
