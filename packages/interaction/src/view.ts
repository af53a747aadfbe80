/** What a view of a conversation shows, from what a host tells it, without Node and without a toolkit. */
export * as ViewState from "./view/ViewState.ts"
export * as Items from "./view/Items.ts"
export * as Names from "./view/Names.ts"
export * as Announcements from "./view/Announcements.ts"
export * as Answers from "./view/Answers.ts"
export * as Opened from "./view/Opened.ts"
