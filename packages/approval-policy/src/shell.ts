/**
 * Reads a command line with the grammar of bash 5, or a program with its arguments: pure, but large, so that it is an
 * entry of its own and only those load it who have a command to judge.
 */
import type { CommandReading } from "./CommandReading.ts"
import { read as readCommand, readWords as readCommandWords } from "./internal/shell/read.ts"

/** A program of the project, by whatever name the text has for it. */
export interface Own {
  /** As entries name it: relative to the workspace, with a slash. */
  readonly name: string
  /** Absolute. */
  readonly file: string
}

/** Gives the reader what the text of a command cannot say. */
export interface ReadOptions {
  /** What `~` and `$HOME` stand for, absolute. Without it they are not known. */
  readonly home?: string | undefined
  /** What `$PWD` stands for: the resolved folder of the command. */
  readonly folder?: string | undefined
  /**
   * The program of the project that a word leads to: a bare name by PATH, a path from the folder of the command. What it
   * says stands in the place of the name in `argv`. Without it a name is the program of the system.
   */
  readonly own?: ((program: string) => Own | undefined) | undefined
  /**
   * The bare name of a program that a word spells with the ending of its file, as Windows lets it: `git` of `git.exe`.
   * Nothing where it may be another program, or may not get the words (null: not known) as they are.
   */
  readonly bare?: ((program: string, words: ReadonlyArray<string | null>) => string | undefined) | undefined
}

/**
 * Gives what the text would do when exactly `bash --noprofile --norc -p -c -- TEXT` runs it in a scrubbed environment. Never
 * throws; a text that is not understood is `unreadable`. Source of the grammar's limits: bash 5.2, differential tests.
 */
export const read = (text: string, options: ReadOptions = {}): CommandReading =>
  readCommand(text, { home: options.home, folder: options.folder }, options)

/**
 * Gives what the program with exactly these arguments would do, started without a shell: every word is known, and nothing is
 * expanded. The first word is the program.
 */
export const readWords = (
  words: ReadonlyArray<string>,
  options: Pick<ReadOptions, "bare" | "own"> = {}
): CommandReading => readCommandWords(words, options)
