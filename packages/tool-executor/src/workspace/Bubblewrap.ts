/**
 * Confinement on Linux: bubblewrap. https://github.com/containers/bubblewrap
 *
 * Guarantees: the file system is read-only but for the workspace and an empty /tmp of 2 GiB; inside the workspace every
 * protected name is read-only, and no folder above one can be moved; new namespaces for users, processes, network and
 * IPC; no capability; no terminal; everything ends with Belay. The network is empty; listed hosts are reached through a
 * relay in the box (`OpenedHosts`), and without any the box has none.
 */
import * as Effect from "effect/Effect"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import { type Network, node } from "../web/Network.ts"
import * as BoxLayout from "./BoxLayout.ts"
import * as CommandEnvironment from "./CommandEnvironment.ts"
import * as CommandLimits from "./CommandLimits.ts"
import * as HiddenPlaces from "./HiddenPlaces.ts"
import { contains } from "./PathResolver.ts"
import * as ProtectedTree from "./ProtectedTree.ts"
import * as Sandbox from "./Sandbox.ts"

const temporaryBytes = 2 * 1024 ** 3

/** Options of every box, before its mounts. */
const walls: ReadonlyArray<string> = [
  ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"],
  ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
  // Root of the host may write the settings of the kernel, whatever its capabilities.
  ["sys", "irq", "bus", "fs", "acpi", "sysrq-trigger"]
    .map((name) => `/proc/${name}`)
    .flatMap((file) => ["--ro-bind-try", file, file]),
  BoxLayout.emptied.flatMap((folder) => ["--size", String(temporaryBytes), "--tmpfs", folder]),
  // Programs of NixOS live behind a link in /run.
  ["--ro-bind-try", "/run/current-system", "/run/current-system"]
].flat()

const mount = ({ from, kind, path: file }: BoxLayout.Mount): ReadonlyArray<string> => {
  switch (kind) {
    case "writable":
      return ["--bind", from ?? file, file]
    case "readonly":
      return ["--ro-bind", from ?? file, file]
    case "empty":
      return ["--perms", "0500", "--tmpfs", file]
    case "nothing":
      return ["--ro-bind", "/dev/null", file]
  }
}

/** The arguments of bubblewrap, up to and without the program. */
export const options = (layout: ReadonlyArray<BoxLayout.Mount>, cwd: string): ReadonlyArray<string> => [
  ...walls,
  ...layout.flatMap(mount),
  "--chdir",
  cwd,
  "--"
]

const probeMillis = 10_000

/** The first line that bubblewrap says, without its name. */
const complaint = (text: string): string => (text.split("\n")[0] ?? "").replace(/^bwrap: /, "").trim()

const tried = (program: string, bash: string, workspace: string): Effect.Effect<string | undefined> =>
  Effect.callback((resume) => {
    const args = [
      ...options([{ path: workspace, kind: "writable" }], workspace),
      bash,
      ...CommandLimits.under(bash, ["-p", "-c", ":"])
    ]
    const child = childProcess.execFile(program, args, { timeout: probeMillis, env: {} }, (error, _out, said) => {
      const why = complaint(said) || (error?.message.split("\n")[0] ?? "")
      resume(Effect.succeed(error === null ? undefined : `Bubblewrap does not work here: ${why.replace(/\.$/, "")}.`))
    })
    return Effect.sync(() => void child.kill("SIGKILL"))
  })

const realHome = (home = os.homedir()): string => {
  try {
    return fs.realpathSync.native(home)
  } catch {
    return home
  }
}

/** Nothing of it is loaded for a box without a network. */
const open = (domains: Sandbox.Request["allowedDomains"], network: Network) =>
  Effect.flatMap(
    Effect.promise(() => import("../network/OpenedHosts.ts")),
    ({ inBox }) => inBox(domains, network, BoxLayout.emptied)
  )

export const make = (given: Sandbox.Options): Sandbox.Platform => {
  const environment = () => given.environment ?? process.env
  const programs = new Map<string, string | undefined>()
  const programFor = (workspace: string) => {
    if (!programs.has(workspace)) {
      programs.set(workspace, CommandEnvironment.findProgram("bwrap", environment(), workspace))
    }
    return programs.get(workspace)
  }

  const probe = (workspace: string) =>
    Effect.suspend(() => {
      const program = programFor(workspace)
      const bash = CommandEnvironment.findBash(environment(), workspace)
      if (program === undefined) return Effect.succeed("Bubblewrap (bwrap) is not installed outside the workspace.")
      if (bash === undefined) return Effect.succeed("There is no bash outside the workspace.")
      const inner = BoxLayout.ofTheBox.find((folder) => contains(workspace, folder))
      if (inner !== undefined) return Effect.succeed(`The workspace holds ${inner}, of which a box has its own.`)
      return Effect.matchEffect(ProtectedTree.scan(workspace), {
        onFailure: ({ message }) => Effect.succeed(message),
        onSuccess: () => tried(program, bash, workspace)
      })
    })

  const confine: Sandbox.Sandbox["confine"] = Effect.fnUntraced(function* (request) {
    const program = programFor(request.workspace)
    if (program === undefined) return yield* new Sandbox.SandboxError({ reason: "Bubblewrap is gone." })
    const before = yield* Effect.mapError(
      ProtectedTree.scan(request.workspace),
      ({ message }) => new Sandbox.SandboxError({ reason: message })
    )
    const home = realHome(given.home)
    const layout = BoxLayout.of({
      ...request,
      home,
      protectedTree: before,
      hidden: [...HiddenPlaces.secrets(home, given.hidden ?? []), ...HiddenPlaces.sockets()]
    })
    const { allowedDomains } = request
    const opened = allowedDomains.length === 0 ? undefined : yield* open(allowedDomains, given.network ?? node)
    const binds = (opened?.binds ?? []).map((bind): BoxLayout.Mount => ({ ...bind, kind: "readonly" }))
    const setAside = yield* Effect.cached(Effect.uninterruptible(ProtectedTree.settle(request.workspace, before)))
    yield* Effect.addFinalizer(() => setAside)
    return {
      program,
      args: [
        "--info-fd",
        "3",
        ...options([...layout, ...binds], request.cwd),
        request.program,
        ...CommandLimits.under(request.program, request.args, opened === undefined ? [] : [opened.before])
      ],
      env: { ...request.env, TMPDIR: "/tmp", ...opened?.env },
      reports: 3 as const,
      setAside,
      ...(opened === undefined ? {} : { refused: opened.refused })
    }
  })

  return { by: "bubblewrap", probe, confine }
}
