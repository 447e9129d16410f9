import { ATTRIBUTES, type DirectoryEntry, type DirectoryKind, type DirectoryPage } from '../../core/access/directory.ts'
import { type Failure, fail, ok, type Result } from '../../core/failure/failure.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import { custom, optional, string } from '../../core/tool/json-reader.ts'
import { formatReadError } from '../../core/tool/problem.ts'
import { defineQuery, type QueryValues } from '../../http/request/query.ts'

const SCHEMAS = 'urn:ietf:params:scim:schemas:core:2.0:'
const MESSAGES = 'urn:ietf:params:scim:api:messages:2.0:'
export const KINDS = ['User', 'Group'] as const
const NAMES = { User: 'userName', Group: 'displayName' }
const MAX_PAGE = 100

const integer = custom('an integer', (value) => (Number.isSafeInteger(Number(value)) ? Number(value) : undefined))
const text = optional(string({ max: 1_000 }))
const SHOWN = { attributes: text, excludedAttributes: text }
const PAGE = { startIndex: optional(integer, 1), count: optional(integer, MAX_PAGE), filter: text }
export const RESOURCE_QUERY = defineQuery(SHOWN, { unknown: 'ignore' })
export const LIST_QUERY = defineQuery({ ...PAGE, ...SHOWN }, { unknown: 'ignore' })

const FILTER = /^ *(\w+) +eq +"((?:[^"\\]|\\["\\])*)" *$/i

/** RFC 7644, section 3.4.2. */
export function toPage(kind: DirectoryKind, query: QueryValues<typeof LIST_QUERY>): Result<DirectoryPage> {
  const page = { offset: Math.max(query.startIndex, 1) - 1, limit: Math.min(Math.max(query.count, 0), MAX_PAGE) }
  if (query.filter === undefined) return ok(page)
  const [, attribute = '', value = ''] = FILTER.exec(query.filter) ?? []
  const fields = { [NAMES[kind]]: 'name', externalId: 'external_id', id: 'id' } as const
  const [, field] = Object.entries(fields).find(([name]) => name.toLowerCase() === attribute.toLowerCase()) ?? []
  if (field) return ok({ ...page, match: { field, value: value.replace(/\\(.)/g, '$1') } })
  const message = `Wanted '${NAMES[kind]} eq "…"', or 'externalId' or 'id'`
  return fail({ type: 'definition-invalid', what: 'filter', problems: [{ path: '', message }] })
}

export function encodeList(resources: readonly JsonObject[], startIndex = 1, totalResults = resources.length) {
  const counts = { totalResults, startIndex, itemsPerPage: resources.length }
  return { schemas: [`${MESSAGES}ListResponse`], ...counts, Resources: resources }
}

export function encodeEntry(
  kind: DirectoryKind,
  { id, ...attributes }: DirectoryEntry,
  url: string,
  { attributes: wanted, excludedAttributes = '' }: QueryValues<typeof RESOURCE_QUERY> = {},
) {
  const names = (wanted ?? excludedAttributes).toLowerCase().split(/[ ,]+/)
  const isShown = ([name]: readonly [string, unknown]) => names.includes(name.toLowerCase()) === (wanted !== undefined)
  const meta = { resourceType: kind, location: new URL(`/scim/v2/${kind}s/${id}`, url).href }
  return { schemas: [SCHEMAS + kind], id, ...Object.fromEntries(Object.entries(attributes).filter(isShown)), meta }
}

/** RFC 7644, section 3.12. */
export function encodeScimError(failure: Failure, status: number): JsonObject {
  const error = { schemas: [`${MESSAGES}Error`], status: String(status) }
  if (failure.type === 'definition-invalid') {
    const { what, problems } = failure
    const isOfPath = problems.some(({ path }) => path.endsWith('/path'))
    const scimType = what === 'filter' ? 'invalidFilter' : isOfPath ? 'invalidPath' : 'invalidValue'
    return { ...error, scimType, detail: formatReadError(`the ${what}`, problems) }
  }
  const scimType = { 'conflict': 'uniqueness', 'request-malformed': 'invalidSyntax' }[String(failure.type)]
  const detail = 'reason' in failure ? failure.reason : 'message' in failure ? failure.message : failure.type
  return { ...error, ...(scimType && { scimType }), detail }
}

const declare = (schema: string, name: string, more: JsonObject) => ({ schemas: [SCHEMAS + schema], name, ...more })
const no = { supported: false }
export const SERVICE_PROVIDER = {
  schemas: [`${SCHEMAS}ServiceProviderConfig`],
  patch: { supported: true },
  changePassword: no,
  sort: no,
  etag: no,
  filter: { supported: true, maxResults: MAX_PAGE },
  bulk: { ...no, maxOperations: 0, maxPayloadSize: 0 },
  authenticationSchemes: [{ type: 'oauthbearertoken', name: 'API key', description: "An API key of the scope 'scim'" }],
}
export const RESOURCE_TYPES = KINDS.map((kind) =>
  declare('ResourceType', kind, { id: kind, endpoint: `/${kind}s`, schema: SCHEMAS + kind }),
)
export const RESOURCE_SCHEMAS = KINDS.map((kind) => {
  const attributes = ATTRIBUTES[kind].map((name) => {
    const isName = name === NAMES[kind]
    const multiValued = name === 'emails' || name === 'members'
    const type = multiValued ? 'complex' : name === 'active' ? 'boolean' : 'string'
    return { name, type, multiValued, required: isName, uniqueness: isName ? 'server' : 'none' }
  })
  return declare('Schema', kind, { id: SCHEMAS + kind, attributes })
})
