import { toIdRef } from '../../src/core/tool/tool-ref.ts'
import { ADMIN } from '../../src/core/access/principal.ts'
import { formatToolId, parseToolId } from '../../src/core/tool/tool-id.ts'
import type { Bundle } from '../../src/storage/registry/write/bundle.ts'
import { holds } from './violation.ts'
import type { Deployment, Place, World } from './world.ts'

/** The tool that an administrator disables. */
export const DISABLED = 'Kit.Stays@1.0.0'

/** Simulates the bundled tools of several deployments that run at once on the same storage. */
export function createDeployments(world: World, bundles: readonly [Bundle, ...Bundle[]]) {
  const { clock, chance, registry } = world
  const ids = [...new Set(bundles.flatMap(({ records }) => records.map(({ id }) => id)))]
  const [firstId = '', ...otherIds] = ids
  let made = 1
  let newest: Deployment = { bundle: bundles[0], deployedAt: clock.now() }
  let takenIn = 0
  /** Whether disabling the tool was acknowledged to an administrator. */
  let isDisabled = false

  /** Creates the next deployment. */
  function make(): Deployment {
    newest = { bundle: bundles[made % bundles.length] ?? bundles[0], deployedAt: clock.now() }
    made += 1
    return newest
  }

  function meta(name: string): string | undefined {
    if (registry.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'meta'").toArray().length === 0) return undefined
    return registry.sql.exec<{ value: string }>('SELECT value FROM meta WHERE name = ?', name).toArray()[0]?.value
  }

  /** Checks that the registry never installs an older deployment after a newer one. */
  function look(): void {
    const at = Number(meta('bundle_at') ?? 0)
    holds(at >= takenIn, `The registry goes back to a deployment that is ${takenIn - at} ms older`)
    takenIn = at
  }

  /** Does the first step of every request except a call. */
  async function begin({ installBundle }: Place): Promise<void> {
    look()
    await installBundle()
    look()
  }

  async function list(place: Place): Promise<readonly string[]> {
    await begin(place)
    const listing = await place.catalog.list({ versions: 'newest', limit: 1_000 }, ADMIN, { name: 'stored' })
    return (listing?.lines ?? []).map((line): string => JSON.parse(line).id)
  }

  /** Resolves as a call does, which waits for the registry only if it must. */
  async function resolve(place: Place, id: string): Promise<void> {
    void place.installBundle()
    const found = await place.resolver.resolve(toIdRef(id), (work) => void work.catch(world.unlessFault))
    if (!found.ok) return
    const known = bundles.flatMap(({ records }) => records).filter((record) => record.id === id)
    const isKnown = known.some(({ digest }) => digest === found.tool.record.digest)
    holds(isKnown, `'${id}' is none that was deployed`)
  }

  async function disable(place: Place): Promise<void> {
    const asked = parseToolId(DISABLED)
    await begin(place)
    const answer = asked && (await place.writer.change(asked, '1.0.0', { status: { state: 'disabled' } }, ADMIN))
    if (answer?.ok) isDisabled = true
  }

  /** Once all is quiet, checks that all isolates have the newest deployment's tools, even an old one that starts late. */
  async function settled(places: readonly Place[], old: Place): Promise<void> {
    const { bundle, deployedAt } = newest
    for (const place of [...places, old, ...places]) await begin(place)
    const [hash, at] = [meta('bundle'), Number(meta('bundle_at'))]
    holds(
      hash === bundle.hash && at === deployedAt,
      `The registry has '${hash}' of ${at}, and '${bundle.hash}' is newest`,
    )
    // By then, the old isolate is up to date
    await clock.sleep(60_000)
    for (const place of [...places, old]) {
      const listed = await list(place)
      const wanted = bundle.records.map(({ id }) => id).filter((id) => id !== DISABLED || !isDisabled)
      // Even without an acknowledgment, the tool may be disabled
      const seen = isDisabled ? listed : listed.filter((id) => id !== DISABLED)
      const all = isDisabled ? wanted : wanted.filter((id) => id !== DISABLED)
      holds(JSON.stringify(seen) === JSON.stringify(all.toSorted()), `${JSON.stringify(listed)} are listed of ${hash}`)
      for (const { id, digest } of bundle.records) {
        const found = await place.resolver.resolve(toIdRef(id), (work) => void work.catch(world.unlessFault))
        const given = found.ok ? found.tool.record.digest : found.failure.type
        const isRight = given === digest || (id === DISABLED && given === 'tool-disabled')
        holds(isRight, `'${id}' is '${given}' in ${hash}`)
      }
      for (const id of ids.filter((each) => !bundle.records.some((record) => record.id === each))) {
        const found = await place.resolver.resolve(toIdRef(id), (work) => void work.catch(world.unlessFault))
        const status = found.ok ? found.status.state : found.failure.type
        holds(status !== 'active', `'${formatToolId(parseToolId(id) ?? { toolkit: id, tool: '' })}' is there, and left`)
      }
    }
  }

  return {
    make,
    newest: () => newest,
    list: () => list,
    resolve() {
      const id = chance.oneOf([firstId, ...otherIds])
      return (place: Place) => resolve(place, id)
    },
    disable: () => disable,
    settled,
  }
}
