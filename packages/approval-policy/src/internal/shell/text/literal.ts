/**
 * `$(cat <<'EOF' ... EOF)`: text that is written as it is, as the value of a word.
 *
 * Exact: one line with `cat` and a quoted delimiter, the body, the delimiter alone on its line, and the parenthesis. Bash
 * before 5 finds the end of a substitution without knowing of here-documents: a body in which it would find an earlier
 * one is not taken.
 */
import type { WordPart } from "unbash"

const form = /^\$\(cat[ \t]+<<[ \t]*(['"])([A-Za-z_]\w*)\1\n((?:[^\n]*\n)*?)\2\n[ \t\n]*\)$/

/** What such a bash finds: the end of the substitution in the body, a quote or parenthesis that stays open, or neither. */
const scanned = (body: string, comments: boolean): "ends" | "open" | "closed" => {
  let quote = ""
  let depth = 0
  for (let at = 0; at < body.length; at++) {
    const char = body[at] ?? ""
    if (char === "\\" && quote !== "'") at++
    else if (quote !== "") quote = char === quote ? "" : quote
    else if (/['"`]/.test(char)) quote = char
    else if (char === "(") depth++
    else if (char === ")" && --depth < 0) return "ends"
    else if (comments && char === "#" && /[\s;&|(]|^$/.test(body[at - 1] ?? "")) {
      const end = body.indexOf("\n", at)
      at = end < 0 ? body.length : end
    }
  }
  return quote === "" && depth === 0 ? "closed" : "open"
}

/** Undefined for every other substitution. `source` is the text that the part lies in. */
export const literalOf = (part: WordPart, source: string | undefined): string | undefined => {
  if (part.type !== "CommandExpansion" || source?.slice(part.pos, part.end) !== part.text) return undefined
  const body = form.exec(part.text)?.[3]
  if (body === undefined) return undefined
  const found = [scanned(body, false), scanned(body, true)]
  if (found.includes("ends")) return undefined
  // Nothing may stand behind it that could close what stays open.
  if (found.includes("open") && /['"`()\\#]/.test(source.slice(part.end).replace(/^"/, ""))) return undefined
  return body.replace(/\n+$/, "")
}
