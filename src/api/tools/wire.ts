import { lockReader, type ToolLock } from '../../core/access/tool-lock.ts'
import { lockHash, toolsetName } from '../../core/access/toolset-name.ts'
import type { Readiness } from '../../core/call/readiness.ts'
import { identifier } from '../../core/call/call-options.ts'
import type { VersionHistory } from '../../core/publish/history.ts'
import type { PublicationResult } from '../../core/publish/registry.ts'
import { encodePublished, SUCCESS_STATUS, toProblems } from '../../core/publish/report.ts'
import type { toSummary } from '../../core/publish/summary.ts'
import { statusReader } from '../../core/publish/status-body.ts'
import { namePart, version } from '../../core/tool/definition-fields.ts'
import { isObject } from '../../core/tool/json.ts'
import { addProblem, array, boolean, enumReader, nullable, object, optional } from '../../core/tool/json-reader.ts'
import { type InferOutput, string, stringMatching, toJsonSchema } from '../../core/tool/json-reader.ts'
import { transform, withSchema } from '../../core/tool/json-reader.ts'
import { quoteList } from '../../core/tool/problem.ts'
import { HTTP_STATUS } from '../../http/response/failure-status.ts'
import { defineQuery } from '../../http/request/query.ts'
import type { ReadinessReport } from './readiness-report.ts'
import { formatToolId, isNamePart, type ToolName } from '../../core/tool/tool-id.ts'
import { needsApproval, type Publisher, type ToolRecord, type VersionEntry } from '../../core/tool/tool.ts'
import type { ToolStatus } from '../../core/tool/version.ts'

const NAME = stringMatching('a name of 1 to 64 of A-Z, a-z, 0-9, _ and -', isNamePart)
const ADMIN_FIELDS = object({
  trusted: optional(boolean),
  name: optional<string | null>(nullable(NAME)),
})

export const VERSION_CHANGE_BODY = statusReader(ADMIN_FIELDS, ['trusted', 'name'])

export const readinessQuery = defineQuery({ user_id: optional(identifier) })

const MAX_READINESS_TOOLS = 100
const LOCK_OR_HASH = withSchema<ToolLock | string>(
  () => ({ anyOf: [toJsonSchema(lockHash), { type: 'object' }] }),
  (value, report) => (typeof value === 'string' ? lockHash(value, report) : lockReader(value, report)),
)
export const READINESS_BODY = object(
  {
    tools: optional(array(string({ min: 1, max: 256 }), { min: 1, max: MAX_READINESS_TOOLS })),
    toolset: optional(toolsetName),
    lock: optional(LOCK_OR_HASH),
    user_id: optional(identifier),
  },
  {
    rule(_, report, { tools, toolset, lock }) {
      if ([tools, toolset, lock].filter((choice) => choice !== undefined).length !== 1)
        addProblem(report, "Must have one of 'tools', 'toolset' and 'lock'")
    },
  },
)
export type ReadinessBody = InferOutput<typeof READINESS_BODY>

export const PUBLICATION_PARAMS = { toolkit: optional(namePart), version: optional(version) }

export const publicationQuery = defineQuery({
  dialect: optional(string({ max: 100 })),
  allow: optional(enumReader(['breaking'])),
  ...PUBLICATION_PARAMS,
})

export const flag = transform(optional(enumReader(['0', '1'])), (value) => value === '1')

export function publicationNote(results: readonly PublicationResult[]): string | undefined {
  const ids = results.flatMap((result) => (result.ok ? (result.uncallable ?? []) : []))
  if (ids.length === 0) return undefined
  const moreText = ids.length > MAX_LISTED_IDS ? ` and ${ids.length - MAX_LISTED_IDS} more` : ''
  const idList = `${quoteList(ids.slice(0, MAX_LISTED_IDS))}${moreText}`
  return `Without an implementation, ${idList} cannot be called, only listed and read: publish a new version with an 'implementation' beside the 'definition'`
}

const MAX_LISTED_IDS = 3

export function encodeResult(result: PublicationResult, requestedId: string | null) {
  const { ok: isPublished, ids } = result
  const status = isPublished ? SUCCESS_STATUS[result.outcome] : HTTP_STATUS[result.failure.type]
  const { ids: _, ...details } = isPublished ? encodePublished(result) : { ids, errors: toProblems(result.failure) }
  return { id: ids[0] ?? requestedId, status, ...(ids.length > 1 ? { ids } : {}), ...details }
}

export function parseToolIdParam(document: unknown): string | null {
  const definition = isObject(document) && 'definition' in document ? document.definition : document
  return isObject(definition) && typeof definition.id === 'string' ? definition.id.slice(0, 300) : null
}

export function encodeVersion(name: ToolName, { version, status, publisher }: VersionEntry, isAdmin: boolean) {
  const { state, ...details } = status
  const adminFields = { publisher: publisher.principal, trusted: publisher.trusted }
  return { id: formatToolId(name, version), status: state, ...details, ...(isAdmin ? adminFields : {}) }
}

export function publisherHeaders({ principal, trusted }: Publisher): Record<string, string> {
  // A JWT subject may contain characters that headers cannot
  const id = principal === null ? 'unknown' : encodeURI(principal.toWellFormed())
  return { 'switchboard-publisher': id, 'switchboard-trusted': String(trusted) }
}

export function guardHeaders(record: ToolRecord): Record<string, string> {
  return {
    ...(record.securityLevel > 0 ? { 'switchboard-security-level': String(record.securityLevel) } : {}),
    ...(needsApproval(record) ? { 'switchboard-approval': 'true' } : {}),
  }
}

type StatusFields = Pick<ToolStatus, 'state'> & { message?: string; successor?: string; yanked?: object }

export function encodeHistory(
  name: ToolName,
  { entry, record, comparedWith, changes }: VersionHistory,
  isAdmin: boolean,
) {
  const { version, digest, publisher } = entry
  const { state, ...details }: StatusFields = entry.status
  return {
    id: formatToolId(name, version),
    version,
    status: state,
    digest,
    ...(isAdmin ? { publisher: publisher.principal } : {}),
    ...(record
      ? {
          ...details,
          security_level: record.securityLevel,
          approval: needsApproval(record) || undefined,
          tags: record.tags,
          dialect: record.source.dialect,
        }
      : {}),
    ...(changes ? { compared_with: comparedWith, changes } : {}),
  }
}

export interface ToolAnswers {
  'GET /tools': {
    readonly items: readonly ReturnType<typeof toSummary>[]
    readonly total?: number
    readonly relevant?: number
    readonly same_as?: Readonly<Record<string, string>>
    readonly next_cursor?: string
  }
  'GET /tools/:id/readiness': Readiness
  'POST /readiness': ReadinessReport
  'GET /tools/:id/versions': { readonly items: readonly ReturnType<typeof encodeHistory>[] }
  'PATCH /tools/:id': ReturnType<typeof encodeVersion>
}
