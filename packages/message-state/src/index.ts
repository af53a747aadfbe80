export * as ContextEdit from "./ContextEdit.ts"
export * as Conversation from "./Conversation.ts"
export * as Message from "./Message.ts"
export * as Usage from "./Usage.ts"
