import { described, into, judged, list, map, object, oneOf, optional } from '../tool/json-reader.ts'
import { type Reader, stating, statingAs, string, text, unquoted, WRONG, wrong } from '../tool/json-reader.ts'
import { isObject } from '../tool/json.ts'
import { toolPattern } from '../tool/tool-id.ts'
import type { Expected } from '../tool/revision.ts'
import { isRequirementId } from '../tool/tool.ts'
import { APPROVAL } from './authorization.ts'

export interface Provider {
  readonly id: string
  readonly name: string
  readonly issuer?: string
  readonly authorization_endpoint?: string
  readonly token_endpoint?: string
  readonly revocation_endpoint?: string
  readonly client_id: string
  readonly client_secret_name?: string
  readonly token_endpoint_auth_method?: 'client_secret_basic' | 'client_secret_post' | 'none'
  readonly authorization_parameters?: Readonly<Record<string, string>>
  readonly extra_scopes?: readonly string[]
  readonly scope_separator?: string
  readonly tools?: readonly string[]
}

export function missingSecret(
  { id, client_secret_name: name }: Provider,
  secretOf: (name: string) => string | undefined,
): string | undefined {
  if (name === undefined || secretOf(name) !== undefined) return undefined
  return `The secret of the client at '${id}' is missing: an administrator can set it as the Worker secret '${name}'`
}

export interface Providers {
  find(id: string): Promise<Provider | undefined>
}

export type ListedProvider = Provider & { readonly built_in?: true }

export interface AllProviders extends Providers {
  /** By their ids. */
  list(): Promise<readonly ListedProvider[]>
}

export interface ProviderStore extends Providers {
  put(provider: Provider, expected?: Expected): Promise<boolean | 'stale'>
  list(): Promise<readonly Provider[]>
  remove(id: string, expected?: Expected): Promise<boolean | 'stale'>
}

export type KnownProvider = Omit<Provider, 'id' | 'client_id' | 'client_secret_name' | 'tools'>

export interface ProviderRules {
  readonly judgeUrl: (url: string) => string | undefined
  readonly judgeSecret: (name: string) => string | undefined
  readonly known?: KnownProvider | undefined
}

const ADDRESSES = ['issuer', 'authorization_endpoint', 'token_endpoint', 'revocation_endpoint'] as const
type Addresses = Pick<Provider, (typeof ADDRESSES)[number]>
/** Set by the flow itself, or able to replace it: `request` (RFC 9101). */
const RESERVED_PARAMETERS =
  /^(?:client_id|client_secret|redirect_uri|response_type|response_mode|state|scope|nonce|request|request_uri|code_challenge.*)$/i
const MAX_URL = 2_000
const MAX_LIST = 100

const ADDRESS = stating(() => ({ type: 'string', format: 'uri', maxLength: MAX_URL }), string({ most: MAX_URL }))
const NAME = text('a string of 1 to 100 printable characters', /^[^\p{Cc}]{1,100}$/u)
const CLIENT_ID = text('a string of 1 to 1000 ASCII characters', /^[\x20-\x7e]{1,1000}$/)
const VARIABLE = text("the name of a Worker secret, such as 'ACME_CLIENT_SECRET'", /^[A-Za-z_][A-Za-z0-9_]{0,127}$/)
const AUTH_METHOD = oneOf(['client_secret_basic', 'client_secret_post', 'none'])
const PARAMETERS = map(string({ most: MAX_URL }), MAX_LIST, (name) => {
  if (RESERVED_PARAMETERS.test(name)) return 'Must not be set: the flow itself says it'
  return /^[\x21-\x7e]{1,100}$/.test(name) ? undefined : 'Must have a name of 1 to 100 visible ASCII characters'
})
const SCOPE = text('a scope', /^[\x21\x23-\x5b\x5d-\x7e]{1,300}$/)
const SEPARATOR = text("' ', ',' or the like", /^[ ,;+|]{1,2}$/)

export function isProviderId(text: string): boolean {
  return isRequirementId(text) && text !== APPROVAL
}

const ANY: ProviderRules = { judgeUrl: () => undefined, judgeSecret: () => undefined }

/** A known provider's addresses are used together or not at all: half of one provider and half of another is neither. */
export function providerReader(id: string, rules = ANY): Reader<Provider> {
  const { known } = rules
  const whole = into(providerFields(id, rules), (read): Provider => {
    const habit = read.client_secret_name === undefined ? undefined : known?.token_endpoint_auth_method
    return {
      ...(isLocated(read) ? {} : addressesOf(known)),
      ...(habit === undefined ? {} : { token_endpoint_auth_method: habit }),
      ...read,
      id,
    }
  })
  // Not quoted, since a secret may be in the wrong field
  return unquoted(withoutSecret(whole))
}

function providerFields(id: string, rules: ProviderRules) {
  const { known, judgeSecret } = rules
  const address = (isIssuer = false) => optional(judged(ADDRESS, (url) => whyNoAddress(url, isIssuer, rules)))
  return object(
    {
      id: optional(text(`'${id}', as in the path`, (value) => value === id)),
      name: optional(described('Name that people see', NAME), known?.name ?? id),
      issuer: described('URL of the provider, where its endpoints are discovered', address(true)),
      authorization_endpoint: described('URL where users sign in and consent, in place of an issuer', address()),
      token_endpoint: address(),
      revocation_endpoint: address(),
      client_id: described('Id of the OAuth client that is registered at the provider', CLIENT_ID),
      client_secret_name: optional(
        described("The name of the Worker secret that holds the client's secret, never the secret itself", VARIABLE),
      ),
      token_endpoint_auth_method: optional(
        described('How the client authenticates; by default as fits its secret', AUTH_METHOD),
      ),
      authorization_parameters: optional(
        described('Extra parameters of the authorization request, such as access_type=offline', PARAMETERS),
        known?.authorization_parameters,
      ),
      extra_scopes: optional(
        described(
          'Scopes requested beside those of the tools, such as offline_access',
          list(SCOPE, { most: MAX_LIST }),
        ),
        known?.extra_scopes,
      ),
      scope_separator: optional(
        described('Separator between scopes; a space by default', SEPARATOR),
        known?.scope_separator,
      ),
      tools: optional(
        described(
          'Tools that may use the provider, as patterns such as Gmail.*; all by default',
          list(toolPattern, { most: MAX_LIST }),
        ),
      ),
    },
    {
      rule(fields, report, source) {
        const addresses = isLocated(source) ? fields : (known ?? {})
        const areRead = ADDRESSES.every((field) => source[field] === undefined || fields[field] !== undefined)
        const hasEndpoints = 'authorization_endpoint' in addresses && 'token_endpoint' in addresses
        if (areRead && !('issuer' in addresses) && !hasEndpoints)
          wrong(report, "Must have 'issuer', or both 'authorization_endpoint' and 'token_endpoint'")
        const { client_secret_name: name, token_endpoint_auth_method: method } = fields
        const refused = name === undefined ? undefined : judgeSecret(name)
        if (refused !== undefined) wrong(report, refused, '/client_secret_name')
        if (method === 'none' && name !== undefined)
          wrong(report, "Must not be 'none' for a client with a secret", '/token_endpoint_auth_method')
        if (method?.startsWith('client_secret') && source.client_secret_name === undefined)
          wrong(report, `Is required for '${method}'`, '/client_secret_name')
      },
    },
  )
}

function withoutSecret<T>(reader: Reader<T>): Reader<T> {
  return statingAs(reader, (body, report) => {
    if (!isObject(body) || !('client_secret' in body)) return reader(body, report)
    const { client_secret: _, ...rest } = body
    const how =
      "Set it as a Worker secret with 'npx wrangler secret put <NAME>', or on your own machine in .dev.vars, and name it in 'client_secret_name'"
    wrong(report, `Must not be sent, as it would be stored: ${how}`, '/client_secret')
    reader(rest, report)
    return WRONG
  })
}

function isLocated(of: object): boolean {
  return ADDRESSES.some((field) => field in of)
}

function addressesOf(known: KnownProvider | undefined): Addresses {
  return Object.fromEntries(ADDRESSES.flatMap((field) => (known?.[field] ? [[field, known[field]]] : [])))
}

/** No fragments in endpoints (RFC 6749 section 3.1), nor queries in issuers (RFC 8414 section 2). */
function whyNoAddress(url: string, isIssuer: boolean, { judgeUrl }: ProviderRules): string | undefined {
  const refused = judgeUrl(url)
  if (refused !== undefined) return `Cannot be requested: ${refused}`
  if (url.includes('#')) return 'Must not have a fragment'
  return isIssuer && url.includes('?') ? 'Must not have a query' : undefined
}
