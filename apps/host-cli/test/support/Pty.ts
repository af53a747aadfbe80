/** A program in a pseudo-terminal: what is typed goes to its keyboard, and what it writes is read as it comes. */
import * as pty from "@lydell/node-pty"

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** Sees nothing but this environment; what is undefined in it is not there. */
export const spawn = (
  [program = "", ...args]: ReadonlyArray<string>,
  env: { readonly [name: string]: string | undefined },
  cwd: string,
  size: Size
): pty.IPty => {
  const given = Object.entries(env).filter(([, value]) => value !== undefined)
  return pty.spawn(program, args, {
    name: env["TERM"] ?? "xterm-256color",
    cols: size.columns,
    rows: size.rows,
    cwd,
    env: Object.fromEntries(given)
  })
}
