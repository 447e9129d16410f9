import { isJsonObject, isJsonArray } from '../../core/tool/json.ts'
import { getToolkitDescription } from '../../core/tool/metadata.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import { resolveVersion } from '../../core/tool/version.ts'
import {
  toCapabilityName,
  getDescription,
  encodeCapability,
  encodeMetadata,
  findPublishedDocument,
  TOOLKIT_PREFIX,
} from './encoding.ts'

const FIELDS = [
  'id',
  'toolkit',
  'version',
  'opening',
  'closing',
  'order',
  'capability',
  'name',
  'description',
  'about',
  'level',
  'metadata',
] as const

/** Each field is JSON without line breaks. An empty `closing` means no document; the `id` is then the toolkit's. */
type CapabilityLine = Readonly<Record<(typeof FIELDS)[number], string>>

/** Selects the lines of one id, or all versions of each. */
export interface JoinOptions {
  readonly id?: string | undefined
  readonly versions?: 'newest' | 'all'
}

/**
 * Encodes a tool as a line. Lines are joined into documents as text: a list has up to 16 million characters, and parsed
 * values would take several times as much memory.
 */
export function encodeCapabilityLine(record: ToolRecord): string {
  const line = toDocumentLine(record) ?? toToolkitLine(record)
  return FIELDS.map((field) => line[field]).join('\n')
}

/** Joins lines to one document per id: a published one at its newest version with these capabilities, or a toolkit's others. */
export function joinCapabilityLines(lines: readonly string[], { id, versions }: JoinOptions = {}): readonly string[] {
  const groups = new Map<string, CapabilityLine[]>()
  const publishedNames = new Set<string>()
  for (const line of lines) {
    const capabilityLine = parseCapabilityLine(line)
    const isPublished = capabilityLine.closing !== ''
    if (isPublished) publishedNames.add(capabilityLine.id)
    const kind = isPublished ? `document ${capabilityLine.toolkit}` : 'toolkit'
    const key = [kind, capabilityLine.id, versions === 'all' ? capabilityLine.version : ''].join('\n')
    const group = groups.get(key)
    if (group) group.push(capabilityLine)
    else groups.set(key, [capabilityLine])
  }
  const documents = [...groups.values()].flatMap((capabilityLines) => {
    const [first] = capabilityLines
    if (!first) return []
    const isToolkit = first.closing === ''
    const listedId = isToolkit && publishedNames.has(first.id) ? `"${TOOLKIT_PREFIX}${first.id.slice(1)}` : first.id
    return [{ capabilityLines, isToolkit, listedId }]
  })
  return selectById(documents, id).map(({ capabilityLines, isToolkit, listedId }) => {
    const version = findNewest(capabilityLines)
    return isToolkit
      ? joinToolkit(capabilityLines, version, listedId)
      : joinDocument(capabilityLines.filter((capabilityLine) => capabilityLine.version === version))
  })
}

/** Selects documents by their exact id, or if there are none, ignoring case, as ids of documents do. */
function selectById<T extends { readonly listedId: string }>(
  documents: readonly T[],
  id: string | undefined,
): readonly T[] {
  if (id === undefined) return documents
  const idText = JSON.stringify(id)
  const exact = documents.filter(({ listedId }) => listedId === idText)
  return exact.length > 0 ? exact : documents.filter(({ listedId }) => listedId.toLowerCase() === idText.toLowerCase())
}

function parseCapabilityLine(line: string): CapabilityLine {
  const [id = '', toolkit = '', version = '', opening = '', closing = '', order = '', ...moreFields] = line.split('\n')
  const [capability = '', name = '', description = '', about = '', level = '', metadata = ''] = moreFields
  return { id, toolkit, version, opening, closing, order, capability, name, description, about, level, metadata }
}

function findNewest(capabilityLines: readonly CapabilityLine[]): string {
  const versions = [...new Set(capabilityLines.map(({ version }) => version))]
  return resolveVersion(versions.map((version) => ({ version, status: { state: 'active' } })))?.version ?? ''
}

const EMPTY_FIELDS = { opening: '', closing: '', order: '', name: '', description: '', about: '', metadata: '' }

function toDocumentLine(record: ToolRecord): CapabilityLine | undefined {
  const document = findPublishedDocument(record)
  const capabilities = document?.capabilities
  if (!document || !isJsonArray(capabilities)) return undefined
  const capabilityName = toCapabilityName(record)
  const order = capabilities.findIndex((each) => isJsonObject(each) && each.name === capabilityName)
  const fields = Object.entries(document)
  const capabilitiesIndex = fields.findIndex(([key]) => key === 'capabilities')
  const members = fields.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
  return {
    ...EMPTY_FIELDS,
    id: JSON.stringify(document.id ?? ''),
    toolkit: record.toolkit,
    version: record.version,
    opening: `{${[...members.slice(0, capabilitiesIndex), '"capabilities":['].join()}`,
    closing: `${[']', ...members.slice(capabilitiesIndex + 1)].join()}}`,
    order: String(order),
    capability: JSON.stringify(capabilities[order]),
    level: String(record.securityLevel),
  }
}

function joinDocument(capabilityLines: readonly CapabilityLine[]): string {
  const [{ opening, closing } = { opening: '', closing: '' }] = capabilityLines.toSorted(
    (a, b) => Number(b.level) - Number(a.level),
  )
  const inOrder = capabilityLines.toSorted((a, b) => Number(a.order) - Number(b.order))
  return opening + inOrder.map(({ capability }) => capability).join() + closing
}

function toToolkitLine(record: ToolRecord): CapabilityLine {
  const { toolkit, tool, version, securityLevel } = record
  const metadata = encodeMetadata(record)
  const about = getToolkitDescription(record)
  return {
    ...EMPTY_FIELDS,
    id: JSON.stringify(toolkit),
    toolkit,
    version,
    capability: JSON.stringify(encodeCapability(record).capability),
    name: JSON.stringify(tool),
    description: JSON.stringify(getDescription(record)),
    about: about === undefined ? '' : JSON.stringify(about),
    level: String(securityLevel),
    metadata: metadata ? JSON.stringify(metadata) : '',
  }
}

function joinToolkit(capabilityLines: readonly CapabilityLine[], version: string, id: string): string {
  const [first] = capabilityLines
  if (!first) return ''
  const haveOneVersion = capabilityLines.every((capabilityLine) => capabilityLine.version === version)
  const areAlike =
    haveOneVersion &&
    capabilityLines.every(({ level, metadata }) => level === first.level && metadata === first.metadata)
  const toolMetadata = capabilityLines.map((capabilityLine) => {
    const { name, level, metadata } = capabilityLine
    const fields = [
      ...(haveOneVersion ? [] : [`"version":${JSON.stringify(capabilityLine.version)}`]),
      `"securityLevel":${level}`,
      ...(metadata === '' ? [] : [`"metadata":${metadata}`]),
    ]
    return `${name}:{${fields.join()}}`
  })
  const metadata = areAlike ? first.metadata : `{"capabilities":{${toolMetadata.join()}}}`
  const fields = [
    `"id":${id}`,
    `"name":${first.id}`,
    `"version":${JSON.stringify(version)}`,
    `"description":${first.about || (capabilityLines.length === 1 ? first.description : `"The tools of this toolkit"`)}`,
    `"capabilities":[${capabilityLines.map(({ capability }) => capability).join()}]`,
    `"securityLevel":${Math.max(...capabilityLines.map(({ level }) => Number(level)))}`,
    ...(metadata === '' ? [] : [`"metadata":${metadata}`]),
  ]
  return `{${fields.join()}}`
}
