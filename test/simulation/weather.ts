import fc, { type Arbitrary, type GeneratorValue } from 'fast-check'

/** Choices derived from the seed. */
export interface Chance {
  /** Returns an integer from 0 up to, but not including, `end`. */
  readonly below: (end: number) => number
  /** Returns true `perThousand` times in 1,000. */
  readonly happens: (perThousand: number) => boolean
  readonly oneOf: <T>(choices: readonly [T, ...T[]]) => T
}

/** Created once each, because fast-check identifies a draw by its arbitrary. */
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

/** How bad conditions are, as rates per 1,000 or in milliseconds. */
export interface Weather {
  /** Messages that are lost. */
  lost: number
  /** Objects that end when they send something, and are restarted by the next event. */
  ends: number
  /** Reads and writes that KV refuses. */
  refused: number
  /** Reads of KV that hang. */
  hanging: number
  /** Alarms that run twice. */
  repeated: number
  /** The longest time that a message takes. It may arrive after its sender has ended. */
  slow: number
  /** The longest time that KV returns old values, in addition to its caches. */
  lag: number
}

const QUICK_MS = 400

/** The best case: messages only overtake each other. */
const FAIR: Weather = { lost: 0, ends: 0, refused: 0, hanging: 0, repeated: 0, slow: QUICK_MS, lag: 0 }

/** Draws a simulation's weather: a quarter have none, and in each of the others some faults do not occur. */
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
