/** Programs that reach other machines, and those that change them. */
import { exactly, ran, remote, remotely, tool } from "../table/rows.ts"
import type { Spec } from "../table/spec.ts"

const network = "it reaches other machines"

const harmlessFlag = /^(?:-n|-o|-A|-l|-w|--all-namespaces|--namespace|--tail=\d+|-f)$/

/** What a cluster keeps secret is none of the model's business. */
const secrets = /(?:^|,)secrets?(?:$|[/,.])/

const cluster = (harmless: string): Spec => {
  const reads = new Set(harmless.split(" "))
  return {
    read: (words, findings) => {
      const [first] = words
      if (typeof first?.text !== "string" || !reads.has(first.text))
        return remote("it changes other machines").read?.(words, findings)
      findings.changes()
      for (const word of words.slice(1)) {
        const { text } = word
        if (text === null || text.includes("-file=") || (text.startsWith("-") && !harmlessFlag.test(text)))
          findings.hazard(word.at, "its flag may run a program or write a file")
        else if (secrets.test(text)) findings.hazard(word.at, "it shows secrets")
      }
    }
  }
}

const plainDocker = tool({
  flags: "--version -v",
  harmless: "-a -q -f: -n: -t --all --quiet --filter: --format: --no-trunc --tail: --timestamps --since: --until: -s",
  runs: "start stop restart rm rmi kill pull push tag",
  reads: "ps images logs version info inspect top stats port diff history"
})

/** Forced, or with its volumes, it loses what is kept nowhere else. */
const removed = (flags: string): Spec => ({
  named: "it removes containers or images",
  flags,
  operands: "mention"
})

/** Of compose: what removes volumes or runs something in a container has to be named. */
const compose: Spec = {
  named: "it runs containers",
  flags:
    "-f< --file< -p: --project-name: --profile: --env-file< --progress: --ansi: --project-directory< --compatibility --dry-run",
  hides: true,
  sub: Object.fromEntries(
    Object.entries({
      up: "-d --detach --build --no-build --force-recreate --no-recreate --no-deps --wait --wait-timeout: --remove-orphans --quiet-pull --abort-on-container-exit --exit-code-from: --pull: --scale: -t: --timeout: --no-start --no-color --no-log-prefix --attach: --timestamps",
      down: "--remove-orphans -t: --timeout:",
      build: "--no-cache --pull -q --quiet --progress: --parallel",
      ps: "-a --all -q --quiet --services --status: --filter: --format: --no-trunc",
      logs: "-f --follow -n: --tail: -t --timestamps --no-color --no-log-prefix --since: --until:",
      start: "",
      stop: "-t: --timeout:",
      restart: "-t: --timeout: --no-deps",
      pull: "-q --quiet --ignore-pull-failures --include-deps",
      config: "-q --quiet --services --volumes --images --profiles --format:",
      images: "-q --quiet --format:",
      top: "",
      port: "--protocol: --index:",
      version: "--short -f: --format:"
    }).map(([name, flags]) => [name, ran(flags)])
  )
}

/** An image is made by the commands of its file, which may be that of another machine. */
const image: Spec = {
  ...ran(
    "-t: --tag: -f< --file< --no-cache --pull -q --quiet --progress: --target: --platform: --build-arg: --label: --rm --force-rm --squash --load"
  ),
  always: (words, findings) => {
    for (const word of words)
      if (/^(?:-|[a-z+]+:\/\/.*|git@.*|github\.com\/.*)$/i.test(word.text ?? ""))
        findings.hazard(word.at, "it builds what somebody else sends")
  }
}

const docker: Spec = {
  ...plainDocker,
  sub: {
    ...plainDocker.sub,
    compose,
    build: image,
    rm: removed("-l --link"),
    rmi: removed("--no-prune"),
    kill: removed("-s: --signal:")
  }
}

const ghFlags =
  "-L: -s: -l: --limit: --state: --json: --label: -a: --author: -q: --jq: -R: --repo: --log --log-failed --name-only --comments"
const shown: Spec = { flags: ghFlags, operands: "mention", readOnly: true }

/** Of gh: what is to be done with it is the second word, and only some of them look. */
const asked: Spec = {
  named: "it may change other machines",
  flags: ghFlags,
  operands: ({ operands }, findings) => {
    const [verb, ...rest] = operands
    findings.changes()
    if (verb !== undefined && !/^(?:view|list|status|diff|checks|watch)$/.test(verb.text ?? "")) {
      findings.hazard(verb.at, "it may change other machines")
      if (/^(?:checkout|clone|download)$/.test(verb.text ?? "")) findings.moves("anywhere")
      else findings.floor("remote")
    }
    for (const word of rest) findings.target(word, "mention")
  }
}

const forge: Spec = {
  flags: "--version",
  readOnly: true,
  elsewhere: true,
  sub: {
    ...Object.fromEntries("pr mr issue run release repo workflow ci pipeline".split(" ").map((name) => [name, asked])),
    status: shown
  }
}

export const remotes: Readonly<Record<string, Spec>> = {
  docker,
  podman: docker,
  nerdctl: docker,
  "docker-compose": compose,
  kubectl: cluster("get describe logs version top explain api-resources cluster-info"),
  oc: cluster("get describe logs version"),
  helm: cluster("list status version history search"),
  terraform: cluster("version validate fmt"),
  tofu: cluster("version validate fmt"),
  gh: forge,
  glab: forge,
  ...remotely(
    "it changes other machines",
    "pulumi aws gcloud az ansible ansible-playbook flyctl fly heroku vercel netlify wrangler terragrunt cdk sam serverless sls firebase supabase railway doctl hcloud eksctl kops argocd flux gsutil bq s3cmd s4cmd oci ibmcloud linode-cli packer nomad consul vault vagrant surge twine"
  ),
  ...remotely(network, "ssh scp sftp mosh rsh rlogin rexec autossh sshpass rclone lftp"),
  ...exactly(
    network,
    "nc ncat netcat telnet ftp tftp aria2c http https xh curlie axel mtr traceroute tracepath nmap arp openvpn restic socat ping fping hping3 nping nslookup dig drill kdig delv resolvectl resolvconf host getent whois wscat websocat grpcurl sshfs ssh-copy-id ssh-keygen ssh-add ssh-keyscan ngrok cloudflared tailscale wg ip ifconfig nmcli tcpdump tshark dumpcap iperf iperf3 mail mailx mutt sendmail msmtp swaks lynx w3m links elinks dns-sd avahi-resolve"
  )
}
