/**
 * Lists tools as documents of the Machine Context Protocol, each of which may hold several tools. A line is what one tool says,
 * as JSON. Lines are joined to one document an id: a published one at its newest version, or one for the other tools of a toolkit.
 */
import { isJsonObject, isJsonArray, type Json, type JsonObject } from '../../core/tool/json.ts'
import { parseTrusted } from '../../core/tool/json-text.ts'
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

interface DocumentLine extends Pick<ToolRecord, 'toolkit' | 'version' | 'securityLevel'> {
  readonly kind: 'document'
  /** The published document without its capabilities. */
  readonly document: JsonObject
  readonly capability: Json | undefined
  /** The place of the capability in the published document. */
  readonly order: number
}

interface ToolkitLine extends Pick<ToolRecord, 'toolkit' | 'version' | 'securityLevel' | 'tool' | 'description'> {
  readonly kind: 'toolkit'
  readonly capability: JsonObject
  readonly toolkitDescription: string | undefined
  readonly metadata: JsonObject | undefined
}

type CapabilityLine = DocumentLine | ToolkitLine

/** Which lines: those of one id, or all versions of each. */
export interface JoinOptions {
  readonly id?: string | undefined
  readonly versions?: 'newest' | 'all'
}

export function encodeCapabilityLine(record: ToolRecord): string {
  return JSON.stringify(toDocumentLine(record) ?? toToolkitLine(record))
}

export function joinCapabilityLines(texts: readonly string[], { id, versions }: JoinOptions = {}): readonly string[] {
  const lines = texts.map((text): CapabilityLine => parseTrusted(text))
  const publishedIds = new Set(lines.flatMap((line) => (line.kind === 'document' ? [line.document.id] : [])))
  const groups = Map.groupBy(lines, (line) => {
    const documentId = line.kind === 'document' ? line.document.id : undefined
    return JSON.stringify([line.toolkit, documentId, versions === 'all' ? line.version : ''])
  })
  const documents = [...groups.values()].map((group) => {
    const documentLines = group.filter((line) => line.kind === 'document')
    if (documentLines.length > 0) return joinDocument(documentLines)
    const toolkitLines = group.filter((line) => line.kind === 'toolkit')
    return joinToolkit(toolkitLines, publishedIds)
  })
  return selectById(documents, id).map((document) => JSON.stringify(document))
}

/** Selects documents by their exact id; if there are none, ignoring case, since ids of documents ignore it. */
function selectById(documents: readonly JsonObject[], id: string | undefined): readonly JsonObject[] {
  if (id === undefined) return documents
  const exact = documents.filter((document) => document.id === id)
  return exact.length > 0
    ? exact
    : documents.filter((document) => String(document.id).toLowerCase() === id.toLowerCase())
}

function findNewest(lines: readonly CapabilityLine[]): string {
  const versions = [...new Set(lines.map(({ version }) => version))]
  return resolveVersion(versions.map((version) => ({ version, status: { state: 'active' } })))?.version ?? ''
}

function toDocumentLine(record: ToolRecord): DocumentLine | undefined {
  const document = findPublishedDocument(record)
  if (!document || !isJsonArray(document.capabilities)) return undefined
  const { capabilities } = document
  const capabilityName = toCapabilityName(record)
  const order = capabilities.findIndex((each) => isJsonObject(each) && each.name === capabilityName)
  const { toolkit, version, securityLevel } = record
  // The empty list keeps the place of the capabilities among the members
  const emptyDocument = { ...document, capabilities: [] }
  return {
    kind: 'document',
    toolkit,
    version,
    securityLevel,
    document: emptyDocument,
    capability: capabilities[order],
    order,
  }
}

function joinDocument(lines: readonly DocumentLine[]): JsonObject {
  const version = findNewest(lines)
  const newestLines = lines.filter((line) => line.version === version)
  const [highest] = newestLines.toSorted((a, b) => b.securityLevel - a.securityLevel)
  const inOrder = newestLines.toSorted((a, b) => a.order - b.order)
  return { ...highest?.document, capabilities: inOrder.flatMap(({ capability }) => capability ?? []) }
}

function toToolkitLine(record: ToolRecord): ToolkitLine {
  const { toolkit, tool, version, securityLevel } = record
  return {
    kind: 'toolkit',
    toolkit,
    tool,
    version,
    securityLevel,
    description: getDescription(record),
    capability: encodeCapability(record).capability,
    toolkitDescription: getToolkitDescription(record),
    metadata: encodeMetadata(record),
  }
}

function joinToolkit(lines: readonly ToolkitLine[], publishedIds: ReadonlySet<Json | undefined>): JsonObject {
  const [first] = lines
  if (!first) return {}
  const { toolkit, toolkitDescription } = first
  const version = findNewest(lines)
  const haveOneVersion = lines.every((line) => line.version === version)
  const toShared = ({ securityLevel, metadata }: ToolkitLine) => JSON.stringify([securityLevel, metadata])
  const areAlike = haveOneVersion && lines.every((line) => toShared(line) === toShared(first))
  const toolMetadata = lines.map(({ tool, securityLevel, metadata, ...line }) => {
    return [tool, { ...(haveOneVersion ? {} : { version: line.version }), securityLevel, metadata }] as const
  })
  return {
    id: publishedIds.has(toolkit) ? `${TOOLKIT_PREFIX}${toolkit}` : toolkit,
    name: toolkit,
    version,
    description: toolkitDescription ?? (lines.length === 1 ? first.description : 'The tools of this toolkit'),
    capabilities: lines.map(({ capability }) => capability),
    securityLevel: Math.max(...lines.map(({ securityLevel }) => securityLevel)),
    metadata: areAlike ? first.metadata : { capabilities: Object.fromEntries(toolMetadata) },
  }
}
