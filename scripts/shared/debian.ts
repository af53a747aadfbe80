// What tests install on a Debian system where they may: a program of the system that no registry has.
import { spawnSync } from "node:child_process"
import { tmpdir } from "node:os"
import * as path from "node:path"

/** One installation at a time, of all checkouts; one that was killed is finished first. */
const script = `dpkg --configure -a
apt-get update -q
for package in "$@"; do
  apt-get install -y -q -o DPkg::Lock::Timeout=600 --fix-broken --no-install-recommends "$package" && exit 0
done
exit 1`

const starts = (program: string, args: ReadonlyArray<string>): boolean =>
  spawnSync(program, args, { stdio: "ignore" }).status === 0

/**
 * Installs the first of these packages that can be, unless the program starts. Throws one plain line when it is not there
 * and cannot be installed.
 */
export const needed = (program: string, version: ReadonlyArray<string>, ...packages: ReadonlyArray<string>): void => {
  if (starts(program, version)) return
  install(program, ...packages)
  if (!starts(program, version))
    throw new Error(`belay: the ${program} that apt-get installed does not start. Try it by hand.`)
}

/** The same without a look whether it starts. */
export const install = (program: string, ...packages: ReadonlyArray<string>): void => {
  const hint = `belay: ${program} is not installed, and the tests need it. Install it, for example: sudo apt-get install ${packages[0]}`
  if (process.platform !== "linux" || process.getuid?.() !== 0) throw new Error(hint)
  process.stderr.write(`Installing ${packages[0]} with apt-get\n`)
  const lock = path.join(tmpdir(), "belay-apt.lock")
  const { error, status, stderr } = spawnSync("flock", [lock, "sh", "-c", script, "sh", ...packages], {
    encoding: "utf8",
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    maxBuffer: 1 << 28
  })
  if (status === 0) return
  throw new Error(`${hint} (${(error?.message ?? stderr).trim().split("\n").slice(-3).join(" ")})`)
}
