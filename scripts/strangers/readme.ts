// What a README promises to who installs the package.

export interface Readme {
  /** What it says to install. */
  readonly names: ReadonlyArray<string>
  readonly example: string
  readonly printed: string
}

/** Nothing where it has no example. */
export const promised = (readme: string): Readme | undefined => {
  const text = readme.replaceAll("\r\n", "\n")
  const block = (language: string) => new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(text)?.[1]
  const line = /^(?:pnpm add|npm install) (.*)$/m.exec(text)?.[1]
  const [example, printed] = [block("ts"), block("text")]
  return line === undefined || example === undefined || printed === undefined
    ? undefined
    : { names: line.trim().split(/\s+/), example, printed }
}
