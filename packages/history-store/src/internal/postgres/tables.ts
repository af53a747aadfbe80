/**
 * The tables on a Postgres server: those of the file, and what several machines need besides.
 *
 * Each row is of one project, the one that the session names; policies show and take no other, and a session that names
 * none sees nothing. A row that belongs to a task is of the project of its task. So the statements of the history name no
 * project, and an id alone gives nothing.
 */

/** Of the project that the session names. */
const project = "project TEXT NOT NULL DEFAULT current_setting('belay.project')"

/** Of a task of the same project; it goes with it. */
const task = "FOREIGN KEY (project, task) REFERENCES task (project, key) ON DELETE CASCADE"

/** Fields of a record that statements look at, as `Dialect.ofRecord` names them. */
const derived = (column: string, field: string): string =>
  `record_${column} TEXT GENERATED ALWAYS AS (replace(record, '\\u0000', '\\ufffd')::jsonb ->> '${field}') STORED`

const core = `
CREATE TABLE meta (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  version INTEGER NOT NULL,
  oldest_writer INTEGER NOT NULL
);
INSERT INTO meta (one, version, oldest_writer) VALUES (1, 0, 1);

CREATE SEQUENCE task_key;

CREATE TABLE task (
  ${project},
  key BIGINT PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL,
  rev BIGINT NOT NULL,
  status TEXT NOT NULL,
  attempt BIGINT NOT NULL,
  parent_id TEXT COLLATE "C",
  root_id TEXT COLLATE "C" NOT NULL,
  record TEXT NOT NULL,
  title TEXT NOT NULL DEFAULT '',
  workspace TEXT NOT NULL DEFAULT '',
  mode TEXT NOT NULL DEFAULT 'act',
  model TEXT NOT NULL DEFAULT '',
  host TEXT NOT NULL DEFAULT '',
  settings TEXT NOT NULL DEFAULT 'null',
  created_at BIGINT NOT NULL,
  deleted_at BIGINT,
  reconciled BIGINT NOT NULL DEFAULT 0,
  ${derived("deleted_at", "deletedAt")},
  ${derived("outcome", "outcome")},
  ${derived("continues", "continuesTaskId")},
  ${derived("created_by", "createdBy")},
  UNIQUE (project, id),
  UNIQUE (project, key)
);
CREATE INDEX task_parent ON task (project, parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX task_root ON task (project, root_id);
CREATE INDEX task_open ON task (project, status) WHERE status <> 'completed';
CREATE INDEX task_workspace ON task (project, workspace);
CREATE INDEX task_open_workspace ON task (project, workspace, status) WHERE status <> 'completed';
CREATE INDEX task_deleted ON task (project, deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX task_stopped ON task (project) WHERE status = 'interrupted' AND record_deleted_at IS NULL;
CREATE INDEX task_gone ON task (project) WHERE record_deleted_at IS NOT NULL;
CREATE INDEX task_continues ON task (project, record_continues) WHERE record_continues IS NOT NULL;
CREATE INDEX task_unreconciled ON task (project) WHERE status <> 'completed' AND reconciled = 0;
CREATE INDEX task_reconciled_parent ON task (project) WHERE status <> 'completed' AND reconciled = 2;
CREATE FUNCTION task_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE task SET reconciled = 0 WHERE project = new.project AND reconciled <> 0
    AND (key = new.key OR id IN (old.parent_id, new.parent_id)); RETURN NULL; END $$;
CREATE TRIGGER task_changed AFTER UPDATE OF id, status, parent_id, record ON task FOR EACH ROW EXECUTE FUNCTION task_changed();

CREATE TABLE task_metric (
  ${project},
  task BIGINT PRIMARY KEY,
  last_seq BIGINT NOT NULL DEFAULT 0,
  message_count BIGINT NOT NULL DEFAULT 0,
  updated_at BIGINT NOT NULL,
  input_tokens BIGINT NOT NULL DEFAULT 0,
  output_tokens BIGINT NOT NULL DEFAULT 0,
  cache_read_tokens BIGINT NOT NULL DEFAULT 0,
  cache_write_tokens BIGINT NOT NULL DEFAULT 0,
  cost_usd DOUBLE PRECISION DEFAULT 0,
  requests BIGINT NOT NULL DEFAULT 0,
  context_tokens BIGINT NOT NULL DEFAULT 0,
  checklist_done BIGINT,
  checklist_total BIGINT,
  xact BIGINT NOT NULL DEFAULT 0,
  ${task}
);
CREATE INDEX task_metric_updated ON task_metric (project, updated_at, task);
CREATE INDEX task_metric_silent ON task_metric (project, task) WHERE message_count = 0;
CREATE INDEX task_metric_xact ON task_metric (project, xact);
CREATE FUNCTION task_metric_written() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  new.xact := pg_current_xact_id()::text::bigint; RETURN new; END $$;
CREATE TRIGGER task_metric_written BEFORE INSERT OR UPDATE ON task_metric FOR EACH ROW EXECUTE FUNCTION task_metric_written();

CREATE TABLE task_event (
  ${project},
  task BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  ts BIGINT NOT NULL,
  type TEXT NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (task, seq),
  ${task}
);
CREATE INDEX task_renamed ON task_event (project, ts) WHERE type = 'task.renamed';
CREATE INDEX task_planning ON task_event (task, seq) WHERE type = 'planning.changed';

CREATE TABLE message (
  ${project},
  task BIGINT NOT NULL,
  idx BIGINT NOT NULL,
  role TEXT NOT NULL,
  content TEXT NOT NULL,
  made_by TEXT,
  origin TEXT,
  PRIMARY KEY (task, idx),
  ${task}
);

CREATE TABLE tool_call (
  ${project},
  task BIGINT NOT NULL,
  message_idx BIGINT NOT NULL,
  position BIGINT NOT NULL,
  call_id TEXT NOT NULL,
  name TEXT NOT NULL,
  args_hash TEXT NOT NULL,
  state TEXT NOT NULL,
  is_error BIGINT,
  result TEXT,
  produced_by TEXT,
  PRIMARY KEY (task, message_idx, call_id),
  ${task}
);
`

const around = `
CREATE TABLE timeline (
  ${project},
  task BIGINT NOT NULL,
  "row" BIGINT NOT NULL,
  PRIMARY KEY (task, "row"),
  ${task}
);

CREATE TABLE ask (
  ${project},
  rowid BIGINT GENERATED ALWAYS AS IDENTITY,
  ask_id TEXT NOT NULL,
  task BIGINT NOT NULL,
  attempt BIGINT NOT NULL,
  kind TEXT NOT NULL,
  call_id TEXT,
  payload TEXT NOT NULL,
  open BIGINT NOT NULL DEFAULT 1,
  decision TEXT,
  answer TEXT,
  settled_by TEXT,
  PRIMARY KEY (project, ask_id),
  ${task}
);
CREATE INDEX ask_task ON ask (task);
CREATE INDEX ask_open ON ask (project, task) WHERE open = 1;

CREATE TABLE inbox (
  ${project},
  rowid BIGINT GENERATED ALWAYS AS IDENTITY,
  id TEXT NOT NULL,
  task BIGINT NOT NULL,
  attempt BIGINT NOT NULL,
  kind TEXT NOT NULL,
  payload TEXT NOT NULL,
  requested_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  applied_at BIGINT,
  accepted_at BIGINT,
  refusal TEXT,
  PRIMARY KEY (project, id),
  ${task}
);
CREATE INDEX inbox_pending ON inbox (task) WHERE applied_at IS NULL;

CREATE TABLE context_edit (
  ${project},
  task BIGINT NOT NULL,
  id BIGINT NOT NULL,
  kind TEXT NOT NULL,
  from_idx BIGINT NOT NULL,
  to_idx BIGINT NOT NULL,
  content TEXT NOT NULL,
  removed BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (task, id),
  ${task}
);

CREATE TABLE file_context (
  ${project},
  task BIGINT NOT NULL,
  message_idx BIGINT NOT NULL,
  path TEXT NOT NULL,
  hash TEXT NOT NULL,
  told BIGINT NOT NULL,
  lines TEXT,
  PRIMARY KEY (task, message_idx, path),
  ${task}
);

CREATE TABLE focus_chain (
  ${project},
  task BIGINT PRIMARY KEY,
  text TEXT NOT NULL,
  hash TEXT NOT NULL,
  items TEXT NOT NULL,
  updated_by TEXT NOT NULL,
  conflict TEXT,
  ${task}
);

CREATE TABLE usage (
  ${project},
  task BIGINT NOT NULL,
  n BIGINT NOT NULL,
  model TEXT NOT NULL,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  cache_read_tokens BIGINT NOT NULL,
  cache_write_tokens BIGINT NOT NULL,
  cost_usd DOUBLE PRECISION,
  PRIMARY KEY (task, n),
  ${task}
);

CREATE TABLE reservation (
  ${project},
  task BIGINT PRIMARY KEY,
  id TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  attempt BIGINT NOT NULL,
  model TEXT NOT NULL,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  cost_usd DOUBLE PRECISION,
  ${task}
);

CREATE TABLE task_queue (
  ${project},
  task BIGINT PRIMARY KEY,
  scope TEXT NOT NULL,
  waits BIGINT NOT NULL,
  tries BIGINT NOT NULL,
  ${task}
);
CREATE INDEX task_queue_scope ON task_queue (project, scope);
CREATE INDEX task_queue_waits ON task_queue (project, task) WHERE waits = 1;

CREATE TABLE lease (
  ${project},
  task BIGINT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  attempt BIGINT NOT NULL,
  taken_at BIGINT NOT NULL,
  ${task}
);
CREATE INDEX lease_owner ON lease (owner_id);

CREATE TABLE search (
  ${project},
  rowid BIGINT PRIMARY KEY,
  text TSVECTOR NOT NULL
);
CREATE INDEX search_words ON search USING gin (text);

CREATE TABLE search_covers (
  ${project},
  task BIGINT PRIMARY KEY,
  messages BIGINT NOT NULL,
  title TEXT NOT NULL,
  ${task}
);
`

/**
 * An owner lives as long as it was seen within its time to live, by the clock of the server. Since when it has been seen
 * without a gap is what lets it judge others.
 */
const others = `
CREATE TABLE owner (
  ${project},
  owner_id TEXT NOT NULL,
  machine_id TEXT NOT NULL,
  boot_id TEXT NOT NULL,
  pid_namespace TEXT NOT NULL,
  pid BIGINT NOT NULL,
  kind TEXT NOT NULL,
  host TEXT NOT NULL,
  started_at BIGINT NOT NULL,
  principal TEXT NOT NULL DEFAULT current_setting('belay.principal'),
  ttl INTERVAL NOT NULL DEFAULT current_setting('belay.ttl')::interval,
  beating_since TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  seen_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (project, owner_id)
);
CREATE INDEX owner_project ON owner (project, started_at, owner_id);

CREATE TABLE reserved_session (
  ${project},
  id TEXT NOT NULL,
  workspace TEXT NOT NULL,
  mode TEXT NOT NULL,
  model TEXT,
  approvals TEXT,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (project, id)
);

CREATE TABLE quarantine (
  ${project},
  rowid BIGINT GENERATED ALWAYS AS IDENTITY,
  task_id TEXT NOT NULL,
  record TEXT NOT NULL,
  reason TEXT NOT NULL,
  found_at BIGINT NOT NULL,
  digest TEXT GENERATED ALWAYS AS (md5(record)) STORED,
  PRIMARY KEY (project, task_id, digest)
);

CREATE TABLE imported (
  ${project},
  rowid BIGINT GENERATED ALWAYS AS IDENTITY,
  root TEXT NOT NULL,
  source_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  digest TEXT NOT NULL,
  task_id TEXT COLLATE "C" NOT NULL,
  original TEXT NOT NULL,
  imported_at BIGINT NOT NULL,
  PRIMARY KEY (project, root, source_id)
);
CREATE INDEX imported_when ON imported (project, imported_at);

CREATE TABLE committed (
  ${project},
  n BIGINT GENERATED ALWAYS AS IDENTITY,
  id UUID PRIMARY KEY,
  at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX committed_n ON committed (project, n);
CREATE INDEX committed_at ON committed (at);
`

/** All of them but \`meta\`. */
const tables = [core, around, others].flatMap((script) =>
  [...script.matchAll(/CREATE TABLE (\w+)/g)].flatMap(([, name]) =>
    name === undefined || name === "meta" ? [] : [name]
  )
)

const guarded = tables
  .map(
    (name) => `ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY;
ALTER TABLE ${name} FORCE ROW LEVEL SECURITY;
CREATE POLICY of_project ON ${name} USING (project = current_setting('belay.project', true))
  WITH CHECK (project = current_setting('belay.project', true));
`
  )
  .join("")

/** Migration n brings a database from version n to n + 1. A statement ends with `;` at the end of a line, and nothing else does. */
export const migrations: ReadonlyArray<string> = [`${core}${around}${others}${guarded}`]

export const current = migrations.length
