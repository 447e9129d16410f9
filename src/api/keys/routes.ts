import type { Hono } from 'hono'
import {
  type ApiKey,
  findScopeProblem,
  type KeyChange,
  keyChangeReader,
  type KeyStore,
  newKeyReader,
  ROTATION,
} from '../../core/access/api-key.ts'
import type { PublishedTotals } from '../../core/publish/publisher-quota.ts'
import { applyKeyChange, toKeyPrincipal } from '../../core/access/stored-key.ts'
import type { LockStore } from '../../core/access/tool-lock.ts'
import type { ToolsetStore } from '../../core/access/toolset.ts'
import { malformedRequestFailure } from '../../core/call/call-options.ts'
import { type FailureResult, ok, type Result } from '../../core/failure/failure.ts'
import type { Sha256 } from '../../core/tool/digest.ts'
import { computeRevision, matchesPrecondition, type Precondition } from '../../core/tool/precondition.ts'
import type { Problem } from '../../core/tool/problem.ts'
import { toKeyPrefix } from '../../http/caller/key-text.ts'
import { jsonBody } from '../../http/request/json-body.ts'
import { jsonRef, itemList, withEtag } from '../../http/route/response-specs.ts'
import {
  ADMIN_ROUTE,
  createRouter,
  etag,
  notFound,
  type RouteDeps,
  PRECONDITION_FAILED,
} from '../../http/route/router.ts'

export interface KeysRoutesDeps extends RouteDeps {
  readonly keys: KeyStore
  readonly toolsets: Pick<ToolsetStore, 'load'>
  readonly locks: Pick<LockStore, 'find'>
  published(): Promise<Readonly<Record<string, PublishedTotals>> | undefined>
  readonly quota: PublishedTotals
  onChange(change: 'created' | 'changed' | 'removed', id: string): void
  readonly sha256: Sha256
  randomKey(): string
  newId(): string
  now(): Date
}

const MAX_ATTEMPTS = 20

export function createKeysRoutes(deps: KeysRoutesDeps): Hono {
  const { keys } = deps
  const { router, on } = createRouter<KeyAnswers>(deps)

  /** Checks bindings at the time of the change. If a toolset is deleted later, its keys lose access to all tools. */
  async function findBindingFailure(key: ApiKey, { toolset, lock }: KeyChange): Promise<FailureResult | undefined> {
    const problems: Problem[] = [findScopeProblem(key) ?? []].flat()
    if (toolset && !(await deps.toolsets.load(toolset)))
      problems.push({ path: '/toolset', message: `There is no toolset '${toolset}'` })
    if (lock && !(await deps.locks.find(lock)))
      problems.push({ path: '/lock', message: 'There is no such lock: send it first, with PUT /locks' })
    return problems.length > 0 ? malformedRequestFailure(problems) : undefined
  }

  on('POST /keys', 'Create an API key', {
    ...ADMIN_ROUTE,
    auditAction: 'key.create',
    body: jsonBody(newKeyReader(deps.now), { what: 'request for a key' }),
    responses: { 201: jsonRef('The key; its text is returned only once', 'NewKey') },
  })(async ({ body, addAuditDetails }) => {
    const text = deps.randomKey()
    const key: ApiKey = { id: deps.newId(), created_at: deps.now().toISOString(), prefix: toKeyPrefix(text), ...body }
    const failure = await findBindingFailure(key, body)
    if (failure) return failure
    await keys.create(key, await deps.sha256(text))
    deps.onChange('created', key.id)
    addAuditDetails(encodeKey(key))
    return { ...ok(encodeNewKey(key, text)), status: 201 }
  })

  on('GET /keys', 'List API keys', { ...ADMIN_ROUTE, responses: { 200: itemList('All keys', 'Key') } })(async () => {
    const [allKeys, keyFacts] = await Promise.all([keys.list(), loadKeyFacts()])
    return ok({ items: allKeys.map((key) => encodeListed(key, keyFacts)) })
  })

  on('GET /keys/:id', 'Get an API key', {
    ...ADMIN_ROUTE,
    responses: { 200: withEtag(jsonRef('The key, without its text', 'Key')) },
  })(async ({ path: { id } }) => {
    const [key, keyFacts] = await Promise.all([keys.findById(id), loadKeyFacts()])
    return key ? { ...ok(encodeListed(key, keyFacts)), headers: etag(key) } : notFound('key', id)
  })

  on('PATCH /keys/:id', 'Update an API key', {
    ...ADMIN_ROUTE,
    auditAction: 'key.change',
    supportsIfMatch: true,
    body: jsonBody(keyChangeReader(deps.now), { what: 'request for a key' }),
    responses: { 200: withEtag(jsonRef('The updated key', 'Key')) },
  })(async ({ path: { id }, body, precondition, addAuditDetails }) => {
    const changedKey = await changeKey(id, body, precondition)
    if (!changedKey.ok) return changedKey
    const key = changedKey.value
    addAuditDetails(encodeKey(key))
    deps.onChange('changed', id)
    return { ...ok(encodeListed(key, await loadKeyFacts())), headers: etag(key) }
  })

  /** Changes the exact key that was checked, because concurrent changes could combine scopes and a toolset that conflict. */
  async function changeKey(
    id: string,
    change: KeyChange,
    precondition: Precondition | undefined,
  ): Promise<Result<ApiKey>> {
    const restricts = 'scopes' in change || 'toolset' in change || 'lock' in change
    for (let attempt = 1; ; attempt++) {
      const before = await keys.findById(id)
      if (!before) return notFound('key', id)
      if (!matchesPrecondition(before, precondition)) return PRECONDITION_FAILED
      const failure = await findBindingFailure(applyKeyChange(before, change), change)
      if (failure) return failure
      const key = await keys.change(id, change, restricts ? [computeRevision(before)] : precondition)
      if (key === undefined) return notFound('key', id)
      if (key !== 'precondition-failed') return ok(key)
      // The key was changed concurrently: check it again
      if (precondition !== undefined || attempt === MAX_ATTEMPTS) return PRECONDITION_FAILED
    }
  }

  on('POST /keys/:id/rotate', 'Rotate an API key', {
    ...ADMIN_ROUTE,
    auditAction: 'key.rotate',
    body: jsonBody(ROTATION, { what: 'request for a key', isOptional: true }),
    responses: { 200: jsonRef('The key; its new text is returned only once', 'NewKey') },
  })(async ({ path: { id }, body, addAuditDetails }) => {
    const until = deps.now().getTime() + body.overlap_seconds * 1_000
    const text = deps.randomKey()
    const key = await keys.rotate(id, await deps.sha256(text), toKeyPrefix(text), until)
    if (!key) return notFound('key', id)
    addAuditDetails({ name: key.name, previous_expires_at: key.previous_expires_at })
    deps.onChange('changed', id)
    return ok(encodeNewKey(key, text))
  })

  on('DELETE /keys/:id', 'Delete an API key', {
    ...ADMIN_ROUTE,
    auditAction: 'key.remove',
    supportsIfMatch: true,
  })(async ({ path: { id }, precondition, addAuditDetails }) => {
    const key = await keys.findById(id)
    if (key) addAuditDetails({ name: key.name })
    const result = await keys.remove(id, precondition)
    if (result === 'precondition-failed') return PRECONDITION_FAILED
    // Even if it was removed elsewhere, because this isolate may still have it cached
    deps.onChange('removed', id)
    return result === 'removed' ? ok(undefined) : notFound('key', id)
  })

  async function loadKeyFacts(): Promise<KeyFacts> {
    const [published, lastUses] = await Promise.all([deps.published(), keys.listLastUses()])
    return { published, quota: deps.quota, lastUses }
  }

  return router
}

/** Never includes the key's text or hash. */
function encodeKey({
  id,
  name,
  prefix,
  scopes,
  tools,
  users,
  created_at,
  expires_at,
  previous_expires_at,
  limits,
  toolset,
  lock,
  record_arguments,
}: ApiKey) {
  const times = { created_at, expires_at, previous_expires_at }
  return { id, name, prefix, scopes, tools, users, ...times, limits, toolset, lock, record_arguments }
}

interface KeyFacts {
  readonly published: Readonly<Record<string, PublishedTotals>> | undefined
  readonly quota: PublishedTotals
  readonly lastUses: Readonly<Record<string, number>>
}

/** `published` is absent if it cannot be read. Administrators have no quota. */
function encodeListed(key: ApiKey, { published: totals, quota, lastUses }: KeyFacts) {
  const lastUsedAt = lastUses[key.id]
  const listedKey = {
    ...encodeKey(key),
    ...(lastUsedAt === undefined ? {} : { last_used_at: new Date(lastUsedAt).toISOString() }),
  }
  if (!totals) return listedKey
  const published = totals[toKeyPrincipal(key).id] ?? { documents: 0, bytes: 0 }
  return { ...listedKey, published: { ...published, ...(key.scopes.includes('admin') ? {} : { quota }) } }
}

function encodeNewKey(key: ApiKey, text: string) {
  const { id, ...fields } = encodeKey(key)
  return { id, key: text, ...fields }
}

type ListedKey = ReturnType<typeof encodeListed>
type NewKey = ReturnType<typeof encodeNewKey>

export interface KeyAnswers {
  'POST /keys': NewKey
  'GET /keys': { readonly items: readonly ListedKey[] }
  'GET /keys/:id': ListedKey
  'PATCH /keys/:id': ListedKey
  'POST /keys/:id/rotate': NewKey
  'DELETE /keys/:id': undefined
}
