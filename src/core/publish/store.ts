import type { Principal } from '../access/principal.ts'
import type { Prepared } from './prepare.ts'
import type { Publication, RegistryWriter } from './registry.ts'
import { type Report, reportOf } from './report.ts'

/** What its publisher may publish, and nothing is wrong with. */
export interface Admitted extends Pick<Prepared, 'warnings' | 'state' | 'isPlaced'> {
  readonly publication: Publication
}

/** Stores what was admitted, in one go and in order, and reports on it; other reports keep their places. */
export async function store(
  all: readonly (Admitted | Report)[],
  writer: RegistryWriter,
  principal: Principal,
): Promise<readonly Report[]> {
  const publications = all.flatMap((each) => ('publication' in each ? [each.publication] : []))
  const published = publications.length === 0 ? [] : await writer.publish(publications, principal)
  let next = 0
  return all.map((each) => {
    if (!('publication' in each)) return each
    const outcome = published[next++]
    if (!outcome) throw new Error('A publication came to nothing')
    return reportOf(outcome, { ...each, records: each.publication.records })
  })
}
