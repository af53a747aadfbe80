/** The tables of a project as a whole, and how a transaction of it begins. */
import { project } from "./columns.ts"

/**
 * An owner lives as long as it was seen within its time to live, by the clock of the server. Since when it has been seen
 * without a gap is what lets it judge others.
 */
export const ofProject = `
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

/**
 * The first statement of every transaction: takes the locks of what it writes, notes its name, and says which versions may
 * write. Who writes everything waits for those who write a tree, and they for it; trees are locked by their roots in one
 * order whoever takes them, and a task that is not there yet stands for itself.
 */
export const beginning = `
CREATE FUNCTION begin_commit(name TEXT, what TEXT, named TEXT) RETURNS TABLE (version INTEGER, oldest_writer INTEGER) LANGUAGE plpgsql AS $$
DECLARE own TEXT := current_setting('belay.project'); BEGIN
  IF what = 'everything' THEN PERFORM pg_advisory_xact_lock(hashtextextended(own, 0)); ELSE
    PERFORM pg_advisory_xact_lock_shared(hashtextextended(own, 0)); END IF;
  IF what = 'words' THEN PERFORM pg_advisory_xact_lock(hashtextextended(own, 2)); END IF;
  PERFORM pg_advisory_xact_lock(tree) FROM (
    SELECT DISTINCT hashtextextended(own || ' ' || coalesce(t.root_id, one.id), 1) AS tree
    FROM jsonb_array_elements_text(named::jsonb) AS one (id) LEFT JOIN task t ON t.id = one.id ORDER BY 1) AS sorted;
  INSERT INTO committed (id) VALUES (name::uuid);
  RETURN QUERY SELECT m.version, m.oldest_writer FROM meta m; END $$`
