/** The dead time of an ask that is shown: whether it is over, and whether a press on the ask is under way. */
import { useEffect, useRef, useState as useLocal } from "react"
import * as DeadTime from "../state/deadTime.ts"

export const useDeadTime = () => {
  const pointer = useRef(false)
  const made = useRef<DeadTime.DeadTime>(null)
  const dead = (made.current ??= DeadTime.make(() => performance.now()))
  const [waits, setWaits] = useLocal(true)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  const showWaits = (): void => {
    const left = dead.left()
    setWaits(left > 0)
    clearTimeout(timer.current)
    if (left > 0) timer.current = setTimeout(showWaits, left)
  }
  const restart = (): void => {
    dead.restart()
    showWaits()
  }
  useEffect(() => {
    restart()
    const focused = (): void => {
      if (!pointer.current) dead.focused()
      showWaits()
    }
    const released = (): void => {
      pointer.current = false
    }
    addEventListener("focus", focused)
    addEventListener("pointerup", released)
    addEventListener("pointercancel", released)
    return () => {
      clearTimeout(timer.current)
      removeEventListener("focus", focused)
      removeEventListener("pointerup", released)
      removeEventListener("pointercancel", released)
    }
  }, [])

  return {
    /** As it is shown; what is chosen asks `isOver`. */
    waits,
    isOver: (): boolean => dead.left() === 0,
    /** The ask was pressed. */
    pressed: (): void => {
      pointer.current = true
      dead.pressed()
      showWaits()
    },
    /** The focus came to the ask from outside; one that a press brought changes nothing. */
    entered: (): void => {
      if (!pointer.current) restart()
    }
  }
}
