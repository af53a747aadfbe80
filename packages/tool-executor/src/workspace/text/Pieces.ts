/** A text in pieces, some of which are held back until more has come. */
export interface Pieces {
  readonly push: (piece: string) => string
  readonly end: () => string
}
