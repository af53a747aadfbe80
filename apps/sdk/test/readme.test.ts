import { readmeExample } from "../../../scripts/shared/readme.ts"

readmeExample(import.meta.url)
