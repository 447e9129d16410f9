import type { Policies, PolicySet } from '../access/policy.ts'
import { sanitizedName } from '../tool/sanitize-name.ts'
import { bytesOfText, createKept, type Memory } from '../cache/kept.ts'
import type { Background } from '../tool/platform.ts'
import { type AskedDocument, formatToolId, isNamePart, type ToolName } from '../tool/tool-id.ts'
import { parseAskedAsUnknown, parseAskedDocument, parseAskedName, parseToolId } from '../tool/tool-id.ts'
import type { ToolSource } from '../tool/tool-source.ts'
import type { Publisher, ToolDocument, ToolRecord } from '../tool/tool.ts'
import { chooseVersion, isSelector, type ToolStatus, withoutPending } from '../tool/version.ts'
import { type Failing, fail } from '../failure/failure.ts'
import { type CallableTool, governedTool } from './callable-tool.ts'

export interface Resolved {
  readonly ok: true
  readonly tool: CallableTool
  readonly status: ToolStatus
  readonly publisher: Publisher
  readonly toolkitDescription?: string | undefined
}

export interface Resolver {
  /** At once, and without I/O, for a text that was asked for a moment ago. */
  resolve(asked: string, background: Background): Resolved | Failing | Promise<Resolved | Failing>
  forget(): void
}

interface ResolverDeps {
  readonly source: ToolSource
  readonly makeCallable: (record: ToolRecord) => CallableTool | Promise<CallableTool>
  readonly memory: Memory
  readonly now: () => number
}

const FOUND = { fresh: 5_000, stale: 25_000, lastResort: 60_000 }
const NOT_FOUND = { fresh: 2_000 }
/** A callable tool takes about so many times the bytes of its record's text. */
const TOOL_FACTOR = 4
const ANSWER_BYTES = 400

export function createResolver({ source, makeCallable, now, memory }: ResolverDeps): Resolver {
  const answers = createKept<Resolved | Failing>({
    store: memory.part(
      ({ value }, asked) =>
        2 * asked.length + ANSWER_BYTES + (value.ok ? 0 : bytesOfText(JSON.stringify(value.failure))),
    ),
    agesOf: ({ ok }) => (ok ? FOUND : NOT_FOUND),
    now,
  })
  const tools = memory.part<CallableTool>(({ record }) => TOOL_FACTOR * bytesOfText(JSON.stringify(record)))

  async function lookUp(asked: string): Promise<Resolved | Failing> {
    const asUnknown = parseAskedAsUnknown(asked)
    if (asUnknown) return fail({ type: 'tool-unknown', asked, suggestions: await source.nearest(asUnknown) })
    const addressed = parseAskedDocument(asked)
    if (addressed) return lookUpDocument(addressed)
    const named = parseAskedName(asked)
    const owner = named && (await source.named(named.name))
    if (named && !owner) {
      const { name: asked } = named
      return fail(
        isNamePart(asked) ? { type: 'tool-unknown', asked, suggestions: [] } : { type: 'id-malformed', asked },
      )
    }
    const id = parseToolId(asked)
    const name = owner ?? id
    const selector = (named ?? id)?.selector
    if (!name || (selector !== undefined && !isSelector(selector)))
      return fail({ type: 'id-malformed', asked: asked.replace(/^name:/, '') })
    return lookUpTool(name, selector, asked)
  }

  async function lookUpDocument({ dialect, id, tool: called, selector }: AskedDocument): Promise<Resolved | Failing> {
    const asked = `${id}.${called}`
    if (selector !== undefined && !isSelector(selector))
      return fail({ type: 'id-malformed', asked: `${asked}@${selector}` })
    const address = await source.addressed(dialect, id, called)
    const tool = address && Object.hasOwn(address.tools, called) ? address.tools[called] : undefined
    if (address && tool !== undefined) {
      const found = await lookUpTool({ toolkit: address.toolkit, tool }, selector, asked)
      const isNone = !found.ok && found.failure.type === 'tool-unknown'
      if (!isNone || (address.toolkit === id && tool === called)) return found
    }
    // With a dash it is a document's, if there is one
    const isToolkit = isNamePart(id) && (!address || address.toolkit === id || sanitizedName(id) === id)
    const found =
      isToolkit && isNamePart(called) ? await lookUpTool({ toolkit: id, tool: called }, selector, asked) : undefined
    if (found && (!found.ok || found.tool.record.toolkit === id)) return found
    return fail({ type: 'tool-unknown', asked, suggestions: [] })
  }

  async function lookUpTool(name: ToolName, selector: string | undefined, asked: string): Promise<Resolved | Failing> {
    const document = await source.document(name)
    const known = document && withoutPending(document)
    const found = known && (await pick(known, selector))
    if (found) return found
    const current = await source.currentOrNearest(name)
    const there = 'versions' in current && !current.isDeleted ? withoutPending(current) : undefined
    if (there) return (await pick(there, selector)) ?? unavailable(there, selector)
    const suggestions = 'versions' in current ? await source.nearest(name) : current
    return fail({ type: 'tool-unknown', asked, suggestions })
  }

  async function pick(document: ToolDocument, selector: string | undefined): Promise<Resolved | Failing | undefined> {
    const version = document.isDeleted ? undefined : chooseVersion(document, selector)
    if (!version) return undefined
    if (version.status.state === 'disabled') return disabled(formatToolId(document, version.version), version.status)
    const known = tools.get(version.digest)
    const { status, publisher } = version
    const { toolkitDescription } = document
    if (known) return { ok: true, tool: known, status, publisher, toolkitDescription }
    const inline = document.newest?.digest === version.digest ? document.newest : undefined
    const record = inline ?? (await source.record(version.digest))
    if (!record) return undefined
    const tool = await makeCallable(record)
    tools.set(record.digest, tool)
    return { ok: true, tool, status, publisher, toolkitDescription }
  }

  return {
    resolve: (asked, background) => answers.get(asked, lookUp, background),
    forget: () => answers.forget(),
  }
}

export function governResolver(resolver: Resolver, policies: Policies): Resolver {
  const made = new WeakMap<Resolved, { readonly policies: PolicySet; readonly answer: Resolved }>()

  function govern(answer: Resolved | Failing): Resolved | Failing {
    if (!answer.ok) return answer
    const now = policies.now()
    const before = made.get(answer)
    if (before?.policies === now) return before.answer
    const tool = governedTool(answer.tool, now.ruleOf(answer.tool.record))
    const ruled = tool === answer.tool ? answer : { ...answer, tool }
    made.set(answer, { policies: now, answer: ruled })
    return ruled
  }

  return {
    resolve(asked, background) {
      const answer = resolver.resolve(asked, background)
      return answer instanceof Promise ? answer.then(govern) : govern(answer)
    },
    forget: () => resolver.forget(),
  }
}

function unavailable(document: ToolDocument, selector = 'latest'): Failing {
  const off = document.versions.flatMap(({ status }) => (status.state === 'disabled' ? [status] : []))
  if (off.length === document.versions.length) return disabled(formatToolId(document), off.at(-1))
  return fail({
    type: 'version-unavailable',
    tool: formatToolId(document),
    name: document.newest?.name ?? formatToolId(document),
    asked: selector,
    available: document.versions.filter(({ status }) => status.state === 'active').map(({ version }) => version),
  })
}

function disabled(id: string, { message: detail }: { readonly message?: string } = {}): Failing {
  return fail({ type: 'tool-disabled', id, ...(detail === undefined ? {} : { detail }) })
}
