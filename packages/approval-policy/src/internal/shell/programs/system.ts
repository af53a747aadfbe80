/** Programs that say something of the machine. */
import { reader } from "../table/rows.ts"
import type { Spec } from "../table/spec.ts"

export const system: Readonly<Record<string, Spec>> = {
  pwd: reader("-L -P", { operands: "text" }),
  date: reader("-u -R -I? -d: --utc --iso-8601? --rfc-3339: --date: --rfc-email -r<", {
    operands: ({ operands }, findings) => {
      for (const word of operands) {
        if (word.text?.startsWith("+") !== true) findings.hazard(word.at, "it may set the clock")
        if (word.glob) findings.target(word, "mention")
      }
    }
  }),
  whoami: reader("", { operands: "text" }),
  id: reader("-u -g -n -G -r -un -gn", { operands: "text" }),
  hostname: reader("-s -f -i -I -d", {
    operands: ({ operands }, findings) => {
      for (const word of operands) findings.hazard(word.at, "it may set the name of the machine")
    }
  }),
  uname: reader("-a -s -n -r -v -m -p -i -o", { operands: "text" }),
  arch: reader(""),
  nproc: reader("--all --ignore:"),
  uptime: reader("-p -s"),
  free: reader("-h -m -g -k -b -t -w"),
  ps: reader("-e -f -A -a -u: -x -o: -p: -C: -l -w -ef -eo: --sort: --no-headers --forest --pid: --ppid:", {
    operands: ({ operands }, findings) => {
      for (const word of operands)
        if (!/^(?:[acfhjlrTuvwx]+|\d+)$/.test(word.text ?? ""))
          findings.hazard(word.at, "it may show the environment of other processes")
    }
  }),
  pgrep: reader("-f -l -a -u: -x -n -o -c -i", { operands: "text" }),
  lsof: reader("-i? -n -P -t -p: -u: -c: -a"),
  which: reader("-a", { operands: "text" }),
  type: reader("-t -a -p -P -f", { operands: "text" }),
  whereis: reader("-b -m -s", { operands: "text" }),
  locale: reader("-a -m", { operands: "text" })
}
