import type { AuditEvent, WriteAuditEvent } from '../../core/access/audit-entry.ts'
import type { Failure } from '../../core/failure/failure.ts'
import { getBackground, type RouteContext } from './authorizer.ts'

export interface AuditDetails extends Pick<AuditEvent, 'act' | 'outcome' | 'status' | 'about' | 'user_id'> {
  readonly principal?: { readonly id: string; readonly name?: string | undefined } | undefined
}

/** The id is half of an authorization's secret link, so audit events omit it. */
const AUTHORIZATION_PATH = /^\/authorizations\/[^/]+/
const MAX_PATH_CHARACTERS = 300

export function writeAudit(c: RouteContext, write: WriteAuditEvent | undefined, now: number, details: AuditDetails) {
  if (!write) return
  const { principal, ...event } = details
  const { method, url, headers } = c.req.raw
  const path = new URL(url).pathname.replace(AUTHORIZATION_PATH, '/authorizations/…').slice(0, MAX_PATH_CHARACTERS)
  const address = headers.get('cf-connecting-ip') ?? undefined
  const principalFields = principal && { principal: principal.id, principal_name: principal.name }
  write({ at: now, ...principalFields, method, path, address, ...event }, getBackground(c))
}

const DENIALS: ReadonlyMap<Failure['type'], number> = new Map([
  ['unauthenticated', 401],
  ['forbidden', 403],
  ['rate-limited', 429],
])
/** Without a limit, rejected callers could fill the records. */
const MAX_DENIALS_PER_SECOND = 20

export function createDenialLog(write: WriteAuditEvent, clock: () => number) {
  let secondStart = 0
  let writtenCount = 0
  let droppedCount = 0
  return (c: RouteContext, { type }: Failure, principal?: AuditDetails['principal']): void => {
    const status = DENIALS.get(type)
    if (status === undefined) return
    const now = clock()
    if (now - secondStart >= 1_000) [secondStart, writtenCount] = [now, 0]
    if (writtenCount >= MAX_DENIALS_PER_SECOND) {
      droppedCount += 1
      return
    }
    writtenCount += 1
    const about = droppedCount > 0 ? { about: { not_written_down: droppedCount } } : {}
    droppedCount = 0
    writeAudit(c, write, now, { act: 'refusal', principal, outcome: type, status, ...about })
  }
}
