/** Why a task stopped, in words. */

const reasons: Record<string, string> = {
  user: "you stopped it",
  parent: "its parent was stopped",
  host: "the program was closed",
  crash: "the process ended",
  budget: "a limit was reached",
  mistakes: "too many mistakes in a row",
  context: "the conversation is too long for the model",
  unattended: "nobody was there to answer",
  service: "the service failed",
  ready: "its subtasks have reported"
}

const programs: Record<string, string> = { vscode: "VS Code" }

/** Describes what is known of a stop besides its reason. */
export interface StopFacts {
  /** The kind of the owner that ran it, such as "vscode". */
  readonly kind?: string | undefined
  /** The limit in words, such as `$2.00` or `50 requests`. */
  readonly limit?: string | undefined
}

/** Says why a task stopped, in words. */
export const interruption = (reason: string, { kind, limit }: StopFacts = {}): string => {
  const program = kind === undefined ? undefined : programs[kind]
  if (reason === "host" && program !== undefined) return `${program} was closed`
  if (reason === "budget" && limit !== undefined) return `the limit of ${limit} was reached`
  return reasons[reason] ?? reason
}
