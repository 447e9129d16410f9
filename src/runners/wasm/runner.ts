import type { JsonObject } from '../../core/tool/json.ts'
import type { RunContext, Runner, RunResult } from '../../core/call/runner.ts'
import { redacting, sensitiveValues } from '../../outbound/redaction.ts'
import { NO_LOADER, type Sandbox } from '../sandbox/sandbox.ts'
import { checkWasmImplementation, type WasmImplementation } from './implementation.ts'
import { callPlugin, FUEL, type Inside, pluginCode } from './call-plugin.ts'
import { decodeResult } from './plugin-result.ts'

export interface WasmRunnerOptions {
  /** Absent where the deployment has no Worker Loader. */
  readonly sandbox: Sandbox | undefined
  readonly inside: Inside
  /** Reads the bytes that are kept under a hash. */
  readonly readBlob: (hash: string) => Promise<ArrayBuffer | undefined>
  /** `host:port`s that may be private, and reached over http. */
  readonly allowHttpHosts: ReadonlySet<string>
  /** Writes a line of a plugin's, redacted, to the log. */
  readonly log: (callId: string, message: string) => void
  /** The time in milliseconds. */
  readonly now: () => number
}

/**
 * Runs the tools of plugins (`call` of the plugin schema, on the Extism ABI). The secrets that the uploader put into the
 * plugin's configuration are the plugin's to read; nothing of a call is there for the next one.
 */
export function createWasmRunner(options: WasmRunnerOptions): Runner {
  const { sandbox, inside, readBlob, allowHttpHosts, now } = options
  return {
    kind: 'wasm',

    check(implementation, definition) {
      const checked = checkWasmImplementation(implementation, definition)
      return checked.ok ? [] : checked.problems
    },

    prepare(record) {
      if (!sandbox) return { ok: false, reason: NO_LOADER }
      const checked = checkWasmImplementation(record.implementation, record)
      if (!checked.ok) {
        const problems = checked.problems.map(({ path, message }) => `"${path}": ${message}`)
        return { ok: false, reason: `The implementation is not valid: ${problems.join('; ')}` }
      }
      const implementation = checked.value
      const { blob, allowed_hosts, timeout_ms } = implementation
      const egress = {
        allowedHosts: allowed_hosts,
        allowHttpHosts: [...allowHttpHosts],
        credentials: [],
        sensitive: [],
        timeoutMs: timeout_ms,
      }
      const code = pluginCode(inside, blob, allowed_hosts.length > 0 ? egress : null, async () => {
        const bytes = await readBlob(blob)
        if (!bytes) throw new Error(`Nothing is kept under '${blob}'`)
        return bytes
      })
      let id: string | undefined
      return {
        ok: true,
        timeoutMs: timeout_ms,
        async run(input, context) {
          id ??= await sandbox.identify(code)
          const started = now()
          const asked = {
            exported: 'call',
            input: requestOf(implementation, input),
            config: configOf(implementation, context),
          } as const
          const answer = await callPlugin(sandbox, id, code, asked, context.signal)
          if (answer === undefined) return failed('The call ended before the plugin did')
          if (typeof answer === 'string') return failed(answer)
          const log = (line: string) => {
            options.log(context.callId, line)
            context.log?.(line)
          }
          for (const line of answer.logs.map(redacting(() => sensitiveValues(context)))) log(line)
          const { result, usage } = answer
          if (result.ok) return decodeResult(String(result.value), usage)
          if (result.kind !== 'fuel') return failed(result.message)
          log(`The plugin was stopped: it had used up its ${FUEL} instructions`)
          return { ok: false, expired_ms: Math.max(1, now() - started) }
        },
      }
    },
  }
}

/** The schema's CallToolRequest. */
function requestOf({ tool }: WasmImplementation, input: JsonObject): string {
  return JSON.stringify({ method: 'tools/call', params: { name: tool, arguments: input } })
}

function configOf({ config }: WasmImplementation, { secrets }: RunContext): Record<string, string> {
  return Object.fromEntries(Object.entries(config).map(([key, secret]) => [key, secrets.get(secret)?.value ?? '']))
}

function failed(message: string): RunResult {
  return { ok: false, failure: { message } }
}
