import type { Client, RequestOptions } from '@modelcontextprotocol/client'
import type { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { MANIFEST_FILE, type SkillFiles } from '../../../core/skill/skill.ts'
import type { ListedSkill } from '../../../core/tool/remote-dialect.ts'
import { encodeBase64 } from '../../../outbound/base64.ts'

const MAX_SKILLS = 100
/** For all skills of a server. Each file takes a request. */
const MAX_FILES = 500
const MAX_BYTES = 16 * 1024 * 1024

/** Reads the skills that a server lists. A skill has `files` only if they match the listed digests. */
export async function readSkills(client: Client, options: RequestOptions): Promise<readonly ListedSkill[]> {
  const module = await import('./client.ts')
  const server = new module.SkillsClient(client, { skipInvalid: true })
  if (!server.supported) return []
  const { skills } = await server.list({}, options).catch(() => ({ skills: [] }))
  const listedSkills: ListedSkill[] = []
  let [remainingFiles, remainingBytes] = [MAX_FILES, MAX_BYTES]
  for (const skill of skills.slice(0, MAX_SKILLS)) {
    const resources = skill.resources === 'dynamic' ? [] : skill.resources
    const bytes = resources.reduce((sum, { size }) => sum + size, 0)
    const isRead = resources.length <= remainingFiles && bytes <= remainingBytes
    const files = isRead ? await readFiles(server, skill, options).catch(() => undefined) : undefined
    if (isRead) [remainingFiles, remainingBytes] = [remainingFiles - resources.length, remainingBytes - bytes]
    listedSkills.push({ name: skill.frontmatter.name, files })
  }
  return listedSkills
}

type Skill = Awaited<ReturnType<SkillsClient['list']>>['skills'][number]

async function readFiles(server: SkillsClient, skill: Skill, options: RequestOptions) {
  if (skill.resources === 'dynamic') return undefined
  const files: Record<string, SkillFiles[string]> = {}
  for (const { uri } of skill.resources) {
    const { text, bytes } = await server.read(skill, uri, options)
    files[uri.slice(skill.uri.length - MANIFEST_FILE.length)] = text ?? { base64: encodeBase64(bytes) }
  }
  return files
}
