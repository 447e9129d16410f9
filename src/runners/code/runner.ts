import type { JsonObject } from '../../core/tool/json.ts'
import type { RunContext, Runner, RunResult } from '../../core/call/runner.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import { redacting, sensitiveValues } from '../../outbound/redaction.ts'
import { firstLine, readAnswer } from '../sandbox/answer.ts'
import { placeCredentials } from '../sandbox/credentials.ts'
import type { EgressPolicy } from '../sandbox/policy.ts'
import { type Modules, NO_LOADER, type Sandbox, type SandboxCode } from '../sandbox/sandbox.ts'
import { checkCodeImplementation, type CodeImplementation } from './implementation.ts'

export interface CodeRunnerOptions {
  /** Absent where the deployment has no Worker Loader. */
  readonly sandbox: Sandbox | undefined
  /** The modules under `inside/`, and a name that changes with them. */
  readonly inside: { readonly hash: string; readonly modules: Modules }
  /** `host:port`s that may be private, and reached over http. */
  readonly allowHttpHosts: ReadonlySet<string>
  /** Writes a line of a tool's, redacted, to the log. */
  readonly log: (callId: string, message: string) => void
}

/**
 * Runs JavaScript modules in isolates of their own. A tool that needs nothing of its caller has one isolate for all of
 * them; otherwise each user, and each set of credentials, has one, so that what a module keeps between calls, the way
 * out of its isolate included, is never another user's.
 */
export function createCodeRunner(options: CodeRunnerOptions): Runner {
  const { sandbox, inside, allowHttpHosts } = options
  return {
    kind: 'code',

    check(implementation, definition) {
      const checked = checkCodeImplementation(implementation, definition)
      return checked.ok ? [] : checked.problems
    },

    prepare(record) {
      if (!sandbox) return { ok: false, reason: NO_LOADER }
      const checked = checkCodeImplementation(record.implementation, record)
      if (!checked.ok) {
        const problems = checked.problems.map(({ path, message }) => `"${path}": ${message}`)
        return { ok: false, reason: `The implementation is not valid: ${problems.join('; ')}` }
      }
      const implementation = checked.value
      const forUsers = isForUsers(record)
      /** The isolate's name where it is the same for every call. */
      let shared: string | undefined

      return {
        ok: true,
        timeoutMs: implementation.timeout_ms,
        async run(input, context) {
          const { placed, problem } = placeCredentials(implementation.credentials, context)
          if (problem !== undefined) return failed(`Cannot make the tool's requests: ${problem}`)
          const userId = forUsers ? context.userId : undefined
          const code: SandboxCode = {
            name: `code:${inside.hash}:${record.digest}`,
            mainModule: 'main.ts',
            modules: () => ({ ...inside.modules, 'tool.js': { js: implementation.module } }),
            egress: policyOf(implementation, placed, context),
            owner: userId ?? '',
          }
          const isShared = placed.length === 0 && userId === undefined
          const id = (isShared ? shared : undefined) ?? (await sandbox.identify(code))
          if (isShared) shared = id
          return call(sandbox, id, code, input, userId, context)
        },
      }
    },
  }

  function policyOf(
    { allowed_hosts, timeout_ms }: CodeImplementation,
    placed: EgressPolicy['credentials'],
    context: RunContext,
  ): EgressPolicy | null {
    if (allowed_hosts.length === 0) return null
    return {
      allowedHosts: allowed_hosts,
      allowHttpHosts: [...allowHttpHosts],
      credentials: placed,
      sensitive: placed.length === 0 ? [] : sensitiveValues(context),
      timeoutMs: timeout_ms,
    }
  }

  async function call(
    sandbox: Sandbox,
    id: string,
    code: SandboxCode,
    input: JsonObject,
    userId: string | undefined,
    context: RunContext,
  ): Promise<RunResult> {
    const about = { callId: context.callId, ...(userId === undefined ? {} : { userId }) }
    const redact = redacting(() => sensitiveValues(context))
    // A module may keep the function and call it later, when the progress is another call's
    let isRunning = true
    const report = (progress: unknown, total: unknown, message: unknown) => {
      if (!isRunning || typeof progress !== 'number' || !Number.isFinite(progress)) return
      context.progress?.(
        progress,
        typeof total === 'number' && Number.isFinite(total) ? total : undefined,
        typeof message === 'string' ? redact(message.slice(0, MAX_PROGRESS)) : undefined,
      )
    }
    const given = context.progress ? [input, about, report] : [input, about]
    const waited = await sandbox.call(id, code, given, context.signal)
    isRunning = false
    if (waited.state === 'aborted') return failed('The call ended before the tool did')
    if (waited.state === 'failed') return failed(`The tool's module cannot run: ${firstLine(waited.error)}`)
    const answer = readAnswer(waited.value)
    if (typeof answer === 'string') return failed(answer)
    for (const line of answer.logs.map(redact)) {
      options.log(context.callId, line)
      context.log?.(line)
    }
    const { result } = answer
    return result.ok ? { ok: true, value: result.value } : failed(result.message)
  }
}

/** The most characters of a message that goes with progress. */
const MAX_PROGRESS = 1_000

/** Whether a tool asks for something that is a user's. */
function isForUsers({ requirements }: ToolRecord): boolean {
  return requirements.user_id || requirements.authorization.length > 0
}

function failed(message: string): RunResult {
  return { ok: false, failure: { message } }
}
