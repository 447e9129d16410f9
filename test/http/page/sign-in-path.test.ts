import { expect, it } from 'vitest'
import { signInPath } from '../../../src/http/page/sign-in-path.ts'

const ORIGIN = 'https://sb.example'
const ASCII = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join('')

it.each(['/', '/sessions', `/x?a=${ASCII}&b=%26%3D%2B%25#`, '/connect/authorize?state=a%2Bb&scope=x+y&x=%E2%82%AC'])(
  'restores %s unchanged',
  (back) => {
    for (const isAgain of [false, true]) {
      const { pathname, searchParams } = new URL(signInPath(back, isAgain), ORIGIN)
      expect([pathname, searchParams.get('return')]).toEqual(['/sign-in', back])
      expect(searchParams.get('again')).toBe(isAgain ? '1' : null)
      expect([...searchParams.keys()]).toHaveLength(isAgain ? 2 : 1)
    }
  },
)

it('is short without a return path', () => {
  expect(signInPath(undefined)).toBe('/sign-in')
  expect(signInPath(undefined, true)).toBe('/sign-in?again=1')
})

it('is hardly longer than the return path', () => {
  const back = `/connect/authorize?client_id=https://claude.ai/oauth/client&state=${'x'.repeat(4_096)}`
  expect(signInPath(back).length).toBeLessThan(back.length + 30)
})
