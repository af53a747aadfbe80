/** The bundled files of this extension, loaded with what was compiled of them before; kept some seconds after they were loaded. */
import * as CompileCache from "@belay/machine/compile-cache"

/** ms after the last file that was compiled, and between two that are written. */
const idle = 5000
const pause = 100

/** `data`: the data folder, which need not be there. */
export const load = (folder: string, data: string, name: string): unknown => {
  let timer: NodeJS.Timeout | undefined
  const later = (ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => void (cache.keep() && later(pause)), ms).unref()
  }
  const cache = CompileCache.make({ folder, data, use: "editor", compiled: () => later(idle) })
  return cache.load(name)
}
