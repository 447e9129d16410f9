import type { Hono } from 'hono'
import {
  isProviderId,
  type KnownProvider,
  type Provider,
  providerReader,
  type ProviderRules,
  type ProviderStore,
} from '../../core/consent/provider.ts'
import { type Failing, fail, ok } from '../../core/failure/failure.ts'
import { isObject } from '../../core/tool/json.ts'
import { text } from '../../core/tool/json-reader.ts'
import { jsonBody } from '../../http/request/json-body.ts'
import { component, items, tagged } from '../../http/route/answers.ts'
import { ADMIN, createFace, etag, type RouteDeps, STALE } from '../../http/route/route.ts'

export interface ProvidersFaceDeps extends RouteDeps {
  readonly store: ProviderStore
  readonly judgeUrl: ProviderRules['judgeUrl']
  readonly judgeSecrets: () => Promise<ProviderRules['judgeSecret']>
  readonly known: (id: string) => KnownProvider | undefined
  readonly connected: () => readonly Provider[]
}

const ID = text("a provider's id, which is 1 to 128 visible ASCII characters, and not 'approval'", isProviderId)
const LIMIT = 262_144

export function providersFace(deps: ProvidersFaceDeps): Hono {
  const { store, judgeUrl, judgeSecrets, known, connected } = deps
  const { face, on } = createFace<ProviderAnswers>(deps)
  const ONE = { ...ADMIN, path: { id: ID } } as const

  on('GET /providers', 'List OAuth providers', {
    ...ADMIN,
    answers: { 200: items('All providers', 'Provider') },
  })(async () => {
    const given = await store.list()
    const others = connected().filter(({ id }) => !given.some((provider) => provider.id === id))
    const all = [
      ...given.map((provider) => encodeProvider(provider, 'given')),
      ...others.map((provider) => encodeProvider(provider, 'built-in')),
    ]
    return ok({ items: all.sort((a, b) => (a.id < b.id ? -1 : 1)) })
  })

  on('GET /providers/:id', 'Get an OAuth provider', {
    ...ONE,
    answers: { 200: tagged(component('The provider', 'Provider')) },
  })(async ({ path: { id } }) => {
    // KV may hold an older one than an `ETag` is compared with
    const given = (await store.list()).find((provider) => provider.id === id)
    if (given) return { ...ok(encodeProvider(given, 'given')), headers: etag(given) }
    const builtIn = connected().find((provider) => provider.id === id)
    return builtIn ? ok(encodeProvider(builtIn, 'built-in')) : unknown(id)
  })

  on('PUT /providers/:id', 'Create or replace an OAuth provider', {
    ...ONE,
    act: 'provider.put',
    conditional: true,
    body: jsonBody(providerReader('{id}'), {
      limit: LIMIT,
      what: 'provider',
      async readerFor({ id = '' }, sent) {
        const namesSecret = isObject(sent) && 'client_secret_name' in sent
        const judgeSecret = namesSecret ? await judgeSecrets() : () => undefined
        return providerReader(id, { judgeUrl, judgeSecret, known: known(id) })
      },
    }),
    answers: {
      200: tagged(component('The replaced provider', 'Provider')),
      201: tagged(component('The new provider', 'Provider')),
    },
  })(async ({ body, expected }) => {
    const isNew = await store.put(body, expected)
    if (isNew === 'stale') return STALE
    return { ...ok(encodeProvider(body, 'given')), status: isNew ? 201 : 200, headers: etag(body) }
  })

  on('DELETE /providers/:id', 'Delete an OAuth provider', {
    ...ONE,
    act: 'provider.remove',
    conditional: true,
  })(async ({ path: { id }, expected }) => {
    const removed = await store.remove(id, expected)
    if (removed === 'stale') return STALE
    return removed ? ok(undefined) : unknown(id)
  })

  return face
}

function unknown(id: string): Failing {
  return fail({ type: 'not-found', message: `Cannot find the provider '${id}'` })
}

/** Holds no secret: a client's is known by the name of a Worker secret. */
export function encodeProvider({ id, name, ...rest }: Provider, from: 'given' | 'built-in') {
  return { id, name, ...rest, built_in: from === 'built-in' ? true : undefined }
}

type ListedProvider = ReturnType<typeof encodeProvider>

export interface ProviderAnswers {
  'GET /providers': { readonly items: readonly ListedProvider[] }
  'GET /providers/:id': ListedProvider
  'PUT /providers/:id': ListedProvider
  'DELETE /providers/:id': undefined
}
