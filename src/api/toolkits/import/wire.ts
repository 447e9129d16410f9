import { patternCovers } from '../../../core/tool/tool-pattern.ts'
import { IMPORT_KINDS, type ImportKind } from '../../../core/publish/import.ts'
import type { Imported, Made } from '../../../core/publish/import-tools.ts'
import { isJsonObject, isTexts, type JsonObject } from '../../../core/tool/json.ts'
import { type Checked, type Problem, pointerStep } from '../../../core/tool/problem.ts'
import { isNamePart, isVersion } from '../../../core/tool/tool-id.ts'

/** The body of `POST /toolkits/import`. */
export interface ImportBody {
  readonly kind: ImportKind
  readonly source: string | JsonObject
  readonly toolkit: string
  readonly version?: string
  readonly wants: (tool: string) => boolean
  /** Every other field, for the importer to read. */
  readonly options: JsonObject
}

const MAX_PATTERNS = 1_000
/** The most problems that stand for tools that could not be made. */
const MAX_PROBLEMS = 100

/** Reads `{"from": {"openapi" | "mcp" | "oxp": url or document}, "toolkit", "version"?, "tools"?, …}`. */
export function decodeImport(body: unknown, kinds: readonly ImportKind[]): Checked<ImportBody> {
  if (!isJsonObject(body)) return { ok: false, problems: [{ path: '', message: 'Must be an object' }] }
  const problems: Problem[] = []
  const { from, toolkit, version, tools = ['*'], ...options } = body
  const known = IMPORT_KINDS.filter((kind) => kinds.includes(kind))
  const wanted = `Must be an object with one of ${known.map((kind) => `'${kind}'`).join(', ')}`
  const [[name, source] = [], ...more] = isJsonObject(from) ? Object.entries(from) : []
  const kind = known.find((each) => each === name)
  if (kind === undefined || more.length > 0) problems.push({ path: '/from', message: wanted })
  const isSource = (typeof source === 'string' && source.trim() !== '') || isJsonObject(source)
  if (kind !== undefined && !isSource) {
    problems.push({ path: `/from${pointerStep(kind)}`, message: 'Must be a URL, or a document as an object or a text' })
  }
  if (typeof toolkit !== 'string' || !isNamePart(toolkit)) {
    problems.push({ path: '/toolkit', message: 'Must be 1 to 64 of the characters A-Z, a-z, 0-9, _ and -' })
  }
  if (version !== undefined && !(typeof version === 'string' && isVersion(version))) {
    problems.push({ path: '/version', message: 'Must be a version of the form x.y.z' })
  }
  if (!isPatterns(tools)) {
    const message = `Must be a list of at most ${MAX_PATTERNS} tool names, in which '*' stands for any characters`
    problems.push({ path: '/tools', message })
  }
  if (
    problems.length > 0 ||
    kind === undefined ||
    !(typeof source === 'string' || isJsonObject(source)) ||
    typeof toolkit !== 'string' ||
    !isPatterns(tools)
  ) {
    return { ok: false, problems }
  }
  return {
    ok: true,
    value: {
      kind,
      source,
      toolkit,
      ...(typeof version === 'string' ? { version } : {}),
      wants: (tool) =>
        tools.some((pattern) => pattern === '*' || patternCovers(`${toolkit}.${pattern}`, { toolkit, tool })),
      options,
    },
  }
}

/** `{"ids", "unchanged"?, "skipped", "warnings"?}`: every tool the source makes, and what it could not make. */
export function encodeImported({ made, skipped }: Imported) {
  const unchanged = made.filter(({ state }) => state === 'unchanged').map(({ id }) => id)
  const warnings = made.flatMap(({ id, warnings: all }) => all.map((message) => ({ id, message })))
  return {
    ids: made.map(({ id }) => id),
    ...(unchanged.length > 0 ? { unchanged } : {}),
    skipped: skipped.map(({ name, reason, about }) => ({ name, ...about, reason })),
    ...(warnings.length > 0 ? { warnings } : {}),
  }
}

/** `{"tools", "skipped"}`: what a dry run would have made. */
export function encodeDryRun({ made, skipped }: Imported) {
  return {
    tools: made.map(encodeMade),
    skipped: skipped.map(({ name, reason, about }) => ({ name, ...about, reason })),
  }
}

/** Why nothing came of an import, as problems of the request. */
export function problemsOf(kind: ImportKind, { skipped }: Imported): readonly Problem[] {
  if (skipped.length === 0) return [{ path: '/tools', message: 'Must choose at least one tool of the source' }]
  return skipped
    .slice(0, MAX_PROBLEMS)
    .map(({ name, reason }) => ({ path: `/from${pointerStep(kind)}`, message: `'${name}' cannot be made: ${reason}` }))
}

function encodeMade({ id, name, state, about, requirements, warnings }: Made) {
  const { authorization, secrets, user_id } = requirements
  const needs = {
    ...(authorization.length > 0 ? { authorization } : {}),
    ...(secrets.length > 0 ? { secrets } : {}),
    ...(user_id ? { user_id } : {}),
  }
  return {
    id,
    name,
    ...about,
    state,
    ...(Object.keys(needs).length > 0 ? { requirements: needs } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  }
}

function isPatterns(value: unknown): value is readonly string[] {
  return isTexts(value) && value.length <= MAX_PATTERNS && value.every((each) => /^[A-Za-z0-9_*-]{1,64}$/.test(each))
}
