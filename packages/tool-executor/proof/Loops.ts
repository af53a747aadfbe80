/** Loops over names, functions and substitutions. `%{` stands for the brace of a variable; `<body>` has `$f` in it. */

const lines = (text: string): ReadonlyArray<string> =>
  text
    .trim()
    .split("\n")
    .map((line) => line.trim().replaceAll("%{", "${"))

export const loops = lines(String.raw`
  for f in <glob>; do <body>; done
  for f in <glob>; do <body>; done
  for f in <glob>; do <body>; <body>; done
  for f in <file> <x>; do <body>; done
  for f in <x> <x> <x>; do <body>; done
  for f in $(<lister>); do <body>; done
  for f in $(<lister>); do <body>; done
  for f in "$(<lister>)"; do <body>; done
  for f in $(cat <list>); do <body>; done
  for f in <glob> $(<lister>); do <body> || break; done
  for f in <glob>; do [ -f "$f" ] && <body>; done
  for f in <glob>; do if [ -d "$f" ]; then <body>; else <body>; fi; done
  for f in <glob>; do g=$f; cat $g; done
  for f in <glob>; do g=../outside/new; cp $f $g; done
  for f in <glob>; do for f in <x>; do :; done; <body>; done
  for f in <file>; do for f in <x>; do true; done; <body>; done
  for f in <file>; do while read -r f; do true; done < <list>; <body>; done
  for d in <folder> <source>; do for f in $d/*; do <body>; done; done
  for f in <folder>/*; do <body>; done
  for f in <link>/*; do <body>; done
  for f in 1 2 3; do <body>; done
  for f in {a,b.txt,<x>}; do <body>; done
  for i in $(seq 1 3); do f=<x>; <body>; done
  for f in <glob>; do (cd <folder> && <body>); done
  for f in <glob>; do cd <folder>; <body>; done
  for f in <glob>; do <body>; done > <x>
  for f in <glob>; do <body>; done < <x>
  for f in <glob>; do <body>; done | xargs <reader>
  for f in <glob>; do <body>; done | tee <x>
  for ((i=0;i<2;i++)); do f=<x>; <body>; done
  cd <odd> && for f in *; do <body>; done
  cd <odd> && for f in $(git ls-files); do <body>; done
  cd <odd> && <reader> <wild>
  cd <odd> && <lister> | xargs <reader>
  cd <odd> && git ls-files | while read -r f; do <body>; done
  <reader> <odd>/*
  while read f; do <body>; done < <list>
  while read -r f; do <body>; done < <list>
  while read -r f; do <body>; <body>; done < <x>
  while IFS= read -r f; do <body>; done < <list>
  while IFS=/ read -r g f; do <body>; done < <list>
  while read -r f g; do cp $f $g; done < <list>
  while read -r f; do <body>; done <<< <x>
  while read -r -d '' f; do <body>; done < <list>
  while read -d , f; do <body>; done < <list>
  while read -r; do cat $REPLY; done < <list>
  <lister> | while read f; do <body>; done
  <lister> | while read -r f; do <body>; done
  <lister> | while read -r f; do <body>; done
  <lister> | while IFS= read -r f; do <body>; <body>; done
  <lister> | while read -r f; do (cd <folder>; <body>); done
  <lister> | while read -r f; do [ -e "$f" ] || <body>; done
  cat <list> | while read -r f; do <body>; done
  cat <x> | while read -r f; do echo $f; done
  sort <x> | while read -r f; do printf '%s\n' "$f"; done
  find <folder> -print0 | while IFS= read -r -d '' f; do <body>; done
  while read -r f; do <body>; done < <(<lister>)
  while true; do f=<x>; <body>; break; done
  until [ -f y ]; do f=<x>; <body>; touch y; done
  f=<x>; <body>
  f=$(<lister>); <body>
  f=<x>; g=$f; cat $g
  f=(<x> <x>); cat "%{f[@]}"
  read -r f < <list>; <body>
  read f <<< <x> && <body>
  mapfile -t f < <list>; cat "%{f[@]}"
  set -- <x> <x>; cat "$@"
  f=<x>; f=%{f%.*}; <body>
  f=<file>; cat "%{f/a/../../outside/secret}"
  f=<file>; cp a %{f:+<x>}
  show() { cat "$1"; }; show <x>
  put() { cp a "$1"; }; put <x>
  put() { local f=$1; <body>; }; put <x>
  run() { "$@"; }; run <reader> <x>
  run() { "$@"; }; run <changer> <x>
  function put { tee $1 < a; }; put <x>
  cat() { cp a <x>; }; cat a
  ls() { <body>; }; f=<x>; ls
  cd() { builtin cd @@/outside; }; cd docs; touch new
  all() { for f in "$@"; do <body>; done; }; all <x> <x>
  more() { while read -r f; do <body>; done; }; <lister> | more
  cat $(<lister>)
  <reader> $(<lister>)
  <changer> $(<lister>)
  cp a $(<lister>)
  echo "$(<body>)"
  echo "$(cat <x>)"
  echo $(<lister>)
  diff <(cat <x>) <(cat a)
  diff <(sort <file>) <(<lister>)
  cat <(for f in <glob>; do <body>; done) <x>
  <reader> 2<(<changer> <x>)
  echo 12>(<changer> <x>)
  cat <(cp -r docs y) <later>
  cat <(<lister>)
  tee >(cat > <x>) < a
  printf '%s\n' "$(<lister> | head -n 2)"
  x=$(cat <x>) && echo "$x"
  case <x> in *) cat <x>;; esac
  case $(cat a) in *alpha*) f=<x>; <body>;; esac
  if <lister> | grep -q a; then f=<x>; <body>; fi
  { f=<x>; <body>; } > <new>
  <lister> | { while read -r f; do <body>; done; }
  <lister> | xargs -I% sh -c 'cat %'
  <lister> | xargs -n1 <reader>
  eval "cat <x>"
  sh -c 'for f in <x>; do cat $f; done'
`)

export const bodies = lines(String.raw`
  cat $f
  cat "$f"
  cat -- "$f"
  head -n 2 "$f"
  echo $f
  echo "$f"
  printf '%s\n' "$f"
  basename "$f"
  wc -l "$f"
  grep -n TODO "$f"
  grep -r . $f
  sort $f
  sort -o "$f" a
  shuf $f
  stat "$f"
  ls -l $f
  diff a "$f"
  uniq a $f
  date -r $f
  sed -n p "$f"
  sed -i s/a/b/ "$f"
  awk '{print}' $f
  cp a $f
  cp a "$f"
  cp "$f" y
  cp -r "$f" new
  cp "$f" "$f.bak"
  cp a "y/$f"
  cp a "$f/new"
  cp "fixtures/evil/$f" .
  mv "$f" y
  mv y "$f"
  mv a "$f.npmrc"
  rm -f "$f"
  rm -rf $f
  ln -sf a "$f"
  ln -s "$f" y; cat y
  ln -s ../outside y; cp a y/new
  mkdir -p "$f"; touch "$f/x"
  touch $f
  tee "$f" < a
  tee -a $f < a
  echo x > $f
  echo x >> "$f"
  cat < $f
  cat "$f" >> y
  cat "$f/notes"
  cat "../outside/$f"
  cat "%{f%.md}"
  cat "%{f##*/}"
  cat "docs/$(basename "$f")"
  cp a "$(dirname "$f")/new"
  chmod 600 "$f"
  truncate -s 0 "$f"
  install a "$f"
  dd if=a of=$f
  git add "$f"
  git log --oneline -1 -- "$f"
  git log -1 $f
  git show HEAD:$f
  git show other:$f
  git diff --no-index a "$f"
  git rm -q --cached $f
  git checkout other -- "$f"
  find $f -type f
  find "$f" -exec cat {} +
  cd $f && touch new
  cd "$f"; cat notes
  [ -f "$f" ] && cat "$f"
  test -L $f || cat $f
  f=.env; cat $f
  f=../outside/new; cp a $f
  cat $f | grep x
  echo "$f" | xargs cat
  echo "$f" | xargs touch
  xargs -a "$f" cat
  read -r f < list; cat $f
  tar -cf y "$f"
  rsync -a "$f" y
  file -f "$f"
  strings $f
  du -a $f
  <reader> $f
  <reader> "$f"
  <changer> $f
`)

/** Git that signs, or checks signatures. */
export const signing = lines(String.raw`
  git tag -s v9 -m x
  git tag -u me -m x v9
  git tag -v <signed>
  git tag --format='%(refname) %(signature)'
  git commit -S --allow-empty -m x
  git commit -q --gpg-sign --allow-empty -m x
  git -c commit.gpgsign=1 commit -q --allow-empty -m x
  git -c tag.gpgsign=true tag v9 -m x
  git -c log.showSignature=true log -1 <signed>
  git -c alias.x=commit x -S --allow-empty -m x
  git -c include.path=../ws/sign.config commit --allow-empty -m x
  GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=commit.gpgsign GIT_CONFIG_VALUE_0=1 git commit --allow-empty -m x
  git merge --no-ff --no-edit <signed>
  git merge -S --no-ff -m x topic
  git merge --verify-signatures <signed>
  git cherry-pick -S topic
  git rebase -S --force-rebase main topic
  git revert --no-edit -S HEAD
  git push --signed . HEAD:x
  git verify-tag <signed>
  git verify-commit <signed>
  git log --show-signature <signed>
  git log -1 --format=%G? <signed>
  git log -1 --pretty='%h %+GS' <signed>
  git show -s --format=%GK <signed>
  git rev-list -1 --format=%GG <signed>
  git for-each-ref --format='%(signature:grade)'
  git shortlog --format=%GS <signed>
  git archive <signed> > <new>
  git archive substituted | tar -tf -
  git stash list --format=%GS
`)
