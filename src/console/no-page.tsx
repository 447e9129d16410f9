import type { View } from './visit.ts'
import { TO_CATALOG, Notice } from './parts.tsx'

export async function show(): Promise<View> {
  return {
    title: 'Not found',
    status: 404,
    content: (
      <Notice isProblem>
        <p>There is no page at this address.</p>
        {TO_CATALOG}
      </Notice>
    ),
  }
}
