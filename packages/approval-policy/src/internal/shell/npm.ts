/** Package managers and runtimes of JavaScript. */
import { interpreter } from "./interpreters.ts"
import { ran, tool } from "./rows.ts"
import type { Spec } from "./spec.ts"

const npmFlags =
  "-s --silent --if-present -w: --workspace: --workspaces -ws --quiet -q --no-audit --no-fund --audit? --fund? --omit: --include: -D --save-dev -E --save-exact --save --no-save -g --global --json --depth: -r --recursive --filter: -F: --parallel --frozen-lockfile --offline --prefer-offline --ignore-scripts --legacy-peer-deps --production --immutable --all --long --dry-run --watch --stream --no-bail -P --prod"

const npm = tool({
  flags: "--version -v --help -h -s --silent -r --recursive --filter: -F: -w: --workspace: --workspaces",
  harmless: npmFlags,
  runs: "test t run run-script start stop build ci install i add remove uninstall update up dedupe prune rebuild create init publish unpublish deprecate pack link unlink version audit fund lint typecheck dev format check turbo outdated view info show why explain bin search",
  reads: "ls list ll la root prefix",
  launches: "exec x dlx"
})

/** Their own settings in the project are code, whatever they are asked. */
const project: Spec = { ...npm, sub: { ...npm.sub, ls: ran(npmFlags), list: ran(npmFlags), root: ran(npmFlags) } }

/** A file to run, unless the first word is one of its subcommands. */
const runtime = (): Spec => {
  const own = interpreter("--version -v --help -revision")
  const { sub } = tool({
    flags: "",
    harmless: `${npmFlags} --bail? --coverage --timeout: -t: --todo --only`,
    runs: "test run install i add remove update outdated pm link unlink publish build task fmt lint check bench doc init upgrade compile cache info",
    launches: "x exec"
  })
  return {
    read: (words, findings) => {
      const [first, ...rest] = words
      const found = first?.text === null || first === undefined || sub === undefined ? undefined : sub[first.text]
      if (first === undefined || found === undefined) return own.read?.(words, findings)
      findings.hazard(first.at, "it runs code of the project")
      found.read?.(rest, findings)
    }
  }
}

export const javascript: Readonly<Record<string, Spec>> = {
  npm,
  pnpm: project,
  yarn: project,
  bun: runtime(),
  deno: runtime()
}
