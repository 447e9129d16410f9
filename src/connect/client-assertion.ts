import { createLocalJWKSet, createRemoteJWKSet, customFetch, decodeJwt, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { FetchCapability } from '../core/access/principal.ts'
import type { Fetch } from '../core/tool/platform.ts'
import type { ClientAssertion } from '../storage/connect/connect-object.ts'
import { type ClientKeys, type FindDocument, isDocumentUrl } from './client-document.ts'
import { ASSERTION_ALGORITHMS } from './metadata.ts'
import { createLruCache } from '../core/tool/recently-used.ts'

const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const MAX_ASSERTION = 16_384
const MAX_LIFETIME_S = 3_600
const TOLERANCE_S = 60
const TIMEOUT_MS = 10_000
const MAX_KEY_SETS = 200

interface AssertionOptions {
  readonly fetchFor: (asker: FetchCapability) => Fetch
  /** Undefined if nobody has approved the client; nothing is then fetched for it. */
  readonly admit: (clientId: string) => Promise<FetchCapability | undefined>
  readonly findDocument: FindDocument
  readonly now: () => number
}

/** Verifies `private_key_jwt` (RFC 7523, section 3). In the form, `client_id` replaces the verified assertion. */
export function createAssertionVerifier({ fetchFor, admit, findDocument, now }: AssertionOptions) {
  // Each key getter caches its keys and limits how often it fetches them
  const keySets = createLruCache<JWTVerifyGetKey>(MAX_KEY_SETS)
  return async (
    form: URLSearchParams,
    authorization: string | null,
    issuer: string,
  ): Promise<ClientAssertion | undefined> => {
    const assertion = form.get('client_assertion') ?? ''
    const isAlone = authorization === null && !form.has('client_secret')
    const clientId = readIssuer(assertion)
    if (!isAlone || clientId === undefined || form.get('client_assertion_type') !== TYPE) return undefined
    if ((form.get('client_id') ?? clientId) !== clientId || !isDocumentUrl(clientId)) return undefined
    const asker = await admit(clientId)
    if (!asker) return undefined
    const document = await findDocument(clientId, asker)
    if (!document.ok || !document.keys) return undefined
    try {
      const { payload } = await jwtVerify(assertion, createKeyGetter(document.keys, asker), {
        issuer: clientId,
        subject: clientId,
        audience: [issuer, `${issuer}/token`],
        algorithms: ASSERTION_ALGORITHMS,
        requiredClaims: ['exp', 'jti'],
        clockTolerance: TOLERANCE_S,
        currentDate: new Date(now()),
      })
      const { exp = 0, jti = '' } = payload
      if (jti === '' || exp * 1_000 > now() + (MAX_LIFETIME_S + TOLERANCE_S) * 1_000) return undefined
      form.delete('client_assertion')
      form.delete('client_assertion_type')
      form.set('client_id', clientId)
      const client = { ...document.client, tokenEndpointAuthMethod: 'none' }
      return { client, id: `${clientId} ${jti}`, until: (exp + TOLERANCE_S) * 1_000 }
    } catch {
      return undefined
    }
  }

  function createKeyGetter({ jwks, jwksUri }: ClientKeys, asker: FetchCapability): JWTVerifyGetKey {
    if (jwks) return createLocalJWKSet(jwks)
    const cachedKeys = keySets.get(jwksUri)
    if (cachedKeys) return cachedKeys
    const fetch = fetchFor(asker)
    const keys = createRemoteJWKSet(new URL(jwksUri), {
      timeoutDuration: TIMEOUT_MS,
      [customFetch]: (href, { method, headers, signal }) =>
        fetch(href, { method, headers, signal, redirect: 'manual' }),
    })
    keySets.set(jwksUri, keys)
    return keys
  }
}

function readIssuer(assertion: string): string | undefined {
  if (assertion.length > MAX_ASSERTION) return undefined
  try {
    return decodeJwt(assertion).iss
  } catch {
    return undefined
  }
}
