/** What only the runner of a task writes, one of each kind. */
import type * as Step from "../history/Step.ts"
import { Message } from "@belay/message-state"
import type { TaskId } from "@belay/task-state"
import { usage } from "./scenario.ts"

type Fenced = Extract<Step.Step, { readonly attempt: number }>

type Writes = {
  readonly [Tag in Fenced["_tag"]]: Omit<Extract<Fenced, { readonly _tag: Tag }>, "_tag" | "taskId" | "attempt">
}

const spent = { usage, model: "m-1", costUsd: 0.5 }

const writes: Writes = {
  Answer: { ...spent, message: { role: "assistant", content: [Message.text("next")] }, calls: [] },
  Spent: spent,
  Reserve: { id: "r1", model: "m-1", inputTokens: 1, outputTokens: 1, costUsd: 0, scopes: [] },
  Condensed: { edits: [], step: "summary", before: 9, after: 3, removed: 0 },
  Append: { message: Message.user(Message.text("reminder")) },
  Say: { id: "m1", text: "hurry" },
  Deliver: {},
  CallsApproved: { callIds: ["c1"] },
  CallsStarted: { callIds: ["c1"] },
  CallsSettled: {
    results: [{ callId: "c1", content: [Message.text("old")], isError: false, state: "finished" }]
  },
  FilesTold: { files: [{ path: "/a", hash: "1" }] },
  FilesShown: { files: [{ path: "/a", hash: "1", lines: "1 1-1 AAAA" }] },
  AskOpened: { ask: { askId: "k1", kind: "question", question: "which?", grants: [] } },
  ModeChanged: { to: "plan", by: "model" },
  PlanningChanged: { to: "discussion" },
  ChecklistChanged: { items: [{ id: "1", text: "x", state: "open" }], text: "- [ ] x", hash: "h", by: "model" },
  Checkpointed: { note: { id: "s1", files: 1, messageIndex: 1 } },
  Failed: { tag: "Overloaded", message: "later" },
  TimeSkipped: { ms: 5000 },
  Configure: { settings: null, model: "m-2" },
  HooksRun: { runs: [{ key: "c1", toldHash: "t", hookHash: "h" }] }
}

/** Each of them, as a runner of this attempt writes it. */
export const all = (taskId: TaskId.TaskId, attempt: number): ReadonlyArray<Step.Step> =>
  Object.entries(writes).map(([_tag, write]) => ({ _tag, taskId, attempt, ...write }) as Fenced)
