/** So many places, each taken for a time. */
export interface Places {
  /** Takes a place until it is given back, or for so many milliseconds; undefined when none is free. */
  take(now: number, ms: number): Place | undefined
  /** How many are taken. */
  taken(now: number): number
}

export interface Place {
  giveBack(): void
}

/** Makes so many places. Whoever never gives one back loses it in time: a request that the platform ends runs no `finally`. */
export function createPlaces(count: number): Places {
  const until = new Map<Place, number>()

  function taken(now: number): number {
    for (const [place, end] of until) if (end <= now) until.delete(place)
    return until.size
  }

  return {
    taken,
    take(now, ms) {
      if (until.size >= count && taken(now) >= count) return undefined
      const place: Place = { giveBack: () => void until.delete(place) }
      until.set(place, now + ms)
      return place
    },
  }
}
