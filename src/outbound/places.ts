export type Places = ReturnType<typeof createPlaces>

interface Place {
  readonly giveBack: () => void
}

/** A place never given back is lost in time: a request that the platform ends runs no `finally`. */
export function createPlaces(count: number) {
  const until = new Map<Place, number>()

  function taken(now: number): number {
    for (const [place, end] of until) if (end <= now) until.delete(place)
    return until.size
  }

  return {
    taken,
    take(now: number, ms: number): Place | undefined {
      if (until.size >= count && taken(now) >= count) return undefined
      const place: Place = { giveBack: () => void until.delete(place) }
      until.set(place, now + ms)
      return place
    },
  }
}
