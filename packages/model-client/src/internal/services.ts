/** The services as their makers describe them: addresses, keys and what differs, each with its page and the day it was read. */

/** Says how a service takes its key. */
export interface Key {
  /** The variable that its makers keep it in. */
  readonly variable: string
  readonly header: "x-api-key" | "authorization"
}

/** Describes a service as its makers do. */
export interface Service {
  readonly name: string
  /** As its makers write it. */
  readonly title: string
  /** Where its Messages API is; absent where that depends on a region. */
  readonly baseUrl?: string
  /** How requests are put: as the Messages API has it, or as a cloud does, through a package of its own. */
  readonly wire: "messages" | "bedrock" | "vertex"
  /** Absent where the credentials are those of a cloud. */
  readonly key?: Key
  /** It runs where its user has it run, on this machine unless said otherwise, and needs no key unless it is set up to. */
  readonly isOwn: boolean
  /** It has `count_tokens`; where not it is not asked, and tokens are reckoned. */
  readonly countsTokens: boolean
  /** The page that says so, and when it was looked at. */
  readonly source: string
  readonly date: string
}

const date = "2026-11-26"

const bearer = (variable: string): Key => ({ variable, header: "authorization" })

/** On this machine at its usual port. */
const local = { wire: "messages", isOwn: true, date } as const
const hosted = { wire: "messages", isOwn: false, date } as const

/** Lists the services that are known by name. */
export const services: ReadonlyArray<Service> = [
  {
    ...hosted,
    name: "openrouter",
    title: "OpenRouter",
    baseUrl: "https://openrouter.ai/api",
    key: bearer("OPENROUTER_API_KEY"),
    countsTokens: false,
    source: "https://openrouter.ai/docs/guides/guides/claude-code-integration"
  },
  {
    ...local,
    name: "ollama",
    title: "Ollama",
    baseUrl: "http://localhost:11434",
    key: bearer("OLLAMA_API_KEY"),
    countsTokens: false,
    source: "https://docs.ollama.com/api/anthropic-compatibility"
  },
  {
    ...local,
    name: "lmstudio",
    title: "LM Studio",
    baseUrl: "http://localhost:1234",
    key: bearer("LM_API_TOKEN"),
    countsTokens: false,
    source: "https://lmstudio.ai/docs/developer/anthropic-compat"
  },
  {
    ...local,
    name: "llama.cpp",
    title: "llama.cpp",
    baseUrl: "http://localhost:8080",
    key: bearer("LLAMA_API_KEY"),
    countsTokens: true,
    source: "https://github.com/ggml-org/llama.cpp/pull/17570"
  },
  {
    ...local,
    name: "vllm",
    title: "vLLM",
    baseUrl: "http://localhost:8000",
    key: bearer("VLLM_API_KEY"),
    countsTokens: true,
    source: "https://docs.vllm.ai/en/latest/serving/integrations/claude_code/"
  },
  {
    ...hosted,
    name: "deepseek",
    title: "DeepSeek",
    baseUrl: "https://api.deepseek.com/anthropic",
    key: { variable: "DEEPSEEK_API_KEY", header: "x-api-key" },
    countsTokens: false,
    source: "https://api-docs.deepseek.com/guides/anthropic_api"
  },
  {
    ...hosted,
    name: "kimi",
    title: "Kimi",
    baseUrl: "https://api.moonshot.ai/anthropic",
    key: bearer("MOONSHOT_API_KEY"),
    countsTokens: false,
    source: "https://platform.moonshot.ai/docs/guide/agent-support"
  },
  {
    ...hosted,
    name: "glm",
    title: "GLM",
    baseUrl: "https://api.z.ai/api/anthropic",
    key: bearer("ZAI_API_KEY"),
    countsTokens: false,
    source: "https://docs.z.ai/scenario-example/develop-tools/claude"
  },
  {
    ...local,
    name: "litellm",
    title: "LiteLLM",
    baseUrl: "http://localhost:4000",
    key: bearer("LITELLM_API_KEY"),
    countsTokens: true,
    source: "https://docs.litellm.ai/docs/anthropic_count_tokens"
  },
  {
    name: "bedrock",
    title: "Amazon Bedrock",
    wire: "bedrock",
    isOwn: false,
    countsTokens: false,
    source: "https://platform.claude.com/docs/en/build-with-claude/claude-on-amazon-bedrock",
    date
  },
  {
    name: "vertex",
    title: "Google Vertex AI",
    wire: "vertex",
    isOwn: false,
    countsTokens: true,
    source: "https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai",
    date
  }
]
