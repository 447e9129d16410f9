import { formatRefusal } from '../../../core/access/change-refusal.ts'
import type { Principal } from '../../../core/access/principal.ts'
import { type ReadSkill, skillFilesReader, skillName, type SkillStore } from '../../../core/skill/skill.ts'
import { object, parseValue } from '../../../core/tool/json-reader.ts'
import { formatProblems } from '../../../core/tool/problem.ts'
import type { ServerList } from '../../../core/tool/remote-dialect.ts'

export interface ImportSkillsDeps {
  readonly skills: () => Pick<SkillStore, 'publishSkill'>
  readonly readSkill: ReadSkill
}

const SKILL = object({ name: skillName, files: skillFilesReader })

/** Publishes the skills of a server in the toolkit of its tools, as files that somebody sends. `added` are names. */
export async function importSkills(
  listed: ServerList['skills'] = [],
  toolkit: string,
  principal: Principal,
  { skills, readSkill }: ImportSkillsDeps,
) {
  const reports = []
  const added: string[] = []
  for (const skill of listed) {
    const { name } = skill
    if ('reason' in skill) reports.push(skill)
    if ('reason' in skill) continue
    const sent = parseValue(SKILL, skill)
    const content = sent.ok ? await readSkill(name, sent.value.files) : sent
    if (!content.ok) reports.push({ name, reason: formatProblems(content.problems) })
    if (!content.ok) continue
    const published = await skills().publishSkill({ toolkit, name }, content.value, principal)
    reports.push(published.ok ? { name, version: published.version } : { name, reason: formatRefusal(published) })
    if (published.ok && published.isNew) added.push(name)
  }
  return { reports, added }
}
