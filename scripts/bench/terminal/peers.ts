/**
 * Other agents in the same terminal, over servers of their own wire: as they are installed in a folder of the bench in the
 * user's cache, which is no part of the project. `pnpm bench --peers` installs them there by `npm`.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { Reads } from "../programs/workload.ts"

export interface Peer {
  readonly name: string
  /** The one it is installed by. */
  readonly package: string
  readonly bin: string
  readonly wire: "messages" | "responses"
  /** What is on the screen when it takes what is typed. */
  readonly ready: RegExp
  /** How the model of this program reads a file. */
  readonly reads: Reads
  readonly args: ReadonlyArray<string>
  /** Writes what lets it ask the server alone, and nothing else of anybody's; gives what its environment has more. */
  readonly settle: (home: string, url: string, cwd: string) => NodeJS.ProcessEnv
}

const key = "bench-key-0123456789abcdefghij"

const write = (file: string, content: unknown): void => {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content))
}

const ofPi = ["--provider", "anthropic", "--model", "claude-sonnet-4-5", "--thinking", "off"]

/** `once`: without the screen, one prompt and the end. */
export const pi: Peer & { readonly once: (prompt: string) => ReadonlyArray<string> } = {
  name: "pi",
  package: "@earendil-works/pi-coding-agent",
  bin: "pi",
  wire: "messages",
  ready: /thinking off/u,
  reads: (file) => ({ name: "read", input: { path: file } }),
  args: ofPi,
  once: (prompt) => [...ofPi, "--print", prompt],
  settle: (home, url) => {
    write(path.join(home, ".pi/agent/models.json"), { providers: { anthropic: { baseUrl: url } } })
    return {
      ANTHROPIC_API_KEY: key,
      PI_OFFLINE: "1",
      PI_TELEMETRY: "0",
      PI_CODING_AGENT_DIR: path.join(home, ".pi/agent")
    }
  }
}

const codex: Peer = {
  name: "codex",
  package: "@openai/codex",
  bin: "codex",
  wire: "responses",
  ready: /›/u,
  reads: (file) => ({ name: "exec_command", input: { cmd: `cat ${file}` } }),
  args: [],
  settle: (home, url, cwd) => {
    const provider = "bench"
    const lines = [
      `model = "gpt-5-codex"`,
      `model_provider = "${provider}"`,
      `approval_policy = "never"`,
      `sandbox_mode = "danger-full-access"`,
      `check_for_update_on_startup = false`,
      `[analytics]`,
      `enabled = false`,
      `[model_providers.${provider}]`,
      `name = "${provider}"`,
      `base_url = "${url}/v1"`,
      `env_key = "BENCH_KEY"`,
      `wire_api = "responses"`,
      `[projects.${JSON.stringify(cwd)}]`,
      `trust_level = "trusted"`
    ]
    write(path.join(home, ".codex/config.toml"), `${lines.join("\n")}\n`)
    return { BENCH_KEY: key, CODEX_HOME: path.join(home, ".codex") }
  }
}

const claude: Peer = {
  name: "Claude Code",
  package: "@anthropic-ai/claude-code",
  bin: "claude",
  wire: "messages",
  ready: /❯/u,
  reads: (file) => ({ name: "Read", input: { file_path: file } }),
  args: [],
  settle: (home, url, cwd) => {
    write(path.join(home, ".claude.json"), {
      hasCompletedOnboarding: true,
      theme: "dark",
      customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
      projects: { [cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } }
    })
    return {
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_BASE_URL: url,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1"
    }
  }
}

export const all: ReadonlyArray<Peer> = [pi, codex, claude]

/** Where they are installed. */
const folder = (): string =>
  path.join(process.env["XDG_CACHE_HOME"] ?? path.join(os.homedir(), ".cache"), "belay-bench", "peers")

/** Installs what is missing; what could not be installed is told. */
export const install = (): ReadonlyArray<string> => {
  const into = folder()
  mkdirSync(into, { recursive: true })
  if (!existsSync(path.join(into, "package.json"))) write(path.join(into, "package.json"), { private: true })
  return all.flatMap((peer) => {
    if (versionOf(peer) !== undefined) return []
    const { status } = spawnSync("npm", ["install", "--no-audit", "--no-fund", peer.package], {
      cwd: into,
      stdio: "ignore",
      shell: process.platform === "win32"
    })
    return status === 0 ? [] : [`${peer.name} could not be installed.`]
  })
}

/** Undefined where it is not installed. */
export const versionOf = (peer: Peer): string | undefined => {
  const manifest = path.join(folder(), "node_modules", peer.package, "package.json")
  if (!existsSync(manifest)) return undefined
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string }
  return version
}

/** Its command in the folder where it is installed. */
export const binOf = ({ bin }: Peer): string => path.join(folder(), "node_modules", ".bin", bin)
