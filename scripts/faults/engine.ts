/** Faults of `@belay/task-engine`. */
import { type Fault, of } from "./Fault.ts"

const fault = of("task-engine")

export const engine: ReadonlyArray<Fault> = [
  // Calls
  fault(
    "a call that changes something runs again after a crash",
    "loop/Turn.ts",
    '(state !== "started" || tool === undefined) return false',
    '(state !== "nothing" || tool === undefined) return false',
    "leftCalls",
    "after a crash a call that had started and may have changed something is never run again, one that had not is"
  ),
  fault(
    "a read that a crash cut off is given up",
    "loop/Turn.ts",
    'tool.flow === "run" && !tool.readOnly',
    'tool.flow === "run"',
    "leftCalls",
    "after a crash a read that had started is made again"
  ),
  fault(
    "more calls of an answer run than the setting allows",
    "loop/Turn.ts",
    'running.settings.toolCallsPerRequest === "many" || call.callId === first?.id',
    "true",
    "leftCalls",
    "of the calls of one answer the first alone is carried out where one a request is allowed"
  ),
  fault(
    "a completion beside a subtask ends the task",
    "loop/Turn.ts",
    "yield* parts.settling.notRun(running, complete, Prompt.notYet)\n    if (asked",
    "if (asked",
    "run",
    "calls of one answer a completion beside subtasks is answered and waits for their results"
  ),
  fault(
    "calls after a rejected one run",
    "loop/Turn.ts",
    '...of("question"), ...of("delegate"), ...of("wait"), ...of("complete")',
    '...of("complete")',
    "asks",
    "an approval that the user refuses ends the turn: what follows is not run, what ran keeps its result"
  ),
  fault(
    "subtasks after a rejected one start",
    "loop/Turn.ts",
    "yield* settling.notRun(running, open.slice(index + 1))\n      return { calls, rejected: true }",
    "continue",
    "asks",
    "an approval of one subtask is kept when the next one is refused"
  ),
  fault(
    "a second completion is left open",
    "loop/Turn.ts",
    "yield* parts.settling.notRun(running, others, Prompt.oneCompletion)",
    "",
    "run",
    "calls of one answer of several completions the first counts, and each is answered"
  ),
  fault(
    "a strict mode is not asked before completion",
    "loop/Turn.ts",
    'prepared._tag === "Ready" && prepared.decision.decision === "ask"',
    "false",
    "modeSwitch",
    "a switch of mode is never made silently where plan mode is not strict: a completion is asked for"
  ),
  fault(
    "a read group goes on after a rejection",
    "calls/Execution.ts",
    'if (outcome === "rejected") yield* parts.settling.notRun(running, groups.slice(index + 1).flat())',
    "",
    "asks",
    "an approval that the user refuses ends the turn: what follows is not run, what ran keeps its result"
  ),
  fault(
    "a call in order goes on after a rejection",
    "calls/Execution.ts",
    'if (outcome === "rejected") yield* parts.settling.notRun(running, open.slice(index + 1))',
    "",
    "leftCalls",
    "of the calls of one answer reads that have to be asked for end with the first that the user rejects"
  ),
  fault(
    "a call that repeats itself runs for ever",
    "calls/Execution.ts",
    'if (observed.verdict === "ask") {',
    'if (observed.verdict === "never") {',
    "recovery",
    "the loop guard goes on counting after a restart"
  ),
  fault(
    "a repeated call is not warned of",
    "limits/Progress.ts",
    'verdict === "ok" ? output :',
    "true ? output :",
    "leftCalls",
    "of the calls of one answer the third of its kind in a row carries a warning, and the second none"
  ),
  fault(
    "failed edits are no mistakes",
    "limits/Progress.ts",
    "if (!isNews) mistaken(running, text)",
    "if (!isNews) return",
    "leftCalls",
    "of the calls of one answer five failed edits in a row are mistakes that need a word"
  ),
  fault(
    "a call is run before it is stored as started",
    "calls/Execution.ts",
    "yield* parts.settling.start(running, [ready])\n",
    "",
    "run",
    "a run reads, edits and runs a command: files, events and record agree"
  ),
  fault(
    "a checkpoint is made after the call",
    "calls/Execution.ts",
    "yield* parts.checkpointing.before(running, ready)\n",
    "",
    "checkpointing",
    "the workspace of a task is recorded before the first and after the last change of a turn, and the event is stored"
  ),
  fault(
    "what must ask first runs with the reads",
    "calls/Execution.ts",
    ' || ready.decision.decision !== "allow") return undefined',
    ") return undefined",
    "leftCalls",
    "of the calls of one answer reads that have to be asked for end with the first that the user rejects"
  ),
  fault(
    "a phase of deep planning refuses nothing",
    "calls/ToolCallLifecycle.ts",
    "if (early !== undefined) {",
    "if (false) {",
    "planning",
    "deep planning repairs a plan without all its sections, and hands nothing over before there is one"
  ),
  fault(
    "a stop forgets the call that runs",
    "calls/ToolCallLifecycle.ts",
    "const changing = calls.filter(({ tool }) => !tool.readOnly)",
    "const changing: typeof calls = []",
    "stop",
    "a stop ends a running command with its process group, and the model is told"
  ),
  fault(
    "a refused mistake is not counted",
    "limits/Progress.ts",
    "mistaken(running, textOf(output.content))",
    "",
    "recovery",
    "mistakes in a row are not forgotten by a restart, whatever they were"
  ),
  // Approvals
  fault(
    "nobody there is a yes",
    "calls/Approving.ts",
    'yield* denyUnattended(parts, running, ready, ask)\n      return "denied" as const',
    "return ready",
    "asks",
    "an approval is denied with what has changed when nobody is there any more to be asked again"
  ),
  fault(
    "an answer binds to nothing",
    "calls/Approving.ts",
    "if (again.hash === ready.hash) return",
    "if (again.hash !== undefined) return",
    "asks",
    "an approval is asked for again when the file has changed before the answer; nothing is written until then"
  ),
  fault(
    "a yes to a text that cannot be taken counts",
    "calls/Approving.ts",
    'OpenAsk.canEdit(open, reply) ? (reply.decision ?? "deny") : "deny"',
    '(reply.decision ?? "deny")',
    "review",
    "an edit that is asked for is not written at all when a host's yes comes with a text for another file"
  ),
  fault(
    "a task holds its permit while a person thinks",
    "calls/Approving.ts",
    "yield* scheduler.release(running)\n  const reply",
    "const reply",
    "permits",
    "a subtask that waits for a person lends its permit to others, and takes one again before it asks the model"
  ),
  fault(
    "a switch of mode while it asks lets the call run",
    "calls/Approving.ts",
    "if (by === OpenAsk.byMode) {",
    "if (by === undefined) {",
    "modeSwitch",
    "a switch of mode to plan while an edit waits for a yes denies it, and no other task is touched"
  ),
  fault(
    "a repeated call runs where nobody is there",
    "calls/Approving.ts",
    "if (!parts.person.attended) return paused",
    "",
    "noProgress",
    "a model that makes no progress is warned at the third same call and stopped before the fifth runs"
  ),
  fault(
    "grants above are not looked up",
    "calls/Grants.ts",
    "while (next !== undefined) {",
    "while (false) {",
    "grants",
    "allowing it for this task says exactly what is allowed, asks no more for it and for nothing less, also below the task"
  ),
  fault(
    "a grant taken back of a stopped task stays",
    "lifecycle/GrantRevocation.ts",
    "Interrupt.whileTaken(record, [configured])",
    "Interrupt.whileTaken(record, [])",
    "grants",
    "allowing it for this task survives a restart and can be taken back, running or stopped"
  ),
  // The loop
  fault(
    "blank texts are sent back",
    "loop/NextAnswer.ts",
    'block.type !== "text" || Message.isSaid(block.text)',
    "true",
    "permits",
    "the model gets none of its blank texts back"
  ),
  fault(
    "a permit is not taken again before a request",
    "loop/NextAnswer.ts",
    'yield* parts.scheduler.acquire(running, "waking")\n',
    "",
    "permits",
    "a subtask that waits for a person lends its permit to others, and takes one again before it asks the model"
  ),
  fault(
    "what was said meanwhile is not read",
    "loop/NextAnswer.ts",
    "if (Transitions.reads(running)) {",
    "if (false) {",
    "permits",
    "the model reads what was said while its answer was cut off, with its next request"
  ),
  fault(
    "reports of background subtasks wait for the end",
    "loop/NextAnswer.ts",
    "yield* parts.background.deliver(running)\n",
    "",
    "background",
    "background subtasks answer their call at once, and report as a message before the next request"
  ),
  fault(
    "a task goes on after too many mistakes",
    "loop/NextAnswer.ts",
    'running.progress.recovery._tag === "NeedsGuidance"',
    "false",
    "recovery",
    "mistakes in a row are not forgotten by a restart, whatever they were"
  ),
  fault(
    "nobody looks at what runs by approvals alone",
    "loop/NextAnswer.ts",
    "if (why !== undefined) return",
    "if (false) return",
    "checkins",
    "a check-in stops the task after so many requests in a row that ran without asking; reads do not count"
  ),
  fault(
    "an answer that was cut off is an end",
    "loop/NextAnswer.ts",
    "const isCutText = isCut && uses.length === 0",
    "const isCutText = false",
    "textAnswer",
    "an answer in words that was cut off goes on where it ended, and the result is all of it"
  ),
  fault(
    "a resumed task forgets its mistakes",
    "loop/Loop.ts",
    "yield* parts.counters.restore(running)\n",
    "",
    "recovery",
    "mistakes in a row are not forgotten by a restart, whatever they were"
  ),
  fault(
    "a request that is too long is not made shorter",
    "loop/NextAnswer.ts",
    'error.reason._tag === "InvalidRequest" && error.reason.promptTooLong',
    "false",
    "condensing",
    "a conversation that fills the model's context is condensed once when the service finds the prompt too long, and the request is made again"
  ),
  // Runners
  fault(
    "a tombstone is run",
    "active/ActiveTask.ts",
    "if (TaskRecord.isTombstone(row.value.record)) return yield*",
    "if (false) return yield*",
    "elsewhere",
    "a task that waits and is deleted by another process is given up: its runner ends, and nothing of it is written afterwards"
  ),
  fault(
    "a host that closes leaves its tasks running",
    "active/Registry.ts",
    'reason: Exit.isSuccess(exit) ? "host" : "crash"',
    'reason: "user"',
    "stop",
    "a stop comes from closing the host, too: nothing is left leased"
  ),
  fault(
    "a wait that ended while its runner ended is forgotten",
    "active/Registry.ts",
    '(record.status === "active" ||',
    "(false ||",
    "registry",
    "a task whose runner ends because its subtasks have stopped goes on when it is released from the last one at that moment"
  ),
  fault(
    "a failed service leaves the task leased",
    "loop/Runner.ts",
    "if (known) yield* stopping.interrupt(running, { reason }, [step])",
    "",
    "run",
    "a run keeps what was sent when the user's words join a message that was sent already"
  ),
  fault(
    "a switch while it waited for its turn is missed",
    "active/Transitions.ts",
    "attempt, settings, mode, title }",
    "attempt, settings, title }",
    "elsewhere",
    "a queued subtask that another process switches begins in that mode, and reads what was said with it first"
  ),
  fault(
    "a runner of another attempt is joined",
    "active/Registry.ts",
    "if (taken || row?.record.attempt !== running.attempt) Transitions.lose(running)",
    "",
    "takenBack",
    "a task that comes back before its old runner has noticed while that waits for a subtask comes back with it: each has one runner, and one result"
  ),
  fault(
    "a lost task is not noticed",
    "lifecycle/LeaseWatch.ts",
    "else Transitions.lose(running)",
    "else all = true",
    "takenOver",
    "a runner whose task another process takes over while the answer streams ends its request, and stores nothing of what had arrived"
  ),
  fault(
    "a call that is not in the log is run",
    "loop/Turn.ts",
    "return yield* new UnloggedCall({ taskId: running.id, callId: unknown.id, name: unknown.name })",
    "",
    "takenBack",
    "a call that the log does not show as requested is never run: the task stops, says so, and what was open stays open"
  ),
  fault(
    "a take-over takes what a third process runs",
    "tree/Holding.ts",
    " || child.lease?.ownerId !== row.lease?.ownerId) continue",
    ") continue",
    "takenOver",
    "a runner whose task another process takes over while a subtask waits for its turn starts it no more: it begins where the task is now, once"
  ),
  // Stops
  fault(
    "a stop leaves everything below running",
    "interrupt/InterruptHere.ts",
    "yield* scheduler.release(running)\n        yield* stopDescendants(running)",
    "yield* scheduler.release(running)",
    "stop",
    "a stop of a parent reaches every descendant, and no further request is sent"
  ),
  fault(
    "a stopped call has no result",
    "interrupt/InterruptHere.ts",
    "...(results.length === 0 ? []",
    "...(results.length >= 0 ? []",
    "stop",
    "a stop ends a running command with its process group, and the model is told"
  ),
  fault(
    "a report that comes with the stop is lost",
    "interrupt/InterruptHere.ts",
    "yield* collectLate(running)\n",
    "",
    "stop",
    "a stop finds a subtask that has just completed: its report is kept, and the parent stays stopped"
  ),
  fault(
    "another process is not asked to stop",
    "interrupt/InterruptAnywhere.ts",
    "if (lease?.alive === true && lease.ownerId !== history.me) {",
    "if (false) {",
    "abandoned",
    "a task that another process abandons a subtask of asks a third process to stop the subtask that it runs"
  ),
  // Permits
  fault(
    "a permit is given back twice",
    "active/Scheduler.ts",
    "if (!holder.holdsPermit) return\n",
    "",
    "Scheduler",
    "permits are not waited for by a root, nor taken twice by one task"
  ),
  fault(
    "who begins is served before who wakes",
    "active/Scheduler.ts",
    "[queues.waking, queues.beginning]",
    "[queues.beginning, queues.waking]",
    "Scheduler",
    "permits go to waking tasks first, and in each group to who came first"
  ),
  fault(
    "a root needs a permit",
    "active/Scheduler.ts",
    "holder.record.lineage.depth === 0 || ",
    "",
    "Scheduler",
    "permits are not waited for by a root, nor taken twice by one task"
  ),
  fault(
    "a permit that nobody waits for is lost",
    "active/Scheduler.ts",
    "free += 1\n",
    "",
    "Scheduler",
    "permits are not waited for by a root, nor taken twice by one task"
  ),
  // Subtasks
  fault(
    "a take-over leaves the subtasks behind",
    "tree/Holding.ts",
    "found.push(child, ...(yield* below(history, child)))",
    "found.push(child)",
    "subtasks",
    "a subtask of a subtask is taken over with the task at the top"
  ),
  fault(
    "a stop is not marked as carried out",
    "interrupt/InterruptHere.ts",
    '...(requestId === undefined ? [] : [{ _tag: "RequestApplied" as const, requestId }])',
    "",
    "subtasks",
    "a stop that another process asks for is told to it as carried out once it is stored"
  ),
  fault(
    "only the named subtask is resumed: all are",
    "delegation/Delegation.ts",
    "(only === undefined || only === child)",
    "true",
    "subtasks",
    "of two subtasks only the one that is named goes on with its parent"
  ),
  fault(
    "a wait that brings nothing is repeated for ever",
    "delegation/Background.ts",
    "if (done.length > 0) Transitions.noted",
    "if (done.length >= 0) Transitions.noted",
    "subtasks",
    "a parent of background subtasks is stopped when it waits again and again for one that has stopped"
  ),
  fault(
    "answers of unattended calls count as a look",
    "limits/RequestLimit.ts",
    'if (event.by === "unattended") return state',
    "",
    "subtasks",
    "a check-in is due although a call was denied because nobody was there"
  ),
  fault(
    "limits of a resume do not reach subtasks",
    "limits/Limiting.ts",
    "steps.push(...(yield* below(child, limits)))",
    "",
    "subtasks",
    "a subtask of a subtask has the limits that the task at the top is resumed with"
  ),
  fault(
    "a limit of subtasks is the end of the task",
    "delegation/Delegation.ts",
    'Effect.catchTag("TransitionRejected", limitOf(running))',
    "Effect.orDie",
    "delegation",
    "subtasks that are nested too deep or are too many are refused, and the task goes on"
  ),
  fault(
    "background subtasks do not start",
    "delegation/Delegation.ts",
    "yield* Effect.forEach(background, ({ id }) => Effect.asVoid(parts.registry.launch(id)), { discard: true })",
    "",
    "background",
    "background subtasks answer their call at once, and report as a message before the next request"
  ),
  fault(
    "a subtask is narrower than its parent for no reason",
    "delegation/Children.ts",
    "...Settings.noLimits,",
    "",
    "budget",
    "a limit of a subtask stops it and what is below it alone: its parent waits, and a sibling goes on"
  ),
  fault(
    "a parent keeps its permit while it waits",
    "delegation/Delegation.ts",
    "yield* parts.scheduler.release(running)\n    yield* parts.journal.reached",
    "yield* parts.journal.reached",
    "delegation",
    "subtasks of subtasks finish with a single permit: a waiting parent holds none"
  ),
  fault(
    "a subtask that another process runs is started here",
    "delegation/Delegation.ts",
    "if (lease?.alive === true && lease.ownerId !== parts.history.me) return true",
    "",
    "elsewhere",
    "a task that waits for a subtask that another process runs has its report as soon as it completes there, and goes on"
  ),
  fault(
    "a parent whose subtasks all stopped goes on",
    "delegation/Delegation.ts",
    "if (!atWork) return false",
    "if (!atWork) return true",
    "delegation",
    "subtasks that stopped keep their parent waiting, and a resume of the parent goes on with them"
  ),
  fault(
    "a parent that its user stopped runs again",
    "delegation/ParentResume.ts",
    'const waits = record.status === "delegated"',
    "const waits = true",
    "stopped",
    "a subtask that goes on alone brings its report to the parent that the user stopped, which stays stopped"
  ),
  fault(
    "a task at rest does not see what another process completed",
    "delegation/WaitingParents.ts",
    'records.get(taskId)?.status === "active"',
    "false",
    "elsewhere",
    "a task whose subtasks have all stopped, and that its process keeps collects what another process brings to an end, starts nothing that stopped, and goes on after the last"
  ),
  // Completion
  fault(
    "a task completes with open subtasks",
    "lifecycle/TaskCompletion.ts",
    "if (awaited.length > 0) return yield* notYet",
    "if (false) return yield* notYet",
    "background",
    "background subtasks keep their parent from completing until it has read their results"
  ),
  fault(
    "a task completes with open items",
    "lifecycle/TaskCompletion.ts",
    "if (unfinished.length > 0) return",
    "if (false) return",
    "checklists",
    "while a task runs it does not complete before every item is done, where the settings say so"
  ),
  fault(
    "a message is a yes to a result",
    "lifecycle/TaskCompletion.ts",
    '{ decision: "deny", by: "user" }',
    '{ decision: "allow", by: "user" }',
    "completion",
    "a result that the user has to accept takes a message to the task as such words"
  ),
  // Limits
  fault(
    "the limit of a task above does not hold",
    "limits/Budget.ts",
    "id = scope.value.record.lineage.parentId",
    "id = undefined",
    "budget",
    "a limit of money holds for calls that are made at once"
  ),
  fault(
    "output costs nothing",
    "limits/CallNeed.ts",
    "outputTokens * rates.output",
    "0 * rates.output",
    "budget",
    "a limit of tokens or money refuses a call that could pass it, before it is sent"
  ),
  fault(
    "what runs by default counts as approved",
    "limits/RequestLimit.ts",
    "byDefault.has(rule) || ",
    "",
    "checkins",
    "a check-in stops the task after so many requests in a row that ran without asking; reads do not count"
  ),
  // What people say
  fault(
    "a second answer overwrites the first",
    "lifecycle/Requests.ts",
    'if (!(yield* Deferred.succeed(open.reply, reply))) return yield* refused(id, "alreadyAnswered")',
    "yield* Deferred.succeed(open.reply, reply)",
    "requests",
    "an ask of a task that runs keeps the first answer when another one comes before it is stored"
  ),
  fault(
    "a grant that was not offered is taken",
    "lifecycle/Requests.ts",
    'if (!canGrant(open, given)) return yield* refused(id, "notOffered")',
    "",
    "grants",
    "allowing it for this task is refused where the ask does not offer it, and a host's yes to it is for this call alone"
  ),
  fault(
    "a switch to plan lets an open call run",
    "lifecycle/Requests.ts",
    'if (mode === "plan") ModeChange.judgeAgain(running)',
    "",
    "modeSwitch",
    "a switch of mode to plan while an edit waits for a yes denies it, and no other task is touched"
  ),
  fault(
    "a visit to an offered result does not complete",
    "lifecycle/MessageStoppedTask.ts",
    "completes: true,",
    "completes: false,",
    "completion",
    "a result that the user has to accept can be accepted, or sent back with words, while the task is stopped"
  ),
  fault(
    "a resume leaves an old approval open",
    "lifecycle/Resume.ts",
    'new Set(["approval", "budget"',
    'new Set(["budget"',
    "asks",
    "an approval that a stop leaves unanswered is asked for again, and none stays open"
  ),
  fault(
    "a fork takes the grants along",
    "lifecycle/Fork.ts",
    "{ ...options.settings(facts.settings), grants: [] }",
    "{ ...options.settings(facts.settings) }",
    "grants",
    "allowing it for this task ends with the task: one that goes on from it asks again"
  ),
  fault(
    "a person's edit of the list is overwritten",
    "checklist/Checklists.ts",
    "Checklist.merge(before, model, Checklist.items(file))",
    "Checklist.merge(before, model, before)",
    "checklists",
    "the checklist that its user edits keeps what the user changed when the model sends its list, and tells the model once"
  ),
  fault(
    "the model does not hear of an edited list",
    "checklist/Checklists.ts",
    "if (edited.length > 0) {",
    "if (false) {",
    "checklists",
    "the checklist that its user edits keeps what the user changed when the model sends its list, and tells the model once"
  )
]
