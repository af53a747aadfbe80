/** What tables on a server have in common. */

/** Of the project that the session names. */
export const project = "project TEXT NOT NULL DEFAULT current_setting('belay.project')"

/** Of a task of the same project; it goes with it. */
export const task = "FOREIGN KEY (project, task) REFERENCES task (project, key) ON DELETE CASCADE"
