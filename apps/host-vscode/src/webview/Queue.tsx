/** Messages that wait for the end of the turn. */
import { useState } from "./store.ts"

export const Queue = () => {
  const queued = useState((state) => state.queued)
  const queues = useState((state) => state.header?.queues === true)
  if (queued.length === 0) return null
  return (
    <section className="queue" aria-label="Queued messages">
      <ul>
        {queued.map(({ id, text }) => (
          <li key={id}>
            <span className="word">Queued</span> <span className="text">{text}</span>
          </li>
        ))}
      </ul>
      {queues ? null : <p>Will be sent when the task goes on.</p>}
    </section>
  )
}
