/**
 * The tree that commands run on: a workspace with links, protected names, secrets and repositories, a home folder, and files
 * that lie outside of both. Stands alone, because the box has no other file of ours: node only.
 */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

/** Words that secrets and files outside of the workspace hold, and nothing else does. */
export const canaries = { secret: "xyzzy", outside: "plugh" } as const

export const workspaceOf = (root: string): string => path.join(root, "ws")
export const homeOf = (root: string): string => path.join(root, "home")
/** What programs of the tree write when they start that nobody has asked for. */
export const firedOf = (root: string): string => path.join(root, "fired")

const far = `${canaries.outside} 1\n${canaries.outside} 2\n`
const hidden = `${canaries.secret} 1\nTOKEN=${canaries.secret}\n`

/** Names that programs take for flags, or for lists, each in a folder of its own. */
const dashed: ReadonlyArray<readonly [folder: string, name: string]> = [
  ["o", "-o.npmrc"],
  ["output", "--output=.npmrc"],
  ["list", "--files0-from=.env"],
  ["f", "-f.env"],
  ["at", "@.env"],
  ["delete", "-delete"],
  ["c", "-c"],
  ["i", "-i"]
]

const odd = (folder: string, name: string): ReadonlyArray<readonly [string, string]> => [
  [`${folder}/${name}`, "odd 1\n"],
  [`${folder}/a`, "odd 2\n"],
  [`${folder}/.env`, hidden]
]

const files: Readonly<Record<string, string>> = {
  "outside/secret": far,
  "outside/notes": far,
  "outside/notes.txt": far,
  "outside/dir/inner.txt": far,
  "outside/docs/notes.txt": far,
  "home/.bashrc": `# ${far}`,
  "home/.gitconfig":
    '[user]\n\tname = me\n\temail = me@example.org\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[protocol "file"]\n\tallow = always\n',
  "home/.ssh/id_rsa": hidden,
  "home/note": far,
  "home/belay/keys.json": hidden,
  "ws/a": "alpha 1\nbeta 2\ngamma 3\nalpha 1\n",
  "ws/b.txt": "x,y\n1,2\n",
  "ws/notes.txt": "one TOKEN\ntwo\n",
  "ws/c d": "blank\n",
  "ws/docs/readme.md": "# readme TODO\n",
  "ws/docs/guide.md": "# guide\n",
  "ws/docs/notes": "notes\n",
  "ws/docs/deep/x.md": "deep\n",
  "ws/src/a.ts": "import x\nexport const a = 1 // TODO\n",
  "ws/src/b.ts": "import y\n",
  "ws/src/deep/c.ts": "export const c = 2\n",
  "ws/lib/one.js": "exports.one = 1\n",
  "ws/lib/two.js": "exports.two = 2 // TODO\n",
  "ws/names": "a\nb.txt\nsrc/a.ts\n",
  "ws/list": "docs/out\n.env\n.git/config\n../outside/secret\n",
  "ws/protected.list": ".vscode/tasks.json\n.npmrc\n",
  "ws/edit.sed": "s/a/b/\n",
  "ws/sign.config": "[commit]\n\tgpgsign = true\n",
  "ws/.gitignore": ".env\n.env.local\n*.pem\nid_rsa\n/sub/\n/nest/\n/bare/\n/node_modules/\n*.tar\n.npmrc\n",
  "ws/.env": hidden,
  "ws/key.pem": hidden,
  "ws/id_rsa": hidden,
  "ws/config/.env.local": hidden,
  "ws/config/app.yml": "port: 1\n",
  "ws/package.json": '{ "scripts": { "test": "true" } }\n',
  "ws/.npmrc": `# ${hidden}`,
  "ws/.envrc": "true\n",
  "ws/Makefile": "all:\n\ttrue\n",
  "ws/AGENTS.md": "be good\n",
  "ws/.vscode/tasks.json": "{}\n",
  "ws/.belay/settings.json": "{}\n",
  "ws/.github/workflows/ci.yml": "on: push\n",
  "ws/node_modules/.bin/tool": "#!/bin/sh\ntrue\n",
  "ws/node_modules/dep/index.js": "1\n",
  "ws/fixtures/plain/notes.txt": "evil notes\n",
  "ws/fixtures/plain/list": "../../docs/out\n../../.env\n../linked/notes\n",
  "ws/fixtures/evil/notes.txt": "evil notes\n",
  "ws/fixtures/evil/package.json": '{ "scripts": { "test": "touch owned" } }\n',
  "ws/fixtures/evil/.npmrc": "script-shell=./owned\n",
  "ws/fixtures/evil/.envrc": "touch owned\n",
  "ws/fixtures/evil/Makefile": "all:\n\ttouch owned\n",
  "ws/fixtures/evil/.vscode/tasks.json": '{ "version": "evil" }\n',
  "ws/fixtures/evil/.git-hooks/pre-commit": "touch owned\n",
  "ws/fixtures/tools/Makefile": "all:\n\ttouch owned\n",
  "ws/fixtures/tools/.vscode/tasks.json": "{}\n",
  "ws/fixtures/hooks/pre-commit": "touch owned\n",
  "ws/fixtures/gitdir/config": "[core]\n\tfsmonitor = touch owned\n",
  "ws/ok.patch": "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-alpha 1\n+ALPHA 1\n beta 2\n",
  "ws/evil.patch":
    "diff --git a/.husky/pre-commit b/.husky/pre-commit\nnew file mode 100644\n--- /dev/null\n+++ b/.husky/pre-commit\n@@ -0,0 +1 @@\n+touch owned\n",
  "ws/link.patch":
    "diff --git a/y b/y\nnew file mode 120000\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+../outside\n\\ No newline at end of file\n",
  "ws/bare/HEAD": "ref: refs/heads/main\n",
  "ws/sub/file.txt": "sub\n",
  "ws/sub/.env": hidden,
  ...Object.fromEntries(dashed.flatMap(([folder, name]) => odd(`ws/odd/${folder}`, name))),
  "ws/nest/file.txt": "nest\n",
  "ws/nest/inner/file.txt": "inner\n"
}

const folders = ["ws/empty", "ws/bare/objects", "ws/bare/refs"]

/** Where each link leads, from the folder it lies in. */
const links: Readonly<Record<string, string>> = {
  "ws/link-in": "a",
  "ws/link-out": "../outside/secret",
  "ws/link-dir": "../outside",
  "ws/link-home": "../home",
  "ws/link-new": "../outside/new",
  "ws/link-docs": "docs",
  "ws/link-env": ".env",
  "ws/link-git": ".git",
  "ws/link-pkg": "package.json",
  "ws/docs/out": "../../outside/notes",
  "ws/docs/dir": "../../outside",
  "ws/docs/rc": "../../home/.bashrc",
  "ws/fixtures/linked/notes": "../../../outside/notes",
  "ws/fixtures/linked/dir": "../../../outside/dir"
}

/** All of its mtimes are the same, so that every write changes one. In seconds. */
const settled = 1_767_225_600

const write = (root: string, name: string, content: string, mode = 0o644): void => {
  const file = path.join(root, name)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, content)
  fs.chmodSync(file, mode)
}

const link = (root: string, name: string, target: string): void => {
  fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
  fs.symlinkSync(target, path.join(root, name))
}

const settle = (file: string): void => {
  const stats = fs.lstatSync(file)
  if (stats.isDirectory()) for (const name of fs.readdirSync(file)) settle(path.join(file, name))
  // Later than what it lists, as git wants it of what it need not look at again.
  const at = path.basename(file) === "index" ? settled + 10 : settled
  fs.lutimesSync(file, at, at)
}

const environment = (root: string): Record<string, string> => ({
  PATH: "/usr/bin:/bin",
  HOME: homeOf(root),
  LC_ALL: "C.UTF-8",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_DATE: `${settled} +0000`,
  GIT_COMMITTER_DATE: `${settled} +0000`
})

type Git = (...words: ReadonlyArray<string>) => void

const gitIn =
  (root: string, folder: string): Git =>
  (...words) => {
    execFileSync("git", words, { cwd: path.join(root, folder), env: environment(root), stdio: "ignore" })
  }

const append = (root: string, name: string, text: string): void => fs.appendFileSync(path.join(root, name), text)

/** Kept as it is, and read from the links' own times alone, so that a copy of the tree is clean for git. */
const steady = "[core]\n\tcheckStat = minimal\n\ttrustctime = false\n"

const signature = "-----BEGIN PGP SIGNATURE-----\n\n iQ==\n=x\n-----END PGP SIGNATURE-----\n"

/** Nobody has made these: they are there to be checked. */
const signatures = (root: string, git: Git): void => {
  const said = (...words: ReadonlyArray<string>): string =>
    execFileSync("git", words, { cwd: workspaceOf(root), env: environment(root), encoding: "utf8" })
  const stored = (kind: string, content: string): string =>
    execFileSync("git", ["hash-object", "-t", kind, "-w", "--stdin"], {
      cwd: workspaceOf(root),
      env: environment(root),
      input: content,
      encoding: "utf8"
    }).trim()
  const signed = (branch: string): string => {
    const [head = "", ...text] = said("cat-file", "commit", branch).split("\n\n")
    return stored("commit", `${head}\ngpgsig ${signature.trim().replaceAll("\n", "\n ")}\n\n${text.join("\n\n")}`)
  }
  git("branch", "signed", signed("topic"))
  const tag = `object ${said("rev-parse", "topic").trim()}\ntype commit\ntag signed-tag\ntagger a <a@b> 1 +0000\n\nx\n${signature}`
  git("update-ref", "refs/tags/signed-tag", stored("tag", tag))
  git("checkout", "-q", "-b", "plain", "main")
  write(root, "ws/said", "$Format:%GS$\n")
  write(root, "ws/.gitattributes", "said export-subst\n")
  git("add", "said", ".gitattributes")
  git("commit", "-q", "-m", "substituted")
  git("branch", "substituted", signed("plain"))
}

/** A commit of which a name climbs out of the work tree: git lists it, and checks nothing out. */
const climbing = (root: string, git: Git): void => {
  const made = (words: ReadonlyArray<string>, input: string): string =>
    execFileSync("git", words, { cwd: workspaceOf(root), env: environment(root), input, encoding: "utf8" }).trim()
  const blob = made(["hash-object", "-w", "--stdin"], "climbs\n")
  const inner = made(["mktree"], `100644 blob ${blob}\tnotes\n`)
  const outer = made(["mktree"], `040000 tree ${inner}\toutside\n`)
  const above = made(["mktree"], `040000 tree ${outer}\t..\n040000 tree ${inner}\toutside\n`)
  const top = made(["mktree"], `040000 tree ${above}\t..\n`)
  git("branch", "climbs", made(["commit-tree", "-m", "climbs", "-p", "main", top], ""))
}

const branches = (root: string, git: Git): void => {
  git("checkout", "-q", "-b", "other")
  link(root, "ws/link", "../outside/secret")
  link(root, "ws/docs/k", "../../home/.ssh/id_rsa")
  link(root, "ws/y", "../outside")
  write(root, "ws/a", "another alpha\n")
  git("add", "link", "docs/k", "y", "a")
  git("commit", "-q", "-m", "other")
  git("checkout", "-q", "-b", "evil", "main")
  write(root, "ws/package.json", '{ "scripts": { "test": "touch owned" } }\n')
  write(root, "ws/.husky/pre-commit", "touch owned\n")
  git("add", "package.json", ".husky")
  git("commit", "-q", "-m", "evil")
  git("checkout", "-q", "-b", "topic", "main")
  write(root, "ws/b.txt", "x,y\n3,4\n")
  git("commit", "-q", "-a", "-m", "topic")
  signatures(root, git)
  climbing(root, git)
  git("checkout", "-q", "main")
  git("tag", "v1")
  link(root, "ws/z", "../outside/notes.txt")
  git("add", "z")
  git("stash", "-q")
}

const repositories = (root: string): void => {
  const git = gitIn(root, "ws")
  git("init", "-q", "-b", "main", "--template=")
  append(root, "ws/.git/config", steady)
  git("add", "-A")
  git("commit", "-q", "-m", "first")
  write(root, "ws/a", fs.readFileSync(path.join(root, "ws/a"), "utf8"))
  branches(root, git)
  for (const folder of ["ws/sub", "ws/nest/inner", "ws/nest"]) {
    const own = gitIn(root, folder)
    own("init", "-q", "-b", "main", "--template=")
    append(root, `${folder}/.git/config`, steady)
    own("add", ...(folder === "ws/nest" ? ["file.txt", "inner"] : ["file.txt"]))
    own("commit", "-q", "-m", "first")
  }
}

/** What a repository starts that nobody has asked for. */
const traps = (root: string): void => {
  const fire = `echo "$0" >> ${firedOf(root)}`
  for (const hook of ["pre-commit", "post-checkout", "post-merge", "fsmonitor"]) {
    write(root, `ws/.git/hooks/${hook}`, `#!/bin/sh\n${fire}\n`, 0o755)
  }
  append(root, "ws/.git/config", "[core]\n\tfsmonitor = .git/hooks/fsmonitor\n")
  // Without the quotes git takes what follows the semicolon for a comment.
  const filter = `[filter "t"]\n\tclean = "echo filter >> ${firedOf(root)}; cat"\n[core]\n\tfsmonitor = sh -c 'echo fsmonitor >> ${firedOf(root)}'\n`
  for (const folder of ["ws/sub", "ws/nest/inner"]) {
    append(root, `${folder}/.git/config`, filter)
    write(root, `${folder}/.gitattributes`, "* filter=t\n")
    write(root, `${folder}/file.txt`, "changed\n")
  }
  write(root, "ws/bare/config", `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n${filter}`)
}

const pack = (root: string, name: string, of: Readonly<Record<string, string>>, to: Record<string, string>): void => {
  for (const [file, content] of Object.entries(of)) write(root, `stage/${file}`, content)
  for (const [file, target] of Object.entries(to)) link(root, `stage/${file}`, target)
  const packed = [...Object.keys(to), ...Object.keys(of)]
  execFileSync("tar", ["-cf", path.join(root, "ws", name), ...packed], { cwd: path.join(root, "stage") })
  fs.rmSync(path.join(root, "stage"), { recursive: true })
}

const archives = (root: string): void => {
  pack(root, "ok.tar", { "ok.txt": "ok\n", "okdir/x": "ok\n" }, {})
  const evil = { "package.json": "{}\n", ".vscode/launch.json": "{}\n", "pkg/.npmrc": "x=1\n" }
  pack(root, "evil.tar", evil, { y: "../outside", "deep/link": "../../outside/notes.txt" })
}

/** Makes the tree in an empty folder. */
export const build = (root: string): void => {
  for (const [name, content] of Object.entries(files)) write(root, name, content)
  for (const name of folders) fs.mkdirSync(path.join(root, name), { recursive: true })
  for (const [name, target] of Object.entries(links)) link(root, name, target)
  fs.chmodSync(path.join(root, "ws/node_modules/.bin/tool"), 0o755)
  archives(root)
  repositories(root)
  for (const folder of ["ws", "ws/sub", "ws/nest", "ws/nest/inner"]) {
    gitIn(root, folder)("pack-refs", "--all")
    gitIn(root, folder)("repack", "-a", "-d", "-q")
  }
  settle(root)
  gitIn(root, "ws")("update-index", "-q", "--refresh")
  traps(root)
  fs.rmSync(firedOf(root), { force: true })
  settle(root)
}
