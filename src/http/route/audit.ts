import type { AuditEvent, WriteAuditEvent } from '../../core/access/audit-entry.ts'
import type { Failure } from '../../core/failure/failure.ts'
import { getBackground, type RouteContext } from './authorizer.ts'

export interface AuditDetails extends Pick<AuditEvent, 'act' | 'outcome' | 'status' | 'about' | 'user_id'> {
  readonly principal?: { readonly id: string; readonly name?: string | undefined } | undefined
}

/** The id of an authorization is half of the link to it. */
const LINKS = /^\/authorizations\/[^/]+/
const MAX_PATH = 300

export function writeAudit(c: RouteContext, write: WriteAuditEvent | undefined, now: number, given: AuditDetails) {
  if (!write) return
  const { principal, ...about } = given
  const { method, url, headers } = c.req.raw
  const path = new URL(url).pathname.replace(LINKS, '/authorizations/…').slice(0, MAX_PATH)
  const address = headers.get('cf-connecting-ip') ?? undefined
  const who = principal && { principal: principal.id, principal_name: principal.name }
  write({ at: now, ...who, method, path, address, ...about }, getBackground(c))
}

const DENIALS: ReadonlyMap<Failure['type'], number> = new Map([
  ['unauthenticated', 401],
  ['forbidden', 403],
  ['rate-limited', 429],
])
/** A second: callers that are refused could otherwise fill the records. */
const MOST = 20

export function createDenialLog(write: WriteAuditEvent, clock: () => number) {
  let second = 0
  let written = 0
  let more = 0
  return (c: RouteContext, { type }: Failure, principal?: AuditDetails['principal']): void => {
    const status = DENIALS.get(type)
    if (status === undefined) return
    const now = clock()
    if (now - second >= 1_000) [second, written] = [now, 0]
    if (written >= MOST) {
      more += 1
      return
    }
    written += 1
    const about = more > 0 ? { about: { not_written_down: more } } : {}
    more = 0
    writeAudit(c, write, now, { act: 'refusal', principal, outcome: type, status, ...about })
  }
}
