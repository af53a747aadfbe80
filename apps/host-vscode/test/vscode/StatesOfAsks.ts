/** What a person is asked, in each of its kinds. */
import type { View } from "@belay/interaction"

const ask = (more: Partial<View.Ask>): View.Ask => ({
  // The same for all, so that one follows the other in one dock.
  askId: "ask",
  kind: "approval",
  heading: "Run npm publish",
  facts: [],
  isEdit: false,
  grants: [
    { scope: "task", rules: ["npm publish"] },
    { scope: "always", rules: ["npm publish"] }
  ],
  options: [],
  ...more
})

export const question = "Which tag is it to have? The last release had `next`, and nobody has moved it since."

export const command: View.Ask = ask({
  command: "npm publish --tag next > publish.log \u2026 \\u{202e}txt",
  facts: [
    { label: "Runs", text: "/usr/bin/npm publish --tag next" },
    { label: "In", text: "api" },
    {
      label: "Sandbox",
      text: "off for this command, because you decide; commands that run without asking are confined"
    },
    { label: "Writes", text: "api/publish.log" },
    { label: "Why asked", text: "no rule allows it (command.other)" },
    { label: "The model says", text: '"Publishes the package"' }
  ],
  grants: [
    { scope: "task", rules: ["npm publish"] },
    { scope: "always", rules: [], refused: "npm can run programs of the package." }
  ]
})

const edit = ask({
  heading: "Edit 2 files",
  isEdit: true,
  facts: [
    { label: "Changes", text: "src/parse.ts  +41 −12\nsrc/link.ts -> /srv/shared/link.ts  +1 −1" },
    { label: "Why asked", text: "edits in the workspace ask (edit)" }
  ]
})

/** By their names; what waits for a person is the first. */
export const approvals: Readonly<Record<string, ReadonlyArray<View.Ask>>> = {
  command: [command, ask({ askId: "second" })],
  edit: [edit],
  repeat: [ask({ kind: "repeat", heading: "Run npm test again? It has failed three times", command: "npm test" })],
  question: [
    ask({
      kind: "question",
      heading: question,
      facts: [{ label: "Asks", text: question }],
      options: ["next", "latest", "A tag of its own, which nobody has used before"]
    })
  ],
  plan: [
    ask({
      kind: "plan",
      heading: "The plan is ready",
      facts: [{ label: "Asks", text: "Open: which tag?\n\n1. Write the parser\n2. Wire the command line\n3. Publish" }]
    })
  ],
  limit: [
    ask({
      kind: "limit",
      heading: "Paused: $2.00 of $2.00 spent, with all subtasks.",
      facts: [{ label: "Asks", text: "Paused: $2.00 of $2.00 spent, with all subtasks." }]
    })
  ]
}
