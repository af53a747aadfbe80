/**
 * The names of rule `path.protected`, folded (lower case, NFC). Names are exact components at any depth; a
 * `sequence` is components in a row; `patterns` test one component. What a later command executes is in
 * `executedNames.ts`, what holds credentials in `secretNames.ts`.
 */
import * as executed from "./executedNames.ts"

/** Instructions, settings and rules of agents: ours and others', so that no agent rewrites another one's limits. */
const agents = [
  ".belay",
  ".belayignore",
  ".belayrules",
  ".claude",
  ".codex",
  ".gemini",
  ".cursor",
  ".windsurf",
  ".roo",
  ".zoo",
  ".cline",
  ".kilocode",
  ".continue",
  ".amazonq",
  ".opencode",
  ".agents",
  ".kiro",
  ".trae",
  ".junie",
  ".augment",
  ".qwen",
  ".roomodes",
  ".rooignore",
  ".rooprotected",
  ".clineignore",
  ".cursorrules",
  ".cursorignore",
  ".windsurfrules",
  "agents.md",
  "agents.override.md",
  "agents.local.md",
  "agent.md",
  "claude.md",
  "claude.local.md",
  "gemini.md",
  "qwen.md",
  ".mcp.json",
  "mcp.json",
  "mcp_settings.json",
  "copilot-instructions.md",
  "opencode.json",
  "opencode.jsonc",
  "crush.json",
  ".crush.json",
  ".crush",
  ".goose",
  ".goosehints",
  ".factory",
  ".openhands",
  ".tabnine",
  ".codeium",
  ".cody",
  ".copilot",
  ".rules",
  ".mcp",
  "warp.md",
  "claude_desktop_config.json",
  ".geminiignore",
  ".codeiumignore",
  ".aiexclude"
]

/** Folders and files of version control: their settings name programs. */
const versions = [
  ".git",
  ".gitmodules",
  ".gitattributes",
  ".gitconfig",
  ".lfsconfig",
  ".husky",
  ".githooks",
  ".hg",
  ".hgsub",
  ".svn",
  ".jj",
  ".bzr",
  ".sl",
  ".fossil-settings"
]

/** Editors run the tasks, formatters and plugins that these name. */
const editors = [
  ".vscode",
  ".vscode-server",
  ".vscode-test",
  ".idea",
  ".run",
  ".devcontainer",
  ".devcontainer.json",
  ".fleet",
  ".zed",
  ".vs",
  ".nova",
  ".helix",
  ".theia",
  ".lapce",
  ".vim",
  ".emacs",
  ".emacs.d",
  ".spacemacs",
  "nbproject",
  ".settings"
]

const shells = [
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".bash_aliases",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".zlogin",
  ".zlogout",
  ".kshrc",
  ".cshrc",
  ".tcshrc",
  ".login",
  ".logout",
  ".inputrc",
  ".xprofile",
  ".xinitrc",
  ".tmux.conf",
  ".vimrc",
  ".exrc",
  ".nvimrc",
  ".nvim.lua",
  ".gdbinit",
  ".lldbinit",
  "config.fish",
  "profile.ps1",
  "microsoft.powershell_profile.ps1",
  "authorized_keys",
  "crontab",
  ".bash_functions",
  ".aliases",
  ".functions",
  ".oh-my-zsh",
  ".xsession",
  ".xresources",
  ".pam_environment",
  ".screenrc",
  ".wezterm.lua"
]

/** What no setting lets be edited without asking, also where a name is one that commands execute, too. */
export const keptNames: ReadonlySet<string> = new Set([...agents, ...versions, ...editors, ...shells])

export const keptPatterns: ReadonlyArray<RegExp> = [
  /^\.clinerules/,
  /^\.roorules/,
  /^\.aider/,
  /^\.gitconfig/,
  /\.code-workspace$/,
  /\.sublime-(?:project|build|workspace)$/
]

export const keptSequences: ReadonlyArray<ReadonlyArray<string>> = [
  [".github", "instructions"],
  [".github", "prompts"],
  [".github", "agents"],
  [".github", "chatmodes"],
  [".github", "hooks"],
  ...[
    "alacritty",
    "autostart",
    "direnv",
    "environment.d",
    "fish",
    "git",
    "go",
    "helix",
    "kitty",
    "mise",
    "nushell",
    "nvim",
    "pip",
    "systemd",
    "tmux",
    "wezterm",
    "zed"
  ].map((folder) => [".config", folder]),
  [".local", "bin"],
  [".local", "share", "applications"],
  [".local", "share", "systemd"],
  ["library", "launchagents"],
  ["library", "launchdaemons"]
]

export const protectedNames: ReadonlySet<string> = new Set([...keptNames, ...executed.executedNames])

export const protectedPatterns: ReadonlyArray<RegExp> = [...keptPatterns, ...executed.executedPatterns]

export const protectedSequences: ReadonlyArray<ReadonlyArray<string>> = [
  ...executed.executedSequences,
  ...keptSequences
]

export { executedAsWritten as protectedAsWritten } from "./executedNames.ts"
export * from "./secretNames.ts"
