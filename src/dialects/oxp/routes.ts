import { parseTrusted } from '../../core/tool/json-text.ts'
import { type Context, Hono } from 'hono'
import type { ExportFormat } from '../../core/publish/export.ts'
import type { Caller, CallRequest, CallTool, CallOutcome } from '../../core/call/call-request.ts'
import { integerStringReader, invalidParameterFailure } from '../../core/call/call-options.ts'
import {
  fail,
  type FailureResult,
  type Failure,
  needsSuggestions,
  ok,
  type Result,
} from '../../core/failure/failure.ts'
import type { TaskManager } from '../../core/task/tasks.ts'
import type { LineFormat, ListQuery } from '../../core/catalog/catalog.ts'
import { type Principal, findScopeDenial } from '../../core/access/principal.ts'
import { isAdministrator } from '../../core/access/toolkit-owner.ts'
import { acceptsEventStream, createCallRoute, type IncomingCall } from '../../http/route/incoming-call.ts'
import { jsonFailure, noteHeader } from '../../http/response/json-response.ts'
import { respondWithToolList, type ToolList, type ToolListDeps } from '../../http/route/tool-list.ts'
import type { Codec } from '../../core/tool/codec.ts'
import { MEMORY_FULL } from '../../http/request/request-memory.ts'
import { STATUS_ORDER } from '../../core/tool/version.ts'
import { respondToCall, respondWithStream } from './answer-call.ts'
import { STATUS } from './failure.ts'
import { type ResponseSpecs, jsonRef, toolListResponses, ref } from '../../http/route/response-specs.ts'
import { declareOperation } from '../../http/route/operation.ts'
import { ANY_QUERY, NO_QUERY, type Query, defineQuery, type QueryValues, readQuery } from '../../http/request/query.ts'
import { transform, enumReader, optional, string, stringMatching } from '../../core/tool/json-reader.ts'
import { isNamePart, isSimpleVersion, parseToolId } from '../../core/tool/tool-id.ts'
import { CALL_REQUEST, decodeCall, encodeFailure, type OxpForm, SCHEMA, VERSION, versionHeader } from './wire.ts'

interface OxpRoutesDeps extends ToolListDeps {
  readonly callTool: CallTool
  readonly loadTasks: () => Promise<Pick<TaskManager, 'start'>>
  readonly health: () => Promise<Response>
  readonly formatNames: readonly string[]
  /** Calls and lists of stored lines do not need these. */
  readonly loadFormats: () => Promise<{
    readonly formats: ReadonlyMap<string, ExportFormat>
    readonly codecs: readonly Codec[]
  }>
}

const TEXT_PARAMETER = optional(string({ max: 500 }))

export const LIST_PARAMETERS = {
  q: TEXT_PARAMETER,
  toolkit: optional(stringMatching("a toolkit's name", isNamePart)),
  tag: TEXT_PARAMETER,
  versions: optional(enumReader(['newest', 'all']), 'newest'),
  limit: optional(integerStringReader(1, 1_000)),
  cursor: TEXT_PARAMETER,
  losses: transform(optional(enumReader(['0', '1'])), (losses) => losses === '1'),
}
const LIST_QUERY = defineQuery(LIST_PARAMETERS)

const STATUS_PARAMETER = optional(enumReader(STATUS_ORDER))
const RESULTS_PARAMETER = optional(enumReader(['all', 'relevant']))
type ListParameters = QueryValues<typeof LIST_QUERY> & {
  readonly format?: string
  readonly status?: ListQuery['status']
  readonly results?: ListQuery['results']
}
/** A format for lists only, without a codec. It includes versions that have no OXP id. */
const SUMMARY = 'summary'
const PAGE_SIZE = 100
const TRUNCATED_NOTE = "The list is too large for one answer: send its 'next_cursor' as ?cursor= for the rest"
const STORED_FORMAT: LineFormat = { name: 'stored' }

const HEALTH: ResponseSpecs = { 200: jsonRef('Healthy', 'Health'), 503: jsonRef('Storage is unavailable', 'Health') }
const CALL = {
  dialect: 'oxp',
  query: NO_QUERY,
  reader: CALL_REQUEST,
  response: {
    ...jsonRef(
      'The result; if the header Accept names text/event-stream, a stream of progress events that ends with the result',
      'CallResult',
    ),
    streams: true,
  },
  accepted: jsonRef("With 'Prefer: respond-async'", 'CallState'),
  checkHeaders: unsupportedVersion,
  respond: (failure: Failure, request: Request) => respondOxpFailure(failure, findForm(request)),
} as const

const createUnlisted = (path: string, reason: string) => ({ document: undefined, losses: [{ path, reason }] })

/** `/tools` follows the specification, and `/oxp` the published OpenAPI document with flat `input_schema`. */
export function createOxpRoutes(deps: OxpRoutesDeps): Hono {
  const { authorize, callTool, health, catalog } = deps
  const router = new Hono()

  const declareHealth = (summary: string) =>
    declareOperation({ summary, query: ANY_QUERY, responses: HEALTH }, () => health())
  router.get('/health', declareHealth('Check the health of the deployment'))
  router.get('/oxp/health', declareHealth('Check the health of the deployment (OXP)'))
  const format = optional(enumReader([...deps.formatNames, SUMMARY]), 'oxp')
  router.get(
    '/tools',
    declareList(
      'List and search tools',
      defineQuery({ ...LIST_PARAMETERS, status: STATUS_PARAMETER, results: RESULTS_PARAMETER, format }),
    ),
  )
  router.get('/oxp/tools', declareList('List and search tools (OXP)', LIST_QUERY))
  router.post('/tools/call', createCallRoute(authorize, { ...CALL, summary: 'Call a tool' }, call))
  router.post('/oxp/tools/call', createCallRoute(authorize, { ...CALL, summary: 'Call a tool (OXP)' }, call))

  async function call({ request, caller, body }: IncomingCall): Promise<Response> {
    const form = findForm(request)
    const decodedCall = decodeCall(body)
    if ('ok' in decodedCall) return respondOxpFailure(decodedCall.failure, form)
    // RFC 7240, section 4.1
    if (/\brespond-async\b/i.test(request.headers.get('prefer') ?? '')) return startTask(decodedCall, caller, form)
    if (acceptsEventStream(request)) {
      const callWithSuggestions: CallTool = async (...args) => addSuggestions(await callTool(...args), caller)
      return respondWithStream(request, decodedCall, caller, form, callWithSuggestions)
    }
    const outcome = await callTool(decodedCall, caller)
    return respondToCall(outcome.result.ok ? outcome : await addSuggestions(outcome, caller), form)
  }

  async function startTask(request: CallRequest, caller: Caller, form: OxpForm): Promise<Response> {
    const startedTask = await (await deps.loadTasks()).start(request, caller)
    if (!startedTask.ok)
      return respondToCall(await addSuggestions({ callId: '', durationMs: 0, result: startedTask }, caller), form)
    const { respondWithTask } = await import('./answer-task.ts')
    return respondWithTask(startedTask.value, form)
  }

  /** The resolver suggests for unknown ids. Unknown names get suggestions here, from the catalog. */
  async function addSuggestions(outcome: CallOutcome, { principal }: Caller): Promise<CallOutcome> {
    const { result } = outcome
    if (result.ok || !needsSuggestions(result.failure) || parseToolId(result.failure.ref)) return outcome
    const suggestions = await catalog.suggestNames(result.failure.ref, principal)
    return { ...outcome, result: fail({ ...result.failure, suggestions }) }
  }

  function declareList(summary: string, query: Query<ListParameters>) {
    return declareOperation(
      { summary, scope: 'tools:read', query, responses: toolListResponses(ref('Tools')) },
      (c: Context) => {
        const request = c.req.raw
        const form = findForm(request)
        const read = () => {
          const parameters = unsupportedVersion(request.headers) ?? readQuery(query, request.url)
          return parameters.ok ? readList(parameters.value, form) : parameters
        }
        return respondWithToolList(c, deps, read, (failure) => respondOxpFailure(failure, form))
      },
    )
  }

  function readList(
    { format: formatName = 'oxp-flat', status, results, losses: withLosses, ...parameters }: ListParameters,
    form: OxpForm,
  ): Result<ToolList> {
    if (status !== undefined && parameters.q !== undefined)
      return fail({ type: 'request-malformed', message: "Cannot search by 'status': leave out 'q' or 'status'" })
    const versions = status === undefined ? parameters.versions : 'all'
    if (results === 'relevant' && (parameters.q === undefined || versions === 'all'))
      return fail({
        type: 'request-malformed',
        message: "Only a search of newest versions has 'relevant' results",
      })
    const { q, toolkit, tag, cursor } = parameters
    // OXP has no pages, so its clients would take one for the whole list
    const { limit = q === undefined && versions === 'newest' ? Infinity : PAGE_SIZE } = parameters
    const query = { q, toolkit, tag, cursor, limit, versions, results, ...(status === undefined ? {} : { status }) }
    const isPageable = query.q === undefined && query.versions === 'newest'
    return ok({
      variant: isPageable ? [JSON.stringify(query), formatLabel(formatName, withLosses), form] : undefined,
      ...(cursor === undefined ? { listFilter: { toolkit, tag, isSearch: q !== undefined } } : {}),
      async write(principal, memory) {
        const denied = status === undefined ? undefined : findScopeDenial(principal, 'tools:publish')
        if (denied) return fail(denied)
        const isStored = formatName === 'oxp' && !withLosses
        const format = isStored ? STORED_FORMAT : await formatFor(principal, formatName, withLosses)
        const reserve = (characters: number) => memory.growAnswer(characters)
        const listing = await catalog.list(query, principal, format, { reserve })
        if (!listing) return invalidParameterFailure('cursor', "a 'next_cursor' that a list gave")
        if (listing.isOutOfMemory) return MEMORY_FULL
        const { lines, nextCursor, total, relevant, sameAs, unmatched, etag } = listing
        const schema = form === 'bare' || !formatName.startsWith('oxp') ? '' : `"$schema":"${SCHEMA}",`
        const items = withLosses
          ? joinDocumentsAndLosses(lines)
          : `"items":[${lines.filter((line) => line !== '').join(',')}]`
        const details = JSON.stringify({ total, relevant, same_as: sameAs, unmatched, next_cursor: nextCursor }).slice(
          1,
        )
        const isEmpty = lines.length === 0 && nextCursor === undefined
        const isTruncated = parameters.limit === undefined && nextCursor !== undefined
        const text = `{${schema}${items}${details === '}' ? '' : ','}${details}`
        return ok({ text, isEmpty, etag, ...(isTruncated ? { headers: noteHeader(TRUNCATED_NOTE) } : {}) })
      },
      headers: versionHeader(form),
    })
  }

  /** Only administrators may see all tools of a document that defines several. Others get each tool alone. */
  async function formatFor(principal: Principal, name: string, withLosses: boolean): Promise<LineFormat> {
    const { formats, codecs } = await deps.loadFormats()
    const encode = name === SUMMARY ? (await import('../../core/publish/summary.ts')).summarize : formats.get(name)
    if (!encode) throw new Error(`No format '${name}'`)
    const label = formatLabel(name, withLosses)
    const maySeeDocument =
      isAdministrator(principal) || !codecs.some((codec) => codec.dialect === name && codec.countTools)
    if (maySeeDocument) return lineFormat(name, label, encode, withLosses)
    const { dropSharedDocument } = await import('../../core/publish/shared-documents.ts')
    return lineFormat(
      name,
      `${label} alone`,
      (record, ...options) => encode(dropSharedDocument(record, codecs), ...options),
      withLosses,
    )
  }

  function lineFormat(name: string, label: string, encode: ExportFormat, withLosses: boolean): LineFormat {
    const encodeOrExplain = (...[record, ...options]: Parameters<ExportFormat>) => {
      // No OXP id leads to a tool with any other version
      if (name.startsWith('oxp') && !isSimpleVersion(record.version))
        return createUnlisted('', "Is not listed: OXP's versions are x.y.z")
      const encodedTool = encode(record, ...options)
      if (encodedTool.ok) return encodedTool.value
      const [{ path, message } = { path: '', message: '' }] = encodedTool.problems
      return createUnlisted(path, `Is not listed: ${message}`)
    }
    return {
      name: label,
      write(record, ...options) {
        const { document, losses } = encodeOrExplain(record, ...options)
        if (!withLosses) return document === undefined ? '' : JSON.stringify(document)
        return JSON.stringify({ document, losses: losses.map((loss) => ({ id: record.id, ...loss })) })
      },
    }
  }

  return router
}

function joinDocumentsAndLosses(lines: readonly string[]): string {
  const entries = lines.map((line): { document?: unknown; losses: readonly unknown[] } => parseTrusted(line))
  const items = JSON.stringify(entries.flatMap(({ document }) => (document === undefined ? [] : [document])))
  return `"items":${items},"losses":${JSON.stringify(entries.flatMap(({ losses }) => losses))}`
}

/** Adds a prefix to distinguish these lines from the dialects' own. */
function formatLabel(format: string, withLosses: boolean): string {
  return withLosses ? `${format} with losses` : `format ${format}`
}

export function respondOxpFailure(failure: Failure, form: OxpForm = 'enveloped'): Response {
  const text = JSON.stringify(encodeFailure(failure, form))
  return jsonFailure(failure, text, STATUS[failure.type], versionHeader(form))
}

/** The header selects bare bodies even if its version is not supported. */
function findForm({ headers }: Request): OxpForm {
  return headers.has('oxp-version') ? 'bare' : 'enveloped'
}

/** `1`, `1.0` and `1.0.x` are all 1.0. */
function unsupportedVersion(headers: Headers): FailureResult | undefined {
  const version = headers.get('oxp-version')
  if (version === null || /^1(?:\.0(?:\.\d{1,9})?)?$/.test(version)) return undefined
  return fail({ type: 'protocol-version-unsupported', version: version.slice(0, 100), supported: VERSION })
}
