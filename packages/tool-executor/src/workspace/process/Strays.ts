/**
 * Processes that have left the group they were started in (`setsid`), found by a variable that each of our own children
 * gets in its environment and hands on to what it starts.
 *
 * Guarantees: a mark names one child of this process and nothing else on the machine. Linux only, elsewhere none is found;
 * nor is one that has taken the variable out of its environment, or one of another user.
 */
import * as crypto from "node:crypto"
import * as fs from "node:fs"

export const variable = "BELAY_GROUP"

/** What the marks of this process begin with. */
export const own = `${crypto.randomUUID()}.`

/** A mark that no child has had yet. */
export const mark = (): string => `${own}${crypto.randomUUID()}`

const environmentOf = (pid: string): Buffer | undefined => {
  try {
    return fs.readFileSync(`/proc/${pid}/environ`)
  } catch {
    return undefined
  }
}

/** Those alive that carry it. One that is dead and not collected has no environment any more. */
export const of = (marked: string): ReadonlyArray<number> => {
  if (process.platform !== "linux") return []
  const entry = `${variable}=${marked}\0`
  try {
    return fs
      .readdirSync("/proc")
      .flatMap((name) => (/^\d+$/.test(name) && environmentOf(name)?.includes(entry) === true ? [Number(name)] : []))
  } catch {
    return []
  }
}
