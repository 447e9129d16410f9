import type { View } from './page.ts'
import { Notice } from './parts.tsx'

export async function show(): Promise<View> {
  return {
    title: 'Nothing here',
    status: 404,
    content: (
      <Notice isProblem>
        <p>There is no page at this address.</p>
        <p>
          <a href="/">All tools</a>
        </p>
      </Notice>
    ),
  }
}
