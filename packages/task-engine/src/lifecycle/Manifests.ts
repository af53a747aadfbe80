/** What the manifests of a project held when a task began, for tasks whose checks run without asking. */
import { Manifests } from "@belay/tool-executor/workspace"
import type { Settings } from "@belay/settings"

/** The settings of a task that begins, or gets other approvals; what is known already stays. */
export const known = (settings: Settings.TaskSettings, workspace: string): Settings.TaskSettings => {
  const { manifests, ...others } = settings
  if (settings.approvals.commands.checks !== "allow") return manifests === undefined ? settings : others
  return manifests === undefined ? { ...settings, manifests: Manifests.read(workspace) } : settings
}
