import type { PageEntry } from './visit.ts'

const OWN = { isPrivate: true, hasForm: true } as const

/** The pages of the console, in the order of the navigation. Each is loaded when somebody opens it. */
export const PAGES: readonly PageEntry[] = [
  { path: '/', label: 'Tools', scope: 'tools:read', load: () => import('./catalogue/page.tsx') },
  { path: '/console/tools/:id', scope: 'tools:read', hasForm: true, load: () => import('./tool/page.tsx') },
  { path: '/console/calls', label: 'Calls', isPrivate: true, load: () => import('./calls/page.tsx') },
  { path: '/console/agents', label: 'Agents', scope: 'tools:call', ...OWN, load: () => import('./person/agents.tsx') },
  {
    path: '/console/accounts',
    label: 'Accounts',
    scope: 'tools:call',
    ...OWN,
    load: () => import('./person/accounts.tsx'),
  },
  { path: '/console/sign-ins', label: 'Sign-ins', ...OWN, load: () => import('./person/sign-ins.tsx') },
  { path: '/console/import', label: 'Import', scope: 'tools:publish', ...OWN, load: () => import('./import/page.tsx') },
  {
    path: '/console/versions',
    label: 'Versions',
    scope: 'tools:publish',
    ...OWN,
    load: () => import('./versions/page.tsx'),
  },
  { path: '/console/keys', label: 'Keys', scope: 'admin', ...OWN, load: () => import('./keys/page.tsx') },
  {
    path: '/console/providers',
    label: 'Providers',
    scope: 'admin',
    ...OWN,
    load: () => import('./providers/page.tsx'),
  },
  { path: '/console/policies', label: 'Policies', scope: 'admin', ...OWN, load: () => import('./policies/page.tsx') },
  {
    path: '/console/audit',
    label: 'Audit',
    scope: 'records:read',
    isPrivate: true,
    load: () => import('./audit/page.tsx'),
  },
]

export const NO_PAGE: PageEntry = { path: '/console/*', load: () => import('./no-page.tsx') }
