/**
 * Services that speak the Messages API, by name: where each is, how it takes its key, and what differs from the service
 * that made the API. A name instead of a base URL.
 */
import { type Key, type Service, services } from "./internal/services.ts"

export { services }
export type { Key, Service }

/** The names, in the order of the table. */
export const names: ReadonlyArray<string> = services.map(({ name }) => name)

const byName: ReadonlyMap<string, Service> = new Map(services.map((service) => [service.name, service]))

/** Returns a service by its name, or undefined. */
export const find = (name: string): Service | undefined => byName.get(name)

type Environment = Readonly<Record<string, string | undefined>>

const set = (...values: ReadonlyArray<string | undefined>): string | undefined =>
  values.find((value) => (value ?? "").trim() !== "")?.trim()

/** The region of a cloud, as its own tools are told it. */
export const regionOf = ({ wire }: Pick<Service, "wire">, env: Environment): string =>
  wire === "vertex"
    ? (set(env["CLOUD_ML_REGION"], env["GOOGLE_CLOUD_LOCATION"]) ?? "global")
    : (set(env["AWS_REGION"], env["AWS_DEFAULT_REGION"]) ?? "us-east-1")

/** Sources: https://docs.aws.amazon.com/general/latest/gr/bedrock.html, https://cloud.google.com/vertex-ai/docs/general/locations */
const cloudUrl = (service: Service, env: Environment): string => {
  const region = regionOf(service, env)
  if (service.wire === "bedrock") return `https://bedrock-runtime.${region}.amazonaws.com`
  const shared: Readonly<Record<string, string>> = {
    global: "aiplatform.googleapis.com",
    us: "aiplatform.us.rep.googleapis.com",
    eu: "aiplatform.eu.rep.googleapis.com"
  }
  return `https://${shared[region] ?? `${region}-aiplatform.googleapis.com`}/v1`
}

/** Says where a service is reached unless its user says otherwise; a cloud by its region. */
export const urlOf = (service: Service, env: Environment): string =>
  service.baseUrl === undefined ? cloudUrl(service, env) : service.baseUrl

/** The package that a cloud is reached with, which is installed beside by whoever uses it. */
export const packageOf = ({ wire }: Pick<Service, "wire">): string | undefined =>
  wire === "messages" ? undefined : `@anthropic-ai/${wire}-sdk`
