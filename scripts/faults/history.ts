/** Faults of `@belay/history-store`. */
import { type Fault, of } from "./Fault.ts"

const fault = of("history-store")

export const history: ReadonlyArray<Fault> = [
  // The fence
  fault(
    "a write of an old attempt is taken",
    "internal/writing/transaction.ts",
    "found.record.attempt !== step.attempt || ",
    "",
    "TaskHistory",
    "a history in memory refuses every write of an attempt that has lost its task"
  ),
  fault(
    "a write without the lease is taken",
    "internal/writing/transaction.ts",
    " || found.lease?.ownerId !== tx.me",
    "",
    "TaskHistory",
    "a history in memory refuses writes to a task after its lease was released"
  ),
  fault(
    "a taken lease keeps the attempt before",
    "internal/writing/lifecycle.ts",
    "excluded.owner_id, attempt = excluded.attempt,",
    "excluded.owner_id,",
    "guards",
    "a task that another process runs is asked at its new attempt once somebody has taken it over"
  ),
  fault(
    "a lease is not released",
    "internal/writing/lifecycle.ts",
    "of.lease = undefined\n    return sql`DELETE FROM lease WHERE task = ${of.key}`",
    "of.lease = undefined\n    return Effect.void",
    "TaskHistory",
    "a history in memory keeps what is awaited when a parent is interrupted, and resume collects first"
  ),
  fault(
    "an open ask outlives its task",
    "internal/writing/lifecycle.ts",
    'else if (after.status === "completed") yield* closeAsks(tx, of)',
    "",
    "TaskHistory",
    "a history in memory leaves no ask open on a task that completes"
  ),
  fault(
    "the asks of other tasks are closed, too",
    "internal/writing/lifecycle.ts",
    "WHERE task = ${of.key} AND open = 1 RETURNING ask_id`\n    for",
    "WHERE open = 1 RETURNING ask_id`\n    for",
    "guards",
    "the end of a task closes its own asks and no others"
  ),
  fault(
    "a delete does not look below its children",
    "internal/writing/lifecycle.ts",
    'request._tag === "Delete" || request._tag === "Undelete" || request._tag === "Restart"\n',
    'request._tag === "Undelete" || request._tag === "Restart"\n',
    "guards",
    "a task that another process runs keeps everything above it from being deleted or restarted"
  ),
  fault(
    "a restart does not look below the child",
    "internal/writing/lifecycle.ts",
    'request._tag === "Delete" || request._tag === "Undelete" || request._tag === "Restart"\n',
    'request._tag === "Delete" || request._tag === "Undelete"\n',
    "guards",
    "a task that another process runs keeps everything above it from being deleted or restarted"
  ),
  fault(
    "the host of a task is what last visited it",
    "internal/writing/transaction.ts",
    "of.taken === true && of.lease?.ownerId === tx.me",
    "of.touched",
    "guards",
    "a task that another process runs is known by the kind of its last runner, whoever visits it later"
  ),
  fault(
    "a deleted task keeps events of the commit that deletes it",
    "internal/writing/transaction.ts",
    "tx.pending.filter(({ event }) => tx.heads.get(event.taskId) !== undefined)",
    "tx.pending.filter(() => true)",
    "processes",
    "after a process was killed what it left is repaired by rule, once"
  ),
  fault(
    "an unknown cost counts as nothing",
    "internal/writing/transaction.ts",
    "costUsd === null || metric.cost_usd === null ? null : metric.cost_usd + costUsd",
    "(metric.cost_usd ?? 0) + (costUsd ?? 0)",
    "TaskHistory",
    "a history in memory sums usage over a task and all below it, and knows when a price is unknown"
  ),
  // Who lives
  fault(
    "a delete does not probe who lives",
    "internal/store/writer.ts",
    '  "Delete"\n])',
    "])",
    "guards",
    "a task of a process that was killed needs no repair first to be deleted"
  ),
  fault(
    "a resume does not probe who lives",
    "internal/store/writer.ts",
    '  "Resume",\n',
    "",
    "leases",
    "a lease of this process is not taken from it although a process that saw it dead has removed its registration"
  ),
  fault(
    "an interruption does not probe who lives",
    "internal/store/writer.ts",
    '  "Interrupt",\n',
    "",
    "guards",
    "a task of a process that was killed needs no repair first to be stopped"
  ),
  fault(
    "a collection for nobody's parent does not probe who lives",
    "internal/store/writer.ts",
    '  "CollectUnowned",\n',
    "",
    "guards",
    "a task of a process that was killed needs no repair first to be told of a subtask that has completed"
  ),
  fault(
    "giving a child up does not probe who lives",
    "internal/store/writer.ts",
    '  "Abandon",\n',
    "",
    "guards",
    "a task of a process that was killed needs no repair first to be released from a subtask"
  ),
  fault(
    "restarting a child does not probe who lives",
    "internal/store/writer.ts",
    '  "Restart",\n',
    "",
    "guards",
    "a task of a process that was killed needs no repair first to be given a fresh subtask for one that was stopped"
  ),
  fault(
    "a switch at rest does not probe who lives",
    "internal/store/writer.ts",
    'step._tag === "SwitchAtRest" ||\n',
    "",
    "guards",
    "a task of a process that was killed needs no repair first to be switched to another mode"
  ),
  fault(
    "a cut does not probe who lives",
    "internal/store/writer.ts",
    'step._tag === "ConversationCut" ||\n',
    "",
    "guards",
    "a task of a process that was killed needs no repair first to be cut short"
  ),
  fault(
    "a leaving process leaves its leases",
    "internal/store/writer.ts",
    "Effect.addFinalizer(() => (wrote ? leave : ownership.forget(ownership.row)))",
    "Effect.addFinalizer(() => ownership.forget(ownership.row))",
    "processes",
    "one process that leaves in peace leaves no owner behind, and its tasks to the next"
  ),
  fault(
    "a repair takes a task that was begun while it waited",
    "internal/store/writer.ts",
    "looks.add(known)\n",
    "",
    "leases",
    "a lease of this process is left to a task that is taken while a look at the runners waits for another process"
  ),
  fault(
    "who has left lives",
    "internal/store/judge.ts",
    "there.has(id) && !gone.has(id)",
    "!gone.has(id)",
    "files",
    "a record that cannot be read, nor told from its journal, because it is of an unknown status is copied aside once, and its parent goes on waiting"
  ),
  fault(
    "who was found dead lives",
    "internal/store/judge.ts",
    "there.has(id) && !gone.has(id)",
    "there.has(id)",
    "guards",
    "a task of a process that was killed needs no repair first to be stopped"
  ),
  fault(
    "deleted tasks are swept at no start",
    "internal/store/writer.ts",
    "Reconciliation.run(tx, reconciler, known, !swept)",
    "Reconciliation.run(tx, reconciler, known, false)",
    "deletion",
    "a deleted task is deleted of what comes to it later by the next process that starts"
  ),
  fault(
    "a dead owner's leases stay",
    "internal/store/owners.ts",
    "yield* sql`DELETE FROM lease WHERE owner_id NOT IN (SELECT owner_id FROM owner)`",
    "",
    "processes",
    "after a process was killed nothing of it stays but its tasks"
  ),
  fault(
    "a dead owner's row stays",
    "internal/store/owners.ts",
    "if (dead.length > 0) yield* sql.unsafe(`DELETE FROM owner",
    "if (dead.length < 0) yield* sql.unsafe(`DELETE FROM owner",
    "processes",
    "after a process was killed nothing of it stays but its tasks"
  ),
  fault(
    "a leaving process keeps its leases",
    "internal/store/owners.ts",
    "sql`DELETE FROM lease WHERE owner_id = ${ownerId}`,",
    "Effect.void,",
    "processes",
    "one process that leaves in peace leaves no owner behind, and its tasks to the next"
  ),
  fault(
    "a free lock of another machine is death",
    "internal/process/liveness.ts",
    'if (other.machineId !== me.machineId) return doubt("otherMachine")',
    "",
    "liveness",
    "an owner of an earlier start of this machine is dead when its lock is free on a disk of this machine"
  ),
  fault(
    "a free lock of another container is death",
    "internal/process/liveness.ts",
    'if (other.pidNamespace !== me.pidNamespace) return doubt("otherContainer")',
    "",
    "liveness",
    "an owner of an earlier start of this machine is dead when its lock is free on a disk of this machine"
  ),
  fault(
    "a free lock on a shared disk is death after a restart",
    "internal/process/liveness.ts",
    'facts.ownDisk() ? dead : doubt("sharedDisk")',
    "dead",
    "liveness",
    "an owner of an earlier start of this machine is dead when its lock is free on a disk of this machine"
  ),
  fault(
    "a machine of another name is this one after a restart",
    "internal/process/liveness.ts",
    'if (!isSameHost(facts)) return doubt("otherHost")',
    "",
    "liveness",
    "an owner of an earlier start of this machine is dead when its lock is free on a disk of this machine"
  ),
  fault(
    "a lock that is held proves nothing on another boot",
    "internal/process/liveness.ts",
    'if (lock === "mine" || lock === "held") return alive',
    'if (lock === "mine") return alive',
    "liveness",
    "an owner that holds its lock lives, wherever it says it runs"
  ),
  fault(
    "a delivered message is withdrawn",
    "internal/writing/inbox.ts",
    "WHERE id = ${id} AND kind = 'message' AND applied_at IS NULL`",
    "WHERE id = ${id} AND kind = 'message'`",
    "TaskHistory",
    "a history in memory gives a message that is not delivered back to its sender, once, and then delivers it to nobody"
  ),
  fault(
    "an older version writes what a newer one migrated",
    "internal/database/guard.ts",
    "version > current ? Effect.fail(newer(path, version)) : Effect.void",
    "Effect.void",
    "underneath",
    "a file that a newer version migrates while a history (of the program itself) has it open is not written any more, and whoever follows it learns why"
  ),
  fault(
    "what is committed into a moved file counts as stored",
    "internal/database/guard.ts",
    "Effect.tap(body, () => stays)",
    "body",
    "underneath",
    "a history in use (of the program itself) confirms nothing and says so when its file is moved; what it confirmed is there once it is back"
  ),
  fault(
    "a replaced log is not noticed",
    "internal/process/openFile.ts",
    "log ? [file, `${file}-wal`] : [file]",
    "[file]",
    "underneath",
    "a history in use (of the program itself) confirms nothing and says so when its log is moved; what it confirmed is there once it is back"
  ),
  // Limits of a tree
  fault(
    "the limits of tasks above are not asked",
    "internal/writing/reservations.ts",
    "for (const { limits, taskId } of asked.scopes) {",
    "for (const { limits, taskId } of asked.scopes.slice(-1)) {",
    "reservations",
    "a model call is refused by the limit of any task above, which is named"
  ),
  fault(
    "what a killed process had reserved is free",
    "internal/writing/reservations.ts",
    'yield* Calls.spent(tx, of, { usage, model, costUsd }, "reckoned")\n    }\n  })\n\n/** Reserves',
    "}\n  })\n\n/** Reserves",
    "reservations",
    "a model call that nobody will tell of any more counts in full"
  ),
  fault(
    "an answer is counted twice when its reservation is gone",
    "internal/writing/reservations.ts",
    "if (ended.length === 0) return\n",
    "",
    "reservations",
    "a model call that is given up counts as what it took, once"
  ),
  fault(
    "an aborted answer is free",
    "internal/writing/reservations.ts",
    'if (usage !== undefined) yield* Calls.spent(tx, of, { usage, model, costUsd }, "reckoned")',
    "",
    "reservations",
    "a model call that is given up counts as what it took, once"
  ),
  fault(
    "a runner that has lost its task reserves",
    "internal/writing/reservations.ts",
    "const of = yield* fenced(tx, asked)",
    "const of = (yield* head(tx, asked.taskId)) ?? (yield* fenced(tx, asked))",
    "reservations",
    "a model call of a runner that has lost its task reserves nothing"
  ),
  fault(
    "reservations of owners that left stay",
    "internal/writing/reservations.ts",
    "WHERE r.owner_id NOT IN (SELECT owner_id FROM owner)`",
    "WHERE r.owner_id IS NULL`",
    "reservations",
    "a model call that nobody will tell of any more counts in full"
  ),
  fault(
    "what is reserved is not counted",
    "history/Reservation.ts",
    "Usage.sum(Usage.sum(used, open), need)",
    "Usage.sum(used, need)",
    "reservations",
    "a model call counts from its reservation on, for calls of every process, and the same one once"
  ),
  fault(
    "an unknown price is free",
    "history/Reservation.ts",
    'if (all.costUsd === null) return "price"',
    "",
    "reservations",
    "a model call is refused by the limit of any task above, which is named"
  ),
  fault(
    "a call that is made again forgets the one before",
    "internal/writing/reservations.ts",
    "yield* forfeit(tx, of, asked.id)\n",
    "",
    "reservations",
    "a model call that nobody will tell of any more counts in full"
  ),
  // What was said
  fault(
    "a message that waits is no reason to go on",
    "internal/writing/unread.ts",
    "said === 1 || waits === 1",
    "said === 1",
    "reservations",
    "a task completes when its model has been sent what is queued until its calls are answered"
  ),
  fault(
    "a message after the newest answer is no reason to go on",
    "internal/writing/unread.ts",
    "said === 1 || waits === 1",
    "waits === 1",
    "reservations",
    "a task completes when its model has been sent what waits for it"
  ),
  // Repairs
  fault(
    "a repair is made of what another one changed",
    "internal/repair/reconcile.ts",
    "if (!(yield* isCurrent(tx, repair))) continue",
    "",
    "salvage",
    "recordMissing: a child whose record is missing while its log is there gets the very record back that its journal tells, and its parent keeps the link"
  ),
  fault(
    "a task without a child keeps its call open",
    "internal/repair/reconcile.ts",
    'if (rule === "nothingAwaited") yield* closeDelegations(tx, taskId)',
    "",
    "processes",
    "after a process was killed what it left is repaired by rule, once"
  ),
  fault(
    "a repair leaves no event",
    "internal/repair/reconcile.ts",
    'if (of !== undefined) note(tx, of, { type: "repaired", rule, detail })',
    "",
    "TaskHistory",
    "a history in memory interrupts what this process has leased and does not run, once"
  ),
  fault(
    "a change of a child leaves its parent at rest",
    "internal/database/migrations.ts",
    "(key = new.key OR id IN (old.parent_id, new.parent_id))",
    "key = new.key",
    "rest",
    "tasks at rest are looked at again when a child has completed, and when a child or the parent is gone"
  ),
  fault(
    "a task at rest is not missed by who belonged to it",
    "internal/repair/rest.ts",
    "AND NOT EXISTS (SELECT 1 FROM task p WHERE p.id = t.parent_id)",
    "AND false",
    "rest",
    "tasks at rest bring a parent back whose record is gone while its log is there"
  ),
  fault(
    "what cannot be read is not copied aside",
    "internal/repair/reconcile.ts",
    "const quarantined = yield* Quarantine.keep(tx, [...unreadable.values()].map(Quarantine.unreadable))",
    "const quarantined: ReadonlyArray<Quarantined> = []",
    "salvage",
    'recordDamaged: a record that cannot be read ("{") is rebuilt from its journal, after a copy was kept'
  ),
  fault(
    "a doubtful task counts as absent",
    "internal/repair/reconcile.ts",
    "unreadable.has(id) || doubtful.has(id)",
    "unreadable.has(id)",
    "damage",
    "a page that is damaged in a file too large to be checked when it is opened gives no child up for lost, as long as it may be there"
  ),
  fault(
    "a record is told from a journal that ends elsewhere",
    "internal/repair/salvage.ts",
    "if (record.rev !== row.rev || record.status !== row.status || record.attempt !== row.attempt) return undefined",
    "",
    "salvage",
    "recordDamaged: a record that cannot be read stays as it is when its journal ends too early, and releases nobody"
  ),
  fault(
    "a lost row at work elsewhere is put back",
    "internal/repair/salvage.ts",
    "if (lease !== undefined && lease.owner_id !== tx.me && alive(lease.owner_id)) doubtful.add(origin.id)\n      else",
    "",
    "guards",
    "a task that another process runs stays lost while its process lives, and is put back when that has left"
  ),
  fault(
    "a put back row forgets its messages",
    "internal/repair/salvage.ts",
    "(SELECT coalesce(max(idx), -1) + 1 FROM message WHERE task = ${key}),",
    "0,",
    "salvage",
    "recordMissing: a child whose record is missing while its log is there gets the very record back that its journal tells, and its parent keeps the link"
  ),
  fault(
    "a put back row begins its attempts again",
    "internal/repair/salvage.ts",
    "Math.max(0, lease?.attempt ?? 0, ...attempts)",
    "1",
    "salvage",
    "recordMissing: a child whose record is missing while its log is there is interrupted when its journal has a gap, at the highest attempt that has left a trace"
  ),
  // Deleted tasks
  fault(
    "a task that can be taken back is erased with the others",
    "internal/writing/deletions.ts",
    "deleted_at <= ${now - keptMs}",
    "deleted_at <= ${now}",
    "requests",
    "requests to a history in a file erases what was deleted 30 days ago, in slices, and nothing that is younger"
  ),
  fault(
    "what is taken back is erased after 30 days",
    "internal/writing/tombstone.ts",
    "tx.sql`UPDATE task SET deleted_at = NULL WHERE key = ${of.key}`",
    "Effect.void",
    "requests",
    "requests to a history in a file keeps a deleted task out of everything until its deletion is taken back, and then it is as it was"
  ),
  fault(
    "a deleted task keeps its inbox",
    "internal/writing/tombstone.ts",
    '  "inbox",\n',
    "",
    "deletion",
    "a deleted task for good leaves nothing that was said, asked, listed or read"
  ),
  fault(
    "a deleted task keeps its checklist",
    "internal/writing/tombstone.ts",
    '  "focus_chain",\n',
    "",
    "deletion",
    "a deleted task for good leaves nothing that was said, asked, listed or read"
  ),
  fault(
    "a deleted task keeps the content of files",
    "internal/writing/tombstone.ts",
    '  "file_context",\n',
    "",
    "deletion",
    "a deleted task for good leaves nothing that was said, asked, listed or read"
  ),
  fault(
    "a deleted task is found by its words",
    "internal/writing/tombstone.ts",
    "yield* forget(sql, of.key)",
    "",
    "deletion",
    "a deleted task for good leaves nothing that was said, asked, listed or read"
  ),
  fault(
    "a deleted task keeps its title",
    "internal/writing/tombstone.ts",
    "SET title = '', settings",
    "SET settings",
    "deletion",
    "a deleted task for good leaves nothing that was said, asked, listed or read"
  ),
  // Calls
  fault(
    "a call is answered twice",
    "internal/writing/calls.ts",
    "call.call_id === result.callId && !isSettled(call.state)",
    "call.call_id === result.callId",
    "TaskHistory",
    "a history in memory keeps the first result of a call, however often another is given"
  ),
  fault(
    "the last of two results counts",
    "internal/writing/calls.ts",
    "if (open && !fresh.has(result.callId)) fresh",
    "if (open) fresh",
    "TaskHistory",
    "a history in memory keeps the first result of a call, however often another is given"
  ),
  fault(
    "a started call is approved again",
    "internal/writing/calls.ts",
    'if (call.state === "started" || call.state === state) continue',
    "if (call.state === state) continue",
    "TaskHistory",
    "a history in memory moves calls forward only"
  ),
  fault(
    "a settled call starts again",
    "internal/writing/calls.ts",
    "!callIds.includes(call.call_id) || isSettled(call.state)",
    "!callIds.includes(call.call_id)",
    "TaskHistory",
    "a history in memory moves calls forward only"
  ),
  fault(
    "results are sent before the last call is answered",
    "internal/writing/calls.ts",
    "if (!complete) return\n",
    "",
    "TaskHistory",
    "a history in memory answers the model once the last call of a turn is settled, in call order"
  ),
  fault(
    "a result is kept twice",
    "internal/writing/calls.ts",
    "UPDATE tool_call SET result = NULL\n",
    "UPDATE tool_call SET result = result\n",
    "guards",
    "the end of a task with other calls of its turn open keeps no result twice"
  ),
  fault(
    "words come between a call and its result",
    "internal/writing/calls.ts",
    "if (calls.every((call) => isSettled(call.state))) yield* deliverQueued(tx, of)",
    "yield* deliverQueued(tx, of)",
    "TaskHistory",
    "a history in memory holds back what the user says until the open calls are answered, and says it once"
  ),
  fault(
    "queued words are delivered twice",
    "internal/writing/calls.ts",
    "yield* sql`UPDATE inbox SET applied_at = ${tx.now} WHERE id = ${id}`",
    "",
    "TaskHistory",
    "a history in memory holds back what the user says until the open calls are answered, and says it once"
  ),
  fault(
    "a message said twice is there twice",
    "internal/writing/calls.ts",
    "${tx.now}) ON CONFLICT DO NOTHING`\n    if (step.queued",
    "${tx.now}) ON CONFLICT (id) DO UPDATE SET applied_at = NULL`\n    if (step.queued",
    "TaskHistory",
    "a history in memory holds back what the user says until the open calls are answered, and says it once"
  ),
  fault(
    "a failed subtask reports as if it had succeeded",
    "internal/writing/calls.ts",
    "isError: !succeeded,",
    "isError: false,",
    "guards",
    "the end of a task is told to the parent's model as a failure when it failed"
  ),
  fault(
    "a late report breaks into an answer that arrives",
    "internal/writing/calls.ts",
    "say(tx, of, queued ? { ...said, queued } : said)",
    "say(tx, of, said)",
    "guards",
    "the end of a task that nobody waits for by a call comes as a message, after the answer that is arriving"
  ),
  fault(
    "a copied log has one message too many",
    "internal/writing/calls.ts",
    "AND idx <= ${from.through}`",
    "AND idx <= ${from.through + 1}`",
    "TaskHistory",
    "a history in memory keeps which contents of files the model knows by the messages that it is shown, also for a task that begins there"
  ),
  // Steps
  fault(
    "a task is described twice",
    "internal/writing/steps.ts",
    "if (of.metric.message_count > 0) return\n",
    "",
    "TaskHistory",
    "a history in memory repeats creation, start, delegation, collection and completion without writing anything"
  ),
  fault(
    "a second answer to an ask counts",
    "internal/writing/steps.ts",
    "WHERE ask_id = ${askId} AND task = ${of.key} AND open = 1 RETURNING ask_id`",
    "WHERE ask_id = ${askId} AND task = ${of.key} RETURNING ask_id`",
    "TaskHistory",
    "a history in memory opens and settles an ask once, of the right task only"
  ),
  fault(
    "an answer settles the ask of another task",
    "internal/writing/steps.ts",
    "WHERE ask_id = ${askId} AND task = ${of.key} AND open = 1 RETURNING ask_id`",
    "WHERE ask_id = ${askId} AND open = 1 RETURNING ask_id`",
    "TaskHistory",
    "a history in memory opens and settles an ask once, of the right task only"
  ),
  fault(
    "an answer of another process is put down to the one that stores it",
    "internal/writing/steps.ts",
    "request === undefined ? tx.process : Answerer.read(request.process)",
    "tx.process",
    "answerers",
    "an answer names the process that commits it, or the one whose request it came with"
  ),
  fault(
    "a switch to the mode that holds is an event",
    "internal/writing/steps.ts",
    "    const from = rows[0]?.mode ?? to\n    if (from === to) return\n",
    "    const from = rows[0]?.mode ?? to\n",
    "TaskHistory",
    "a history in memory changes mode, checklist and settings"
  ),
  fault(
    "a mode is switched under a live runner",
    "internal/writing/steps.ts",
    'if (of.lease !== undefined && tx.alive(of.lease.ownerId)) return yield* refuse(status, "Owned")',
    "",
    "guards",
    "a task that another process runs is neither switched, nor cut, nor given other files or settings"
  ),
  fault(
    "files are restored under a live runner",
    "internal/writing/steps.ts",
    'if (of.lease !== undefined && tx.alive(of.lease.ownerId)) return yield* refuse(status, "StopFirst")',
    "",
    "guards",
    "a task that another process runs is neither switched, nor cut, nor given other files or settings"
  ),
  fault(
    "settings at rest overwrite those of a runner elsewhere",
    "internal/writing/steps.ts",
    "if (of.lease !== undefined && of.lease.ownerId !== tx.me && tx.alive(of.lease.ownerId)) return\n",
    "",
    "guards",
    "a task that another process runs is neither switched, nor cut, nor given other files or settings"
  ),
  fault(
    "a renamed task moves in lists",
    "internal/writing/steps.ts",
    'note(tx, of, { type: "task.renamed", title })\n    of.metric = { ...of.metric, updated_at }',
    'note(tx, of, { type: "task.renamed", title })',
    "TaskHistory",
    "a history in memory gives a task another title and changes nothing else, whoever runs it"
  ),
  fault(
    "a conflict of the checklist is forgotten by the next look",
    "internal/writing/checklists.ts",
    "before[0]?.items === stored ? before[0].conflict : null",
    "null",
    "TaskHistory",
    "a history in memory keeps what a merge of the list gave up for as long as the items are the same"
  ),
  fault(
    "a request is applied twice",
    "internal/writing/steps.ts",
    "WHERE id = ${step.requestId} AND applied_at IS NULL`\n  }",
    "WHERE id = ${step.requestId}`\n  }",
    "requests",
    "requests to a history in memory keeps what another process asks of a parent, and what its owner says to it"
  ),
  // Edits of the context
  fault(
    "a cut leaves the results of a hidden call",
    "internal/writing/context.ts",
    "rows[0]?.answered === 0 ? rows[0].asked : from",
    "from",
    "TaskHistory",
    "a history in memory goes on after a cut, and keeps a call with its result"
  ),
  fault(
    "a cut loses a subtask that is waited for",
    "internal/writing/context.ts",
    'if (cutCalls.some(({ call_id }) => awaited.has(call_id))) return yield* refuse("ChildrenPending")',
    "",
    "TaskHistory",
    "a history in memory does not cut a call that a subtask will answer"
  ),
  fault(
    "a cut leaves an ask open",
    "internal/writing/context.ts",
    "UPDATE ask SET open = 0, settled_by = 'cut'",
    "UPDATE ask SET settled_by = 'cut'",
    "guards",
    "a cut conversation leaves no ask of a hidden call open"
  ),
  fault(
    "a cut is taken back after the conversation went on",
    "internal/writing/context.ts",
    "(kind <> 'cut' OR to_idx = ${of.metric.message_count - 1})",
    "(kind <> 'cut' OR to_idx > 0)",
    "TaskHistory",
    "a history in memory goes on after a cut, and keeps a call with its result"
  ),
  fault(
    "an edit is taken back twice",
    "internal/writing/context.ts",
    "AND id = ${edit} AND removed = 0\n",
    "AND id = ${edit}\n",
    "TaskHistory",
    "a history in memory cuts the conversation for the model and for people, and puts it back"
  ),
  // The inbox
  fault(
    "a process reads the requests of another one",
    "internal/writing/inbox.ts",
    " AND l.owner_id = ${me}",
    "",
    "guards",
    "a task that another process runs is asked by nobody else"
  ),
  fault(
    "a request for an attempt that is over is carried out",
    "internal/writing/inbox.ts",
    "(i.attempt = l.attempt OR i.kind = 'message')",
    "(i.attempt > 0)",
    "requests",
    "requests to a history in memory keeps what another process asks of a parent, and what its owner says to it"
  ),
  fault(
    "an unreadable request is taken for another one",
    "internal/writing/inbox.ts",
    'return { ...common, kind: "unreadable" }',
    'return { ...common, kind: "interrupt" }',
    "damage",
    "a request that cannot be read ({) hinders no other, and is told from them"
  ),
  fault(
    "a damaged message is lost",
    "internal/writing/inbox.ts",
    "({ text: unreadableMessage })",
    '({ text: "" })',
    "damage",
    "a request that cannot be read and was a message is not lost without a word, and does not keep its task from going on"
  ),
  // The file
  fault(
    "a commit is not durable",
    "internal/database/sqlite.ts",
    "PRAGMA synchronous = FULL;",
    "PRAGMA synchronous = NORMAL;",
    "durability",
    "a history in a file asks every platform to have written an answered commit to the disk, the log and what it is moved to"
  ),
  fault(
    "what changed while a commit waited is missed",
    "internal/reading/changes.ts",
    "version - overlap",
    "version",
    "changes",
    "a change that took its time before it waited for a lock of the file is told once more"
  ),
  fault(
    "a new title is missed by views",
    "internal/reading/changes.ts",
    "type = 'task.renamed'",
    "type = 'renamed'",
    "TaskHistory",
    "a history in memory tells which tasks changed since a version: events, titles and deletions, and no others"
  ),
  fault(
    "a worker forgets the clock of its caller",
    "internal/thread/serve.ts",
    "now === null ? clock : standing(clock, now)",
    "clock",
    "TaskHistory",
    "a history in a worker thread lists by status, workspace, time and lineage"
  ),

  // On a server
  fault(
    "two write the same tree",
    "internal/postgres/guard.ts",
    "JSON.stringify(tasks)",
    "JSON.stringify([])",
    "postgresServer",
    "processes on one server wait for who writes the same tree, and for nobody else"
  ),
  fault(
    "who has just begun to be seen declares others dead",
    "internal/postgres/judge.ts",
    "me.beating_since < clock_timestamp() - me.ttl",
    "me.beating_since < clock_timestamp()",
    "postgresServer",
    "processes on one server declare nobody dead before they were seen themselves for as long, as after an outage of the server"
  ),
  fault(
    "a commit whose answer was lost is made again",
    "internal/postgres/client.ts",
    "(made ? Effect.void : Effect.fail(error))",
    "(made ? Effect.fail(error) : Effect.fail(error))",
    "postgresServer",
    "processes on one server store each commit once whose connection was lost, before it arrived or before its answer came"
  ),
  fault(
    "a commit whose connection was lost counts as made",
    "internal/postgres/client.ts",
    "(made ? Effect.void : Effect.fail(error))",
    "(made ? Effect.void : Effect.void)",
    "postgresServer",
    "processes on one server store each commit once whose connection was lost, before it arrived or before its answer came"
  ),
  fault(
    "a change that ends late is told to nobody",
    "internal/postgres/feed.ts",
    "pg_snapshot_xmin(",
    "pg_snapshot_xmax(",
    "postgresServer",
    "processes on one server are told of a change that began before another one and was made after it"
  ),
  fault(
    "whoever sees all rows opens a history",
    "internal/postgres/layer.ts",
    "if (found.passes === 1)",
    "if (found.passes > 1)",
    "postgresServer",
    "a server is not opened as who owns the tables or sees all rows, by a wrong password, or where nothing answers"
  ),
  fault(
    "an older version writes a server that is too new for it",
    "internal/postgres/guard.ts",
    "meta.oldest_writer > current",
    "meta.oldest_writer < current",
    "postgresServer",
    "a server is not written by a version that it is too new for, or opened before it was migrated"
  ),
  fault(
    "a project shows its rows to all others",
    "internal/postgres/migrations.ts",
    "USING (project = current_setting('belay.project', true))",
    "USING (project <> '')",
    "postgresServer",
    "a project on a server shows nothing of another one's tasks to who knows their ids, and takes no write to them"
  ),
  fault(
    "a server elsewhere is spoken to without encryption",
    "internal/postgres/address.ts",
    "? {} : { ssl: true }",
    "? {} : {}",
    "postgresServer",
    "a server is spoken to without encryption on this machine alone, whatever the address asks for"
  )
]
