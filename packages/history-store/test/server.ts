/**
 * One Postgres server for all tests, Debian's own, as a user who is not root: it listens on loopback and on a socket in a
 * folder whose name has a space, and is gone with this process. Without a server the tests that need it are skipped,
 * and counted; on CI they fail where the system is Debian.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { chmodSync, chownSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"

/** How the server is reached: as its superuser, as who owns the tables, and as who may use them. */
export interface Server {
  readonly admin: string
  readonly owner: string
  readonly worker: string
  /** Where `postgres` and `pg_ctl` are, and the folder that the server runs on. */
  readonly programs: string
  readonly data: string
}

declare module "vitest" {
  interface ProvidedContext {
    readonly postgres: Server | undefined
  }
}

/** Who owns nothing on any system; `initdb` refuses root. */
const nobody = 65_534

const isRoot = process.getuid?.() === 0

const password = "of-tests-only"

/** The newest that is installed. */
const programs = (): string | undefined => {
  const found = globSync("/usr/lib/postgresql/*/bin").toSorted((one, other) =>
    other.localeCompare(one, "en", { numeric: true })
  )
  return found.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")))
}

const as = isRoot ? { uid: nobody, gid: nobody } : {}

const must = (program: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = process.env): void => {
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8", cwd: tmpdir(), env, ...as })
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`)
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer()
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** Nothing has to outlive these tests but the process that they kill. */
const settings = [
  "fsync=off",
  "synchronous_commit=off",
  "full_page_writes=off",
  "max_connections=200",
  "shared_buffers=32MB",
  "listen_addresses=127.0.0.1",
  "log_min_messages=fatal",
  "max_wal_senders=0",
  "wal_level=minimal"
]

/** The server goes with this process, whatever ends it. */
const launch = (bin: string, args: ReadonlyArray<string>): ChildProcess => {
  const server = join(bin, "postgres")
  const hasPrivileges = process.platform === "linux" && spawnSync("setpriv", ["--version"]).status === 0
  const drop = isRoot ? [`--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"] : []
  return hasPrivileges
    ? spawn("setpriv", [...drop, "--pdeathsig=INT", server, ...args], {
        cwd: tmpdir(),
        stdio: ["ignore", "pipe", "pipe"]
      })
    : spawn(server, args, { cwd: tmpdir(), stdio: ["ignore", "pipe", "pipe"], ...as })
}

const ready = (bin: string, port: number, child: ChildProcess) =>
  new Promise<void>((resolve, reject) => {
    let said = ""
    child.stderr?.on("data", (data) => (said += String(data)))
    child.once("exit", (code) => reject(new Error(`postgres ended with ${code}: ${said}`)))
    const look = () => {
      const asked = spawnSync(join(bin, "pg_isready"), ["-q", "-h", "127.0.0.1", "-p", String(port)])
      if (asked.status === 0) resolve()
      else setTimeout(look, 20)
    }
    look()
  })

const begin = async (bin: string) => {
  const home = mkdtempSync(join(tmpdir(), "belay-postgres-"))
  const [data, socket, secret] = [join(home, "data"), join(home, "a socket"), join(home, "secret")]
  mkdirSync(socket)
  writeFileSync(secret, password, { mode: 0o600 })
  if (isRoot) for (const path of [home, socket, secret]) chownSync(path, nobody, nobody)
  chmodSync(home, 0o700)
  const locale = ["-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"]
  must(join(bin, "initdb"), ["-D", data, "-U", "admin", "-A", "scram-sha-256", `--pwfile=${secret}`, ...locale])
  const port = await freePort()
  const places = ["-c", `unix_socket_directories=${socket}`, "-p", String(port)]
  const child = launch(bin, ["-D", data, ...places, ...settings.flatMap((one) => ["-c", one])])
  await ready(bin, port, child)
  const address = (role: string, database: string) => `postgres://${role}:${password}@127.0.0.1:${port}/${database}`
  const ask = (text: string) =>
    must(join(bin, "psql"), ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", address("admin", "postgres"), "-c", text])
  ask(`CREATE ROLE belay_owner LOGIN PASSWORD '${password}'`)
  ask(`CREATE ROLE belay_worker LOGIN PASSWORD '${password}'`)
  ask("CREATE DATABASE history OWNER belay_owner")
  const server: Server = {
    admin: address("admin", "history"),
    owner: address("belay_owner", "history"),
    worker: address("belay_worker", "history"),
    programs: bin,
    data
  }
  const end = () =>
    new Promise<void>((resolve) => {
      child.removeAllListeners("exit")
      child.once("exit", () => {
        rmSync(home, { recursive: true, force: true })
        resolve()
      })
      child.kill("SIGINT")
    })
  return { server, end }
}

export default async ({ provide }: TestProject) => {
  const bin = programs()
  if (bin === undefined) {
    const missing = "Postgres is not installed, and the tests of its history need it: sudo apt-get install postgresql"
    // CI installs it where that is one command.
    if (process.env["CI"] !== undefined && existsSync("/etc/debian_version")) throw new Error(`belay: ${missing}`)
    process.stderr.write(`belay: ${missing}. They are skipped.\n`)
    provide("postgres", undefined)
    return undefined
  }
  const { end, server } = await begin(bin)
  provide("postgres", server)
  return end
}
