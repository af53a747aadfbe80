/** What others write to stderr, as whole lines, while a screen is there that they would break. */

/** Takes it from now on; the function that it gives ends that, and writes a line that was not whole. */
export const take = (told: (lines: ReadonlyArray<string>) => void): (() => void) => {
  const { stderr } = process
  const own = stderr.write.bind(stderr)
  let open = ""
  const add = (text: string): void => {
    const lines = `${open}${text}`.split("\n")
    open = lines.pop() ?? ""
    if (lines.length > 0) told(lines)
  }
  stderr.write = (chunk: string | Uint8Array, encoding?: unknown, written?: unknown) => {
    add(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString())
    const then = typeof encoding === "function" ? encoding : written
    if (typeof then === "function") setImmediate(() => (then as () => void)())
    return true
  }
  return () => {
    stderr.write = own
    if (open !== "") own(`${open}\n`)
  }
}
