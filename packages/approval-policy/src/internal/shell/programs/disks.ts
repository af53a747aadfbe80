/** Programs that write devices, or a file as a whole. */
import type { Spec } from "../table/spec.ts"

const disk: Spec = {
  read: (words, findings) => {
    findings.changes()
    findings.floor("disk")
    for (const word of words) findings.hazard(word.at, "it may overwrite a device")
  }
}

const dd: Spec = {
  read: (words, findings) => {
    findings.changes()
    for (const word of words) {
      const [name, value] = word.text?.split(/=(.*)/s) ?? []
      if (name === "of" || word.text === null) findings.floor("disk")
      if (name === "if") findings.target({ ...word, text: value ?? null }, "read")
      if (name !== undefined && !/^(?:if|bs|count|skip|status|ibs|obs|conv|iflag)$/.test(name)) {
        findings.hazard(word.at, "it may overwrite a device or a file")
      }
    }
  }
}

const names = "mkfs mke2fs wipefs fdisk sfdisk parted sgdisk blkdiscard diskutil mkswap"

export const disks: Readonly<Record<string, Spec>> = {
  dd,
  ...Object.fromEntries(names.split(" ").map((name) => [name, disk]))
}
