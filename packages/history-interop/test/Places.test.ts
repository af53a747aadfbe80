/** Homes of other computers: the places in them are found by their shape, each once, and nothing is opened. */
import { Agent, Places } from "@belay/history-interop"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { temporary, write } from "./support/folders.ts"

const { cline, kilo, roo, zoo } = Agent.folders

interface Home {
  readonly platform: NodeJS.Platform
  readonly env?: (home: string) => Readonly<Record<string, string>>
  /** The folders that hold tasks, below the home. */
  readonly places: ReadonlyArray<readonly [Agent.Agent, string]>
}

const homes: Readonly<Record<string, Home>> = {
  "Linux, with an editor that nobody has heard of": {
    platform: "linux",
    places: [
      ["cline", `.config/Code/User/globalStorage/${cline}`],
      ["roo", `.config/Tomorrow/User/globalStorage/${roo}`],
      ["zoo", `.config/Code/User/profiles/4a/globalStorage/${zoo}`],
      ["kilo", `.config/Code - Insiders/User/globalStorage/${kilo}`]
    ]
  },
  macOS: { platform: "darwin", places: [["roo", `Library/Application Support/Cursor/User/globalStorage/${roo}`]] },
  Windows: {
    platform: "win32",
    places: [["zoo", "AppData/Roaming/Windsurf/User/globalStorage/ZooCodeOrganization.zoo-code"]]
  },
  "the Windows side of WSL": {
    platform: "linux",
    places: [
      ["roo", `mnt/c/Users/ann/AppData/Roaming/Code/User/globalStorage/${roo}`],
      ["claude", "mnt/c/Users/ann/.claude"],
      ["codex", "mnt/c/Users/ann/.codex"],
      ["pi", "mnt/c/Users/ann/.pi/agent"]
    ]
  },
  "Flatpak and Snap": {
    platform: "linux",
    places: [
      ["cline", `.var/app/com.visualstudio.code/config/Code/User/globalStorage/${cline}`],
      ["roo", `snap/code/current/.config/Code/User/globalStorage/${roo}`]
    ]
  },
  servers: {
    platform: "linux",
    places: [
      ["cline", `.vscode-server/data/User/globalStorage/${cline}`],
      ["kilo", `.vscode-remote/data/User/globalStorage/${kilo}`],
      ["cline", `.openvscode-server/data/User/globalStorage/${cline}`],
      ["roo", `.cursor-server/data/User/globalStorage/${roo}`],
      ["zoo", `.local/share/code-server/User/globalStorage/${zoo}`],
      ["roo", `config-data/User/globalStorage/${roo}`]
    ]
  },
  "a portable editor, and folders that variables name": {
    platform: "linux",
    env: (home) => ({
      VSCODE_PORTABLE: join(home, "stick"),
      CLINE_DIR: join(home, "own-cline"),
      CLAUDE_CONFIG_DIR: join(home, "own-claude")
    }),
    places: [
      ["cline", `stick/user-data/User/globalStorage/${cline}`],
      ["cline", "own-cline/data"],
      ["claude", "own-claude"]
    ]
  },
  "programs of the terminal": {
    platform: "linux",
    places: [
      ["cline", ".cline/data"],
      ["claude", ".claude"],
      ["codex", ".codex"],
      ["pi", ".pi/agent"],
      ["opencode", ".local/share/opencode"],
      ["kilo", ".local/share/kilo"]
    ]
  }
}

/** The folder that tells that a program has tasks. */
const inside = (agent: Agent.Agent, place: string): string => {
  if (agent === "claude") return "projects"
  if (agent === "codex" || agent === "pi") return "sessions"
  return agent === "opencode" || place.endsWith("kilo") ? "storage/session" : "tasks"
}

describe("finds the places of", () => {
  for (const [name, { env, places, platform }] of Object.entries(homes)) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const home = yield* temporary
        for (const [agent, place] of places) {
          mkdirSync(join(home, place, inside(agent, place)), { recursive: true })
        }
        // Neither an extension of another kind nor one without tasks.
        mkdirSync(join(home, ".config/Code/User/globalStorage/other.extension/tasks/x"), { recursive: true })
        mkdirSync(join(home, ".config/Fork/User/globalStorage", cline), { recursive: true })
        const computer = {
          env: env?.(home) ?? {},
          home,
          platform,
          mounts: join(home, "mnt"),
          data: join(home, "config-data")
        }
        const found = Places.find([], computer).map((place) => [place.agent, place.path] as const)
        assert.sameDeepMembers(
          found.map((one) => [...one]),
          places.map(([agent, place]) => [agent, join(home, place)])
        )
      }).pipe(Effect.scoped)
    )
  }
})

it.effect("finds what a person has chosen in the settings of an editor, and an extension by what it holds", () =>
  Effect.gen(function* () {
    const home = yield* temporary
    const own = join(home, "elsewhere")
    const storage = join(home, ".config/Code/User/globalStorage")
    mkdirSync(join(own, "tasks"), { recursive: true })
    write(join(home, ".config/Code/User"), {
      "settings.json": `{\n  // Mine\n  "roo-cline.customStoragePath": ${JSON.stringify(own)},\n}`
    })
    write(join(storage, "somebody.fork/tasks/a"), { "api_conversation_history.json": [] })
    const found = Places.find([storage], { env: {}, home, platform: "linux" })
    assert.sameDeepMembers(
      [...found],
      [
        { agent: "roo", path: join(storage, "somebody.fork") },
        { agent: "roo", path: own }
      ]
    )
  }).pipe(Effect.scoped)
)
