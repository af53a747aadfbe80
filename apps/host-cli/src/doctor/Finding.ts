/** What was found of one thing that a task needs: good, of concern, or missing, and what to do then. */
type State = "ok" | "warning" | "failed"

export interface Finding {
  /** What was looked at. */
  readonly name: string
  readonly state: State
  /** What is there, in words. */
  readonly found: string
  /** What to do; only where it is not good. */
  readonly cure?: string
}

export const ok = (name: string, found: string): Finding => ({ name, state: "ok", found })

export const warning = (name: string, found: string, cure: string): Finding => ({ name, state: "warning", found, cure })

export const failed = (name: string, found: string, cure: string): Finding => ({ name, state: "failed", found, cure })
