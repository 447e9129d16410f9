import type { Stopped } from '../../core/consent/authorization.ts'

/** Why a person goes no further. A value, since an error loses its fields between Durable Object and Worker. */
export function stopped(why: Stopped['why'], message: string): Stopped {
  return { ok: false, why, message }
}

export const GONE = stopped('gone', 'This is over, or never was. Have your agent ask again')
export const OTHER_BROWSER = stopped('other-browser', 'This was begun in another browser, and can only be ended there')
