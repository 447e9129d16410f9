import type { ApiKey } from '../../src/core/access/api-key.ts'
import { kvKey } from '../../src/storage/keys.ts'
import { sha256 } from '../../src/storage/sealing/sha256.ts'
import { holds } from './violation.ts'
import type { Place, World } from './world.ts'

/** A key whose creation was acknowledged. */
interface Made {
  readonly id: string
  readonly text: string
  readonly hash: string
  readonly at: number
  /** When its deletion was first requested, and when it was acknowledged. */
  removing: number
  removed: number
  /** How often its deletion was requested. */
  asked: number
}

/** SECURITY.md: a deleted key stops working everywhere within 60 s. */
const DEAD_MS = 60_000
/** A key that was used before it was created is accepted after this long. */
const REFUSED_MS = 5_000

/** Simulates administrators and callers who use API keys, and checks the keys. */
export function createKeyClients(world: World) {
  const { clock, chance, kv, weather } = world
  const keys: Made[] = []
  /** The isolates in which a key was deleted. */
  const deadIn = new Map<string, Set<Place>>()
  let count = 0

  const anyKey = () => {
    const [first, ...others] = keys
    return first && chance.oneOf([first, ...others])
  }

  async function create(place: Place): Promise<void> {
    count += 1
    const id = `k${count}`
    const text = `sb_${id.padEnd(43, '_')}`
    const hash = await sha256(text)
    const created_at = new Date(clock.now()).toISOString()
    const key: ApiKey = { id, name: id, scopes: ['tools:call'], tools: ['*'], users: 'any', created_at }
    await place.keys.create(key, hash)
    place.authenticator.forget()
    keys.push({ id, text, hash, at: clock.now(), removing: Infinity, removed: Infinity, asked: 0 })
  }

  async function remove(place: Place, key: Made): Promise<void> {
    key.asked += 1
    key.removing = Math.min(key.removing, clock.now())
    const result = await place.keys.remove(key.id)
    // If the response was lost, the object may have been asked twice
    holds(
      result === 'removed' || key.asked > 1 || !world.isFair,
      `The key '${key.id}' was made, and is not there to be deleted`,
    )
    place.authenticator.forgetKey(key.id)
    deadIn.set(key.id, (deadIn.get(key.id) ?? new Set()).add(place))
    key.removed = Math.min(key.removed, clock.now())
  }

  /** Returns until when a deleted key may be accepted. */
  function aliveUntil({ hash, removed }: Made): number {
    if (world.isFair) return removed + DEAD_MS
    const gone = kv.history(kvKey('apiKey', hash)).find(({ value }) => value === null)
    return removed === Infinity || !gone ? Infinity : Math.max(removed, gone.at) + DEAD_MS + weather.lag
  }

  async function use(place: Place, key: Made): Promise<void> {
    const at = clock.now()
    const request = new Request('https://switchboard.example', { headers: { authorization: `Bearer ${key.text}` } })
    const isDead = deadIn.get(key.id)?.has(place) === true
    const answer = await place.authenticator.authenticate(request)
    if (answer.ok) {
      const since = (at - key.removed) / 1_000
      holds(!isDead, `'${key.id}' is taken in the isolate that deleted it`)
      return holds(at <= aliveUntil(key), `'${key.id}' is taken ${since} s after it was deleted`)
    }
    if (answer.failure.type === 'unavailable') return
    const mayBeDead = key.removing <= clock.now() || key.at > at - REFUSED_MS
    holds(mayBeDead, `'${key.id}' was made ${(at - key.at) / 1_000} s ago, and is refused`)
  }

  /** Tries a deleted key until every isolate must refuse it. */
  async function watch(place: Place, key: Made): Promise<void> {
    while (clock.now() < key.removed + DEAD_MS + 5_000) {
      await clock.sleep(1_000)
      await use(place, key).catch(world.unlessFault)
    }
  }

  /**
   * Deletes a key while KV is busy, and then tries it: in one isolate at the latest time at which KV may lack the deletion, in
   * another in the same place at the latest time at which the first read may be cached, and again once it must be refused.
   */
  async function hunt(place: Place, key: Made): Promise<void> {
    await create(place)
    await remove(world.startIsolate(), key)
    await clock.sleep(chance.below(1_000))
    await use(place, key)
    const late = world.startIsolate(place.place)
    await clock.sleep(DEAD_MS / 2 - 1_000)
    await use(late, key)
    await clock.sleep(key.removed + DEAD_MS + 1 - clock.now())
    await use(late, key)
  }

  async function settled(places: readonly Place[]): Promise<void> {
    for (const key of keys) {
      const isThere = kv.valueOf(kvKey('apiKey', key.hash)) !== null
      if (key.removing === Infinity) holds(isThere, `KV never gets the key '${key.id}'`)
      if (key.removed < Infinity) holds(!isThere, `KV keeps the key '${key.id}', which was deleted`)
      for (const place of places) await use(place, key)
    }
  }

  return {
    create: () => create,
    remove() {
      const key = anyKey()
      return (place: Place) => (key ? remove(place, key) : create(place))
    },
    hunt() {
      const key = keys.find(({ asked }) => asked === 0)
      return async (place: Place) => {
        if (key?.asked === 0) await hunt(place, key)
      }
    },
    watch() {
      const key = keys.find(({ removed }) => removed < Infinity)
      return async (place: Place) => {
        if (key) await watch(place, key)
      }
    },
    use() {
      const key = anyKey()
      return (place: Place) => (key ? use(place, key) : create(place))
    },
    settled,
  }
}
