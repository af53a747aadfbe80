/** What Node says of its own parts to whoever is at the terminal. */

/** SQLite before version 24, and an import by what was compiled before. */
const known = /^(?:SQLite|vm\.USE_MAIN_CONTEXT_DEFAULT_LOADER) is an experimental feature/

/** Says nothing of what is experimental in Node and used here: nobody at a terminal can do anything about it. */
export const quieten = (): void => {
  const warn = process.emitWarning.bind(process)
  process.emitWarning = (warning: string | Error, ...more: Array<any>) => {
    if (!known.test(String(warning))) warn(warning, ...more)
  }
}
