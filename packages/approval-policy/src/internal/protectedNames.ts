/**
 * The names of security rule P6, folded (lower case, NFC). Names are exact components at any depth; a `sequence` is
 * components in a row; `patterns` test one component.
 */

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
  "opencode.json"
]

const git = [".git", ".gitmodules", ".gitattributes", ".gitconfig", ".husky", ".githooks"]

const editors = [".vscode", ".vscode-server", ".idea", ".devcontainer", ".devcontainer.json", ".fleet", ".zed"]

/** Files that a later command executes or takes its programs from. */
const executed = [
  "package.json",
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  ".yarn",
  ".pnpmfile.cjs",
  ".pnpmfile.mjs",
  "bunfig.toml",
  "pnpm-workspace.yaml",
  "composer.json",
  "deno.json",
  "deno.jsonc",
  "binding.gyp",
  ".cargo",
  ".mvn",
  "mvnw",
  "mvnw.cmd",
  "gradlew",
  "gradlew.bat",
  ".bazelrc",
  "makefile",
  "gnumakefile",
  "justfile",
  ".justfile",
  "rakefile",
  "taskfile.yml",
  "taskfile.yaml",
  ".envrc",
  "mise.toml",
  ".mise.toml",
  ".tool-versions",
  ".pre-commit-config.yaml",
  "lefthook.yml",
  ".lefthook.yml",
  "lefthook.yaml",
  ".gitlab-ci.yml",
  ".circleci",
  ".travis.yml",
  ".drone.yml",
  ".buildkite",
  ".woodpecker",
  ".woodpecker.yml",
  "azure-pipelines.yml",
  "bitbucket-pipelines.yml",
  "jenkinsfile",
  ".gitea",
  ".forgejo",
  ".venv",
  "venv",
  "pyvenv.cfg",
  ".tox",
  ".nox",
  "sitecustomize.py",
  "usercustomize.py"
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
  "crontab"
]

export const protectedNames: ReadonlySet<string> = new Set([...agents, ...git, ...editors, ...executed, ...shells])

export const protectedPatterns: ReadonlyArray<RegExp> = [
  /^\.clinerules/,
  /^\.roorules/,
  /^\.aider/,
  /\.code-workspace$/
]

export const protectedSequences: ReadonlyArray<ReadonlyArray<string>> = [
  [".github", "workflows"],
  [".github", "actions"],
  [".github", "instructions"],
  [".github", "prompts"],
  ["node_modules", ".bin"],
  ["bin", "activate"],
  ["bin", "activate.fish"],
  ["bin", "activate.csh"],
  ["scripts", "activate"],
  ["scripts", "activate.bat"],
  ["scripts", "activate.ps1"],
  [".config", "fish"],
  [".config", "git"],
  [".config", "autostart"],
  [".config", "systemd"],
  ["library", "launchagents"],
  ["library", "launchdaemons"]
]

/** Names that hold secrets: asked on read and on write. */
export const secretNames: ReadonlySet<string> = new Set([
  ".netrc",
  "_netrc",
  ".npmrc",
  ".pypirc",
  ".pgpass",
  ".my.cnf",
  ".git-credentials",
  ".dockercfg",
  ".htpasswd",
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".password-store",
  ".terraformrc",
  ".terraform.d",
  ".s3cfg",
  ".boto",
  ".vault-token",
  ".keychain",
  "keychains",
  ".bash_history",
  ".zsh_history",
  ".python_history",
  ".node_repl_history",
  ".psql_history",
  ".mysql_history",
  "kubeconfig",
  ".vault_pass",
  "rclone.conf"
])

export const secretPatterns: ReadonlyArray<RegExp> = [
  /^\.env/,
  /.\.env$/,
  /\.(?:pem|key|p8|p12|pfx|pkcs12|jks|keystore|kdbx|ppk|keychain|keychain-db)$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?!.*\.pub$)/,
  /^\.?(?:credentials|secrets?)\.(?:json|ya?ml|toml|ini|xml|properties|csv|db|env|txt|tfrc\.json)$/,
  /^(?:service-account|client_secret).*\.json$/,
  /[_-]credentials\.json$/,
  /\.tfstate(?:\.backup)?$/
]

export const secretSequences: ReadonlyArray<ReadonlyArray<string>> = [
  ["run", "secrets"],
  [".docker", "config.json"],
  [".config", "gh"],
  [".config", "gcloud"],
  [".config", "op"],
  [".config", "rclone"],
  [".local", "share", "keyrings"],
  ["etc", "shadow"],
  ["etc", "gshadow"],
  ["etc", "sudoers"],
  ["proc", "self", "environ"],
  ["proc", "thread-self", "environ"]
]

/** Names that hold secrets when they are the last component; as folders they are common in source trees. */
export const secretLastNames: ReadonlySet<string> = new Set(["credentials", ".credentials"])

/** Templates of `.env` files, which are made to be shared. */
export const secretExceptions = /^\.env(?:\.[a-z0-9_-]+)*\.(?:example|sample|template)$/
