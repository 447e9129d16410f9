import type { FileSnapshot } from '../consent/invocation-snapshot.ts'
import { withinBudget, type Budget, createBudget, DEFAULT_UNITS } from '../tool/budget.ts'
import { isJsonObject, isJsonArray, type Json, type JsonObject } from '../tool/json.ts'
import { encodePointerStep, parsePointer, type Problem, getAtPointer } from '../tool/problem.ts'
import type { ToolRecord } from '../tool/tool.ts'
import { parseLocalRef } from '../schema/subschemas.ts'
import { type ArtifactStore, parseFileHandle, parseArtifactLink } from './artifact-store.ts'
import type { StoredArtifact, UploadOwner, UploadStore } from './artifact-store.ts'
import { type FailureResult, fail, ok, type Result } from '../failure/failure.ts'

export interface FileBytes {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly contentType: string
  readonly filename: string | undefined
}

interface Place {
  readonly path: string
  readonly handle: string
  readonly maxCharacters: number
}

type NamedFile = StoredArtifact & { readonly filename?: string | undefined }

export interface FileRefs {
  readonly places: readonly Place[]
  readonly byHandle: ReadonlyMap<string, NamedFile>
}

export interface FileStores {
  readonly uploads: Pick<UploadStore, 'find'>
  readonly artifacts: Pick<ArtifactStore, 'open'>
}

/** Limits for one call: a number of files, and bytes. `MAX_AS_BASE64` applies to tools that take files inside their input. */
const MAX_FILES = 16
const MAX_BYTES = 26_214_400
const MAX_AS_BASE64 = 8_388_608

const FOR_BYTES = /"(?:contentEncoding":"base64|format":"(?:binary|byte))"/i
export function mayContainFiles(schema: Json | undefined): boolean {
  return FOR_BYTES.test(JSON.stringify(schema) ?? '')
}

/** Locates files by handles in fields whose schema expects bytes. Another owner's file fails like a missing one. */
export function locateFiles(
  { input: schema }: Pick<ToolRecord, 'input'>,
  input: JsonObject,
  asBase64: boolean,
  owner: UploadOwner,
  stores: FileStores,
  budget: Budget,
): FailureResult | Promise<Result<FileRefs>> | undefined {
  const foundPlaces = withinBudget(
    () => [...findHandles(input, schema, { root: schema, path: '', budget: createBudget(DEFAULT_UNITS, budget) })],
    TOO_COSTLY,
  )
  if (!foundPlaces.ok) return fail({ type: 'input-invalid', problems: foundPlaces.problems })
  const distinctPlaces = [...new Map(foundPlaces.value.map((place) => [place.path, place])).values()]
  if (distinctPlaces.length === 0) return undefined
  if (distinctPlaces.length > MAX_FILES) return invalid([{ path: '', message: `Must name at most ${MAX_FILES} files` }])
  return withUnavailable(loadFiles(distinctPlaces, asBase64 ? MAX_AS_BASE64 : MAX_BYTES, owner, stores))
}

async function loadFiles(places: readonly Place[], limit: number, owner: UploadOwner, stores: FileStores) {
  const byHandle = new Map<string, NamedFile>()
  const problems: Problem[] = []
  let size = 0
  for (const { path, handle, maxCharacters } of places) {
    const file = byHandle.get(handle) ?? (await loadFile(handle, owner, stores))
    if (typeof file === 'string') {
      problems.push({ path, message: file })
      continue
    }
    byHandle.set(handle, file)
    size += file.size
    const characters = Math.ceil(file.size / 3) * 4
    if (characters > maxCharacters)
      problems.push({ path, message: `Must be of at most ${maxCharacters} characters in Base64, got ${characters}` })
  }
  if (size > limit)
    problems.push({ path: '', message: `Must name files of at most ${limit} bytes together, got ${size}` })
  return problems.length > 0 ? invalid(problems) : ok({ places, byHandle })
}

const TOO_COSTLY = 'Is too costly to be searched for files'

const NO_UPLOAD = 'Is not a file of yours, or has expired: upload it again with POST /artifacts'
const NO_ARTIFACT = 'Is not a link from this Switchboard, or has expired: call the tool again for a new one'

/** Returns the file, or a text that explains why there is none. */
export async function loadFile(handle: string, owner: UploadOwner, { uploads, artifacts }: FileStores) {
  const id = parseFileHandle(handle)
  if (id !== undefined) {
    const upload = await uploads.find(id, owner)
    if (upload || owner.userId === undefined) return upload ?? NO_UPLOAD
    return (await uploads.find(id, { principal: owner.principal })) ?? NO_UPLOAD
  }
  const link = parseArtifactLink(handle)
  const artifact = link && (await artifacts.open(link))
  return typeof artifact === 'object' ? artifact : NO_ARTIFACT
}

/** Returns the bytes of memory that a call's files take. Base64 text is in memory together with its bytes. */
export function measureFiles({ byHandle }: FileRefs, asBase64: boolean): number {
  const size = [...byHandle.values()].reduce((sum, file) => sum + file.size, 0)
  return asBase64 ? 3 * size : size
}

export function readFiles({ places, byHandle }: FileRefs, input: JsonObject, asBase64: boolean) {
  return withUnavailable(asBase64 ? inBase64() : asBytes())

  async function inBase64(): Promise<Result<FileContents>> {
    let filledInput: Json = input
    for (const { path, handle } of places) {
      const text = await byHandle.get(handle)?.base64()
      if (text !== undefined) filledInput = replaceAt(filledInput, parsePointer(path) ?? [], text)
    }
    return ok(isJsonObject(filledInput) ? { input: filledInput } : {})
  }

  async function asBytes(): Promise<Result<FileContents>> {
    const files = new Map<string, FileBytes>()
    for (const [handle, file] of byHandle) {
      const { contentType, filename } = file
      files.set(handle, { bytes: await file.bytes(), contentType, filename })
    }
    return ok({ files })
  }
}

/** Describes files for a person, sorted by handle. A handle's bytes never change, so the tool receives the same ones. */
export function describeFiles({ byHandle }: FileRefs): Promise<Result<readonly FileSnapshot[]>> {
  const sortedFiles = [...byHandle].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const snapshots = sortedFiles.map(async ([handle, { filename, contentType, size, sha256 }]) => ({
    handle,
    ...(filename === undefined ? {} : { filename }),
    content_type: contentType,
    size,
    sha256: await sha256(),
  }))
  return withUnavailable(Promise.all(snapshots).then(ok))
}

interface FileContents {
  readonly input?: JsonObject
  readonly files?: ReadonlyMap<string, FileBytes>
}

/** Fails with `unavailable` if files cannot be read. Nothing ran, so the call may be repeated. */
async function withUnavailable<T>(work: Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await work
  } catch {
    return fail({ type: 'unavailable', message: 'Cannot read the files that the call names right now' })
  }
}

function replaceAt(value: Json, [step, ...rest]: readonly string[], by: string): Json {
  if (step === undefined) return by
  if (isJsonArray(value)) return value.map((each, index) => (String(index) === step ? replaceAt(each, rest, by) : each))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, name === step ? replaceAt(each ?? null, rest, by) : each]),
  )
}

interface Walk {
  readonly root: JsonObject
  readonly path: string
  readonly budget: Budget
}

function* findHandles(value: Json, schema: Json | undefined, walk: Walk): Generator<Place> {
  const { root, path, budget } = walk
  budget.spend(1, path)
  if (!isJsonObject(schema)) return
  for (const subschema of listSubschemas(schema, root)) yield* findHandles(value, subschema, walk)
  if (typeof value === 'string') {
    const isHandle = isBytes(schema) && (parseFileHandle(value) !== undefined || parseArtifactLink(value) !== undefined)
    const maxCharacters = typeof schema.maxLength === 'number' ? schema.maxLength : Infinity
    if (isHandle) yield { path, handle: value, maxCharacters }
  } else if (isJsonArray(value)) {
    const { prefixItems, items } = schema
    const prefixSchemas = isJsonArray(prefixItems) ? prefixItems : []
    for (const [index, item] of value.entries())
      yield* findHandles(item, prefixSchemas[index] ?? items, { ...walk, path: path + encodePointerStep(index) })
  } else if (isJsonObject(value)) {
    const properties = isJsonObject(schema.properties) ? schema.properties : {}
    for (const [name, item] of Object.entries(value)) {
      const itemSchema = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties
      yield* findHandles(item ?? null, itemSchema, { ...walk, path: path + encodePointerStep(name) })
    }
  }
}

function listSubschemas(schema: JsonObject, root: JsonObject): readonly (Json | undefined)[] {
  const subschemas = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => {
    const list = schema[keyword]
    return isJsonArray(list) ? list : []
  })
  const target = typeof schema.$ref === 'string' ? parseLocalRef(schema.$ref) : undefined
  if (target === undefined || typeof target === 'string') return subschemas
  const targetSchema: unknown = getAtPointer(root, target)
  return isJsonObject(targetSchema) ? [...subschemas, targetSchema] : subschemas
}

function isBytes({ contentEncoding, format }: JsonObject): boolean {
  if (typeof contentEncoding === 'string') return contentEncoding.toLowerCase() === 'base64'
  return format === 'binary' || format === 'byte'
}

function invalid(problems: readonly Problem[]): FailureResult {
  return fail({ type: 'input-invalid', problems })
}
