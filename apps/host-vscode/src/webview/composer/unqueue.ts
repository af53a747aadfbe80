/** Takes a queued message back: asked once, however often it is pressed. */
import { now, say } from "../state/store.ts"

const asked = new Set<string>()

/** `edit`: its words come back into the composer. */
export const unqueue = (id: string, edit: boolean): void => {
  if (!asked.has(id)) say({ type: "unqueue", id, edit })
  asked.add(id)
  // Where it was pressed is gone with the message.
  document.querySelector<HTMLElement>(".composer textarea")?.focus()
}

/** The last one, to be changed; false: nothing is queued. */
export const takeLastBack = (): boolean => {
  const last = now().queued.findLast(({ id }) => !asked.has(id))
  if (last !== undefined) unqueue(last.id, true)
  return last !== undefined
}
