import type { Validate } from '../schema/validator.ts'
import type { Artifact, Content } from '../tool/content.ts'
import { isObject, jsonSize } from '../tool/json.ts'
import type { ToolRecord } from '../tool/tool.ts'
import type { ArtifactOwner, ArtifactStore, StorableContent } from './artifact-store.ts'
import { type FailureResult, fail, ok, type Result } from '../failure/failure.ts'
import { findArtifactContent } from './artifact-output.ts'
import { toSingleValue } from './run.ts'
import type { ToolSuccess } from './runner.ts'

/** More large blocks than this are stored as one file. */
const MAX_BLOCKS = 16

/** Finds the part of an output that a dialect always stores and links, even a small one. */
export type FindArtifact = (success: ToolSuccess, record: ToolRecord) => NamedPart | undefined

export interface NamedPart {
  readonly part: StorableContent
  readonly name: string
}

interface OffloadOptions {
  readonly record: ToolRecord
  /** Parts of more bytes of JSON are stored and linked. */
  readonly inlineBytes: number
  /** Whether the whole output fits into `inlineBytes`. */
  readonly isSmall: boolean
  readonly findArtifact?: FindArtifact | undefined
  readonly validateOutput: Validate
  readonly owner: ArtifactOwner
  readonly artifacts: ArtifactStore
}

/**
 * Replaces the parts of an output that are too large by links to stored artifacts, and stores what the dialect or the
 * tool declares as an artifact. The output must be valid, and redacted. Fails if a large part cannot be stored.
 */
export async function offloadOutput(
  success: ToolSuccess,
  options: OffloadOptions,
): Promise<ToolSuccess | FailureResult> {
  const { record, isSmall, findArtifact } = options
  const artifactPart = isSmall && !success.artifact ? findArtifact?.(success, record) : undefined
  if (artifactPart) {
    const stored = await storeContent(artifactPart.part, artifactPart.name, options)
    return stored.ok ? { ...success, artifact: stored.value } : success
  }
  const mustStoreParts = !isSmall || findArtifactContent(record, success) !== undefined
  return mustStoreParts ? offloadParts(success, options) : replaceRejectedNull(success, options)
}

/** Stores the whole output, for a caller whose selection failed. Undefined if it cannot be stored. */
export async function storeWholeOutput(success: ToolSuccess, options: OffloadOptions): Promise<Artifact | undefined> {
  const stored = await storeContent(
    toStorableJson(toSingleValue(success)),
    `The whole output of ${options.record.id}`,
    options,
  )
  return stored.ok ? stored.value : undefined
}

/** Puts a link to the artifact in place of a null value that the schema rejects; leaves every other output as it is. */
function replaceRejectedNull(success: ToolSuccess, { validateOutput }: OffloadOptions): ToolSuccess {
  const { artifact, ...rest } = success
  if (artifact === undefined || success.value !== null || validateOutput(null).length === 0) return success
  return { ...rest, ...toLinkValue(artifact, validateOutput) }
}

/** The value in place of a stored one: a link, if the schema accepts one. */
function toLinkValue(elsewhere: Artifact, validateOutput: Validate): Pick<ToolSuccess, 'value' | 'elsewhere'> {
  const link = { artifact: elsewhere }
  return { value: validateOutput(link).length === 0 ? link : undefined, elsewhere }
}

/**
 * Stores the parts that do not fit into `inlineBytes`. One content block that is the whole output becomes the artifact.
 * Otherwise the value, the artifact and the blocks take room in this order, and each part without room is stored.
 */
async function offloadParts(success: ToolSuccess, options: OffloadOptions): Promise<ToolSuccess | FailureResult> {
  const soleBlock = findSoleBlock(success)
  if (soleBlock) return offloadSoleBlock(success, soleBlock, options)
  const { value, content = [], artifact: givenArtifact, ...rest } = success
  let placed: ToolSuccess = { ...rest, value }
  let remainingBytes = options.inlineBytes
  // A small output comes here only for its content block, so a value with nothing beside it is what is too large
  const isValueAlone = content.length === 0 && !givenArtifact
  const valueBytes = isValueAlone ? Infinity : jsonSize(value, remainingBytes)
  if (valueBytes > remainingBytes) {
    const stored = await storeContent(toStorableJson(value), `The output of ${options.record.id}`, options)
    if (!stored.ok) return stored
    placed = { ...rest, ...toLinkValue(stored.value, options.validateOutput) }
  } else remainingBytes -= valueBytes
  if (givenArtifact) {
    const isArtifactTooLarge = jsonSize(givenArtifact, remainingBytes) > remainingBytes
    const artifact = isArtifactTooLarge ? await offloadDataUrl(givenArtifact, options) : ok(givenArtifact)
    if (!artifact.ok) return artifact
    remainingBytes -= jsonSize(artifact.value, remainingBytes)
    placed = { ...placed, artifact: artifact.value }
  }
  if (content.length > 0) {
    const blocks = await offloadBlocks(content, remainingBytes, options)
    if (!blocks.ok) return blocks
    placed = { ...placed, content: blocks.value }
  }
  return replaceRejectedNull(placed, options)
}

interface SoleBlock {
  readonly block: Content
  readonly part: StorableContent
}

/** The only content block, if the output has nothing else: its value is null, or repeats the block's bytes. */
function findSoleBlock({ value, content = [], artifact }: ToolSuccess): SoleBlock | undefined {
  const [block] = content
  if (!block || content.length > 1 || artifact) return undefined
  const part = toStorable(block)
  return part && (value === null || hasBytes(value, part)) ? { block, part } : undefined
}

async function offloadSoleBlock(success: ToolSuccess, { block, part }: SoleBlock, options: OffloadOptions) {
  const { value, content, ...rest } = success
  const stored = await storeContent(part, describeBlock(block), options)
  if (!stored.ok) return options.isSmall ? success : stored
  if (value !== null) return { ...rest, ...toLinkValue(stored.value, options.validateOutput) }
  return replaceRejectedNull(
    { ...rest, value, ...(options.isSmall ? { content } : {}), artifact: stored.value },
    options,
  )
}

async function offloadBlocks(blocks: readonly Content[], room: number, options: OffloadOptions) {
  const offloadedBlocks: Content[] = []
  let remainingBytes = room
  let moved = 0
  for (const block of blocks) {
    const size = jsonSize(block, remainingBytes)
    if (size <= remainingBytes) {
      remainingBytes -= size
      offloadedBlocks.push(block)
      continue
    }
    const part = toStorable(block)
    if (!part || ++moved > MAX_BLOCKS) {
      const all = await storeContent(toStorableJson(blocks), `All that ${options.record.id} gave to look at`, options)
      return all.ok ? ok([toResourceLink(all.value)]) : all
    }
    const stored = await storeContent(part, describeBlock(block), options)
    if (!stored.ok) return stored
    offloadedBlocks.push(toResourceLink(stored.value))
  }
  return ok(offloadedBlocks)
}

async function offloadDataUrl(artifact: Artifact, options: OffloadOptions): Promise<Result<Artifact>> {
  const comma = artifact.url.indexOf(',')
  if (!/^data:[^,]*;base64$/i.test(artifact.url.slice(0, Math.max(0, comma))))
    return tooLarge(options, "it is an artifact with a long URL, which is no 'data:' URL in Base64")
  const part = {
    content: { base64: artifact.url.slice(comma + 1) },
    contentType: mediaType(artifact.content_type, OCTET_STREAM),
  }
  return storeContent(part, artifact.meta.description, options)
}

async function storeContent(part: StorableContent, name: string, options: OffloadOptions): Promise<Result<Artifact>> {
  const stored = await options.artifacts.put(part, options.owner)
  if (!stored.ok) return tooLarge(options, stored.why, stored.forOperator)
  const { url, size, expiresAt } = stored
  const description = `${name}, until ${expiresAt}`
  return ok({ url, content_type: part.contentType, size, meta: { description } })
}

function tooLarge({ inlineBytes: limit }: OffloadOptions, why: string, forOperator?: string): FailureResult {
  return fail({ type: 'output-too-large', limit, why, ...(forOperator === undefined ? {} : { forOperator }) })
}

export const OCTET_STREAM = 'application/octet-stream'

export function toStorableJson(value: unknown) {
  if (typeof value === 'string') return { content: { text: value }, contentType: 'text/plain' }
  return { content: { text: JSON.stringify(value) }, contentType: 'application/json' }
}

export function toStorable(block: Content): StorableContent | undefined {
  switch (block.type) {
    case 'text':
      return { content: { text: block.text }, contentType: mediaType(block.mimeType, 'text/plain') }
    case 'image':
    case 'audio':
      return { content: { base64: block.data }, contentType: mediaType(block.mimeType, OCTET_STREAM) }
    case 'resource': {
      const { resource } = block
      return 'text' in resource
        ? { content: { text: resource.text }, contentType: mediaType(resource.mimeType, 'text/plain') }
        : { content: { base64: resource.blob }, contentType: mediaType(resource.mimeType, OCTET_STREAM) }
    }
    case 'resource_link':
      return undefined
  }
}

/** A malformed media type would break the header `Content-Type`. */
export function mediaType(declared = '', fallback: string): string {
  return /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}/.exec(declared)?.[0] ?? fallback
}

export function describeBlock(block: Content): string {
  const uri = block.type === 'resource' ? block.resource.uri : undefined
  return uri !== undefined && uri.length <= 200 ? uri : `What the tool gave: ${block.type}`
}

function hasBytes(value: unknown, { content }: StorableContent): boolean {
  return 'base64' in content && isObject(value) && Object.values(value).includes(content.base64)
}

export function toResourceLink({ url, content_type, size, meta }: Artifact): Content {
  return { type: 'resource_link', uri: url, name: meta.description, mimeType: content_type, size }
}
