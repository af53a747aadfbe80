/** How a child's result reaches its parent: Collect by the runner, CollectUnowned where no live process has it. */
import * as Decision from "./Decision.ts"
import { reports } from "./Report.ts"
import { held, refusal } from "./View.ts"

export const collect: Decision.Decide<"Collect"> = (view, request) => {
  const parent = view.task(request.taskId)
  if (parent === undefined) return Decision.reject(request, parent, "NotFound")
  if (parent.status === "completed") return Decision.accepted
  const refused = refusal(view, parent, request)
  if (refused !== undefined) return Decision.reject(request, parent, refused)
  const children = reports(view, parent, request.children)
  const byWaitCall = request.byWaitCall === true
  // The result of that call says which reports it has: it is written only while each of them can still be given.
  if (byWaitCall && children.length < request.children.length) return Decision.reject(request, parent, "Changed")
  const { messages, settlements } = Decision.delivery(parent, children)
  const delivered = messages === undefined || byWaitCall ? { settlements } : { settlements, messages }
  return Decision.change(parent, { _tag: "Collect", children, at: view.now, byWaitCall }, "keep", delivered)
}

export const collectUnowned: Decision.Decide<"CollectUnowned"> = (view, request) => {
  const parent = view.task(request.taskId)
  if (parent === undefined) return Decision.reject(request, parent, "NotFound")
  if (held(view, parent.id)) return Decision.reject(request, parent, "Owned")
  const children = reports(view, parent, request.children)
  const command = { _tag: "CollectUnowned", children, at: view.now } as const
  return Decision.change(parent, command, "release", Decision.delivery(parent, children))
}
