/** The tables of the first version of the file: SQL, never changed. What came later is in `migrations`. */
export const firstTables = `
CREATE TABLE task (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  rev INTEGER NOT NULL,
  status TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  parent_id TEXT,
  root_id TEXT NOT NULL,
  record TEXT NOT NULL,
  title TEXT NOT NULL DEFAULT '',
  workspace TEXT NOT NULL DEFAULT '',
  mode TEXT NOT NULL DEFAULT 'act',
  model TEXT NOT NULL DEFAULT '',
  host TEXT NOT NULL DEFAULT '',
  settings TEXT NOT NULL DEFAULT 'null',
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX task_parent ON task (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX task_root ON task (root_id);
CREATE INDEX task_open ON task (status) WHERE status <> 'completed';

CREATE TABLE task_metric (
  task INTEGER PRIMARY KEY REFERENCES task (key) ON DELETE CASCADE,
  last_seq INTEGER NOT NULL DEFAULT 0,
  message_count INTEGER NOT NULL DEFAULT 0,
  updated_at INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens INTEGER NOT NULL DEFAULT 0,
  cache_write_tokens INTEGER NOT NULL DEFAULT 0,
  cost_usd REAL DEFAULT 0,
  requests INTEGER NOT NULL DEFAULT 0,
  context_tokens INTEGER NOT NULL DEFAULT 0,
  checklist_done INTEGER,
  checklist_total INTEGER
) STRICT;

CREATE TABLE task_event (
  task INTEGER NOT NULL REFERENCES task (key) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  ts INTEGER NOT NULL,
  type TEXT NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (task, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE message (
  task INTEGER NOT NULL REFERENCES task (key) ON DELETE CASCADE,
  idx INTEGER NOT NULL,
  role TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (task, idx)
) STRICT;

CREATE TABLE tool_call (
  task INTEGER NOT NULL REFERENCES task (key) ON DELETE CASCADE,
  message_idx INTEGER NOT NULL,
  position INTEGER NOT NULL,
  call_id TEXT NOT NULL,
  name TEXT NOT NULL,
  args_hash TEXT NOT NULL,
  state TEXT NOT NULL,
  is_error INTEGER,
  result TEXT,
  produced_by TEXT,
  PRIMARY KEY (task, message_idx, call_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE timeline (
  task INTEGER NOT NULL REFERENCES task (key) ON DELETE CASCADE,
  row INTEGER NOT NULL,
  message_idx INTEGER,
  ts INTEGER NOT NULL,
  kind TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (task, row)
) STRICT;

CREATE TABLE ask (
  ask_id TEXT PRIMARY KEY,
  task INTEGER NOT NULL REFERENCES task (key) ON DELETE CASCADE,
  attempt INTEGER NOT NULL,
  kind TEXT NOT NULL,
  call_id TEXT,
  payload TEXT NOT NULL,
  open INTEGER NOT NULL DEFAULT 1,
  decision TEXT,
  answer TEXT,
  settled_by TEXT
) STRICT;
CREATE INDEX ask_task ON ask (task);

CREATE TABLE inbox (
  id TEXT PRIMARY KEY,
  task INTEGER NOT NULL REFERENCES task (key) ON DELETE CASCADE,
  attempt INTEGER NOT NULL,
  kind TEXT NOT NULL,
  payload TEXT NOT NULL,
  requested_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  applied_at INTEGER
) STRICT;
CREATE INDEX inbox_pending ON inbox (task) WHERE applied_at IS NULL;

CREATE TABLE context_edit (
  task INTEGER NOT NULL REFERENCES task (key) ON DELETE CASCADE,
  id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  from_idx INTEGER NOT NULL,
  to_idx INTEGER NOT NULL,
  content TEXT NOT NULL,
  removed INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (task, id)
) STRICT;

CREATE TABLE focus_chain (
  task INTEGER PRIMARY KEY REFERENCES task (key) ON DELETE CASCADE,
  text TEXT NOT NULL,
  hash TEXT NOT NULL,
  items TEXT NOT NULL,
  updated_by TEXT NOT NULL
) STRICT;

CREATE TABLE usage (
  task INTEGER NOT NULL REFERENCES task (key) ON DELETE CASCADE,
  n INTEGER NOT NULL,
  model TEXT NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  cost_usd REAL,
  PRIMARY KEY (task, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE owner (
  owner_id TEXT PRIMARY KEY,
  machine_id TEXT NOT NULL,
  boot_id TEXT NOT NULL,
  pid_namespace TEXT NOT NULL,
  pid INTEGER NOT NULL,
  kind TEXT NOT NULL,
  host TEXT NOT NULL,
  started_at INTEGER NOT NULL
) STRICT;

CREATE TABLE lease (
  task INTEGER PRIMARY KEY REFERENCES task (key) ON DELETE CASCADE,
  owner_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  taken_at INTEGER NOT NULL
) STRICT;

CREATE TABLE blob (
  hash TEXT PRIMARY KEY,
  bytes INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
`
