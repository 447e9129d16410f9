import { type CallDeps, createCallTool } from '../call/call.ts'
import type { Caller } from '../call/call-request.ts'
import { type CallContext, NO_CONTEXT } from '../call/requirements.ts'
import type { ResolvedTool } from '../call/resolve-tool.ts'
import type { Run } from '../call/runner.ts'
import { fail, ok, type Result } from '../failure/failure.ts'
import type { Sha256 } from '../tool/digest.ts'
import { createLruCache } from '../tool/recently-used.ts'
import type { ToolRef } from '../tool/tool-ref.ts'
import { computePageDigest, getToolUi, MAX_PAGE_CHARACTERS, PAGE_TYPE, type ToolPage, readPage } from './page.ts'

export type ReadPage = (toolRef: ToolRef, caller: Caller, context?: CallContext) => Promise<Result<ToolPage>>

const CHANGED = 'its page has changed, or was not read when the tool was imported: import and lock it again'
const NO_PAGE = { ok: false, reason: 'It has no page' } as const
const CACHED_MS = 60_000
const MAX_CACHED = 16
const MAX_CACHED_CHARACTERS = 512 * 1024
/** More than the longest page as JSON. */
const MAX_INLINE_BYTES = 8 * MAX_PAGE_CHARACTERS

/**
 * Reads the page of a tool as a call reads its output: for the same callers, with the same credentials and limits. But the
 * tool does not run, nobody approves it, and no call is recorded. Under a lock, the page must be the one that was locked.
 */
export function createReadPage(deps: CallDeps, sha256: Sha256): ReadPage {
  const cache = createLruCache<ToolPage>(MAX_CACHED, CACHED_MS)
  const callTool = createCallTool({
    ...deps,
    resolver: {
      ...deps.resolver,
      async resolve(...request) {
        const resolved = await deps.resolver.resolve(...request)
        return resolved.ok ? toPageTool(resolved) : resolved
      },
    },
    inlineBytes: { model: MAX_INLINE_BYTES, program: MAX_INLINE_BYTES },
    recordsContent: false,
    writeRecord: () => undefined,
  })

  function toPageTool(resolved: ResolvedTool): ResolvedTool {
    const { fixedArguments: _, ...tool } = resolved.tool
    const { record, runnable, stages } = tool
    const { uri } = getToolUi(record)
    const read = runnable.ok ? runnable.read : undefined
    if (uri === undefined || !read) return { ...resolved, tool: { ...tool, runnable: NO_PAGE } }
    // A tool that gets something of its users may have a page for each
    const isShared = record.requirements.authorization.length === 0 && !record.requirements.user_id
    const run = async (...request: Parameters<Run>) => {
      const cached = isShared ? cache.get(record.digest) : undefined
      if (cached) return toResult(cached)
      const result = await read(uri, ...request)
      const page = isShared && result.ok ? readPage(result.value) : undefined
      if (page && page.html.length <= MAX_CACHED_CHARACTERS) cache.set(record.digest, page)
      return result
    }
    const pageTool = {
      ...tool,
      runnable: { ...runnable, run },
      stages: { ...stages, beforeRun: [] },
      validateInput: () => [],
      validateOutput: () => [],
      givesArtifacts: false,
    }
    return { ...resolved, tool: pageTool }
  }

  return async (toolRef, caller, context = NO_CONTEXT) => {
    const { result, tool } = await callTool({ toolRef, input: {}, context }, caller)
    if (!result.ok) return result
    const page = readPage(result.value)
    if (!page || !tool) return fail({ type: 'tool-failed', message: 'Its page is no HTML, or too large' })
    const { digest } = getToolUi(tool)
    const isLocked = caller.principal.view?.lock !== undefined
    if (!isLocked || digest === (await computePageDigest(page, sha256))) return ok(page)
    return fail({ type: 'tool-changed', id: tool.id, detail: CHANGED })
  }
}

/** As the tool's server gives it. */
function toResult({ html, ui }: ToolPage) {
  const content = { mimeType: PAGE_TYPE, text: html, _meta: { ui } }
  return { ok: true, value: { contents: [content] } } as const
}
