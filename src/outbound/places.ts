export interface Places {
  /** A place until it is given back, or for `ms`; undefined when none is free. */
  take(now: number, ms: number): Place | undefined
  taken(now: number): number
}

export interface Place {
  giveBack(): void
}

/** A place never given back is lost in time: a request that the platform ends runs no `finally`. */
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
