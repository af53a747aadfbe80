/** A fetch whose answers hold at most 16 MB in one piece: a whole body, or one event of a stream. */
const largest = 16 * 1024 * 1024

const bounded = (isStream: boolean): TransformStream<Uint8Array, Uint8Array> => {
  let size = 0
  return new TransformStream({
    transform: (chunk, controller) => {
      size += chunk.length
      // An event ends with an empty line; what one chunk holds is bounded by the connection.
      if (isStream && Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).includes("\n\n")) size = 0
      if (size > largest) controller.error(new Error("the answer is larger than 16 MB"))
      else controller.enqueue(chunk)
    }
  })
}

export const limited = async (url: string | URL, init?: RequestInit): Promise<Response> => {
  const response = await fetch(url, init)
  if (response.body === null) return response
  const isStream = (response.headers.get("content-type") ?? "").includes("event-stream")
  const { headers, status, statusText } = response
  return new Response(response.body.pipeThrough(bounded(isStream)), { headers, status, statusText })
}
