/** What is wrong with a text before any grammar sees it; undefined when nothing is. */
const maximumBytes = 8192

const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{E0000}-\u{E007F}]/u
const blanks = /[\p{Zs}]/u

export const problemOf = (text: string): string | undefined => {
  if (text.trim() === "") return "it is empty"
  if (text.length > maximumBytes / 3 && new TextEncoder().encode(text).length > maximumBytes)
    return `it is longer than ${maximumBytes} bytes`
  const visible = text.replace(/[\n\t ]/g, "")
  if (unseen.test(visible)) return "it contains characters that cannot be seen"
  if (blanks.test(visible)) return "it contains blanks that a shell takes for letters"
  return /(?<![ \t\n])\\\n(?![ \t])|\\\\\n/.test(text) || text.startsWith("\\\n")
    ? "a word is continued on the next line"
    : undefined
}
