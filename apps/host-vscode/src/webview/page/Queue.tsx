/** Messages that wait for the end of the turn; each can be taken back until it is delivered. */
import { unqueue } from "../composer/unqueue.ts"
import { Icon } from "../parts/Icon.tsx"
import { useState } from "../state/store.ts"

export const Queue = () => {
  const queued = useState((state) => state.queued)
  const queues = useState((state) => state.header?.queues === true)
  if (queued.length === 0) return null
  return (
    <section className="queue" aria-label="Queued messages">
      <ul>
        {queued.map(({ id, pictures, text }) => (
          <li key={id}>
            <span className="said">
              <span className="word">Queued</span> <span className="text">{text}</span>
              {pictures === 0 ? null : (
                <span className="word"> · {pictures === 1 ? "1 image" : `${pictures} images`}</span>
              )}
            </span>
            <button
              type="button"
              className="quiet"
              aria-label={`Edit queued message: ${text.slice(0, 60)}`}
              onClick={() => unqueue(id, true)}
            >
              <Icon name="edit" />
            </button>
            <button
              type="button"
              className="quiet"
              aria-label={`Remove queued message: ${text.slice(0, 60)}`}
              onClick={() => unqueue(id, false)}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      {queues ? null : <p>Will be sent when the task goes on.</p>}
    </section>
  )
}
