/** Under which conditions the calls of a task run, in words for its model. */
import { type Approvals, Decision } from "@belay/approval-policy"
import { Confinement } from "@belay/tool-executor"
import type { Settings } from "@belay/settings"

const listed = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`

const verbs = { allow: "run", ask: "ask", deny: "are denied" } as const

type Setting = keyof typeof verbs

/** By what is called, the setting that its calls have as a rule. */
const rules = ({
  commands,
  edit,
  editOutside,
  enabled,
  fetch,
  protected: executed = "ask",
  read,
  readOutside
}: Approvals.Approvals): ReadonlyArray<readonly [name: string, setting: Setting]> => {
  const of = (setting: Setting): Setting => (enabled ? setting : Decision.strictest(setting, "ask"))
  const reading = of(commands.other === "allow" ? "allow" : Decision.strictest(commands.readOnly ?? "allow", read))
  const other = of(commands.other)
  return [
    ["reads", of(read)],
    ["edits in the working directory", of(edit)],
    ...(reading === other
      ? ([["commands", other]] as const)
      : ([
          ["commands that only read", reading],
          ["other commands", other]
        ] as const)),
    ...(commands.checks === "allow" && other !== "allow"
      ? ([["the project's own tests, linters, builds and checks of types, in a sandbox,", of("allow")]] as const)
      : []),
    ...(of(edit) === "allow" && executed === "ask"
      ? ([["edits of what later commands execute (package.json, Makefile, CI ...)", "ask"]] as const)
      : []),
    ...(other === "allow" ? ([["commands that change what lies outside", "ask"]] as const) : []),
    ["web pages", of(fetch)],
    ["paths outside", of(Decision.strictest(readOutside, editOutside))]
  ]
}

/** One line. `attended`: somebody is there to answer. */
export const approvals = (given: Approvals.Approvals, attended: boolean): string => {
  const all = rules(given)
  const parts = (["allow", "ask", "deny"] as const).flatMap((setting) => {
    const names = all.flatMap(([name, of]) => (of === setting ? [name] : []))
    return names.length === 0 ? [] : [`${listed(names)} ${verbs[setting]}`]
  })
  const person = attended
    ? "the user is there to answer"
    : "nobody is there to answer: what asks is denied, and a question ends the run"
  const added = given.folders?.length ? [`in ${listed(given.folders)} tools work as in the working directory`] : []
  return [...parts, ...added, person].join("; ")
}

/** One line. `state` is what a command in the box has shown. */
export const commands = (
  { allowedDomains, approvals, sandbox }: Pick<Settings.TaskSettings, "allowedDomains" | "approvals" | "sandbox">,
  state: Confinement.State
): string => {
  if (sandbox === "off") return "without a sandbox"
  if (state._tag === "Unavailable") {
    return sandbox === "required" ? "each asks: a sandbox is required, and there is none" : "without a sandbox"
  }
  const network = allowedDomains.length === 0 ? "no network" : `no network but ${allowedDomains.join(", ")}`
  const added = approvals.edit === "allow" ? (approvals.folders ?? []) : []
  const places = listed(["the working directory", ...added, ...Confinement.temporary(state.by)])
  return `in a sandbox (${network}, writes only in ${places}); what the user approves runs without it`
}
