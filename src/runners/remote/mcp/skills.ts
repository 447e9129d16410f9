import type { Client, RequestOptions } from '@modelcontextprotocol/client'
import type { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { MANIFEST_FILE, MAX_SKILL_BYTES } from '../../../core/skill/skill.ts'
import type { ListedSkill } from '../../../core/tool/remote-dialect.ts'
import { encodeBase64 } from '../../../outbound/base64.ts'

const MAX_SKILLS = 100
/** Of all skills together. Each is a request. */
const MAX_FILES = 500
const TOO_MANY = { reason: `At most ${MAX_FILES} files of a server's skills are read` }

/** The skills that a server lists, with their files where these are as it says. */
export async function readSkills(client: Client, options: RequestOptions): Promise<readonly ListedSkill[]> {
  const module = await import('./client.ts')
  const server = new module.SkillsClient(client, { skipInvalid: true })
  if (!server.supported) return []
  const { skills } = await server.list({}, options).catch(() => ({ skills: [] }))
  const listed: ListedSkill[] = []
  let files = 0
  for (const skill of skills.slice(0, MAX_SKILLS)) {
    const { resources, frontmatter } = skill
    const count = resources === 'dynamic' ? 0 : resources.length
    const isRead = files + count <= MAX_FILES
    if (isRead) files += count
    listed.push({ name: frontmatter.name, ...(isRead ? await readFiles(server, skill, options) : TOO_MANY) })
  }
  return listed
}

type Skill = Awaited<ReturnType<SkillsClient['list']>>['skills'][number]

async function readFiles(server: SkillsClient, skill: Skill, options: RequestOptions) {
  const { uri, resources } = skill
  if (resources === 'dynamic') return { reason: 'Its files are not listed' }
  if (resources.reduce((sum, { size }) => sum + size, 0) > MAX_SKILL_BYTES)
    return { reason: `Its files must be at most ${MAX_SKILL_BYTES} bytes together` }
  const files: Record<string, string | { readonly base64: string }> = {}
  try {
    for (const resource of resources) {
      const { text, bytes } = await server.read(skill, resource.uri, options)
      files[resource.uri.slice(uri.length - MANIFEST_FILE.length)] = text ?? { base64: encodeBase64(bytes) }
    }
    return { files }
  } catch {
    const isLate = options.signal?.aborted
    return { reason: isLate ? 'It was not read in time' : 'Its files cannot be read, or are not what its server lists' }
  }
}
