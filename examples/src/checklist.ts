/** The checklist alone: a model rewrites the list, a person edits its file, and neither loses what the other did. */
import { Checklist, FocusChain } from "@belay/focus-chain"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

const program = Effect.gen(function* () {
  const chain = yield* FocusChain
  const task = yield* TaskId.make

  const begun = Checklist.fromTaskProgress("- [x] read the code\n- [ ] write the test\n- [ ] fix the parser", [])
  yield* chain.write(task, "Fix the parser", begun)

  // The model sends the whole list again; an item that is only reworded keeps its id.
  const next = Checklist.fromTaskProgress("- [x] read the code\n- [-] write two tests\n- [ ] fix the parser", begun)
  yield* chain.write(task, "Fix the parser", next)

  const { items } = Option.getOrThrow(yield* chain.read(task))
  const { done, total } = Checklist.progress(items)
  console.log(`${done} of ${total} done`)
  for (const { state, text } of items) console.log(`${state}: ${text}`)
  console.log(`same item: ${items[1]?.id === begun[1]?.id}`)
})

await Effect.runPromise(Effect.provide(program, FocusChain.layerMemory))

// It prints:
// 1 of 3 done
// done: read the code
// doing: write two tests
// open: fix the parser
// same item: true
