/** A number as people and models read it: 2,604. */
export const figure = (value: number): string => value.toLocaleString("en-US")
