// Preloaded into a measured process: at its end it writes its peak resident memory in kB and its processor time in
// microseconds to $BENCH_USAGE. Linux counts VmHWM from `exec` on; `maxRSS` there would include what the parent had when
// it forked.
const { readFileSync, writeFileSync } = require("node:fs")

const peak = () => {
  try {
    return Number(/^VmHWM:\s+(\d+)/mu.exec(readFileSync("/proc/self/status", "utf8"))[1])
  } catch {
    return process.resourceUsage().maxRSS
  }
}

process.on("exit", () => {
  const { system, user } = process.cpuUsage()
  writeFileSync(process.env.BENCH_USAGE, `${peak()} ${user + system}`)
})
