import { describe, expect, it, vi } from 'vitest'
import type { ListQuery } from '../../../../src/core/catalog/catalog.ts'
import type { Principal } from '../../../../src/core/access/principal.ts'
import type { RegistryObject } from '../../../../src/storage/registry/registry-object.ts'
import {
  ADMIN,
  documentPublication,
  type Harness,
  inRegistry,
  publication,
  publications,
  rowsOf,
  stopClock,
} from '../set-up.ts'

stopClock()

const publish = async ({ registry }: Harness, ...ids: readonly string[]) =>
  registry.publish(await Promise.all(ids.map((id) => publication(id))), ADMIN)

const near = async (registry: RegistryObject, toolkit: string, tool: string) => {
  const answer = await registry.loadEntryOrNearest({ toolkit, tool })
  if (typeof answer === 'string') throw new Error(`Wanted no such tool, got ${answer}`)
  return answer.map(({ id }) => id)
}

const found = async (registry: RegistryObject, q: string) =>
  (await registry.query({ q, versions: 'newest', limit: 50 }, ADMIN))?.found.map(
    ({ record }): string => JSON.parse(record).id,
  )

describe('the suggestions for an unknown name', () => {
  it('differ in few letters, ignoring case, or are the same tool in another toolkit, the nearest first', () =>
    inRegistry(async (harness) => {
      await publish(harness, 'Mail.SendAll@1.0.0', 'Sms.Send@1.0.0', 'Mail.Sent@1.0.0', 'Weather.Forecast@1.0.0')
      const { registry } = harness
      expect(await near(registry, 'MAIL', 'sendal')).toEqual(['Mail.SendAll', 'Mail.Sent'])
      expect((await near(registry, 'Fax', 'Send'))[0]).toBe('Sms.Send')
      expect(await near(registry, 'Quite', 'Another')).toEqual([])
    }))

  it('are at most 20', () =>
    inRegistry(async (harness) => {
      await publish(harness, ...Array.from({ length: 30 }, (_, n) => `Kit${n}.Send@1.0.0`))
      expect(await near(harness.registry, 'Kit', 'Send')).toHaveLength(20)
    }))

  it('are also found in a large registry, in a limited number of rows', { timeout: 120_000 }, () =>
    inRegistry(async (harness) => {
      const { registry, sql } = harness
      const costs: number[] = []
      for (const [from, to] of [
        [0, 2_100],
        [2_100, 3_000],
      ] as const) {
        const ids = Array.from({ length: to - from }, (_, n) => `Kit${(from + n) % 50}.SendThing${from + n}@1.0.0`)
        await publish(harness, ...ids)
        const work = async () => void (await near(registry, 'Kit7', 'SendTing2057'))
        costs.push(await rowsOf(sql, work))
      }
      await publish(harness, 'Mail.SendAll@1.0.0', 'Sms.Send@1.0.0')
      expect((await near(registry, 'Kit7', 'SendTing2057'))[0]).toBe('Kit7.SendThing2057')
      expect(await near(registry, 'MAIL', 'sendal')).toEqual(['Mail.SendAll'])
      expect((await near(registry, 'Male', 'SendAll'))[0]).toBe('Mail.SendAll')
      expect((await near(registry, 'Fax', 'Send'))[0]).toBe('Sms.Send')
      expect(await near(registry, 'Quite', 'Another')).toEqual([])
      expect(Math.max(...costs)).toBeLessThan(4_000)
    }),
  )

  it('are looked up at most a hundred times per second', () =>
    inRegistry(async (harness) => {
      const { registry } = harness
      await publish(harness, 'Mail.Send@1.0.0')
      const asked = Array.from({ length: 300 }, () => near(registry, 'Mail', 'Sent'))
      const answers = (await Promise.all(asked)).map(({ length }) => length)
      expect(answers.filter((found) => found === 1)).toHaveLength(100)
      vi.setSystemTime(Date.now() + 1_000)
      expect(await near(registry, 'Mail', 'Sent')).toEqual(['Mail.Send'])
    }))

  it.each(['disabled', 'yanked', 'deprecated'] as const)('leave out a tool that is %s', (state) =>
    inRegistry(async (harness) => {
      const { registry } = harness
      await publish(harness, 'Mail.Send@1.0.0', 'Mail.Sent@1.0.0')
      expect(await near(registry, 'Mail', 'Sens')).toEqual(['Mail.Send', 'Mail.Sent'])
      await registry.change({ toolkit: 'mail', tool: 'send' }, '1.0.0', { status: { state } }, ADMIN)
      expect(await near(registry, 'Mail', 'Sens')).toEqual(['Mail.Sent'])
      await registry.change({ toolkit: 'mail', tool: 'send' }, '1.0.0', { status: { state: 'active' } }, ADMIN)
      expect(await near(registry, 'Mail', 'Sens')).toEqual(['Mail.Send', 'Mail.Sent'])
    }),
  )

  it('leave out a tool that is no longer bundled', () =>
    inRegistry(async ({ registry }) => {
      const { records } = await publication('Mail.Send@1.0.0')
      await registry.installBundle('1', 1, records)
      expect(await near(registry, 'Mail', 'Sens')).toEqual(['Mail.Send'])
      await registry.installBundle('2', 2, [])
      expect(await near(registry, 'Mail', 'Sens')).toEqual([])
    }))
})

describe('a search', () => {
  it('finds words of names, toolkits, descriptions and tags, and their prefixes', () =>
    inRegistry(async ({ registry }) => {
      await registry.publish(
        [
          await publication('Mail.GetLetters@1.0.0', { description: 'Reads what was posted' }, { tags: ['inbox'] }),
          await publication('Weather.Forecast@1.0.0', { description: 'Rain or shine' }),
        ],
        ADMIN,
      )
      for (const q of ['letters', 'lett', 'get_letters', 'GETLETTERS', 'mail', 'posted', 'inbox', 'rainbow inbox']) {
        expect(await found(registry, q)).toEqual(['Mail.GetLetters@1.0.0'])
      }
      for (const q of ['nothing', '', '"*', 'ox']) expect(await found(registry, q)).toEqual([])
    }))

  it('ranks the tool with exactly that name first, ignoring case and separators', () =>
    inRegistry(async ({ registry }) => {
      await registry.publish(
        [
          await publication('A.SendMessageToAll@1.0.0', { description: 'send message send message send message' }),
          await publication('B.SendMessage@1.0.0', { description: 'Delivers' }),
        ],
        ADMIN,
      )
      for (const q of ['sendmessage', 'Send-Message', 'b.send message', 'B_SendMessage']) {
        expect((await found(registry, q))?.[0]).toBe('B.SendMessage@1.0.0')
      }
    }))

  it('finds a tool by its listed version only, and none that is not listed', () =>
    inRegistry(async ({ registry }) => {
      await registry.publish(
        [
          await publication('Mail.Send@1.0.0', { description: 'pigeons' }),
          await publication('Mail.Send@2.0.0', { description: 'telegraphs' }),
        ],
        ADMIN,
      )
      expect(await found(registry, 'pigeons')).toEqual([])
      expect(await found(registry, 'telegraphs')).toEqual(['Mail.Send@2.0.0'])
      await registry.change({ toolkit: 'mail', tool: 'send' }, '2.0.0', { status: { state: 'disabled' } }, ADMIN)
      expect(await found(registry, 'pigeons')).toEqual(['Mail.Send@1.0.0'])
      expect(await found(registry, 'telegraphs')).toEqual([])
      await registry.change({ toolkit: 'mail', tool: 'send' }, '1.0.0', { status: { state: 'disabled' } }, ADMIN)
      expect(await found(registry, 'pigeons')).toEqual([])
    }))
})

async function ask(registry: RegistryObject, q: string, more: Partial<ListQuery> = {}, principal: Principal = ADMIN) {
  const query: ListQuery = { q, versions: 'newest', limit: 50, ...more }
  const { found = [], ...answer } = (await registry.query(query, principal)) ?? {}
  return { ...answer, found: found.map(({ record }): string => JSON.parse(record).id.split('@')[0]) }
}
const of = (...tools: readonly string[]): Principal => ({ ...ADMIN, kind: 'key', scopes: ['tools:read'], tools })

describe('the ranking of a search', () => {
  it('puts tools that cover more of the query first, however often others repeat a part of it', () =>
    inRegistry(async ({ registry }) => {
      await registry.publish(
        [
          await publication('Mail.Forward@1.0.0', { description: 'Passes an email on to the archive' }),
          await publication('Mail.Archive@1.0.0', { description: 'Email, email and email: archives email' }),
          await publication('Kit.Fold@1.0.0', { description: 'Folds paper' }),
        ],
        ADMIN,
      )
      expect((await ask(registry, 'forward an email to the archive')).found).toEqual(['Mail.Forward', 'Mail.Archive'])
    }))

  it('gives a word more weight in a name, a toolkit or a tag, and reads the names of parameters', () =>
    inRegistry(async ({ registry }) => {
      const input_schema = { parameters: { type: 'object', properties: { invoiceNumber: { type: 'string' } } } }
      await registry.publish(
        [
          await publication('A.Mentions@1.0.0', { description: 'Has to do with an invoice' }),
          await publication('B.Invoice@1.0.0', { description: 'Pays' }),
          await publication('C.Tagged@1.0.0', { description: 'Pays' }, { tags: ['invoice'] }),
          await publication('D.Takes@1.0.0', { description: 'Pays', input_schema }),
        ],
        ADMIN,
      )
      const { found } = await ask(registry, 'invoice')
      expect(found.slice(0, 2)).toEqual(['B.Invoice', 'C.Tagged'])
      expect(found.toSorted()).toEqual(['A.Mentions', 'B.Invoice', 'C.Tagged', 'D.Takes'])
    }))

  it('knows stems and synonyms, and puts tools with the word itself first', () =>
    inRegistry(async ({ registry }) => {
      await registry.publish(
        [
          await publication('Tracker.CreateIssue@1.0.0', { description: 'Does' }),
          await publication('Player.CurrentTrack@1.0.0', { description: 'Does' }),
          await publication('Mail.DeleteMessages@1.0.0', { description: 'Does' }),
          await publication('Mail.RemoveMessages@1.0.0', { description: 'Does' }),
          await publication('Duty.ListOncalls@1.0.0', { description: 'Does' }),
        ],
        ADMIN,
      )
      expect((await ask(registry, 'file a bug')).found[0]).toBe('Tracker.CreateIssue')
      expect((await ask(registry, 'which song is it')).found).toEqual(['Player.CurrentTrack'])
      expect((await ask(registry, 'remove a message')).found.slice(0, 2)).toEqual([
        'Mail.RemoveMessages',
        'Mail.DeleteMessages',
      ])
      expect((await ask(registry, 'deleting messages')).found.slice(0, 2)).toEqual([
        'Mail.DeleteMessages',
        'Mail.RemoveMessages',
      ])
      expect((await ask(registry, 'who is on call')).found).toEqual(['Duty.ListOncalls'])
    }))

  it('tells tools for the same things apart by their verbs, even if many tools have the verb', () =>
    inRegistry(async ({ registry }) => {
      const description = 'A group of runners of an organization'
      await registry.publish(
        await Promise.all([
          ...Array.from({ length: 24 }, (_, n) => publication(`Runners.Get_${n}@1.0.0`, { description })),
          ...Array.from({ length: 60 }, (_, n) => publication(`Kit.Delete_${n}@1.0.0`, { description: 'Does' })),
          publication('Runners.DeleteGroup@1.0.0', { description: 'A group of runners' }),
          publication('Runners.GetGroup@1.0.0', { description }),
        ]),
        ADMIN,
      )
      const first = async (q: string) => (await ask(registry, q)).found[0]
      expect(await first('Delete a runner group of our organization')).toBe('Runners.DeleteGroup')
      expect(await first('Get rid of the runner group of our organization')).toBe('Runners.DeleteGroup')
      expect(await first('Show me a runner group of our organization')).toBe('Runners.GetGroup')
    }))

  it('treats a question as a request to get something, but finds no tool by that alone', () =>
    inRegistry(async ({ registry }) => {
      await publish({ registry } as Harness, 'Runners.CreateGroups@1.0.0', 'Runners.ListGroups@1.0.0')
      const asking = [
        'Which groups are there?',
        '"Who is in our groups?"',
        'how many groups are there',
        'Is it a group?',
      ]
      for (const q of asking) expect((await ask(registry, q)).found[0]).toBe('Runners.ListGroups')
      for (const q of ['group', 'How do I create a group?', 'how can groups be made'])
        expect((await ask(registry, q)).found[0]).toBe('Runners.CreateGroups')
      expect(await ask(registry, 'Which walruses?')).toMatchObject({ found: [], total: 0, unmatched: ['walruses'] })
    }))

  it('treats a question with "which" or "who" as a request for a list', () =>
    inRegistry(async ({ registry }) => {
      await publish({ registry } as Harness, 'Runners.GetGroup@1.0.0', 'Runners.ListGroup@1.0.0')
      for (const q of ['Which groups are there?', 'Whose groups are these?'])
        expect((await ask(registry, q)).found[0]).toBe('Runners.ListGroup')
      expect((await ask(registry, 'Where is the group?')).found[0]).toBe('Runners.GetGroup')
    }))

  it('finds the tools of a toolkit that is named first, even if most tools are in it', () =>
    inRegistry(async ({ registry }) => {
      const many = Array.from({ length: 40 }, (_, n) => `Tracker.Count_${n}@1.0.0`)
      await publish({ registry } as Harness, ...many, 'Tracker.CreateIssue@1.0.0', 'Desk.CreateTicket@1.0.0')
      const first = async (q: string) => (await ask(registry, q)).found[0]
      expect(await first('create a ticket in Tracker')).toBe('Tracker.CreateIssue')
      expect(await first('create a ticket')).toBe('Desk.CreateTicket')
    }))

  it('finds tools by a distinctive word, and reports the words that no tool has', () =>
    inRegistry(async ({ registry }) => {
      await publish({ registry } as Harness, ...Array.from({ length: 20 }, (_, n) => `Kit.Order${n}@1.0.0`))
      await registry.publish([await publication('Hotels.Search@1.0.0', { description: 'Finds hotels' })], ADMIN)
      expect(await ask(registry, 'hotels in Rome')).toMatchObject({
        found: ['Hotels.Search'],
        total: 1,
        unmatched: ['rome'],
      })
      expect(await ask(registry, 'order a pizza with mushrooms')).toMatchObject({
        total: 20,
        unmatched: ['pizza', 'mushrooms'],
      })
      const rest = 'how many calories has this meal, and is there a hotel nearby that my sister could walk to tomorrow'
      expect((await ask(registry, rest)).found[0]).toBe('Hotels.Search')
      expect(await ask(registry, 'walk the dog')).toMatchObject({ found: [], total: 0, unmatched: ['walk', 'dog'] })
      expect(await ask(registry, '')).toMatchObject({ found: [], total: 0, unmatched: [] })
    }))

  it('searches for stop words if a query has nothing else', () =>
    inRegistry(async ({ registry }) => {
      await registry.publish([await publication('Kit.Tell@1.0.0', { description: 'Tells what' })], ADMIN)
      expect(await ask(registry, 'what is it')).toMatchObject({
        found: ['Kit.Tell'],
        total: 1,
        unmatched: ['is', 'it'],
      })
    }))

  it('finds the neighbor of a misspelled word, which stays unmatched, and words joined or split', () =>
    inRegistry(async ({ registry }) => {
      await registry.publish(
        [
          await publication('Calendar.ListEvents@1.0.0', { description: 'Does' }),
          await publication('Repositories.Stargazers@1.0.0', { description: 'Does' }),
          await publication('Repositories.NewBranch@1.0.0', { description: 'Does' }),
        ],
        ADMIN,
      )
      expect(await ask(registry, 'calender')).toMatchObject({
        found: ['Calendar.ListEvents'],
        total: 1,
        unmatched: ['calender'],
      })
      expect((await ask(registry, 'ivent')).found).toEqual([])
      expect((await ask(registry, 'lost')).found).toEqual(['Calendar.ListEvents'])
      expect(await ask(registry, 'starred')).toMatchObject({ found: ['Repositories.Stargazers'], unmatched: [] })
      for (const q of ['new branch', 'newbranch', 'branches'])
        expect((await ask(registry, q)).found[0]).toBe('Repositories.NewBranch')
      // Three letters apart
      expect((await ask(registry, 'colondors')).found).toEqual([])
    }))

  it('expands only the first five missing words of a query, and none of excessive length', () =>
    inRegistry(async ({ registry }) => {
      await publish({ registry } as Harness, 'Calendar.ListEvents@1.0.0')
      const before = (count: number) => Array.from({ length: count }, (_, at) => `${'xyzvw'[at]}qqqq`).join(' ')
      expect((await ask(registry, `${before(4)} calender`)).found).toEqual(['Calendar.ListEvents'])
      const late = await ask(registry, `${before(5)} calender`)
      expect(late).toMatchObject({ found: [], unmatched: expect.arrayContaining(['calender']) })
      expect((await ask(registry, `calendar${'q'.repeat(30)}`)).found).toEqual([])
    }))

  it('reads the descriptions of parameters, and more than a dozen words of a query', () =>
    inRegistry(async ({ registry }) => {
      const parameters = {
        type: 'object',
        properties: { id: { type: 'string', description: 'The dragonfly to catch.' } },
      }
      await registry.publish(
        [
          await publication('A.One@1.0.0', { description: 'Does', input_schema: { parameters } }),
          await publication('B.Two@1.0.0', { description: 'Does' }),
        ],
        ADMIN,
      )
      const many = 'alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november dragonfly'
      expect((await ask(registry, many)).found).toEqual(['A.One'])
    }))

  it('filters before it counts and cuts results', () =>
    inRegistry(async ({ registry }) => {
      const implementation = { kind: 'echo' }
      await registry.publish(
        await Promise.all([
          ...Array.from({ length: 6 }, (_, n) => publication(`A.Paint${n}@1.0.0`, {}, { tags: ['"red"'] })),
          ...Array.from({ length: 4 }, (_, n) =>
            publication(`B.Paint${n}@1.0.0`, {}, { tags: ['red'], implementation }),
          ),
        ]),
        ADMIN,
      )
      expect(await ask(registry, 'paint', { limit: 2 })).toMatchObject({ total: 10, found: ['A.Paint0', 'A.Paint1'] })
      expect(await ask(registry, 'paint', { limit: 2, toolkit: 'b' })).toMatchObject({
        total: 4,
        found: ['B.Paint0', 'B.Paint1'],
      })
      expect(await ask(registry, 'paint', { tag: 'red' })).toMatchObject({ total: 4 })
      expect(await ask(registry, 'paint', { tag: '"red"' })).toMatchObject({ total: 6 })
      expect(await ask(registry, 'paint', { tag: ',' })).toMatchObject({ total: 0 })
      expect(await ask(registry, 'paint', { limit: 3, callable: true })).toMatchObject({
        total: 4,
        next: expect.any(String),
      })
    }))

  it('continues after the last tool of a page, whatever changed before it', () =>
    inRegistry(async ({ registry }) => {
      const paint = (n: number) => publication(`Kit.Paint${n}@1.0.0`)
      await registry.publish(await Promise.all([1, 2, 3, 5, 6, 7].map(paint)), ADMIN)
      const first = await ask(registry, 'paint', { limit: 3 })
      expect(first).toMatchObject({ total: 6, found: ['Kit.Paint1', 'Kit.Paint2', 'Kit.Paint3'] })
      const rest = ['Kit.Paint5', 'Kit.Paint6', 'Kit.Paint7']
      const goOn = async () => (await ask(registry, 'paint', { cursor: first.next })).found
      expect(await goOn()).toEqual(rest)
      await registry.publish([await paint(0)], ADMIN)
      // Among tools that are as good, those listed first come first
      expect(await goOn()).toEqual([...rest, 'Kit.Paint0'])
      await registry.change({ toolkit: 'kit', tool: 'paint0' }, '1.0.0', { status: { state: 'yanked' } }, ADMIN)
      await registry.change({ toolkit: 'kit', tool: 'paint3' }, '1.0.0', { status: { state: 'yanked' } }, ADMIN)
      expect(await goOn()).toContain('Kit.Paint7')
    }))

  it('has one order, at any page size', () =>
    inRegistry(async ({ registry }) => {
      const ids = Array.from({ length: 7 }, (_, n) => `Kit.Paint_${'s'.repeat(n % 3)}${n}@1.0.0`)
      const plain = await Promise.all(ids.map((id) => publication(id, { description: 'Paints a wall' })))
      const better = await publication('Kit.PaintWall@1.0.0', { description: 'Paints a wall' })
      await registry.publish([...plain, better, await publication('Wall.Paint@1.0.0')], ADMIN)
      const whole = await ask(registry, 'paint wall')
      expect(whole).toMatchObject({ total: 9 })
      for (const limit of [1, 2, 4]) {
        const found: unknown[] = []
        let cursor: string | undefined
        do {
          const page = await ask(registry, 'paint wall', { limit, ...(cursor === undefined ? {} : { cursor }) })
          found.push(...page.found)
          cursor = page.next
        } while (cursor !== undefined)
        expect(found).toEqual(whole.found)
      }
    }))

  it('finds tools whatever their numbers in the index', () =>
    inRegistry(async ({ registry, sql }) => {
      await publish({ registry } as Harness, 'A.Paint1@1.0.0', 'B.Paint2@1.0.0')
      // As where many more tools were listed in between
      sql.exec(`INSERT INTO indexed (id, key, toolkit, plain, whole, level, callable, tags, operation, rows)
        VALUES (299999, 'x.y', 'x', 'y', 'xy', 0, 0, '[]', '', '[]')`)
      await publish({ registry } as Harness, 'A.Paint3@1.0.0', 'B.Paint4@1.0.0')
      sql.exec('DELETE FROM indexed WHERE id = 299999')
      const ids = sql.exec<{ id: number }>('SELECT id FROM indexed ORDER BY id').toArray()
      expect(ids.map(({ id }) => id)).toEqual([1, 2, 300_000, 300_001])
      const found = ['A.Paint1', 'B.Paint2', 'A.Paint3', 'B.Paint4']
      expect(await ask(registry, 'paint')).toMatchObject({ total: 4, found })
      expect(await ask(registry, 'paint', { toolkit: 'a' })).toMatchObject({
        total: 2,
        found: ['A.Paint1', 'A.Paint3'],
      })
      expect(await ask(registry, 'paint', { limit: 1 }, of('B.*'))).toMatchObject({ total: 2, found: ['B.Paint2'] })
    }))

  it('with its totals depends only on what the caller sees, not on hidden tools', () =>
    inRegistry(async ({ registry }) => {
      const seen = of('Seen.*')
      const callers: readonly Principal[] = [
        seen,
        of('Seen.Paint1', 'seen.paint*', 'Other.*'),
        of('*.Paint*', 'No.*'),
        { ...of('*'), restrictedTo: ['Seen.*'] },
        { ...ADMIN, kind: 'anonymous', scopes: ['tools:read'] },
        { ...of('Seen.*', 'Hidden.*'), kind: 'anonymous' },
      ]
      await registry.publish(
        await Promise.all(['Seen.Paint1@1.0.0', 'Seen.Paint2@1.0.0', 'Seen.Draw@1.0.0'].map((id) => publication(id))),
        ADMIN,
      )
      const questions = [
        'paint',
        'paint a wall',
        'draw or paint',
        'wall',
        'hush',
        'painting hush',
        'Hidden.Wall',
        'which paint',
      ]
      const all = () =>
        Promise.all(callers.map((caller) => Promise.all(questions.map((q) => ask(registry, q, { limit: 1 }, caller)))))
      const before = await all()
      expect(before[0]?.[0]).toMatchObject({ total: 2 })
      const requirements = { user_id: true }
      await registry.publish(
        await Promise.all(
          ['Wall', 'Hush', 'HushHush', 'PanelWall', 'ListPaint'].map((name) =>
            publication(`Hidden.${name}@1.0.0`, { description: 'hush wall draw', requirements }),
          ),
        ),
        ADMIN,
      )
      expect(await all()).toEqual(before)
      expect(await ask(registry, 'hush')).toMatchObject({ total: 5 })
    }))
})

describe('the index', () => {
  it('reads as many rows however many tools there are', () =>
    inRegistry(async ({ registry, sql, drain }) => {
      const costs: number[] = []
      for (const [at, more] of [100, 900].entries()) {
        await registry.publish(await publications(at * 100, at * 100 + more), ADMIN)
        await drain()
        const work = [
          async () => registry.publish([await publication(`Fresh${at}.Tool@1.0.0`)], ADMIN),
          async () => registry.publish([await publication(`Fresh${at}.Tool@2.0.0`)], ADMIN),
          () =>
            registry.change({ toolkit: `fresh${at}`, tool: 'tool' }, '2.0.0', { status: { state: 'yanked' } }, ADMIN),
          async () => registry.publish([await documentPublication(`document-${at}`, '1.0.0', ['a', 'b'])], ADMIN),
          async () => registry.hasToolkit(`Nothing${at}`),
        ]
        const rows: number[] = []
        for (const each of work) rows.push(await rowsOf(sql, each))
        costs.push(rows.reduce((sum, n) => sum + n))
        await drain()
      }
      expect(costs[1]).toBe(costs[0])
    }))

  it('numbers a tool once, however often it is published again', () =>
    inRegistry(async (harness) => {
      const { sql } = harness
      const numbers = () => sql.exec<{ id: number }>('SELECT id FROM indexed ORDER BY key').toArray()
      await publish(harness, 'Kit.A@1.0.0', 'Kit.B@1.0.0')
      const first = numbers()
      await publish(harness, 'Kit.A@1.0.1', 'Kit.A@1.0.2')
      expect(numbers()).toEqual(first)
      expect(await found(harness.registry, 'kit')).toEqual(['Kit.A@1.0.2', 'Kit.B@1.0.0'])
    }))

  it('is rebuilt from the listed tools if an earlier version built it', () =>
    inRegistry(async ({ registry, sql, restart }) => {
      await registry.publish(
        [
          await publication('Mail.Send@1.0.0', { description: 'pigeons' }),
          await publication('Mail.Send@2.0.0', { description: 'telegraphs' }),
          await publication('Mail.Read@1.0.0', { description: 'pigeons' }),
          await publication('Mail.Gone@1.0.0', { description: 'pigeons' }),
        ],
        ADMIN,
      )
      await registry.change({ toolkit: 'mail', tool: 'gone' }, '1.0.0', { status: { state: 'yanked' } }, ADMIN)
      sql.exec("UPDATE meta SET value = 'another' WHERE name = 'search'; DELETE FROM indexed")
      const again = restart()
      expect(await found(again, 'pigeons')).toEqual(['Mail.Read@1.0.0'])
      expect(await found(again, 'telegraphs')).toEqual(['Mail.Send@2.0.0'])
      await again.publish([await publication('Mail.Send@3.0.0', { description: 'pigeons' })], ADMIN)
      expect((await found(restart(), 'pigeons'))?.toSorted()).toEqual(['Mail.Read@1.0.0', 'Mail.Send@3.0.0'])
    }))
})
