const unquoted = (text: string): string => text.trim().replace(/^(["'])(.*)\1$/su, "$2")

/** The value of a field: what stands behind its name, or in the indented lines below it. */
const valueOf = (first: string, lines: ReadonlyArray<string>): string => {
  const below = lines.map((line) => line.trim()).filter((line) => line !== "")
  if (/^[|>][+-]?$/u.test(first)) return below.join(first.startsWith("|") ? "\n" : " ")
  if (first === "") return below.map((line) => unquoted(line.replace(/^-\s+/u, ""))).join(", ")
  return unquoted([first, ...below].join(" "))
}

/** The fields between `---` lines at the top of a text, each `name: value`, and the text below; a list is one value. */
export const frontMatter = (
  whole: string
): { readonly fields: Readonly<Record<string, string>>; readonly text: string } => {
  const found = /^---\r?\n(?:([\s\S]*?)\r?\n)?---(?:\r?\n|$)/u.exec(whole)
  if (found === null) return { fields: {}, text: whole }
  const lines = (found[1] ?? "").split(/\r?\n/u)
  const fields = lines.flatMap((line, at): ReadonlyArray<readonly [string, string]> => {
    const field = /^([\w-]+):\s*(.*)$/u.exec(line)
    if (field?.[1] === undefined) return []
    const rest = lines.slice(at + 1)
    const next = rest.findIndex((other) => !/^(?:\s|-\s|$)/u.test(other))
    return [[field[1], valueOf((field[2] ?? "").trim(), next === -1 ? rest : rest.slice(0, next))]]
  })
  return { fields: Object.fromEntries(fields), text: whole.slice(found[0].length) }
}

/** The entries of a field that is a list, in either way of writing one. */
export const listOf = (field: string): ReadonlyArray<string> =>
  field
    .replace(/^\[(.*)\]$/su, "$1")
    .split(/,(?![^()]*\))/u)
    .map(unquoted)
    .filter((entry) => entry !== "")
