// Preloaded into a measured process: at its end it writes its peak resident memory in kB to $BENCH_MEMORY. Linux counts
// VmHWM from `exec` on; `maxRSS` there would include what the parent had when it forked.
const { readFileSync, writeFileSync } = require("node:fs")

const peak = () => {
  try {
    return Number(/^VmHWM:\s+(\d+)/mu.exec(readFileSync("/proc/self/status", "utf8"))[1])
  } catch {
    return process.resourceUsage().maxRSS
  }
}

process.on("exit", () => writeFileSync(process.env.BENCH_MEMORY, String(peak())))
