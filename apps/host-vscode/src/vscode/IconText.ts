/** Text as it is in the rows of a list, where the editor would draw an icon instead of `$(name)`. */
const icon = /\$\([a-z0-9-]+(?:~[a-z]+)?\)/giu

export const plain = (text: string): string => text.replaceAll(icon, (found) => `\\${found}`)

interface Texts {
  readonly label: string
  readonly description?: string | undefined
  readonly detail?: string | undefined
}

/** A row of which nothing is an icon. */
export const row = <Row extends Texts>(of: Row): Row => ({
  ...of,
  label: plain(of.label),
  ...(of.description === undefined ? {} : { description: plain(of.description) }),
  ...(of.detail === undefined ? {} : { detail: plain(of.detail) })
})
