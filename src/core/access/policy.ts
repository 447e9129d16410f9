import { requirementId } from '../tool/definition-fields.ts'
import {
  parseValue,
  withSchemaDescription,
  integer,
  refine,
  array,
  object,
  optional,
  type InferOutput,
  addProblem,
} from '../tool/json-reader.ts'
import type { ParseResult } from '../tool/problem.ts'
import { matchesTool, toolKey, type ToolName } from '../tool/tool-id.ts'
import type { ToolRecord } from '../tool/tool.ts'
import { guardFields, minLevel, literalTrue } from './guard.ts'
import { callLimits, type ToolLimits } from './call-limits.ts'
import type { ToolWithLevel } from './principal.ts'
import type { Precondition, PutResult, RemoveResult } from '../tool/precondition.ts'
import { createLruCache } from '../tool/recently-used.ts'

/** Administrators' rules for the tools that a pattern covers. They only restrict, except for `secrets`. */
export type Policy = { readonly pattern: string } & InferOutput<ReturnType<typeof policyReader>>

export type CheckSecretName = (name: string) => string | undefined

export const MAX_POLICIES = 200
const MAX_SECRETS = 100
const MAX_TIMEOUT_MS = 300_000

export function policyReader(checkSecretName: CheckSecretName = () => undefined) {
  return object(
    {
      ...guardFields,
      timeout_ms: optional(withSchemaDescription('Timeout of a call, in milliseconds', integer(1, MAX_TIMEOUT_MS))),
      limits: optional(withSchemaDescription('Rate and concurrency limits of each tool', callLimits)),
      secrets: optional(
        withSchemaDescription(
          'Worker secrets that the tools may use',
          array(refine(requirementId, checkSecretName), { min: 1, max: MAX_SECRETS }),
        ),
      ),
      review: optional<true>(withSchemaDescription('New versions wait for review by an administrator', literalTrue)),
    },
    {
      rule(_, report, source) {
        if (Object.keys(source).length === 0)
          addProblem(report, 'Must have at least one setting, such as {"security_level": 8}')
      },
    },
  )
}

export function parsePolicy(pattern: string, body: unknown, checkSecretName: CheckSecretName): ParseResult<Policy> {
  const read = parseValue(policyReader(checkSecretName), body)
  return read.ok ? { ok: true, value: { pattern, ...read.value } } : read
}

export type EffectivePolicy = ReturnType<typeof combinePolicies>

export const NO_EFFECTIVE_POLICY = combinePolicies([])

export interface PolicySet {
  readonly revision: number
  readonly secrets: ReadonlySet<string>
  policyFor(tool: ToolName): EffectivePolicy
}

export const NO_POLICIES: PolicySet = { revision: 0, secrets: new Set(), policyFor: () => NO_EFFECTIVE_POLICY }

const MAX_CACHED = 20_000

export function createPolicySet(policies: readonly Policy[], revision: number): PolicySet {
  if (policies.length === 0) return { ...NO_POLICIES, revision }
  const cache = createLruCache<EffectivePolicy>(MAX_CACHED)
  const policyByPatterns = new Map([['', NO_EFFECTIVE_POLICY]])

  return {
    revision,
    secrets: collectSecrets(policies),
    policyFor(tool) {
      const key = toolKey(tool)
      const cachedPolicy = cache.get(key)
      if (cachedPolicy) return cachedPolicy
      const covering = policies.filter(({ pattern }) => matchesTool(pattern, tool))
      const patternKey = covering.map(({ pattern }) => pattern).join(' ')
      const policy = policyByPatterns.get(patternKey) ?? combinePolicies(covering)
      policyByPatterns.set(patternKey, policy)
      cache.set(key, policy)
      return policy
    },
  }
}

function combinePolicies(policies: readonly Policy[]) {
  const approval = policies.some((policy) => policy.approval)
  const timeouts = policies.flatMap(({ timeout_ms: ms }) => ms ?? [])
  return {
    securityLevel: minLevel(Math.max(0, ...policies.map(({ security_level: level }) => level ?? 0)), approval),
    approval,
    timeoutMs: timeouts.length > 0 ? Math.min(...timeouts) : undefined,
    limits: policies.flatMap(({ pattern, limits }): readonly ToolLimits[] =>
      limits ? [{ pattern: pattern.toLowerCase(), limits }] : [],
    ),
    secrets: collectSecrets(policies),
    review: policies.some((policy) => policy.review),
  }
}

export function collectSecrets(policies: readonly Policy[]): ReadonlySet<string> {
  return new Set(policies.flatMap(({ secrets }) => secrets ?? []))
}

/** Applies a policy's level to lists and searches. Policies apply on every read and never change stored records. */
export function raiseLevel<T extends ToolWithLevel>(tool: T, { securityLevel }: EffectivePolicy): T {
  return securityLevel > tool.securityLevel ? { ...tool, securityLevel } : tool
}

/** Applies a policy to calls and to reads of a single tool. */
export function applyPolicyToRecord(record: ToolRecord, policy: EffectivePolicy): ToolRecord {
  const raised = raiseLevel(record, policy)
  return policy.approval && !raised.requiresApproval ? { ...raised, requiresApproval: true } : raised
}

export interface Policies {
  /** Returns policies that are at most seconds old. Throws `UnreachableError` if they were never read. */
  current(): PolicySet
}

export interface PolicyStore {
  list(): Promise<readonly Policy[]>
  /** Whether any tool of the deployment matches, in any status. */
  coversTool(pattern: string): Promise<boolean>
  put(policy: Policy, precondition?: Precondition): Promise<PutPolicyResult>
  remove(pattern: string, precondition?: Precondition): Promise<RemoveResult>
}

/** `limit-reached`: there are `MAX_POLICIES`. */
export type PutPolicyResult = PutResult | 'limit-reached'
