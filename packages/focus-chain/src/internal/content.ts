/**
 * What is in a checklist file: title, how-to comment, items; and the hash of its bytes.
 */
import * as Result from "effect/Result"
import { createHash } from "node:crypto"
import type { Item } from "../Item.ts"
import { items as itemsOf, parse, render } from "./document.ts"
import { clean } from "./itemText.ts"
import { replaceItems } from "./replaceItems.ts"

const howTo = `<!--
Edit this list in any editor. Headings and notes are kept.
[ ] is open, [-] is in progress, [x] is done.
The comment at the end of an item is its id: leave it there when you reword or move the item.
-->`

const titleLimit = 200

const blank = (title: string): string => {
  const line = clean(title).slice(0, titleLimit).toWellFormed().trim()
  return `# ${line === "" ? "Focus chain" : line}\n\n${howTo}\n\n`
}

export const hashOf = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex")

/** The text of the file once it holds these items; `existing` is its text now, if there is a file. */
export const next = (existing: string | undefined, title: string, items: ReadonlyArray<Item>): string => {
  const text = render(replaceItems(parse(existing ?? blank(title)), items))
  return existing === undefined ? `${text.trimEnd()}\n` : text
}

/** The text of the file once it was changed; `existing` is its text now, if there is a file. */
export const changed = <E>(
  existing: string | undefined,
  title: string,
  change: (text: string) => Result.Result<string, E>
): Result.Result<string, E> =>
  existing === undefined ? Result.map(change(blank(title)), (text) => `${text.trimEnd()}\n`) : change(existing)

export const stored = (text: string) => ({ text, items: itemsOf(parse(text)), hash: hashOf(text) })

export const fileName = (taskId: string): string => `focus_chain_taskid_${taskId}.md`
