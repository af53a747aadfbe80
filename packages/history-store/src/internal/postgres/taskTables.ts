/** The tables of tasks, and of what is found by them first. */
import { project, task } from "./columns.ts"

/** Fields of a record that statements look at, as `Dialect.ofRecord` names them. */
const derived = (column: string, field: string): string =>
  `record_${column} TEXT GENERATED ALWAYS AS (replace(record, '\\u0000', '\\ufffd')::jsonb ->> '${field}') STORED`

export const tasks = `
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
