import type { Hono } from 'hono'
import { findBoundDenial } from '../../core/access/change-toolset.ts'
import { lockReader, type LockStore, MAX_LOCK_BYTES, MAX_LOCKS } from '../../core/access/tool-lock.ts'
import { isAdministrator } from '../../core/access/toolkit-owner.ts'
import { lockHash } from '../../core/access/toolset-name.ts'
import { fail, ok } from '../../core/failure/failure.ts'
import { jsonBody } from '../../http/request/json-body.ts'
import { json, jsonRef, objectSchema, TEXT } from '../../http/route/response-specs.ts'
import { ADMIN_ROUTE, createRouter, notFound, PUBLISHER_ROUTE } from '../../http/route/router.ts'
import { READER_ROUTE, type RouteDeps } from '../../http/route/router.ts'

interface LocksRoutesDeps extends RouteDeps {
  readonly locks: LockStore
}

const MAX_BODY_BYTES = 2 * MAX_LOCK_BYTES
const MAX_BODY_PARTS = 50_000
const HASH = json('The hash of the lock', objectSchema({ hash: TEXT }))

/** Locks are immutable. Callers who know the hash may read a lock, but those bound to a toolset or lock only their own. */
export function createLocksRoutes(deps: LocksRoutesDeps): Hono {
  const { locks } = deps
  const { router, on } = createRouter(deps)

  on('PUT /locks', 'Store a lock', {
    ...PUBLISHER_ROUTE,
    auditAction: 'lock.put',
    body: jsonBody(lockReader, { limit: MAX_BODY_BYTES, parts: MAX_BODY_PARTS }),
    responses: { 200: HASH, 201: HASH },
    findDenial: findBoundDenial,
  })(async ({ principal, body, addAuditDetails }) => {
    const { hash, status } = await locks.put(body, { id: principal.id, hasQuota: !isAdministrator(principal) })
    addAuditDetails({ hash })
    if (typeof status === 'object') return fail({ type: 'conflict', message: status.denied })
    if (status === 'too-large') return fail({ type: 'body-too-large', limit: MAX_LOCK_BYTES })
    if (status === 'limit-reached') {
      const message = `There are ${MAX_LOCKS} locks, the maximum: have an administrator delete one with DELETE /locks/{hash}`
      return fail({ type: 'conflict', message })
    }
    return { ...ok({ hash }), status: status === 'created' ? 201 : 200, headers: { location: `/locks/${hash}` } }
  })

  on('GET /locks/:hash', 'Get a lock', {
    ...READER_ROUTE,
    path: { hash: lockHash },
    responses: { 200: jsonRef('The lock', 'Lock') },
  })(async ({ principal, path: { hash } }) => {
    const mayRead = !findBoundDenial(principal) || principal.view?.lock?.hash === hash
    const lock = mayRead ? await locks.find(hash) : undefined
    return lock ? ok(lock) : notFound('lock', hash)
  })

  on('DELETE /locks/:hash', 'Delete a lock', {
    ...ADMIN_ROUTE,
    path: { hash: lockHash },
    auditAction: 'lock.remove',
  })(async ({ path: { hash } }) => ((await locks.remove(hash)) ? ok(undefined) : notFound('lock', hash)))

  return router
}
