/** Package managers and runtimes of JavaScript. */
import { bins } from "./checkers.ts"
import { interpreter } from "./interpreters.ts"
import { launcher, ran, tool } from "../table/rows.ts"
import { apply } from "../table/apply.ts"
import { type Spec, unnamed } from "../table/spec.ts"

const npmFlags =
  "--prefix< -C< --dir< --cwd< --changed? --affected --concurrency: --workspace-concurrency: --reporter= --aggregate-output --no-frozen-lockfile --lockfile-only --fix-lockfile --no-optional --ignore-workspace --workspace-root --no-progress --loglevel: --no-save-dev --production? --parseable -S -O --save-optional --save-peer --no-package-lock --package-lock-only --prefer-dedupe --no-lockfile --check-files --mode= --no-immutable --immutable-cache --recursive-include --include-workspace-root --fail-if-no-match --resume-from: --sort --no-sort --shamefully-hoist --strict-peer-dependencies --no-strict-peer-dependencies --since? --no-private --verbose -s --silent --if-present -w: --workspace: --workspaces -ws --quiet -q --no-audit --no-fund --audit? --fund? --omit: --include: -D --save-dev -E --save-exact --save --no-save -g --global --json --depth: -r --recursive --filter: -F: --parallel --frozen-lockfile --offline --prefer-offline --ignore-scripts --legacy-peer-deps --production --immutable --all --long --dry-run --watch --stream --no-bail -P --prod"

/** Shows fields of package.json, or writes them. */
const pkg: Spec = {
  readOnly: true,
  read: (words, findings) => {
    for (const word of words) findings.target(word, "mention")
    if (words[0]?.text === "get" && words.every(({ glob, text }) => text?.startsWith("-") === false && !glob)) return
    findings.changes()
    findings.hazard(words[0]?.at ?? unnamed, "it may change package.json", "changes")
  }
}

const shared = tool({
  flags:
    "--version -v --help -h -s --silent -r --recursive --filter< -F< -w: --workspace: --workspaces --prefix< -C< --dir< --cwd< --if-present --parallel --stream --no-bail --workspace-root -ws --include-workspace-root --reporter= --color --no-color --loglevel: --workspace-concurrency: --aggregate-output --fail-if-no-match --sort --no-sort --quiet -q",
  harmless: npmFlags,
  runs: "test t run run-script start stop build ci install i add remove uninstall update up dedupe prune rebuild create init publish unpublish deprecate pack link unlink version audit fund lint typecheck dev format check turbo outdated view info show why explain bin search",
  reads: "ls list ll la root prefix",
  launches: "exec x dlx"
})

const scripts =
  "test t start stop build lint typecheck dev format check e2e coverage unit integration ci clean docs preview storybook generate codegen prepare typegen validate verify fix bundle compile"

const each = (names: string, spec: Spec): Readonly<Record<string, Spec>> =>
  Object.fromEntries(names.split(" ").map((name) => [name, spec]))

/** A program of the project by its own name: as that program. */
const bin = (name: string): Spec => ({
  named: "it runs a program of the project",
  read: (words, findings) => {
    findings.changes()
    findings.hides()
    apply(words, bins[name] ?? launcher, findings)
  }
})

const npm: Spec = { ...shared, sub: { ...shared.sub, pkg } }

/**
 * pnpm and yarn: their own settings in the project are code, whatever they are asked, and they pass the flags of a script
 * on without `--`.
 */
const own = npmFlags.replace(" -w: ", " -w ")

const project: Spec = {
  ...shared,
  flags: `${shared.flags?.replace(" -w: ", " -w ")} -A -p -t -v --all --verbose --topological --topological-dev --interlaced -j: --jobs: --since? --include: --exclude: --no-private`,
  sub: {
    ...Object.fromEntries(Object.keys(bins).map((name) => [name, bin(name)])),
    ...shared.sub,
    turbo: ran(
      `${own} --force? --continue? --dry? --graph? --no-cache --no-daemon --output-logs: --log-order: --log-prefix: --summarize? --only`
    ),
    ...each("ls list root", ran(own)),
    ...each("install ci i add remove update up dedupe prune rebuild why outdated", ran(own)),
    ...each(scripts, ran(own, { passes: "all" })),
    ...each("run run-script", ran(own, { passes: "first" }))
  }
}

/** `yarn workspace NAME` and `yarn workspaces foreach` only say where. */
const yarn: Spec = {
  read: (words, findings) => {
    const [first, second] = words
    const isNamed = first?.text === "workspace" && second !== undefined && /^[\w@./-]+$/.test(second.text ?? "-")
    const isEach = first?.text === "workspaces" && /^(?:foreach|run)$/.test(second?.text ?? "")
    const places = isNamed || second?.text === "foreach" ? 2 : 1
    if (isNamed || isEach) for (const word of words.slice(0, places)) findings.neutral(word.at)
    apply(isNamed || isEach ? words.slice(places) : words, project, findings)
  }
}

/** A file to run, unless the first word is one of its subcommands. */
const runtime = (): Spec => {
  const own = interpreter("--version -v --help -revision")
  const harmless = `${npmFlags} --bail? --coverage --timeout: -t: --todo --only`
  const { sub: subcommands } = tool({
    flags: "",
    harmless,
    runs: "test run install i add remove update outdated pm link unlink publish build task fmt lint check bench doc init upgrade compile cache info",
    launches: "x exec"
  })
  const sub = { ...subcommands, run: ran(harmless, { passes: "first" }) }
  return {
    read: (words, findings) => {
      const [first, ...rest] = words
      const found =
        first?.text === null || first === undefined ? undefined : (sub as Readonly<Record<string, Spec>>)[first.text]
      if (first === undefined || found === undefined) return own.read?.(words, findings)
      findings.hazard(first.at, "it runs code of the project")
      findings.hides()
      found.read?.(rest, findings)
    }
  }
}

export const javascript: Readonly<Record<string, Spec>> = {
  npm,
  pnpm: project,
  yarn,
  bun: runtime(),
  deno: runtime()
}
