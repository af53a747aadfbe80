/** What the settings of the host's own tools say of one. */
import type { Setting } from "../Approvals.ts"

/** By its name, else by `*`; nothing said is ask. */
export const ofTool = (tools: Readonly<Record<string, Setting>>, name: string): Setting => {
  const said = (key: string): Setting | undefined => (Object.hasOwn(tools, key) ? tools[key] : undefined)
  return said(name) ?? said("*") ?? "ask"
}
