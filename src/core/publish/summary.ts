import { appearanceOf } from '../tool/appearance.ts'
import { listedRequirements, type ToolRecord } from '../tool/tool.ts'

export function summaryOf(record: ToolRecord, name: string) {
  const { id, version, description, tags } = record
  const { authorization } = record.requirements
  const needs = listedRequirements(
    authorization.map((each) => ({ id: each.id })),
    record.requirements,
  )
  return {
    id,
    name,
    ...appearanceOf(record),
    description,
    version,
    ...(tags.length === 0 ? {} : { tags: [...tags] }),
    ...(Object.keys(needs).length === 0 ? {} : { requirements: needs }),
  }
}
