/** Programs of which no argument is harmless: editors, what changes the machine, and what its input tells what to do. */
import { exactly, named } from "../table/rows.ts"
import type { Spec } from "../table/spec.ts"

const crontab: Spec = {
  read: (words, findings) => {
    if (words.length === 1 && words[0]?.text === "-l") return
    findings.changes()
    findings.floor("removal")
    for (const word of words) findings.hazard(word.at, "it changes what runs later")
  }
}

/** What signs, and keeps its keys in the home folder. */
const keys: Spec = {
  exact: "it reads keys and writes files",
  always: (_, findings) => findings.floor("keys")
}

export const strict: Readonly<Record<string, Spec>> = {
  crontab,
  ...exactly("it shows the environment", "printenv"),
  ...exactly(
    "an editor runs programs",
    "vi vim nvim neovim gvim vimdiff view rview vimtutor emacs emacsclient nano pico ed ex joe jed micro hx helix kak mcedit subl code editor sensible-editor vipe vidir tig lazygit gitk mc ranger"
  ),
  ...exactly("a pager runs programs", "less more most pg pager sensible-pager info fzf"),
  ...exactly("a debugger runs programs", "gdb lldb rr bpftrace"),
  ...exactly("it changes what runs later", "at batch"),
  ...exactly("it changes what runs", "systemctl service launchctl"),
  ...exactly(
    "it changes the machine",
    "apt-get apt brew dpkg rpm reboot shutdown halt poweroff useradd userdel usermod groupadd passwd chpasswd visudo mount umount insmod rmmod modprobe sysctl iptables nft ufw defaults networksetup chattr setfacl kextload update-alternatives"
  ),
  ...exactly(
    "it changes a database, and can run programs",
    "sqlite3 psql mysql redis-cli mongo mongosh mariadb sqlplus duckdb clickhouse-client cqlsh influx"
  ),
  ...exactly("it reads keys and writes files", "openssl security secret-tool pass op"),
  ...Object.fromEntries("gpg gpg2 gpgsm gpgv gpg-agent gpgconf".split(" ").map((name) => [name, keys])),
  ...exactly(
    "what it reads tells it which programs to run and which files to write",
    "m4 dc gnuplot gs tex latex pdflatex xelatex lualatex luatex convert magick mogrify identify composite montage conjure ffmpeg xsltproc execlineb fossil rundll32 regsvr32 schtasks reg certutil bitsadmin"
  ),
  ...named(
    "it installs packages, or runs code of them",
    "gem composer conda mamba apk dnf yum pacman zypper snap flatpak port choco winget scoop cpan cpanm luarocks opam cabal stack rebar3 nix nix-env nix-shell pipx pyenv rbenv nvm fnm asdf mise rtx direnv hatch pdm pipenv rustup swift sbt lein buck2 deno-deploy corepack volta dart zig v nim crystal ghcup juliaup flit"
  )
}
