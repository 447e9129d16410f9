import { expect, it } from 'vitest'
import { decodeDataUrl, parseIconImage } from '../../src/outbound/picture.ts'

const latin = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>'

it.each([
  ['image/png', '\x89PNG\r\n\x1a\n…'],
  ['image/jpeg', '\xff\xd8\xff\xe0'],
  ['image/webp', 'RIFF\x01\x02\x03\x04WEBPVP8 '],
  ['image/svg+xml', SVG],
  ['image/svg+xml', `\xef\xbb\xbf\n<?xml version="1.0"?>\n<!-- a > b --><!-- c -->\n${SVG}`],
  ['image/svg+xml', `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg11.dtd">${SVG}`],
])('a picture is recognized as %s by its first bytes', (type, text) => {
  const bytes = latin(text)
  expect(parseIconImage(bytes)).toEqual({ type, bytes })
})

it.each([
  '',
  'x',
  '<!doctype html><svg>',
  `<html>${SVG}</html>`,
  `<!-- ${SVG}`,
  '<svgx/>',
  `<!DOCTYPE svg [<!ENTITY a "aaaa">]>${SVG}`,
  ` ${'x'.repeat(5_000)}${SVG}`,
  'GIF89a',
  'RIFF\x01\x02\x03\x04WAVE',
  '%PDF-1.7',
  '\x89PNG\n',
  `${'<!--'.repeat(1_000)}`,
])('a picture cannot begin with %j', (text) => {
  expect(parseIconImage(latin(text))).toBeUndefined()
})

it('a picture cannot be empty', () => expect(parseIconImage(undefined)).toBeUndefined())

it.each([
  ['data:,', ''],
  ['data:image/png;base64,iVBORw0KGgo=', '\x89PNG\r\n\x1a\n'],
  ['DATA:image/png;x=y;BASE64,iVBORw0KGgo%3D', '\x89PNG\r\n\x1a\n'],
  ['data:image/png,%89PNG%0D%0A%1a%0A', '\x89PNG\r\n\x1a\n'],
  ['data:image/svg+xml;utf8,<svg>é%C3%A9,%</svg>', '<svg>\xc3\xa9\xc3\xa9,%</svg>'],
])('the data URL %s is decoded', (url, text) => {
  expect(decodeDataUrl(url)).toEqual(latin(text))
})

it.each(['data:image/png;base64', 'data:image/png;base64,*', 'https://a.example/,x'])(
  'the data URL %s is rejected',
  (url) => {
    expect(decodeDataUrl(url)).toBeUndefined()
  },
)
