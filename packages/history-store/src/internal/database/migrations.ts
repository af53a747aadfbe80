/**
 * What each version of the file adds to the one before: SQL, in order, never changed once a version is out.
 *
 * A statement ends with `;` at the end of a line, and nothing else does.
 */
import { firstTables } from "./firstTables.ts"

const quarantine = `
CREATE TABLE meta (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  oldest_reader INTEGER NOT NULL
) STRICT;
INSERT INTO meta (one, oldest_reader) VALUES (1, 1);

CREATE TABLE quarantine (
  task_id TEXT NOT NULL,
  record TEXT NOT NULL,
  reason TEXT NOT NULL,
  found_at INTEGER NOT NULL,
  PRIMARY KEY (task_id, record)
) STRICT;
`

const renamed = `
CREATE INDEX task_renamed ON task_event (ts) WHERE type = 'task.renamed';
`

const replies = `
ALTER TABLE inbox ADD COLUMN accepted_at INTEGER;
ALTER TABLE inbox ADD COLUMN refusal TEXT;
`

/**
 * The last key of a task. Rows can outlive the row of their task and are put back to it by its key, so no key is given
 * twice. The trigger is one line, see `statements`.
 */
const keys = `
CREATE TABLE task_key (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  last INTEGER NOT NULL
) STRICT;
INSERT INTO task_key (one, last) SELECT 1, max(
  (SELECT coalesce(max(key), 0) FROM task),
  (SELECT coalesce(max(task), 0) FROM task_metric),
  (SELECT coalesce(max(task), 0) FROM task_event),
  (SELECT coalesce(max(task), 0) FROM message),
  (SELECT coalesce(max(task), 0) FROM tool_call),
  (SELECT coalesce(max(task), 0) FROM timeline),
  (SELECT coalesce(max(task), 0) FROM ask),
  (SELECT coalesce(max(task), 0) FROM inbox),
  (SELECT coalesce(max(task), 0) FROM context_edit),
  (SELECT coalesce(max(task), 0) FROM focus_chain),
  (SELECT coalesce(max(task), 0) FROM usage),
  (SELECT coalesce(max(task), 0) FROM lease)
);
CREATE TRIGGER task_key_used AFTER INSERT ON task WHEN new.key > (SELECT last FROM task_key) BEGIN UPDATE task_key SET last = new.key; END;
`

const files = `
CREATE TABLE file_context (
  task INTEGER NOT NULL REFERENCES task (key) ON DELETE CASCADE,
  message_idx INTEGER NOT NULL,
  path TEXT NOT NULL,
  hash TEXT NOT NULL,
  told INTEGER NOT NULL,
  PRIMARY KEY (task, message_idx, path)
) STRICT, WITHOUT ROWID;
`

/** The phase of a task that plans is its newest event of this type; an older file is read without the index. */
const planning = `
CREATE INDEX IF NOT EXISTS task_planning ON task_event (task, seq) WHERE type = 'planning.changed';
`

/**
 * Words of titles and messages by `key * 2^24 + place`: place 0 is the title, n + 1 the message n. It holds no texts, and
 * what it covers of a task is in `search_covers`; who searches brings it up to date.
 */
const search = `
CREATE VIRTUAL TABLE search USING fts5(
  text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
);
CREATE TABLE search_covers (
  task INTEGER PRIMARY KEY REFERENCES task (key) ON DELETE CASCADE,
  messages INTEGER NOT NULL,
  title TEXT NOT NULL
) STRICT;
`

/** What a merge of a checklist could not keep of both sides; an older file is read without it. */
const conflicts = `
ALTER TABLE focus_chain ADD COLUMN conflict TEXT;
`

/** Where tasks of other programs came from; it outlives them, so that none is taken over twice. */
const imported = `
CREATE TABLE imported (
  root TEXT NOT NULL,
  source_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  digest TEXT NOT NULL,
  task_id TEXT NOT NULL,
  original TEXT NOT NULL,
  imported_at INTEGER NOT NULL,
  PRIMARY KEY (root, source_id)
) STRICT;
CREATE INDEX imported_when ON imported (imported_at);
`

/** What the one model call that a task makes may take; who opens an older file has no call under way. */
const reservations = `
CREATE TABLE reservation (
  task INTEGER PRIMARY KEY REFERENCES task (key) ON DELETE CASCADE,
  id TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  model TEXT NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_usd REAL
) STRICT;
`

/** What the model knows of the lines of a file; an older file is read without it. */
const linesOfFiles = `
ALTER TABLE file_context ADD COLUMN lines TEXT;
`

/** Which service and model an answer came from; unknown of what is older, and an older file is read without it. */
const makers = `
ALTER TABLE message ADD COLUMN made_by TEXT;
`

/** When a task was deleted that can be taken back; null of those that are there, and of those deleted for good. */
const deletions = `
ALTER TABLE task ADD COLUMN deleted_at INTEGER;
CREATE INDEX task_deleted ON task (deleted_at) WHERE deleted_at IS NOT NULL;
`

/**
 * Who wrote each block of a message, as a JSON list. Of what is older it is not known, and nothing of it is rewritten; an
 * older file is read without it.
 */
const origins = `
ALTER TABLE message ADD COLUMN origin TEXT;
`

/**
 * What lists and counts look at first, so that they cost what they show and not what has ever been done: the newest, those
 * of one folder, open asks, what was deleted, and what has stopped and was not, as `isGone` and `isKept` say it.
 */
const listings = `
CREATE INDEX IF NOT EXISTS task_metric_updated ON task_metric (updated_at);
CREATE INDEX IF NOT EXISTS task_metric_silent ON task_metric (task) WHERE message_count = 0;
CREATE INDEX IF NOT EXISTS task_workspace ON task (workspace);
CREATE INDEX IF NOT EXISTS task_stopped ON task (key) WHERE status = 'interrupted' AND (CASE WHEN json_valid(record) THEN json_extract(record, '$.deletedAt') END) IS NULL;
CREATE INDEX IF NOT EXISTS task_gone ON task (key) WHERE (CASE WHEN json_valid(record) THEN json_extract(record, '$.deletedAt') END) IS NOT NULL;
CREATE INDEX IF NOT EXISTS ask_open ON ask (task) WHERE open = 1;
`

/** Editors and shells write the letter of a drive of Windows in small or in capital; here it is a capital one. */
const drives = `
UPDATE task SET workspace = upper(substr(workspace, 1, 1)) || substr(workspace, 2) WHERE workspace GLOB '[a-z]:[\\/]*';
`

/**
 * Of open tasks that reconciliation need not look at before they change, or a child of theirs: 1 of those that await
 * nothing, 2 of the others. An older file is read without it.
 */
const reconciled = `
ALTER TABLE task ADD COLUMN reconciled INTEGER NOT NULL DEFAULT 0;
CREATE INDEX task_unreconciled ON task (key) WHERE status <> 'completed' AND reconciled = 0;
CREATE INDEX task_reconciled_child ON task (parent_id) WHERE status <> 'completed' AND reconciled <> 0 AND parent_id IS NOT NULL;
CREATE INDEX task_reconciled_parent ON task (key) WHERE status <> 'completed' AND reconciled = 2;
CREATE TRIGGER task_changed AFTER UPDATE OF id, status, parent_id, record ON task BEGIN UPDATE task SET reconciled = 0 WHERE reconciled <> 0 AND (key = new.key OR id IN (old.parent_id, new.parent_id)); END;
`

/** What is open in one folder, without what is finished there; an older file is read without it. */
const openInFolder = `
CREATE INDEX IF NOT EXISTS task_open_workspace ON task (workspace, status) WHERE status <> 'completed';
`

/**
 * Sessions that a client program has opened and that have no task yet: the id is that of the task which its first prompt
 * creates. And what continues a task is found by it. An older file is read without both.
 */
const sessions = `
CREATE TABLE reserved_session (
  id TEXT PRIMARY KEY,
  workspace TEXT NOT NULL,
  mode TEXT NOT NULL,
  model TEXT,
  approvals TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX task_continues ON task (CASE WHEN json_valid(record) THEN json_extract(record, '$.continuesTaskId') END) WHERE (CASE WHEN json_valid(record) THEN json_extract(record, '$.continuesTaskId') END) IS NOT NULL;
`

/** Words are taken up in slices, each a part of the index: of these more are merged at once, and so each is seldom written. */
const merging = `
INSERT INTO search (search, rank) VALUES ('automerge', 16);
`

/** What client programs have asked for, and a runner is to run. An older file is read without it. */
const queue = `
CREATE TABLE task_queue (
  task INTEGER PRIMARY KEY REFERENCES task (key) ON DELETE CASCADE,
  scope TEXT NOT NULL,
  waits INTEGER NOT NULL,
  tries INTEGER NOT NULL
) STRICT;
CREATE INDEX task_queue_scope ON task_queue (scope);
CREATE INDEX task_queue_waits ON task_queue (task) WHERE waits = 1;
`

/** Hooks that were started for tasks. An older file is read without them. */
const hookRuns = `
CREATE TABLE hook_run (
  task INTEGER NOT NULL REFERENCES task (key) ON DELETE CASCADE,
  event_key TEXT NOT NULL,
  told_hash TEXT NOT NULL,
  hook_hash TEXT NOT NULL,
  output TEXT,
  PRIMARY KEY (task, event_key, told_hash, hook_hash)
) STRICT, WITHOUT ROWID;
`

/** Migration n brings a file from version n to n + 1. */
export const migrations: ReadonlyArray<string> = [
  firstTables,
  quarantine,
  renamed,
  replies,
  keys,
  files,
  planning,
  search,
  conflicts,
  imported,
  reservations,
  linesOfFiles,
  makers,
  deletions,
  origins,
  listings,
  drives,
  reconciled,
  openInFolder,
  sessions,
  merging,
  queue,
  hookRuns
]

/** The version from which on every task names its folder by the one spelling of the machine. */
export const oneSpelling = 17
