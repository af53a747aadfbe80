/** Which other process has a task, in a line that costs no reading. */
import * as Copy from "../text/Copy.ts"
import * as Holder from "../text/Holder.ts"
import type { Entry } from "./TaskTrees.ts"

/** Nothing of what runs there is read for a line that is only seen. */
const holderOf = ({ node: { row } }: Entry): Holder.Holder | undefined =>
  row.lease === null
    ? undefined
    : { ...row.lease.owner, ...(row.lease.doubt && { doubt: row.lease.doubt }), mayRun: [] }

/** Says who has the task, in one line. */
export const line = (entry: Entry): string => {
  const holder = holderOf(entry)
  return holder === undefined ? "" : Holder.sentence(Holder.holds(`"${entry.node.row.meta.title}"`, holder))
}

/** Says who has the task, as its conversation and its checklist say. */
export const follows = (entry: Entry): string => {
  const holder = holderOf(entry)
  if (holder?.doubt === undefined) {
    return Copy.elsewhere({ pid: holder?.pid ?? 0, host: holder?.host ?? "another machine" })
  }
  return `${Holder.sentence(Holder.holds("this task", holder))} You are following it, read-only.`
}
