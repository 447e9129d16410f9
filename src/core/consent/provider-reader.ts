import {
  withSchemaDescription,
  transform,
  refine,
  array,
  map,
  object,
  enumReader,
  optional,
  type Reader,
  toJsonSchema,
  withSchema,
  withSchemaFrom,
  string,
  stringMatching,
  hideValue,
  INVALID_VALUE,
  addProblem,
} from '../tool/json-reader.ts'
import { isObject } from '../tool/json.ts'
import { credentialProviderReader, PROVIDER_NAME, PROVIDER_TOOLS } from './credential-provider-reader.ts'
import { identityAssertionReader } from './identity-assertion.ts'
import type { KnownProvider, OAuthProvider, Provider } from './provider.ts'

export interface ProviderRules {
  readonly checkUrl: (url: string) => string | undefined
  readonly checkSecretName: (name: string) => string | undefined
  readonly known?: KnownProvider | undefined
}

const ENDPOINT_FIELDS = ['issuer', 'authorization_endpoint', 'token_endpoint', 'revocation_endpoint'] as const
type Endpoints = Pick<OAuthProvider, (typeof ENDPOINT_FIELDS)[number]>
/** Parameters that the flow sets itself, or that could replace them: `request` (RFC 9101). */
const RESERVED_PARAMETERS =
  /^(?:client_id|client_secret|redirect_uri|response_type|response_mode|state|scope|nonce|request|request_uri|code_challenge.*)$/i
const MAX_URL = 2_000
const MAX_LIST = 100

const ADDRESS = withSchema(() => ({ type: 'string', format: 'uri', maxLength: MAX_URL }), string({ max: MAX_URL }))
const CLIENT_ID = stringMatching('a string of 1 to 1000 ASCII characters', /^[\x20-\x7e]{1,1000}$/)
const VARIABLE = stringMatching(
  "the name of a Worker secret, such as 'ACME_CLIENT_SECRET'",
  /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
)
const AUTH_METHOD = enumReader(['client_secret_basic', 'client_secret_post', 'none'])
const PARAMETERS = map(string({ max: MAX_URL }), MAX_LIST, (name) => {
  if (RESERVED_PARAMETERS.test(name)) return 'Must not be set: the flow itself says it'
  return /^[\x21-\x7e]{1,100}$/.test(name) ? undefined : 'Must have a name of 1 to 100 visible ASCII characters'
})
const SCOPE = stringMatching('a scope', /^[\x21\x23-\x5b\x5d-\x7e]{1,300}$/)
const SEPARATOR = stringMatching("' ', ',' or the like", /^[ ,;+|]{1,2}$/)

const NO_RULES: ProviderRules = { checkUrl: () => undefined, checkSecretName: () => undefined }

export function providerReader(id: string, rules = NO_RULES): Reader<Provider> {
  const readers = { oauth: oauthProviderReader(id, rules), credential: credentialProviderReader(id, rules.checkUrl) }
  const schema = () => ({ anyOf: [toJsonSchema(readers.oauth), toJsonSchema(readers.credential)] })
  return withSchema(schema, (body, report): Provider | typeof INVALID_VALUE =>
    isObject(body) && 'kind' in body ? hideValue(readers.credential)(body, report) : readers.oauth(body, report),
  )
}

/** Uses either all of a known provider's URLs or none, since URLs of two providers do not work together. */
export function oauthProviderReader(id: string, rules = NO_RULES): Reader<OAuthProvider> {
  const { known } = rules
  // Endpoints and method have no field defaults: endpoints count only together, and the method only with a secret
  const reader = transform(providerFields(id, rules), (fields): OAuthProvider => {
    const defaultAuthMethod = fields.client_secret_name === undefined ? undefined : known?.token_endpoint_auth_method
    return {
      ...(hasOwnEndpoints(fields) ? {} : pickEndpoints(known)),
      ...(defaultAuthMethod === undefined ? {} : { token_endpoint_auth_method: defaultAuthMethod }),
      ...fields,
      id,
    }
  })
  // Not quoted, since a secret may be in the wrong field
  return hideValue(withoutSecret(reader))
}

function providerFields(id: string, rules: ProviderRules) {
  const { known, checkSecretName } = rules
  const endpointReader = (isIssuer = false) =>
    optional(refine(ADDRESS, (url) => findAddressProblem(url, isIssuer, rules)))
  return object(
    {
      id: optional(stringMatching(`'${id}', as in the path`, (value) => value === id)),
      name: optional(withSchemaDescription('Display name', PROVIDER_NAME), known?.name ?? id),
      issuer: withSchemaDescription('URL of the provider, where its endpoints are discovered', endpointReader(true)),
      authorization_endpoint: withSchemaDescription(
        'URL where users sign in and consent, in place of an issuer',
        endpointReader(),
      ),
      token_endpoint: endpointReader(),
      revocation_endpoint: endpointReader(),
      client_id: withSchemaDescription('Id of the OAuth client that is registered at the provider', CLIENT_ID),
      client_secret_name: optional(
        withSchemaDescription(
          "The name of the Worker secret that holds the client's secret, never the secret itself",
          VARIABLE,
        ),
      ),
      token_endpoint_auth_method: optional(
        withSchemaDescription('How the client authenticates; by default as fits its secret', AUTH_METHOD),
      ),
      authorization_parameters: optional(
        withSchemaDescription('Extra parameters of the authorization request, such as access_type=offline', PARAMETERS),
        known?.authorization_parameters,
      ),
      extra_scopes: optional(
        withSchemaDescription(
          'Scopes requested beside those of the tools, such as offline_access',
          array(SCOPE, { max: MAX_LIST }),
        ),
        known?.extra_scopes,
      ),
      scope_separator: optional(
        withSchemaDescription('Separator between scopes; a space by default', SEPARATOR),
        known?.scope_separator,
      ),
      tools: PROVIDER_TOOLS,
      identity_assertion: optional(withSchemaDescription("Tokens by people's sign-in", identityAssertionReader)),
    },
    {
      rule(fields, report, source) {
        const endpoints = hasOwnEndpoints(source) ? fields : (known ?? {})
        const areValid = ENDPOINT_FIELDS.every((field) => source[field] === undefined || fields[field] !== undefined)
        const hasEndpoints = 'authorization_endpoint' in endpoints && 'token_endpoint' in endpoints
        if (areValid && !('issuer' in endpoints) && !hasEndpoints)
          addProblem(report, "Must have 'issuer', or both 'authorization_endpoint' and 'token_endpoint'")
        const { client_secret_name: name, token_endpoint_auth_method: method } = fields
        const problem = name === undefined ? undefined : checkSecretName(name)
        if (problem !== undefined) addProblem(report, problem, '/client_secret_name')
        if (method === 'none' && name !== undefined)
          addProblem(report, "Must not be 'none' for a client with a secret", '/token_endpoint_auth_method')
        if (method?.startsWith('client_secret') && source.client_secret_name === undefined)
          addProblem(report, `Is required for '${method}'`, '/client_secret_name')
      },
    },
  )
}

function withoutSecret<T>(reader: Reader<T>): Reader<T> {
  return withSchemaFrom(reader, (body, report) => {
    if (!isObject(body) || !('client_secret' in body)) return reader(body, report)
    const { client_secret: _, ...rest } = body
    const advice =
      "Set it as a Worker secret with 'npx wrangler secret put <NAME>', or on your own machine in .dev.vars, and name it in 'client_secret_name'"
    addProblem(report, `Must not be sent, as it would be stored: ${advice}`, '/client_secret')
    reader(rest, report)
    return INVALID_VALUE
  })
}

function hasOwnEndpoints(source: object): boolean {
  return ENDPOINT_FIELDS.some((field) => field in source)
}

function pickEndpoints(knownProvider: KnownProvider | undefined): Endpoints {
  return Object.fromEntries(
    ENDPOINT_FIELDS.flatMap((field) => (knownProvider?.[field] ? [[field, knownProvider[field]]] : [])),
  )
}

/** Rejects fragments in endpoints (RFC 6749 section 3.1) and queries in issuers (RFC 8414 section 2). */
function findAddressProblem(url: string, isIssuer: boolean, { checkUrl }: ProviderRules): string | undefined {
  const problem = checkUrl(url)
  if (problem !== undefined) return `Cannot be requested: ${problem}`
  if (url.includes('#')) return 'Must not have a fragment'
  return isIssuer && url.includes('?') ? 'Must not have a query' : undefined
}
