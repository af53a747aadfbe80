/** What a model leaves out of the content of a file: lines that it has not read, and those that it only stands in for. */
import { figure } from "../../internal/figure.ts"
import * as KnownLines from "../../tool/KnownLines.ts"
import * as LineRanges from "../../tool/LineRanges.ts"
import * as TextFile from "../text/TextFile.ts"

/** Why the content of a file is not replaced as a whole; nothing when the model knows all of it. */
export const refusal = (given: string, text: string, known: KnownLines.Content | undefined): string | undefined => {
  const count = TextFile.lineCount(text)
  const lines = `${figure(count)} ${count === 1 ? "line" : "lines"}`
  if (known === undefined || known.hash === "absent") {
    return `${given} exists (${lines}) and you have not read it. Read it, or use replace_in_file.`
  }
  const unknown = KnownLines.unknown(known.lines)
  if (unknown.length === 0) return undefined
  const what = LineRanges.inWords(unknown)
  return `${given} exists (${lines}) and you have not read ${what}. Read ${what.startsWith("line ") ? "it" : "them"}, or use replace_in_file.`
}

const opening = /^(?:\/\/|\/\*|\*|#|--|;|%|<!--|\{\s*\/\*|"|'|\(\*|REM\b|dnl\b)/iu
const dots = /\.\.\.|…/u
const words =
  /\b(?:rest|remaining|remainder|existing|unchanged|omitted|previous|other|same|as before|no changes?|keep|stays?|snip(?:ped)?)\b/iu
/** What needs no dots. */
const plain =
  /\b(?:rest|remainder) of (?:the |this |your )?(?:file|code|content|contents|function|class|method|module|implementation|component)\b.*\b(?:unchanged|same|as before|omitted|here|as is|stays?|remains?)\b|\b(?:existing|remaining|previous|other) (?:code|content|functions?|methods?|imports?|tests?) (?:is |are |remains? |stays? )?(?:here|unchanged|omitted|the same|as before)\b/iu

const isStandIn = (line: string): boolean => {
  const text = line.trim()
  if (!opening.test(text)) return false
  return plain.test(text) || (dots.test(text) && words.test(text))
}

/** Why a content with a line such as `// ... rest of the file` is not written over `text`, which has no such line. */
export const standIn = (content: string, text: string): string | undefined => {
  const own = new Set(TextFile.linesOf(text).map((line) => line.trim()))
  const at = TextFile.linesOf(content).findIndex((line) => isStandIn(line) && !own.has(line.trim()))
  if (at === -1) return undefined
  const line = TextFile.linesOf(content)[at]?.trim().slice(0, 80) ?? ""
  return `Line ${at + 1} of the content, ${JSON.stringify(line)}, stands for text that you left out. Give the whole content, or change the parts with replace_in_file.`
}
