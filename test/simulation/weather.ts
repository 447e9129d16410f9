import fc, { type Arbitrary, type GeneratorValue } from 'fast-check'

/** What the seed decides. */
export interface Chance {
  /** A whole number from 0 up to, not including, `end`. */
  readonly below: (end: number) => number
  /** Whether what happens so many times in a thousand does so now. */
  readonly happens: (perThousand: number) => boolean
  readonly oneOf: <T>(choices: readonly [T, ...T[]]) => T
}

/** Made once, since fast-check tells what is drawn by what makes it. */
const numbers = new Map<number, () => Arbitrary<number>>()

function numbersBelow(end: number): () => Arbitrary<number> {
  const arbitrary = fc.nat(end - 1)
  const made = numbers.get(end) ?? (() => arbitrary)
  numbers.set(end, made)
  return made
}

export function createChance(draw: GeneratorValue): Chance {
  const below = (end: number) => draw(numbersBelow(end))
  return {
    below,
    happens: (perThousand) => perThousand > 0 && below(1_000) < perThousand,
    oneOf: (choices) => choices[below(choices.length)] ?? choices[0],
  }
}

/** How bad things are, in thousandths of what happens, or in milliseconds. */
export interface Weather {
  /** Messages that are lost. */
  lost: number
  /** Objects that end where they send something, and are started anew by the next event. */
  ends: number
  /** Reads and writes that KV refuses. */
  refused: number
  /** Reads of KV that hang. */
  hanging: number
  /** Alarms that come a second time. */
  repeated: number
  /** How long a message takes at most. It may land when whoever sent it has ended. */
  slow: number
  /** For how long KV goes on giving what was before, at most, beside what its caches keep. */
  lag: number
}

const QUICK_MS = 400

/** As good as it gets: all that is left is that messages overtake each other. */
const FAIR: Weather = { lost: 0, ends: 0, refused: 0, hanging: 0, repeated: 0, slow: QUICK_MS, lag: 0 }

/** The weather of a simulation: a quarter has none, and in the others one thing or other does not happen at all. */
export function drawWeather({ oneOf, happens }: Chance): Weather {
  if (happens(250)) return { ...FAIR }
  return {
    lost: oneOf([0, 0, 10, 60]),
    ends: oneOf([0, 0, 10, 60]),
    refused: oneOf([0, 0, 20, 200]),
    hanging: oneOf([0, 0, 0, 100]),
    repeated: oneOf([0, 100]),
    slow: oneOf([QUICK_MS, QUICK_MS, 5_000]),
    lag: oneOf([0, 0, 1_000, 60_000]),
  }
}

export function isFair({ lost, ends, refused, hanging, slow, lag }: Weather): boolean {
  return lost + ends + refused + hanging + lag === 0 && slow === QUICK_MS
}

export function calm(weather: Weather): void {
  Object.assign(weather, FAIR)
}
