/**
 * The hard floor for commands (security rule P16): what always asks, whatever the settings and whatever is listed.
 *
 * It recognises by text and asks when it cannot tell. A command that hides what it does inside a program of its own
 * (a script file, an interpreter's argument) is not recognised; the sandbox is what stands behind it.
 */
import { ask, type Verdict } from "../Decision.ts"
import * as ProtectedPath from "../ProtectedPath.ts"
import { type Context, isInside } from "./commandTarget.ts"
import { baseName, dequote, pieces, redirections, type Segment } from "./commandText.ts"
import { quote } from "./quote.ts"

const removers = /^(?:rm|rmdir|shred|unlink)$/
const writers = /^(?:mv|cp|install|ln|tee|touch|truncate|chmod|chown|chgrp|rsync|tar|unzip|patch|sponge)$/
const disks = /^(?:mkfs(?:\..*)?|mke2fs|wipefs|fdisk|sfdisk|parted|sgdisk|blkdiscard|diskutil)$/
const wrappers =
  /^(?:sudo|doas|env|xargs|parallel|timeout|nohup|nice|ionice|setsid|stdbuf|time|exec|command|builtin|busybox|toybox|(?:ba|da|z|k)?sh|eval|source|\.)$/
const programText = /^[A-Za-z0-9_./@%+:[\]-]+$/
const harmless = /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$/

const outputFlags = /^(?:-o|-O|-C|--output|--output-document|--output-dir|--directory|--directory-prefix)$/

/** The words after `at` that name files: positional ones, and values that are written into a flag. */
const targetsAfter = (words: ReadonlyArray<string>, at: number): ReadonlyArray<string> =>
  words.slice(at + 1).flatMap((word) => {
    const plain = dequote(word)
    if (!plain.startsWith("-")) return [word]
    const equals = plain.indexOf("=")
    return equals > 0 ? [plain.slice(equals + 1)] : plain.includes("/") ? [plain.slice(plain.indexOf("/"))] : []
  })

const judgeTargets = (
  program: string,
  targets: ReadonlyArray<string>,
  context: Context,
  globs: boolean
): ReadonlyArray<Verdict> =>
  targets
    .filter((target) => !harmless.test(dequote(target)))
    .flatMap((target) => {
      const found = ProtectedPath.match(dequote(target), "write")
      if (found !== undefined) return [ask(found.rule, found.reason)]
      return isInside(target, context, globs)
        ? []
        : [ask("floor.outside", `${quote(program)} may change ${quote(target)}, which may lie outside the workspace.`)]
    })

const removal = ({ words }: Segment, context: Context): ReadonlyArray<Verdict> => {
  const at = words.findIndex((word) => removers.test(baseName(word)))
  if (at >= 0) {
    const targets = targetsAfter(words, at)
    return targets.length === 0
      ? [ask("floor.outside", `${quote(baseName(words[at] ?? ""))} removes files that its text does not name.`)]
      : judgeTargets(baseName(words[at] ?? ""), targets, context, true)
  }
  const flag = words.findIndex((word) => /^-(?:delete|fprint.*|fls)$/.test(dequote(word)))
  const find = words.findIndex((word) => baseName(word) === "find")
  if (flag < 0 || find < 0) return []
  const until = words.findIndex((word, index) => index > find && word.startsWith("-"))
  const starts = words.slice(find + 1, until).filter((word) => word !== ".")
  return dequote(words[flag] ?? "") === "-delete" && context.anchored
    ? judgeTargets("find", starts, context, true)
    : [ask("floor.outside", "'find' may remove or overwrite files that its text does not name.")]
}

const writing = ({ words }: Segment, context: Context): ReadonlyArray<Verdict> => {
  const at = words.findIndex((word) => writers.test(baseName(word)))
  const inPlace = words.some((word) => /^(?:-[a-zA-Z]*i.*|--in-place.*)$/.test(dequote(word)))
  const editor = inPlace ? words.findIndex((word) => /^(?:g?sed|perl|ruby)$/.test(baseName(word))) : -1
  const flagged = words.flatMap((word, index) => (outputFlags.test(dequote(word)) ? (words[index + 1] ?? []) : []))
  return [
    ...(at < 0 ? [] : judgeTargets(baseName(words[at] ?? ""), targetsAfter(words, at), context, false)),
    ...(editor < 0 ? [] : judgeTargets(baseName(words[editor] ?? ""), targetsAfter(words, editor), context, false)),
    ...judgeTargets("the command", flagged, context, false)
  ]
}

const disk = ({ words }: Segment): ReadonlyArray<Verdict> => {
  const names = words.map(baseName)
  return names.some((name) => disks.test(name)) ||
    (names.includes("dd") && words.some((word) => dequote(word).startsWith("of=")))
    ? [ask("floor.disk", "The command may overwrite a device or a file as a whole.")]
    : []
}

/** Git accepts long options by their unique beginning. */
const history = ({ words }: Segment): ReadonlyArray<Verdict> => {
  const plain = words.map(dequote)
  const push = plain.indexOf("push")
  if (push < 0 || !words.slice(0, push).some((word) => baseName(word) === "git")) return []
  const destroys = plain
    .slice(push + 1)
    .some((word) => /^(?:--fo(?!ll)|--mi|--de|--pru|-[A-Za-z]*[fd]|\+|:)|[$*?{]/.test(word))
  return destroys ? [ask("floor.history", "The push may destroy history on the remote side.")] : []
}

const unreadableProgram = ({ program, words }: Segment): ReadonlyArray<Verdict> => {
  const name = words[program]
  if (name === undefined) return []
  const plain = dequote(name)
  const hidden = plain !== "" && !programText.test(plain)
  const wrapped = wrappers.test(baseName(name)) && words.slice(program + 1).some((word) => /[$*?{]/.test(word))
  return hidden || wrapped
    ? [
        ask("command.opaque", `Which program ${quote(words.slice(program).join(" "))} runs cannot be told.`, [
          "task",
          "always"
        ])
      ]
    : []
}

const secrets = (text: string): ReadonlyArray<Verdict> =>
  pieces(text).flatMap((piece) => {
    const found = ProtectedPath.match(piece, "read")
    if (found?.rule === "path.secret") return [ask(found.rule, found.reason)]
    return piece.split("/").some((part) => /^\.[^/]*[*?[]/.test(part))
      ? [ask("path.secret", `${quote(piece)} may match files that hold secrets.`)]
      : []
  })

const written = (text: string, context: Context): ReadonlyArray<Verdict> =>
  judgeTargets(
    "a redirection",
    redirections(text).map(({ target }) => target),
    context,
    false
  )

/**
 * The program of every part of the text must be readable, else the floor cannot be relied on. An exact entry of the
 * user answers this doubt, and only this one.
 */
export const opaque = (text: string, segments: ReadonlyArray<Segment>): ReadonlyArray<Verdict> => [
  ...(text.includes("$'")
    ? [ask("command.opaque", "The command spells characters by their codes.", ["task", "always"])]
    : []),
  ...segments.flatMap(unreadableProgram)
]

/** Everything of the floor that the command touches; empty when nothing was found. */
export const floor = (text: string, segments: ReadonlyArray<Segment>, context: Context): ReadonlyArray<Verdict> => [
  ...secrets(text),
  ...written(text, context),
  ...segments.flatMap((segment) => [
    ...removal(segment, context),
    ...writing(segment, context),
    ...disk(segment),
    ...history(segment)
  ])
]

/** Targets in the workspace that the text names as written; the edit rules judge them. */
export const literalWrites = (text: string, segments: ReadonlyArray<Segment>): ReadonlyArray<string> =>
  [
    ...redirections(text).map(({ target }) => target),
    ...segments.flatMap(({ words }) => {
      const at = words.findIndex((word) => removers.test(baseName(word)) || writers.test(baseName(word)))
      return at < 0 ? [] : targetsAfter(words, at)
    })
  ].filter((target) => !harmless.test(dequote(target)))
