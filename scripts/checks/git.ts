// No source starts git but the one runner of it (packages/git-runner).
//
// Guarantee: a file that starts processes names git nowhere, and no file gives git to what starts or finds a program.
// Tests and scripts run on the repository itself, and may.
import { readFileSync } from "node:fs"
import { literal, type Node, programOf, visit } from "./imports.ts"
import { shown, sourceFiles, workspacePackages } from "./workspace.ts"

const runner = "git-runner"

const starters = /^(?:spawn|spawnSync|exec|execSync|execFile|execFileSync|fork|findProgram|resolveProgram|which)$/
const keys = new Set(["program", "command", "file"])

/** The program by its name or path, or a command line that begins with it. */
const isGit = (text: string | undefined): boolean =>
  text !== undefined && /^(?:.*[\\/])?git(?:\.exe|\.cmd|\.bat)?(?:\s|$)/i.test(text)

/** The end of a template: what stands before it may be any folder. */
const endOf = (node: Node): string | undefined => {
  if (node.type !== "TemplateLiteral") return literal(node)
  const quasis = node["quasis"] as ReadonlyArray<{ readonly value: { readonly cooked: string } }>
  return quasis.at(-1)?.value.cooked
}

const nameOf = (node: Node | undefined): string => {
  const found = (node?.type === "MemberExpression" ? (node["property"] as Node) : node)?.["name"]
  return typeof found === "string" ? found : ""
}

/** Every file of packages and apps that starts git by itself, one sentence each. */
export function checkGit(root: string): ReadonlyArray<string> {
  return workspacePackages(root)
    .filter(({ id }) => id !== runner)
    .flatMap(({ folder }) => sourceFiles(folder, "src"))
    .flatMap((file) =>
      gitViolations(file, readFileSync(file, "utf8")).map((violation) => `${shown(root, file)}:${violation}`)
    )
}

/** "line: what" for every place of a text where git is started. */
export function gitViolations(file: string, text: string): ReadonlyArray<string> {
  const program = programOf(file, text)
  const startsProcesses = /["'`](?:(?:node:)?child_process|[./]*\/ProcessGroup\.ts)["'`]/.test(text)
  const lines = new Set<number>()
  const add = ({ start }: Node): unknown => lines.add(text.slice(0, start).split("\n").length)
  visit(program, (node) => {
    if (startsProcesses && (node.type === "Literal" || node.type === "TemplateLiteral") && isGit(endOf(node))) add(node)
    if (node.type === "CallExpression" && starters.test(nameOf(node["callee"] as Node))) {
      const [first] = node["arguments"] as ReadonlyArray<Node>
      if (isGit(literal(first))) add(node)
    }
    if (node.type === "Property" && keys.has(nameOf(node["key"] as Node)) && isGit(literal(node["value"]))) add(node)
  })
  return [...lines]
    .toSorted((a, b) => a - b)
    .map((line) => `${line} starts git: ask Repository or Git of @belay/git-runner.`)
}
