import { expect, it } from 'vitest'
import { effortOf, MOST_EFFORT } from '../../effort.ts'
import { joinStems, stemWord, stemText } from '../../../src/core/search/words.ts'

it.each([
  ['songs', 'song'],
  ['searches', 'search'],
  ['statuses', 'status'],
  ['companies', 'company'],
  ['replied', 'reply'],
  ['ties', 'tie'],
  ['creating', 'create'],
  ['created', 'creates'],
  ['cancelled', 'cancel'],
  ['planned', 'plan'],
  ['calling', 'call'],
  ['databases', 'database'],
  ['meetings', 'meeting'],
])('the stem of %s is that of %s', (one, other) => expect(stemWord(one)).toBe(stemWord(other)))

it.each([
  ['news', 'new'],
  ['directions', 'direct'],
  ['important', 'import'],
  ['generate', 'general'],
  ['status', 'statu'],
  ['string', 'str'],
  ['need', 'ne'],
  ['address', 'addres'],
])('the stem of %s is not that of %s', (one, other) => expect(stemWord(one)).not.toBe(stemWord(other)))

it.each([
  ['followers', 'follow'],
  ['invitations', 'invit'],
  ['approval', 'approv'],
  ['deployment', 'deploy'],
  ['assignees', 'assign'],
  ['deletion', 'delet'],
])('stems are followed by roots: %s by %s', (word, root) =>
  expect(joinStems(['many', word])).toBe(`many ${stemWord(word)} 00${root}`),
)

it.each(['user', 'order', 'station', 'total', 'error'])(
  'stems are followed by no root if little is left of the word: %s',
  (word) => expect(joinStems([word])).toBe(word),
)

it('the stem of a word is the word itself if it is short, or in another script', () => {
  for (const word of ['is', 'as', 'pdf', '日本語', 'übung']) expect(stemWord(word)).toBe(word)
})

it('the stems of a text replace each of its words', () => {
  expect(stemText('Lists the meetings, and "pull requests"')).toBe('list the meet and pull request')
})

it.each(['', 'ing', 'eed', 'ies'])(
  'the stem of a word is found in time linear in its length: for vowels only, and %j',
  (ending) => {
    expect(effortOf(() => stemWord('a'.repeat(50_000) + ending))).toBeLessThan(MOST_EFFORT)
  },
)
