import { isToolPattern } from '../tool/tool-pattern.ts'
import { APPROVAL } from './authorization.ts'
import { isObject } from '../tool/json.ts'
import { type Checked, pointerStep, type Problem } from '../tool/problem.ts'

/** An OAuth 2.0 provider as a deployment knows it, in the words of RFC 8414. */
export interface Provider {
  readonly id: string
  /** What people call it, such as "Google". */
  readonly name: string
  /** To discover the endpoints that are not given (RFC 8414, OpenID Connect Discovery). */
  readonly issuer?: string
  readonly authorization_endpoint?: string
  readonly token_endpoint?: string
  readonly revocation_endpoint?: string
  readonly client_id: string
  /** The Worker secret that holds the client's secret; absent for a public client. */
  readonly client_secret_name?: string
  readonly token_endpoint_auth_method?: 'client_secret_basic' | 'client_secret_post' | 'none'
  /** Added to the authorization request, such as `{"access_type": "offline"}`. */
  readonly authorization_parameters?: Readonly<Record<string, string>>
  /** Asked for beside the scopes of tools, such as `offline_access` where only that gives a refresh token. */
  readonly extra_scopes?: readonly string[]
  /** What stands between scopes; a space unless a provider differs from RFC 6749. */
  readonly scope_separator?: string
  /** The tools that may act with its grants, as patterns; all when absent. */
  readonly tools?: readonly string[]
}

/** Where providers are found: those the deployment was given, then the well-known ones it has credentials for. */
export interface Providers {
  find(id: string): Promise<Provider | undefined>
}

/** What is kept of the providers that a deployment was given. */
export interface ProviderStore extends Providers {
  /** Gives whether there was none of this id before. */
  put(provider: Provider): Promise<boolean>
  list(): Promise<readonly Provider[]>
  /** Whether there was such a provider. */
  remove(id: string): Promise<boolean>
}

/** What is known of a provider before a deployment has a client there. */
export type KnownProvider = Omit<Provider, 'id' | 'client_id' | 'client_secret_name' | 'tools'>

export interface ProviderRules {
  /** Why a URL may not be requested, in words that follow it, or undefined when it may. */
  readonly judgeUrl: (url: string) => string | undefined
  /** Why a Worker secret may not be a client's, or undefined when it may. */
  readonly judgeSecret: (name: string) => string | undefined
  /** What stands in for fields that are not given. */
  readonly known?: KnownProvider | undefined
}

const FIELDS = [
  'id',
  'name',
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'revocation_endpoint',
  'client_id',
  'client_secret_name',
  'token_endpoint_auth_method',
  'authorization_parameters',
  'extra_scopes',
  'scope_separator',
  'tools',
]
const ADDRESSES = ['issuer', 'authorization_endpoint', 'token_endpoint', 'revocation_endpoint'] as const
const AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'none'] as const
/** What the flow itself says, and `request`, which would say it in its place (RFC 9101). */
const RESERVED_PARAMETERS =
  /^(?:client_id|client_secret|redirect_uri|response_type|response_mode|state|scope|nonce|request|request_uri|code_challenge.*)$/i
const MAX_URL = 2_000
const MAX_LIST = 100

/** Whether a text may be a provider's id: what may stand in a tool's requirements, save the word for approvals. */
export function isProviderId(text: string): boolean {
  return /^[\x21-\x7e]{1,128}$/.test(text) && text !== APPROVAL
}

/**
 * Reads the body of `PUT /providers/{id}`, or says everything that is wrong with it. The addresses of a well-known
 * provider stand in together, where the body has none: half of one provider and half of another is neither.
 */
export function decodeProvider(id: string, body: unknown, rules: ProviderRules): Checked<Provider> {
  if (!isObject(body)) return { ok: false, problems: [{ path: '', message: 'Wanted an object' }] }
  const problems: Problem[] = []
  const problem = (path: string, message: string) => void problems.push({ path, message })
  for (const field of Object.keys(body)) {
    if (field === 'client_secret') {
      const how = "Set it as a Worker secret with 'npx wrangler secret put <NAME>', and name it in 'client_secret_name'"
      problem('/client_secret', `Must not be sent, as it would be stored: ${how}`)
    } else if (!FIELDS.includes(field)) problem(pointerStep(field), `Wanted only ${quoted(FIELDS)}`)
  }
  if (body['id'] !== undefined && body['id'] !== id) problem('/id', `Wanted '${id}', as in the path`)

  /** An optional text; a value is never repeated in a message, as a secret may have come to the wrong place. */
  const text = (field: string, fits: (value: string) => boolean, wanted: string): string | undefined => {
    const value = body[field]
    if (value === undefined) return undefined
    if (typeof value === 'string' && fits(value)) return value
    problem(`/${field}`, `Wanted ${wanted}`)
    return undefined
  }
  const { known } = rules
  const name = text('name', (value) => /^[^\p{Cc}]{1,100}$/u.test(value), 'a text of 1 to 100 characters')
  const given = Object.fromEntries(
    ADDRESSES.flatMap((field) => {
      const url = text(field, (value) => value.length <= MAX_URL, `a URL of at most ${MAX_URL} characters`)
      const why = url === undefined ? undefined : whyNoAddress(field, url, rules)
      if (why !== undefined) problem(`/${field}`, why)
      return url === undefined ? [] : [[field, url]]
    }),
  )
  const builtIn = ADDRESSES.some((field) => body[field] !== undefined) ? undefined : known
  const addresses: Pick<Provider, (typeof ADDRESSES)[number]> = builtIn ? addressesOf(builtIn) : given
  if (!ADDRESSES.some((field) => problems.some(({ path }) => path === `/${field}`)) && !isReachable(addresses)) {
    problem('', "Wanted 'issuer', or both 'authorization_endpoint' and 'token_endpoint'")
  }

  const isVisible = (value: string) => /^[\x20-\x7e]{1,1000}$/.test(value)
  const client_id = text('client_id', isVisible, 'a text of 1 to 1,000 ASCII characters')
  if (body['client_id'] === undefined) problem('/client_id', 'Is required')
  const isVariable = (value: string) => /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(value)
  const secret = text('client_secret_name', isVariable, "the name of a Worker secret, such as 'ACME_CLIENT_SECRET'")
  const unusable = secret === undefined ? undefined : rules.judgeSecret(secret)
  if (unusable !== undefined) problem('/client_secret_name', unusable)
  const isMethod = (value: string) => AUTH_METHODS.some((method) => method === value)
  const said = text('token_endpoint_auth_method', isMethod, `one of ${quoted(AUTH_METHODS)}`)
  const method = AUTH_METHODS.find((each) => each === said) ?? (secret ? known?.token_endpoint_auth_method : undefined)
  if (said === 'none' && secret !== undefined) {
    problem('/token_endpoint_auth_method', "Wanted another than 'none' for a client with a secret")
  }
  if (said?.startsWith('client_secret') && body['client_secret_name'] === undefined) {
    problem('/client_secret_name', `Is required for '${said}'`)
  }
  const parameters = readParameters(body['authorization_parameters'], problem) ?? known?.authorization_parameters
  const isScope = (value: string) => /^[\x21\x23-\x5b\x5d-\x7e]{1,300}$/.test(value)
  const scopes = readTexts(body['extra_scopes'], '/extra_scopes', isScope, 'a scope', problem) ?? known?.extra_scopes
  const isSeparator = (value: string) => /^[ ,;+|]{1,2}$/.test(value)
  const separator = text('scope_separator', isSeparator, "' ', ',' or the like") ?? known?.scope_separator
  const tools = readTexts(body['tools'], '/tools', isToolPattern, "a tool pattern such as 'Gmail.*'", problem)

  if (problems.length > 0 || client_id === undefined) return { ok: false, problems }
  return {
    ok: true,
    value: {
      id,
      name: name ?? known?.name ?? id,
      ...addresses,
      client_id,
      ...(secret === undefined ? {} : { client_secret_name: secret }),
      ...(method === undefined ? {} : { token_endpoint_auth_method: method }),
      ...(parameters === undefined ? {} : { authorization_parameters: parameters }),
      ...(scopes === undefined ? {} : { extra_scopes: scopes }),
      ...(separator === undefined ? {} : { scope_separator: separator }),
      ...(tools === undefined ? {} : { tools }),
    },
  }
}

type Report = (path: string, message: string) => void

function isReachable(of: Pick<Provider, (typeof ADDRESSES)[number]>): boolean {
  return of.issuer !== undefined || (of.authorization_endpoint !== undefined && of.token_endpoint !== undefined)
}

function addressesOf(known: KnownProvider): Pick<Provider, (typeof ADDRESSES)[number]> {
  return Object.fromEntries(ADDRESSES.flatMap((field) => (known[field] === undefined ? [] : [[field, known[field]]])))
}

/** RFC 6749 section 3.1 has no fragments in endpoints, RFC 8414 section 2 neither these nor queries in issuers. */
function whyNoAddress(field: string, url: string, { judgeUrl }: ProviderRules): string | undefined {
  const refused = judgeUrl(url)
  if (refused !== undefined) return `Cannot be requested: ${refused}`
  if (url.includes('#')) return 'Must not have a fragment'
  return field === 'issuer' && url.includes('?') ? 'Must not have a query' : undefined
}

function readParameters(value: unknown, problem: Report): Readonly<Record<string, string>> | undefined {
  if (value === undefined) return undefined
  const path = '/authorization_parameters'
  const entries = isObject(value) ? Object.entries(value) : undefined
  if (!entries || entries.length > MAX_LIST) {
    problem(path, `Wanted an object of at most ${MAX_LIST} texts`)
    return undefined
  }
  return Object.fromEntries(
    entries.flatMap(([name, each]): [string, string][] => {
      const at = path + pointerStep(name)
      if (RESERVED_PARAMETERS.test(name)) problem(at, 'Must not be set: the flow itself says it')
      else if (!/^[\x21-\x7e]{1,100}$/.test(name)) problem(at, 'Wanted a name of 1 to 100 visible ASCII characters')
      else if (typeof each !== 'string' || each.length > MAX_URL)
        problem(at, `Wanted a text of at most ${MAX_URL} characters`)
      else return [[name, each]]
      return []
    }),
  )
}

function readTexts(
  value: unknown,
  path: string,
  fits: (text: string) => boolean,
  wanted: string,
  problem: Report,
): readonly string[] | undefined {
  if (value === undefined) return undefined
  if (!Array.isArray(value) || value.length > MAX_LIST) {
    problem(path, `Wanted a list of at most ${MAX_LIST}, each ${wanted}`)
    return undefined
  }
  const items: unknown[] = value
  return items.flatMap((item, index) => {
    if (typeof item === 'string' && fits(item)) return [item]
    problem(path + pointerStep(index), `Wanted ${wanted}`)
    return []
  })
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ')
}
