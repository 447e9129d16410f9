import { withSchemaDescription, integer, typeGuard, optional } from '../tool/json-reader.ts'
import { type Definition, deriveSecurityLevel } from '../tool/tool.ts'

export interface Guard {
  readonly security_level?: number | undefined
  readonly approval?: true | undefined
}

const isTrue = (value: unknown) => value === true
export const literalTrue = typeGuard('true, or left out', isTrue, () => ({ const: true }))

const LEVEL_DESCRIPTION = 'From 1 to 10: from 4 a key must name the tool, from 8 a person approves each call'
export const guardFields = {
  security_level: optional(withSchemaDescription(LEVEL_DESCRIPTION, integer(1, 10))),
  approval: optional<true>(withSchemaDescription('A person approves each call, whatever the level', literalTrue)),
}

export function minLevel(level: number, approval: boolean): number {
  return approval ? Math.max(1, level) : level
}

type Guarded = Pick<Definition, 'requirements' | 'securityLevel' | 'requiresApproval'>

export function applyGuards<T extends Guarded>(definition: T, guards: readonly Guard[]): T {
  const approval = guards.some((guard) => guard.approval)
  const level = Math.max(0, ...guards.map(({ security_level: guardLevel }) => guardLevel ?? 0))
  const currentLevel = definition.securityLevel ?? deriveSecurityLevel(definition.requirements)
  const minimum = minLevel(level, approval)
  return {
    ...definition,
    ...(minimum > currentLevel ? { securityLevel: minimum } : {}),
    ...(approval ? { requiresApproval: true } : {}),
  }
}

export function extractGuard({ requirements, securityLevel, requiresApproval }: Guarded): Guard | undefined {
  const isRaised = securityLevel !== undefined && securityLevel > deriveSecurityLevel(requirements)
  if (!isRaised && !requiresApproval) return undefined
  return { ...(isRaised ? { security_level: securityLevel } : {}), ...(requiresApproval ? { approval: true } : {}) }
}
