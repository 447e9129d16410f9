import { patternCovers } from '../../../core/tool/tool-id.ts'
import { IMPORT_KINDS, type ImportKind, type ImportRequest } from '../../../core/publish/import.ts'
import type { Imported, Made } from '../../../core/publish/import-tools.ts'
import { namePart, version } from '../../../core/tool/definition-fields.ts'
import { madeName } from '../../../core/tool/made-name.ts'
import { query } from '../../../http/query.ts'
import { isJsonObject, isObject, isTexts } from '../../../core/tool/json.ts'
import { anyObject, check, into, object, oneOf, optional, parsed } from '../../../core/tool/json-reader.ts'
import { type Reader, readAt, unfit, unquoted, WRONG } from '../../../core/tool/json-reader.ts'
import { type Checked, type Problem, pointerStep, quoted } from '../../../core/tool/problem.ts'

/** The body of `POST /toolkits/import`. */
export interface ImportBody extends Pick<ImportRequest, 'source' | 'toolkit' | 'wants' | 'options'> {
  readonly kind: ImportKind
  readonly version?: string
}

const MAX_PATTERNS = 1_000
/** The most problems that stand for tools that could not be made. */
const MAX_PROBLEMS = 100

const SOURCE = parsed('a URL, or a document as an object or a text', (value) =>
  (typeof value === 'string' && value.trim() !== '') || isJsonObject(value) ? value : undefined,
)
const PATTERN = /^[A-Za-z0-9_*-]{1,64}$/
const PATTERNS = parsed(
  `a list of at most ${MAX_PATTERNS} tool names, in which '*' stands for any characters`,
  (value) =>
    isTexts(value) && value.length <= MAX_PATTERNS && value.every((one) => PATTERN.test(one)) ? value : undefined,
)

/** Reads `?dry_run=0|1&allow=breaking`. */
export const importQuery = query({
  dry_run: optional(oneOf(['0', '1']), '0'),
  allow: optional(oneOf(['breaking'])),
})

/** Reads `{"from": {"openapi" | "mcp" | "oxp": url or document}, "toolkit", "version"?, "tools"?, …}`. */
export function decodeImport(body: unknown, kinds: readonly ImportKind[]): Checked<ImportBody> {
  const fields = object({
    // A URL may hold a password
    from: unquoted(sourceOf(IMPORT_KINDS.filter((kind) => kinds.includes(kind)))),
    toolkit: namePart,
    version: optional(version),
    tools: optional(PATTERNS, ['*']),
  })
  const whole = into(anyObject, ({ from, toolkit, version, tools, ...options }, report) => {
    const read = fields({ from, toolkit, version, tools }, report)
    if (read === WRONG) return WRONG
    const { from: source, tools: patterns, ...named } = read
    const covers = (tool: string) =>
      patterns.some((pattern) => pattern === '*' || patternCovers(`${named.toolkit}.${pattern}`, { ...named, tool }))
    // By the name that the source's makes, or by the one that the tool has here
    const wants = (tool: string) => covers(tool) || (tool.includes('-') && covers(madeName(tool)))
    return { ...source, ...named, wants, options }
  })
  return check(whole, body)
}

function sourceOf(kinds: readonly ImportKind[]): Reader<Pick<ImportBody, 'kind' | 'source'>> {
  return (value, report) => {
    const [[name, given] = [], ...more] = isObject(value) ? Object.entries(value) : []
    const kind = kinds.find((known) => known === name)
    if (kind === undefined || more.length > 0) return unfit(report, `an object with one of ${quoted(kinds)}`, value)
    const source = readAt(kind, SOURCE, given, report)
    return source === WRONG ? WRONG : { kind, source }
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
