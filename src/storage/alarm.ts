/**
 * Sets the alarm of one Durable Object. The platform truncates fractions of a millisecond, and drops an alarm that its own run
 * sets to the same time again. A run that is early, because of a truncated time or a clock that was set back, would set such
 * an alarm. Therefore, times are rounded up, and the same time is never set twice in a row.
 *
 * @param at milliseconds since 1970
 */
export function createSetAlarm(storage: Pick<DurableObjectStorage, 'setAlarm'>): (at: number) => Promise<void> {
  let last: number | undefined
  return async (at) => {
    const time = Math.ceil(at)
    last = time === last ? time + 1 : time
    await storage.setAlarm(last)
  }
}
