import type { PageEntry } from './page.ts'

/** The pages of the console, in the order of the navigation. Each is loaded when somebody opens it. */
export const PAGES: readonly PageEntry[] = [
  { path: '/', label: 'Tools', scope: 'tools:read', load: () => import('./catalogue/page.tsx') },
  { path: '/console/tools/:id', scope: 'tools:read', load: () => import('./tool/page.tsx') },
]
