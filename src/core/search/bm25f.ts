/**
 * BM25F (Robertson and Zaragoza, 2009) over the fields of a tool: each word counts once a field. Lengths are relative to
 * fixed averages, not to those of the registry, so that no tool has a say in how another ranks.
 */
export const FIELDS = [
  { field: 'name and title', weight: 3, average: 3 },
  { field: 'toolkit and tags', weight: 3, average: 1.3 },
  { field: 'description', weight: 1, average: 15 },
  { field: "parameters' names", weight: 0.6, average: 4 },
  { field: "parameters' descriptions", weight: 0.4, average: 30 },
]

const LENGTH_NORMALISATION = 0.4
const SATURATION = 1.2

/** A length is kept in fifths of the average, up to three times that. */
const STEPS = 5
const LEVELS = 16

/** A tool has a row of the index for each field, among as many as the tool's id times this, and this many more. */
export const ROWS = FIELDS.length * LEVELS

/** The row of a field, which says its length: what a search finds is weighed by the row's number alone. */
export function rowOf(field: number, length: number): number {
  return field * LEVELS + Math.min(LEVELS - 1, Math.round((STEPS * length) / (FIELDS[field]?.average ?? 1)))
}

/** How much a word counts, by the row that has it. */
export const WEIGHTS = FIELDS.flatMap(({ weight }) =>
  Array.from(
    { length: LEVELS },
    (_, level) => weight / (1 - LENGTH_NORMALISATION + (LENGTH_NORMALISATION * level) / STEPS),
  ),
)

/** Inverse document frequency. */
export function rarity(holders: number, tools: number): number {
  return Math.log(1 + (tools - holders + 0.5) / (holders + 0.5))
}

export function saturated(weight: number): number {
  return weight / (weight + SATURATION)
}
