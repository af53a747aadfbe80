/**
 * Confinement on Linux: bubblewrap. https://github.com/containers/bubblewrap
 *
 * Guarantees: the file system is read-only but for the workspace, an empty /tmp of 2 GiB and a home of 1 GiB with tool
 * chains in it; inside the workspace every protected name is read-only, and no folder above one can be moved; new
 * namespaces for users, processes, network and IPC, and no further ones; no capability; no terminal; a filter of system
 * calls; everything ends with Belay. The network is empty; listed hosts are reached through a relay in the box
 * (`OpenedHosts`), and without any the box has none. A bubblewrap that cannot do this counts as none.
 */
import { ProgramSearch, SearchPath } from "@belay/approval-policy/facts"
import { Folder, Machine } from "@belay/machine"
import * as Effect from "effect/Effect"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Readable } from "node:stream"
import { type Network, node } from "../../web/Network.ts"
import * as AddedFolders from "./AddedFolders.ts"
import * as Aftermath from "./Aftermath.ts"
import type { BoxJournal } from "./BoxJournal.ts"
import * as BoxLayout from "./BoxLayout.ts"
import * as Bash from "../process/Bash.ts"
import * as CommandLimits from "./CommandLimits.ts"
import * as ControlGroup from "./ControlGroup.ts"
import * as HiddenPlaces from "./HiddenPlaces.ts"
import * as ProcessGroup from "../process/ProcessGroup.ts"
import * as ProtectedTree from "./ProtectedTree.ts"
import * as Sandbox from "./Sandbox.ts"
import * as SystemCalls from "./SystemCalls.ts"
import * as ToolChains from "./ToolChains.ts"

const megabyte = 1024 ** 2

/** Of what lies in memory. */
const temporaryBytes: Readonly<Record<string, number>> = {
  "/dev/shm": 256 * megabyte,
  "/run": 64 * megabyte,
  "/tmp": 2048 * megabyte,
  "/var/tmp": 256 * megabyte
}
const homeBytes = 1024 * megabyte
/** Of a cover: nothing is meant to be written there. */
const coverBytes = 4096

/** Options of every box, before its mounts. */
const walls: ReadonlyArray<string> = [
  ["--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--cap-drop", "ALL"],
  ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
  ["--perms", "1777", "--size", String(temporaryBytes["/dev/shm"]), "--tmpfs", "/dev/shm", "--remount-ro", "/dev"],
  // Root of the host may write the settings of the kernel, whatever its capabilities.
  ["sys", "irq", "bus", "fs", "acpi", "sysrq-trigger"]
    .map((name) => `/proc/${name}`)
    .flatMap((file) => ["--ro-bind-try", file, file]),
  BoxLayout.emptied.flatMap((folder) => ["--size", String(temporaryBytes[folder] ?? coverBytes), "--tmpfs", folder]),
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
      return ["--perms", "0500", "--size", String(coverBytes), "--tmpfs", file]
    case "private":
      return ["--perms", "0700", "--size", String(homeBytes), "--tmpfs", file]
    case "nothing":
      return ["--ro-bind", "/dev/null", file]
  }
}

/** The filter waits at descriptor 4, and 3 gets the report. */
const descriptors: ReadonlyArray<string> = ["--info-fd", "3", "--seccomp", "4"]

/** The namespaces are also closed by the filter; this counts them, where bubblewrap has it (0.8). */
const noNamespaces = "--disable-userns"

/** The arguments of bubblewrap, up to and without the program. */
const options = (
  layout: ReadonlyArray<BoxLayout.Mount>,
  { cwd, further }: { readonly cwd: string; readonly further: ReadonlyArray<string> }
): ReadonlyArray<string> => [...descriptors, ...walls, ...further, ...layout.flatMap(mount), "--chdir", cwd, "--"]

const probeMillis = 10_000
const pipeMillis = 250

/** The first line that bubblewrap says, without its name. */
const complaint = (text: string): string => (text.split("\n")[0] ?? "").replace(/^bwrap: /, "").trim()

/** What was said, where the program did not end well. */
const said = (program: string, args: ReadonlyArray<string>, given: Uint8Array): Effect.Effect<string | undefined> =>
  Effect.callback((resume) => {
    const child = childProcess.spawn(program, args, {
      env: {},
      stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
      timeout: probeMillis,
      killSignal: "SIGKILL"
    })
    let text = ""
    child.stderr?.on("data", (bytes: Buffer) => (text += bytes.toString()))
    const report: unknown = child.stdio[3]
    if (report instanceof Readable) report.resume()
    ProcessGroup.give(child, given)
    child.once("error", (cause) => resume(Effect.succeed(cause.message)))
    const ended = (code: number | null, signal: string | null) =>
      resume(Effect.succeed(code === 0 ? undefined : complaint(text) || `it ended with ${signal ?? code}`))
    child.once("close", ended)
    // What it had begun may hold its pipes open when it fails.
    child.once("exit", (code, signal) => setTimeout(ended, pipeMillis, code, signal).unref())
    return Effect.sync(() => void child.kill("SIGKILL"))
  })

interface Tried {
  readonly why: string | undefined
  /** Options that this bubblewrap has beyond those of every one. */
  readonly further: ReadonlyArray<string>
}

const tried = Effect.fnUntraced(function* (program: string, bash: string, workspace: string, given: Uint8Array) {
  const inBox = (further: ReadonlyArray<string>) =>
    said(
      program,
      [
        ...options([{ path: workspace, kind: "writable" }], { cwd: workspace, further }),
        bash,
        ...CommandLimits.under(bash, ["-p", "-c", ":"])
      ],
      given
    )
  const why = yield* inBox([noNamespaces])
  if (why === undefined || !/unknown option/i.test(why)) return { why, further: [noNamespaces] } satisfies Tried
  return { why: yield* inBox([]), further: [] } satisfies Tried
})

const real = (file: string): ReadonlyArray<string> => {
  try {
    return [fs.realpathSync.native(file)]
  } catch {
    return []
  }
}

/** The home that was given, and that of the user in the system's own list: programs look in both. */
const homesOf = (
  given: string | undefined,
  searchPath: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>
): ReadonlyArray<BoxLayout.Home> => {
  const named = [given ?? Machine.home(), listedHome()].filter((home) => path.isAbsolute(home))
  const called = [...searchPath, path.dirname(process.execPath)]
  return [...new Set(named.flatMap(real))].map((home) => ({
    path: home,
    open: ToolChains.within(home, called, environment)
  }))
}

const listedHome = (): string => {
  try {
    return os.userInfo().homedir
  } catch {
    return ""
  }
}

/** Nothing of it is loaded for a box without a network. */
const open = (domains: Sandbox.Request["allowedDomains"], network: Network) =>
  Effect.flatMap(
    Effect.promise(() => import("../../network/OpenedHosts.ts")),
    ({ inBox }) => inBox(domains, network, BoxLayout.emptied)
  )

export const make = (given: Sandbox.Options, journal: BoxJournal): Sandbox.Platform => {
  const environment = () => given.environment ?? process.env
  const filter = SystemCalls.filter()
  const programs = new Map<string, string | undefined>()
  const furtherOf = new Map<string, ReadonlyArray<string>>()
  const programFor = (workspace: string) => {
    if (!programs.has(workspace)) {
      programs.set(workspace, ProgramSearch.findProgram("bwrap", environment(), workspace))
    }
    return programs.get(workspace)
  }

  const attempt = (program: string, bash: string, workspace: string, bytes: Uint8Array) =>
    Effect.map(tried(program, bash, workspace, bytes), ({ further, why }) => {
      furtherOf.set(program, further)
      return why === undefined ? undefined : `Bubblewrap does not work here: ${why.replace(/\.$/, "")}.`
    })

  const version = (workspace: string) => {
    const program = programFor(workspace)
    const found = program === undefined ? undefined : fs.statSync(program, { throwIfNoEntry: false })
    const bash = Bash.find(environment(), workspace, { named: given.bash })
    return [os.release(), process.arch, program, found?.mtimeMs, bash].join(" ")
  }

  const probe = (workspace: string) =>
    Effect.suspend(() => {
      const program = programFor(workspace)
      const bash = Bash.find(environment(), workspace, { named: given.bash })
      if (program === undefined) return Effect.succeed("Bubblewrap (bwrap) is not installed outside the workspace.")
      if (bash === undefined) return Effect.succeed("There is no bash outside the workspace.")
      if (filter === undefined) return Effect.succeed(`There is no filter of system calls for ${process.arch}.`)
      const inner = BoxLayout.ofTheBox.find((folder) => Folder.contains(workspace, folder))
      if (inner !== undefined) return Effect.succeed(`The workspace holds ${inner}, of which a box has its own.`)
      return Effect.matchEffect(ProtectedTree.scan(workspace), {
        onFailure: ({ message }) => Effect.succeed(message),
        onSuccess: () => attempt(program, bash, workspace, filter)
      })
    })

  const confine: Sandbox.Sandbox["confine"] = Effect.fnUntraced(function* (request) {
    const program = programFor(request.workspace)
    if (program === undefined || filter === undefined) {
      return yield* new Sandbox.SandboxError({ reason: "Bubblewrap is gone." })
    }
    const { before, entry, placeholders, setAside } = yield* Aftermath.begin(
      journal,
      request.workspace,
      request.readOnly !== true
    )
    const { added = [], env, readOnly, workspace } = request
    const besides = yield* AddedFolders.open(journal, workspace, added, readOnly !== true)
    const homes = homesOf(given.home, SearchPath.folders(env["PATH"], workspace), env)
    const layout = BoxLayout.of({
      ...request,
      authorities: ToolChains.authorities(env, BoxLayout.emptied),
      homes,
      protectedTree: before,
      placeholders,
      added: besides.folders,
      hidden: [
        ...homes.flatMap(({ path: home }) => HiddenPlaces.secrets(home, given.hidden ?? [])),
        ...HiddenPlaces.sockets()
      ]
    })
    const { allowedDomains } = request
    const opened = allowedDomains.length === 0 ? undefined : yield* open(allowedDomains, given.network ?? node)
    const binds = (opened?.binds ?? []).map((bind): BoxLayout.Mount => ({ ...bind, kind: "readonly" }))
    const further = [...(furtherOf.get(program) ?? [noNamespaces]), "--setenv", "BELAY_BOX", entry.id]
    const args = [
      ...options([...layout, ...binds], { cwd: request.cwd, further }),
      request.program,
      ...CommandLimits.under(request.program, request.args, opened === undefined ? [] : [opened.before])
    ]
    const groups = ControlGroup.named(entry.id)
    const started = yield* Effect.acquireRelease(
      Effect.sync(() => {
        entry.limited(groups)
        return ControlGroup.within(groups, { program, args })
      }),
      () => Effect.sync(() => ControlGroup.remove(groups))
    )
    return {
      ...started,
      env: { ...request.env, TMPDIR: "/tmp", ...opened?.env },
      reports: 3 as const,
      given: filter,
      started: (pid) => {
        entry.runs(pid)
        besides.runs(pid)
      },
      setAside: Effect.zipWith(setAside, besides.setAside, (own, others) => [...own, ...others]),
      ...(opened === undefined ? {} : { refused: opened.refused })
    }
  })

  return { by: "bubblewrap", version, probe, confine }
}
