/**
 * Names of files that usually hold secrets. A search never looks into them, because a search of a folder is approved
 * without naming its files. The policy's own list is longer; a host passes it as `isSecret`.
 */
import * as path from "node:path"

/** ripgrep globs; they match at any depth and without case. */
export const globs: ReadonlyArray<string> = [
  ".env*",
  "*.env",
  "*.{pem,key,p8,p12,pfx,pkcs12,jks,keystore,kdbx,ppk,keychain,keychain-db}",
  "id_*",
  ".{netrc,npmrc,pypirc,pgpass,my.cnf,git-credentials,dockercfg,htpasswd,s3cfg,boto,vault-token,vault_pass}",
  "_netrc",
  "{.credentials,credentials,secrets,kubeconfig}",
  "{.,}{credentials,secret,secrets}.{json,yml,yaml,toml,ini,xml,properties,csv,db,env,txt,tfrc.json}",
  "{service-account,client_secret}*.json",
  ".{ssh,gnupg,aws,azure,kube,password-store,terraform.d,keychain}",
  ".*_history",
  "*.{tfstate,tfvars}",
  "*.{tfstate.*,tfvars.json}",
  "{auth,local.settings,sftp,oauth_creds}.json",
  "{.dev.vars*,.yarnrc.yml,.databrickscfg,profiles.yml,wp-config.php,clouds.yaml,.authinfo,.sentryclirc}",
  ".{snowsql,oci,kaggle,huggingface}"
]

/** True when a component of the path, relative or absolute, is on the list. */
export const isSecret = (file: string): boolean =>
  file
    .toLowerCase()
    .split(/[\\/]/)
    .some((name) => globs.some((glob) => path.posix.matchesGlob(name, glob)))
