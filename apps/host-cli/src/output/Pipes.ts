/** Where the result of a run goes: when nobody reads there any more, the run is for nobody. */
import { fstatSync } from "node:fs"

const identityOf = (fd: number): string | undefined => {
  try {
    const { dev, ino, mode } = fstatSync(fd, { bigint: true })
    return `${dev}:${ino}:${mode}`
  } catch {
    return undefined
  }
}

/** stdout, and stderr where both are one, as after `2>&1`: what comes first on it tells that it is closed. */
export const ofResult = (): ReadonlyArray<NodeJS.WriteStream> => {
  const out = identityOf(1)
  return out !== undefined && out === identityOf(2) ? [process.stdout, process.stderr] : [process.stdout]
}
