import type { Access as AccessObject } from './storage/access/access-object.ts'
import type { Connect } from './storage/connect/connect-object.ts'
import type { EventsObject } from './storage/events/events-object.ts'
import type { IdempotencyStoreObject } from './storage/idempotency/idempotency-store-object.ts'
import type { RegistryObject } from './storage/registry/registry-object.ts'
import type { Records as RecordsObject } from './storage/records/records-object.ts'
import type { TasksObject } from './storage/tasks/tasks-object.ts'
import type SandboxHost from './runners/sandbox/process-host.ts'
import type { VaultObject } from './storage/vault/vault-object.ts'
import { MIN_ADMIN_KEY_CHARACTERS } from './http/caller/authenticate.ts'
import { MIN_JWT_SECRET, MIN_WORKER_SECRET } from './http/caller/secret-lengths.ts'
import { isSecureOrigin } from './http/caller/loopback.ts'
import type { JwtOptions } from './http/caller/jwt.ts'
import type { SignInPolicy } from './http/caller/jwt-claims.ts'
import { signInRules } from './core/access/sign-in-rules.ts'
import { formatReadError } from './core/tool/problem.ts'
import { callLimits } from './core/access/call-limits.ts'
import { isWebhookSecret, WEBHOOK_SECRET_FORM } from './core/event/webhook-secret.ts'
import { ANSWER_CHARACTERS, inlineBytes } from './core/call/call-options.ts'
import type { PublishedTotals } from './core/publish/publisher-quota.ts'
import { toolPattern } from './core/tool/tool-id.ts'
import { clientVariables, knownProviderIds } from './core/consent/known-providers.ts'
import { isJsonArray } from './core/tool/json.ts'
import { parseValue, integer, array, map, object, optional, type Reader, hideValue } from './core/tool/json-reader.ts'

export interface Env {
  readonly REGISTRY: KVNamespace
  readonly Registry: DurableObjectNamespace<RegistryObject>
  readonly IdempotencyStore: DurableObjectNamespace<IdempotencyStoreObject>
  readonly Vault: DurableObjectNamespace<VaultObject>
  readonly Access: DurableObjectNamespace<AccessObject>
  readonly Connect: DurableObjectNamespace<Connect>
  readonly Records: DurableObjectNamespace<RecordsObject>
  readonly Tasks: DurableObjectNamespace<TasksObject>
  readonly Events: DurableObjectNamespace<EventsObject>
  readonly RATE_LIMIT?: RateLimit
  readonly VERSION?: WorkerVersionMetadata
  /** Absent: `code` tools and `wasm` plugins cannot run. */
  readonly LOADER?: WorkerLoader
  /** Absent: an output that is too large for a response is an error. */
  readonly ARTIFACTS?: R2Bucket
  /** Absent: there are no guides. */
  readonly ASSETS?: Fetcher
  /** Responds with the number of free bytes for storage. Only in `npm run serve`. */
  readonly DISK?: Fetcher
  /** Processes for published code, and their watchdog. Only in `npm run serve`. */
  readonly SANDBOX_SHARED?: Service<SandboxHost>
  readonly SANDBOX_ALONE_0?: Service<SandboxHost>
  readonly SANDBOX_ALONE_1?: Service<SandboxHost>
  readonly SANDBOX_ALONE_2?: Service<SandboxHost>
  readonly WATCHDOG?: Fetcher
}

export type Config = Readonly<ReturnType<typeof loadConfig>>

export class ConfigError extends Error {}

/** Variables whose values are never sent anywhere, not even as a client's secret. */
const OWN_KEYS = /^(?:ADMIN_KEY|JWT_SECRET|WORKER_SECRET|VAULT_KEYS|FINDINGS_WEBHOOK_SECRET|SIGN_IN_CLIENT_SECRET)$/i
const OWN_SECRETS = /^(?:ADMIN_KEY|JWT_SECRET|WORKER_SECRET|VAULT_KEYS|FINDINGS_WEBHOOK_SECRET|.*_CLIENT_SECRET)$/i
const OWN_VARIABLES =
  /^(?:ACCESS|VERSION|DEMO_TOOLS|TOOL_(?:SECRETS|LIMITS)|PUBLISHER_QUOTA|USER_VERIFIER_URL|INLINE_BYTES|ALLOW_(?:ORIGINS|HTTP_HOSTS)|PUBLIC_URL|SELF_HOSTED|FINDINGS_WEBHOOK_URL|COMPARISON_SECONDS|(?:JWT|SIGN_IN|CONNECT)_.*|.*_CLIENT_ID)$/i
const MIN_VAULT_KEY = 16
const VISIBLE_ASCII = /^[\x21-\x7e]+$/
/** Used only with ACCESS=open, because a published key protects nothing. */
const DEVELOPMENT_VAULT_KEY = 'a key for development, which everybody knows'

const WANTED = {
  TOOL_SECRETS: 'TOOL_SECRETS must map secret names to tool patterns, such as {"TWILIO_API_KEY": ["SMS.*"]}',
  TOOL_LIMITS:
    'TOOL_LIMITS must say how often tools may be called, such as {"Gmail.*": {"rate": {"calls": 100, "seconds": 60}, "concurrency": 5}}',
  SIGN_IN_RULES:
    'SIGN_IN_RULES must be a list such as [{"domain": "acme.com", "scopes": ["tools:read", "tools:call"], "tools": ["*"]}]',
  INLINE_BYTES: `INLINE_BYTES must be how many bytes of JSON an answer holds, from 1 to ${ANSWER_CHARACTERS}`,
  COMPARISON_SECONDS: 'COMPARISON_SECONDS must be the number of seconds, from 0 to 86400',
  RECORD_CALL_CONTENT: 'RECORD_CALL_CONTENT must be the number of days, from 0 to 30',
  PUBLISHER_QUOTA:
    'PUBLISHER_QUOTA must say how much one key may publish, such as {"documents": 10000, "bytes": 268435456}',
}
const PATTERNS = array(toolPattern)
const TOOL_SECRETS = map((value, report) => PATTERNS(isJsonArray(value) ? value : [value], report), Infinity)
const TOOL_LIMITS = map(callLimits, Infinity, (pattern) =>
  parseValue(toolPattern, pattern).ok ? undefined : `'${pattern}' is not a pattern of tools`,
)
const DEFAULT_QUOTA: PublishedTotals = { documents: 10_000, bytes: 256 * 1024 * 1024 }
const AMOUNT = integer(0, Number.MAX_SAFE_INTEGER)
const QUOTA = object({
  documents: optional(AMOUNT, DEFAULT_QUOTA.documents),
  bytes: optional(AMOUNT, DEFAULT_QUOTA.bytes),
})

type Variables = ReturnType<typeof readVariables>

/** Each reader returns undefined for a variable that is not set. */
function readVariables(env: object) {
  const variables = new Map<string, unknown>(Object.entries(env))

  function text(name: string): string | undefined {
    const value = variables.get(name)
    if (value === undefined || value === '') return undefined
    if (typeof value !== 'string') throw new ConfigError(`${name} must be a text`)
    return value
  }

  function checkedText(name: string, must: string, isValid: (value: string) => boolean): string | undefined {
    const value = text(name)
    if (value === undefined || isValid(value)) return value
    throw new ConfigError(`${name} must ${must}`)
  }

  return {
    text,
    checkedText,
    get: (name: string) => variables.get(name),

    secret(name: string, least: number): string | undefined {
      const countBytes = (value: string) => new TextEncoder().encode(value).length
      return checkedText(name, `be at least ${least} bytes long`, (value) => countBytes(value) >= least)
    },

    choice<T extends string>(name: string, choices: readonly [...T[], T], defaultChoice: T): T {
      const value = text(name) ?? defaultChoice
      const match = choices.find((choice) => choice === value)
      if (match !== undefined) return match
      const quotedChoices = choices.map((choice) => `'${choice}'`)
      throw new ConfigError(
        `${name} must be ${quotedChoices.slice(0, -1).join(', ')} or ${quotedChoices.at(-1)}, got '${value}'`,
      )
    },

    json<T>(name: keyof typeof WANTED, reader: Reader<T>): T | undefined {
      const value = parseJsonText(variables.get(name), WANTED[name])
      const checkedValue = value === undefined ? undefined : parseValue(reader, value)
      if (checkedValue?.ok === false)
        throw new ConfigError(`${formatReadError(name, checkedValue.problems)}. ${WANTED[name]}`)
      return checkedValue?.value
    },
  }
}

/** Reads all variables and secrets; no other function does. Throws a ConfigError with the fix for the first wrong one. */
export function loadConfig(env: object) {
  const variables = readVariables(env)
  const { text, checkedText, secret, choice, json } = variables
  checkedText(
    'ADMIN_KEY',
    `be at least ${MIN_ADMIN_KEY_CHARACTERS} characters long`,
    (key) => key.length >= MIN_ADMIN_KEY_CHARACTERS,
  )
  const canBeSent = 'be visible ASCII characters without spaces: a header has to carry it'
  const adminKey = checkedText('ADMIN_KEY', canBeSent, (key) => VISIBLE_ASCII.test(key))
  const toolSecrets = new Map(Object.entries(json('TOOL_SECRETS', hideValue(TOOL_SECRETS)) ?? {}))
  const reservedName = [...toolSecrets.keys()].find((name) => OWN_SECRETS.test(name))
  if (reservedName) throw new ConfigError(`TOOL_SECRETS must not hand out '${reservedName}', Switchboard's own secret`)
  // Finds a wrong value now rather than at the first request for consent
  for (const name of [...toolSecrets.keys(), ...knownProviderIds.map(clientVariables).flatMap(Object.values)])
    text(name)
  const access = choice('ACCESS', ['keys', 'public', 'open'], 'keys')
  const allowHttpHosts = readHosts(variables.get('ALLOW_HTTP_HOSTS'))
  const isOutside = (url: string) => isOutsideUrl(url, allowHttpHosts)
  const vaultKeys = readVaultKeys(text('VAULT_KEYS'))
  const vaultKeysArePublic = vaultKeys.length === 0 && access === 'open'
  const contentDays = json('RECORD_CALL_CONTENT', integer(0, 30)) ?? 0
  if (contentDays > 0 && vaultKeys.length === 0 && !vaultKeysArePublic)
    throw new ConfigError('RECORD_CALL_CONTENT needs VAULT_KEYS beside it, which encrypts what is recorded')
  const rules = json('SIGN_IN_RULES', signInRules)
  const jwt = readJwt(variables)
  const connectIssuer = readIssuer(variables, isOutside, jwt, {
    name: 'CONNECT_ISSUER',
    kind: "an authorization server's issuer",
    example: 'https://acme.okta.com/oauth2/default',
  })
  const signIn = readSignIn(variables, isOutside, jwt)
  const issuers = [signIn?.issuer, connectIssuer, ...(jwt?.issuers ?? [])].filter((each) => each !== undefined)
  const hasSeveralIssuers = new Set(issuers).size > 1
  const claims = { user: text('SIGN_IN_USER'), groups: text('SIGN_IN_GROUPS') ?? 'groups' }
  const people: SignInPolicy = { issuer: signIn?.issuer, claims, rules }
  const outside = 'be an https URL (http only to a loopback host or ALLOW_HTTP_HOSTS)'
  return {
    access,
    adminKey,
    jwt: jwt && { ...jwt, people, qualifiesUserIds: hasSeveralIssuers },
    signIn,
    people,
    workerSecret: secret('WORKER_SECRET', MIN_WORKER_SECRET),
    toolSecrets,
    toolLimits: new Map(Object.entries(json('TOOL_LIMITS', TOOL_LIMITS) ?? {})),
    /** Also reads the client id of a well-known provider, such as `GOOGLE_CLIENT_ID`. */
    readVariable: text,
    servesDemos: choice('DEMO_TOOLS', ['true', 'false'], access === 'open' ? 'true' : 'false') === 'true',
    inlineBytes: json('INLINE_BYTES', inlineBytes) ?? ANSWER_CHARACTERS,
    quota: json('PUBLISHER_QUOTA', QUOTA) ?? DEFAULT_QUOTA,
    checkClientSecret(name: string): string | undefined {
      if (OWN_KEYS.test(name)) return "Is Switchboard's own, and is sent to nobody"
      return toolSecrets.has(name) ? 'Is a secret of tools, as TOOL_SECRETS has it' : undefined
    },
    checkToolSecret(name: string): string | undefined {
      if (OWN_SECRETS.test(name) || OWN_VARIABLES.test(name)) return "Is Switchboard's own, and no tool may have it"
      if (toolSecrets.has(name)) return 'Is given by TOOL_SECRETS, which no policy widens'
      const isText = ['undefined', 'string'].includes(typeof variables.get(name))
      return isText ? undefined : 'Is a binding of the deployment, and no secret'
    },
    /** The first encrypts, and all decrypt. If empty, no grants are stored. */
    vaultKeys: vaultKeysArePublic ? [DEVELOPMENT_VAULT_KEY] : vaultKeys,
    vaultKeysArePublic,
    userVerifierUrl: checkedText('USER_VERIFIER_URL', outside, isOutside),
    findingsWebhook: readFindingsWebhook(variables, isOutside),
    /** In `npm run serve`, the time between comparisons of imported tools with their sources; 0 turns them off. */
    comparisonSeconds: json('COMPARISON_SECONDS', integer(0, 86_400)) ?? 3_600,
    connectIssuer,
    hasSeveralIssuers,
    publicUrl: readPublicUrl(text('PUBLIC_URL')),
    /** Set by `npm run serve`: Cloudflare is not in front. */
    isSelfHosted: text('SELF_HOSTED') !== undefined,
    allowOrigins: readOrigins(text('ALLOW_ORIGINS')),
    /** Each `host:port` that requests may reach over http, at any address. */
    allowHttpHosts,
    recordCalls: choice('RECORD_CALLS', ['all', 'failures', 'none'], 'all'),
    /** The number of days for which the contents of calls are stored. */
    contentDays,
    logCalls: choice('LOG_CALLS', ['all', 'failures', 'none'], 'all'),
  }
}

function readVaultKeys(value = ''): readonly string[] {
  const keys = value
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '')
  if (keys.every((key) => key.length >= MIN_VAULT_KEY)) return keys
  throw new ConfigError(`VAULT_KEYS must be keys of at least ${MIN_VAULT_KEY} characters, separated by commas`)
}

function isOutsideUrl(text: string, allowHttpHosts: ReadonlySet<string>): boolean {
  const url = URL.parse(text)
  if (!url || url.username !== '' || url.password !== '') return false
  return isSecureOrigin(url) || (url.protocol === 'http:' && allowHttpHosts.has(url.host))
}

function readJwt({ text, checkedText, secret: readSecret }: Variables): JwtOptions | undefined {
  const secret = readSecret('JWT_SECRET', MIN_JWT_SECRET)
  const audience = text('JWT_AUDIENCE')
  const listed = checkedText('JWT_ISSUER', "not have a '|'", (issuers) => !issuers.includes('|'))
  const issuers = listed?.split(/\s+/).filter((issuer) => issuer !== '')
  const jwksUrl = checkedText('JWT_JWKS_URL', 'be an https URL (http only to a loopback host)', (text) => {
    const url = URL.parse(text)
    return url !== null && isSecureOrigin(url)
  })
  if (secret !== undefined || jwksUrl !== undefined)
    return { secret, jwksUrl, issuers: issuers && [...new Set(issuers)], audience }
  if (!issuers && audience === undefined) return undefined
  throw new ConfigError('JWT_ISSUER and JWT_AUDIENCE need JWT_SECRET or JWT_JWKS_URL beside them')
}

function readSignIn(variables: Variables, isOutside: (url: string) => boolean, jwt: JwtOptions | undefined) {
  const clientId = variables.text('SIGN_IN_CLIENT_ID')
  const clientSecret = variables.text('SIGN_IN_CLIENT_SECRET')
  const issuer = readIssuer(variables, isOutside, jwt, {
    name: 'SIGN_IN_ISSUER',
    kind: "an OpenID provider's issuer",
    example: 'https://acme.okta.com',
  })
  if (issuer === undefined) {
    if (clientId === undefined && clientSecret === undefined) return undefined
    throw new ConfigError('SIGN_IN_CLIENT_ID and SIGN_IN_CLIENT_SECRET need SIGN_IN_ISSUER beside them')
  }
  if (clientId !== undefined && clientSecret !== undefined) return { issuer, clientId, clientSecret }
  throw new ConfigError('SIGN_IN_ISSUER needs SIGN_IN_CLIENT_ID and the secret SIGN_IN_CLIENT_SECRET beside it')
}

function readFindingsWebhook({ checkedText }: Variables, isOutside: (url: string) => boolean) {
  const outside = 'be an https URL (http only to a loopback host or ALLOW_HTTP_HOSTS)'
  const url = checkedText('FINDINGS_WEBHOOK_URL', outside, isOutside)
  const secret = checkedText('FINDINGS_WEBHOOK_SECRET', `be ${WEBHOOK_SECRET_FORM}`, isWebhookSecret)
  if (url !== undefined && secret !== undefined) return { url, secret }
  if (url === undefined && secret === undefined) return undefined
  throw new ConfigError('FINDINGS_WEBHOOK_URL and FINDINGS_WEBHOOK_SECRET need each other')
}

function readIssuer(
  { checkedText }: Variables,
  isOutside: (url: string) => boolean,
  jwt: JwtOptions | undefined,
  { name, kind, example }: Readonly<Record<'name' | 'kind' | 'example', string>>,
): string | undefined {
  const must = `be ${kind}, an https URL (http only to ALLOW_HTTP_HOSTS), such as '${example}'`
  const issuer = checkedText(name, must, (url) => isOutside(url) && !/[?#|]/.test(url))
  // Two issuers could use the same user name for different people
  if (issuer !== undefined && jwt && !jwt.issuers)
    throw new ConfigError(`JWT_ISSUER must say whose JWTs are accepted where ${name} is set`)
  return issuer
}

function readOrigins(value = ''): ReadonlySet<string> {
  const origins = splitWords(value)
  const wrong = origins.find((origin) => URL.parse(origin)?.origin !== origin || !/^https?:/.test(origin))
  if (wrong === undefined) return new Set(origins)
  throw new ConfigError(
    `ALLOW_ORIGINS must list origins as browsers write them, such as 'https://inspector.example', separated by commas, got '${wrong}'`,
  )
}

function readPublicUrl(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const url = URL.parse(value)
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin
  throw new ConfigError(
    `PUBLIC_URL must be the deployment's address, such as 'https://tools.example.com', got '${value}'`,
  )
}

function readHosts(value: unknown): ReadonlySet<string> {
  const problem = "ALLOW_HTTP_HOSTS must list hosts such as 'localhost:9000', separated by commas"
  const listed =
    typeof value === 'string' && !value.trimStart().startsWith('[') ? splitWords(value) : parseJsonText(value, problem)
  if (listed === undefined) return new Set()
  if (!isJsonArray(listed)) throw new ConfigError(problem)
  const hosts = listed.filter((host) => host !== '')
  for (const host of hosts) {
    if (typeof host !== 'string' || !/^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/.test(host))
      throw new ConfigError(`${problem}, got '${String(host)}'`)
  }
  return new Set(hosts.map((host) => String(host).toLowerCase()))
}

function splitWords(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '')
}

function parseJsonText(value: unknown, problem: string): unknown {
  if (typeof value !== 'string') return value
  if (value.trim() === '') return undefined
  try {
    return JSON.parse(value)
  } catch {
    throw new ConfigError(problem)
  }
}
