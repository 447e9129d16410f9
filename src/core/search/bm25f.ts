/**
 * BM25F (Robertson and Zaragoza, 2009) over the fields of a tool: each word counts once per field. Lengths are relative to
 * fixed averages, not to those of the registry, so that no tool affects how another ranks.
 */
const FIELDS = [
  // These two only measure how much of a title a question names. Their lengths are word counts
  { field: 'title as it is', weight: 0, average: 5, normalization: 0 },
  { field: 'title', weight: 0, average: 5, normalization: 0 },
  { field: 'name and title', weight: 3, average: 3, normalization: 1 },
  { field: 'toolkit and tags', weight: 3, average: 1.3, normalization: 0.4 },
  { field: 'description', weight: 1, average: 15, normalization: 0.4 },
  { field: "parameters' names", weight: 0.6, average: 4, normalization: 0.4 },
  { field: "parameters' descriptions", weight: 0.4, average: 30, normalization: 0.4 },
]

/** Indexes of fields that a search distinguishes. The field before `TITLE` is the title as it is. */
export const TITLE = 1
export const TOOLKIT = 3

const SATURATION = 1.2

/** A length is stored in fifths of the average, up to three times the average. */
const STEPS = 5
const LEVELS = 16

/** Larger than any tool's id in the index. */
export const IDS = 2 ** 36

/** Returns the number of a tool's index row for a field, which includes the length. Fields that count most come first. */
export function packRow(id: number, field: number, length: number): number {
  const level = Math.min(LEVELS - 1, Math.round((STEPS * length) / (FIELDS[field]?.average ?? 1)))
  return (field * IDS + id) * LEVELS + level
}

/** How much a word counts, by the field and the length of its row. */
export const WEIGHTS = FIELDS.map(({ weight, normalization }) =>
  Array.from({ length: LEVELS }, (_, level) => weight / (1 - normalization + (normalization * level) / STEPS)),
)

/** Returns the inverse document frequency, slightly reduced for the rarest words, which may be noise. */
export function inverseDocumentFrequency(holders: number, tools: number): number {
  return Math.log(1 + (tools - holders + 0.5) / (holders + 0.5)) ** 0.9
}

/** Returns the field, the tool's id and the level of the length in a row's number. */
export function unpackRow(row: number) {
  const place = Math.floor(row / LEVELS)
  const field = Math.floor(place / IDS)
  return { field, id: place - field * IDS, level: row - place * LEVELS }
}

export function saturate(weight: number): number {
  return weight / (weight + SATURATION)
}
