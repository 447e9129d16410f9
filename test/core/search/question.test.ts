import { Ajv } from 'ajv'
import { expect, it } from 'vitest'
import { parseImpliedTerms, parseTerms } from '../../../src/core/search/question.ts'
import schema from '../../../src/core/search/thesaurus.schema.json' with { type: 'json' }
import thesaurus from '../../../src/core/search/thesaurus.json' with { type: 'json' }
import { stemWord, splitWords } from '../../../src/core/search/words.ts'

const words = (q: string) => parseTerms(q).map(({ word }) => word)

it.each([
  ['GetEmails', ['get', 'emails']],
  ['send_sms to-all', ['send', 'sms', 'to', 'all']],
  ['getURLInfo', ['get', 'url', 'info']],
  ["the track I'm on, and who’s next", ['the', 'track', 'i', 'on', 'and', 'who', 'next']],
  ['Übung 日本語 v2.0', ['übung', '日本語', 'v2', '0']],
  ['.-"', []],
])('the text %j is split into words', (text, parts) => expect(splitWords(text)).toEqual(parts))

it('the terms of a question are its words without stop words, each once', () => {
  expect(words('what is the song that is playing? the song!')).toEqual(['song', 'playing'])
  expect(words('who is it')).toEqual(['who', 'is', 'it'])
  expect(words('')).toEqual([])
})

it('the terms of a question are at most forty, from the first thousand characters', () => {
  expect(words(Array.from({ length: 100 }, (_, index) => `word${index}`).join(' '))).toHaveLength(40)
  expect(words(`pigeon ${'-'.repeat(993)}telegraph`)).toEqual(['pigeon'])
})

it('the terms of a question contain only letters and numbers, so that none is an operator of FTS5', () => {
  const all = parseTerms('NEAR("pigeon" OR b*) close a pull request').flatMap((term) => [
    ...term.itself,
    ...term.standIns,
  ])
  expect(all).toEqual(expect.arrayContaining(['near', 'pigeon', 'b']))
  expect(all.filter((word) => !/^[\p{L}\p{N} ]+$/u.test(word))).toEqual([])
})

it('the terms of a question include compounds with a neighboring word', () => {
  expect(parseTerms('who is on call')[0]?.itself).toContain(stemWord('oncall'))
  expect(parseTerms('price lists').map(({ itself }) => itself.includes(stemWord('pricelist')))).toEqual([true, true])
})

it('the terms of a question include phrases with synonyms, in any form', () => {
  expect(words('take down my tweet')).toEqual(['take down', 'tweet'])
  expect(words('taking down')).toEqual(['taking down'])
  expect(words('how much does it cost')).toEqual(['how much', 'cost'])
  expect(parseTerms('turn down an applicant')[0]).toMatchObject({
    itself: ['turn down', '0turn 0down'],
    standIns: expect.arrayContaining(['reject']),
  })
})

const standIns = (word: string) => parseTerms(word)[0]?.standIns ?? []

it.each([
  ['songs', 'track'],
  ['bug', 'issu'],
  ['tickets', 'issu'],
  ['showing', 'get'],
  ['look', 'search'],
  ['colleagues', 'user'],
  ['replied', 'answer'],
  ['pr', 'pull request'],
  ['prs', 'pull request'],
])('the synonyms of %s include %s', (word, other) => expect(standIns(word)).toContain(other))

it('the synonyms of colloquial words do not apply in reverse', () => {
  expect(standIns('boss')).toContain('manager')
  expect(standIns('manager')).not.toContain('boss')
})

it('the synonyms of a word never include the word itself', () => {
  for (const word of ['add', 'user', 'issue', 'list', 'email']) expect(standIns(word)).not.toContain(word)
  expect(standIns('constructor')).toEqual(['00constructor'])
})

it('the implied terms of a question are a verb if it has none, and the caller', () => {
  const implied = (q: string) => parseImpliedTerms(q).map(({ word }) => word)
  expect(implied('who follows me')).toEqual(['list', 'myself'])
  expect(implied('where is the file')).toEqual(['get'])
  expect(implied('how do I add my key')).toEqual(['myself'])
  expect(implied('delete a file')).toEqual([])
})

it('the thesaurus matches its schema, which editors find by name', () => {
  expect(thesaurus.$schema).toBe('./thesaurus.schema.json')
  const validate = new Ajv({ allErrors: true }).compile(schema)
  validate(thesaurus)
  expect(validate.errors).toBeNull()
  const wrong = { ...thesaurus, stopWords: ['Two  words'], synonyms: { '': 'no word', remove: 'Off' } }
  validate(wrong)
  expect(validate.errors?.map(({ instancePath }) => instancePath)).toEqual(
    expect.arrayContaining(['/stopWords/0', '/synonyms', '/synonyms/remove']),
  )
})
