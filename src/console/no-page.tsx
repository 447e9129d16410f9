import type { View } from './page-context.ts'
import { CATALOG_LINK, Notice } from './parts.tsx'

export async function show(): Promise<View> {
  return {
    title: 'Not found',
    status: 404,
    content: (
      <Notice isProblem>
        <p>There is no page at this address.</p>
        {CATALOG_LINK}
      </Notice>
    ),
  }
}
