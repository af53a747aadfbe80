/** Files of a folder that entries of `paths` do not let be read without asking: who takes all of a folder leaves them out. */
import { type Approvals, PathRule } from "@belay/approval-policy"

/** Of a path relative to the workspace, with `/`. */
export const make =
  (approvals: Approvals.Approvals, insensitive: boolean) =>
  (file: string): boolean => {
    const setting = PathRule.entrySetting(approvals, "read", file, insensitive)
    return setting !== undefined && setting !== "allow"
  }
