import type { PageEntry } from './visit.ts'

const OWN = { isPrivate: true, hasForm: true } as const

/** The pages of the console, in the order of the navigation. Each is loaded when somebody opens it. */
export const PAGES: readonly PageEntry[] = [
  page('/', () => import('./catalogue/page.tsx'), { label: 'Tools', scope: 'tools:read' }),
  page('/console/tools/:id', () => import('./tool/page.tsx'), { scope: 'tools:read', hasForm: true }),
  page('/console/calls', () => import('./calls/page.tsx'), { label: 'Calls', isPrivate: true }),
  page('/console/agents', () => import('./person/agents.tsx'), { label: 'Agents', scope: 'tools:call', ...OWN }),
  page('/console/accounts', () => import('./person/accounts.tsx'), { label: 'Accounts', scope: 'tools:call', ...OWN }),
  page('/console/sign-ins', () => import('./person/sign-ins.tsx'), { label: 'Sign-ins', ...OWN }),
  page('/console/import', () => import('./import/page.tsx'), { label: 'Import', scope: 'tools:publish', ...OWN }),
  page('/console/versions', () => import('./versions/page.tsx'), { label: 'Versions', scope: 'tools:publish', ...OWN }),
  page('/console/keys', () => import('./keys/page.tsx'), { label: 'Keys', scope: 'admin', ...OWN }),
  page('/console/providers', () => import('./providers/page.tsx'), { label: 'Providers', scope: 'admin', ...OWN }),
  page('/console/policies', () => import('./policies/page.tsx'), { label: 'Policies', scope: 'admin', ...OWN }),
  page('/console/audit', () => import('./audit/page.tsx'), { label: 'Audit', scope: 'records:read', isPrivate: true }),
]

export const NO_PAGE = page('/console/*', () => import('./no-page.tsx'), {})

function page(path: string, load: PageEntry['load'], about: Omit<PageEntry, 'path' | 'load'>): PageEntry {
  return { path, load, ...about }
}
