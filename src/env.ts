import type { RegistryObject } from './adapters/registry/registry-object.ts'
import { type Access, MIN_ADMIN_KEY } from './http/authenticate.ts'
import { MIN_WORKER_SECRET } from './http/worker-jwt.ts'
import { isLoopback } from './http/loopback.ts'
import type { JwtOptions } from './http/jwt.ts'
import { isToolPattern } from './core/access.ts'
import { isObject } from './core/json.ts'

/** The bindings of `wrangler.toml`. Variables and secrets beside them are read by name. */
export interface Env {
  readonly REGISTRY: KVNamespace
  readonly Registry: DurableObjectNamespace<RegistryObject>
  readonly RATE_LIMIT?: RateLimit
  readonly VERSION?: WorkerVersionMetadata
}

/** What a deployment is configured to do. */
export interface Config {
  readonly access: Access
  readonly adminKey?: string
  readonly jwt?: JwtOptions
  /** Shared with an engine that calls this deployment as its worker. */
  readonly workerSecret?: string
  /** Secret name to the patterns of the tools that may have it. */
  readonly toolSecrets: ReadonlyMap<string, readonly string[]>
  readonly secretOf: (name: string) => string | undefined
  /** `host:port`s that outgoing requests may reach over http, whatever their address. */
  readonly allowHttpHosts: ReadonlySet<string>
}

/** A variable or secret whose value cannot be used; the message says which, and what to set. */
export class ConfigError extends Error {}

/** Switchboard's own secrets, which no tool may have whatever TOOL_SECRETS says. */
const OWN_SECRETS = /^(?:ADMIN_KEY|JWT_SECRET|WORKER_SECRET|VAULT_KEYS|.*_CLIENT_SECRET)$/i
const MIN_JWT_SECRET = 32

/** Reads the variables and secrets, the only place that does. Throws a ConfigError for a value that cannot be used. */
export function loadConfig(env: Env): Config {
  const variables = new Map<string, unknown>(Object.entries(env))
  const text = (name: string): string | undefined => {
    const value = variables.get(name)
    if (value === undefined || value === '') return undefined
    if (typeof value !== 'string') throw new ConfigError(`${name} must be a text`)
    return value
  }
  const adminKey = text('ADMIN_KEY')
  if (adminKey !== undefined && adminKey.length < MIN_ADMIN_KEY) {
    throw new ConfigError(`ADMIN_KEY must be at least ${MIN_ADMIN_KEY} characters long`)
  }
  if (adminKey !== undefined && !/^[\x21-\x7e]+$/.test(adminKey)) {
    throw new ConfigError('ADMIN_KEY must be visible ASCII characters without spaces: a header has to carry it')
  }
  const workerSecret = text('WORKER_SECRET')
  if (workerSecret !== undefined && new TextEncoder().encode(workerSecret).length < MIN_WORKER_SECRET) {
    throw new ConfigError(`WORKER_SECRET must be at least ${MIN_WORKER_SECRET} bytes long`)
  }
  const jwt = readJwt(text)
  return {
    access: readAccess(text('ACCESS')),
    ...(adminKey === undefined ? {} : { adminKey }),
    ...(jwt ? { jwt } : {}),
    ...(workerSecret === undefined ? {} : { workerSecret }),
    toolSecrets: readToolSecrets(variables.get('TOOL_SECRETS'), text),
    secretOf: text,
    allowHttpHosts: readHosts(variables.get('ALLOW_HTTP_HOSTS')),
  }
}

function readAccess(value = 'keys'): Access {
  if (value === 'keys' || value === 'public' || value === 'open') return value
  throw new ConfigError(`ACCESS must be 'keys', 'public' or 'open', got '${value}'`)
}

function readJwt(text: (name: string) => string | undefined): JwtOptions | undefined {
  const secret = text('JWT_SECRET')
  const jwksUrl = text('JWT_JWKS_URL')
  const issuer = text('JWT_ISSUER')
  const audience = text('JWT_AUDIENCE')
  if (secret !== undefined && new TextEncoder().encode(secret).length < MIN_JWT_SECRET) {
    throw new ConfigError(`JWT_SECRET must be at least ${MIN_JWT_SECRET} bytes long`)
  }
  if (jwksUrl !== undefined && !isKeySetUrl(jwksUrl)) {
    throw new ConfigError('JWT_JWKS_URL must be an https URL (http only to a loopback host)')
  }
  if (secret === undefined && jwksUrl === undefined) {
    if (issuer !== undefined || audience !== undefined) {
      throw new ConfigError('JWT_ISSUER and JWT_AUDIENCE need JWT_SECRET or JWT_JWKS_URL beside them')
    }
    return undefined
  }
  return {
    ...(secret === undefined ? {} : { secret }),
    ...(jwksUrl === undefined ? {} : { jwksUrl }),
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined ? {} : { audience }),
  }
}

function isKeySetUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

/** A table of `wrangler.toml` arrives as an object; `--var` gives its JSON text. */
function readToolSecrets(
  value: unknown,
  text: (name: string) => string | undefined,
): ReadonlyMap<string, readonly string[]> {
  const wanted = 'TOOL_SECRETS must map secret names to tool patterns, such as {"TWILIO_API_KEY": ["SMS.*"]}'
  const table = parsed(value, wanted) ?? {}
  if (!isObject(table)) throw new ConfigError(wanted)
  return new Map(
    Object.entries(table).map(([name, given]) => {
      if (OWN_SECRETS.test(name))
        throw new ConfigError(`TOOL_SECRETS must not hand out '${name}', Switchboard's own secret`)
      const patterns: unknown[] = Array.isArray(given) ? given : [given]
      const texts = patterns.filter((pattern) => typeof pattern === 'string' && isToolPattern(pattern))
      if (texts.length !== patterns.length) throw new ConfigError(wanted)
      // A binding or a table of that name is no secret, and is better found now than by a call
      text(name)
      return [name, texts.map(String)]
    }),
  )
}

function readHosts(value: unknown): ReadonlySet<string> {
  const wanted = "ALLOW_HTTP_HOSTS must list hosts such as 'localhost:9000', separated by commas"
  const given =
    typeof value === 'string' && !value.trimStart().startsWith('[') ? value.split(/[\s,]+/) : parsed(value, wanted)
  if (given === undefined) return new Set()
  if (!Array.isArray(given)) throw new ConfigError(wanted)
  const hosts = given.filter((host) => host !== '')
  for (const host of hosts) {
    if (typeof host !== 'string' || !/^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/.test(host)) {
      throw new ConfigError(`${wanted}, got '${String(host)}'`)
    }
  }
  return new Set(hosts.map((host) => String(host).toLowerCase()))
}

function parsed(value: unknown, wanted: string): unknown {
  if (typeof value !== 'string') return value
  if (value.trim() === '') return undefined
  try {
    return JSON.parse(value)
  } catch {
    throw new ConfigError(wanted)
  }
}
