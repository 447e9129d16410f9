import { isJsonObject, isList } from '../../core/tool/json.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import { encodeCapability, encodeMetadata, publishedDocument } from './encoding.ts'

const FIELDS = ['opening', 'closing', 'order', 'capability', 'name', 'description', 'level', 'metadata'] as const

/** One capability's share of a document, each field a piece of JSON, which holds no line breaks of its own. */
type Share = Readonly<Record<(typeof FIELDS)[number], string>>

/** A record as a line of the catalogue. Lines are joined to documents as text, so that listing parses nothing. */
export function writeShare(record: ToolRecord): string {
  const share = publishedShare(record) ?? ownShare(record)
  return FIELDS.map((field) => share[field]).join('\n')
}

/**
 * The documents that lines are shares of. A published document is given back as it was published, without the capabilities
 * that are not among the lines; the other tools of one toolkit and version become one document.
 */
export function joinShares(lines: readonly string[]): readonly string[] {
  const documents = new Map<string, Share[]>()
  for (const line of lines) {
    const share = readShare(line)
    const key = `${share.opening}\n${share.closing}`
    const shares = documents.get(key)
    if (shares) shares.push(share)
    else documents.set(key, [share])
  }
  return [...documents.values()].map((shares) => (shares[0]?.closing === '' ? joinOwn(shares) : joinPublished(shares)))
}

function readShare(line: string): Share {
  const [
    opening = '',
    closing = '',
    order = '',
    capability = '',
    name = '',
    description = '',
    level = '',
    metadata = '',
  ] = line.split('\n')
  return { opening, closing, order, capability, name, description, level, metadata }
}

function publishedShare(record: ToolRecord): Share | undefined {
  const document = publishedDocument(record)
  const capabilities = document?.capabilities
  if (!document || !isList(capabilities)) return undefined
  const order = capabilities.findIndex((each) => isJsonObject(each) && each.name === record.tool)
  const fields = Object.entries(document)
  const place = fields.findIndex(([key]) => key === 'capabilities')
  const said = fields.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
  return {
    opening: `{${[...said.slice(0, place), '"capabilities":['].join()}`,
    closing: `${[']', ...said.slice(place + 1)].join()}}`,
    order: String(order),
    capability: JSON.stringify(capabilities[order]),
    name: '',
    description: '',
    level: '',
    metadata: '',
  }
}

function joinPublished(shares: readonly Share[]): string {
  const [{ opening, closing } = { opening: '', closing: '' }] = shares
  const inOrder = shares.toSorted((a, b) => Number(a.order) - Number(b.order))
  return opening + inOrder.map(({ capability }) => capability).join() + closing
}

function ownShare(record: ToolRecord): Share {
  const { toolkit, tool, version, description, securityLevel } = record
  const id = JSON.stringify(toolkit)
  const metadata = encodeMetadata(record)
  return {
    opening: `{"id":${id},"name":${id},"version":${JSON.stringify(version)}`,
    closing: '',
    order: '',
    capability: JSON.stringify(encodeCapability(record).capability),
    name: JSON.stringify(tool),
    description: JSON.stringify(description),
    level: String(securityLevel),
    metadata: metadata ? JSON.stringify(metadata) : '',
  }
}

/** Where capabilities differ in what only a whole tool can say, it is said of each in the tool's metadata. */
function joinOwn(shares: readonly Share[]): string {
  const [first] = shares
  if (!first) return ''
  const areAlike = shares.every(({ level, metadata }) => level === first.level && metadata === first.metadata)
  const each = shares.map(
    ({ name, level, metadata }) =>
      `${name}:{"securityLevel":${level}${metadata === '' ? '' : `,"metadata":${metadata}`}}`,
  )
  const metadata = areAlike ? first.metadata : `{"capabilities":{${each.join()}}}`
  const fields = [
    first.opening,
    `"description":${shares.length === 1 ? first.description : `"The tools of this toolkit"`}`,
    `"capabilities":[${shares.map(({ capability }) => capability).join()}]`,
    `"securityLevel":${Math.max(...shares.map(({ level }) => Number(level)))}`,
    ...(metadata === '' ? [] : [`"metadata":${metadata}`]),
  ]
  return `${fields.join()}}`
}
