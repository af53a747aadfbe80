/** Whole lines with open places: everyday ones, and those that somebody writes who looks for a hole. */

const lines = (text: string): ReadonlyArray<string> =>
  text
    .trim()
    .split("\n")
    .map((line) => line.trim())

export const everyday = lines(String.raw`
  ls <folder>
  ls -la <folder>
  ls -R <clean>
  cat <file>
  cat <file> <file>
  cat <glob>
  head -n 3 <file>
  tail -n 2 <file>
  wc -l <file>
  wc -l <glob>
  sort <file>
  sort <file> | uniq -c
  sort -u <file> > <new>
  uniq <file>
  uniq <file> <new>
  cut -d, -f1 <file>
  grep -n TODO <file>
  grep -rn TODO <clean>
  grep -r TODO <folder>
  grep -rl TODO <clean> | xargs cat
  grep -rn TODO --include='*.ts' <folder>
  rg -n TODO <clean>
  rg TODO
  find <clean> -name '*.ts'
  find <folder> -type f
  find <clean> -type f -exec cat {} +
  find <clean> -type f -exec grep -n TODO {} \;
  find <clean> -name '*.ts' -exec wc -l {} +
  find <clean> -name '*.bak' -delete
  find <clean> -name '*.ts' -print0 | xargs -0 grep -n TODO
  find <folder> -name '*.md' | xargs cat
  find <clean> -type f | head -n 2
  find <clean> -name '*.ts' -exec sed -i s/a/b/ {} +
  find <clean> -type f -exec chmod 644 {} +
  cat names | xargs wc -l
  xargs cat < names
  xargs -a names ls -l
  cp <file> <new>
  cp -r <clean> <new>
  cp <file> <file> <clean>
  cp -a <clean> <new>
  mv <file> <new>
  mv <file> <clean>
  mv <clean> <new>
  rm <file>
  rm -f <new>
  rm -rf <clean>
  rm -rf <new>
  mkdir -p <new>
  mkdir <new> && cp <file> <new>
  mkdir -p <new> && touch <new>/x
  touch <new>
  touch <file>
  ln -s a <new>
  ln -s ../a <clean>/x
  chmod +x <file>
  chmod 600 <file>
  tee <new> < <file>
  cat <file> | tee <new>
  truncate -s 0 <file>
  install -m 644 <file> <new>
  split -l 1 <file> <new>
  dd if=<file> of=<new> bs=1 count=2
  diff <file> <file>
  diff -r <clean> <clean>
  cmp <file> <file>
  stat <file>
  file <file>
  du -sh <clean>
  echo hi > <new>
  echo hi >> <file>
  echo hi > <new> && cat <new>
  printf '%s\n' a b > <new>
  sed -n 1p <file>
  sed s/a/b/ <file>
  sed s/a/b/ <file> > <new>
  sed -i s/a/b/ <file>
  sed -i.bak s/a/b/ <file>
  awk '{print $1}' <file>
  awk '{print $1}' <file> > <new>
  tar -cf <new> <clean>
  tar -tf <archive>
  tar -xf ok.tar
  tar -xf ok.tar -C <clean>
  rsync -a <clean> <new>
  git status
  git status -s
  git diff
  git diff <file>
  git diff --stat
  git diff main other
  git diff --no-index <file> <file>
  git log --oneline
  git log -p -n 1
  git log --oneline -- <file>
  git show HEAD
  git show HEAD:a
  git show other:a
  git ls-files
  git ls-files -o --exclude-standard
  git grep -n TODO
  git blame <file>
  git branch -a
  git add <file>
  git add -A
  git commit -q -m x
  git add <file> && git commit -q -m x
  git commit -q -am x
  git checkout topic
  git checkout -b new
  git switch topic
  git checkout -- <file>
  git restore <file>
  git stash
  git stash list
  git mv <file> <new>
  git rm -q <file>
  git tag v2
  git merge topic
  git apply ok.patch
  git archive HEAD > <new>
  cd <clean> && ls
  cd <clean> && cat <glob>
  cd src && cat a.ts
  cd src && cp a.ts x.ts
  cd docs && grep -n TODO readme.md
  [ -f <file> ] && cat <file>
  test -d <folder> || mkdir <new>
  ls <folder> | wc -l
  ls <folder> | head -n 3 | sort
  { cat <file>; cat <file>; } > <new>
  for f in src/*.ts; do cat $f; done
  echo <glob>
`)

export const hostile = lines(String.raw`
  find . <test> <pattern> -exec <changer> {} \;
  find . -path ./.git/config -exec cp notes.txt {} \;
  find <source> -type <kind> -exec <changer> {} \;
  find <source> -type <kind> -exec <changer> {} +
  find <source> -type l -exec cp a {} \;
  find <folder> -type <kind> -execdir <changer> {} \;
  find <folder> <test> <pattern> -delete
  find <link> -type f -exec <changer> {} \;
  find <link>/ <test> <pattern> -exec <reader> {} \;
  find -L <folder> -type <kind> -exec <changer> {} \;
  find -L <folder> -name <pattern> -exec <reader> {} \;
  find -H <link> -type f -exec <reader> {} +
  find . -name .env -exec <reader> {} +
  find <folder> <test> <pattern> -exec <reader> {} +
  find <folder> -type <kind> -exec <reader> {} \;
  find <folder> -name <pattern> -exec cp {} <new> \;
  find <folder> -name <pattern> -exec cp -t <new> {} +
  find <source> -type f -exec mv {} . \;
  find <source> -type f -exec ln -s {} <new> \;
  find <source> -name notes -exec tee {} \; < a
  find <folder> -type f -exec cp {} {}.pem \;
  find <folder> -name <pattern> -fprint <x>
  find <folder> -maxdepth 1 -name <pattern> -exec rm -rf {} \;
  find . -type d -name <pattern> -exec cp a {} \;
  find . -type d -exec touch {}/.npmrc \;
  find <folder> -name <pattern> -print0 | xargs -0 <changer>
  find <folder> -type <kind> | xargs <changer>
  find <folder> -type <kind> | xargs -I{} cp a {}
  find <folder> -type <kind> | xargs -I{} <reader> {}
  find <folder> -type <kind> | xargs -n 1 <reader>
  find <folder> | xargs cat
  find docs -type f -o -type l | xargs <reader>
  ls <folder> | xargs <reader>
  ls -a | xargs <reader>
  ls docs/* | xargs cat
  ls -d docs/* | xargs <changer>
  ls | xargs rm -rf
  cd <source> && ls | xargs <reader>
  cd <source> && ls -tr | xargs <reader>
  cd <clean> && ls -l --time-style=+../<secret> | xargs -n1 <reader>
  cd <clean> && ls -lr --time-style +../<link> | xargs -n1 <reader>
  cd <folder> && ls -R ../<source> | xargs <changer>
  git ls-files | xargs <reader>
  git ls-files -o | xargs <reader>
  git ls-files docs | xargs -I{} <changer> {}
  cd <clean> && git ls-files .. | xargs <reader>
  git diff -z --name-only <branch> <branch> | xargs -0 -n1 <reader>
  cd <clean> && git diff --name-only <branch> climbs | xargs -n1 <reader>
  git diff --name-only <branch> | xargs -n1 <reader>
  git diff --name-only | xargs -n1 <reader>
  <reader> $(git diff --name-only <branch> climbs)
  git grep -l . <branch> | xargs -n1 <reader>
  cd <clean> && git ls-files ../<source> | xargs -n1 <reader>
  cd <clean> && git ls-files :/<source> | xargs <reader>
  cd fixtures/plain && grep -el list | xargs <reader>
  cd fixtures/plain && grep -e . --include -l list | xargs -n1 <reader>
  cd fixtures/plain && <reader> $(grep -rie -l . list)
  cd <clean> && grep -l x '../<link> y' 2>&1 | xargs -n1 <reader>
  cd <clean> && grep -l x '../<link> y' |& xargs -n1 <reader>
  cd <clean> && <reader> $(grep -l x '../<link> y' 2>&1)
  cd docs && touch deep/Qkey.pemQ && find deep -type f | xargs -d Q <reader>
  mkdir -p docs/deep/<link> && touch docs/deep/<link>/x && find docs/deep -type f | xargs -d / -n1 <reader>
  git ls-files -s docs
  grep -rl . <folder> | xargs <reader>
  grep -rl . <folder> | xargs <changer>
  xargs <reader> < <list>
  xargs <changer> < <list>
  xargs -a <list> <reader>
  xargs -a <list> <changer>
  xargs -I{} <reader> {} < <list>
  xargs -I{} cp a {} < <list>
  xargs -i cp a {} < <list>
  xargs -I X cp a X < <list>
  xargs -n1 cp a < <list>
  xargs -I{} cp fixtures/evil/{} {} < protected.list
  cat <list> | xargs <reader>
  cd fixtures/plain && cat list | xargs <reader>
  cd fixtures/plain && tac list | xargs <reader>
  cd fixtures/plain && echo ../../<x> | xargs <reader>
  cat <list> | xargs <changer>
  cat <list> | xargs -n1 <reader>
  echo <x> | xargs <changer>
  echo <x> | xargs <reader>
  printf '%s\n' <x> | xargs -I{} cp a {}
  grep -r <pattern> .
  grep -r TOKEN <x>
  grep -R TOKEN <folder>
  grep -rh '' <folder>
  grep -rn . <source>
  grep --recursive . <folder>
  grep -d recurse . <folder>
  grep --recurs . <folder>
  grep --recu TOKEN <x>
  grep --dereference-r . <folder>
  diff --recurs empty <source>
  cp --targ=. <evil>
  cp --target-dir <folder> <evil>
  cp --recurs --no-target-dir fixtures/evil .
  cp --archi fixtures/evil/. .
  mv --targ=. <evil>
  rm --recurs <repository>
  grep --directories=recurse . <folder>
  grep -f <secret> a
  grep '' <glob>
  rg . <folder>
  rg --hidden . <folder>
  rg -L . <folder>
  rg -uuu TOKEN
  diff -r <folder> <source>
  diff -rN empty <folder>
  diff -r <new> <folder>
  diff -r empty <source>
  diff a <x>
  git diff --no-index <x> <x>
  git diff --no-index empty <folder>
  git diff --no-index /dev/null <x>
  git grep --no-index . 
  git grep --untracked --no-exclude-standard TOKEN
  git grep --no-index -h '' <folder>
  cat <x>
  cat <glob> <x>
  head -n 5 <through>
  tail -n 5 <link>
  wc -l <through>
  sort <x>
  sort <file> -o <x>
  sort -o <x> <file>
  sort --outp=<x> <file>
  sort -mo<x> a
  uniq <file> <x>
  tee <x> < <file>
  tee <link> <file> < a
  cp <file> <x>
  cp <file> <through>
  cp <x> <new>
  cp -r <source> <new>
  cp -r <source> <x>
  cp -r fixtures/tools <new>
  cp -a fixtures/tools/. <clean>
  mv fixtures/tools <new>
  mv fixtures/tools <clean>
  rm -rf <repository>
  rm -r nest
  find docs -type <kind> -exec cp a ./{} \;
  find <source> -type l -exec tee ./{} \; < a
  find docs -exec <reader> {} +
  find <source> -exec <reader> {} \;
  find . -type d -exec cp a {}/.npmrc \;
  git diff --output <x>
  sort --output <x> <file>
  shuf --output <x> <file>
  git log -1 --output <x>
  git diff --no-index empty config
  git diff --no-index empty <source>
  cp --target-dir <x> <file>
  sort --outp <x> <file>
  cp -rT <source> .
  cp -rT <source> <x>
  cp -aT <source> ./
  cp -r <source> .
  cp -r <source>/. .
  cp -r fixtures/evil/* .
  cp <evil> .
  cp <evil> <folder>
  cp -r <evil> <clean>
  cp <evil> <new>
  mv <evil> <folder>
  mv <evil> .
  <copier> <evil> <folder>
  <copier> <evil> .
  ln <evil> .
  install -t . <evil>
  tee Makefile < <evil>
  find <source> -name Makefile -exec cp {} . \;
  find <source> -name Makefile -exec cp -t . {} +
  find <source> -type f | xargs cp -t <folder>
  ls <source> | xargs -I{} cp fixtures/evil/{} .
  cp -r fixtures/evil/.[a-z]* .
  cp -r fixtures/evil/.vscode .
  cp -r --parents fixtures/evil/.vscode docs
  cp --no-target-directory -r fixtures/evil .
  cp -rt . <source>
  cp -rt . fixtures/evil/.
  cp -L <link> <new>
  cp -rL <source> <new>
  cp -RL docs <new>
  cp -rH <link> <new>
  cp -a <link>/ <new>
  cp -s <x> <new>
  cp -l <x> <new>
  cp --target-directory=<x> <file>
  cp --targ=<x> <file>
  cp -t<x> <file>
  cp -bS .npmrc a <file>
  cp -b --suffix=/../../../outside/new <file> <file>
  <copier> <x> <x>
  <copier> <source> <x>
  <copier> <file> <x>
  <copier> <x> <new>
  <copier> <glob> <x>
  <copier> <source> .
  <copier> <folder> <folder>
  mv <source> <new>
  mv <link> <new>
  mv fixtures/evil/* .
  mv -T fixtures/evil <x>
  mv <x> <folder>
  mv -t . fixtures/evil/.vscode
  rm -rf <x>
  rm -rf <link>/
  rm -rf <through>
  rm -r <source>
  rm -rf docs/dir/
  rmdir <x>
  rmdir -p <x>
  unlink <x>
  ln -s <x> <new>
  ln -sf <x> <file>
  ln <x> <new>
  ln -sr <x> <new>
  mkdir -p <x>
  mkdir <through>
  touch <x>
  touch -r <x> <new>
  truncate -s 0 <x>
  truncate -r a <x>
  install <file> <x>
  install -D <file> <x>
  install -d <x>
  chmod -R 777 <x>
  chmod 777 <x>
  dd if=<x> of=<new>
  dd if=a of=<x>
  split -l 1 a <x>
  split -l 1 a --additional-suffix=rc .np
  split -b 3 --filter='cat > <x>' a
  csplit -f <x> a 2
  echo hi > <x>
  echo hi >> <link>
  cat < <x>
  cat <file> > <through>
  sed -i s/a/b/ <x>
  sed --in-pl s/a/b/ <x>
  sed --in-place=.bak s/a/b/ <x>
  sed -ni p <x>
  sed -n 'w <x>' a
  sed 's/a/b/w <x>' a
  sed -s p <glob>
  sed 'r <x>' a
  sed -f edit.sed a
  awk '{print > "<x>"}' a
  awk 'BEGIN{while((getline x < "<x>")>0) print x}'
  awk '{print}' <x>
  tar -xf <archive>
  tar -xf <archive> -C <x>
  tar xf <archive> --one-top-level=<x>
  tar -C <x> -xf <archive>
  tar -cf <x> <folder>
  tar -cf - <folder>
  tar -cf - <x> | cat
  tar -chf - <folder>
  tar -xOf <archive>
  tar -cf <new> -T <list>
  tar --dir=<x> -xf <archive>
  tar -cf - fixtures/evil/.vscode | tar -xf - --strip-components=2
  rsync -a <source>/ <x>
  rsync -aL <source> <new>
  rsync -a --files-from=<list> . <new>
  rsync -r <x> <new>
  rsync -a --delete empty/ <folder>
  git diff --output=<x>
  git diff --outp=<x>
  git log --output=<x>
  git show --output=<x> HEAD
  git checkout <branch>
  git checkout <branch> -- <x>
  git checkout <branch> .
  git checkout -f <branch>
  git switch <branch>
  git restore --source=<branch> <x>
  git restore --source=<branch> .
  git stash pop
  git stash apply
  git stash -u
  git stash -a
  git merge <branch>
  git merge -q <branch>
  git reset --hard <branch>
  git cherry-pick <branch>
  git rebase <branch>
  git pull . <branch>
  git apply <patch>
  git apply --directory=<x> <patch>
  patch -p1 -i <patch>
  patch -p1 < <patch>
  git am <patch>
  git add <x>
  git add -f <x> && git commit -q -m x
  git commit -q -F <x>
  git commit -q -t <x> -m x
  git mv <x> <x>
  git mv <file> <through>
  git rm -rf <x>
  git rm -r <folder>
  git clean -fd
  git clean -fdx
  git clean -fdx <folder>
  git config core.fsmonitor x
  git config user.name x
  git config --file <x> a.b c
  git config -f <x> --list
  git archive -o <x> HEAD
  git archive --output=<x> HEAD
  git archive --add-file=<x> HEAD
  git archive <branch> | tar -xf -
  git archive evil | tar -x
  git worktree add <x> <branch>
  git clone <repository> <x>
  git clone -q . <new>
  git clone --separate-git-dir=<x> . <new>
  git init <x>
  git init --template=fixtures/hooks <new>
  git -C <repository> status
  git -C <repository> diff
  git -C <x> status
  git -C sub add file.txt
  git --git-dir=<repository> status
  git --work-tree=<x> checkout -- a
  cd <repository> && git status
  cd <repository> && git diff
  cd sub && git log -p
  cd sub && git diff
  cd sub && git diff --stat
  cd sub && git diff <file>
  cd nest && git diff
  git submodule status
  git checkout-index -a --prefix=<x>/
  git format-patch -1 -o <x>
  git ls-files -X <x>
  git blame --contents <x> a
  git show <branch>:docs/k
  git cat-file -p <branch>:a
  git bundle create <x> HEAD
  git tag -a v3 -F <x>
  git notes add -F <x>
  git read-tree -u -m <branch>
  mkdir new && git status
  touch x && git diff
  git status > <new>
  cat <x> | tee <new>
  file -f <x>
  date -f <x>
  du --files0-from=<x>
  wc --files0-from=<x>
  sort --files0-from=<x>
  shuf -o <x> a
  tree -o <x>
  base64 <x>
  xxd <x>
  xxd -r <x> <x>
  od -c <x>
  cmp <x> a
  paste <x> a
  comm <x> a
  join <x> a
  strings <x>
  cd <link> && cat <x>
  cd <folder> && cat ../<through>
  cd <link> && cp ../ws/a new
  cd docs && cp ../a out
  cd docs && cat *
  cd <x> && touch new
  cd docs/dir && touch x
  (cd <link> && touch x)
  { cd <link>; touch x; }
  cp a "$(ls docs/o*)"
  cat $(cat names)
  for f in docs/*; do cp a $f; done
  for f in docs/*; do cat $f; done
  while read f; do cp a $f; done < <list>
  cat {a,b.txt} > {<new>}
  cat docs/{out,notes}
  cp a docs/{out,notes}
  cp a d?cs/o*t
  cat d*/o*
  cp a docs/o*
  cp a link-*
  rm docs/*
  rm link-*/*
  mv docs/* <new>
`)

/** Programs that make a later path mean something else. */
export const earlier = lines(String.raw`
  cp -r docs y
  cp -r docs z
  cp -a fixtures/linked y
  cp -r fixtures/linked/. new
  cp -rT docs y
  cp -r --parents docs y
  cp -P docs/out y
  cp -d docs/dir y
  cp -a docs/dir y
  cp -rt new docs
  cp -r fixtures/evil y
  cp -rL src y
  cp -as @@/outside y
  cp -s docs/out y
  cp -l docs/out y
  cp -l docs/dir y
  cp --link docs/dir y
  cp --symb docs/out y
  cp --no-deref docs/dir y
  cp --arch docs y
  cp --recurs docs y
  cp --preserve=links -R docs y
  cp -rx docs y
  cp -fd docs/out y
  install docs/readme.md y
  ln -P docs/dir y
  ln -f docs/out y
  ln --symbol ../outside y
  ln -t . -s docs/dir
  ln -s docs/out notes
  cp -P docs/* .
  find docs -type l -exec ln -s ../{} y \;
  find docs -type l | xargs -I{} cp -P {} y
  ls docs | xargs -I{} cp -P docs/{} .
  tar -cf - docs | tar -xf - -C empty
  xargs -a names ls
  mv docs y
  mv docs z
  mv docs/dir y
  mv link-dir y
  mv -T link-dir y
  mv fixtures/linked y
  mv sub z
  mv a docs/out2
  ln -s docs y
  ln -s docs/dir y
  ln -s link-dir y
  ln -s ../outside y
  ln -sf docs/dir y
  ln -sr docs/out y
  ln -s docs/* .
  ln -s .git y
  ln -s .env y
  ln -s package.json y
  ln docs/out y
  ln .env y
  git checkout other
  git checkout -q other
  git checkout other -- y
  git checkout other -- docs/k link
  git switch other
  git switch -q other
  git merge other
  git restore --source=other y
  git restore --source=other .
  git stash pop
  git stash apply
  git apply link.patch
  patch -p1 -i link.patch
  tar -xf evil.tar
  tar xf evil.tar
  git archive other | tar -xf -
  mkdir -p y
  mkdir -p y && cp -r docs/. y
  mkdir y && mv docs/dir y
  mkdir -p z/k
  rsync -a docs/ y
  rsync -a fixtures/linked y
  rm y
  rm -rf y
  rm a
  rm -f a && ln -s docs/dir/new a
  rm -r src
  cd docs
  cd fixtures/linked
  git mv docs y
  git mv docs/out y
  git clone -q . y
  git worktree add -q y other
  git worktree add y topic
  install -d y
  find docs -type l -exec cp -P {} y \;
  find docs -type l -exec mv {} empty \;
  ls docs
  true
  touch y
  echo x > y
  cp a y
  mv a y
  unlink link-in
  git rm -q a
  git reset -q --hard other
  git pull -q . other
`)

/** What then uses the path. */
export const after = lines(String.raw`
  cp a <later>
  cp a <later>
  cp -r src <later>
  cat <later>
  cat <later>
  head -n 2 <later>
  tee <later> < a
  echo x > <later>
  echo x >> <later>
  cat < <later>
  touch <later>
  rm -rf <later>/
  rm -rf <later>
  mv a <later>
  ln -sf a <later>
  sed -i s/a/b/ <later>
  truncate -s 0 <later>
  chmod 777 <later>
  grep -r . <later>
  grep . <later>
  grep -rh . y
  wc -l <later>
  sort <later>
  sort -o <later> a
  cat y/*
  cat z/*
  cp a y/*
  cat docs/*
  cp -rL y out
  cp a out
  tee dir/new < a
  cat out
  cat rc notes
  cat empty/docs/out
  cp a empty/docs/out
  cp -r y/. .
  cp -r y/* .
  cp -rT y .
  mv y/.vscode .
  mv y/* .
  find y -type f
  find y -type l -exec cat {} \;
  find -L y -type f -exec cat {} +
  find y/ -type f -exec cp a {} \;
  ls -R <later>
  dd if=<later> of=out.txt
  diff a <later>
  mkdir -p <later>
  install a <later>
  cd y && cat notes
  cd y && touch new
  cd y && ls
  git diff --no-index a <later>
  git add <later>
  git status
  awk '{print}' <later>
  cp <later> out.txt
  cp <later> y
  mv <later> out.txt
`)
