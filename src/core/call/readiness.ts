import { hasScope, type Principal } from '../access/principal.ts'
import type { Challenge } from '../consent/authorization.ts'
import { nonInferrable } from '../tool/metadata.ts'
import { needsApproval, type Publisher, type ToolRecord } from '../tool/tool.ts'
import { formatToolId } from '../tool/tool-id.ts'
import type { ToolStatus } from '../tool/version.ts'
import { authorise } from './authorise.ts'
import { type Failing, type Failure, fail } from '../failure/failure.ts'
import { detailOf, type FailureWords, wordsOf } from '../failure/failure-words.ts'
import { type LookDeps, stagesOf } from './callable-tool.ts'
import type { Runnable } from './runner.ts'
import { toldTo } from '../failure/told-to.ts'

export interface FoundTool {
  readonly record: ToolRecord
  readonly status: ToolStatus
  readonly publisher: Publisher
  /** Absent for a disabled or pending tool, which is not made ready. */
  readonly runnable?: Runnable
}

export interface WouldBeCaller {
  readonly principal: Principal
  readonly userId: string | undefined
  readonly reachedAt: () => string
}

export interface UpstreamHealth {
  readonly host: string
  /** `open`: it is not asked for a while; `half-open`: one call at a time asks whether it answers again. */
  readonly state: 'closed' | 'open' | 'half-open'
  /** When it will be asked again. */
  readonly retry_after_ms?: number
}

export interface Obstacle extends FailureWords {
  readonly type: Failure['type']
}

export interface Readiness {
  readonly tool: string
  readonly status: ToolStatus
  /** As published, or raised by a policy. */
  readonly securityLevel: number
  readonly needsApproval: boolean
  readonly userId?: string | undefined
  readonly ready: boolean
  readonly obstacles: readonly Obstacle[]
  readonly authorization: readonly Challenge[]
  readonly secrets: readonly { readonly id: string }[]
  readonly lacksUser: boolean
  readonly context: readonly string[]
  readonly upstreams: readonly UpstreamHealth[]
}

export interface ReadinessDeps extends LookDeps {
  readonly healthOf: (host: string, toolkit: string) => Omit<UpstreamHealth, 'host'>
}

export type TellReadiness = (found: FoundTool, caller: WouldBeCaller) => Promise<Readiness>

/**
 * Tells whether a call could run, from what its stages find out without any effect: nothing is run, refreshed, asked
 * for or used up. Only administrators are told what operators must put right.
 */
export function createReadiness({ healthOf, ...deps }: ReadinessDeps): TellReadiness {
  return async ({ record, status, publisher, runnable }, { principal, userId, reachedAt }) => {
    const { id: tool, securityLevel } = record
    const about = {
      tool,
      status,
      securityLevel,
      needsApproval: needsApproval(record),
      userId,
      context: nonInferrable(record),
    }
    // Callers who may not call it learn nothing of the user or the deployment
    const refused = withdrawn(record, status) ?? authorise(principal, record.id, record, userId)
    if (refused) return { ...about, ...NOTHING, ready: false, obstacles: [obstacle(refused.failure, principal)] }

    const failures: Failure[] = []
    if (!runnable?.ok) {
      const { ok: _, ...why } = runnable ?? { ok: false, reason: 'It is not ready to run' }
      failures.push({ type: 'tool-not-executable', id: record.id, ...why })
    }
    const hosts = runnable?.ok ? runnable.hosts : undefined
    const { requirements, ready } = stagesOf(record)
    for (const { look } of [...requirements, ...ready]) {
      const failure = await look?.({ record, publisher, hosts, userId, reachedAt }, deps)
      if (failure) failures.push(failure)
    }
    const missing = failures.find((failure) => failure.type === 'requirements-missing')
    const upstreams = (hosts ?? []).map((host) => ({ host, ...healthOf(host, record.toolkit) }))
    const [silent] = upstreams.filter(({ state }) => state === 'open')
    if (silent && upstreams.every(({ state }) => state === 'open')) {
      const message = `'${silent.host}' does not answer, and is not asked for a while`
      failures.push({ type: 'tool-failed', message, can_retry: true })
    }
    return {
      ...about,
      ready: failures.length === 0,
      obstacles: failures.map((failure) => obstacle(failure, principal)),
      authorization: missing?.authorization ?? [],
      secrets: missing?.secrets ?? [],
      lacksUser: missing?.user_id ?? false,
      upstreams,
    }
  }
}

const NOTHING = { authorization: [], secrets: [], lacksUser: false, upstreams: [] }

function withdrawn(record: ToolRecord, { state }: ToolStatus): Failing | undefined {
  const { id, name, version: asked } = record
  if (state === 'disabled') return fail({ type: 'tool-disabled', id })
  if (state !== 'pending') return undefined
  return fail({ type: 'version-unavailable', tool: formatToolId(record), name, asked, available: [] })
}

/** Only administrators are told the remedy, unless the caller or its user can apply it. */
function obstacle(found: Failure, principal: Principal): Obstacle {
  const failure = toldTo(principal, found)
  const isOperator = hasScope(principal, 'admin')
  switch (failure.type) {
    case 'tool-failed':
      return { type: failure.type, message: failure.message }
    case 'requirements-missing': {
      const { message, detail } = wordsOf(failure)
      return { type: failure.type, message, detail: isOperator ? detail : lacking(failure) }
    }
    case 'tool-not-executable':
    case 'tool-untrusted': {
      const words = wordsOf(failure)
      return {
        type: failure.type,
        message: words.message,
        detail: isOperator ? detailOf(words) : 'The operator must put this right',
      }
    }
    case 'id-malformed':
    case 'input-invalid':
    case 'input-required':
      return { type: failure.type, message: 'It cannot be called' }
    default:
      return { type: failure.type, ...wordsOf(failure) }
  }
}

function lacking(failure: Extract<Failure, { type: 'requirements-missing' }>): string {
  const { authorization, secrets, tokens = [], user_id } = failure
  return [
    ...authorization.map(({ id, authorization: asked }) => {
      const page = asked === undefined ? ': the answer to a call has the link to the page' : ', at the page of its link'
      return `The user must allow it access to '${id}'${page}`
    }),
    ...tokens.map(({ id }) => `The caller must send the token along that the tool calls '${id}'`),
    ...secrets.map(({ id }) => `The operator must set the secret '${id}', and let the tool have it`),
    ...(user_id ? ['The call must name a user'] : []),
  ].join('; ')
}

export function encodeReadiness(readiness: Readiness) {
  const { tool, status, securityLevel, userId, ready, obstacles, authorization } = readiness
  const { secrets, lacksUser, context, upstreams } = readiness
  const missing = {
    ...(authorization.length > 0 ? { authorization: authorization.map(encodeChallenge) } : {}),
    ...(secrets.length > 0 ? { secrets: secrets.map(({ id }) => ({ id })) } : {}),
    ...(lacksUser ? { user_id: true } : {}),
  }
  return {
    tool,
    ready,
    status: { ...status },
    security_level: securityLevel,
    ...(readiness.needsApproval ? { approval: true } : {}),
    ...(userId === undefined ? {} : { user_id: userId }),
    problems: obstacles.map(({ type, message, detail }) => ({
      type,
      message,
      ...(detail === undefined ? {} : { developer_message: detail }),
    })),
    ...(Object.keys(missing).length > 0 ? { missing_requirements: missing } : {}),
    ...(context.length > 0 ? { context: [...context] } : {}),
    ...(upstreams.length > 0 ? { upstreams: upstreams.map((upstream) => ({ ...upstream })) } : {}),
  }
}

/** Looking makes no link: one is there only if the user was asked before. */
function encodeChallenge({ id, authorization, url, check_url, scopes, status }: Challenge) {
  return { id, scopes: [...scopes], status, ...(authorization === undefined ? {} : { url, check_url }) }
}
