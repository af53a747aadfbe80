/** What is shown of a run from its first line on, and what people need to be shown of what another process had begun. */
import { type History, TaskHistory } from "@belay/history-store"
import type { LiveEvent } from "@belay/task-engine"
import { TaskNode } from "@belay/task-engine/remote"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as ClaudeStream from "../result/ClaudeStream.ts"
import * as RunHead from "../progress/RunHead.ts"
import type * as View from "./View.ts"

/** The calls of a task and of all below it that another process has begun and not ended. */
const begun = (row: History.TaskRow) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const root = yield* TaskNode.whole(row)
    const found = yield* Effect.forEach([root, ...TaskNode.descendants(root)], (node) =>
      Effect.gen(function* () {
        const { id: taskId } = node.row.record
        const open = (yield* history.calls(taskId)).filter(({ state }) => state !== "finished" && state !== "unknown")
        if (open.length === 0) return []
        const blocks = (yield* history.messages(taskId)).flatMap(({ content }) => content)
        return open.map(({ callId, name }) => {
          const block = blocks.find((one) => one.type === "tool_use" && one.id === callId)
          const args = block?.type === "tool_use" ? block.input : {}
          return { type: "tool.requested", taskId, ts: node.row.updatedAt, seq: 0, callId, name, args } as const
        })
      })
    )
    return found.flat()
  })

/** Nothing but the first line is shown before it, and time passes for what is shown. */
export const showing = (view: View.View) =>
  Effect.gen(function* () {
    const waiting: Array<LiveEvent.TaskEvent> = []
    let isBegun = false
    const ticking = Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sync(() => view.tick(now)))
    yield* Effect.forkScoped(Effect.repeat(ticking, Schedule.spaced("100 millis")))
    return {
      take: (event: LiveEvent.TaskEvent) => void (isBegun ? view.take(event) : waiting.push(event)),
      begin: (row: History.TaskRow | undefined, tools: ClaudeStream.Start["tools"]) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          if (row === undefined) view.head("", now)
          else {
            for (const event of yield* begun(row)) view.earlier(event)
            view.head(yield* RunHead.of(row), now, { row, tools })
          }
          isBegun = true
          for (const event of waiting) view.take(event)
        })
    }
  })
