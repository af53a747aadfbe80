/** A file of a task after its repair. */
export interface File {
  readonly name: string
  /** Its new content, piece by piece; undefined when it is copied as it is. */
  readonly content?: Iterable<string>
  /** What was done to it. */
  readonly repairs: ReadonlyArray<string>
}

/** What a subtask found and was never told, and the call that asked for it, as the program has it. */
export interface Report {
  /** Undefined where its call was answered when it began: what it found is a message. */
  readonly callId: string | undefined
  readonly words: string
}

/** What is added to a copy bears it. */
export const mark = "[added by Belay]"
