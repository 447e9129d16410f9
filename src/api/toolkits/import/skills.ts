import { formatRefusal } from '../../../core/access/change-refusal.ts'
import type { Principal } from '../../../core/access/principal.ts'
import { type ReadSkill, skillFilesReader, skillName, type SkillStore } from '../../../core/skill/skill.ts'
import { object, parseValue } from '../../../core/tool/json-reader.ts'
import { formatProblems } from '../../../core/tool/problem.ts'
import type { ListedSkill, ServerList } from '../../../core/tool/remote-dialect.ts'

export interface ImportSkillsDeps {
  readonly skills: () => Pick<SkillStore, 'publishSkill'>
  readonly readSkill: ReadSkill
}

const NOT_READ = 'Its files are not listed, are too many or too large, or do not match the list of its server'
const SKILL = object({ name: skillName, files: skillFilesReader })

/** Publishes a server's skills in the toolkit of its tools, with the usual publication checks. `added` are names. */
export async function importSkills(
  listed: ServerList['skills'] = [],
  toolkit: string,
  principal: Principal,
  { skills, readSkill }: ImportSkillsDeps,
) {
  const newNames: string[] = []
  async function importSkill(skill: ListedSkill) {
    const { name } = skill
    if (!skill.files) return { name, reason: NOT_READ }
    const parsedSkill = parseValue(SKILL, skill)
    const content = parsedSkill.ok ? await readSkill(name, parsedSkill.value.files) : parsedSkill
    if (!content.ok) return { name, reason: formatProblems(content.problems) }
    const publication = await skills().publishSkill({ toolkit, name }, content.value, principal)
    if (!publication.ok) return { name, reason: formatRefusal(publication) }
    if (publication.isNew) newNames.push(name)
    return { name, version: publication.version }
  }
  const reports = []
  for (const skill of listed) reports.push(await importSkill(skill))
  return { reports, added: newNames }
}
