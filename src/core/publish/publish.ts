import type { Codec, Decoded } from '../tool/codec.ts'
import { canonicalJson, digestOf, type Sha256 } from '../tool/digest.ts'
import { isObject, type Json } from '../tool/json.ts'
import { type Checked, type Problem, pointerStep } from '../tool/problem.ts'
import type { Publication } from './registry.ts'
import type { ImplementationKind } from '../tool/implementation.ts'
import { checkSchema } from '../schema/bounds.ts'
import { formatToolId, isNamePart, isVersion } from '../tool/tool-id.ts'
import { type Definition, derivedSecurityLevel, type Implementation, type ToolRecord } from '../tool/tool.ts'

/** The largest definition document, and the largest implementation beside it, in bytes of canonical JSON. */
const MAX_BYTES = 256 * 1024

const WRAPPER_FIELDS = ['definition', 'implementation', 'toolkit', 'version', 'tags']

export interface PublishDeps {
  /** In the order in which they are asked whether they recognise a document. */
  readonly codecs: readonly Codec[]
  /** The kinds of implementation that may arrive at run time. */
  readonly runners: ReadonlyMap<string, ImplementationKind>
  readonly sha256: Sha256
}

export interface PublishOptions {
  /** The dialect's name, when the publisher says it; recognised by the document's shape otherwise. */
  readonly dialect?: string | undefined
  /** Publish even what breaks semantic versioning. */
  readonly allowBreaking: boolean
  /** What the publisher says of each tool that the document's dialect cannot say. */
  readonly beside?: Partial<Pick<Definition, 'requirements' | 'securityLevel'>>
}

/** What one document of `POST /tools` came to: records ready to be stored, or everything that is wrong with it. */
export type Prepared = Checked<{ readonly publication: Publication; readonly warnings: readonly Problem[] }>

/**
 * Reads one published body: a bare definition document, or `{definition, implementation?, toolkit?, version?, tags?}`.
 * Judges the document by its dialect's rules, its schemas by the bounds of publication, and its implementation by the
 * runner it names. Paths of problems start at the body.
 */
export async function preparePublication(body: Json, options: PublishOptions, deps: PublishDeps): Promise<Prepared> {
  const wrapped = isObject(body) && 'definition' in body
  const problems: Problem[] = []
  const given: { toolkit?: string; version?: string } = {}
  let tags: readonly string[] | undefined
  let implementation: Implementation | undefined
  if (wrapped) {
    for (const key of Object.keys(body)) {
      if (!WRAPPER_FIELDS.includes(key)) problems.push({ path: pointerStep(key), message: unknownField(key) })
    }
    if (body.toolkit !== undefined) {
      if (typeof body.toolkit === 'string' && isNamePart(body.toolkit)) given.toolkit = body.toolkit
      else problems.push({ path: '/toolkit', message: 'Must be 1 to 64 of the characters A-Z, a-z, 0-9, _ and -' })
    }
    if (body.version !== undefined) {
      if (typeof body.version === 'string' && isVersion(body.version)) given.version = body.version
      else problems.push({ path: '/version', message: 'Must be a version of the form x.y.z' })
    }
    if (body.tags !== undefined) {
      if (isTags(body.tags)) tags = body.tags
      else problems.push({ path: '/tags', message: 'Must be up to 32 texts of 1 to 64 characters' })
    }
    if (body.implementation !== undefined && body.implementation !== null) {
      if (isImplementation(body.implementation)) implementation = body.implementation
      else problems.push({ path: '/implementation', message: "Must be an object with a 'kind'" })
    }
    for (const field of ['implementation', 'tags']) {
      const wrong = judgeText(body[field] ?? null, 'an implementation')
      if (wrong !== undefined) problems.push({ path: pointerStep(field), message: wrong })
    }
  }
  const prefix = wrapped ? '/definition' : ''
  const document = wrapped ? body.definition : body
  const codec = chooseCodec(document, options.dialect, deps.codecs)
  if (typeof codec === 'string') return { ok: false, problems: [...problems, { path: prefix, message: codec }] }

  const wrong = judgeText(document, 'a definition')
  if (wrong !== undefined || !isJson(document)) {
    return { ok: false, problems: [...problems, { path: prefix, message: wrong ?? 'Is required' }] }
  }
  const decoded = codec.decode(document, given)
  if (!decoded.ok) return { ok: false, problems: [...problems, ...decoded.problems.map((each) => under(prefix, each))] }
  problems.push(...checkSchemas(decoded.value, codec.references, prefix))
  const definitions = decoded.value.definitions.map((definition) => ({ ...definition, ...options.beside }))
  for (const definition of definitions) {
    if (implementation) problems.push(...checkImplementation(implementation, definition, deps.runners))
  }
  if (problems.length > 0) return { ok: false, problems }

  const records = await Promise.all(
    definitions.map((definition) =>
      recordOf({ ...definition, tags: tags ?? definition.tags }, implementation, codec.dialect, document, deps.sha256),
    ),
  )
  return {
    ok: true,
    value: {
      publication: {
        records,
        given: { implementation: implementation !== undefined, tags: tags !== undefined },
        allowBreaking: options.allowBreaking,
      },
      warnings: decoded.value.warnings.map((each) => under(prefix, each)),
    },
  }
}

/** Completes a definition into the record that is stored: its id, its security level, its source and its digest. */
export async function recordOf(
  definition: Definition,
  implementation: Implementation | undefined,
  dialect: string,
  document: Json,
  sha256: Sha256,
): Promise<ToolRecord> {
  const visible = {
    ...definition,
    id: formatToolId(definition, definition.version),
    securityLevel: definition.securityLevel ?? derivedSecurityLevel(definition.requirements),
    ...(implementation ? { implementation } : {}),
  }
  return { ...visible, source: { dialect, document }, digest: await digestOf(visible, sha256) }
}

/** The codec of a dialect, or of the shape that a document has; or why there is none. */
export function chooseCodec(document: unknown, dialect: string | undefined, codecs: readonly Codec[]): Codec | string {
  const names = codecs.map((codec) => `'${codec.dialect}'`).join(', ')
  if (dialect !== undefined) {
    return codecs.find((codec) => codec.dialect === dialect) ?? `Unknown dialect '${dialect}': wanted one of ${names}`
  }
  if (!isObject(document)) return 'Must be a definition, which is an object'
  return (
    codecs.find((codec) => codec.recognises(document)) ??
    `Is not recognised as a definition of any dialect (${names}): say which with ?dialect= to see what is missing`
  )
}

/** Judges every schema of a decoded document by the bounds of publication. */
export function checkSchemas(
  { schemas }: Decoded,
  references: Codec['references'],
  prefix: string,
): readonly Problem[] {
  return schemas.flatMap(({ path, schema }) => checkSchema(schema, { references }, `${prefix}${path}`))
}

function checkImplementation(
  implementation: Implementation,
  definition: Definition,
  runners: ReadonlyMap<string, ImplementationKind>,
): readonly Problem[] {
  const runner = runners.get(implementation.kind)
  if (!runner) {
    const kinds = [...runners.keys()].map((kind) => `'${kind}'`).join(', ')
    return [{ path: '/implementation/kind', message: `Unknown kind '${implementation.kind}': wanted one of ${kinds}` }]
  }
  return runner.check(implementation, definition).map((each) => under('/implementation', each))
}

function under(prefix: string, problem: Problem): Problem {
  return { path: `${prefix}${problem.path}`, message: problem.message }
}

function isImplementation(value: unknown): value is Implementation {
  return isObject(value) && typeof value.kind === 'string'
}

function isTags(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.length <= 32 &&
    value.every((tag) => typeof tag === 'string' && tag.length > 0 && tag.length <= 64)
  )
}

/** Whether a value that came out of a JSON parser is JSON: it is, unless it is absent. */
function isJson(value: unknown): value is Json {
  return value !== undefined
}

/** What is wrong with a value as a text, if anything: digests and stores need one, and not too long a one. */
function judgeText(value: unknown, what: string): string | undefined {
  let text: string
  try {
    text = canonicalJson(value)
  } catch {
    return 'Holds a lone surrogate, which is no text'
  }
  if (utf8Length(text) <= MAX_BYTES) return undefined
  return `Is larger than ${MAX_BYTES} bytes, the most ${what} may have`
}

function unknownField(key: string): string {
  return `Unknown field '${key}': wanted ${WRAPPER_FIELDS.map((field) => `'${field}'`).join(', ')}`
}

function utf8Length(text: string): number {
  let bytes = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return bytes
}
