/** An ask that no task of the history has. */
export class UnknownAsk extends Error {
  readonly _tag = "UnknownAsk"

  constructor(askId: string) {
    super(`no task waits for an answer to the ask ${JSON.stringify(askId)}`)
    this.name = "UnknownAsk"
  }
}
