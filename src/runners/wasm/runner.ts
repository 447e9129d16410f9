import { sensitiveValues } from '../../core/call/invocation.ts'
import type { Runner, RunContext, RunResult, ResourceUsage } from '../../core/call/runner.ts'
import { isObject, type Json } from '../../core/tool/json.ts'
import { FOREIGN_JSON, parseJson } from '../../core/tool/json-text.ts'
import * as json from '../../core/tool/json-reader.ts'
import type { Definition } from '../../core/tool/tool.ts'
import { createLazyRedact } from '../../outbound/redaction.ts'
import { allowedHosts } from '../sandbox/credentials.ts'
import { callSandbox, respondFailed, forwardLogs } from '../sandbox/answer.ts'
import { egressPolicy } from '../sandbox/egress.ts'
import { NO_LOADER, NO_SANDBOX, type SandboxRunnerOptions } from '../sandbox/sandbox.ts'
import { resultInSandbox } from '../shared/call-tool-result.ts'
import { createCheckedRunner, timeoutMs } from '../shared/checked-runner.ts'
import { whyUndeclared } from '../shared/credential.ts'
import type { ExportCall } from './guest/main.ts'
import type { ToolFailure } from '../../core/tool/content.ts'
import { FUEL, meteredBlob, pluginCode } from './plugin-code.ts'

function checkWasmImplementation(implementation: Json, { requirements }: Definition) {
  const secret = json.refine(json.string({ min: 1 }), (id) => whyUndeclared(id, requirements.secrets))
  const reader = json.object({
    kind: json.enumReader(['wasm']),
    blob: json.stringMatching('the SHA-256 of a plugin that was uploaded', /^[0-9a-f]{64}$/),
    tool: json.string({ min: 1 }),
    allowed_hosts: json.optional(allowedHosts, []),
    config: json.nullish(json.map(secret), {}),
    timeout_ms: timeoutMs,
  })
  return json.parseValue(reader, implementation)
}

/** Advises against a retry, because the fuel would run out again. */
const OUT_OF_FUEL: ToolFailure = {
  message: `The tool was stopped: it used up the ${FUEL} instructions of a call`,
  developer_message: 'Have the plugin do less in one call, or publish tools that each do a part of it',
  additional_prompt_content: 'Call the tool with less input',
  can_retry: false,
}

interface WasmRunnerOptions extends SandboxRunnerOptions {
  readonly readBlob: (name: string) => Promise<ArrayBuffer | undefined>
}

/** Uses a new instance for each call. A plugin may read the secrets that its uploader put into the configuration. */
export function createWasmRunner({ sandbox, inside, readBlob, allowHttpHosts, log }: WasmRunnerOptions): Runner {
  return createCheckedRunner('wasm', checkWasmImplementation, (implementation, record) => {
    if (!sandbox) return { ok: false, reason: NO_SANDBOX, forOperator: NO_LOADER }
    const { blob, tool, config, timeout_ms: timeout } = implementation
    const egress = egressPolicy(implementation, record.toolkit, '', allowHttpHosts, [], [])
    const plugin = pluginCode(inside, blob, egress, async () => {
      const bytes = await readBlob(meteredBlob(blob))
      if (!bytes) throw new Error(`No metered plugin is kept of '${blob}'`)
      return bytes
    })
    const code = { ...plugin, tool: record }
    return {
      ok: true,
      timeoutMs: timeout,
      // Without network access, it cannot change anything
      isRetrySafe: implementation.allowed_hosts.length === 0,
      hosts: implementation.allowed_hosts,
      async run(invocation, context) {
        // The schema's CallToolRequest, with its "optional override for the method name"
        const { method = 'tools/call', input, secrets } = invocation
        const values = Object.entries(config).map(([key, secret]) => [key, secrets.get(secret)?.value ?? ''])
        const call: ExportCall = {
          exported: 'call',
          input: JSON.stringify({ method, params: { name: tool, arguments: input } }),
          config: Object.fromEntries(values),
          fuel: FUEL,
          timeoutMs: timeout,
        }
        const { budget } = context
        const { signal } = context.deadline
        const answer = await callSandbox(sandbox, code, [call], {
          signal,
          budget,
          redact: createLazyRedact(() => sensitiveValues(invocation)),
          subject: 'The plugin',
          unfinished: 'The call ended before the plugin did',
        })
        if (!answer.ok) return answer
        forwardLogs(answer.logs, context, log)
        const { result, usage } = answer
        if (result.ok) return readPluginResult(String(result.value), usage, context)
        return { ok: false, failure: result.kind === 'fuel' ? OUT_OF_FUEL : result.failure }
      },
    }
  })
}

function readPluginResult(text: string, usage: ResourceUsage, { budget }: RunContext): RunResult {
  const parsedOutput = parseJson(text, { ...FOREIGN_JSON, budget, what: 'the output' })
  if (!parsedOutput.ok)
    return respondFailed(
      parsedOutput.isJson ? parsedOutput.message : 'The plugin answered with something that is not JSON',
    )
  const result = parsedOutput.value
  if (!isObject(result) || !Array.isArray(result.content))
    return respondFailed("The plugin answered with something that is not a CallToolResult: 'content' must be an array")
  const toolResult = resultInSandbox({ ...result, content: result.content }, 'The plugin')
  return toolResult.ok ? { ...toolResult, usage } : toolResult
}
