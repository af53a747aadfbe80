/** The text is valid, and more may happen than can be told. */
export class NotPlain {
  readonly why: string
  constructor(why: string) {
    this.why = why
  }
}
