const pad = (value: number): string => String(value).padStart(2, "0")

/** Milliseconds as `8s`, `4m 12s`, `1h 04m`. */
export const duration = (ms: number): string => {
  const all = Math.max(0, Math.round(ms / 1000))
  if (all < 60) return `${all}s`
  if (all < 3600) return `${Math.floor(all / 60)}m ${pad(all % 60)}s`
  return `${Math.floor(all / 3600)}h ${pad(Math.floor((all % 3600) / 60))}m`
}
