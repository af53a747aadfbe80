/** The folders of a PATH, and whether a file in one of them is code of the workspace. */
import type { GitProgram } from "@belay/git-runner"
import { Folder, Machine, Share } from "@belay/machine"

const realpath = (file: string, { fs }: Machine.Machine): string | undefined => {
  try {
    return fs.realpathSync.native(file)
  } catch {
    return undefined
  }
}

const isOutside = (workspace: string, file: string, machine: Machine.Machine): boolean => {
  // It is not to be looked at before anybody was asked.
  if (Share.links([workspace], machine).leadAway(file)) return true
  const real = realpath(file, machine)
  return (
    !Folder.contains(workspace, file, machine) && (real === undefined || !Folder.contains(workspace, real, machine))
  )
}

/** The folders of a PATH that may be searched: absolute and outside the workspace, links resolved. */
export const folders = (
  searchPath: string | undefined,
  workspace: string,
  machine: Machine.Machine = Machine.host
): ReadonlyArray<string> =>
  searched(searchPath, machine).filter((folder) => isOutside(workspace, machine.path.normalize(folder), machine))

/** The folders of a PATH as a command has it: absolute, in their order. A relative one means another in each folder. */
export const searched = (
  searchPath: string | undefined,
  { path }: Machine.Machine = Machine.host
): ReadonlyArray<string> => (searchPath ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder))

/** PATH of an environment, which is usually called Path on Windows. */
export const pathOf = (
  environment: GitProgram.Environment,
  machine: Machine.Machine = Machine.host
): string | undefined => valueOf(environment, "PATH", machine)

/** A variable by its name in capitals, which on Windows may be written in any. */
export const valueOf = (
  environment: GitProgram.Environment,
  name: string,
  machine: Machine.Machine
): string | undefined =>
  Machine.isWindows(machine)
    ? Object.entries(environment).find(([key]) => key.toUpperCase() === name)?.[1]
    : environment[name]

/** Says whether a file is code of the workspace: by its own name, or by where it leads. */
export const isInside = (workspace: string, file: string, machine: Machine.Machine = Machine.host): boolean =>
  !isOutside(workspace, file, machine)
