/** The tasks whose conversations a person sees in this window: in the side bar, and in editors. */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

/** A view of a conversation, for as long as it is there. */
export interface Place {
  readonly isVisible: () => boolean
  /** `null`: a task that is about to begin. */
  readonly task: () => string | null
}

/** Which conversations are seen, as their views tell. */
export class SeenTasks extends Context.Service<
  SeenTasks,
  {
    readonly add: (place: Place) => { readonly dispose: () => void }
    /** A place shows something else, or is hidden or shown. */
    readonly changed: () => void
    /** Any conversation is seen. */
    readonly any: () => boolean
    readonly has: (task: string) => boolean
    readonly listen: (listener: () => void) => { readonly dispose: () => void }
  }
>()("@belay/interaction/SeenTasks") {
  static readonly layer: Layer.Layer<SeenTasks> = Layer.sync(SeenTasks, () => {
    const places = new Set<Place>()
    const listeners = new Set<() => void>()
    const changed = (): void => listeners.forEach((listener) => listener())
    return SeenTasks.of({
      add: (place) => {
        places.add(place)
        changed()
        return {
          dispose: () => {
            places.delete(place)
            changed()
          }
        }
      },
      changed,
      any: () => [...places].some(({ isVisible }) => isVisible()),
      has: (task) => [...places].some((place) => place.isVisible() && place.task() === task),
      listen: (listener) => {
        listeners.add(listener)
        return { dispose: () => void listeners.delete(listener) }
      }
    })
  })
}
