/** What takes each step of the walkthrough. */

/** Commands by the step's id, without the prefix of all; any one of them does. */
export const steps: Readonly<Record<string, ReadonlyArray<string>>> = {
  demo: ["demo"],
  key: ["setKey", "useNoKey"],
  task: ["newTask"],
  approval: ["allowOnce", "allowForTask", "allowAlways", "deny", "denyWithReason", "answer", "applyEdit", "rejectEdit"],
  resume: ["resume", "resumeAll"]
}
