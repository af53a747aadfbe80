/** The programs whose histories can be read. All three keep a folder for each task, with the same two logs. */

export const agents = ["cline", "roo", "zoo"] as const

/** Names a program whose histories can be read. */
export type Agent = (typeof agents)[number]

/** As people know them. */
export const names: Readonly<Record<Agent, string>> = { cline: "Cline", roo: "Roo Code", zoo: "Zoo Code" }

/** The extension's folder in an editor's `globalStorage`; its letters may be of any case. */
export const folders: Readonly<Record<Agent, string>> = {
  cline: "saoudrizwan.claude-dev",
  roo: "rooveterinaryinc.roo-cline",
  zoo: "zoocodeorganization.zoo-code"
}

/** The program that a path names; undefined when it names none. */
export const ofPath = (path: string): Agent | undefined => {
  const parts = new Set(path.toLowerCase().split(/[\\/]/u))
  return parts.has(".cline") ? "cline" : agents.find((agent) => parts.has(folders[agent]))
}
