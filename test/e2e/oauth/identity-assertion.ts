import { randomUUID } from 'node:crypto'
import { createRemoteJWKSet, type CryptoKey, decodeJwt, generateKeyPair, jwtVerify, SignJWT } from 'jose'
import { CLIENT_ID, type ExtensionGrant, type TestProvider } from './provider.ts'

const TYPE = 'urn:ietf:params:oauth:token-type'
export const ID_JAG = `${TYPE}:id-jag`
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

type Parameters = Readonly<Record<string, string | undefined>>

interface Known {
  readonly company: string
  readonly upstream: string
  readonly personOf: TestProvider['personOf']
}

/** Both sides of an identity assertion (draft-ietf-oauth-identity-assertion-authz-grant), which tests can change. */
export interface AssertionWorld {
  /** The grants of the sign-in provider, and of the provider whose tokens tools need. */
  readonly grants: { readonly company: ExtensionGrant; readonly upstream: ExtensionGrant }
  /** The requests to the two, in order. */
  readonly exchanges: Parameters[]
  readonly redeemed: string[]
  /** People for whom the company's provider no longer issues assertions. */
  readonly blocked: Set<string>
  /** Issuers for which it creates assertions. */
  readonly audiences: Set<string>
  /** Fields that override its response, and the upstream's. */
  exchangeAnswer: object
  upstreamAnswer: object
  lifetime: number | undefined
  /** Introduces the two to each other. */
  connect(company: TestProvider, upstream: TestProvider): void
}

export async function createAssertionWorld(): Promise<AssertionWorld> {
  const keys: { privateKey: CryptoKey; publicKey: CryptoKey } = await generateKeyPair('ES256')
  const known: Known = { company: '', upstream: '', personOf: async () => undefined }
  const used = new Set<string>()

  /** Finds the person of a sign-in token: a valid ID token for this client, or a refresh token. */
  async function personOf({ subject_token: token = '', subject_token_type: type }: Parameters) {
    if (type === `${TYPE}:refresh_token`) return known.personOf(token)
    if (type !== `${TYPE}:id_token`) return undefined
    const jwks = createRemoteJWKSet(new URL(`${known.company}/jwks`))
    const verified = await jwtVerify(token, jwks, { issuer: known.company, audience: CLIENT_ID }).catch(() => undefined)
    return verified?.payload.sub
  }

  const world: AssertionWorld = {
    grants: {
      company: {
        parameters: ['requested_token_type', 'subject_token', 'subject_token_type', 'audience', 'resource', 'scope'],
        async answer(parameters) {
          world.exchanges.push({ ...parameters })
          const { requested_token_type: wanted, audience = '', resource, scope } = parameters
          if (wanted !== ID_JAG) return { error: 'invalid_request' }
          const person = await personOf(parameters)
          if (person === undefined) return { error: 'invalid_grant' }
          if (world.blocked.has(person)) return { error: 'access_denied' }
          if (!world.audiences.has(audience)) return { error: 'invalid_target' }
          const claims = { client_id: CLIENT_ID, jti: randomUUID(), scope, ...(resource ? { resource } : {}) }
          const access_token = await new SignJWT(claims)
            .setProtectedHeader({ alg: 'ES256', typ: 'oauth-id-jag+jwt' })
            .setIssuer(known.company)
            .setSubject(person)
            .setAudience(audience)
            .setIssuedAt()
            .setExpirationTime('5 min')
            .sign(keys.privateKey)
          return {
            issued_token_type: ID_JAG,
            access_token,
            token_type: 'N_A',
            expires_in: 300,
            ...world.exchangeAnswer,
          }
        },
      },
      upstream: {
        parameters: ['assertion', 'scope'],
        async answer({ assertion = '' }, issue) {
          world.redeemed.push(assertion)
          const trusted = { issuer: known.company, audience: known.upstream, typ: 'oauth-id-jag+jwt' }
          const verified = await jwtVerify(assertion, keys.publicKey, trusted).catch(() => undefined)
          const { sub = '', jti = '', client_id: client, scope } = verified?.payload ?? {}
          if (!verified || client !== CLIENT_ID || used.has(jti)) return { error: 'invalid_grant' }
          used.add(jti)
          const access_token = await issue(sub, String(scope))
          const life = world.lifetime === undefined ? {} : { expires_in: world.lifetime }
          return { access_token, token_type: 'Bearer', scope, ...life, ...world.upstreamAnswer }
        },
      },
    },
    exchanges: [],
    redeemed: [],
    blocked: new Set(),
    audiences: new Set(),
    exchangeAnswer: {},
    upstreamAnswer: {},
    lifetime: 3_600,
    connect(company, upstream) {
      Object.assign(known, { company: company.issuer, upstream: upstream.issuer, personOf: company.personOf })
      world.audiences.add(upstream.issuer)
    },
  }
  return world
}

export const idOf = (assertion: string | undefined) => decodeJwt(assertion ?? '').jti
