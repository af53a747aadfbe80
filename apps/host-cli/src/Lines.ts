/** Standard input, line by line. */
import type { Interface } from "node:readline"

/** Not imported: few runs read it, and each would load all that reads lines. */
export const open = (): Interface =>
  process.getBuiltinModule("node:readline").createInterface({ input: process.stdin, terminal: false })
