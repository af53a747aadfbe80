/** A whole number as people and models read it: 2,604. The built-in way reads tables of languages, 10 ms of each start. */
export const figure = (value: number): string => String(value).replace(/\B(?=(?:\d{3})+$)/gu, ",")
