import { cp, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleFolder } from './server.ts'

/** The `--entry` of the bundle that `buildMovedBundle` creates. */
export const MOVED_ENTRY = 'moved.mjs'

/**
 * Builds the bundle with a clock that is ahead of the machine's by the last `ahead-ms` header of a request, or else `AHEAD_MS`;
 * alarms follow that clock. Returns its folder, which the caller removes.
 */
export async function buildMovedBundle(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-moved-'))
  await cp(await bundleFolder(), folder, { recursive: true })
  await writeFile(join(folder, 'clock.mjs'), CLOCK)
  await writeFile(join(folder, MOVED_ENTRY), ENTRY)
  return folder
}

/** Evaluated before the Worker, which takes `Date.now` as it starts. */
const CLOCK = `import { env } from 'cloudflare:workers'
let aheadMs = Number(env.AHEAD_MS)
export const moveClock = (ms) => (aheadMs = ms)
globalThis.Date = class extends Date {
  constructor(...parts) {
    super(...(parts.length === 0 ? [Date.now()] : parts))
  }
  static now() {
    return super.now() + aheadMs
  }
}
let isMoved = false
export function moveAlarms(storage) {
  if (isMoved) return
  isMoved = true
  const prototype = Object.getPrototypeOf(storage)
  const { setAlarm, getAlarm } = prototype
  prototype.setAlarm = function (at) {
    return setAlarm.call(this, at - aheadMs)
  }
  prototype.getAlarm = async function () {
    const at = await getAlarm.call(this)
    return at === null ? null : at + aheadMs
  }
}
`

const ENTRY = `import { moveAlarms, moveClock } from './clock.mjs'
import * as worker from './index.mjs'
export * from './index.mjs'
export class Tasks extends worker.Tasks {
  constructor(state, env) {
    moveAlarms(state.storage)
    super(state, env)
  }
}
export default {
  ...worker.default,
  fetch(request, ...others) {
    const ms = request.headers.get('ahead-ms')
    if (ms !== null) moveClock(Number(ms))
    return worker.default.fetch(request, ...others)
  },
}
`
