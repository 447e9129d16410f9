import type { SkillStore } from '../../../../core/skill/skill.ts'
import type { McpExtension } from '../extension.ts'

/** Skills (SEP-2640). Clients need not declare the extension: those of the official SDK do not. */
export function registerSkills(extensions: McpExtension[], skills: () => SkillStore): void {
  const load = () => import('./methods.ts')
  extensions.push({ id: 'io.modelcontextprotocol/skills' })
  extensions.push({
    methods: {
      'skills/list': async (...request) => (await load()).handleSkillsList(skills(), ...request),
      'skills/get': async (...request) => (await load()).handleSkillsGet(skills(), ...request),
    },
    resources: {
      scheme: 'skill:',
      read: async (...request) => (await load()).readSkillResource(skills(), ...request),
      list: async (list, exchange) =>
        list === 'resources' ? (await load()).listSkillResources(skills(), exchange) : [],
    },
  })
}
