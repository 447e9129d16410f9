import type { PageEntry } from './page.ts'

/** The pages of the console, in the order of the navigation. Each is loaded when somebody opens it. */
export const PAGES: readonly PageEntry[] = [
  { path: '/', label: 'Tools', scope: 'tools:read', load: () => import('./catalogue/page.tsx') },
  { path: '/console/tools/:id', scope: 'tools:read', hasForm: true, load: () => import('./tool/page.tsx') },
  { path: '/console/calls', label: 'Calls', isPrivate: true, load: () => import('./calls/page.tsx') },
  {
    path: '/console/import',
    label: 'Import',
    scope: 'tools:publish',
    isPrivate: true,
    hasForm: true,
    load: () => import('./import/page.tsx'),
  },
  {
    path: '/console/keys',
    label: 'Keys',
    scope: 'admin',
    isPrivate: true,
    hasForm: true,
    load: () => import('./keys/page.tsx'),
  },
  {
    path: '/console/providers',
    label: 'Providers',
    scope: 'admin',
    isPrivate: true,
    hasForm: true,
    load: () => import('./providers/page.tsx'),
  },
  {
    path: '/console/audit',
    label: 'Audit',
    scope: 'records:read',
    isPrivate: true,
    load: () => import('./audit/page.tsx'),
  },
]
