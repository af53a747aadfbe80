/**
 * The files that hold credentials, folded (lower case, NFC): asked on read and on write (rule `path.secret`).
 *
 * A name is here when a tool keeps a key, a password or a token in it by default, as the tool's manual says, or when
 * people name a file so because of what is in it. Files that merely may hold one (`config.yml`, `appsettings.json`,
 * `database.yml`, `settings.py`, `gradle.properties` of a project) are read without asking: they are edited every day,
 * and what is secret in them belongs elsewhere. Names of templates (`.env.example`) and of files that are encrypted
 * (`credentials.yml.enc`) are not in. Names that are also a word of a query (`.token` in jq) are not in.
 */

/** Names between blanks and line breaks. */
const list = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

/** ssh, GnuPG, password stores, mail, file transfer. https://man.openbsd.org/ssh, https://www.gnupg.org, https://www.passwordstore.org */
const people = list(`
  .netrc _netrc .authinfo .authinfo.gpg .ssh .gnupg .password-store .putty .keychain keychains .htpasswd .smbcredentials
  .davfs2 .msmtprc .fetchmailrc .offlineimaprc .passwd-s3fs sftp.json sftp-config.json .ftpconfig .ftppass sitemanager.xml
  recentservers.xml rclone.conf .rclone.conf .git-credentials .lesshst .viminfo .histfile fish_history cookies.txt cookies.sqlite
  .thunderbird .bitcoin .ethereum
`)

/**
 * Registries of packages. https://docs.npmjs.com/cli/configuring-npm/npmrc, https://yarnpkg.com/configuration/yarnrc#npmAuthToken,
 * https://getcomposer.org/doc/articles/authentication-for-private-packages.md, https://packaging.python.org/en/latest/specifications/pypirc
 */
const registries = list(`
  .npmrc .yarnrc.yml .pypirc auth.json .dockercfg .dockerconfigjson settings-security.xml key.properties keystore.properties
  signing.properties .sentryclirc sentry.properties
`)

/** Databases. https://www.postgresql.org/docs/current/libpq-pgpass.html, https://docs.getdbt.com/docs/core/connect-data-platform/profiles.yml */
const databases = list(`
  .pgpass pgpass.conf .pg_service.conf .my.cnf .mylogin.cnf .odbc.ini .snowsql .snowflake .databrickscfg profiles.yml
  datasources.local.xml robomongo.json wp-config.php .cdsapirc .ecmwfapirc
`)

/**
 * Clouds and what runs in them. https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-files.html,
 * https://developer.hashicorp.com/terraform/language/values/variables, https://learn.microsoft.com/azure/azure-functions,
 * https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig
 */
const clouds = list(`
  .aws .azure .kube kubeconfig k3s.yaml .oci .aliyun .bluemix .tccli .s3cfg .boto .terraformrc terraform.rc .terraform.d
  .vault-token .vault_pass .vault_pass.txt .vault-pass .vault-password .consul-token .nomad-token clouds.yaml secure.yaml openrc.sh
  local.settings.json .cloudflared .ngrok2 ngrok.yml .chef .minikube
`)

/** Keys of models. https://www.kaggle.com/docs/api, https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables */
const models = list(`.kaggle .huggingface oauth_creds.json`)

export const secretNames: ReadonlySet<string> = new Set([...people, ...registries, ...databases, ...clouds, ...models])

const data = "json|json5|jsonc|ya?ml|toml|ini|cfg|conf|xml|plist|properties|csv|db|sqlite|kdb|env|txt|tfrc\\.json"

/** Of one component. */
export const secretPatterns: ReadonlyArray<RegExp> = [
  /^\.env/,
  /.\.env$/,
  /^\.dev\.vars/,
  /\.(?:pem|key|p8|p12|pfx|pkcs12|jks|keystore|kdbx|ppk|keychain|keychain-db|ovpn|agekey)$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?!.*\.pub$)/,
  /^\..+_history$/,
  new RegExp(`^\\.?(?:.*[._-])?(?:credentials?|creds|secrets?)\\.(?:${data})$`),
  /^(?:service[-_]?account|client_secret).*\.json$/,
  /firebase-adminsdk.*\.json$/,
  /^\.?(?:.*[._-])?(?:pass(?:word|wd)s?|api[-_]?keys?|(?:access|auth|api)[-_]?tokens?)\.(?:json|ya?ml|toml|ini|txt|csv|xlsx?)$/,
  /\.tfstate(?:\..*)?$/,
  /\.tfvars(?:\.json)?$/,
  /^appsettings\.(?:production|staging|local|secrets?)\.json$/,
  /^kubeconfig[.-].+$|.\.kubeconfig$/,
  /.-openrc\.sh$/
]

/** Components in a row: in the home folder, unless the names say something else. */
export const secretSequences: ReadonlyArray<ReadonlyArray<string>> = [
  ["run", "secrets"],
  [".docker", "config.json"],
  [".m2", "settings.xml"],
  [".gradle", "gradle.properties"],
  [".nuget", "nuget.config"],
  [".bundle", "config"],
  [".hex", "hex.config"],
  [".ivy2", ".credentials"],
  [".subversion", "auth"],
  [".dbt", "profiles.yml"],
  [".circleci", "cli.yml"],
  [".travis", "config.yml"],
  [".fly", "config.yml"],
  [".mc", "config.json"],
  [".cache", "huggingface", "token"],
  [".cache", "huggingface", "stored_tokens"],
  [".codex", "auth.json"],
  [".continue", "config.json"],
  [".continue", "config.yaml"],
  [".expo", "state.json"],
  [".config", "gh"],
  [".config", "glab-cli"],
  [".config", "hub"],
  [".config", "gcloud"],
  [".config", "op"],
  [".config", "1password"],
  [".config", "bitwarden cli"],
  [".config", "gopass"],
  [".config", "rclone"],
  [".config", "github-copilot"],
  [".config", "doctl"],
  [".config", "hcloud"],
  [".config", "scw"],
  [".config", "heroku"],
  [".config", "linode-cli"],
  [".config", "openstack"],
  [".config", "stripe"],
  [".config", "netlify"],
  [".config", "vercel"],
  [".config", "flyctl"],
  [".config", "configstore"],
  [".config", "huggingface"],
  [".config", "wandb"],
  [".config", "pypoetry", "auth.toml"],
  [".config", "pip", "pip.conf"],
  [".config", "helm", "registry"],
  [".config", "sops"],
  [".config", "age"],
  [".config", "ngrok"],
  [".config", ".wrangler"],
  [".config", "google-chrome"],
  [".config", "chromium"],
  [".mozilla", "firefox"],
  [".wrangler", "config"],
  [".local", "share", "keyrings"],
  [".local", "share", "kwalletd"],
  [".local", "share", "com.vercel.cli"],
  [".local", "share", "jupyter", "runtime"],
  [".local", "share", "uv", "credentials"],
  ["sops", "age", "keys.txt"],
  ["etc", "shadow"],
  ["etc", "gshadow"],
  ["etc", "sudoers"],
  ["etc", "wireguard"],
  ["proc", "self", "environ"],
  ["proc", "thread-self", "environ"]
]

/** Names that hold secrets when they are the last component; as folders they are common in source trees. */
export const secretLastNames: ReadonlySet<string> = new Set(["credentials", ".credentials"])

/** Templates, which are made to be shared. */
export const secretExceptions =
  /\.(?:example|sample|template|dist|tmpl|tpl)$|[._-](?:example|sample|template)\.(?:json|ya?ml|toml|ini|txt|properties|tfvars)$/
