/** Runs many tasks at once in this process and prints what it took: `node manyRun.ts URL HOME WORKSPACE tree|roots`. */
import * as Effect from "effect/Effect"
import { sessionOn, taskIn } from "../../../packages/task-engine/test/world.ts"
import { TaskEngine, TaskEvents } from "../../../packages/task-engine/src/index.ts"
import * as Pauses from "./pauses.ts"
import { promptsOf, root, SUBTASKS } from "./scripts.ts"

export interface Ran {
  /** Ms from the first task on, by the clock and by the processor. */
  readonly wall: number
  readonly processor: number
  readonly pauses: Pauses.Pauses
  readonly tasks: number
  readonly answers: number
  /** MB of heap when all have ended beyond that before, after a collection. */
  readonly heap: number
  /** When half of all answers were there: those of the task that had most, and of the one that had fewest; of subtasks, where there are some. */
  readonly most: number
  readonly fewest: number
}

const [url = "", home = "", workspace = "", kind] = process.argv.slice(2)
const prompts = promptsOf(kind === "tree" ? "tree" : "roots")

const heap = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1e6
}

const program = Effect.gen(function* () {
  const engine = yield* TaskEngine
  const events = yield* TaskEvents
  const answers = new Map<string, number>()
  const completed = new Set<string>()
  const order: Array<string> = []
  yield* events.listen((event) => {
    if (event.type === "usage") {
      answers.set(event.taskId, (answers.get(event.taskId) ?? 0) + 1)
      order.push(event.taskId)
    }
    if (event.type === "task.completed") completed.add(event.taskId)
  })
  const task = taskIn(workspace)
  // What is read when it is needed first is no part of it.
  yield* engine.run(yield* engine.create(task(root)))
  const ids = yield* Effect.forEach(prompts, (prompt) => engine.create(task(prompt, {}, { fanOut: SUBTASKS })))
  const before = heap()
  answers.clear()
  completed.clear()
  order.length = 0
  const pauses = Pauses.watch()
  const started = performance.now()
  const used = process.cpuUsage()
  yield* Effect.forEach(ids, (id) => engine.run(id), { concurrency: "unbounded", discard: true })
  const { system, user } = process.cpuUsage(used)
  const wall = performance.now() - started
  const held = pauses()
  const half = new Map<string, number>([...answers.keys()].map((id) => [id, 0]))
  for (const id of order.slice(0, order.length >> 1)) half.set(id, (half.get(id) ?? 0) + 1)
  // Those of one kind, which have begun at the same time.
  const working = [...half]
    .filter(([id]) => kind !== "tree" || !ids.some((own) => own === id))
    .map(([, turns]) => turns)
  if (completed.size !== answers.size) throw new Error(`${completed.size} of ${answers.size} tasks completed`)
  return {
    wall,
    processor: (system + user) / 1000,
    pauses: held,
    tasks: answers.size,
    answers: order.length,
    heap: heap() - before,
    most: Math.max(...working),
    fewest: Math.min(...working)
  } satisfies Ran
})

const ran = await Effect.runPromise(sessionOn({ url, home })(program, { concurrency: SUBTASKS }))
process.stdout.write(JSON.stringify(ran))
