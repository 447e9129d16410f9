import { isJsonObject, isObject, type JsonObject } from '../../core/tool/json.ts'
import type { Run, Runner } from '../../core/call/runner.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import { withNewTokens } from '../../outbound/renewed-tokens.ts'
import { isIdempotent, MAX_ATTEMPTS, type RetryClock, withRetries } from '../../outbound/retry.ts'
import type { Attempt } from './attempt.ts'
import { type Endpoint, locate } from './endpoint.ts'
import { checkRemoteImplementation, type RemoteImplementation } from './implementation.ts'
import { callMcp, type McpDeps } from './mcp/call.ts'
import { callOxp } from './oxp/call.ts'
import type { OxpDeps } from './oxp/server.ts'

export type RemoteRunnerOptions = RetryClock & McpDeps & OxpDeps

/** One attempt at a call. */
type Try = (input: JsonObject, endpoint: Endpoint, context: Parameters<Run>[1]) => Promise<Attempt>

/**
 * Makes the runner of `remote` implementations: tools of MCP and OXP servers. Tools that are read-only or idempotent are
 * tried again, twice at most, where the server could not be reached or was busy; any once more with new tokens of its
 * user's, where it did not take those it was sent.
 */
export function createRemoteRunner(options: RemoteRunnerOptions): Runner {
  return {
    kind: 'remote',

    check(implementation, definition) {
      const checked = checkRemoteImplementation(implementation, definition)
      return checked.ok ? [] : checked.problems
    },

    prepare(record) {
      const checked = checkRemoteImplementation(record.implementation, record)
      if (!checked.ok) {
        const problems = checked.problems.map(({ path, message }) => `"${path}": ${message}`)
        return { ok: false, reason: `The implementation is not valid: ${problems.join('; ')}` }
      }
      const implementation = checked.value
      const attempt = implementation.protocol === 'mcp' ? mcp(implementation, record) : oxp(implementation)
      const attempts = isIdempotent(record) ? MAX_ATTEMPTS : 0
      return {
        ok: true,
        timeoutMs: implementation.timeout_ms,
        async run(input, given) {
          const deadline = options.now() + implementation.timeout_ms
          let context = given
          for (;;) {
            const located = locate(implementation, context)
            if (!located.ok) return located
            const { result, unauthorized } = await withRetries(
              () => attempt(input, located.endpoint, context),
              ({ again }) => again,
              { attempts, withinMs: deadline - options.now(), signal: context.signal },
              options,
            )
            const renewed = unauthorized ? await withNewTokens(context, implementation.credentials) : undefined
            if (!renewed) return result
            context = renewed
          }
        },
      }
    },
  }

  function mcp({ tool, timeout_ms }: RemoteImplementation, record: ToolRecord): Try {
    const inputSchema = headerSchema(record)
    const upstream = { name: tool, timeoutMs: timeout_ms, ...(inputSchema ? { inputSchema } : {}) }
    return (input, endpoint, context) => callMcp(upstream, input, endpoint, context, options)
  }

  function oxp({ tool, pass_user }: RemoteImplementation): Try {
    return (input, endpoint, context) => callOxp({ id: tool, passUser: pass_user }, input, endpoint, context, options)
  }
}

/** The server's own schema, where it wants arguments in headers too: ours is published without that. */
function headerSchema({ source: { document } }: ToolRecord): JsonObject | undefined {
  if (!isObject(document) || !isJsonObject(document['inputSchema'])) return undefined
  return JSON.stringify(document['inputSchema']).includes('"x-mcp-header"') ? document['inputSchema'] : undefined
}
