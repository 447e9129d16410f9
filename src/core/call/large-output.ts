import type { Validate } from '../schema/validator.ts'
import type { Artifact, Content } from '../tool/content.ts'
import { isObject, jsonSize } from '../tool/json.ts'
import type { ToolRecord } from '../tool/tool.ts'
import type { ArtifactOwner, ArtifactStore, StorableContent } from './artifact-store.ts'
import { type FailureResult, fail, ok, type Result } from '../failure/failure.ts'
import { findArtifactContent } from './artifact-output.ts'
import { toSingleValue } from './output.ts'
import type { ToolSuccess } from './runner.ts'
import {
  describeBlock,
  mediaType,
  OCTET_STREAM,
  toResourceLink,
  toStorable,
  toStorableJson,
} from './storable-content.ts'

/** If more blocks than this are too large, all blocks are stored as one file. */
const MAX_STORED_BLOCKS = 16

/** Finds the part of an output that the dialect stores and links even if the output is small. */
export type FindArtifact = (success: ToolSuccess, record: ToolRecord) => NamedPart | undefined

export interface NamedPart {
  readonly part: StorableContent
  readonly name: string
}

interface OffloadOptions {
  readonly record: ToolRecord
  readonly inlineBytes: number
  /** Whether the whole output fits into `inlineBytes`. */
  readonly isSmall: boolean
  readonly findArtifact?: FindArtifact | undefined
  readonly validateOutput: Validate
  readonly owner: ArtifactOwner
  readonly artifacts: ArtifactStore
}

/**
 * Stores parts of a valid and redacted output as artifacts, and puts links in their place:
 *
 * | the output is                                       | stored                                    | if storing fails  |
 * | --------------------------------------------------- | ----------------------------------------- | ----------------- |
 * | small, with a part that `findArtifact` finds        | that part                                 | output as it is   |
 * | small, only a block that the tool declares artifact | the block                                 | output as it is   |
 * | any other small output                              | nothing                                   |                   |
 * | large, only a block                                 | the block                                 | failure           |
 * | any other large output                              | value, artifact and blocks that lack room | failure           |
 */
export function offloadOutput(success: ToolSuccess, options: OffloadOptions): Promise<ToolSuccess | FailureResult> {
  return options.isSmall ? storeDeclaredArtifact(success, options) : storeLargeParts(success, options)
}

/** Stores the whole output for a caller whose selection failed. Returns undefined if that fails. */
export async function storeWholeOutput(success: ToolSuccess, options: OffloadOptions): Promise<Artifact | undefined> {
  const whole = toStorableJson(toSingleValue(success))
  const storedPart = await storeContent(whole, `The whole output of ${options.record.id}`, options)
  return storedPart.ok ? storedPart.value : undefined
}

async function storeDeclaredArtifact(success: ToolSuccess, options: OffloadOptions): Promise<ToolSuccess> {
  const { record, findArtifact } = options
  const dialectPart = success.artifact ? undefined : findArtifact?.(success, record)
  if (dialectPart) {
    const storedPart = await storeContent(dialectPart.part, dialectPart.name, options)
    return storedPart.ok ? { ...success, artifact: storedPart.value } : success
  }
  const soleBlock = findArtifactContent(record, success) && findSoleBlock(success)
  if (!soleBlock) return replaceRejectedNull(success, options)
  const storedPart = await storeContent(soleBlock.part, describeBlock(soleBlock.block), options)
  if (!storedPart.ok) return success
  const linkedOutput = replaceBlock(success, storedPart.value, options)
  // A block that is not also in the value stays, so that the caller sees it without opening the link
  return success.value === null ? { ...linkedOutput, content: [soleBlock.block] } : linkedOutput
}

/** Fits the value, the tool's artifact and the blocks into the answer, in this order. Stores each part that does not fit. */
async function storeLargeParts(success: ToolSuccess, options: OffloadOptions): Promise<ToolSuccess | FailureResult> {
  const soleBlock = findSoleBlock(success)
  if (soleBlock) {
    const storedPart = await storeContent(soleBlock.part, describeBlock(soleBlock.block), options)
    return storedPart.ok ? replaceBlock(success, storedPart.value, options) : storedPart
  }
  const { value, content = [], artifact: toolArtifact, ...rest } = success
  let placedOutput: ToolSuccess = { ...rest, value }
  let remainingBytes = options.inlineBytes
  // If nothing else could make the output too large, the value is stored without being measured again
  const isValueAlone = content.length === 0 && !toolArtifact
  const valueBytes = isValueAlone ? Infinity : jsonSize(value, remainingBytes)
  if (valueBytes > remainingBytes) {
    const storedPart = await storeContent(toStorableJson(value), `The output of ${options.record.id}`, options)
    if (!storedPart.ok) return storedPart
    placedOutput = { ...rest, ...toLinkValue(storedPart.value, options.validateOutput) }
  } else remainingBytes -= valueBytes
  if (toolArtifact) {
    const isArtifactTooLarge = jsonSize(toolArtifact, remainingBytes) > remainingBytes
    const artifact = isArtifactTooLarge ? await storeDataUrl(toolArtifact, options) : ok(toolArtifact)
    if (!artifact.ok) return artifact
    remainingBytes -= jsonSize(artifact.value, remainingBytes)
    placedOutput = { ...placedOutput, artifact: artifact.value }
  }
  if (content.length > 0) {
    const blocks = await storeLargeBlocks(content, remainingBytes, options)
    if (!blocks.ok) return blocks
    placedOutput = { ...placedOutput, content: blocks.value }
  }
  return replaceRejectedNull(placedOutput, options)
}

interface SoleBlock {
  readonly block: Content
  readonly part: StorableContent
}

/** Finds the only content block, if the output has nothing else: its value is null or repeats the block's bytes. */
function findSoleBlock({ value, content = [], artifact }: ToolSuccess): SoleBlock | undefined {
  const [block] = content
  if (!block || content.length > 1 || artifact) return undefined
  const part = toStorable(block)
  return part && (value === null || hasBytes(value, part)) ? { block, part } : undefined
}

function hasBytes(value: unknown, { content }: StorableContent): boolean {
  return 'base64' in content && isObject(value) && Object.values(value).includes(content.base64)
}

/** Puts the artifact in place of the content, and of a value that repeats the content. */
function replaceBlock(success: ToolSuccess, artifact: Artifact, options: OffloadOptions): ToolSuccess {
  const { content: _, ...rest } = success
  if (rest.value === null) return replaceRejectedNull({ ...rest, artifact }, options)
  return { ...rest, ...toLinkValue(artifact, options.validateOutput) }
}

/** Puts a link to the artifact in place of a null value that the schema rejects; leaves every other output as it is. */
function replaceRejectedNull(success: ToolSuccess, { validateOutput }: OffloadOptions): ToolSuccess {
  const { artifact, ...rest } = success
  if (artifact === undefined || success.value !== null || validateOutput(null).length === 0) return success
  return { ...rest, ...toLinkValue(artifact, validateOutput) }
}

/** Returns the replacement for a stored value: a link, if the schema accepts one. */
function toLinkValue(elsewhere: Artifact, validateOutput: Validate): Pick<ToolSuccess, 'value' | 'elsewhere'> {
  const link = { artifact: elsewhere }
  return { value: validateOutput(link).length === 0 ? link : undefined, elsewhere }
}

/** Stores each block that has too little room; or all blocks as one file, if one cannot be stored or there are too many. */
async function storeLargeBlocks(
  blocks: readonly Content[],
  room: number,
  options: OffloadOptions,
): Promise<Result<readonly Content[]>> {
  let remainingBytes = room
  const hasRoom = blocks.map((block) => {
    const size = jsonSize(block, remainingBytes)
    if (size > remainingBytes) return false
    remainingBytes -= size
    return true
  })
  const largeBlocks = blocks.filter((_, index) => !hasRoom[index])
  if (largeBlocks.length > MAX_STORED_BLOCKS || !largeBlocks.every(toStorable)) {
    const all = await storeContent(toStorableJson(blocks), `All that ${options.record.id} gave to look at`, options)
    return all.ok ? ok([toResourceLink(all.value)]) : all
  }
  const placedBlocks: Content[] = []
  for (const [index, block] of blocks.entries()) {
    const part = hasRoom[index] ? undefined : toStorable(block)
    const storedPart = part && (await storeContent(part, describeBlock(block), options))
    if (storedPart?.ok === false) return storedPart
    placedBlocks.push(storedPart ? toResourceLink(storedPart.value) : block)
  }
  return ok(placedBlocks)
}

async function storeDataUrl(artifact: Artifact, options: OffloadOptions): Promise<Result<Artifact>> {
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
  const storedPart = await options.artifacts.put(part, options.owner)
  if (!storedPart.ok) return tooLarge(options, storedPart.why, storedPart.forOperator)
  const { url, size, expiresAt } = storedPart
  const description = `${name}, until ${expiresAt}`
  return ok({ url, content_type: part.contentType, size, meta: { description } })
}

function tooLarge({ inlineBytes: limit }: OffloadOptions, why: string, forOperator?: string): FailureResult {
  return fail({ type: 'output-too-large', limit, why, ...(forOperator === undefined ? {} : { forOperator }) })
}
