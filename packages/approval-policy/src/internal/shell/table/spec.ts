/** The vocabulary of the table of programs: words, what is found out about them, and how a program reads its arguments. */
import type { Action, Below, Floor, Hazard, Target } from "../../../CommandReading.ts"
import type { Value } from "../text/words.ts"

/** Where no rule can name it: only the user's exact text allows it. */
export const unnamed = 1_000_000_000

export interface Word extends Value {
  /** Index in the arguments of the whole command, the program being 0. */
  readonly at: number
  /** It stands for files that are found below the folder `text`: their names are not known. */
  readonly below?: Below
  /** Its text is relative to the folder of the command already, wherever the line has moved to. */
  readonly based?: true
}

type Kind = NonNullable<Hazard["kind"]>

/** What is found out about one command; `inner` are commands that it runs itself. */
export interface Findings {
  /** With `below`, what lies in the folder is taken as well. */
  readonly target: (word: Word | undefined, role: Target["role"], below?: Below) => void
  /** Only a rule that names the argument covers it. `kind`: what happens is known, and runs no other program. */
  readonly hazard: (at: number, why: string, kind?: Kind) => void
  /** A hazard where the word is the name of a file that is there. */
  readonly unless: (at: number, why: string, word: Word) => void
  /** A flag that a rule may pass over, wherever it stands. */
  readonly neutral: (at: number) => void
  /** It runs code that its text does not name. */
  readonly hides: () => void
  /** It may write the files that its words name. */
  readonly takes: () => void
  readonly floor: (floor: Floor) => void
  /** See `Action`. */
  readonly moves: (moves: Exclude<Action["moves"], "nothing">) => void
  /** Runs these words; `elsewhere` in folders that are not known. */
  readonly inner: (words: ReadonlyArray<Word>, elsewhere?: boolean) => void
  /** What it reads from its pipe, as names: `split` at blanks. */
  readonly fed: (words: ReadonlyArray<Word>, split: boolean, elsewhere: boolean) => ReadonlyArray<Word>
  /** Runs this text in a shell. */
  readonly script: (word: Word) => void
  /** Runs what it reads in a shell. */
  readonly input: () => void
  readonly changes: () => void
}

type Role = "text" | "read" | "write" | "tree" | "mention"

export interface Operand extends Word {
  /** The flags that were seen, as the table spells them. */
  readonly behindDashes: boolean
}

export interface Parsed {
  readonly operands: ReadonlyArray<Operand>
  readonly flags: ReadonlyMap<string, ReadonlyArray<Word | undefined>>
}

/**
 * `flags` lists what is harmless, and nothing else is: `-a` a switch, `-n:` with a value, `-f<` with a file to read,
 * `-t>` with a file to write, `-t/` with a folder to write in, `-r=` with a plain name (a path would be code to load), `-c?` with a value only behind `=`,
 * `-#` a number. A flag that is not listed is a hazard.
 */
export interface Spec {
  readonly flags?: string
  /** What an operand is; a function reads them itself. */
  readonly operands?: Role | ((parsed: Parsed, findings: Findings) => void)
  /** Only reads, with the listed flags. */
  readonly readOnly?: true
  /** Safe with any file name as an argument, also one that begins with a dash. */
  readonly anyName?: true
  /** The first operand names what is done; one that is not listed is a hazard. */
  readonly sub?: Readonly<Record<string, Spec>>
  /** Looks at all arguments, beside what the row says of them. */
  readonly always?: (words: ReadonlyArray<Word>, findings: Findings) => void
  /** Reads all arguments itself. */
  readonly read?: (words: ReadonlyArray<Word>, findings: Findings) => void
  /** Every argument is a hazard: only a rule that spells all of them allows it. */
  readonly exact?: string
  /** Why a rule has to name this subcommand. */
  readonly named?: string
  /** Options end at the first operand. */
  readonly posix?: true
  /** One dash begins a whole name. */
  readonly long?: true
  /** It runs code that its text does not name. */
  readonly hides?: true
  /** A subcommand that is not listed may change other machines. */
  readonly elsewhere?: true
}

/** The folder it runs in. */
export const here: Word = { text: ".", glob: false, written: ".", at: unnamed }

/** All that lies in a folder. */
export const everything: Below = { names: [], skips: [], follows: "nothing", splits: false }
