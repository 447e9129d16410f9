import { isJsonObject, isJsonArray } from '../../core/tool/json.ts'
import { getToolkitDescription } from '../../core/tool/metadata.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import { resolveVersion } from '../../core/tool/version.ts'
import {
  toCapabilityName,
  describe,
  encodeCapability,
  encodeMetadata,
  publishedDocument,
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
type Share = Readonly<Record<(typeof FIELDS)[number], string>>

/** Which lines: those of one id, or all versions of each. */
export interface ShareJoinOptions {
  readonly id?: string | undefined
  readonly versions?: 'newest' | 'all'
}

/** Lines are joined to documents as text, so that listing parses nothing. */
export function encodeCapabilityLine(record: ToolRecord): string {
  const share = publishedShare(record) ?? ownShare(record)
  return FIELDS.map((field) => share[field]).join('\n')
}

/** One document an id: a published one at its newest version with the given capabilities, or a toolkit's others. */
export function joinCapabilityLines(
  lines: readonly string[],
  { id, versions }: ShareJoinOptions = {},
): readonly string[] {
  const groups = new Map<string, Share[]>()
  const published = new Set<string>()
  for (const line of lines) {
    const share = readShare(line)
    const isPublished = share.closing !== ''
    if (isPublished) published.add(share.id)
    const kind = isPublished ? `document ${share.toolkit}` : 'toolkit'
    const key = [kind, share.id, versions === 'all' ? share.version : ''].join('\n')
    const group = groups.get(key)
    if (group) group.push(share)
    else groups.set(key, [share])
  }
  const all = [...groups.values()].flatMap((shares) => {
    const [first] = shares
    if (!first) return []
    const isOwn = first.closing === ''
    const shown = isOwn && published.has(first.id) ? `"${TOOLKIT_PREFIX}${first.id.slice(1)}` : first.id
    return [{ shares, isOwn, shown }]
  })
  return withId(all, id).map(({ shares, isOwn, shown }) => {
    const version = findNewest(shares)
    return isOwn ? joinOwn(shares, version, shown) : joinPublished(shares.filter((share) => share.version === version))
  })
}

/** As it is written; where none is, ignoring case, as documents have their ids. */
function withId<T extends { readonly shown: string }>(all: readonly T[], id: string | undefined): readonly T[] {
  if (id === undefined) return all
  const asked = JSON.stringify(id)
  const exact = all.filter(({ shown }) => shown === asked)
  return exact.length > 0 ? exact : all.filter(({ shown }) => shown.toLowerCase() === asked.toLowerCase())
}

function readShare(line: string): Share {
  const [id = '', toolkit = '', version = '', opening = '', closing = '', order = '', ...rest] = line.split('\n')
  const [capability = '', name = '', description = '', about = '', level = '', metadata = ''] = rest
  return { id, toolkit, version, opening, closing, order, capability, name, description, about, level, metadata }
}

function findNewest(shares: readonly Share[]): string {
  const versions = [...new Set(shares.map(({ version }) => version))]
  return resolveVersion(versions.map((version) => ({ version, status: { state: 'active' } })))?.version ?? ''
}

const BLANK = { opening: '', closing: '', order: '', name: '', description: '', about: '', metadata: '' }

function publishedShare(record: ToolRecord): Share | undefined {
  const document = publishedDocument(record)
  const capabilities = document?.capabilities
  if (!document || !isJsonArray(capabilities)) return undefined
  const called = toCapabilityName(record)
  const order = capabilities.findIndex((each) => isJsonObject(each) && each.name === called)
  const fields = Object.entries(document)
  const place = fields.findIndex(([key]) => key === 'capabilities')
  const said = fields.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
  return {
    ...BLANK,
    id: JSON.stringify(document.id ?? ''),
    toolkit: record.toolkit,
    version: record.version,
    opening: `{${[...said.slice(0, place), '"capabilities":['].join()}`,
    closing: `${[']', ...said.slice(place + 1)].join()}}`,
    order: String(order),
    capability: JSON.stringify(capabilities[order]),
    level: String(record.securityLevel),
  }
}

function joinPublished(shares: readonly Share[]): string {
  const [{ opening, closing } = { opening: '', closing: '' }] = shares.toSorted(
    (a, b) => Number(b.level) - Number(a.level),
  )
  const inOrder = shares.toSorted((a, b) => Number(a.order) - Number(b.order))
  return opening + inOrder.map(({ capability }) => capability).join() + closing
}

function ownShare(record: ToolRecord): Share {
  const { toolkit, tool, version, securityLevel } = record
  const metadata = encodeMetadata(record)
  const about = getToolkitDescription(record)
  return {
    ...BLANK,
    id: JSON.stringify(toolkit),
    toolkit,
    version,
    capability: JSON.stringify(encodeCapability(record).capability),
    name: JSON.stringify(tool),
    description: JSON.stringify(describe(record)),
    about: about === undefined ? '' : JSON.stringify(about),
    level: String(securityLevel),
    metadata: metadata ? JSON.stringify(metadata) : '',
  }
}

function joinOwn(shares: readonly Share[], version: string, id: string): string {
  const [first] = shares
  if (!first) return ''
  const areOfOneVersion = shares.every((share) => share.version === version)
  const areAlike =
    areOfOneVersion && shares.every(({ level, metadata }) => level === first.level && metadata === first.metadata)
  const each = shares.map((share) => {
    const { name, level, metadata } = share
    const fields = [
      ...(areOfOneVersion ? [] : [`"version":${JSON.stringify(share.version)}`]),
      `"securityLevel":${level}`,
      ...(metadata === '' ? [] : [`"metadata":${metadata}`]),
    ]
    return `${name}:{${fields.join()}}`
  })
  const metadata = areAlike ? first.metadata : `{"capabilities":{${each.join()}}}`
  const fields = [
    `"id":${id}`,
    `"name":${first.id}`,
    `"version":${JSON.stringify(version)}`,
    `"description":${first.about || (shares.length === 1 ? first.description : `"The tools of this toolkit"`)}`,
    `"capabilities":[${shares.map(({ capability }) => capability).join()}]`,
    `"securityLevel":${Math.max(...shares.map(({ level }) => Number(level)))}`,
    ...(metadata === '' ? [] : [`"metadata":${metadata}`]),
  ]
  return `{${fields.join()}}`
}
