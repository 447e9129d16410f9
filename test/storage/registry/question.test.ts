import { describe, expect, it } from 'vitest'
import { termsOf } from '../../../src/storage/registry/question.ts'
import { isStopWord, synonymsOf } from '../../../src/storage/registry/synonyms.ts'
import { wordsOf } from '../../../src/storage/registry/words.ts'

const words = (q: string) => termsOf(q).map(({ word }) => word)

describe('the words of a text', () => {
  it.each([
    ['GetEmails', ['get', 'emails']],
    ['send_sms to-all', ['send', 'sms', 'to', 'all']],
    ['getURLInfo', ['get', 'url', 'info']],
    ["the track I'm on, and who’s next", ['the', 'track', 'i', 'on', 'and', 'who', 'next']],
    ['Übung 日本語 v2.0', ['übung', '日本語', 'v2', '0']],
    ['.-"', []],
  ])('of %j', (text, parts) => expect(wordsOf(text)).toEqual(parts))
})

describe('the terms of a question', () => {
  it('are its words but for those that say nothing, each once', () => {
    expect(words('what is the song that is playing? the song!')).toEqual(['song', 'playing'])
    expect(words('who am I')).toEqual(['who', 'am', 'i'])
    expect(words('')).toEqual([])
  })

  it('are twelve at most, of the first thousand characters', () => {
    expect(words(Array.from({ length: 100 }, (_, index) => `word${index}`).join(' '))).toHaveLength(12)
    expect(words(`pigeon ${'-'.repeat(993)}telegraph`)).toEqual(['pigeon'])
  })

  it('are quoted, so that none is an operator of FTS5', () => {
    expect(termsOf('NEAR("pigeon" OR b*)').map(({ itself }) => itself)).toEqual(['"near"', '"pigeon"', '"b"'])
    const operators = termsOf('near pigeon').map(({ match }) => match.replaceAll(/"[^"]*"| OR /g, ''))
    expect(operators).toEqual(['', ''])
  })

  it('stand for what is written as one word with a neighbour too', () => {
    expect(termsOf('who is on call')[0]?.match.split(' OR ')).toContain('"oncall"')
  })

  it('may be the beginning of a longer word, from four letters on', () => {
    expect(termsOf('lett')[0]?.beginning).toBe('"lett"*')
    expect(termsOf('let me eat')[0]).not.toHaveProperty('beginning')
  })
})

describe('what stands for a word', () => {
  it.each([
    ['songs', 'track'],
    ['bug', 'issue'],
    ['tickets', 'issue'],
    ['showing', 'get'],
    ['look', 'search'],
    ['colleagues', 'user'],
    ['replied', 'answer'],
    ['pr', 'pull request'],
  ])('%s: %s', (word, other) => expect(synonymsOf(word, false)).toContain(other))

  it('is another for a verb at the beginning than for a thing', () => {
    expect(synonymsOf('file', true)).toContain('create')
    expect(synonymsOf('file', false)).not.toContain('create')
  })

  it('is never the word itself, nor one that says nothing', () => {
    for (const word of ['add', 'user', 'issue', 'list', 'email']) expect(synonymsOf(word, true)).not.toContain(word)
    expect(synonymsOf('constructor', true)).toEqual([])
    expect(['get', 'create', 'call'].filter(isStopWord)).toEqual([])
  })
})
