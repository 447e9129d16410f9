import { expect, it } from 'vitest'
import type { Json } from '../../../src/core/tool/json.ts'
import { getAppearance, iconSource } from '../../../src/core/tool/appearance.ts'

const PNG = { src: 'https://a.example/i.png', mimeType: 'image/png' }
const DARK = { ...PNG, src: 'https://a.example/dark.png', theme: 'dark' }

it.each<[string, Json | undefined, string | undefined]>([
  ['none', undefined, undefined],
  ['an empty list', [], undefined],
  ['one', [PNG], PNG.src],
  ['one of no type', [{ src: 'data:,' }], 'data:,'],
  ['one for a theme', [DARK], DARK.src],
  ['one for a theme, and one for both', [DARK, PNG], PNG.src],
  ['one of a type that is not shown', [{ src: 'https://a.example/i.ico', mimeType: 'image/x-icon' }, PNG], PNG.src],
  ['a drawing', [{ src: 'https://a.example/i', mimeType: 'image/svg+xml; charset=utf-8' }], 'https://a.example/i'],
  ['no list', { src: 'https://a.example/i.png' }, undefined],
  ['what is none', [7, null, {}, { src: 7 }], undefined],
])('shows an icon of %s', (_, icons, source) => {
  expect(iconSource(icons === undefined ? {} : { icons })).toBe(source)
})

it('has a title and an icon at a URL of the deployment, if there are any', () => {
  expect(getAppearance({ id: 'A.B@1.0.0+x' })).toEqual({})
  expect(getAppearance({ id: 'A.B@1.0.0+x', annotations: { title: 'T' }, icons: [PNG] })).toEqual({
    title: 'T',
    icon: '/tools/A.B%401.0.0%2Bx/icon',
  })
})
