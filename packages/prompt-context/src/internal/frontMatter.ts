/** The fields between `---` lines at the top of a text, each `name: value` on one line, and the text below. */
export const frontMatter = (
  whole: string
): { readonly fields: Readonly<Record<string, string>>; readonly text: string } => {
  const found = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/u.exec(whole)
  if (found === null) return { fields: {}, text: whole }
  const fields = (found[1] ?? "").split(/\r?\n/u).flatMap((line): ReadonlyArray<readonly [string, string]> => {
    const field = /^([\w-]+):\s*(.*)$/u.exec(line)
    return field?.[1] === undefined ? [] : [[field[1], (field[2] ?? "").trim().replace(/^(["'])(.*)\1$/u, "$2")]]
  })
  return { fields: Object.fromEntries(fields), text: whole.slice(found[0].length) }
}
