/** The file systems that are mounted, as Linux and macOS list them, and the one that a folder is on. Pure. */

export interface Mount {
  readonly on: string
  /** As the system calls it: `ext4`, `fuse.sshfs`, `smbfs`. */
  readonly type: string
  readonly options: ReadonlyArray<string>
}

/** Blanks, tabs, line ends and backslashes are octal: https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html */
const unescaped = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/gu, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))

/** `/proc/self/mountinfo`: the fields after the separator are type, source and options. */
export const ofLinux = (text: string): ReadonlyArray<Mount> =>
  text.split("\n").flatMap((line) => {
    const [before = "", after = ""] = line.split(" - ")
    const on = before.split(" ")[4]
    const [type = ""] = after.split(" ")
    return on === undefined || type === "" ? [] : [{ on: unescaped(on), type, options: [] }]
  })

/** `mount` without arguments: `SOURCE on FOLDER (TYPE, OPTION, ...)`. */
export const ofMac = (text: string): ReadonlyArray<Mount> =>
  text.split("\n").flatMap((line) => {
    const found = / on (\/.*) \(([^()]+)\)$/u.exec(line)
    const [type = "", ...options] = (found?.[2] ?? "").split(", ")
    return found?.[1] === undefined ? [] : [{ on: found[1], type, options }]
  })

const contains = (on: string, folder: string): boolean => on === "/" || folder === on || folder.startsWith(`${on}/`)

/** The innermost one, and of several at one place the last, which covers the others. */
export const holding = (mounts: ReadonlyArray<Mount>, folder: string): Mount | undefined => {
  let found: Mount | undefined
  for (const mount of mounts) {
    if (contains(mount.on, folder) && mount.on.length >= (found?.on.length ?? 0)) found = mount
  }
  return found
}
