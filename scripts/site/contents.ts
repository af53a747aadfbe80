// What the documentation site holds, and where: files of this repository in groups, as they stand in its sidebar.
import { readdirSync } from "node:fs"
import * as path from "node:path"
import { workspacePackages } from "../checks/workspace.ts"

export interface Page {
  /** In the repository, from its root. */
  readonly file: string
  /** On the site, without an ending. */
  readonly to: string
  /** Left out of the search: it would answer everything. */
  readonly isList?: boolean
}

export interface Group {
  readonly text: string
  readonly pages: ReadonlyArray<Page>
}

const docs = (...names: ReadonlyArray<string>): ReadonlyArray<Page> =>
  names.map((name) => ({ file: `docs/${name}.md`, to: name.replace(/\/README$/, "/index") }))

const guides = ["quickstart", "permissions", "production", "crash-and-resume", "tools", "stores", "testing"]

/** The groups in their order; the first page of all is the site's first page. */
export const groupsOf = (root: string): ReadonlyArray<Group> => {
  const all = workspacePackages(root).filter(({ kind }) => kind !== "examples")
  const packages = all.filter(({ kind, name }) => kind === "packages" || name === "@belay/sdk" || !name.startsWith("@"))
  const hosts = all.filter((one) => !packages.includes(one))
  const place = (folder: string): string => path.relative(root, folder).replaceAll(path.sep, "/")
  const programs = readdirSync(path.join(root, "examples", "src")).filter((name) => name.endsWith(".ts"))
  const reference = readdirSync(path.join(root, "docs", "reference")).filter((name) => name !== "README.md")
  return [
    {
      text: "Start",
      pages: [
        { file: "docs/README.md", to: "index" },
        { file: "README.md", to: "belay" },
        ...docs("recipes", "coming-from-others", "rescue", "comparison", "platforms")
      ]
    },
    { text: "Embed it", pages: docs(...guides.map((name) => `guides/${name}`)) },
    {
      text: "Examples",
      pages: [
        { file: "examples/README.md", to: "examples/index" },
        ...programs.map((name) => ({ file: `examples/src/${name}`, to: `examples/${path.basename(name, ".ts")}` }))
      ]
    },
    {
      text: "Packages",
      pages: packages.map(({ folder, id }) => ({ file: `${place(folder)}/README.md`, to: `packages/${id}` }))
    },
    {
      text: "Reference",
      pages: [
        { file: "docs/reference/README.md", to: "reference/index" },
        ...reference.map((name) => ({ file: `docs/reference/${name}`, to: `reference/${path.basename(name, ".md")}` }))
      ]
    },
    {
      text: "Rules and facts",
      pages: [
        ...docs("configuration", "approvals", "lifecycle", "events/README", "glossary", "performance", "ARCHITECTURE"),
        { file: "docs/messages.md", to: "messages", isList: true }
      ]
    },
    {
      text: "Hosts and project",
      pages: [
        ...hosts.map(({ folder, id }) => ({ file: `${place(folder)}/README.md`, to: `hosts/${id}` })),
        { file: "CONTRIBUTING.md", to: "contributing" },
        { file: "AGENTS.md", to: "agents" },
        { file: "SECURITY.md", to: "security" },
        { file: "CODE_OF_CONDUCT.md", to: "conduct" }
      ]
    }
  ]
}
