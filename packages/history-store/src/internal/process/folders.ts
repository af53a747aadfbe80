/** Folders for data: readable by their owner alone, made one by one. */
import { Machine } from "@belay/machine"

/** Makes a folder and those above it. Node's own recursive `mkdir` never returns where none can be made, as in /proc. */
export const make = (folder: string, machine: Machine.Machine = Machine.host): void => {
  const { fs, path } = machine
  if (fs.existsSync(folder)) return
  const above = path.dirname(folder)
  // A drive that is not there cannot be made.
  if (above === folder) throw Object.assign(new Error(`ENOENT: there is no ${folder}`), { code: "ENOENT" })
  make(above, machine)
  try {
    fs.mkdirSync(folder, { mode: 0o700 })
  } catch (cause) {
    // Another process may have made it meanwhile.
    if (!fs.existsSync(folder)) throw cause
  }
}
