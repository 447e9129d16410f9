import { expect, it } from 'vitest'
import { selectServedTools } from '../../src/compose/bundled.ts'
import { build } from '../fixtures/generated/build.ts'

const isExample = (toolkit: string) => toolkit !== 'Fixture'
const whole = {
  ...build,
  tools: build.tools.map((each) => ({ ...each, tool: { ...each.tool, isDemo: isExample(each.record.toolkit) } })),
}

it('a deployment serves no demo tools and none of their documents unless configured', () => {
  expect(selectServedTools({ servesDemos: true }, whole)).toBe(whole)
  const own = selectServedTools({ servesDemos: false }, whole)
  expect(own.tools).toEqual(whole.tools.filter(({ record }) => !isExample(record.toolkit)))
  expect(own.tools.length).toBeGreaterThan(0)
  expect(whole.documents.length).toBeGreaterThan(0)
  expect(own.documents).toEqual([])
  expect(own.hash).not.toBe(whole.hash)
})
