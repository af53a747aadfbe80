import { readmeExample } from "../../../readme.shared.ts"

readmeExample(import.meta.url)
