import type { Hono } from 'hono'
import type { CredentialProvider } from '../../core/consent/credential-provider.ts'
import type { AllProviders, KnownProvider, ListedProvider } from '../../core/consent/provider.ts'
import type { ProviderStore, TestProvider } from '../../core/consent/provider.ts'
import type { ProviderRules } from '../../core/consent/provider-reader.ts'
import { isProviderId } from '../../core/consent/provider.ts'
import { providerReader } from '../../core/consent/provider-reader.ts'
import { ok } from '../../core/failure/failure.ts'
import { isObject } from '../../core/tool/json.ts'
import { stringMatching } from '../../core/tool/json-reader.ts'
import { jsonBody } from '../../http/request/json-body.ts'
import { arraySchema, itemList, json, jsonRef, objectSchema, TEXT, withEtag } from '../../http/route/response-specs.ts'
import {
  ADMIN_ROUTE,
  createRouter,
  etag,
  notFound,
  type RouteDeps,
  PRECONDITION_FAILED,
} from '../../http/route/router.ts'

interface ProvidersRoutesDeps extends RouteDeps {
  readonly store: Pick<ProviderStore, 'put' | 'remove'>
  readonly providers: Pick<AllProviders, 'list'>
  readonly checkUrl: ProviderRules['checkUrl']
  readonly loadSecretCheck: () => Promise<ProviderRules['checkSecretName']>
  readonly test: TestProvider
  readonly findKnownProvider: (id: string) => KnownProvider | undefined
}

const ID = stringMatching(
  "a provider's id, which is 1 to 128 visible ASCII characters, and neither 'approval' nor 'sign-in'",
  isProviderId,
)
const STEP = objectSchema({ name: TEXT, state: { enum: ['ok', 'failed', 'unclear'] }, message: TEXT })
const MAX_PROVIDER_BYTES = 262_144

export function createProvidersRoutes(deps: ProvidersRoutesDeps): Hono {
  const { store, providers, checkUrl, loadSecretCheck, findKnownProvider: known } = deps
  const { router, on } = createRouter<ProviderAnswers>(deps)
  const ONE = { ...ADMIN_ROUTE, path: { id: ID } } as const

  on('GET /providers', 'List providers', {
    ...ADMIN_ROUTE,
    responses: { 200: itemList('All providers', 'Provider') },
  })(async () => ok({ items: (await providers.list()).map(encodeProvider) }))

  on('GET /providers/:id', 'Get a provider', {
    ...ONE,
    responses: { 200: withEtag(jsonRef('The provider', 'Provider')) },
  })(async ({ path: { id } }) => {
    // KV may be older than the version that an `ETag` is compared with
    const provider = (await providers.list()).find((candidate) => candidate.id === id)
    if (!provider) return notFound('provider', id)
    const response = ok(encodeProvider(provider))
    return provider.built_in ? response : { ...response, headers: etag(provider) }
  })

  on('PUT /providers/:id', 'Create or replace a provider', {
    ...ONE,
    auditAction: 'provider.put',
    supportsIfMatch: true,
    body: jsonBody(providerReader('{id}'), {
      limit: MAX_PROVIDER_BYTES,
      what: 'provider',
      async readerFor({ id = '' }, body) {
        const namesSecret = isObject(body) && 'client_secret_name' in body
        const checkSecretName = namesSecret ? await loadSecretCheck() : () => undefined
        return providerReader(id, { checkUrl, checkSecretName, known: known(id) })
      },
    }),
    responses: {
      200: withEtag(jsonRef('The replaced provider', 'Provider')),
      201: withEtag(jsonRef('The new provider', 'Provider')),
    },
  })(async ({ body, precondition }) => {
    const result = await store.put(body, precondition)
    if (result === 'precondition-failed') return PRECONDITION_FAILED
    return { ...ok(encodeProvider(body)), status: result === 'created' ? 201 : 200, headers: etag(body) }
  })

  on('DELETE /providers/:id', 'Delete a provider', {
    ...ONE,
    auditAction: 'provider.remove',
    supportsIfMatch: true,
  })(async ({ path: { id }, precondition }) => {
    const result = await store.remove(id, precondition)
    if (result === 'precondition-failed') return PRECONDITION_FAILED
    return result === 'removed' ? ok(undefined) : notFound('provider', id)
  })

  on('POST /providers/:id/test', 'Test whether a provider works with its settings', {
    ...ONE,
    responses: {
      200: json('Each step, in order', objectSchema({ ok: { type: 'boolean' }, steps: arraySchema(STEP) })),
    },
  })(async ({ c, path: { id } }) => {
    const provider = (await providers.list()).find((listed) => listed.id === id)
    if (!provider) return notFound('provider', id)
    const steps = await deps.test(provider, `${new URL(c.req.url).origin}/oauth/callback`)
    return ok({ ok: steps.every(({ state }) => state !== 'failed'), steps })
  })

  return router
}

/** Contains no secret: a client's secret is referred to by the name of a Worker secret. */
export function encodeProvider(provider: ListedProvider) {
  if (provider.kind !== undefined) return encodeCredentialProvider(provider)
  const { id, name, issuer, authorization_endpoint, token_endpoint, revocation_endpoint, client_id } = provider
  const { client_secret_name, token_endpoint_auth_method, authorization_parameters, extra_scopes } = provider
  const { scope_separator, tools, identity_assertion, built_in } = provider
  return {
    id,
    name,
    issuer,
    authorization_endpoint,
    token_endpoint,
    revocation_endpoint,
    client_id,
    client_secret_name,
    token_endpoint_auth_method,
    authorization_parameters,
    extra_scopes,
    scope_separator,
    tools,
    identity_assertion,
    built_in,
  }
}

function encodeCredentialProvider({ id, name, kind, fields, help, help_url, check, tools }: CredentialProvider) {
  const ownFields = fields.map(({ isSecret: secret, ...field }) => ({ ...field, secret }))
  return { id, name, kind, ...(kind === 'fields' ? { fields: ownFields } : {}), help, help_url, check, tools }
}

type ShownProvider = ReturnType<typeof encodeProvider>

export interface ProviderAnswers {
  'GET /providers': { readonly items: readonly ShownProvider[] }
  'GET /providers/:id': ShownProvider
  'PUT /providers/:id': ShownProvider
  'POST /providers/:id/test': { readonly ok: boolean; readonly steps: Awaited<ReturnType<TestProvider>> }
  'DELETE /providers/:id': undefined
}
