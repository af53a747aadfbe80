/** The programs whose histories can be read. */

export const agents = ["cline", "roo", "zoo", "kilo", "claude", "codex", "pi", "opencode"] as const

/** Names a program whose histories can be read. */
export type Agent = (typeof agents)[number]

/** As people know them. */
export const names: Readonly<Record<Agent, string>> = {
  cline: "Cline",
  roo: "Roo Code",
  zoo: "Zoo Code",
  kilo: "Kilo Code",
  claude: "Claude Code",
  codex: "Codex",
  pi: "pi",
  opencode: "opencode"
}

/** The extension's folder in an editor's `globalStorage`; its letters may be of any case. Programs of a terminal have none. */
export const folders: Readonly<Record<Agent, string>> = {
  cline: "saoudrizwan.claude-dev",
  roo: "rooveterinaryinc.roo-cline",
  zoo: "zoocodeorganization.zoo-code",
  kilo: "kilocode.kilo-code",
  claude: "",
  codex: "",
  pi: "",
  opencode: ""
}

/** Folders of builds that a person may have instead. */
const others: Readonly<Record<string, Agent>> = {
  "saoudrizwan.cline-nightly": "cline",
  "rooveterinaryinc.roo-code-nightly": "roo",
  "roo-code-nightly": "roo",
  ".cline": "cline",
  ".claude": "claude",
  ".codex": "codex",
  ".pi": "pi",
  opencode: "opencode"
}

/** The program that the name of a folder names. */
export const ofFolder = (name: string): Agent | undefined => {
  const lower = name.toLowerCase()
  return others[lower] ?? agents.find((agent) => folders[agent] !== "" && folders[agent] === lower)
}

/** The program that a path names; undefined when it names none. */
export const ofPath = (path: string): Agent | undefined =>
  path
    .split(/[\\/]/u)
    .map(ofFolder)
    .findLast((agent) => agent !== undefined)
