import type { JSONWebKeySet } from 'jose'
import type { FetchCapability } from '../core/access/principal.ts'
import { isJsonObject, isJsonArray } from '../core/tool/json.ts'
import { anyJson, parseValue, array, looseObject, optional, string } from '../core/tool/json-reader.ts'
import type { Fetch } from '../core/tool/platform.ts'
import type { Client } from '../storage/connect/client-rows.ts'
import { createLruCache } from '../core/tool/recently-used.ts'

const TIMEOUT_MS = 10_000
const FRESH_MS = 300_000
const MAX_KEPT = 200
const MAX_URL = 1_000
const SIGNS = 'private_key_jwt'

const TEXT = string({ min: 1, max: 200 })
const URI = string({ min: 1, max: 2_000 })
const WORDS = array(TEXT, { max: 20 })
const DOCUMENT = looseObject({
  client_id: URI,
  client_name: TEXT,
  redirect_uris: array(URI, { min: 1, max: 50 }),
  grant_types: optional(WORDS),
  response_types: optional(WORDS),
  token_endpoint_auth_method: optional(TEXT),
  token_endpoint_auth_methods_supported: optional(WORDS),
  // Optional, like `jwks`
  client_secret: anyJson,
  jwks_uri: optional(URI),
  jwks: anyJson,
})

type FoundDocument =
  | { readonly ok: true; readonly client: Client; readonly keys: ClientKeys | undefined }
  | { readonly ok: false; readonly message: string }

export type ClientKeys =
  | { readonly jwks: JSONWebKeySet; readonly jwksUri?: undefined }
  | { readonly jwks?: undefined; readonly jwksUri: string }

export type FindDocument = (clientId: string, asker: FetchCapability) => Promise<FoundDocument>

export function isDocumentUrl(clientId: string): boolean {
  return /^https?:\/\//i.test(clientId)
}

/** OAuth Client ID Metadata Document: the client's id is the document's URL. Redirects are refused. */
export function createClientDocuments(fetchFor: (asker: FetchCapability) => Fetch, now: () => number): FindDocument {
  const documentCache = createLruCache<{ readonly client: FoundDocument; readonly until: number }>(MAX_KEPT)

  return async (clientId, asker) => {
    const cachedDocument = documentCache.get(clientId)
    if (cachedDocument && now() < cachedDocument.until) return cachedDocument.client
    const url = clientId.length <= MAX_URL ? URL.parse(clientId) : null
    // Each client has one spelling, without parts that a reader could overlook
    if (url?.href !== clientId || url.pathname === '/' || url.hash + url.username + url.password !== '')
      return refuse('Its id must be a URL with a path, written in its normal form')
    let document: unknown
    try {
      const response = await fetchFor(asker)(clientId, {
        headers: { accept: 'application/json' },
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      if (response.status !== 200) return refuse(`'${url.host}' answered ${response.status} for its document`)
      document = await response.json()
    } catch {
      return refuse(`Its document at '${url.host}' cannot be read`)
    }
    const client = parseClient(clientId, document)
    if (client.ok) documentCache.set(clientId, { client, until: now() + FRESH_MS })
    return client
  }
}

function parseClient(clientId: string, document: unknown): FoundDocument {
  const parsedDocument = isJsonObject(document) ? parseValue(DOCUMENT, document) : undefined
  if (!parsedDocument?.ok) {
    const { path, message } = parsedDocument?.problems[0] ?? { path: '', message: 'Must be an object' }
    return refuse(`Its document is wrong: ${path === '' ? '' : `${path}: `}${message}`)
  }
  const { value } = parsedDocument
  if (value.client_id !== clientId) return refuse("The 'client_id' in its document is another")
  if (value.client_secret !== undefined) return refuse('Its document must not have a secret')
  if (value.grant_types?.includes('authorization_code') === false)
    return refuse("Its document does not ask for the grant 'authorization_code'")
  const { token_endpoint_auth_method: method = 'none', token_endpoint_auth_methods_supported: methods = [method] } =
    value
  const keys = methods.includes(SIGNS) || method === SIGNS ? parseKeys(value.jwks, value.jwks_uri) : undefined
  if (!methods.includes('none') && !keys)
    return refuse(`Its document must offer the method 'none' at the token endpoint, or '${SIGNS}' with keys`)
  return {
    ok: true,
    keys,
    client: {
      clientId,
      clientName: value.client_name,
      redirectUris: [...value.redirect_uris],
      grantTypes: ['authorization_code', 'refresh_token'],
      responseTypes: ['code'],
      // The library refuses clients with this method, so a verified assertion is passed as 'none'
      tokenEndpointAuthMethod: methods.includes('none') ? 'none' : SIGNS,
    },
  }
}

function parseKeys(jwks: unknown, jwksUri: string | undefined): ClientKeys | undefined {
  if (jwks === undefined) return jwksUri === undefined ? undefined : { jwksUri }
  if (jwksUri !== undefined || !isJsonObject(jwks) || !isJsonArray(jwks['keys'])) return undefined
  return { jwks: { keys: jwks['keys'].filter(isJsonObject) } }
}

function refuse(message: string): FoundDocument {
  return { ok: false, message }
}
