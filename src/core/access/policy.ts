import { requirementId } from '../tool/definition-fields.ts'
import { check, described, integer, judged, list, object, optional, type ReadBy, wrong } from '../tool/json-reader.ts'
import type { Checked } from '../tool/problem.ts'
import { patternCovers, toolKey, type ToolName } from '../tool/tool-id.ts'
import type { ToolRecord } from '../tool/tool.ts'
import { guardFields, leastLevel, onlyTrue } from './guard.ts'
import { callLimits, type ToolLimits } from './call-limits.ts'
import type { LevelledTool } from './principal.ts'
import type { Expected } from '../tool/revision.ts'
import { recentlyUsed } from '../tool/recently-used.ts'

/** Administrators' rules for the tools that a pattern covers. They only restrict, except for `secrets`. */
export type Policy = { readonly pattern: string } & ReadBy<ReturnType<typeof policyReader>>

export type JudgeSecret = (name: string) => string | undefined

export const MAX_POLICIES = 200
const MAX_SECRETS = 100
const MAX_TIMEOUT_MS = 300_000

export function policyReader(judgeSecret: JudgeSecret = () => undefined) {
  return object(
    {
      ...guardFields,
      timeout_ms: optional(described('Timeout of a call, in milliseconds', integer(1, MAX_TIMEOUT_MS))),
      limits: optional(described('Rate and concurrency limits of each tool', callLimits)),
      secrets: optional(
        described(
          'Worker secrets that the tools may use',
          list(judged(requirementId, judgeSecret), { least: 1, most: MAX_SECRETS }),
        ),
      ),
      review: optional<true>(described('New versions wait for review by an administrator', onlyTrue)),
    },
    {
      rule(_, report, said) {
        if (Object.keys(said).length === 0)
          wrong(report, 'Must have at least one setting, such as {"security_level": 8}')
      },
    },
  )
}

export function decodePolicy(pattern: string, body: unknown, judgeSecret: JudgeSecret): Checked<Policy> {
  const read = check(policyReader(judgeSecret), body)
  return read.ok ? { ok: true, value: { pattern, ...read.value } } : read
}

export type ToolRule = ReturnType<typeof combined>

export const NO_RULE = combined([])

export interface PolicySet {
  readonly revision: number
  readonly secrets: ReadonlySet<string>
  ruleOf(tool: ToolName): ToolRule
}

export const NO_POLICIES: PolicySet = { revision: 0, secrets: new Set(), ruleOf: () => NO_RULE }

const REMEMBERED = 20_000

export function createPolicySet(policies: readonly Policy[], revision: number): PolicySet {
  if (policies.length === 0) return { ...NO_POLICIES, revision }
  const known = recentlyUsed<ToolRule>(REMEMBERED)
  const rules = new Map([['', NO_RULE]])

  return {
    revision,
    secrets: secretsOf(policies),
    ruleOf(tool) {
      const key = toolKey(tool)
      const before = known.get(key)
      if (before) return before
      const covering = policies.filter(({ pattern }) => patternCovers(pattern, tool))
      const which = covering.map(({ pattern }) => pattern).join(' ')
      const rule = rules.get(which) ?? combined(covering)
      rules.set(which, rule)
      known.set(key, rule)
      return rule
    },
  }
}

function combined(policies: readonly Policy[]) {
  const approval = policies.some((policy) => policy.approval)
  const timeouts = policies.flatMap(({ timeout_ms: ms }) => ms ?? [])
  return {
    securityLevel: leastLevel(Math.max(0, ...policies.map(({ security_level: level }) => level ?? 0)), approval),
    approval,
    timeoutMs: timeouts.length > 0 ? Math.min(...timeouts) : undefined,
    limits: policies.flatMap(({ pattern, limits }): readonly ToolLimits[] =>
      limits ? [{ of: pattern.toLowerCase(), limits }] : [],
    ),
    secrets: secretsOf(policies),
    review: policies.some((policy) => policy.review),
  }
}

export function secretsOf(policies: readonly Policy[]): ReadonlySet<string> {
  return new Set(policies.flatMap(({ secrets }) => secrets ?? []))
}

export function levelled<T extends LevelledTool>(tool: T, { securityLevel }: ToolRule): T {
  return securityLevel > tool.securityLevel ? { ...tool, securityLevel } : tool
}

export function governed(record: ToolRecord, rule: ToolRule): ToolRecord {
  const raised = levelled(record, rule)
  return rule.approval && !raised.requiresApproval ? { ...raised, requiresApproval: true } : raised
}

export interface Policies {
  /** Seconds old at most. Throws `Unreachable` before they were first read. */
  now(): PolicySet
}

export interface PolicyStore {
  list(): Promise<readonly Policy[]>
  /** Whether it is new; undefined at `MAX_POLICIES`, `stale` where the present one is not as expected. */
  put(policy: Policy, expected?: Expected): Promise<boolean | 'stale' | undefined>
  /** False where there was none, `stale` where it is not as expected. */
  remove(pattern: string, expected?: Expected): Promise<boolean | 'stale'>
}
