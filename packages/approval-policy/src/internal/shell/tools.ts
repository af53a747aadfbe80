/** Build tools, package managers and programs that reach other machines. */
import { find, xargs } from "./find.ts"
import { type Findings, type Parsed, parseFlags, type Spec } from "./spec.ts"

const network = "it reaches other machines"

/** Each argument counts, so that only a rule with all of them allows it. */
const exactly = (why: string, names: string): Readonly<Record<string, Spec>> =>
  Object.fromEntries(names.split(" ").map((name) => [name, { exact: why }]))

/** The first word says what it does: a rule has to name it. */
const named = (why: string, names: string): Readonly<Record<string, Spec>> =>
  Object.fromEntries(
    names.split(" ").map((name): [string, Spec] => [
      name,
      {
        read: (words, findings) => {
          findings.changes()
          const [first] = words
          if (first !== undefined) findings.hazard(first.at, why)
          for (const word of parseFlags(words.slice(1), { flags: "" }, findings).operands)
            findings.target(word, "mention")
        }
      }
    ])
  )

/** Its subcommand runs code of the project or of packages: a rule has to name it. */
const tool = (flags: string, harmless: string, runs: string, reads = "", launches = ""): Spec => {
  const sub: Record<string, Spec> = {}
  for (const name of launches.split(" ").filter((name) => name !== "")) sub[name] = launcher
  for (const name of reads.split(" ").filter((name) => name !== ""))
    sub[name] = { flags: harmless, operands: "mention", readOnly: true }
  for (const name of runs.split(" ").filter((name) => name !== "")) {
    sub[name] = ran(harmless, /^(?:publish|unpublish|deprecate)$/.test(name) ? "remote" : undefined)
  }
  return { flags, readOnly: true, sub }
}

const ran = (flags: string, floor?: "remote"): Spec => ({
  named: "it runs code of the project",
  read: (words, findings) => {
    findings.changes()
    if (floor !== undefined) findings.floor(floor)
    const dashes = words.findIndex(({ text }) => text === "--")
    const own = dashes < 0 ? words : words.slice(0, dashes)
    for (const word of dashes < 0 ? [] : words.slice(dashes + 1)) findings.target(word, "mention")
    for (const word of parseFlags(own, { flags }, findings).operands) findings.target(word, "mention")
  }
})

/** Runs the program in its arguments. */
const launcher: Spec = {
  named: "it runs the program that follows",
  read: (words, findings) => {
    findings.changes()
    const own = words[0]?.text === "--" ? words.slice(1) : words
    const [first] = own
    if (first === undefined) return
    findings.hazard(first.at, "it runs the program that follows")
    findings.inner(own, false)
  }
}

/** Runs code of the project; a rule for it says yes to that. */
const runner = (flags: string): Spec => ({ flags, operands: "mention" })

const assigned = ({ operands }: Parsed, findings: Findings): void => {
  for (const word of operands) {
    if (word.text?.includes("=") === true) findings.hazard(word.at, "a variable may change what runs")
    findings.target(word, "mention")
  }
}

const npmFlags =
  "-s --silent --if-present -w: --workspace: --workspaces -ws --quiet -q --no-audit --no-fund --audit? --fund? --omit: --include: -D --save-dev -E --save-exact --save --no-save -g --global --json --depth: -r --recursive --filter: -F: --parallel --frozen-lockfile --offline --prefer-offline --ignore-scripts --legacy-peer-deps --production --immutable --all --long --dry-run --watch --stream --no-bail -P --prod"

const npm = tool(
  "--version -v --help -h -s --silent -r --recursive --filter: -F: -w: --workspace: --workspaces",
  npmFlags,
  "test t run run-script start stop build ci install i add remove uninstall update up dedupe prune rebuild create init publish unpublish deprecate pack link unlink version audit fund lint typecheck dev format check turbo outdated view info show why explain bin search",
  "ls list ll la root prefix",
  "exec x dlx"
)

/** Their own settings in the project are code, whatever they are asked. */
const project: Spec = { ...npm, sub: { ...npm.sub, ls: ran(npmFlags), list: ran(npmFlags), root: ran(npmFlags) } }

const url = /^https?:\/\//

const curl: Spec = {
  flags:
    "-s -S -f -i -I -v -L -k -g -G -# -sS -fsS -fsSL -sSL -X: -H: -d: -A: -e: -m: -w: -r: -x: --silent --show-error --fail --include --head --verbose --location --insecure --get --compressed --request: --header: --data: --data-raw: --data-urlencode: --json: --user-agent: --max-time: --connect-timeout: --retry: --retry-delay: --http1.1 --http2 -4 -6 --range: --write-out: --no-progress-meter --fail-with-body -N --no-buffer",
  operands: ({ flags, operands }, findings) => {
    for (const [name, values] of flags) {
      for (const value of values) {
        const text = value?.text ?? ""
        if (
          value !== undefined &&
          (text.startsWith("@") ||
            (name === "--data-urlencode" && text.includes("@")) ||
            text.includes("%output") ||
            text.includes("%{stderr"))
        ) {
          findings.hazard(value.at, "its value names a file")
          findings.target({ ...value, text: text.slice(text.indexOf("@") + 1) }, "read")
        }
      }
    }
    for (const word of operands) {
      if (word.text === null || !url.test(word.text))
        findings.hazard(word.at, "its address is no plain http or https one")
    }
  }
}

/** Names where to write. */
const wget: Spec = {
  read: (words, findings) => {
    findings.changes()
    for (const [index, word] of words.entries()) {
      findings.hazard(word.at, "it writes a file that the other side names")
      if (/^(?:-O|-P|-o|-a|--output-document|--directory-prefix)$/.test(words[index - 1]?.text ?? ""))
        findings.target(word, "write")
    }
  }
}

const remote = (why: string): Spec => ({
  read: (words, findings) => {
    findings.changes()
    findings.floor("remote")
    for (const word of words) {
      findings.hazard(word.at, why)
      findings.target(word, "mention")
    }
  }
})

const cluster = (harmless: string): Spec => {
  const reads = new Set(harmless.split(" "))
  return {
    read: (words, findings) => {
      const [first] = words
      if (first?.text !== null && first?.text !== undefined && reads.has(first.text)) {
        findings.changes()
        for (const word of words.slice(1)) {
          if (
            word.text === null ||
            word.text.includes("-file=") ||
            (word.text.startsWith("-") &&
              !/^(?:-n|-o|-A|-l|-w|--all-namespaces|--namespace|--tail=\d+|-f)$/.test(word.text))
          ) {
            findings.hazard(word.at, "its flag may run a program or write a file")
          }
        }
        return
      }
      remote("it changes other machines").read?.(words, findings)
    }
  }
}

const docker = tool(
  "--version -v",
  "-a -q -f: -n: -t --all --quiet --filter: --format: --no-trunc --tail: --timestamps --since: --until: -s",
  "start stop restart rm rmi kill pull push tag",
  "ps images logs version info inspect top stats port diff history"
)

const ghFlags =
  "-L: -s: -l: --limit: --state: --json: --label: -a: --author: -q: --jq: -R: --repo: --log --log-failed --name-only --comments"
const shown: Spec = { flags: ghFlags, operands: "mention", readOnly: true }

/** Of gh: what is to be done with it is the second word, and only some of them look. */
const asked: Spec = {
  named: "it may change other machines",
  flags: ghFlags,
  operands: ({ operands }, findings) => {
    const [verb, ...rest] = operands
    findings.changes()
    if (verb !== undefined && !/^(?:view|list|status|diff|checks|watch)$/.test(verb.text ?? "")) {
      findings.hazard(verb.at, "it may change other machines")
    }
    for (const word of rest) findings.target(word, "mention")
  }
}

const cargo = tool(
  "--version -V -q --quiet -v --verbose --offline --locked --list",
  "--release -r -p: --package: --workspace --all --lib --bins --bin: --tests --test: --examples --example: --benches --features: -F: --all-features --no-default-features --all-targets --no-run --no-fail-fast -q --quiet -v --verbose --offline --locked --frozen --message-format: -j: --jobs: --keep-going --check --depth: -e: --edges:",
  "build b check c test t run r bench clippy fmt doc clean update add remove install fix nextest tree metadata search locate-project pkgid",
  "version"
)

const go = tool(
  "",
  "-v -race -short -run: -count: -timeout: -cover -bench: -benchmem -parallel: -failfast -p: -x -n -a -m -json -u -e -f: -deps -tags: -cpu: -list: -benchtime:",
  "test build run vet fmt install generate get mod clean work version list doc env"
)

export const tools: Readonly<Record<string, Spec>> = {
  find,
  xargs,
  npm,
  pnpm: project,
  yarn: project,
  tsc: runner(
    "--noEmit -p< --project< -b --build --watch -w --pretty? --version -v --listFiles --skipLibCheck --strict --incremental --showConfig --target: --module:"
  ),
  eslint: runner(
    "--fix --ext: --max-warnings: --quiet --cache --no-cache -f= --format= --color --no-color --report-unused-disable-directives --version --fix-dry-run"
  ),
  prettier: runner("--check -c --write -w -l --list-different --log-level: --no-color --ignore-unknown -u --version"),
  oxlint: runner("--fix --quiet --deny-warnings --type-aware --format= -f= --version"),
  biome: runner("--write --fix --version"),
  vitest: runner(
    "--run -t: --testNamePattern: --reporter= --watch -w --no-color --bail? --coverage --silent --version -u --update --project: --no-coverage"
  ),
  jest: runner(
    "-t: --testNamePattern: --watch --watchAll --coverage --ci --verbose --silent -i --runInBand --bail -u --updateSnapshot --no-coverage --passWithNoTests --maxWorkers: --version --listTests -o --onlyChanged"
  ),
  mocha: runner("-g: --grep: -b --bail -w --watch --timeout: -t: --recursive --parallel --exit --version"),
  pytest: runner(
    "-v -vv -vvv -q -x -s -k: -m: -l -rA -ra --lf --ff --last-failed --failed-first --maxfail: --tb: --co --collect-only -n: --durations: --no-header --exitfirst --verbose --quiet --stepwise --sw --version --disable-warnings -W: --cov? --no-cov --cov-report: --timeout: --color:"
  ),
  mypy: runner("--strict --ignore-missing-imports --show-error-codes --pretty --no-incremental --version"),
  ruff: {
    flags: "--version",
    sub: {
      check: runner(
        "--fix --diff -q --select: --ignore: --statistics --show-fixes --output-format: --watch -n --no-cache"
      ),
      format: runner("--check --diff -q")
    }
  },
  black: runner("--check --diff -q -v --line-length: -l: --fast --version"),
  flake8: runner("--max-line-length: --select: --ignore: --count --statistics --version"),
  make: {
    flags:
      "-# -k -s -n -B -j? -i -q -w --silent --dry-run --always-make --keep-going --version --no-print-directory --jobs?",
    operands: assigned
  },
  cmake: { flags: "--version", operands: assigned },
  ninja: { flags: "-j: -v -n -k: --version", operands: assigned },
  cargo,
  go,
  rustc: { flags: "--version -V -vV", operands: "mention" },
  gofmt: { flags: "-l -d -s -e", operands: "read", readOnly: true },
  pip: tool(
    "--version -V",
    "-v -q --format: -o --outdated -l --local --user -U --upgrade",
    "install uninstall download wheel",
    "list show freeze check help index"
  ),
  pip3: tool(
    "--version -V",
    "-v -q --format: -o --outdated -l --local --user -U --upgrade",
    "install uninstall download wheel",
    "list show freeze check help index"
  ),
  uv: tool(
    "--version",
    "-q -v --frozen --locked --all-extras --group:",
    "sync add remove lock pip tool venv tree",
    "version",
    "run"
  ),
  poetry: tool("--version", "-q -v", "install add remove update lock build show check", "version", "run"),
  bundle: tool("--version", "-q", "install update add list show check outdated", "", "exec"),
  gradle: runner("-q --info --offline --no-daemon --stacktrace --version -v"),
  mvn: {
    flags: "-q -B -o -v --version -ntp --offline",
    operands: ({ operands }, findings) => {
      for (const word of operands) {
        if (word.text?.includes(":") !== false) findings.hazard(word.at, "it runs a plugin by its name")
        findings.target(word, "mention")
      }
    }
  },
  dotnet: tool(
    "--version --info --list-sdks --list-runtimes",
    "-c: --configuration: --no-build --no-restore -v: --verbosity: --nologo",
    "build test run restore clean format publish",
    "help"
  ),
  docker,
  podman: docker,
  "docker-compose": { exact: "it runs containers" },
  kubectl: cluster("get describe logs version top explain api-resources cluster-info"),
  oc: cluster("get describe logs version"),
  helm: cluster("list status version history search"),
  terraform: cluster("version validate fmt"),
  tofu: cluster("version validate fmt"),
  ...Object.fromEntries(
    [
      "pulumi",
      "aws",
      "gcloud",
      "az",
      "ansible",
      "ansible-playbook",
      "flyctl",
      "heroku",
      "vercel",
      "netlify",
      "wrangler"
    ].map((name) => [name, remote("it changes other machines")])
  ),
  gh: {
    flags: "--version",
    readOnly: true,
    sub: {
      ...Object.fromEntries("pr issue run release repo workflow".split(" ").map((name) => [name, asked])),
      status: shown
    }
  },
  curl,
  wget,
  ssh: remote(network),
  scp: { exact: network },
  sftp: { exact: network },
  nc: { exact: network },
  ncat: { exact: network },
  telnet: { exact: network },
  ...exactly(
    network,
    "ftp lftp tftp rclone aria2c http https xh axel mtr traceroute tracepath nmap arp openvpn restic s3cmd"
  ),
  ...exactly(
    "it runs the program that follows",
    "unshare nsenter ltrace firejail bwrap flatpak-spawn systemd-run systemd-nspawn fakeroot fakechroot proot numactl taskset chrt cpulimit prlimit setarch linux32 linux64 valgrind perf xvfb-run dbus-run-session dbus-launch ssh-agent sshpass unbuffer rlwrap gtimeout start-stop-daemon daemonize su runuser pkexec sg newgrp flock entr nodemon concurrently cross-env dotenv winpty caffeinate xcrun open xdg-open start hyperfine dtruss sandbox-exec tini dumb-init chronic setpriv capsh run-parts batch chroot expect wsl forfiles rundll32 schtasks reg certutil bitsadmin"
  ),
  ...exactly(
    "it changes the machine",
    "reboot shutdown halt poweroff launchctl useradd userdel usermod groupadd passwd chpasswd visudo mount umount insmod rmmod modprobe sysctl iptables nft ufw defaults networksetup chattr setfacl kextload update-alternatives"
  ),
  ...exactly(
    "it changes a database, and can run programs",
    "redis-cli mongo mongosh mariadb sqlplus duckdb clickhouse-client cqlsh influx"
  ),
  ...named(
    "it installs packages, or runs code of them",
    "gem composer conda mamba apk dnf yum pacman zypper snap flatpak port choco winget scoop cpan cpanm luarocks opam cabal stack mix rebar3 nix nix-env nix-shell pipx pyenv rbenv nvm asdf mise rtx direnv hatch pdm rustup twine swift sbt lein bazel bazelisk deno-deploy"
  ),
  socat: { exact: network },
  ping: { exact: network },
  nslookup: { exact: network },
  dig: { exact: network },
  host: { exact: network },
  getent: { exact: network },
  whois: { exact: network },
  printenv: { exact: "it shows the environment" },
  man: { flags: "-k -f -w -W --where --whatis --apropos", operands: "mention" },
  vi: { exact: "an editor runs programs" },
  vim: { exact: "an editor runs programs" },
  nvim: { exact: "an editor runs programs" },
  emacs: { exact: "an editor runs programs" },
  nano: { exact: "an editor runs programs" },
  ed: { exact: "an editor runs programs" },
  ex: { exact: "an editor runs programs" },
  less: { exact: "a pager runs programs" },
  more: { exact: "a pager runs programs" },
  gdb: { exact: "a debugger runs programs" },
  lldb: { exact: "a debugger runs programs" },
  strace: { exact: "it runs a program" },
  script: { exact: "it runs a program" },
  tmux: { exact: "it runs programs" },
  screen: { exact: "it runs programs" },
  crontab: {
    read: (words, findings) => {
      if (words.length === 1 && words[0]?.text === "-l") return
      findings.changes()
      findings.floor("removal")
      for (const word of words) findings.hazard(word.at, "it changes what runs later")
    }
  },
  at: { exact: "it changes what runs later" },
  systemctl: { exact: "it changes what runs" },
  service: { exact: "it changes what runs" },
  "apt-get": { exact: "it changes the machine" },
  apt: { exact: "it changes the machine" },
  brew: { exact: "it changes the machine" },
  sqlite3: { exact: "it changes a database, and can run programs" },
  psql: { exact: "it changes a database, and can run programs" },
  mysql: { exact: "it changes a database, and can run programs" },
  openssl: { exact: "it reads keys and writes files" },
  gpg: { exact: "it reads keys and writes files" }
}
