import type { PageEntry } from './page-context.ts'

type Access = Omit<PageEntry, 'path' | 'label' | 'load'>

const READER: Access = { scope: 'tools:read' }
const OWN: Access = { isPrivate: true, hasForm: true }
const CALLER: Access = { scope: 'tools:call', ...OWN }
const PUBLISHER: Access = { scope: 'tools:publish', ...OWN }
const ADMIN: Access = { scope: 'admin', ...OWN }

/** The groups of the sidebar, in order. Each page is loaded when it is opened. */
export const PAGE_GROUPS: Readonly<Record<string, readonly PageEntry[]>> = {
  Tools: [
    page('Catalog', '/', () => import('./catalog/page.tsx'), READER),
    page('Versions', '/console/versions', () => import('./versions/page.tsx'), { ...PUBLISHER, countsPending: true }),
    page('Toolsets', '/console/toolsets', () => import('./toolsets/page.tsx'), PUBLISHER),
    page('Findings', '/console/findings', () => import('./findings/page.tsx'), PUBLISHER),
    page('Connect an agent', '/console/connect', () => import('./connect/page.tsx'), {}),
  ],
  Activity: [
    page('Calls', '/console/calls', () => import('./calls/page.tsx'), { isPrivate: true }),
    page('Usage', '/console/usage', () => import('./usage/page.tsx'), { isPrivate: true }),
    page('Audit log', '/console/audit', () => import('./audit/page.tsx'), { scope: 'records:read', isPrivate: true }),
  ],
  People: [
    page('People', '/console/people', () => import('./person/people.tsx'), ADMIN),
    page('Connected accounts', '/console/accounts', () => import('./person/accounts.tsx'), CALLER),
    page('Agents', '/console/agents', () => import('./person/agents.tsx'), CALLER),
    page('Sessions', '/console/sign-ins', () => import('./person/sign-ins.tsx'), OWN),
  ],
  Settings: [
    page('API keys', '/console/keys', () => import('./keys/page.tsx'), ADMIN),
    page('Providers', '/console/providers', () => import('./providers/page.tsx'), ADMIN),
    page('Policies', '/console/policies', () => import('./policies/page.tsx'), ADMIN),
    page('Import', '/console/import', () => import('./import/page.tsx'), { ...PUBLISHER, takesFile: true }),
    page('Setup', '/console/setup', () => import('./setup/page.tsx'), { scope: 'admin', isPrivate: true }),
  ],
}

const TOOL = page('Catalog', '/console/tools/:id', () => import('./tool/page.tsx'), { ...READER, hasForm: true })

const TOOLSET = page('Toolsets', '/console/toolsets/:name', () => import('./toolsets/toolset.tsx'), PUBLISHER)

const SKILL = page('Catalog', '/console/skills/:toolkit/:name', () => import('./catalog/skill.tsx'), READER)

const CALL = page('Calls', '/console/calls/:id', () => import('./calls/call.tsx'), { isPrivate: true })

export const PAGES: readonly PageEntry[] = [...Object.values(PAGE_GROUPS).flat(), TOOL, TOOLSET, SKILL, CALL]

export const NO_PAGE = page('', '/console/*', () => import('./no-page.tsx'), {})

function page(label: string, path: string, load: PageEntry['load'], access: Access): PageEntry {
  return { label, path, load, ...access }
}
