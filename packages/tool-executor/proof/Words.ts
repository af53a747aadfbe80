/** What lines are made of: names of the tree by kind, flags by program, and whole lines with open places. */

const split = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

/** Open places are `<kind>`; `@@` is the folder above the workspace. */
export const names: Readonly<Record<string, ReadonlyArray<string>>> = {
  file: split("a b.txt notes.txt docs/readme.md docs/guide.md docs/notes src/a.ts src/b.ts lib/one.js config/app.yml"),
  folder: split("src docs lib src/deep docs/deep empty config fixtures/plain . ./ src/ docs/ ./docs"),
  source: split(
    "docs fixtures/linked fixtures/evil fixtures/evil/. fixtures/evil/ fixtures/tools fixtures/tools/. fixtures/plain sub src link-docs fixtures"
  ),
  clean: split("src lib src/deep empty fixtures/plain docs/deep"),
  new: split("y y z out new new/x out.txt docs/new src/new y/notes z/k deep/link ./y"),
  link: split(
    "link-in link-out link-dir link-home link-new link-docs link-env link-git link-pkg docs/out docs/dir docs/rc"
  ),
  through: split(
    "link-dir/secret link-dir/new link-home/.bashrc link-home/note docs/dir/notes link-git/config link-docs/out link-docs/readme.md fixtures/linked/notes fixtures/linked/dir/inner.txt link-dir/../ws/a docs/../link-out"
  ),
  protected: split(
    "package.json .npmrc .git/config .git/hooks/pre-commit .vscode/tasks.json .envrc Makefile AGENTS.md .belay/settings.json .git .vscode ./package.json .github/workflows/ci.yml node_modules/.bin/tool .husky .git/info/attributes"
  ),
  /** Files that are protected wherever they come to. */
  evil: split(
    "fixtures/evil/Makefile fixtures/evil/package.json fixtures/evil/.envrc fixtures/tools/Makefile fixtures/tools/.vscode fixtures/evil/.vscode/tasks.json"
  ),
  secret: split(".env key.pem id_rsa sub/.env config/.env.local .npmrc ~/.ssh/id_rsa"),
  outside: split(
    "../outside/secret ../outside/new ../outside ~/.bashrc ~/note ~ ~/new @@/outside/notes @@/outside/dir .. ../outside/dir/ $HOME/.bashrc ../ws/a /etc/passwd ../home/.gitconfig ~/.config/git ~/.config/git/config"
  ),
  /** What is there only after an earlier program of the line, or means something else then. */
  later: split(
    "y y/notes y/out y/dir/inner.txt y/dir/new y/rc y/secret y/readme.md y/package.json y/.npmrc y/.vscode/tasks.json y/new y/k y/link z z/out z/notes z/dir/secret z/.env link docs/k docs/out new/notes new/out new/dir/new deep/link out/notes ./y/out y/../a .npmrc .vscode/launch.json"
  ),
  glob: split(
    "*.txt docs/* src/*.ts * */ .* docs/o* link-* y/* **/*.md sub/* ./* */*.ts fixtures/*/notes* ?.txt d*/out .e* fixtures/evil/* src/*"
  ),
  branch: split("other other evil topic main climbs v1 HEAD HEAD~0 stash@{0} -"),
  /** Each holds a name that programs take for a flag. */
  odd: split("odd/o odd/output odd/list odd/f odd/at odd/delete odd/c odd/i"),
  wild: split("* ./* -* *env [-@]* ?*"),
  /** With a signature, whoever made it. */
  signed: split("signed signed signed-tag substituted"),
  lister: [
    ...split("ls"),
    "ls docs",
    "ls -a",
    "ls docs/*",
    "find docs",
    "find . -name '*.ts'",
    "find docs -type f",
    "find docs -type l",
    "find . -maxdepth 1 -type f",
    "find src -type f -print",
    "git ls-files",
    "git ls-files docs",
    "git ls-files -o",
    "git diff --name-only main other",
    "git diff --name-only",
    "git diff --name-only main climbs",
    "git grep -l .",
    "git ls-tree -r --name-only other",
    "grep -rl TODO src",
    "grep -l . *",
    "rg -l TODO",
    "cat list",
    "cat names",
    "echo ../outside/secret",
    "printf '%s\\n' a .env",
    "ls | sort",
    "find docs | head -n 3",
    "git ls-files | grep docs",
    "tac list"
  ],
  list: split("names list protected.list"),
  archive: split("ok.tar evil.tar"),
  patch: split("ok.patch evil.patch link.patch"),
  repository: split("sub nest nest/inner bare . .git sub/.git"),
  reader: [
    ...split("cat cat head tail wc sort ls od xxd nl tac rev stat file base64 sha256sum strings"),
    "head -n 2",
    "grep TODO",
    "grep -n .",
    "sed -n p",
    "awk '{print}'",
    "cat -n",
    "grep -H ''",
    "wc -l",
    "ls -l",
    "cut -c1-40",
    "diff a"
  ],
  /** Takes names behind it and changes them. */
  changer: [
    ...split("rm touch rmdir unlink"),
    "rm -f",
    "rm -rf",
    "chmod 644",
    "chmod -R 600",
    "touch -c",
    "truncate -s 0",
    "cp a",
    "cp -f notes.txt",
    "ln -sf a",
    "ln -f a",
    "tee",
    "mv -f notes.txt",
    "install a",
    "cp -t new",
    "sed -i s/a/b/",
    "sort -o",
    "git add",
    "git rm -f --cached",
    "mkdir -p",
    "split -l 1 a",
    "install -D a"
  ],
  copier: [
    ...split("cp cp cp mv mv ln install rsync"),
    "cp -r",
    "cp -r",
    "cp -R",
    "cp -a",
    "cp -rL",
    "cp -rH",
    "cp -rP",
    "cp -f",
    "cp -p",
    "cp -rT",
    "cp -T",
    "cp -rt new",
    "cp --parents",
    "cp --recurs",
    "cp -l",
    "cp -s",
    "cp -b",
    "cp --backup",
    "cp -S .npmrc -b",
    "cp -n",
    "cp -u",
    "cp --remove-dest",
    "cp -rf",
    "cp -aT",
    "cp --no-target-dir -r",
    "mv -f",
    "mv -T",
    "mv -n",
    "mv -b",
    "mv -u",
    "ln -s",
    "ln -sf",
    "ln -sfn",
    "ln -sr",
    "ln -f",
    "ln -L",
    "ln -P",
    "ln -sT",
    "install -D",
    "install -m 755",
    "install -T",
    "install -t",
    "rsync -a",
    "rsync -r",
    "rsync -rl",
    "rsync -aL",
    "rsync -aR",
    "git mv",
    "git mv -f",
    "rsync -a --delete"
  ],
  test: split("-name -iname -path -wholename -regex -newer"),
  pattern: split(
    "'*.ts' '*.md' notes '*' out .env '.git*' './.git/config' '*config' rc '*.json' .npmrc 'k*' '.*' package.json '*/out'"
  ),
  kind: split("f f f d l l")
}

/** Flags that a line gets thrown in, by program; abbreviated, joined and with values. */
export const flags: Readonly<Record<string, string>> = {
  ls: "-l -a -la -R -L -d -H --recursive --dereference --time-style=+x",
  cat: "-n -A -- -s",
  head: "-n1 -c5 -q -v --lines=2 --bytes=9",
  tail: "-n1 -n+2 -q --lines=2 -c5",
  wc: "-l --files0-from=list --files0-from=names -L",
  sort: "-r -u -k2 -o out -oout --output=new --outp=../outside/new -o../outside/new -onew --output=.npmrc -T. --files0-from=list --compress-program=./x -m -c -o docs/out --out y --random-source=.env",
  uniq: "-c -d -u",
  cut: "-c1 -d, -f1 --complement",
  grep: "-r -R -n -i -l -L -v -f list --file=.env -h -H --recursive --dereference-recursive --dereference-r --include=*.env --exclude-dir=.git -rn -Rn --directories=recurse -d recurse -drecurse --exclude-from=list -z -a --incl=.env -f.env",
  rg: "-n -l --hidden -uuu -L --follow --no-ignore -f list --pre=./x -g !x -z",
  find: "-L -H -P -follow -maxdepth=1 -delete -print -ls -fprint0 -files0-from",
  xargs: "-0 -n1 -r -I{} -a names -a list -anames --arg-file=list --arg-f=list -t -P2 -d, -i -L1 --replace=X -I%",
  cp: "-r -R -a -f -T -rT -L -H -P -d -l -s -b --parents --backup --remove-destination --recursive --dereference --no-target-directory --target-directory=new --target-dir=.vscode --targ=.vscode -t.vscode -tnew -t new -S.x --suffix=rc -rL --link --symbolic-link --attributes-only --copy-contents -Z -u --no-preserve=all --reflink=never --strip-trailing-slashes -x",
  mv: "-f -n -T -b -t new -tnew --target-directory=docs --targ=.git --backup=simple -S rc --strip-trailing-slashes -u --no-target-dir",
  ln: "-s -f -n -r -T -sf -sfn -t new -b -L -P --symbolic --relative --target-directory=docs --logical -i",
  rm: "-r -f -rf -d -v -R --recursive --no-preserve-root --interactive=never --one-file-system",
  mkfifo: "-m 600",
  fallocate: "-l 1 -n",
  rmdir: "-p --ignore-fail-on-non-empty --parents",
  mkdir: "-p -m 700 -m700 -pv --parents --mode=777 -Z",
  touch: "-a -m -c -h -r a -ra -d now -t 202601010000 --reference=a --no-create --no-deref",
  tee: "-a -i -p --append --output-error=warn",
  truncate: "-s 0 -s+1 -c -r a --size=0 --reference=a -o",
  install:
    "-d -D -m 600 -T -t new -b -p -s -o root --target-directory=docs --backup --strip-program=./x --mode=777 --directory -Dt -C",
  chmod: "-R 600 777 a+x u+s --reference=a -v --recursive --refer=.env -c",
  split: "-l 1 -b 5 -d --additional-suffix=rc --filter=cat -n 2 -a 1 --lines=1 --verbose -",
  csplit: "-f y -z -n 1 --prefix=../outside/x -s -k /x/ 2",
  dd: "if=a of=new of=../outside/new of=docs/out bs=1 count=5 if=.env conv=notrunc seek=1 status=none oflag=append",
  sed: "-n -e p s/a/b/ -i -i.bak --in-place --in-pl -I --in-place=.bak -iE -ni -Ei -s -E -f edit.sed --file=edit.sed 1p 'w out' 's/a/b/w ../outside/new' 'w .npmrc' '1r .env' 'r list' 1d --follow-symlinks --follow -z -- 'R .env' 's/a/b/w docs/out' $!d",
  awk: `'{print}' '{print > "out"}' '{print > "../outside/new"}' '{print >> "docs/out"}' 'BEGIN{while((getline x<".env")>0)print x}' -f edit.sed -v x=1 '{print > ".npmrc"}' -F, '{print | "tee y"}' 'END{close("y");print "x" > "y/out"}' --include=a -i inplace`,
  tar: "-xf -cf -tf xf cf tf -C docs -C .. -C link-dir -xvf --directory=../outside --dir=../outside -P --absolute-names --strip-components=1 --to-command=cat -O --to-stdout --overwrite -h --dereference --keep-directory-symlink -T list --files-from=list --transform=s/ok/.npmrc/ --one-top-level=.vscode --exclude=x --checkpoint-action=exec=id --remove-files -czf -rf -uf -A -L",
  rsync:
    "-a -r -l -L -R -n --delete --files-from=list --include=* -T .. --temp-dir=../outside --backup --backup-dir=../outside --log-file=../outside/new --out-format=x -k -K --copy-links --safe-links --partial-dir=.git -e sh --rsync-path=x --compare-dest=.. --link-dest=../outside --write-batch=y --inplace --suffix=rc",
  git: "--no-pager -C sub -C nest -c core.pager=cat --git-dir=sub/.git --work-tree=.. -P --exec-path=. -C .. --namespace=x -p",
  diff: "-u -r -q -N --brief --to-file=a --from-file=.env --recursive -rN --output=y --no-dereference",
  tr: "a b -d a-z A-Z -s",
  od: "-c -An -tx1 -j1",
  xxd: "-p -r -l 9",
  du: "-a -s -L --files0-from=list -h",
  file: "-b -f list --files-from=.env -L -m list -C",
  stat: "-c %n -L -f",
  date: "-r a -f .env --file=list -s now +%s",
  base64: "-d -w0",
  shuf: "-n1 -e -o y --output=y -o../outside/new --random-source=.env",
  tree: "-a -L 2 -o y -l --fromfile -f",
  paste: "-s -d,"
}

/** Flags of git by its subcommand. */
export const gitFlags: Readonly<Record<string, string>> = {
  status: "-s --short -uall --ignored --porcelain -v",
  diff: "--output=new --output=.git/hooks/pre-commit --outp=y --output y --no-index --stat --cached --ext-diff --textconv -p -O list HEAD other main..other --submodule=diff --name-only -Olist --ignore-submodules=none",
  log: "-p --output=y --oneline --all -n1 --follow --stat --ext-diff --textconv --show-signature -L1,2:a --submodule=log --outpu=.npmrc",
  show: "--output=y --stat other:a other:docs/k HEAD:a --textconv --name-only stash@{0}",
  grep: "-n -O --open-files-in-pager=cat --no-index -f .env -flist --untracked --no-exclude-standard --recurse-submodules -i -l TODO -e xy --cached other",
  checkout:
    "-f -q -b -B --ours -p --orphan x -- . --force -m --pathspec-from-file=list --detach --recurse-submodules --overwrite-ignore",
  switch: "-f -c -C -d --discard-changes --force --orphan -m",
  restore: "--source=other --source=evil -s other --staged --worktree . -SW --sour=evil --pathspec-from-file=names",
  add: "-A . -u -f -N -v --all --force --chmod=+x --pathspec-from-file=list -p",
  commit:
    "-m x -a -am x --amend --no-edit -q --no-verify -F a -F.env --file=.env -t a --template=.env --allow-empty --pathspec-from-file=list",
  stash: "push pop apply list show -p drop branch x -u -a --index clear create",
  mv: "-f -k -n -v",
  rm: "-r -f --cached -q -n",
  clean: "-f -d -x -fd -fdx -n -ffdx -e x -X",
  apply:
    "--index --cached -p0 -p1 --directory=.git --directory=../outside --unsafe-paths --check -R --reject --include=x --exclude=x --3way --stat --unsafe",
  merge: "--no-ff -m x --squash -q --ff-only -s ours -X theirs --abort -F .env --no-commit",
  config:
    "--get --list user.name x core.hooksPath docs --global --file=../outside/new -f y --add --unset get set --edit alias.x !id --local --blob=HEAD:a --fil=.npmrc",
  archive:
    "HEAD other --output=y -o y -o../outside/new --format=tar --prefix=x/ --remote=. --exec=x --add-file=.env -o.npmrc -oy.tar --worktree-attributes --add-file=list",
  worktree: "add list remove prune y other -f --detach ../outside/wt .vscode -b x move",
  clone:
    ". y sub nest ../outside/new --no-checkout --recurse-submodules --config=x=y -c core.fsmonitor=x --template=fixtures/hooks --separate-git-dir=../outside/new -q --depth=1 -u x --reference=. .vscode ~/.config/git --branch=evil -b other --bare --local",
  branch: "-a -D x -m -c --edit-description --list -d topic -u other",
  tag: "-l -a -m x -F .env -d v1 -f -s",
  "ls-files": "-o -s --others --ignored --exclude-standard -X .env --exclude-from=list --with-tree=other --eol",
  blame: "-L1,2 --contents .env --contents=list -s --ignore-revs-file=.env -S list",
  reset: "--hard --soft HEAD other --merge --keep evil -q",
  "cat-file": "-p other:docs/k HEAD:a --batch --textconv --filters",
  "checkout-index": "-a -f --prefix=../outside/ --prefix=.vscode/ --prefix=y/",
  "format-patch": "-1 -o ../outside -o y other --stdout --output-directory=.git/hooks",
  init: "-q y --template=fixtures --separate-git-dir=y .vscode --bare sub",
  submodule: "status foreach add update",
  bundle: "create y HEAD",
  "read-tree": "-u -m other --prefix=x/ --reset evil",
  "ls-tree": "-r HEAD other",
  notes: "list add",
  "update-index": "--refresh --add a --assume-unchanged"
}
