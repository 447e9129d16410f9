/**
 * BM25F (Robertson and Zaragoza, 2009) over the fields of a tool: each word counts once a field. Lengths are relative to
 * fixed averages, not to those of the registry, so that no tool has a say in how another ranks.
 */
export const FIELDS = [
  { name: 'name', weight: 3, average: 3 },
  { name: 'toolkit', weight: 3, average: 1.3 },
  { name: 'description', weight: 1, average: 15 },
  { name: 'parameters', weight: 0.6, average: 4 },
  { name: 'details', weight: 0.4, average: 30 },
] as const

const LENGTH_NORMALISATION = 0.4
const SATURATION = 1.2

/** Lengths are kept in fifths of the average, up to three times that: four bits a field. */
const STEPS = 5
const LEVELS = 16
export const PACKED = LEVELS ** FIELDS.length

/** The lengths of a tool's fields, in words, as one number below `PACKED`. */
export function packLengths(lengths: readonly number[]): number {
  return FIELDS.reduceRight((packed, { average }, field) => {
    const level = Math.min(LEVELS - 1, Math.round((STEPS * (lengths[field] ?? 0)) / average))
    return packed * LEVELS + level
  }, 0)
}

/** How much a word counts in a field of a tool whose lengths these are. */
export function weightIn(field: number, packed: number): number {
  const level = Math.floor(packed / LEVELS ** field) % LEVELS
  return (FIELDS[field]?.weight ?? 0) / (1 - LENGTH_NORMALISATION + (LENGTH_NORMALISATION * level) / STEPS)
}

/** Inverse document frequency. */
export function rarity(holders: number, tools: number): number {
  return Math.log(1 + (tools - holders + 0.5) / (holders + 0.5))
}

export function saturated(weight: number): number {
  return weight / (weight + SATURATION)
}
