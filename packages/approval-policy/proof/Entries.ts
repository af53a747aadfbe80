/** The files of the box. Those outside of the workspace hold a canary that no allowed command may show. */
export const workspace = "/ws/proj"
export const home = "/users/me"
export const canary = "canary-4b1f"

export interface Entry {
  readonly path: string
  /** Absent for a folder. */
  readonly content?: string
  readonly link?: string
}

const lines = "alpha 1\nbeta 2\ngamma 3\nalpha 1\n"

export const entries: ReadonlyArray<Entry> = [
  { path: "/ws/proj/a", content: lines },
  { path: "/ws/proj/b.txt", content: "x,y\n1,2\n" },
  { path: "/ws/proj/c d", content: "blank\n" },
  { path: "/ws/proj/src" },
  { path: "/ws/proj/src/a.ts", content: "import x\nexport const a = 1 // TODO\n" },
  { path: "/ws/proj/src/b.ts", content: "import y\n" },
  { path: "/ws/proj/list", content: "/ws/outside/secret\n" },
  { path: "/ws/proj/run.sh", content: "touch /ws/proj/owned\n" },
  { path: "/ws/proj/s.sed", content: "w /ws/proj/owned\n" },
  { path: "/ws/proj/link", link: "/ws/outside" },
  { path: "/ws/proj/secretlink", link: "/ws/outside/secret" },
  { path: "/ws/outside" },
  { path: "/ws/outside/secret", content: `${canary}\n` },
  { path: "/users/me" },
  { path: "/users/me/.bashrc", content: `touch /ws/proj/owned; echo ${canary}\n` },
  { path: "/users/me/note", content: `${canary}\n` },
  { path: "/tmp/note", content: `${canary}\n` }
]
