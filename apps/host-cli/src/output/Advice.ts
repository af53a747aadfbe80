/** What packages leave to a host to say: what to type here. */
import { Copy, Words } from "@belay/interaction"

/** Said once, when a command runs without a sandbox. */
export const noSandbox = `${Copy.noSandbox} \`belay policy explain\` says why.`

/** Says how a deletion is taken back. */
export const takeBack = (id: string): string =>
  `For 30 days it can be taken back: belay task undelete ${Words.printable(Words.shortId(id))}`

/** Says what to do with what `belay rescue` found; `ref` names the first of it. */
export const rescue = (ref: string): string =>
  `Next: belay rescue show ${ref} | belay rescue copy DIR | belay rescue import`
