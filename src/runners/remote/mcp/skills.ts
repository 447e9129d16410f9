import type { Client, RequestOptions } from '@modelcontextprotocol/client'
import { MANIFEST_FILE, MAX_SKILL_BYTES } from '../../../core/skill/skill.ts'
import type { ServerList } from '../../../core/tool/remote-dialect.ts'
import { encodeBase64 } from '../../../outbound/base64.ts'

const MAX_SKILLS = 100

/** The skills that a server lists, with the files whose digests are as it says. The others are left out. */
export async function readSkills(client: Client, options: RequestOptions): Promise<NonNullable<ServerList['skills']>> {
  const { SkillsClient } = await import('./client.ts')
  const server = new SkillsClient(client, { skipInvalid: true })
  if (!server.supported) return []
  const { skills } = await server.list({}, options).catch(() => ({ skills: [] }))
  const found = []
  for (const skill of skills.slice(0, MAX_SKILLS)) {
    const { uri, resources, frontmatter } = skill
    if (resources === 'dynamic' || resources.reduce((sum, { size }) => sum + size, 0) > MAX_SKILL_BYTES) continue
    const files: Record<string, string | { readonly base64: string }> = {}
    try {
      for (const resource of resources) {
        const { text, bytes } = await server.read(skill, resource.uri, options)
        files[resource.uri.slice(uri.length - MANIFEST_FILE.length)] = text ?? { base64: encodeBase64(bytes) }
      }
      found.push({ name: frontmatter.name, files })
    } catch {
      continue
    }
  }
  return found
}
