/** The worker of this view: read from beside its script, after the first paint, and begun from a blob. */
import { useEffect, useState as useLocal } from "react"
import * as Highlighter from "./Highlighter.ts"
import type { Line } from "./Line.ts"
import { grammarOf } from "./languages.ts"

interface Policy {
  readonly createScriptURL: (address: string) => string
}

declare const trustedTypes: { readonly createPolicy: (name: string, rules: Policy) => Policy } | undefined

// Known only while the script itself runs.
const script = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : undefined

const painted = (): Promise<void> =>
  new Promise((resolve) => {
    const paints = new PerformanceObserver((list) => {
      if (list.getEntriesByName("first-contentful-paint").length === 0) return
      paints.disconnect()
      resolve()
    })
    paints.observe({ type: "paint", buffered: true })
  })

const open = async ({ answered, died }: Highlighter.Events): Promise<Highlighter.Worker> => {
  await painted()
  const source = await fetch(new URL("highlight.js", script))
  if (!source.ok) throw new Error(`The worker's file cannot be read (${source.status}).`)
  const rules: Policy = {
    createScriptURL: (address) => {
      if (address.startsWith("blob:")) return address
      throw new Error("Only the worker of this view is begun.")
    }
  }
  const policy = typeof trustedTypes === "undefined" ? rules : trustedTypes.createPolicy("belay", rules)
  const address = URL.createObjectURL(new Blob([await source.text()], { type: "text/javascript" }))
  const worker = new Worker(policy.createScriptURL(address))
  worker.addEventListener("message", ({ data }: MessageEvent<ReadonlyArray<Line>>) => answered(data))
  worker.addEventListener("error", died)
  return {
    // A worker has no origin to name.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    ask: (request) => worker.postMessage(request),
    end: () => worker.terminate()
  }
}

const highlighter = Highlighter.make(open)

/** The lines of a finished piece of code with their kinds, as soon as they are known. */
export const useColours = (info: string | undefined, text: string, isFinished: boolean) => {
  const grammar = grammarOf(info)
  const [, again] = useLocal(0)
  useEffect(
    () =>
      grammar === undefined || !isFinished ? undefined : highlighter.want(grammar, text, () => again((n) => n + 1)),
    [grammar, text, isFinished]
  )
  return grammar === undefined ? undefined : highlighter.known(grammar, text)
}
