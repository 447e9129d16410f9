import { optional, stringMatching, transform } from '../../core/tool/json-reader.ts'

const SECONDS = stringMatching('whole seconds from 0 to 59', /^[0-5]?\d$/)

/** How long to wait for a change before responding, parsed to milliseconds. */
export const WAIT = {
  wait: optional(
    transform(SECONDS, (seconds) => Number(seconds) * 1_000),
    0,
  ),
}
