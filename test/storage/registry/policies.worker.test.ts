import { describe, expect, it, vi } from 'vitest'
import { MAX_POLICIES, type Policy } from '../../../src/core/access/policy.ts'
import { ANONYMOUS } from '../../../src/core/access/principal.ts'
import { UnreachableError } from '../../../src/core/failure/failure.ts'
import { createKvPolicies } from '../../../src/storage/registry/kv/kv-policies.ts'
import { ADMIN, type Harness, inRegistry, publication, stopClock, stubOf, textOf } from './set-up.ts'

stopClock()

const KEY = 'policies/all'
const MAIL: Policy = { pattern: 'Mail.*', security_level: 5 }

/** An isolate that knows policies, and the methods of the registry that it called. */
function isolate({ kv, registry }: Pick<Harness, 'kv' | 'registry'>) {
  const asked: string[] = []
  const stub = stubOf(registry, asked)
  return { ...createKvPolicies({ kv: kv.binding, registry: () => stub, now: () => Date.now() }), asked }
}
const later = (ms: number) => vi.setSystemTime(Date.now() + ms)
const levelIn = ({ policies }: ReturnType<typeof isolate>) =>
  policies.current().policyFor({ toolkit: 'Mail', tool: 'Send' }).securityLevel

describe('a registry with policies', () => {
  it('has one policy per pattern, ignoring case, and keeps it after a crash', () =>
    inRegistry(async (harness) => {
      expect(textOf(harness.registry, KEY)).toBeUndefined()
      expect(await harness.registry.putPolicy(MAIL)).toBe('created')
      expect(await harness.registry.putPolicy({ pattern: 'mail.*', approval: true })).toBe('replaced')
      expect(await harness.registry.putPolicy({ pattern: '*', timeout_ms: 5 })).toBe('created')
      const { revision, policies } = JSON.parse(textOf(harness.registry, KEY) ?? '')
      expect(policies).toEqual([
        { pattern: '*', timeout_ms: 5 },
        { pattern: 'mail.*', approval: true },
      ])
      // The same again changes nothing
      expect(await harness.registry.putPolicy({ pattern: '*', timeout_ms: 5 })).toBe('replaced')
      harness.restart()
      expect(JSON.parse(textOf(harness.registry, KEY) ?? '').revision).toBe(revision)
      expect(await harness.registry.removePolicy('MAIL.*')).toBe('removed')
      expect(await harness.registry.removePolicy('MAIL.*')).toBe('not-found')
      await harness.drain()
      expect(JSON.parse(harness.kv.values.get(KEY) ?? '')).toEqual({
        revision: revision + 1,
        policies: [{ pattern: '*', timeout_ms: 5 }],
      })
    }))

  it('has a limit for the number of policies', () =>
    inRegistry(async ({ registry }) => {
      for (let n = 0; n < MAX_POLICIES; n++) {
        expect(await registry.putPolicy({ pattern: `Kit${n}.*`, approval: true })).toBe('created')
      }
      expect(await registry.putPolicy(MAIL)).toBe('limit-reached')
      expect(await registry.putPolicy({ pattern: 'Kit0.*', timeout_ms: 9 })).toBe('replaced')
      await registry.removePolicy('Kit0.*')
      expect(await registry.putPolicy(MAIL)).toBe('created')
    }))

  it('applies policies to tools whose names match, ignoring case, with a dash equal to an underscore', () =>
    inRegistry(async ({ registry }) => {
      await registry.publish([await publication('Mail_Box.Send_it@1.0.0')], ADMIN)
      const covered = ['*', 'mail_box.*', 'Mail-Box.Send-it', '*.Send*', 'Mail*.*it']
      const uncovered = ['Mail.*', 'Mail_Box.Send', '*.Read*', 'Mailbox.*', 'Mail_Box.Send_it_all']
      for (const pattern of [...covered, ...uncovered])
        expect([pattern, await registry.coversTool(pattern)]).toEqual([pattern, covered.includes(pattern)])
    }))

  it('hides tools that it raises from anonymous searches', () =>
    inRegistry(async ({ registry }) => {
      await registry.publish([await publication('Mail.Send@1.0.0'), await publication('Post.Send@1.0.0')], ADMIN)
      const found = async (principal: typeof ADMIN, versions: 'newest' | 'all' = 'newest') => {
        const answer = await registry.query({ q: 'send', versions, limit: 10 }, principal)
        return answer?.found.map(({ record }): string => JSON.parse(record).id).sort()
      }
      const all = ['Mail.Send@1.0.0', 'Post.Send@1.0.0']
      expect([await found(ANONYMOUS), await registry.describeUnknown('Mail', ANONYMOUS)]).toEqual([all, undefined])
      await registry.putPolicy(MAIL)
      for (const versions of ['newest', 'all'] as const) {
        expect(await found(ANONYMOUS, versions)).toEqual(['Post.Send@1.0.0'])
        expect(await found(ADMIN, versions)).toEqual(all)
      }
      expect(await registry.describeUnknown('Mail', ANONYMOUS)).toBeDefined()
      // Later publications are also hidden
      await registry.publish([await publication('Mail.SendMore@1.0.0')], ADMIN)
      expect(await found(ANONYMOUS)).toEqual(['Post.Send@1.0.0'])
      await registry.removePolicy('Mail.*')
      expect(await found(ANONYMOUS)).toEqual(['Mail.Send@1.0.0', 'Mail.SendMore@1.0.0', 'Post.Send@1.0.0'])
    }))

  it('writes policies to KV before earlier publications', () =>
    inRegistry(async (harness) => {
      for (let n = 0; n < 40; n++) await harness.registry.publish([await publication(`Kit.T${n}@1.0.0`)], ADMIN)
      await harness.registry.putPolicy(MAIL)
      await harness.drain()
      expect(harness.kv.log[0]?.key).toBe(KEY)
    }))
})

describe('an isolate', () => {
  it('knows its own changes at once, and those of others within seconds, without the registry', () =>
    inRegistry(async (harness) => {
      const [one, other] = [isolate(harness), isolate(harness)]
      await other.policies.ready()
      expect([levelIn(other), other.asked]).toEqual([0, ['value']])
      expect(await one.store.put(MAIL)).toBe('created')
      expect(levelIn(one)).toBe(5)
      expect(await one.store.list()).toEqual([MAIL])
      await harness.drain()
      expect(other.policies.ready()).toBeUndefined()
      later(5_000)
      const behind: Promise<unknown>[] = []
      expect(other.policies.ready((work) => behind.push(work))).toBeUndefined()
      await Promise.all(behind)
      expect([levelIn(other), behind.length]).toEqual([5, 1])
      expect(other.asked).toEqual(['value'])
      expect(await one.store.remove('mail.*')).toBe('removed')
      expect(levelIn(one)).toBe(0)
      expect(await one.store.remove('mail.*')).toBe('not-found')
      later(25_000)
      expect(other.policies.ready((work) => behind.push(work))).toBeInstanceOf(Promise)
    }))

  it('applies policies that KV lost', () =>
    inRegistry(async (harness) => {
      await harness.registry.putPolicy(MAIL)
      await harness.drain()
      harness.kv.values.delete(KEY)
      const one = isolate(harness)
      await one.policies.ready()
      expect([levelIn(one), one.asked]).toEqual([5, ['value']])
    }))

  it('does not ask the registry if KV says that there are no policies', () =>
    inRegistry(async (harness) => {
      await harness.registry.installBundle('hash', 1, [])
      await harness.drain()
      const one = isolate(harness)
      await one.policies.ready()
      expect([levelIn(one), one.asked]).toEqual([0, []])
    }))

  it('reuses compiled rules while no policy changes', () =>
    inRegistry(async (harness) => {
      const one = isolate(harness)
      await one.store.put(MAIL)
      const before = one.policies.current()
      later(30_000)
      await one.policies.ready()
      expect(one.policies.current()).toBe(before)
    }))

  it('allows no call before it has read the policies, and uses the last known ones while neither store answers', () =>
    inRegistry(async (harness) => {
      const one = isolate(harness)
      expect(() => one.policies.current()).toThrow(UnreachableError)
      await one.store.put(MAIL)
      const silent = createKvPolicies({
        kv: new Proxy(harness.kv.binding, {
          get: () => async () => Promise.reject(new Error('KV is away')),
        }),
        registry: () => {
          throw new UnreachableError('The registry is away')
        },
        now: () => Date.now(),
      })
      await expect(silent.policies.ready()).rejects.toThrow(UnreachableError)
      expect(() => silent.policies.current()).toThrow(UnreachableError)
      const stub = vi.spyOn(harness.registry, 'value').mockImplementation(() => {
        throw new UnreachableError('The registry is away')
      })
      later(30_000)
      await one.policies.ready()
      expect(levelIn(one)).toBe(5)
      expect(one.policies.ready()).toBeUndefined()
      stub.mockRestore()
    }))
})
