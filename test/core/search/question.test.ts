import { describe, expect, it } from 'vitest'
import { termsOf } from '../../../src/core/search/question.ts'
import { isStopWord, phraseAt, standInsOf } from '../../../src/core/search/synonyms.ts'
import { wordsOf } from '../../../src/core/search/words.ts'

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
    expect(words('who is it')).toEqual(['who', 'is', 'it'])
    expect(words('')).toEqual([])
  })

  it('are twelve at most, of the first thousand characters', () => {
    expect(words(Array.from({ length: 100 }, (_, index) => `word${index}`).join(' '))).toHaveLength(12)
    expect(words(`pigeon ${'-'.repeat(993)}telegraph`)).toEqual(['pigeon'])
  })

  it('are quoted, so that none is an operator of FTS5', () => {
    const names = termsOf('NEAR("pigeon" OR b*) close a pull request').flatMap((term) => term.names)
    expect(names.map(({ match }) => match)).toEqual(expect.arrayContaining(['"near"', '"pigeon"', '"b"']))
    for (const { match } of names) expect(match.replaceAll(/"[\p{L}\p{N} ]+"/gu, '').replaceAll(' OR ', '')).toBe('')
  })

  it('stand for what is written as one word with a neighbour too, for no more than the word where that is a term', () => {
    const oncall = termsOf('who is on call')[0]?.names.find(({ match }) => match === '"oncall"')
    expect(oncall).toMatchObject({ isItself: true, isShared: false })
    const both = termsOf('price lists').map(({ names }) => names.find(({ match }) => match === '"pricelist"'))
    expect(both).toMatchObject([{ isShared: true }, { isShared: true }])
  })

  it('are several words where those are one, in any form of the first', () => {
    expect(words('take down my tweet')).toEqual(['take down', 'tweet'])
    expect(words('taking down')).toEqual(['taking down'])
    expect(words('how much does it cost')).toEqual(['how much', 'cost'])
    expect(phraseAt(['turn', 'down', 'an', 'offer'])).toEqual({ phrase: 'turn down', length: 2 })
    expect(phraseAt(['turn'])).toBeUndefined()
    const [first] = termsOf('turn down an applicant')
    expect(first?.names.map(({ match, isItself }) => [match, isItself])).toEqual(
      expect.arrayContaining([
        ['"turn down"', true],
        ['"reject"', false],
      ]),
    )
  })

  it('say little where they are days, numbers or what is done, and where they are names', () => {
    const saying = (q: string) =>
      termsOf(q).flatMap(({ word, isLoose, isAction, isOwnName }) => (isLoose || isAction || isOwnName ? [] : [word]))
    expect(saying('send invoice 4711 to Anna Smith tomorrow')).toEqual(['invoice'])
    // Every sentence begins with a capital
    expect(saying('Invoices are wanted. Customers wait')).toEqual(['invoices', 'customers', 'wait'])
    expect(saying('an invoice of Acme, Ølstad')).toEqual(['invoice'])
  })

  it('say what is done beside the thing, where a verb of that word begins a question', () => {
    const implied = (q: string) => termsOf(q).flatMap(({ names }) => (names[0]?.isAction ? [names[0].match] : []))
    expect(implied('file a bug')).toEqual(['"creat" OR "add"'])
    expect(implied('please bill them')).toEqual(['"creat"'])
    for (const q of ['my file', 'who is on call', 'send a file', 'constructor']) expect(implied(q)).toEqual([])
  })

  it.each([
    ['who is ann@example.com', 'email'],
    ['read https://example.com/a', 'url'],
    ['the way from 52.52, 13.40 to the lake', 'coordinates'],
    ['who is +49 30 1234567', 'phone'],
  ])('are what %j has written in it', (q, word) => {
    expect(termsOf(q).find((term) => term.isImplied)).toMatchObject({ word, isLoose: true })
    expect(words(`the ${word} of ${q}`).filter((each) => each === word)).toHaveLength(1)
  })

  it('may be the beginning of a longer word, from four letters on', () => {
    expect(termsOf('lett')[0]?.beginning?.match).toBe('"lett"*')
    expect(termsOf('tea')[0]).not.toHaveProperty('beginning')
  })
})

const standIns = (word: string) => Object.values(standInsOf(word)).flat()

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
    ['prs', 'pull request'],
    ['turn down', 'reject'],
  ])('%s: %s', (word, other) => expect(standIns(word)).toContain(other))

  it('is for what is done apart from things, since all such words are as good as one', () => {
    expect(standInsOf('show').actions).toEqual(expect.arrayContaining(['get', 'list']))
    expect(standInsOf('invoice')).toEqual({ actions: [], things: ['bill'] })
  })

  it('is not the other way round for what people say', () => {
    expect(standIns('boss')).toContain('manager')
    expect(standIns('manager')).not.toContain('boss')
  })

  it('is never the word itself, nor one that says nothing', () => {
    for (const word of ['add', 'user', 'issue', 'list', 'email']) expect(standIns(word)).not.toContain(word)
    expect(standIns('constructor')).toEqual([])
    expect(['get', 'create', 'call'].filter(isStopWord)).toEqual([])
  })
})
