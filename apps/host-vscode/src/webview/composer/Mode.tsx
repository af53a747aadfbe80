/** Plan or act, for this task alone. */
import { Words } from "@belay/interaction"
import type { KeyboardEvent } from "react"
import { say } from "../state/store.ts"

export const Mode = ({ mode, title }: { readonly mode: "plan" | "act"; readonly title: string | undefined }) => {
  const other = mode === "plan" ? "act" : "plan"
  const onKeyDown = ({ currentTarget, key }: KeyboardEvent): void => {
    if (!key.startsWith("Arrow")) return
    say({ type: "mode", mode: other })
    const next = [...(currentTarget.parentElement?.children ?? [])].find((child) => child !== currentTarget)
    if (next instanceof HTMLElement) next.focus()
  }
  return (
    <div className="mode" role="radiogroup" aria-label="Mode">
      {(["plan", "act"] as const).map((one) => (
        <button
          key={one}
          type="button"
          role="radio"
          aria-checked={mode === one}
          aria-label={title === undefined ? undefined : `${Words.modes[one]}, mode of ${title}`}
          tabIndex={mode === one ? 0 : -1}
          onClick={() => mode === one || say({ type: "mode", mode: one })}
          onKeyDown={onKeyDown}
        >
          {Words.modes[one]}
        </button>
      ))}
    </div>
  )
}
