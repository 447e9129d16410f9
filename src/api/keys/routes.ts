import type { Hono } from 'hono'
import {
  type ApiKey,
  keyChangeReader,
  type KeyStore,
  newKeyReader,
  toKeyPrincipal,
  ROTATION,
} from '../../core/access/api-key.ts'
import type { PublishedTotals } from '../../core/publish/publisher-quota.ts'
import { ok } from '../../core/failure/failure.ts'
import type { Sha256 } from '../../core/tool/digest.ts'
import { jsonBody } from '../../http/request/json-body.ts'
import { jsonRef, itemList, withEtag } from '../../http/route/response-specs.ts'
import { ADMIN, createRouter, etag, notFound, type RouteDeps, PRECONDITION_FAILED } from '../../http/route/router.ts'

export interface KeysRoutesDeps extends RouteDeps {
  readonly keys: KeyStore
  published(): Promise<Readonly<Record<string, PublishedTotals>> | undefined>
  readonly quota: PublishedTotals
  onChange(change: 'created' | 'changed' | 'removed', id: string): void
  readonly sha256: Sha256
  randomKey(): string
  newId(): string
  now(): Date
}

export function createKeysRoutes(deps: KeysRoutesDeps): Hono {
  const { keys } = deps
  const { router, on } = createRouter<KeyAnswers>(deps)

  on('POST /keys', 'Create an API key', {
    ...ADMIN,
    act: 'key.create',
    body: jsonBody(newKeyReader(deps.now), { what: 'key' }),
    answers: { 201: jsonRef('The key, with its text, which is returned only once', 'NewKey') },
  })(async ({ body, note }) => {
    const text = deps.randomKey()
    const key: ApiKey = { id: deps.newId(), created_at: deps.now().toISOString(), ...body }
    await keys.create(key, await deps.sha256(text))
    deps.onChange('created', key.id)
    note(encodeKey(key))
    return { ...ok(encodeNewKey(key, text)), status: 201 }
  })

  on('GET /keys', 'List API keys', { ...ADMIN, answers: { 200: itemList('All keys', 'Key') } })(async () => {
    const [all, known] = await Promise.all([keys.list(), loadKnown()])
    return ok({ items: all.map((key) => encodeListed(key, known)) })
  })

  on('GET /keys/:id', 'Get an API key', {
    ...ADMIN,
    answers: { 200: withEtag(jsonRef('The key, without its text', 'Key')) },
  })(async ({ path: { id } }) => {
    const [key, known] = await Promise.all([keys.findById(id), loadKnown()])
    return key ? { ...ok(encodeListed(key, known)), headers: etag(key) } : notFound('key', id)
  })

  on('PATCH /keys/:id', 'Update an API key', {
    ...ADMIN,
    act: 'key.change',
    conditional: true,
    body: jsonBody(keyChangeReader(deps.now), { what: 'key' }),
    answers: { 200: withEtag(jsonRef('The updated key', 'Key')) },
  })(async ({ path: { id }, body, expected, note }) => {
    const key = await keys.change(id, body, expected)
    if (key === 'stale') return PRECONDITION_FAILED
    if (!key) return notFound('key', id)
    note(encodeKey(key))
    deps.onChange('changed', id)
    return { ...ok(encodeListed(key, await loadKnown())), headers: etag(key) }
  })

  on('POST /keys/:id/rotate', 'Rotate an API key', {
    ...ADMIN,
    act: 'key.rotate',
    body: jsonBody(ROTATION, { what: 'key', isOptional: true }),
    answers: { 200: jsonRef('The key, with its new text, which is returned only once', 'NewKey') },
  })(async ({ path: { id }, body, note }) => {
    const until = deps.now().getTime() + body.overlap_seconds * 1_000
    const text = deps.randomKey()
    const key = await keys.rotate(id, await deps.sha256(text), until)
    if (!key) return notFound('key', id)
    const previous_expires_at = new Date(until).toISOString()
    note({ name: key.name, previous_expires_at })
    deps.onChange('changed', id)
    return ok({ ...encodeNewKey(key, text), previous_expires_at })
  })

  on('DELETE /keys/:id', 'Delete an API key', {
    ...ADMIN,
    act: 'key.remove',
    conditional: true,
  })(async ({ path: { id }, expected }) => {
    const removed = await keys.remove(id, expected)
    if (removed === 'stale') return PRECONDITION_FAILED
    // Also when it was removed elsewhere, as this isolate may still hold a verdict
    deps.onChange('removed', id)
    return removed ? ok(undefined) : notFound('key', id)
  })

  async function loadKnown(): Promise<Known> {
    const [published, listLastUses] = await Promise.all([deps.published(), keys.listLastUses()])
    return { published, quota: deps.quota, listLastUses }
  }

  return router
}

/** Never the key's text or hash. */
function encodeKey({ id, name, scopes, tools, users, created_at, expires_at, limits, record_arguments }: ApiKey) {
  return { id, name, scopes, tools, users, created_at, expires_at, limits, record_arguments }
}

interface Known {
  readonly published: Readonly<Record<string, PublishedTotals>> | undefined
  readonly quota: PublishedTotals
  readonly listLastUses: Readonly<Record<string, number>>
}

/** `published` is absent while it cannot be read; administrators have no quota. */
function encodeListed(key: ApiKey, { published: all, quota, listLastUses }: Known) {
  const used = listLastUses[key.id]
  const shown = { ...encodeKey(key), ...(used === undefined ? {} : { last_used_at: new Date(used).toISOString() }) }
  if (!all) return shown
  const published = all[toKeyPrincipal(key).id] ?? { documents: 0, bytes: 0 }
  return { ...shown, published: { ...published, ...(key.scopes.includes('admin') ? {} : { quota }) } }
}

function encodeNewKey(key: ApiKey, text: string) {
  const { id, ...rest } = encodeKey(key)
  return { id, key: text, ...rest }
}

type ListedKey = ReturnType<typeof encodeListed>
type MadeKey = ReturnType<typeof encodeNewKey>

export interface KeyAnswers {
  'POST /keys': MadeKey
  'GET /keys': { readonly items: readonly ListedKey[] }
  'GET /keys/:id': ListedKey
  'PATCH /keys/:id': ListedKey
  'POST /keys/:id/rotate': MadeKey & { readonly previous_expires_at: string }
  'DELETE /keys/:id': undefined
}
