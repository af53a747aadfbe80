/**
 * The tool that reads the web: public pages as Markdown.
 *
 * What may be fetched is the policy's to say; where it leads is judged again at each step by the tool. Requires Node.
 */
export * as FetchUrl from "./web/FetchUrl.ts"
export * as Network from "./web/Network.ts"
