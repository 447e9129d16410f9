import type { Validate } from '../schema/validator.ts'
import type { Artifact, Content } from '../tool/content.ts'
import { isObject, jsonSize } from '../tool/json.ts'
import type { ToolRecord } from '../tool/tool.ts'
import type { ArtifactOwner, ArtifactStore, Keepable } from './artifact-store.ts'
import { type Failing, fail, ok, type Result } from '../failure/failure.ts'
import { bytesGiven } from './artifact-output.ts'
import { heldValue } from './run.ts'
import type { Success } from './runner.ts'

const MAX_BLOCKS = 16

/** What of an output a caller takes as an artifact, however small it is: kept where there is a place for it. */
export type FindArtifact = (success: Success, record: ToolRecord) => NamedPart | undefined

export interface NamedPart {
  readonly part: Keepable
  readonly name: string
}

interface Placing {
  readonly record: ToolRecord
  /** In bytes of JSON: what is larger is kept, and linked to. */
  readonly inlineBytes: number
  /** Whether all of it fits into these. */
  readonly isSmall: boolean
  readonly findArtifact?: FindArtifact | undefined
  readonly validateOutput: Validate
  readonly owner: ArtifactOwner
  readonly artifacts: ArtifactStore
}

/** Links to output too large for an answer, and to declared artifacts. Expects it to fit its schema, without secrets. */
export function placeOutput(success: Success, placing: Placing): Success | Promise<Success | Failing> {
  const { record, isSmall, findArtifact } = placing
  const found = isSmall && !success.artifact ? findArtifact?.(success, record) : undefined
  if (found)
    return keep(found.part, found.name, placing).then((kept) =>
      kept.ok ? { ...success, artifact: kept.value } : success,
    )
  const isMoved = !isSmall || bytesGiven(record, success) !== undefined
  return isMoved ? move(success, placing) : settle(success, placing)
}

export async function keepWhole(success: Success, placing: Placing): Promise<Artifact | undefined> {
  const kept = await keep(keepableValue(heldValue(success)), `The whole output of ${placing.record.id}`, placing)
  return kept.ok ? kept.value : undefined
}

function settle(success: Success, { validateOutput }: Placing): Success {
  const { artifact, ...rest } = success
  if (artifact === undefined || success.value !== null || validateOutput(null).length === 0) return success
  return { ...rest, ...lying(artifact, validateOutput) }
}

function lying(elsewhere: Artifact, validateOutput: Validate): Pick<Success, 'value' | 'elsewhere'> {
  const link = { artifact: elsewhere }
  return { value: validateOutput(link).length === 0 ? link : undefined, elsewhere }
}

async function move(success: Success, placing: Placing): Promise<Success | Failing> {
  const { value, content = [], artifact: own, ...rest } = success
  const { validateOutput, record, inlineBytes, isSmall } = placing
  const [only] = content.length === 1 ? content : []
  const bytes = only && keepable(only)
  if (only && bytes && !own && (value === null || holds(value, bytes))) {
    const kept = await keep(bytes, nameOf(only), placing)
    if (!kept.ok) return isSmall ? success : kept
    if (value !== null) return { ...rest, ...lying(kept.value, validateOutput) }
    return settle({ ...rest, value, ...(isSmall ? { content } : {}), artifact: kept.value }, placing)
  }

  let placed: Success = { ...rest, value }
  let left = inlineBytes
  const isAlone = content.length === 0 && !own
  const size = isAlone && !isSmall ? Infinity : jsonSize(value, left)
  if (size > left) {
    const kept = await keep(keepableValue(value), `The output of ${record.id}`, placing)
    if (!kept.ok) return kept
    placed = { ...rest, ...lying(kept.value, validateOutput) }
  } else left -= size
  if (own) {
    const kept = jsonSize(own, left) > left ? await moveData(own, placing) : ok(own)
    if (!kept.ok) return kept
    left -= jsonSize(kept.value, left)
    placed = { ...placed, artifact: kept.value }
  }
  if (content.length > 0) {
    const shown = await moveBlocks(content, left, placing)
    if (!shown.ok) return shown
    placed = { ...placed, content: shown.value }
  }
  return settle(placed, placing)
}

async function moveBlocks(blocks: readonly Content[], room: number, placing: Placing) {
  const shown: Content[] = []
  let left = room
  let moved = 0
  for (const block of blocks) {
    const size = jsonSize(block, left)
    if (size <= left) {
      left -= size
      shown.push(block)
      continue
    }
    const part = keepable(block)
    if (!part || ++moved > MAX_BLOCKS) {
      const all = await keep(keepableValue(blocks), `All that ${placing.record.id} gave to look at`, placing)
      return all.ok ? ok([linkTo(all.value)]) : all
    }
    const kept = await keep(part, nameOf(block), placing)
    if (!kept.ok) return kept
    shown.push(linkTo(kept.value))
  }
  return ok(shown)
}

async function moveData(own: Artifact, placing: Placing): Promise<Result<Artifact>> {
  const comma = own.url.indexOf(',')
  if (!/^data:[^,]*;base64$/i.test(own.url.slice(0, Math.max(0, comma))))
    return tooLarge(placing, "it is an artifact with a long URL, which is no 'data:' URL in Base64")
  const part = { content: { base64: own.url.slice(comma + 1) }, contentType: mediaType(own.content_type, BYTES) }
  return keep(part, own.meta.description, placing)
}

async function keep(what: Keepable, name: string, placing: Placing): Promise<Result<Artifact>> {
  const kept = await placing.artifacts.keep(what, placing.owner)
  if (!kept.ok) return tooLarge(placing, kept.why, kept.forOperator)
  const { url, size, expiresAt } = kept
  const description = `${name}, until ${expiresAt}`
  return ok({ url, content_type: what.contentType, size, meta: { description } })
}

function tooLarge({ inlineBytes: limit }: Placing, why: string, forOperator?: string): Failing {
  return fail({ type: 'output-too-large', limit, why, ...(forOperator === undefined ? {} : { forOperator }) })
}

export const BYTES = 'application/octet-stream'

export function keepableValue(value: unknown) {
  if (typeof value === 'string') return { content: { text: value }, contentType: 'text/plain' }
  return { content: { text: JSON.stringify(value) }, contentType: 'application/json' }
}

export function keepable(block: Content): Keepable | undefined {
  switch (block.type) {
    case 'text':
      return { content: { text: block.text }, contentType: mediaType(block.mimeType, 'text/plain') }
    case 'image':
    case 'audio':
      return { content: { base64: block.data }, contentType: mediaType(block.mimeType, BYTES) }
    case 'resource': {
      const { resource } = block
      return 'text' in resource
        ? { content: { text: resource.text }, contentType: mediaType(resource.mimeType, 'text/plain') }
        : { content: { base64: resource.blob }, contentType: mediaType(resource.mimeType, BYTES) }
    }
    case 'resource_link':
      return undefined
  }
}

/** A malformed media type would break the header `Content-Type`. */
export function mediaType(declared = '', otherwise: string): string {
  return /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}/.exec(declared)?.[0] ?? otherwise
}

export function nameOf(block: Content): string {
  const uri = block.type === 'resource' ? block.resource.uri : undefined
  return uri !== undefined && uri.length <= 200 ? uri : `What the tool gave: ${block.type}`
}

function holds(value: unknown, { content }: Keepable): boolean {
  return 'base64' in content && isObject(value) && Object.values(value).includes(content.base64)
}

export function linkTo({ url, content_type, size, meta }: Artifact): Content {
  return { type: 'resource_link', uri: url, name: meta.description, mimeType: content_type, size }
}
