import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { keyPage, refusedSignInPage, signedInPage, signedOutPage } from '../../src/sign-in/pages.tsx'
import { page } from '../../src/http/page/page.ts'
import { faceWith, listed } from '../connect/face.ts'
import { setUp } from '../api/authorizations/set-up.ts'
import { clausesIn, glossary, labelsOf, phrasesIn, unknownLabels } from './labels.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = execFileSync('git', ['ls-files', 'src', 'tools', 'README.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => /\.(?:tsx?|md)$|\/words\.json$/.test(path) && !/^src\/(?!docs\/).*\.md$|\.test\.ts$/.test(path))

/** Returns the words without comments, which are for readers of the source. */
function wordsOf(path: string): string {
  const text = readFileSync(`${root}/${path}`, 'utf8')
  return path.endsWith('.md') ? text : text.replaceAll(/^\s*(?:\/\*\*|\*|\/\/).*$/gm, '')
}

it.each(files)('the glossary has no banned phrase in %s', (path) => {
  expect(phrasesIn(wordsOf(path))).toEqual([])
})

it.each(files.filter((path) => path.startsWith('src/docs/') && path.endsWith('.md')))(
  'the glossary allows the headings of %s, which name things and tasks',
  (path) => expect(clausesIn(wordsOf(path))).toEqual([]),
)

it('the glossary is checked in all files, and unknown words are found', () => {
  expect(files.length).toBeGreaterThan(400)
  const html =
    '<h2 id="a">What it <b>gives</b></h2><label>Users <span class="note">x</span><input></label><th>At most</th>'
  expect(labelsOf(html)).toEqual(['What it gives', 'Users', 'At most'])
  expect(unknownLabels(html)).toEqual(['What it gives', 'At most'])
  expect(labelsOf('<summary aria-label="x">What came</summary><summary><h2>Input</h2></summary>')).toEqual([
    'What came',
    'Input',
  ])
  expect(clausesIn('# Errors\n```sh\n# What is run\n```\n## What goes wrong\n')).toEqual(['What goes wrong'])
  expect(phrasesIn('See what\n came of it')).toEqual(["'what came of it': write 'Result'"])
})

it('the glossary has no word twice', () => {
  const words = [...Object.keys(glossary.terms), ...glossary.labels]
  expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([])
})

const { get, post } = setUp()
const START = '/authorizations/auth_1/start'
const catalog = listed([
  ['Mail', 'Send'],
  ['Notes', 'Write'],
])

it.each<[string, () => Response | Promise<Response>]>([
  ['an agent that asks', () => faceWith({ catalog }).ask()],
  ['an agent that is allowed nothing', () => faceWith({ catalog }).post('/connect/authorize', { decision: 'allow' })],
  ['consent', () => get(START)],
  ['consent that is refused', () => post(START, { decision: 'refuse' })],
  ['an unknown link', () => get('/authorizations/nothing/start')],
  ['a call without a user', () => get('/authorizations/google/start')],
  ['signing in with a key', () => page(keyPage(undefined, 'x'))],
  ['signed in', () => page(signedInPage('ann'))],
  ['signed out', () => page(signedOutPage())],
  ['not signed in', () => page(refusedSignInPage(403, 'x', undefined))],
])(
  'the pages of consent, approval and sign-in of %s use only headings, labels and buttons in the glossary',
  async (_, open) => {
    const html = await (await open()).text()
    expect(unknownLabels(html)).toEqual([])
    expect(phrasesIn(html)).toEqual([])
  },
)

it('the pages of consent, approval and sign-in of an approval use them too, next to the names of arguments', async () => {
  const html = await (await get('/authorizations/auth_2/start')).text()
  expect(unknownLabels(html)).toEqual(['to', 'cents'])
  expect(phrasesIn(html)).toEqual([])
})
