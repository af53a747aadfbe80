/** Which entries of a conversation a person has opened: their ids, the newest last. */

/** The oldest ones are closed again when there are more. */
const most = 100

/** The ids after an entry was opened or closed. */
export const change = (opened: ReadonlyArray<string>, id: string, isOpen: boolean): ReadonlyArray<string> => {
  const others = opened.filter((one) => one !== id)
  return isOpen ? [...others, id].slice(-most) : others
}
