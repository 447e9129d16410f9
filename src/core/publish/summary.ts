import { appearanceOf } from '../tool/appearance.ts'
import type { ToolRecord } from '../tool/tool.ts'

export function summaryOf(record: ToolRecord, name: string) {
  const { id, version, description, tags } = record
  const { authorization, secrets, user_id } = record.requirements
  const needs = {
    ...(authorization.length === 0 ? {} : { authorization: authorization.map((each) => ({ id: each.id })) }),
    ...(secrets.length === 0 ? {} : { secrets: secrets.map((each) => ({ id: each.id })) }),
    ...(user_id ? { user_id } : {}),
  }
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
