/**
 * Writes to stdout and stderr: batched, in order, and without a trace when nobody reads any more.
 *
 * Events of one tick become one write; a closed pipe (EPIPE) ends output and nothing else.
 */
export interface Sink {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Everything written so far has left this process. */
  readonly flush: () => Promise<void>
}

const buffered = (stream: NodeJS.WriteStream) => {
  let pending = ""
  let scheduled = false
  let closed = false
  let last: Promise<void> = Promise.resolve()
  stream.on("error", () => {
    closed = true
  })
  const send = (): void => {
    scheduled = false
    const text = pending
    pending = ""
    if (text === "" || closed) return
    last = new Promise((resolve) => {
      stream.write(text, () => resolve())
    })
  }
  return {
    write: (text: string): void => {
      pending += text
      if (scheduled) return
      scheduled = true
      setImmediate(send)
    },
    flush: (): Promise<void> => {
      send()
      return last
    }
  }
}

export const make = (): Sink => {
  const out = buffered(process.stdout)
  const err = buffered(process.stderr)
  return {
    out: out.write,
    err: err.write,
    flush: async () => {
      await Promise.all([out.flush(), err.flush()])
    }
  }
}
