/** The languages whose code has colours, by the names that people write after a fence. */
export const grammars = {
  css: ["css"],
  diff: ["diff", "patch"],
  go: ["go", "golang"],
  java: ["java"],
  json: ["json", "jsonc", "json5"],
  python: ["python", "py"],
  rust: ["rust", "rs"],
  shellscript: ["bash", "sh", "shell", "zsh", "console", "shellscript"],
  sql: ["sql"],
  toml: ["toml"],
  // It reads plain JavaScript and TypeScript as well.
  tsx: ["typescript", "ts", "tsx", "javascript", "js", "jsx", "mjs", "cjs", "mts", "cts"],
  yaml: ["yaml", "yml"]
} as const

export type Grammar = keyof typeof grammars

const byName = new Map<string, Grammar>(
  (Object.keys(grammars) as Array<Grammar>).flatMap((grammar) =>
    grammars[grammar].map((name) => [name, grammar] as const)
  )
)

/** Of what stands after a fence, such as `ts title="a.ts"`; nothing for a language without colours. */
export const grammarOf = (info: string | undefined): Grammar | undefined =>
  byName.get(/^[^\s{,:]*/u.exec(info ?? "")?.[0].toLowerCase() ?? "")
