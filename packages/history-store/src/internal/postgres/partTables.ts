/** The tables of what a task has besides its record, its events and its messages. */
import { project, task } from "./columns.ts"

export const parts = `
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

CREATE TABLE hook_run (
  ${project},
  task BIGINT NOT NULL,
  event_key TEXT NOT NULL,
  told_hash TEXT NOT NULL,
  hook_hash TEXT NOT NULL,
  output TEXT,
  PRIMARY KEY (task, event_key, told_hash, hook_hash),
  ${task}
);

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
