/** A metric family of OpenMetrics 1.0, with its samples by the text before their value. */
export interface Family {
  readonly type: string
  readonly samples: ReadonlyMap<string, number>
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"'
const NUMBER = '[+-]?(?:[0-9]+(?:\\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|Inf|NaN)'
const METADATA = new RegExp(`^# (TYPE|UNIT|HELP) (${NAME}) (.*)$`)
const SAMPLE = new RegExp(`^((${NAME})(\\{(?:${LABEL}(?:,${LABEL})*)?\\})?) (${NUMBER})$`)
/** The suffixes of a family's name in its samples (OpenMetrics 1.0, "Metric Types"). */
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: ['_total', '_created'],
  gauge: [''],
  histogram: ['_bucket', '_count', '_sum', '_created'],
  info: ['_info'],
  stateset: [''],
}

/**
 * Parses an exposition by the grammar of OpenMetrics 1.0 ("ABNF") and its rules for each type, and throws at the first fault
 * that a scraper would refuse. It does not support timestamps and exemplars, since none are written.
 */
export function readOpenMetrics(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith('# EOF\n')) throw new Error('The last line must be # EOF')
  const families = new Map<string, { type: string; said: Set<string>; samples: Map<string, number> }>()
  let last = ''
  for (const line of text.slice(0, -'# EOF\n'.length).split('\n').slice(0, -1)) {
    const [, what = '', of = '', value = ''] = METADATA.exec(line) ?? []
    if (what !== '') {
      const family = families.get(of) ?? { type: '', said: new Set(), samples: new Map() }
      if (family.samples.size > 0 || (families.has(of) && last !== of)) throw new Error(`Comes too late: ${line}`)
      if (family.said.has(what)) throw new Error(`Is said twice: ${line}`)
      if (what === 'TYPE' && !Object.hasOwn(SUFFIXES, value)) throw new Error(`Is no type: ${line}`)
      if (what === 'UNIT' && !of.endsWith(`_${value}`)) throw new Error(`The name must end in its unit: ${line}`)
      family.said.add(what)
      if (what === 'TYPE') family.type = value
      families.set(of, family)
      last = of
      continue
    }
    const [, sample = '', name = '', labels = '', number = ''] = SAMPLE.exec(line) ?? []
    const family = families.get(last)
    if (sample === '' || !family) throw new Error(`Is no sample: ${line}`)
    const isOf = SUFFIXES[family.type]?.some((suffix) => name === last + suffix)
    if (!isOf) throw new Error(`Is no sample of the ${family.type} '${last}': ${line}`)
    if (family.samples.has(sample)) throw new Error(`Is there twice: ${line}`)
    const names = [...labels.matchAll(new RegExp(`(?<=[{,])(${LABEL})`, 'g'))].map(([label]) => label.split('=')[0])
    if (new Set(names).size < names.length) throw new Error(`Has a label twice: ${line}`)
    family.samples.set(sample, Number(number.replace('Inf', 'Infinity')))
  }
  for (const [name, family] of families) judge(name, family)
  return families
}

/** Groups a family's samples by all labels but one, in their order. */
function grouped(name: string, { samples }: Family, label: string): ReadonlyMap<string, (readonly [string, number])[]> {
  const groups = new Map<string, (readonly [string, number])[]>()
  for (const [sample, value] of samples) {
    const own = new RegExp(`[{,]${label}="([^"]*)"`).exec(sample)
    if (!own || !sample.startsWith(`${name}{`)) continue
    const others = sample.replace(own[0].slice(1), '')
    groups.set(others, [...(groups.get(others) ?? []), [own[1] ?? '', value]])
  }
  return groups
}

function judge(name: string, family: Family): void {
  const { type, samples } = family
  for (const [sample, value] of samples) {
    if (type === 'counter' && !(value >= 0)) throw new Error(`A counter is never below 0: ${sample}`)
    if (type === 'info' && value !== 1) throw new Error(`An info is always 1: ${sample}`)
  }
  if (type === 'stateset') {
    for (const [group, states] of grouped(name, family, name)) {
      if (states.some(([, value]) => value !== 0 && value !== 1)) throw new Error(`A state is 0 or 1: ${group}`)
    }
  }
  if (type !== 'histogram') return
  for (const [group, buckets] of grouped(`${name}_bucket`, family, 'le')) {
    const bounds = buckets.map(([le]) => Number(le.replace('Inf', 'Infinity')))
    const counts = buckets.map(([, count]) => count)
    const rises = (numbers: readonly number[], strictly: boolean) =>
      numbers.every(
        (each, index) =>
          index === 0 || (strictly ? each > (numbers[index - 1] ?? 0) : each >= (numbers[index - 1] ?? 0)),
      )
    if (!rises(bounds, true) || !rises(counts, false)) throw new Error(`Buckets must rise: ${group}`)
    if (buckets.at(-1)?.[0] !== '+Inf') throw new Error(`The last bucket must be +Inf: ${group}`)
    if (buckets.some(([le]) => /^\d+$/.test(le))) throw new Error(`A bound must be a float: ${group}`)
    const count = samples.get(group.replace('_bucket', '_count').replace(',}', '}').replace('{}', ''))
    if (count !== counts.at(-1)) throw new Error(`The count must be that of the last bucket: ${group}`)
  }
}
