/** What goes with the message: images, and long texts that were pasted; each can be looked at and removed. */
import { Icon } from "../parts/Icon.tsx"
import { Picture } from "../parts/Picture.tsx"
import { say, useState } from "../state/store.ts"
import * as pastes from "./pastes.ts"

interface Props {
  readonly text: string
  readonly pasted: ReadonlyArray<pastes.Paste>
  readonly onText: (text: string) => void
}

export const Attachments = ({ onText, pasted, text }: Props) => {
  const pictures = useState((state) => state.pictures)
  const chips = pasted.filter(({ token }) => text.includes(token))
  return (
    <>
      <div className="unseen" role="status">
        {pictures.length === 0 ? "" : `${pictures.length} image${pictures.length === 1 ? "" : "s"} attached`}
      </div>
      {pictures.length + chips.length === 0 ? null : (
        <ul className="attachments" aria-label="Attached">
          {pictures.map(({ id, name }) => (
            <li key={id}>
              <Picture of={id} name={name} />
              <button
                type="button"
                className="quiet"
                aria-label={`Remove ${name}`}
                onClick={() => say({ type: "detach", id })}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
          {chips.map((paste) => (
            <li key={paste.token}>
              <button
                type="button"
                className="secondary"
                title="Show it in the message"
                onClick={() => onText(pastes.expanded(text, [paste]))}
              >
                {paste.token.slice(1, -1)}
              </button>
              <button
                type="button"
                className="quiet"
                aria-label={`Remove ${paste.token.slice(1, -1)}`}
                onClick={() => onText(text.replace(paste.token, ""))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
