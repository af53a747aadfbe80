/**
 * Git commands that check signatures without being told to, and start gpg or ssh-keygen for it: a merge of a signed tag, and
 * an archive of files in which attributes let git write what it knows of a commit.
 * https://git-scm.com/docs/gitattributes#_creating_an_archive
 */
import * as Effect from "effect/Effect"

/** What git says; undefined where it fails. */
type Ask = (args: ReadonlyArray<string>) => Effect.Effect<string | undefined>

const merged = Effect.fnUntraced(function* (words: ReadonlyArray<string>, ask: Ask) {
  for (const word of words.filter((one) => !one.startsWith("-"))) {
    const tag = yield* ask(["cat-file", "tag", word])
    if (tag?.includes("\n-----BEGIN ") === true) return true
  }
  return false
})

const archived = Effect.fnUntraced(function* (words: ReadonlyArray<string>, commits: ReadonlyArray<string>, ask: Ask) {
  if (words.some((word) => /^--(?:wo|r|e)/.test(word))) return true
  for (const commit of commits) {
    const names = yield* ask(["ls-tree", "-r", "--full-tree", "--name-only", "-z", commit])
    if (names === undefined) return true
    for (const name of names.split("\0").filter((one) => /(?:^|\/)\.gitattributes$/i.test(one))) {
      const text = yield* ask(["cat-file", "blob", `${commit}:${name}`])
      if (text?.includes("export-subst") !== false) return true
    }
  }
  return false
})

/** `commits`: words of the command that name one, and HEAD. */
export const isChecked = (
  [command, ...words]: ReadonlyArray<string>,
  commits: ReadonlyArray<string>,
  ask: Ask
): Effect.Effect<boolean> =>
  command === "merge"
    ? merged(words, ask)
    : command === "archive"
      ? archived(words, commits, ask)
      : Effect.succeed(false)
