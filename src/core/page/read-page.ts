import { type CallDeps, createCallTool } from '../call/call.ts'
import type { Caller } from '../call/call-request.ts'
import { type CallContext, NO_CONTEXT } from '../call/requirements.ts'
import type { ResolvedTool } from '../call/resolve-tool.ts'
import type { Reading, Run, RunResult } from '../call/runner.ts'
import type { GrantPreview } from '../call/user-tokens.ts'
import { fail, ok, type Result } from '../failure/failure.ts'
import type { Sha256 } from '../tool/digest.ts'
import { jsonSize } from '../tool/json.ts'
import { createLruCache } from '../tool/recently-used.ts'
import type { ToolRef } from '../tool/tool-ref.ts'
import { needsApproval } from '../tool/tool.ts'
import { computePageDigest, getToolUi, MAX_PAGE_CHARACTERS, type UiResource, readPage } from './page.ts'

export type ReadPage = (toolRef: ToolRef, caller: Caller, context?: CallContext) => Promise<Result<UiResource>>
/** Reads a resource or a list, other than the tool's page, from the tool's server. */
export type ReadServer = (reading: Reading, ...request: Parameters<ReadPage>) => Promise<Result<unknown>>

const CHANGED = 'its page has changed, or could not be read at import: import and lock the tool again'
const NOTHING = { ok: false, reason: 'It has no page or resource' } as const
/** A list combines several servers, and must not wait long for a slow one. */
const LIST_MS = 5_000
const CACHED_MS = 60_000
const MAX_CACHED = 16
const MAX_CACHED_CHARACTERS = 512 * 1024
/** Larger than the longest page as JSON. */
const MAX_INLINE_BYTES = 8 * MAX_PAGE_CHARACTERS

/**
 * Reads the page of a tool through the pipeline of a call: for the same callers, with the same credentials and limits. But the
 * tool does not run, no consent or approval is requested, and no call is recorded. Under a lock, the page must be the locked
 * one. Resources of the tool's server are read the same way.
 */
export function createReaders(deps: CallDeps & { readonly userTokens: GrantPreview }, sha256: Sha256) {
  const { userTokens } = deps
  const cache = createLruCache<RunResult>(MAX_CACHED, CACHED_MS)
  const readByCall = (requestedReading: Reading | undefined, toolRef: ToolRef, caller: Caller, context = NO_CONTEXT) =>
    createCallTool({
      ...deps,
      resolver: {
        ...deps.resolver,
        async resolve(...request) {
          const resolution = await deps.resolver.resolve(...request)
          return resolution.ok ? toReadTool(resolution, requestedReading) : resolution
        },
      },
      userTokens: {
        ...userTokens,
        async tokenFor(query) {
          const preview = await userTokens.look(query)
          return 'token' in preview ? userTokens.tokenFor(query) : preview
        },
      },
      inlineBytes: { model: MAX_INLINE_BYTES, program: MAX_INLINE_BYTES },
      recordsContent: false,
      writeRecord: () => undefined,
    })({ toolRef, input: {}, context }, caller)

  /** Replaces the tool with one that reads its page, or the requested resource. */
  function toReadTool(resolvedTool: ResolvedTool, requestedReading: Reading | undefined): ResolvedTool {
    const { fixedArguments, ...tool } = resolvedTool.tool
    const { record, runnable, stages } = tool
    // Reading a resource must not bypass a person's approval or the arguments that a toolset fixes
    const isOpen = !needsApproval(record) && !fixedArguments && record.implementation?.kind === 'remote'
    const { uri } = getToolUi(record)
    const reading = requestedReading ? isOpen && requestedReading : uri !== undefined && { uri }
    const read = runnable.ok ? runnable.read : undefined
    if (!reading || !runnable.ok || !read) return { ...resolvedTool, tool: { ...tool, runnable: NOTHING } }
    // A tool that receives a user's id or token may have a different page for each user
    const isShared = record.requirements.authorization.length === 0 && !record.requirements.user_id
    const key = isShared && !requestedReading ? record.digest : undefined
    const run = async (...request: Parameters<Run>) => {
      const cachedResult = key === undefined ? undefined : cache.get(key)
      if (cachedResult) return cachedResult
      const result = await read(reading, ...request)
      if (key !== undefined && result.ok && isSmallPage(result.value)) cache.set(key, result)
      return result
    }
    const timeoutMs = 'list' in reading ? Math.min(LIST_MS, runnable.timeoutMs) : runnable.timeoutMs
    const readTool = {
      ...tool,
      runnable: { ...runnable, run, timeoutMs },
      stages: { ...stages, beforeRun: [] },
      validateInput: () => [],
      validateOutput: () => [],
      givesArtifacts: false,
    }
    return { ...resolvedTool, tool: readTool }
  }

  return {
    readServer: async (...request: Parameters<ReadServer>) => (await readByCall(...request)).result,
    async readPage(...request: Parameters<ReadPage>): ReturnType<ReadPage> {
      const { result, tool } = await readByCall(undefined, ...request)
      if (!result.ok) return result
      const page = readPage(result.value)
      if (!page || !tool) return fail({ type: 'tool-failed', message: 'Its page is not HTML, or is too large' })
      const { digest } = getToolUi(tool)
      const isLocked = request[1].principal.view?.lock !== undefined
      if (!isLocked || digest === (await computePageDigest(page, sha256))) return ok(page)
      return fail({ type: 'tool-changed', id: tool.id, detail: CHANGED })
    },
  }
}

function isSmallPage(value: unknown): boolean {
  return readPage(value) !== undefined && jsonSize(value, MAX_CACHED_CHARACTERS) <= MAX_CACHED_CHARACTERS
}
