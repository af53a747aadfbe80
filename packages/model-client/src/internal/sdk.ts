/** The client of the SDK alone, without its resources: a bundle of it is a quarter of the whole. */
export { BaseAnthropic } from "@anthropic-ai/sdk/client"
