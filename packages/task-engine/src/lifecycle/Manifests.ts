/** What files that decide about calls held when a task began: its manifests, where its checks run without asking, and its hooks. */
import { HookScripts } from "@belay/tool-executor/hooks"
import { Manifests } from "@belay/tool-executor/workspace"
import type { Settings } from "@belay/settings"

/** The settings of a task that begins, or gets other approvals; what is known already stays. */
export const known = (settings: Settings.TaskSettings, workspace: string): Settings.TaskSettings => {
  const { manifests, ...others } = { ...settings, hooks: HookScripts.stated(settings.hooks, workspace) }
  if (settings.approvals.commands.checks !== "allow") return others
  return { ...others, manifests: manifests ?? Manifests.read(workspace) }
}
