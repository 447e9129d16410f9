import { expect, it } from 'vitest'
import { AppFrame } from '../../../src/console/tool/app.tsx'
import type { Json } from '../../../src/core/tool/json.ts'

/** The attribute that the frame's page is told of. */
function resultOf(value: Json): string {
  const reply = { status: 200, value: { result: { success: true, duration: 1, value } } }
  const frame = AppFrame({ path: '/page', title: 'T', toolkit: 'T', call: { input: {}, problems: [], reply } })
  return String(frame).replaceAll('&quot;', '"')
}

it('passes structured content to a page only for objects', () => {
  expect(resultOf({ a: 1 })).toContain('"structuredContent":{"a":1}')
  for (const value of [[1], null, 'text', 1]) {
    expect(resultOf(value)).toContain('"content":[')
    expect(resultOf(value)).not.toContain('structuredContent')
  }
})
