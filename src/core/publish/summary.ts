import { getAppearance } from '../tool/appearance.ts'
import { omitEmptyRequirements, type ToolRecord } from '../tool/tool.ts'
import type { ExportFormat } from './export.ts'

/** A format only for lists, so calls do not load it. It repeats no part of a record, so it needs no budget. */
export const summarize: ExportFormat = (record, name) => ({
  ok: true,
  value: { document: toSummary(record, name), losses: [] },
})

export function toSummary(record: ToolRecord, name: string) {
  const { id, version, description, tags, securityLevel, annotations = {} } = record
  const { authorization } = record.requirements
  const needs = omitEmptyRequirements(
    authorization.map((requirement) => ({ id: requirement.id })),
    record.requirements,
  )
  return {
    id,
    name,
    ...getAppearance(record),
    description,
    version,
    security_level: securityLevel,
    ...(annotations['readOnlyHint'] === true ? { read_only: true } : {}),
    ...(annotations['destructiveHint'] === true ? { destructive: true } : {}),
    ...(tags.length === 0 ? {} : { tags: [...tags] }),
    ...(Object.keys(needs).length === 0 ? {} : { requirements: needs }),
  }
}
